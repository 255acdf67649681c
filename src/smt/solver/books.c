/* SPDX-License-Identifier: MIT */
/* Accounts in CPU seconds: a ring of the last costs, and two sums. */
#include "smt/solver/books.h"

#include <stdlib.h>
#include <string.h>

#define LOAN_S 0.01
#define LOAN_SHARE 0.01

void books_work(struct books *b, double seconds)
{
	b->work += seconds;
	b->sample[b->samples++ % BOOKS_SAMPLES] = seconds;
}

void books_spend(struct books *b, double seconds)
{
	b->spent += seconds;
}

static int by_value(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;
	return a < b ? -1 : a > b;
}

double books_quartile(const struct books *b)
{
	double sorted[BOOKS_SAMPLES];
	size_t n = b->samples < BOOKS_SAMPLES ? b->samples : BOOKS_SAMPLES;
	if (!n)
		return 0;
	memcpy(sorted, b->sample, n * sizeof *sorted);
	qsort(sorted, n, sizeof *sorted, by_value);
	return sorted[n / 4];
}

void books_save(struct books *b)
{
	b->saved += books_quartile(b);
}

double books_overdraft(const struct books *b)
{
	double over = b->spent - b->saved - b->work * LOAN_SHARE;
	return over > 0 ? over : 0;
}

bool books_allow(const struct books *b, double expected)
{
	return books_allow_beside(b, expected, 0);
}

bool books_allow_beside(const struct books *b, double expected, double others)
{
	return b->spent + expected + others <= b->saved + LOAN_S + b->work * LOAN_SHARE;
}
