s/^void FindToken(char const \*s, Token \*tok)$/static void FindTokenUncached(char const *s, Token *tok);\
void FindToken(char const *s, Token *tok)\
{\
    static struct { char key[32]; Token value; } cache[64];\
    unsigned h = 0, n = 0;\
    while (s[n] \&\& n < 31) h = h * 31 + (unsigned char) s[n++];\
    if (s[n] || !n) { FindTokenUncached(s, tok); return; }\
    h = (h ^ h >> 6) % 64;\
    if (memcmp(cache[h].key, s, n + 1) == 0) { *tok = cache[h].value; return; }\
    FindTokenUncached(s, tok);\
    memcpy(cache[h].key, s, n + 1);\
    cache[h].value = *tok;\
}\
static void FindTokenUncached(char const *s, Token *tok)/
