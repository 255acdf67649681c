/* SPDX-License-Identifier: MIT */
/* Is a term one that a solver would accept? An assertion that solvers refuse is answered with an error and does not
 * count; one that might be refused must therefore reach the solver, not the cache.
 *
 * Sorts are worked out for booleans, bit-vectors, arrays, arithmetic and declared functions. What is outside (floating
 * point, strings, terms with bound variables) has no known sort and is taken as well-formed; a symbol that is neither
 * declared nor of a theory is not. */
#ifndef SMT_TERM_SORTCHECK_H
#define SMT_TERM_SORTCHECK_H

#include "smt/term/signature.h"

struct sortcheck {
	VEC(uint32_t) sort; /* per term: 1 + label of its sort; 0: not known; UINT32_MAX: ill-formed */
	struct signatures known;
};

void sortcheck_release(struct sortcheck *c);
/* The dag has been cut back or cleared. */
void sortcheck_cut(struct sortcheck *c, size_t terms);
/* Looks at the terms made since the last call; true when root is Bool as far as known. own_symbols: the script declares
 * symbols (datatypes, recursive functions) that are not known here. */
bool sortcheck_assertion(struct sortcheck *c, struct dag *d, uint32_t root, bool own_symbols);

#endif
