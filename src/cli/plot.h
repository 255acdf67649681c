/* SPDX-License-Identifier: MIT */
/* Curves in a terminal: values between 0 and a maximum over sizes, drawn with braille patterns (two by four dots a
 * character) or marked with letters. The horizontal axis is logarithmic where sizes span more than a decade and a half.
 */
#ifndef CLI_PLOT_H
#define CLI_PLOT_H

#include "data/buf.h"

#include <stdbool.h>

struct plot;

/* The columns of the terminal that standard output is; 0: it is none. */
unsigned plot_terminal_columns(void);

/* columns: of the whole picture, labels included; at least 20 are used. 0 < least ≤ most. */
struct plot *plot_new(unsigned columns, unsigned rows, double least, double most, double highest);
/* The curve of a function that does not rise. */
void plot_curve(struct plot *p, double (*value)(void *user, double x), void *user);
/* A letter at a place; what comes later does not hide what was there. */
void plot_mark(struct plot *p, double x, double value, char letter);
/* Lines of at most `columns` characters. */
void plot_print(const struct plot *p, struct buf *out);
void plot_free(struct plot *p);

#endif
