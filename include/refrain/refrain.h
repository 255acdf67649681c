/* SPDX-License-Identifier: MIT */
/* librefrain: what programs may use of refrain's engines. The version is all that is public so far; the engines'
 * own headers (smt.h, reduce.h, trace.h) join it as their interfaces settle. */
#ifndef REFRAIN_REFRAIN_H
#define REFRAIN_REFRAIN_H

#include <refrain/api.h>

#ifdef __cplusplus
extern "C" {
#endif

/* "MAJOR.MINOR.PATCH" of the library in use. */
RF_API const char *rf_version(void);

#ifdef __cplusplus
}
#endif

#endif
