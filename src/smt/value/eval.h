/* SPDX-License-Identifier: MIT */
/* Evaluates terms under values of their variables and functions. What is outside booleans, bit-vectors, numbers,
 * elements of declared sorts and arrays of these has no value. */
#ifndef SMT_TERM_EVAL_H
#define SMT_TERM_EVAL_H

#include "smt/term/dag.h"
#include "smt/value/value.h"

/* The values of a declared function. */
struct eval_function {
	uint32_t label;
	struct value otherwise; /* where there is no point; VALUE_NONE: the zero of its sort */
};

struct eval_point {
	uint64_t hash;
	uint32_t label, args; /* where they start */
	struct value value;
};

/* Off: functions have no values. Points are found by a hash of label and arguments. */
struct eval_functions {
	bool on;
	VEC(struct eval_function) function;
	VEC(struct eval_point) point;
	VEC(struct value) arg;
	struct table index;
};

struct eval {
	struct terms t;
	struct arena mem;
	VEC(struct value) value; /* per term; VALUE_NONE: not yet */
	VEC(struct value_op) op; /* per label; code UINT16_MAX: not looked up yet */
	VEC(uint64_t) frame;
	VEC(struct value) args;
	struct eval_functions functions;
	/* a fraction has no value: z3 takes a real for an integer by rounding it, where the script need not say so */
	bool whole;
	bool elements; /* "(as @…": what cvc5 calls elements of declared sorts in models */
};

void eval_release(struct eval *e);
/* Forgets all values, of functions too; n_terms and t->n_labels say how large t is. */
void eval_begin(struct eval *e, const struct terms *t, size_t n_terms);
/* There are more terms or labels now, or they have moved; the values stay. */
void eval_grow(struct eval *e, const struct terms *t, size_t n_terms);
void eval_set(struct eval *e, uint32_t var, struct value v);
bool eval_has(const struct eval *e, uint32_t term);
/* Functions have values from now on. */
void eval_set_function(struct eval *e, uint32_t label, struct value otherwise);
/* The arguments are those of the function's rank; the first value of a point counts. */
void eval_set_point(struct eval *e, uint32_t label, const struct value *args, uint32_t n, struct value v);
/* RC_NO: no value. */
enum rc eval_term(struct eval *e, uint32_t root, struct value *out);
/* Gives values to the marked ones of the first n terms, which must have their arguments among them: faster than one
 * root after the other. RC_NO: one has no value. */
enum rc eval_marked(struct eval *e, const uint8_t *marked, size_t n);

/* The zero of a sort (false, 0…0, the array of zeros), for variables that a model leaves out. False: the sort has
 * none. */
bool eval_zero(struct eval *e, const struct terms *t, uint32_t sort, struct value *out);
/* The value as SMT-LIB writes it, of the sort with that label; false: it cannot be written, and a part of it may have
 * been. */
bool eval_print(struct buf *out, const struct value *v, const struct terms *t, uint32_t sort);

#endif
