/* SPDX-License-Identifier: MIT */
/* librefrain: what its headers (reduce.h, smt.h, trace.h) share: the version, and how a call says that it failed.
 *
 * A fallible call returns an rf_status and, when that is neither RF_OK nor RF_NO, has filled the caller's rf_error
 * (NULL is allowed). The library never prints and never exits. Out of memory is the exception: the process is ended. */
#ifndef REFRAIN_REFRAIN_H
#define REFRAIN_REFRAIN_H

#include <refrain/api.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum rf_status {
	RF_OK,
	RF_NO,      /* an answer, not a failure: not interesting, no more, refused */
	RF_INPUT,   /* what the caller gave is wrong */
	RF_ENV,     /* the environment failed: no space, no permission, a missing program */
	RF_STOPPED, /* the caller or a signal stopped it */
	RF_BUG,     /* an error in the library */
} rf_status;

typedef struct rf_error {
	rf_status status;
	int sys;        /* errno, or 0 */
	long line, col; /* 1-based place in the input, 0 when there is none */
	char text[768];
} rf_error;

/* "MAJOR.MINOR.PATCH" of the library in use. */
RF_API const char *rf_version(void);

/* Frees what a call of this library returned for the caller to free. */
RF_API void rf_free(void *p);

#ifdef __cplusplus
}
#endif

#endif
