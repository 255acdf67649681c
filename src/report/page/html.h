/* SPDX-License-Identifier: MIT */
/* Writing HTML: text from outside is escaped here and nowhere else.
 *
 * Everything that comes from a log goes through html_text (element content and quoted attributes) or html_data (JSON
 * inside a data block). Control bytes and characters that change the direction of text become
 * visible signs. */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include "data/buf.h"

#include <stdbool.h>

void html_text(struct buf *out, const char *s);
void html_text_n(struct buf *out, const char *s, size_t n);
/* A JSON text for <script type="application/json">: '<', '>', '&', U+2028 and U+2029 are escaped. */
void html_data(struct buf *out, const char *json, size_t n);

/* Opens a figure: its title and the data that the page's script draws. without: what readers without JavaScript are
 * told. The caller adds what else it has and ends it with "</figure>". */
void html_figure(struct buf *out, const char *kind, const char *title, const struct buf *data, const char *without);

/* Numbers for people. */
void html_count(struct buf *out, double v);   /* 12 345 678 */
void html_bytes(struct buf *out, double v);   /* 1.2 MB */
void html_seconds(struct buf *out, double v); /* 3 min 20 s */
void html_percent(struct buf *out, double ratio);

/* A table. heads: titles separated by '|'; one that starts with '#' is of a column of numbers. */
struct html_table {
	struct buf *out;
	const char *heads;
	size_t column; /* of the next cell */
};
/* Appends the title of one more column of numbers to heads; a '|' in it becomes '/'. */
void html_head(struct buf *heads, const char *title);
struct html_table html_table(struct buf *out, const char *caption, const char *heads);
void html_row(struct html_table *t);
void html_cell_text(struct html_table *t, const char *s);
void html_cell_code(struct html_table *t, const char *s);
void html_cell_count(struct html_table *t, double v);
void html_cell_bytes(struct html_table *t, double v);
void html_cell_seconds(struct html_table *t, double v);
void html_cell_percent(struct html_table *t, double ratio);
void html_cell_number(struct html_table *t, void (*number)(struct buf *, double), double v);
/* A number with a bar behind it, as long as ratio (0 … 1) says. */
void html_cell_bar(struct html_table *t, double ratio, void (*number)(struct buf *, double), double v);
void html_cell_empty(struct html_table *t);
void html_table_end(struct html_table *t);

#endif
