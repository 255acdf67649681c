/* SPDX-License-Identifier: MIT */
/* Does some substitution turn a core into a subset of a query?
 *
 * Per clause pair: a substitution, found by walking both terms side by side; a core term has one image under a
 * substitution, so remembering it makes the walk linear in the core's DAG. Per core clause: a table of the
 * substitutions that make it a clause of the query. Over the tables: a join. The paper's three optimisations can be
 * switched off: O1 tries only query clauses with the same hash, O2 drops rows with a value that another table does not
 * offer, O3 walks the join instead of storing it. Every walk and join spends steps of a budget. */
#ifndef SMT_CACHE_MATCH_H
#define SMT_CACHE_MATCH_H

#include "smt/cache/core.h"

enum {
	MATCH_O1 = 1,
	MATCH_O2 = 2,
	MATCH_O3 = 4,
	MATCH_ALL = 7,
	MATCH_NAMES = 8,   /* variables only match variables of the same name */
	MATCH_SCALAR = 16, /* a variable may match a constant read of its sort */
};

struct match_table {
	uint32_t clause, width;
	size_t rows;
	size_t data; /* first value in match.data */
	bool done;   /* joined */
};

struct match {
	unsigned flags;
	uint64_t steps, max_steps; /* max_steps 0: no limit */
	size_t max_bytes;          /* of the tables of one test; 0: no limit */
	bool gave_up;              /* the budget ended a test without an answer */
	size_t peak_bytes;         /* most that the tables ever took */
	/* scratch */
	VEC(uint32_t) image; /* per core term: 1 + query term; 0: none yet */
	VEC(uint32_t) touched;
	VEC(uint64_t) todo;
	VEC(struct match_table) table;
	VEC(uint32_t) data, rows_a, rows_b;
	VEC(uint64_t) domain; /* per variable: the query's atoms it may be */
	VEC(uint32_t) value;  /* per variable: 1 + atom; the answer of match_core */
	VEC(uint32_t) order;
	VEC(uint64_t) cursor;
};

void match_release(struct match *m);

/* RC_OK: σ(core) ⊆ query, with m->value[v] = 1 + the place in q->atom of what variable v stands for. RC_NO: there
 * is no such substitution, or the budget ended (gave_up). index has the query's keys of the kinds the core uses. */
enum rc match_core(struct match *m, const struct core *c, const struct query *q, const struct query_index *index);

#endif
