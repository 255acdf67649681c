/* SPDX-License-Identifier: MIT */
/* A query: the conjuncts of everything asserted, in an order, without duplicates; with what the caches ask about it. */
#ifndef SMT_TERM_QUERY_H
#define SMT_TERM_QUERY_H

#include "smt/term/dag.h"

struct query_group {
	uint64_t key;
	uint32_t first; /* conjunct; chained by next */
};

/* Conjuncts by key: an open hash. */
struct query_index {
	VEC(struct query_group) cell; /* first TERM_NONE: free */
	VEC(uint32_t) next;
	size_t mask;
};

struct query {
	struct terms t;
	VEC(uint32_t) flat;   /* every conjunct met, with duplicates and `true`, in the order of the text */
	VEC(uint32_t) conj;   /* the distinct ones without `true` */
	VEC(uint32_t) var;    /* variables in order of first appearance */
	VEC(uint32_t) atom;   /* variables, and reads of array variables at constants */
	VEC(uint32_t) number; /* per term: 1 + its place in atom, 0: none or not in the query */
	VEC(uint8_t) seen;    /* per term: is in the query */
	VEC(uint32_t) todo;
	const char *context; /* the caller's */
	size_t context_len;
	uint64_t context_hash;
	bool quantified;
	size_t n_terms; /* of the DAG when the query was taken */
};

void query_release(struct query *q);

/* Takes the conjunction of the n roots. Conjunctions are flattened through every level. */
void query_set(struct query *q, const struct dag *d, const uint32_t *roots, size_t n, const char *context,
	       size_t context_len);

enum query_key { KEY_NAMED, KEY_SHAPE, KEY_SCALAR };
/* The key under which a clause is found: its hash of that kind, in this context. */
static inline uint64_t query_key(uint64_t context_hash, enum query_key kind, uint64_t hash)
{
	return mix64_pair(context_hash + kind, hash);
}
static inline uint64_t query_term_hash(const struct term *t, enum query_key kind)
{
	return kind == KEY_NAMED ? t->named : kind == KEY_SHAPE ? t->shape : t->scalar;
}

/* Adds the conjuncts' keys of these kinds (bit 1 << kind) to an emptied index. */
void query_index_build(struct query_index *x, const struct query *q, unsigned kinds);
/* The first conjunct with that key or TERM_NONE; the others follow through x->next. Entries are 3·conjunct + kind. */
uint32_t query_index_find(const struct query_index *x, uint64_t key);
void query_index_release(struct query_index *x);

/* The same for permuted duplicates with the same names. */
uint64_t query_exact_key(const struct query *q);
/* The same for queries that differ only in variable names; scratch is grown as needed. */
struct u64s {
	VEC_FIELDS(uint64_t);
};
uint64_t query_renamed_key(const struct query *q, struct u64s *scratch);

#endif
