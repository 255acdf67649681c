/* SPDX-License-Identifier: MIT */
/* A chart as an SVG file of its own, for documents: axes, grid, lines and legend, no script and no fonts to load. */
#ifndef REPORT_SVG_H
#define REPORT_SVG_H

#include "report/page/chart.h"

/* The points are sorted already. The caller frees the text. */
char *svg_chart(const struct chart *c);

#endif
