/* SPDX-License-Identifier: MIT */
/* The operators of the theories that are followed: one table of their names, their codes and what arguments they take.
 *
 * Solvers differ in what they accept beyond SMT-LIB, so that there are two counts of arguments: what some solver takes
 * (sortcheck.h) and what every solver takes (exact.h). To add an operator is to add a row. */
#ifndef SMT_TERM_SIGNATURE_H
#define SMT_TERM_SIGNATURE_H

#include "smt/term/dag.h"
#include "smt/term/ops.h"

enum sort_rule {
	R_BOOL, /* booleans to a boolean */
	R_SAME, /* equal sorts to a boolean */
	R_ITE,
	R_BV,      /* equal widths to that width */
	R_BV_TEST, /* equal widths to a boolean */
	R_BV_COMP,
	R_CONCAT,
	R_SELECT,
	R_STORE,
	R_ARITH, /* numbers to a number */
	R_TIMES,
	R_ARITH_TEST,
	R_FREE, /* known to be an operator, not followed */
};

struct signature {
	const char *name;
	uint8_t length;
	uint16_t code; /* OP_NONE: it has no value here */
	uint8_t rule;
	uint8_t some_min, some_max; /* arguments that some solver takes; max 0: any number */
	uint8_t all_min, all_max;   /* that every solver takes; min 0: not certain */
};

/* NULL: there is none of that name. */
const struct signature *signature_find(const char *name, size_t n);

/* Signatures by label of a dag, each looked up once; all bits zero is empty. */
struct signatures {
	VEC_FIELDS(uint8_t); /* 1 + the row in the table, or one past its end; 0: not looked up */
};
const struct signature *signatures_of(struct signatures *s, const struct dag *d, uint32_t label);

/* An application: the sorts of all terms (1 + label), and its arguments. */
struct sort_args {
	const uint32_t *sort;
	const uint32_t *arg;
	uint32_t n;
};

static inline uint32_t sort_at(const struct sort_args *a, uint32_t i)
{
	return a->sort[a->arg[i]];
}

#endif
