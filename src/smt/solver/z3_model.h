/* SPDX-License-Identifier: MIT */
/* The model of a solver of libz3 as (define-fun …) commands. */
#ifndef SMT_SOLVER_Z3_MODEL_H
#define SMT_SOLVER_Z3_MODEL_H

#include "data/buf.h"

#include <z3.h>

/* After a sat answer: appends a line feed and a (define-fun NAME () S VALUE) for each constant. Nothing when the
 * model has more than booleans, bit-vectors and arrays of these. The sorts are not written out: who reads it knows
 * them. */
void z3_model_read(Z3_context c, Z3_solver s, struct buf *out);

#endif
