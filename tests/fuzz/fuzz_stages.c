/* SPDX-License-Identifier: MIT */
/* A stream of SMT-LIB scripts, each ended by (check-sat), through the stages in front of the solver, with every proof
 * replayed: no crash, a model holds under the evaluator of SMT-LIB terms, and a query of few bits that is said to be
 * unsat has no model. */
#include "smt/decide/decide.h"
#include "smt/term/sortcheck.h"

#include "../unit/smt_load.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Scalars up to this many bits in all are tried out. */
enum { FEW_BITS = 12 };

static bool holds(const struct query *q, struct eval *e)
{
	for (size_t i = 0; i < q->conj.n; i++) {
		struct value v;
		if (eval_term(e, q->conj.at[i], &v) != RC_OK)
			return true; /* not a matter of the stages */
		if (!v.u)
			return false;
	}
	return true;
}

static void check_model(struct decide *d, const struct query *q)
{
	struct eval e = {0};
	eval_begin(&e, &q->t, q->n_terms);
	for (size_t i = 0; i < q->var.n; i++) {
		struct value v;
		if (!decide_value(d, q, q->var.at[i], &e.mem, &v))
			abort();
		eval_set(&e, q->var.at[i], v);
	}
	if (!holds(q, &e))
		abort();
	eval_release(&e);
}

/* The bits of all variables; 0: too many, or not scalars. */
static unsigned bits_of(const struct query *q)
{
	unsigned bits = 0;
	for (size_t i = 0; i < q->var.n && bits <= FEW_BITS; i++) {
		const struct label *sort = &q->t.label[q->t.term[q->var.at[i]].sort];
		bits += sort->width ? sort->width : sort->elem ? FEW_BITS + 1 : 1;
	}
	return bits <= FEW_BITS ? bits : 0;
}

static void check_unsat(const struct query *q)
{
	struct eval e = {0};
	unsigned bits = bits_of(q);
	for (uint64_t all = 0; bits && all < (uint64_t)1 << bits; all++) {
		unsigned at = 0;
		eval_begin(&e, &q->t, q->n_terms);
		for (size_t i = 0; i < q->var.n; i++) {
			uint32_t width = q->t.label[q->t.term[q->var.at[i]].sort].width;
			struct value v = {.type = width ? VALUE_BITS : VALUE_BOOL, .width = width};
			v.u = all >> at & (((uint64_t)1 << (width ? width : 1)) - 1);
			at += width ? width : 1;
			eval_set(&e, q->var.at[i], v);
		}
		if (holds(q, &e))
			abort();
	}
	eval_release(&e);
}

static void ask(struct decide *d, const struct query *q)
{
	struct decide_answer a;
	struct err e = ERR_INIT;
	enum rc rc = decide_look(d, q, &a);
	if (rc == RC_NO)
		rc = decide_solve(d, &a, &e);
	if (rc == RC_BUG)
		abort();
	if (rc == RC_OK && a.sat)
		check_model(d, q);
	else if (rc == RC_OK)
		check_unsat(q);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct decide_options o = {0, 1 << 20, true};
	struct sexpr_split sp = {.line = 1, .col = 1};
	struct sortcheck sorts = {0};
	struct reader r;
	const char *text = (const char *)data;
	if (size > 20000)
		return 0;
	struct decide *d = decide_new(&o);
	reader_init(&r);
	r.dag.budget = 20000;
	while (sexpr_split_next(&sp, text, size, true) == SEXPR_FOUND) {
		if (sexpr_parse(&r.x, text + sp.start, sp.at - sp.start, 1, 1, NULL) != RC_OK)
			continue;
		size_t before = r.assertion.n;
		if (r.x.n > 1 && sexpr_is_symbol(&r.x, 1, "check-sat")) {
			reader_query(&r);
			ask(d, &r.query);
			reader_clear(&r);
			sortcheck_cut(&sorts, 0);
			r.dag.budget = 20000;
		} else if (reader_command(&r) == RC_OK && r.assertion.n > before &&
			   !sortcheck_assertion(&sorts, &r.dag, vec_last(&r.assertion), false)) {
			r.assertion.n = before;
		}
	}
	decide_check(d);
	decide_free(d);
	sortcheck_release(&sorts);
	reader_release(&r);
	return 0;
}
