/* SPDX-License-Identifier: MIT */
/* One question and its answer over two pipes, writing and reading at the same time so that neither side can block the
 * other, up to a deadline. */
#ifndef SMT_SOLVER_EXCHANGE_H
#define SMT_SOLVER_EXCHANGE_H

#include "data/buf.h"

#include <stdbool.h>

enum exchange_end {
	EXCHANGE_DONE,
	EXCHANGE_CLOSED,  /* the other side went away */
	EXCHANGE_LATE,    /* the deadline passed */
	EXCHANGE_STOPPED, /* a signal asked us to stop */
};

struct exchange {
	int in, out;      /* descriptors: the question goes to in (−1: there is none), the answer comes from out */
	const char *text; /* the question */
	size_t n;
	bool last;       /* in is closed behind it, or when that fails */
	struct buf *got; /* the answer is appended to it */
	/* Whether got has the whole answer. NULL: it ends when the other side closes, which then is EXCHANGE_DONE. */
	bool (*enough)(void *user, const struct buf *got);
	void *user;
	double deadline; /* on data/clock.h; < 0: none */
};

enum exchange_end exchange(const struct exchange *x);

#endif
