/* SPDX-License-Identifier: MIT */
/* From our errors to those of the public headers (refrain/refrain.h). */
#ifndef DATA_LIBRARY_H
#define DATA_LIBRARY_H

#include "data/err.h"
#include "refrain/refrain.h"

/* The public form of rc; fills out (may be NULL) from e when rc is a failure, and clears it otherwise. */
rf_status library_status(enum rc rc, const struct err *e, rf_error *out);

#endif
