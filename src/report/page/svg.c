/* SPDX-License-Identifier: MIT */
/* Charts as SVG: see svg.h. A linear axis has ticks at 1, 2 or 5 times a power of ten, a logarithmic one at powers
 * of ten; colours and dashes are those of the page in light colours. */
#include "report/page/svg.h"

#include "base/bits.h"
#include "report/page/html.h"

#include <math.h>
#include <string.h>

enum { WIDTH = 720, HEIGHT = 400, LEFT = 78, RIGHT = 20, TOP = 40, BOTTOM = 56, ROW = 18 };

static const char *const colors[] = {"#1f5fbf", "#c2410c", "#15803d", "#7e22ce",
				     "#b45309", "#0e7490", "#be185d", "#4d5b6b"};
static const char *const dashes[] = {"", "8 4", "2 3"};

struct axis {
	double low, high;
	bool log;
	double from, to; /* in the picture */
};

static double place(const struct axis *a, double v)
{
	double low = a->log ? log10(a->low) : a->low, high = a->log ? log10(a->high) : a->high;
	double x = a->log ? log10(fmax(v, a->low)) : v;
	return a->from + (x - low) / (high > low ? high - low : 1) * (a->to - a->from);
}

static void extend(struct axis *a, double v)
{
	if (a->log && v <= 0)
		return;
	a->low = fmin(a->low, v);
	a->high = fmax(a->high, v);
}

static void tick(struct buf *out, const struct axis *a, enum chart_unit unit, double v, bool across)
{
	double at = place(a, v);
	if (across)
		buf_printf(out,
			   "<path d=\"M%.1f %dV%d\" stroke=\"#e6e9ee\"/><text x=\"%.1f\" y=\"%d\" "
			   "text-anchor=\"middle\">",
			   at, TOP, HEIGHT - BOTTOM, at, HEIGHT - BOTTOM + 16);
	else
		buf_printf(out,
			   "<path d=\"M%d %.1fH%d\" stroke=\"#e6e9ee\"/><text x=\"%d\" y=\"%.1f\" "
			   "text-anchor=\"end\">",
			   LEFT, at, WIDTH - RIGHT, LEFT - 6, at + 4);
	chart_number_of(unit)(out, v);
	buf_str_add(out, "</text>\n");
}

static void ticks(struct buf *out, const struct axis *a, enum chart_unit unit, bool across)
{
	enum { WANTED = 6, MOST = 12 };
	if (a->log) {
		for (double v = pow(10, ceil(log10(a->low) - 1e-9)); v <= a->high * (1 + 1e-9); v *= 10)
			tick(out, a, unit, v, across);
		return;
	}
	double room = (a->high - a->low) / WANTED, step = pow(10, floor(log10(room)));
	if (!(room > 0))
		return;
	step *= step * 5 <= room ? 5 : step * 2 <= room ? 2 : 1;
	if (unit == UNIT_COUNT && step < 1)
		step = 1;
	double first = ceil(a->low / step - 1e-9);
	for (int i = 0; i < MOST * 2 && (first + i) * step <= a->high * (1 + 1e-9); i++)
		tick(out, a, unit, (first + i) * step, across);
}

static void line(struct buf *out, const struct chart *c, size_t i, const struct axis *x, const struct axis *y)
{
	const struct chart_series *s = &c->series.at[i];
	double before = 0;
	buf_str_add(out, "<path fill=\"none\" stroke-width=\"2\" stroke-linejoin=\"round\" d=\"");
	for (size_t k = 0; k < s->points.n; k++) {
		double px = place(x, s->points.at[k].x), py = place(y, s->points.at[k].y);
		if (c->kind == CHART_BARS)
			buf_printf(out, "M%.1f %.1fV%.1f", px, y->from, py);
		else if (c->kind == CHART_STEP && k)
			buf_printf(out, "L%.1f %.1fL%.1f %.1f", px, before, px, py);
		else
			buf_printf(out, "%c%.1f %.1f", k ? 'L' : 'M', px, py);
		before = py;
	}
	buf_printf(out, "\" stroke=\"%s\"", colors[i % ARRAY_LEN(colors)]);
	const char *dash = dashes[i / ARRAY_LEN(colors) % ARRAY_LEN(dashes)];
	if (*dash)
		buf_printf(out, " stroke-dasharray=\"%s\"", dash);
	buf_str_add(out, "/>\n");
}

static void legend(struct buf *out, const struct chart *c, size_t i)
{
	const char *dash = dashes[i / ARRAY_LEN(colors) % ARRAY_LEN(dashes)];
	int y = HEIGHT + 4 + (int)i * ROW;
	buf_printf(out, "<path d=\"M%d %dh26\" stroke-width=\"2\" stroke=\"%s\"", LEFT, y,
		   colors[i % ARRAY_LEN(colors)]);
	if (*dash)
		buf_printf(out, " stroke-dasharray=\"%s\"", dash);
	buf_printf(out, "/><text x=\"%d\" y=\"%d\">", LEFT + 34, y + 4);
	html_text(out, *c->series.at[i].name ? c->series.at[i].name : c->y_label);
	buf_str_add(out, "</text>\n");
}

static void frame(struct buf *out, const struct chart *c)
{
	int height = HEIGHT + (int)c->series.n * ROW;
	buf_printf(out,
		   "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
		   "font-family=\"system-ui, sans-serif\" font-size=\"12\" fill=\"#3d4754\" role=\"img\">\n<title>",
		   WIDTH, height, WIDTH, height);
	html_text(out, c->title);
	buf_printf(out, "</title>\n<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n", WIDTH, height);
	buf_printf(out, "<text x=\"%d\" y=\"22\" font-size=\"15\" font-weight=\"600\">", LEFT);
	html_text(out, c->title);
	buf_printf(out, "</text>\n<text x=\"%d\" y=\"%d\" text-anchor=\"middle\">", (LEFT + WIDTH - RIGHT) / 2,
		   HEIGHT - BOTTOM + 36);
	html_text(out, c->x_label);
	buf_printf(out, "</text>\n<text transform=\"translate(16 %d) rotate(-90)\" text-anchor=\"middle\">",
		   (TOP + HEIGHT - BOTTOM) / 2);
	html_text(out, c->y_label);
	buf_str_add(out, "</text>\n");
}

char *svg_chart(const struct chart *c)
{
	struct buf out = {0};
	struct axis x = {INFINITY, -INFINITY, c->log_x, LEFT, WIDTH - RIGHT};
	struct axis y = {0, 0, false, HEIGHT - BOTTOM, TOP};
	for (size_t i = 0; i < c->series.n; i++)
		for (size_t k = 0; k < c->series.at[i].points.n; k++) {
			extend(&x, c->series.at[i].points.at[k].x);
			extend(&y, c->series.at[i].points.at[k].y);
		}
	if (!(x.low <= x.high))
		x.low = 1, x.high = 10;
	y.high = y.high > y.low ? y.high * 1.05 : 1;
	frame(&out, c);
	ticks(&out, &x, c->x_unit, true);
	ticks(&out, &y, c->y_unit, false);
	for (size_t i = 0; i < c->series.n; i++) {
		line(&out, c, i, &x, &y);
		legend(&out, c, i);
	}
	buf_str_add(&out, "</svg>\n");
	return out.at;
}
