/* SPDX-License-Identifier: MIT */
/* What scripts ask of a model after a sat answer. When there is a model of ours (models.h), every value comes from that
 * one: terms are evaluated under it, constants that the query does not mention are zeros, and what the evaluator has no
 * value for is asked of the solver with all constants held at the values of the model. So answers to several questions
 * are of one model, whoever gives them. */
#include "smt/session/internal.h"

#include <string.h>

/* Gives zeros to the declared constants that the query does not mention. */
static void complete(struct smt_session *s, struct eval *ev)
{
	struct terms view = dag_terms(&s->dag);
	eval_grow(ev, &view, s->dag.term.n);
	for (size_t i = 0; i < s->scope.var.n; i++) {
		uint32_t var = s->scope.var.at[i];
		struct value v;
		if (!eval_has(ev, var) && eval_zero(ev, &view, view.term[var].sort, &v))
			eval_set(ev, var, v);
	}
}

/* The evaluator with the last answer's model; NULL: that answer was not sat, or its model is not at hand. */
static struct eval *model_at_hand(struct smt_session *s)
{
	const char *origin;
	if (!s->models || s->odd || !s->last_check.n || s->last_verdict != VERDICT_SAT)
		return NULL;
	/* after a plain query the model was kept, but nobody has looked at it yet */
	if (!s->last_by_model && !s->solver_checked && s->last_cacheable)
		s->last_by_model = models_lookup(s->models, &s->query, MODELS_EXACT, &origin) == RC_OK;
	if (!s->last_by_model)
		return NULL;
	if (!s->model_complete)
		complete(s, models_eval(s->models));
	s->model_complete = true;
	return models_eval(s->models);
}

/* Prints the term's value; false: it has none. */
static bool print_value(struct smt_session *s, struct eval *ev, uint32_t t, struct buf *out)
{
	struct terms view = dag_terms(&s->dag);
	struct value v;
	eval_grow(ev, &view, s->dag.term.n);
	if (eval_term(ev, t, &v) != RC_OK)
		return false;
	const struct label *sort = &view.label[view.term[t].sort];
	if (v.type == VALUE_ARRAY && !sort->elem)
		return false;
	eval_print(out, &v, sort->text);
	return true;
}

/* (get-value (t…)); false: some term has no value. */
static bool print_values(struct smt_session *s, struct eval *ev, struct buf *out)
{
	if (s->x.n < 4 || s->x.at[2].kind != SEXPR_LIST)
		return false;
	buf_char(out, '(');
	for (uint32_t i = 3; i < s->x.at[2].next; i = s->x.at[i].next) {
		uint32_t t;
		if (builder_term(&s->builder, &s->x, i, &t) != RC_OK)
			return false;
		buf_str_add(out, i == 3 ? "(" : "\n (");
		scope_node_text(&s->x, i, out);
		buf_char(out, ' ');
		if (!print_value(s, ev, t, out))
			return false;
		buf_char(out, ')');
	}
	buf_str_add(out, ")\n");
	return true;
}

/* (get-model) */
static bool print_model(struct smt_session *s, struct eval *ev, struct buf *out)
{
	buf_str_add(out, "(\n");
	for (size_t i = 0; i < s->scope.var.n; i++) {
		uint32_t t = s->scope.var.at[i];
		const struct term *x = &s->dag.term.at[t];
		const struct label *l = &s->dag.label.at[x->label];
		buf_str_add(out, "  (define-fun ");
		print_symbol(out, l->text, l->len);
		buf_printf(out, " () %s\n    ", s->dag.label.at[x->sort].text);
		if (!print_value(s, ev, t, out))
			return false;
		buf_str_add(out, ")\n");
	}
	buf_str_add(out, ")\n");
	return true;
}

/* The solver on a level of its own where every constant has the value of the model. False: it does not agree that
 * this is a model, or is gone. */
static enum rc hold_values(struct smt_session *s, struct eval *ev, bool *held, struct err *e)
{
	struct buf text = {0}, got = {0};
	bool alive;
	*held = false;
	enum rc rc = smt_session_sync(s, &alive, e);
	if (rc != RC_OK || !alive)
		return rc;
	buf_str_add(&text, "(push 1)\n");
	for (size_t i = 0; i < s->scope.var.n; i++) {
		uint32_t t = s->scope.var.at[i];
		const struct label *l = &s->dag.label.at[s->dag.term.at[t].label];
		size_t before = text.n;
		buf_str_add(&text, "(assert (= ");
		print_symbol(&text, l->text, l->len);
		buf_char(&text, ' ');
		if (print_value(s, ev, t, &text))
			buf_str_add(&text, "))\n");
		else
			text.n = before;
	}
	buf_str_add(&text, "(check-sat)\n");
	s->solver->calls++;
	rc = s->solver->kind->send(s->solver, text.at, text.n, s->o.timeout_s, &got, &alive, e);
	*held = rc == RC_OK && alive && solver_find_verdict(buf_str(&got), got.n) == VERDICT_SAT;
	if (!*held) {
		smt_session_forget_stack(s);
		s->stale = rc == RC_OK && alive;
	}
	buf_release(&text);
	buf_release(&got);
	return rc;
}

static enum rc let_go(struct smt_session *s, struct err *e)
{
	struct buf got = {0};
	bool alive = true;
	enum rc rc = s->solver->kind->send(s->solver, "(pop 1)\n", 8, s->o.timeout_s, &got, &alive, e);
	if (!alive)
		smt_session_forget_stack(s);
	buf_release(&got);
	return rc;
}

enum smt_session_next smt_session_ask_model(struct smt_session *s, const struct command_text *c, struct err *e)
{
	struct eval *ev = model_at_hand(s);
	bool held = false, alive;
	if (ev && hold_values(s, ev, &held, e) != RC_OK)
		return SESSION_FAILED;
	if (!held) {
		s->last_by_model = false; /* from here on the values are the solver's */
		return smt_session_ask_state(s, c, e);
	}
	if (smt_session_pass(s, c->text, c->n, NULL, &alive, e) != RC_OK || (alive && let_go(s, e) != RC_OK))
		return SESSION_FAILED;
	return SESSION_GO;
}

static enum smt_session_next from_model(struct smt_session *s, const struct command_text *c,
					bool (*print)(struct smt_session *s, struct eval *ev, struct buf *out),
					struct err *e)
{
	struct eval *ev = model_at_hand(s);
	struct buf b = {0};
	bool ok = ev && print(s, ev, &b);
	if (ok)
		buf_add(&s->out, b.at, b.n);
	buf_release(&b);
	return ok ? SESSION_GO : smt_session_ask_model(s, c, e);
}

enum smt_session_next smt_session_get_value(struct smt_session *s, const struct command_text *c, struct err *e)
{
	return from_model(s, c, print_values, e);
}

enum smt_session_next smt_session_get_model(struct smt_session *s, const struct command_text *c, struct err *e)
{
	return from_model(s, c, print_model, e);
}
