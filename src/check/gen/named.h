/* SPDX-License-Identifier: MIT */
/* The names in annotations that are not fields: constants, macros, functions. Each is added once. */
#ifndef CHECK_GEN_NAMED_H
#define CHECK_GEN_NAMED_H

#include "check/gen/gen.h"
#include "data/strings.h"

void named_expr(struct strings *out, struct arena *a, const struct expr *x);
void named_type(struct strings *out, struct arena *a, const struct type_expr *t);
void named_regtype(struct strings *out, struct arena *a, const struct regtype *r);
/* The constants and functions that the definition of a type names, and its measures. */
void gen_named(const struct gen *g, const struct instance *in, struct strings *out);

#endif
