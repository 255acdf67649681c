/* SPDX-License-Identifier: MIT */
/* How library code reports failure.
 *
 * A fallible call returns an enum rc and, when that is not RC_OK or RC_NO, has filled the caller's struct err.
 * The first error wins: a later err_* call on a filled struct changes nothing, so clean-up code cannot hide the
 * cause. Libraries never print and never exit; src/cmd turns a struct err into a message and an exit code. */
#ifndef DATA_ERR_H
#define DATA_ERR_H

#include <stdarg.h>

enum rc {
	RC_OK,
	RC_NO,      /* a miss, not interesting, refused: an answer, not a failure */
	RC_INPUT,   /* the user's input or usage is wrong: exit 2 */
	RC_ENV,     /* the environment failed (no space, no permission, missing program): exit 3 */
	RC_STOPPED, /* stopped by a signal */
	RC_BUG,     /* an invariant of ours does not hold */
};

struct err {
	enum rc rc;
	int sys;        /* errno, or 0 */
	long line, col; /* 1-based position in file, 0 when there is none */
	char file[256]; /* what the position refers to; empty when there is none */
	char text[768];
};

#define ERR_INIT                                                                                                       \
	{                                                                                                              \
		.rc = RC_OK                                                                                            \
	}
#define PRINTF_LIKE(f, a) __attribute__((format(printf, f, a)))

/* Each returns rc, so that `return err_set(e, RC_INPUT, "…")` reads well. e may be NULL. */
enum rc err_set(struct err *e, enum rc rc, const char *fmt, ...) PRINTF_LIKE(3, 4);
enum rc err_at(struct err *e, enum rc rc, const char *file, long line, long col, const char *fmt, ...)
	PRINTF_LIKE(6, 7);
/* Appends ": " and the text of errno value sys. */
enum rc err_sys(struct err *e, enum rc rc, int sys, const char *fmt, ...) PRINTF_LIKE(4, 5);

/* "FILE:LINE:COL: text" or "text", control bytes escaped, for printing after "refrain: ". */
const char *err_message(const struct err *e, char *out, unsigned long size);

void err_clear(struct err *e);

#endif
