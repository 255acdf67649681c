/* SPDX-License-Identifier: MIT */
/* Canonical renaming by rebuilding the query's terms in a DAG of its own. Renaming is a bijection of the variables, so
 * distinct conjuncts stay distinct and keep their places. */
#include "smt/term/canon.h"

#include <stdio.h>
#include <string.h>

void canon_init(struct canon *c)
{
	memset(c, 0, sizeof *c);
	dag_init(&c->dag);
}

void canon_release(struct canon *c)
{
	dag_release(&c->dag);
	query_release(&c->query);
	vec_release_all(&c->to, &c->root, &c->labels, &c->args);
}

static uint32_t copy_label(struct canon *c, const struct query *q, uint32_t label)
{
	if (!label || c->labels.at[label])
		return c->labels.at[label];
	const struct label *l = &q->t.label[label];
	uint32_t to;
	if (l->kind == LABEL_SORT && l->elem) {
		uint32_t index = copy_label(c, q, l->index);
		to = dag_sort_array(&c->dag, index, copy_label(c, q, l->elem));
	} else if (l->kind == LABEL_SORT && l->width) {
		to = dag_sort_bv(&c->dag, l->width);
	} else {
		to = dag_label(&c->dag, l->kind, l->text, l->len, l->meaning, l->meaning_len);
	}
	return c->labels.at[label] = to;
}

static uint32_t copy_term(struct canon *c, const struct query *q, const struct term *t)
{
	switch (t->kind) {
	case TERM_BOUND:
		return dag_bound(&c->dag, t->label);
	case TERM_VALUE:
		return dag_value(&c->dag, copy_label(c, q, t->label));
	case TERM_BINDER:
		return dag_binder(&c->dag, copy_label(c, q, t->label), t->sort, c->to.at[q->t.arg[t->args]]);
	default:
		vec_clear(&c->args);
		for (uint32_t i = 0; i < t->n_args; i++)
			vec_push(&c->args, c->to.at[q->t.arg[t->args + i]]);
		return dag_app(&c->dag, copy_label(c, q, t->label), c->args.at, t->n_args);
	}
}

const struct query *canon_query(struct canon *c, const struct query *q)
{
	size_t terms = 0;
	for (size_t i = 0; i < q->conj.n; i++)
		if (q->conj.at[i] >= terms)
			terms = (size_t)q->conj.at[i] + 1;
	dag_clear(&c->dag);
	vec_clear(&c->to);
	vec_reserve(&c->to, terms + 1);
	vec_clear(&c->labels);
	vec_reserve(&c->labels, q->t.n_labels);
	memset(c->labels.at, 0, q->t.n_labels * sizeof *c->labels.at);
	for (size_t i = 0; i < q->var.n; i++) {
		char name[24];
		int n = snprintf(name, sizeof name, "!%zu", i);
		uint32_t label = dag_label(&c->dag, LABEL_VAR, name, (size_t)n, "", 0);
		c->to.at[q->var.at[i]] = dag_var(&c->dag, label, copy_label(c, q, q->t.term[q->var.at[i]].sort));
	}
	for (size_t i = 0; i < terms; i++)
		if (q->seen.at[i] && q->t.term[i].kind != TERM_VAR)
			c->to.at[i] = copy_term(c, q, &q->t.term[i]);
	vec_clear(&c->root);
	for (size_t i = 0; i < q->conj.n; i++)
		vec_push(&c->root, c->to.at[q->conj.at[i]]);
	query_set(&c->query, &c->dag, c->root.at, c->root.n, q->context, q->context_len);
	return &c->query;
}
