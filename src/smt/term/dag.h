/* SPDX-License-Identifier: MIT */
/* Terms as a hash-consed DAG: equal terms are one number, and a term's arguments have smaller numbers than it.
 *
 * Each term carries three structural hashes, equal on every machine and in every run:
 *   named   of the whole term;
 *   shape   with variables reduced to their sorts: equal for terms that differ only in variable names;
 *   scalar  as shape, with each read of an array variable at a constant index taken as a variable of the element sort.
 * Binders use de Bruijn indices, so a free variable can never be confused with a bound one. Hashes only locate:
 * whoever acts on an equality compares labels and structure.
 *
 * A struct terms is the read-only view that matcher, printer and evaluator work on; a query's DAG and a core's
 * compact copy both have one. */
#ifndef SMT_TERM_DAG_H
#define SMT_TERM_DAG_H

#include "data/arena.h"
#include "data/buf.h"
#include "data/table.h"
#include "data/vec.h"

#define TERM_NONE UINT32_MAX

enum label_kind {
	LABEL_NONE,
	LABEL_OP,     /* an operator of a theory, with its indices: "bvadd", "(_ extract 7 0)" */
	LABEL_FUN,    /* a declared function; meaning is its rank */
	LABEL_VALUE,  /* "#x00", "12", "true" */
	LABEL_VAR,    /* a declared constant */
	LABEL_BINDER, /* "forall"; meaning is the list of the bound sorts, each followed by a NUL */
	LABEL_SORT,
};

struct label {
	const char *text, *meaning; /* text as SMT-LIB writes it, variables without bars; meaning "" unless said */
	uint32_t len, meaning_len;
	uint64_t hash;
	uint32_t index, elem; /* LABEL_SORT of arrays: labels of their sorts, else 0 */
	uint32_t width;       /* LABEL_SORT of bit-vectors, else 0 */
	uint8_t kind;
};

enum term_kind { TERM_VAR, TERM_BOUND, TERM_VALUE, TERM_APP, TERM_BINDER };

struct term {
	uint64_t named, shape, scalar;
	uint32_t label; /* TERM_BOUND: the de Bruijn index */
	uint32_t sort;  /* TERM_VAR: label of its sort; TERM_BINDER: how many variables it binds; else 0 */
	uint32_t args, n_args;
	uint32_t loose; /* 1 + the largest de Bruijn index that is free in it, 0 when closed */
	uint8_t kind;
	bool read;  /* (select VAR VALUE) */
	bool reads; /* has such a read below or is one */
};

struct terms {
	const struct term *term;
	const uint32_t *arg;
	const struct label *label;
	uint32_t n_labels;
};

static inline const uint32_t *term_args(const struct terms *t, uint32_t i)
{
	return t->arg + t->term[i].args;
}

struct dag {
	VEC(struct term) term;
	VEC(uint32_t) arg;
	VEC(struct label) label;
	struct table term_index, label_index;
	struct arena text;
	uint32_t op_and, op_select, op_true, op_false; /* labels */
	uint32_t sort_bool;
	uint32_t sort_bv[65]; /* labels of the bit-vector sorts up to 64 bits; 0: not met yet */
	uint64_t budget;      /* terms that may still be made; 0: the builder gives up */
};

void dag_init(struct dag *d);
void dag_release(struct dag *d);
/* Empties it and keeps the memory. */
void dag_clear(struct dag *d);
struct terms dag_terms(const struct dag *d);

/* Labels. Texts are copied when new. */
uint32_t dag_label(struct dag *d, enum label_kind kind, const char *text, size_t len, const char *meaning, size_t mlen);
uint32_t dag_sort_bv(struct dag *d, uint32_t width);
uint32_t dag_sort_array(struct dag *d, uint32_t index, uint32_t elem);

/* Terms. */
uint32_t dag_var(struct dag *d, uint32_t label, uint32_t sort);
uint32_t dag_bound(struct dag *d, uint32_t index);
uint32_t dag_value(struct dag *d, uint32_t label);
/* args may point into the dag's own array. */
uint32_t dag_app(struct dag *d, uint32_t label, const uint32_t *args, uint32_t n);
uint32_t dag_binder(struct dag *d, uint32_t label, uint32_t n_bound, uint32_t body);
/* t as it reads `by` binders further in. */
uint32_t dag_shift(struct dag *d, uint32_t t, uint32_t by);

/* Where the dag stands; dag_cut forgets every term made since (labels stay). */
struct dag_mark {
	size_t terms, args;
};
struct dag_mark dag_mark(const struct dag *d);
void dag_cut(struct dag *d, struct dag_mark m);

/* Arguments are smaller than their term, hashes are those of the contents, equal labels and equal terms are one, both
 * indexes have each of them once. */
void dag_check(const struct dag *d);

/* Same kind, text and meaning, whatever tables they are in. */
bool label_equal(const struct label *a, const struct label *b);

#endif
