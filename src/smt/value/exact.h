/* SPDX-License-Identifier: MIT */
/* Will every solver accept this term without output? Only then may a command be kept back from the solver: what it
 * would print about any other has to be printed.
 *
 * The rules are narrower than those of the sort checker: the sort of each term is worked out, from arguments whose
 * sorts are, with no conversion between integers and reals and within the theories of the script's logic. What is
 * outside of them (floating point, strings, quantifiers, datatypes) may well be accepted; it is not certain. */
#ifndef SMT_TERM_EXACT_H
#define SMT_TERM_EXACT_H

#include "smt/sexpr.h"
#include "smt/term/signature.h"

enum {
	THEORY_BV = 1,
	THEORY_ARRAYS_BV = 2, /* from bit-vectors to bit-vectors only */
	THEORY_ARRAYS = 4,
	THEORY_UF = 8,
	THEORY_INT = 16,
	THEORY_REAL = 32,
	THEORY_NONLINEAR = 64,
	THEORY_ALL = 127,
};

/* The theories of a logic that solvers take without a word; false: it is not such a logic. */
bool exact_logic(const char *name, size_t n, unsigned *theories);

struct exact {
	VEC(uint32_t) sort; /* per term: 1 + label of its sort; 0: not certain */
	struct signatures known;
	VEC(uint32_t) declared; /* labels of sorts */
	unsigned theories;
};

void exact_release(struct exact *c);
/* The dag has been cut back or cleared; so have the declared sorts. */
void exact_cut(struct exact *c, size_t terms, size_t declared);
/* 1 + the label of the term's sort; 0: not certain. */
uint32_t exact_sort(struct exact *c, struct dag *d, uint32_t term);
/* Is it a sort of the theories or one that the script has declared? */
bool exact_known_sort(const struct exact *c, const struct dag *d, uint32_t sort);
/* The script declares it; false: that is not certain to be accepted. */
bool exact_declare_sort(struct exact *c, const struct dag *d, uint32_t sort);
/* A theory has something of this name, or may have. */
bool exact_reserved(const char *name, size_t n);

#endif
