/* SPDX-License-Identifier: MIT */
/* Plots: series of points that become one figure of the page, drawn by uPlot from a data block, with the same numbers
 * as a table below it. */
#ifndef REPORT_CHART_H
#define REPORT_CHART_H

#include "report/page/page.h"

#include <stdbool.h>

enum chart_kind { CHART_LINE, CHART_STEP, CHART_BARS };
enum chart_unit { UNIT_COUNT, UNIT_BYTES, UNIT_SECONDS, UNIT_PERCENT };

struct chart_point {
	double x, y;
	const char *note; /* what the reader is told at this point; NULL: nothing more. Not copied. */
};

struct chart_series {
	char *name;
	VEC(struct chart_point) points;
	double mark; /* an x to be marked (a knee); NAN: none */
};

struct chart {
	const char *title, *x_label, *y_label;
	enum chart_kind kind;
	enum chart_unit x_unit, y_unit;
	bool log_x; /* at first; the reader may switch */
	VEC(struct chart_series) series;
};

/* The number of a new, empty series; name is copied. */
size_t chart_series(struct chart *c, const char *name);
/* Points that are not finite are left out. */
void chart_add(struct chart *c, size_t series, double x, double y);
void chart_add_note(struct chart *c, size_t series, double x, double y, const char *note);
/* How a number of that unit is written. */
typedef void chart_number(struct buf *out, double v);
chart_number *chart_number_of(enum chart_unit unit);
/* Whether x spans two decades or more: such an axis starts logarithmic. */
bool chart_spans_decades(const struct chart *c);
bool chart_empty(const struct chart *c);
/* Sorts and thins the points, then writes the figure to the page, and to the page's plots if it keeps them. */
void chart_html(struct chart *c, struct page *page);
void chart_release(struct chart *c);

#endif
