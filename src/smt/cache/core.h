/* SPDX-License-Identifier: MIT */
/* An unsatisfiable set of clauses, copied out of a query into one block of memory.
 *
 * In scalar form every array that the clauses use only in reads (select A c) at constants c is gone: each such read
 * has become a variable of its own. The cells of an array are independent of one another, so the scalar form is
 * unsatisfiable whenever the original is; the solver proves it again by itself before the core's first use, in the
 * form that is matched. */
#ifndef SMT_CACHE_CORE_H
#define SMT_CACHE_CORE_H

#include "smt/term/print.h"
#include "smt/term/query.h"

enum { BLOOM_WORDS = 16 }; /* 1024 bits */

struct core_clause {
	uint64_t key; /* as the queries' index has it */
	uint32_t term;
	uint32_t vars; /* first of its variables in core->vars */
	uint32_t n_vars;
	uint8_t kind; /* enum query_key of key */
};

struct core {
	struct terms t;
	uint32_t n_terms, n_clauses, n_vars;
	const struct core_clause *clause;
	const uint32_t *vars;  /* per clause: its variables, as places in var */
	const uint32_t *var;   /* every variable: terms, in order of appearance */
	const uint32_t *place; /* per term: 1 + its place in var, or 0 */
	const char *context;
	size_t context_len;
	uint64_t bloom[BLOOM_WORDS];
	size_t bytes;          /* of the whole block */
	uint32_t index_clause; /* the clause it is filed under */
	/* bookkeeping of the cache */
	uint64_t uses, last_use;
	uint64_t number; /* counted from 1 in the order of arrival */
	char *origin;    /* where it came from, owned */
	double seconds;  /* what the solver took for the answer it came from; 0: not known */
	bool proved;     /* the solver has said unsat to exactly these clauses */
	bool refused;    /* the solver did not confirm it: never used */
};

enum {
	CORE_SCALAR = 1, /* scalar form */
	CORE_NAMES = 2,  /* clauses are filed by their named hash */
};

/* Copies n ≥ 1 clauses of q (places in q->conj). */
struct core *core_new(const struct query *q, const uint32_t *conj, size_t n, unsigned flags, const char *origin);
void core_free(struct core *c);
/* Appends the whole core as a script: context, declarations, one assert per clause, named rf!c0, rf!c1 … if
 * `named`, no check-sat. */
enum rc core_print(const struct core *c, struct printer *p, struct buf *out, bool named);

/* Clause keys are those of their terms and all in the Bloom filter; var and place are each other's inverse. */
void core_check(const struct core *c);

void bloom_add(uint64_t *bloom, uint64_t key);
/* Every bit of a is in b. */
bool bloom_inside(const uint64_t *a, const uint64_t *b);

#endif
