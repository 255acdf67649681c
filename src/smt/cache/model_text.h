/* SPDX-License-Identifier: MIT */
/* What a solver prints as a model, as values: of constants, and of functions as points and a value everywhere else. */
#ifndef SMT_CACHE_MODEL_TEXT_H
#define SMT_CACHE_MODEL_TEXT_H

#include "smt/term/reader.h"
#include "smt/value/eval.h"

/* Appends the definitions of a solver's answer, whatever list they stand in, and the elements of declared sorts that it
 * names, in one form: sorts are S, because z3 prints those in bars without them. */
void model_text_copy(struct sexpr *x, const char *text, size_t n, struct buf *out);

/* Packs (pack.h) the values that such a text gives to the names (each ended by NUL; VALUE_NONE: none), then those of
 * its functions that are understood. False: the value of a name is not. r and values are scratch. */
bool model_text_pack(struct reader *r, struct eval *values, const struct buf *text, const struct buf *names,
		     struct buf *out);

/* A function in what model_text_pack wrote. */
struct model_function {
	const char *name;
	uint32_t n_params, n_points;
	struct value otherwise;
	const char *points; /* each its arguments and then its value */
};
/* The functions stand behind the names' values, at `at`: how many there are; at moves on. */
uint32_t model_functions(const char **at);
/* The next of them; the place behind its points is found by reading these. */
void model_function_next(struct arena *mem, const char **at, struct model_function *f);

#endif
