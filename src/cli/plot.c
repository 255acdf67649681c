/* SPDX-License-Identifier: MIT */
/* See plot.h. The grid has a byte of dots for each character, bit k as in U+2800 + bits; a letter takes its character
 * over. A curve is drawn column by column of dots; where it falls by more than one dot, the dots between are set, so
 * that a cliff is a line.
 *
 * Invariant: every dot and letter is inside the grid, whatever the values. */
#include "cli/plot.h"

#include "base/bits.h"
#include "base/invariant.h"
#include "data/mem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum { LABEL = 7, FEWEST = 20 };

struct plot {
	unsigned columns, rows; /* of the grid */
	double least, most, highest;
	bool log;
	unsigned char *dots;
	char *letter; /* 0: none */
};

unsigned plot_terminal_columns(void)
{
	struct winsize w;
	if (!isatty(STDOUT_FILENO))
		return 0;
	return ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col ? w.ws_col : 80;
}

struct plot *plot_new(unsigned columns, unsigned rows, double least, double most, double highest)
{
	struct plot *p = mem_zalloc(sizeof *p);
	p->columns = (columns < FEWEST ? FEWEST : columns) - LABEL - 1;
	p->rows = rows ? rows : 1;
	p->least = least;
	p->most = most > least ? most : least + 1;
	p->highest = highest > 0 ? highest : 1;
	p->log = p->most / p->least >= 30;
	p->dots = mem_zalloc((size_t)p->columns * p->rows);
	p->letter = mem_zalloc((size_t)p->columns * p->rows);
	return p;
}

/* Where x is, 0 … 1, and the other way round. */
static double place(const struct plot *p, double x)
{
	return p->log ? log(x / p->least) / log(p->most / p->least) : (x - p->least) / (p->most - p->least);
}

static double at_place(const struct plot *p, double t)
{
	return p->log ? p->least * pow(p->most / p->least, t) : p->least + t * (p->most - p->least);
}

static unsigned clamp(double v, unsigned n)
{
	return v < 0 ? 0 : v >= n ? n - 1 : (unsigned)v;
}

/* Rows count from the top. */
static unsigned dot_row(const struct plot *p, double value)
{
	unsigned n = 4 * p->rows;
	return clamp((1 - value / p->highest) * (n - 1) + 0.5, n);
}

static void set_dot(struct plot *p, unsigned x, unsigned y)
{
	static const unsigned char bit[4][2] = {{0, 3}, {1, 4}, {2, 5}, {6, 7}};
	INVARIANT(x / 2 < p->columns && y / 4 < p->rows);
	p->dots[(size_t)(y / 4) * p->columns + x / 2] |= (unsigned char)(1u << bit[y % 4][x % 2]);
}

void plot_curve(struct plot *p, double (*value)(void *user, double x), void *user)
{
	unsigned n = 2 * p->columns, before = 0;
	for (unsigned x = 0; x < n; x++) {
		unsigned y = dot_row(p, value(user, at_place(p, (double)x / (n - 1))));
		for (unsigned from = x && before < y ? before + 1 : y; from <= y; from++)
			set_dot(p, x, from);
		before = y;
	}
}

void plot_mark(struct plot *p, double x, double value, char letter)
{
	unsigned column = clamp(place(p, x) * (p->columns - 1) + 0.5, p->columns), row = dot_row(p, value) / 4;
	char *at = &p->letter[(size_t)row * p->columns + column];
	if (!*at)
		*at = letter;
}

/* "1", "10", "1k", "16M" */
static void size_label(double x, char *out, size_t size)
{
	static const char *const suffix[] = {"", "k", "M", "G", "T"};
	unsigned i = 0;
	for (; x >= 999.5 && i + 1 < ARRAY_LEN(suffix); i++)
		x /= 1000;
	snprintf(out, size, x < 9.95 && x != floor(x) ? "%.1f%s" : "%.0f%s", x, suffix[i]);
}

static void put_label(const struct plot *p, char *line, double x, unsigned *free_from)
{
	char text[16];
	size_label(x, text, sizeof text);
	unsigned n = (unsigned)strlen(text), column = clamp(place(p, x) * (p->columns - 1) + 0.5, p->columns);
	if (column + n > p->columns)
		column = p->columns - n;
	if (column < *free_from)
		return;
	memcpy(line + column, text, n);
	*free_from = column + n + 1;
}

/* Decades where the axis is logarithmic, else quarters; the ends always. */
static void print_axis(const struct plot *p, struct buf *out)
{
	char *line = mem_alloc(p->columns + 1), last[16];
	unsigned free_from = 0;
	memset(line, ' ', p->columns);
	line[p->columns] = 0;
	put_label(p, line, p->least, &free_from);
	size_label(p->most, last, sizeof last);
	double end = (double)(p->columns - strlen(last) - 6) / p->columns; /* room for the last one */
	for (double x = pow(10, ceil(log10(p->least * 1.01))); p->log && place(p, x) < end; x *= 10)
		put_label(p, line, x, &free_from);
	for (int i = 1; !p->log && i < 4; i++)
		put_label(p, line, round(at_place(p, i / 4.0)), &free_from);
	put_label(p, line, p->most, &free_from);
	size_t n = p->columns;
	while (n && line[n - 1] == ' ')
		n--;
	buf_printf(out, "%*s%.*s\n", LABEL + 1, "", (int)n, line);
	free(line);
}

void plot_print(const struct plot *p, struct buf *out)
{
	for (unsigned row = 0; row < p->rows; row++) {
		if (row == 0 || row + 1 == p->rows || row == p->rows / 2)
			buf_printf(out, "%*.*g ┤", LABEL - 1, 3,
				   p->highest * (p->rows - 1 - row) / (p->rows - 1 ? p->rows - 1 : 1));
		else
			buf_printf(out, "%*s │", LABEL - 1, "");
		unsigned used = p->columns;
		const size_t start = (size_t)row * p->columns;
		while (used && !p->dots[start + used - 1] && !p->letter[start + used - 1])
			used--;
		for (size_t i = start; i < start + used; i++) {
			if (p->letter[i])
				buf_char(out, p->letter[i]);
			else if (p->dots[i])
				buf_printf(out, "\xe2%c%c", 0xa0 | p->dots[i] >> 6, 0x80 | (p->dots[i] & 0x3f));
			else
				buf_char(out, ' ');
		}
		buf_char(out, '\n');
	}
	print_axis(p, out);
}

void plot_free(struct plot *p)
{
	if (!p)
		return;
	free_all(p->dots, p->letter, p);
}
