/* SPDX-License-Identifier: MIT */
/* Writing HTML: see html.h. */
#include "report/page/html.h"

#include "data/text.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static uint32_t code_point(const unsigned char *u, unsigned len)
{
	static const unsigned char first[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
	uint32_t c = u[0] & first[len];
	for (unsigned i = 1; i < len; i++)
		c = c << 6 | (u[i] & 0x3f);
	return c;
}

/* Characters that reorder or hide the text around them. */
static bool is_trick(uint32_t c)
{
	return (c >= 0x80 && c < 0xa0) || (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || (c & 0xfffe) == 0xfffe;
}

void html_text_n(struct buf *out, const char *s, size_t n)
{
	for (size_t i = 0; i < n;) {
		const unsigned char *u = (const unsigned char *)s + i;
		unsigned len = text_utf8_len(s + i, n - i);
		uint32_t c = len ? code_point(u, len) : 0;
		i += len ? len : 1;
		if (!len)
			buf_str_add(out, "&#xfffd;");
		else if (c == '&')
			buf_str_add(out, "&amp;");
		else if (c == '<')
			buf_str_add(out, "&lt;");
		else if (c == '>')
			buf_str_add(out, "&gt;");
		else if (c == '"')
			buf_str_add(out, "&quot;");
		else if (c == '\'')
			buf_str_add(out, "&#39;");
		else if (c < 0x20 || c == 0x7f)
			buf_printf(out, "&#x%x;", c == 0x7f ? 0x2421 : 0x2400 + c); /* the sign for that control */
		else if (is_trick(c))
			buf_printf(out, "[U+%04X]", c);
		else
			buf_add(out, u, len);
	}
}

void html_text(struct buf *out, const char *s)
{
	html_text_n(out, s, strlen(s));
}

void html_data(struct buf *out, const char *json, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)json[i];
		/* in a JSON text these are found only inside strings, where an escape means the same */
		if (c == '<' || c == '>' || c == '&') {
			buf_printf(out, "\\u%04x", c);
		} else if (c == 0xe2 && n - i > 2 && (unsigned char)json[i + 1] == 0x80 &&
			   ((unsigned char)json[i + 2] & 0xfe) == 0xa8) {
			buf_printf(out, "\\u20%x", (unsigned char)json[i + 2] & 0x3f);
			i += 2;
		} else {
			buf_char(out, (char)c);
		}
	}
}

void html_figure(struct buf *out, const char *kind, const char *title, const struct buf *data, const char *without)
{
	buf_printf(out, "<figure class=\"%s\"><figcaption>", kind);
	html_text(out, title);
	buf_str_add(out, "</figcaption>\n<script type=\"application/json\">");
	html_data(out, buf_str(data), data->n);
	buf_printf(out, "</script>\n<noscript><p class=\"note\">%s</p></noscript>\n", without);
}

void html_count(struct buf *out, double v)
{
	char digits[64];
	if (!isfinite(v)) {
		buf_str_add(out, "–");
		return;
	}
	if (fabs(v) >= 1e15 || v != floor(v)) {
		buf_printf(out, "%.4g", v);
		return;
	}
	snprintf(digits, sizeof digits, "%.0f", fabs(v));
	size_t n = strlen(digits);
	if (v < 0)
		buf_str_add(out, "−");
	for (size_t i = 0; i < n; i++) {
		/* a narrow no-break space between groups of three, from five digits on */
		if (i && n > 4 && (n - i) % 3 == 0)
			buf_str_add(out, "\xe2\x80\xaf");
		buf_char(out, digits[i]);
	}
}

void html_bytes(struct buf *out, double v)
{
	static const char *const units[] = {"B", "KB", "MB", "GB", "TB", "PB"};
	size_t u = 0;
	while (v >= 1024 && u + 1 < sizeof units / sizeof units[0]) {
		v /= 1024;
		u++;
	}
	buf_printf(out, u == 0 || v >= 100 ? "%.0f %s" : v >= 10 ? "%.1f %s" : "%.2f %s", v, units[u]);
}

void html_seconds(struct buf *out, double v)
{
	if (isfinite(v) && v < 0)
		buf_str_add(out, "−");
	v = fabs(v);
	if (!isfinite(v))
		buf_str_add(out, "–");
	else if (v == 0)
		buf_str_add(out, "0 s");
	else if (v < 0.001)
		buf_printf(out, "%.3g µs", v * 1e6);
	else if (v < 1)
		buf_printf(out, "%.3g ms", v * 1e3);
	else if (v < 120)
		buf_printf(out, v < 10 ? "%.2f s" : "%.1f s", v);
	else if (v < 7200)
		buf_printf(out, "%.0f min %.0f s", floor(v / 60), floor(fmod(v, 60)));
	else
		buf_printf(out, "%.0f h %.0f min", floor(v / 3600), floor(fmod(v, 3600) / 60));
}

void html_percent(struct buf *out, double ratio)
{
	if (!isfinite(ratio))
		buf_str_add(out, "–");
	else
		buf_printf(out, fabs(ratio) < 0.0995 ? "%.2f %%" : "%.1f %%", ratio * 100);
}

/* The title of column i; numeric columns are marked by '#'. */
static const char *head_at(const char *heads, size_t i, size_t *n)
{
	while (i--)
		heads += strcspn(heads, "|") + 1;
	*n = strcspn(heads, "|");
	return heads;
}

void html_head(struct buf *heads, const char *title)
{
	buf_str_add(heads, "|#");
	for (; *title; title++)
		buf_char(heads, *title == '|' ? '/' : *title);
}

struct html_table html_table(struct buf *out, const char *caption, const char *heads)
{
	buf_str_add(out, "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"");
	html_text(out, caption);
	buf_str_add(out, "\"><table><caption>");
	html_text(out, caption);
	buf_str_add(out, "</caption><thead><tr>");
	for (const char *h = heads;;) {
		size_t n = strcspn(h, "|");
		bool number = *h == '#';
		buf_printf(out, "<th scope=\"col\"%s>", number ? " class=\"num\"" : "");
		html_text_n(out, h + number, n - number);
		buf_str_add(out, "</th>");
		if (!h[n])
			break;
		h += n + 1;
	}
	buf_str_add(out, "</tr></thead><tbody>\n");
	return (struct html_table){out, heads, 0};
}

void html_row(struct html_table *t)
{
	if (t->column)
		buf_str_add(t->out, "</tr>\n");
	buf_str_add(t->out, "<tr>");
	t->column = 0;
}

static void open_cell(struct html_table *t)
{
	size_t n;
	const char *h = head_at(t->heads, t->column++, &n);
	buf_str_add(t->out, *h == '#' ? "<td class=\"num\">" : "<td>");
}

void html_cell_text(struct html_table *t, const char *s)
{
	open_cell(t);
	html_text(t->out, s);
	buf_str_add(t->out, "</td>");
}

void html_cell_code(struct html_table *t, const char *s)
{
	open_cell(t);
	buf_str_add(t->out, "<code>");
	html_text(t->out, s);
	buf_str_add(t->out, "</code></td>");
}

void html_cell_number(struct html_table *t, void (*number)(struct buf *, double), double v)
{
	open_cell(t);
	number(t->out, v);
	buf_str_add(t->out, "</td>");
}

void html_cell_count(struct html_table *t, double v)
{
	html_cell_number(t, html_count, v);
}

void html_cell_bytes(struct html_table *t, double v)
{
	html_cell_number(t, html_bytes, v);
}

void html_cell_seconds(struct html_table *t, double v)
{
	html_cell_number(t, html_seconds, v);
}

void html_cell_percent(struct html_table *t, double ratio)
{
	html_cell_number(t, html_percent, ratio);
}

void html_cell_bar(struct html_table *t, double ratio, void (*number)(struct buf *, double), double v)
{
	if (!(ratio > 0))
		ratio = 0;
	if (ratio > 1)
		ratio = 1;
	open_cell(t);
	/* drawn as SVG: the page's policy allows no style attributes */
	buf_printf(t->out,
		   "<span class=\"barred\"><svg class=\"bar\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" "
		   "aria-hidden=\"true\"><rect width=\"%.2f\" height=\"10\"/></svg><span>",
		   ratio * 100);
	number(t->out, v);
	buf_str_add(t->out, "</span></span></td>");
}

void html_cell_empty(struct html_table *t)
{
	open_cell(t);
	buf_str_add(t->out, "–</td>");
}

void html_table_end(struct html_table *t)
{
	if (t->column)
		buf_str_add(t->out, "</tr>\n");
	buf_str_add(t->out, "</tbody></table></div>\n");
}
