#version 330 core
// a comment
uniform sampler2D tex;
in vec2 uv;
out vec4 color;
void main() {
    vec4 c = texture(tex, uv);
    if (c.a < 0.5) discard;
    color = marker(c) * 2.0;
}
