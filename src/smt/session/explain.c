/* SPDX-License-Identifier: MIT */
/* Why an answer was reused, in words; and the query that --verify found answered in two ways. */
#include "smt/session/internal.h"

#include <string.h>

/* What the query's atom is called. */
static void atom_text(struct smt_session *s, const struct query *q, uint32_t atom)
{
	if (print_term(&s->printer, &s->messages, &q->t, q->atom.at[atom]) != RC_OK)
		buf_str_add(&s->messages, "?");
}

void explain_core(struct smt_session *s, const struct cache_hit *hit)
{
	const struct core *c = hit->core;
	struct buf *m = &s->messages;
	buf_printf(m, "%s: query %llu is unsat by a core of %u clause%s from %s, used %llu time%s\n", s->script.name,
		   (unsigned long long)s->stats.queries + 1, c->n_clauses, c->n_clauses == 1 ? "" : "s", c->origin,
		   (unsigned long long)c->uses, c->uses == 1 ? "" : "s");
	for (uint32_t i = 0; i < c->n_clauses; i++) {
		buf_str_add(m, "  clause ");
		if (print_term(&s->printer, m, &c->t, c->clause[i].term) != RC_OK)
			buf_str_add(m, "…");
		buf_char(m, '\n');
	}
	for (uint32_t i = 0; i < c->n_vars; i++) {
		const struct label *l = &c->t.label[c->t.term[c->var[i]].label];
		buf_str_add(m, "  with ");
		print_symbol(m, l->text, l->len);
		buf_str_add(m, " := ");
		atom_text(s, hit->query, hit->value[i] - 1);
		buf_char(m, '\n');
	}
}

void explain_model(struct smt_session *s, const char *origin, bool confirmed)
{
	const struct query *q = &s->script.reader.query;
	struct eval *ev = models_eval(s->learnt.models);
	struct buf *m = &s->messages;
	buf_printf(m, "%s: query %llu is sat by the model of %s, %s\n", s->script.name,
		   (unsigned long long)s->stats.queries + 1, origin ? origin : "?",
		   confirmed ? "whose values the solver has tried" : "evaluated on every conjunct");
	if (confirmed)
		return;
	for (size_t i = 0; i < q->var.n; i++) {
		const struct term *x = &q->t.term[q->var.at[i]];
		struct value v;
		if (eval_term(ev, q->var.at[i], &v) != RC_OK)
			continue;
		buf_str_add(m, "  with ");
		print_symbol(m, q->t.label[x->label].text, q->t.label[x->label].len);
		buf_str_add(m, " := ");
		if (!eval_print(m, &v, &q->t, x->sort))
			buf_str_add(m, "an element of its sort");
		buf_char(m, '\n');
	}
}

void explain_stage(struct smt_session *s, const struct decide_answer *a)
{
	struct buf *m = &s->messages;
	const char *name = decide_stage_name(a->stage);
	if (a->sat) {
		explain_model(s, name, false);
		return;
	}
	buf_printf(m, "%s: query %llu is unsat by stage %s\n", s->script.name, (unsigned long long)s->stats.queries + 1,
		   name);
	for (size_t i = 0; i < a->n_core; i++) {
		const struct query *q = &s->script.reader.query;
		buf_str_add(m, "  conjunct ");
		if (print_term(&s->printer, m, &q->t, q->conj.at[a->core[i]]) != RC_OK)
			buf_str_add(m, "…");
		buf_char(m, '\n');
	}
}

void explain_whole(struct smt_session *s)
{
	buf_printf(&s->messages, "%s: query %llu is unsat: the solver has said so of the same query before\n",
		   s->script.name, (unsigned long long)s->stats.queries + 1);
}

enum rc explain_difference(struct smt_session *s, const struct command *c, enum verdict reused, enum verdict asked,
			   struct err *e)
{
	struct buf b = {0};
	const char *path = s->o.reproducer ? s->o.reproducer : "refrain-smt-difference.smt2";
	buf_printf(&b, "; %s, query %llu: the cache answered %s, the solver %s\n", s->script.name,
		   (unsigned long long)s->stats.queries + 1, verdict_text(reused), verdict_text(asked));
	mirror_question(s, c, false, &b);
	buf_str_add(&b, "(check-sat)\n");
	enum rc rc = buf_write_file(&b, path, 0666, e);
	buf_release(&b);
	if (rc != RC_OK)
		return rc;
	return err_set(e, RC_BUG, "%s: query %llu: the cache answered %s, the solver %s; the query is in %s",
		       s->script.name, (unsigned long long)s->stats.queries + 1, verdict_text(reused),
		       verdict_text(asked), path);
}
