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

/* Writes n bytes to in and appends what comes from out to got until enough(user, got). deadline < 0: none. in −1:
 * nothing is written. enough NULL: until the other side closes, which then is EXCHANGE_DONE. */
enum exchange_end exchange(int in, int out, const char *text, size_t n, struct buf *got,
			   bool (*enough)(void *user, const struct buf *got), void *user, double deadline);

#endif
