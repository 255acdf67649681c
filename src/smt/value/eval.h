/* SPDX-License-Identifier: MIT */
/* Evaluates terms under values of their variables. What is outside booleans, bit-vectors and arrays has no value. */
#ifndef SMT_TERM_EVAL_H
#define SMT_TERM_EVAL_H

#include "smt/term/dag.h"
#include "smt/value/value.h"

struct eval {
	struct terms t;
	struct arena mem;
	VEC(struct value) value; /* per term; VALUE_NONE: not yet */
	VEC(struct value_op) op; /* per label; code UINT16_MAX: not looked up yet */
	VEC(uint64_t) frame;
	VEC(struct value) args;
};

void eval_release(struct eval *e);
/* Forgets all values; n_terms and t->n_labels say how large t is. */
void eval_begin(struct eval *e, const struct terms *t, size_t n_terms);
/* There are more terms or labels now, or they have moved; the values stay. */
void eval_grow(struct eval *e, const struct terms *t, size_t n_terms);
void eval_set(struct eval *e, uint32_t var, struct value v);
bool eval_has(const struct eval *e, uint32_t term);
/* RC_NO: no value. */
enum rc eval_term(struct eval *e, uint32_t root, struct value *out);
/* Gives values to the marked ones of the first n terms, which must have their arguments among them: faster than one
 * root after the other. RC_NO: one has no value. */
enum rc eval_marked(struct eval *e, const uint8_t *marked, size_t n);

/* The zero of a sort (false, 0…0, the array of zeros), for variables that a model leaves out. False: the sort has
 * none. */
bool eval_zero(struct eval *e, const struct terms *t, uint32_t sort, struct value *out);
/* The value as SMT-LIB writes it; arrays need their sort's label. */
void eval_print(struct buf *out, const struct value *v, const char *sort);

#endif
