/* SPDX-License-Identifier: MIT */
/* Files that are part of the program: uPlot, our style and our script. */
#ifndef REPORT_ASSETS_H
#define REPORT_ASSETS_H

#include <stddef.h>

struct asset {
	const char *at;
	size_t n;
};

struct asset asset_uplot_js(void);
struct asset asset_uplot_css(void);
struct asset asset_report_js(void);
struct asset asset_report_css(void);

#endif
