/* SPDX-License-Identifier: MIT */
/* What views write to: the page, and, if they are wanted, its plots as pictures of their own. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include "data/mem.h"
#include "data/buf.h"

struct plot {
	char *title, *svg;
};
struct plots {
	VEC(struct plot) list;
};

struct page {
	struct buf *out;
	struct plots *plots; /* NULL: not wanted */
};

/* Keeps a plot; svg is the page's from now on. */
void page_plot(struct page *p, const char *title, char *svg);
void plots_release(struct plots *p);

#endif
