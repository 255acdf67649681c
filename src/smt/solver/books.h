/* SPDX-License-Identifier: MIT */
/* The account of something that is done in the hope to save work: what it has cost and what it has saved, in seconds of
 * CPU. It may go on as long as it has saved what it cost, but for a small loan. What one success saves is not known, as
 * the work was not done; it is taken to be the lower quartile of what such work has cost lately. */
#ifndef SMT_SOLVER_BOOKS_H
#define SMT_SOLVER_BOOKS_H

#include <stdbool.h>
#include <stddef.h>

enum { BOOKS_SAMPLES = 32 };

struct books {
	double spent, saved;
	double work; /* all work of that kind */
	double sample[BOOKS_SAMPLES];
	size_t samples; /* ever taken; the last ones are kept */
};

/* The work was done, and cost that much. */
void books_work(struct books *b, double seconds);
/* The attempt cost that much. */
void books_spend(struct books *b, double seconds);
/* It succeeded: the work need not be done. */
void books_save(struct books *b);
/* May another attempt be made that is expected to cost that much? The loan is ten milliseconds and a hundredth of the
 * work. */
bool books_allow(const struct books *b, double expected);
/* The same where the loan is shared: others is what other accounts have taken of it. */
bool books_allow_beside(const struct books *b, double expected, double others);
/* How much of the loan it has taken. */
double books_overdraft(const struct books *b);
/* What one success saves. */
double books_quartile(const struct books *b);

#endif
