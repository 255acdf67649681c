/* SPDX-License-Identifier: MIT */
/* What scripts ask of a model after a sat answer. When there is a model of ours (models.h), every value comes from that
 * one: terms are evaluated under it, constants that the query does not mention are zeros, and what the evaluator has no
 * value for is asked of the solver with all constants held at the values of the model. So answers to several questions
 * are of one model, whoever gives them. */
#include "smt/session/internal.h"

#include <string.h>

/* Gives zeros to the declared constants that the query does not mention. */
static void complete(const struct reader *r, struct eval *ev)
{
	struct terms view = dag_terms(&r->dag);
	eval_grow(ev, &view, r->dag.term.n);
	for (size_t i = 0; i < r->scope.var.n; i++) {
		uint32_t var = r->scope.var.at[i];
		struct value v;
		if (!eval_has(ev, var) && eval_zero(ev, &view, view.term[var].sort, &v))
			eval_set(ev, var, v);
	}
}

/* The evaluator with the last answer's model; NULL: that answer was not sat, or its model is not at hand. anyway: also
 * when something that was not understood has followed it, so that only the solver can say what a term means now. */
static struct eval *find_model(struct smt_session *s, bool anyway)
{
	struct last_check *last = &s->script.last;
	struct models *m = s->learnt.models;
	const char *origin;
	if (!m || s->script.no_models || !last->text.n || last->verdict != VERDICT_SAT)
		return NULL;
	if (s->script.uncacheable && (!anyway || last->other))
		return NULL;
	/* after a plain query the model was kept, but nobody has looked at it yet */
	if (!last->by_model && !s->mirror.checked && last->cacheable && !s->script.uncacheable)
		last->by_model = learn_lookup(s, MODELS_EXACT, &origin) == RC_OK;
	if (!last->by_model)
		return NULL;
	if (!last->model_complete)
		complete(&s->script.reader, models_eval(m));
	last->model_complete = true;
	return models_eval(m);
}

static struct eval *model_at_hand(struct smt_session *s)
{
	return find_model(s, false);
}

/* Prints the term's value; false: it has none that can be written. */
static bool print_value(struct smt_session *s, struct eval *ev, uint32_t t, struct buf *out)
{
	struct dag *d = &s->script.reader.dag;
	struct terms view = dag_terms(d);
	struct value v;
	eval_grow(ev, &view, d->term.n);
	if (eval_term(ev, t, &v) != RC_OK)
		return false;
	uint32_t sort = view.term[t].sort;
	if (v.type == VALUE_NUMBER && view.term[t].kind != TERM_VAR) { /* an integer or a real? */
		uint32_t known = exact_sort(&s->script.exact, d, t);
		if (!known)
			return false;
		sort = known - 1;
		view = dag_terms(d); /* making sorts may move the labels */
	}
	return eval_print(out, &v, &view, sort);
}

/* A term that was asked about: z3 repeats it as it is written, and clients look for that. */
static void print_asked(const struct sexpr *x, uint32_t node, bool written, struct buf *out)
{
	size_t n;
	const char *text = sexpr_written(x, node, &n);
	if (written)
		buf_add(out, text, n);
	else
		scope_node_text(x, node, out);
}

/* (get-value (t…)); false: some term has no value. */
static bool print_values(struct smt_session *s, struct eval *ev, struct buf *out)
{
	struct reader *r = &s->script.reader;
	const struct sexpr *x = &r->x;
	if (x->n < 4 || x->at[2].kind != SEXPR_LIST)
		return false;
	buf_char(out, '(');
	for (uint32_t i = 3; i < x->at[2].next; i = x->at[i].next) {
		uint32_t t;
		if (builder_term(&r->builder, x, i, &t) != RC_OK || r->builder.unused.n)
			return false;
		buf_str_add(out, i == 3 ? "(" : "\n (");
		print_asked(x, i, s->mirror.solver->keeps_options, out);
		buf_char(out, ' ');
		if (!print_value(s, ev, t, out))
			return false;
		buf_char(out, ')');
	}
	buf_str_add(out, ")\n");
	return true;
}

/* Does the model have something that only the solver can write? Functions have no value here, and z3 writes what was
 * given a name (define-fun without parameters, :named), in words of its own. */
static bool has_more(const struct smt_session *s)
{
	const struct scope *scope = &s->script.reader.scope;
	for (size_t i = 0; i < scope->symbol.n; i++) {
		enum decl_kind kind = scope->symbol.at[i].decl;
		if (kind == DECL_FUN || (kind == DECL_TERM && s->mirror.solver->keeps_options))
			return true;
	}
	return false;
}

/* (get-model); false: something has no value. */
static bool print_model(struct smt_session *s, struct eval *ev, struct buf *out)
{
	const struct reader *r = &s->script.reader;
	const struct dag *d = &r->dag;
	if (has_more(s))
		return false;
	buf_str_add(out, "(\n");
	for (size_t i = 0; i < r->scope.var.n; i++) {
		uint32_t t = r->scope.var.at[i];
		const struct term *x = &d->term.at[t];
		const struct label *l = &d->label.at[x->label];
		buf_str_add(out, "  (define-fun ");
		print_symbol(out, l->text, l->len);
		buf_printf(out, " () %s\n    ", d->label.at[x->sort].text);
		if (!print_value(s, ev, t, out))
			return false;
		buf_str_add(out, ")\n");
	}
	buf_str_add(out, ")\n");
	return true;
}

bool values_print(struct smt_session *s, uint32_t term, struct buf *out)
{
	struct eval *ev = model_at_hand(s);
	return ev && print_value(s, ev, term, out);
}

/* The sort of a variable or of a declared function's value, as text. */
static const char *sort_text(const struct terms *t, uint32_t term)
{
	const struct term *x = &t->term[term];
	const struct label *l = &t->label[x->label];
	if (x->kind == TERM_VAR)
		return t->label[x->sort].text;
	const char *sort = l->meaning;
	for (const char *p = sort, *end = l->meaning + l->meaning_len; p < end; p += strlen(p) + 1)
		sort = p;
	return sort;
}

/* The first term met for each element of a declared sort. */
struct element {
	uint64_t u;
	const char *sort;
	uint32_t term;
	bool said; /* in a distinct */
};

/* Elements cannot be written: those of one sort are held equal to one term of the query each, and these different. */
struct elements {
	VEC_FIELDS(struct element);
};

/* What is to be held, as text. */
struct hold {
	struct printer *printer;
	struct terms t;
	struct buf *text;
	struct elements known;
};

static bool hold_element(struct hold *h, uint32_t term, uint64_t u)
{
	const char *sort = sort_text(&h->t, term);
	for (size_t i = 0; i < h->known.n; i++)
		if (h->known.at[i].u == u && !strcmp(h->known.at[i].sort, sort)) {
			buf_str_add(h->text, "(assert (= ");
			bool ok = print_term(h->printer, h->text, &h->t, term) == RC_OK;
			buf_char(h->text, ' ');
			ok = ok && print_term(h->printer, h->text, &h->t, h->known.at[i].term) == RC_OK;
			buf_str_add(h->text, "))\n");
			return ok;
		}
	vec_push(&h->known, ((struct element){u, sort, term, false}));
	return true;
}

static bool hold_distinct(struct hold *h)
{
	struct elements *known = &h->known;
	bool ok = true;
	for (size_t i = 0; i < known->n && ok; i++) {
		size_t before = h->text->n, others = 0;
		if (known->at[i].said)
			continue;
		buf_str_add(h->text, "(assert (distinct");
		for (size_t k = i; k < known->n && ok; k++) {
			if (strcmp(known->at[k].sort, known->at[i].sort))
				continue;
			known->at[k].said = true;
			others += k > i;
			buf_char(h->text, ' ');
			ok = print_term(h->printer, h->text, &h->t, known->at[k].term) == RC_OK;
		}
		buf_str_add(h->text, "))\n");
		if (!others)
			h->text->n = before;
	}
	return ok;
}

static bool hold_call(struct hold *h, uint32_t term, const struct value *v)
{
	const char *text = sort_text(&h->t, term);
	uint32_t sort = 1;
	while (sort < h->t.n_labels && (h->t.label[sort].kind != LABEL_SORT || strcmp(h->t.label[sort].text, text)))
		sort++;
	buf_str_add(h->text, "(assert (= ");
	bool ok = sort < h->t.n_labels && print_term(h->printer, h->text, &h->t, term) == RC_OK;
	buf_char(h->text, ' ');
	ok = ok && eval_print(h->text, v, &h->t, sort);
	buf_str_add(h->text, "))\n");
	return ok;
}

/* Larger texts are not worth asking with. */
enum { HOLD_BYTES = 1 << 20 };

/* The values of functions wherever they have been applied to something, and elements. */
static bool hold_functions(struct smt_session *s, struct eval *ev, struct buf *text)
{
	struct dag *d = &s->script.reader.dag;
	struct hold h = {.printer = &s->printer, .t = dag_terms(d), .text = text};
	bool ok = true;
	for (uint32_t i = 0; i < ev->value.n && i < d->term.n && ok; i++) {
		const struct term *x = &h.t.term[i];
		bool called = x->kind == TERM_APP && h.t.label[x->label].kind == LABEL_FUN;
		if ((!called && x->kind != TERM_VAR) || !eval_has(ev, i))
			continue;
		struct value v = ev->value.at[i];
		if (v.type == VALUE_ELEMENT)
			ok = hold_element(&h, i, v.u);
		else if (called)
			ok = hold_call(&h, i, &v);
		ok = ok && text->n < HOLD_BYTES;
	}
	ok = ok && hold_distinct(&h);
	vec_release(&h.known);
	return ok;
}

void values_hold(struct smt_session *s, struct buf *text)
{
	const struct reader *r = &s->script.reader;
	struct eval *ev = find_model(s, true);
	if (!ev)
		return;
	for (size_t i = 0; i < r->scope.var.n; i++) {
		uint32_t t = r->scope.var.at[i];
		const struct label *l = &r->dag.label.at[r->dag.term.at[t].label];
		size_t before = text->n;
		buf_str_add(text, "(assert (= ");
		print_symbol(text, l->text, l->len);
		buf_char(text, ' ');
		if (print_value(s, ev, t, text))
			buf_str_add(text, "))\n");
		else
			text->n = before;
	}
	size_t before = text->n;
	if (s->script.last.cacheable && ev->functions.on && !hold_functions(s, ev, text))
		text->n = before;
}

/* Puts the solver on a level on which every constant has the value of the model. It stays there until the stack or the
 * model changes, because it may answer differently about a model that it was asked about before. RC_NO: it does not
 * agree that this is a model, or is gone. */
static enum rc hold_values(struct smt_session *s, struct err *e)
{
	struct buf text = {0}, got = {0};
	if (s->mirror.held)
		return RC_OK;
	enum rc rc = mirror_sync(s, e);
	if (rc == RC_OK && !s->script.last.text.n)
		rc = RC_NO; /* an assertion was taken meanwhile */
	if (rc != RC_OK)
		return rc;
	buf_str_add(&text, "(push 1)\n");
	values_hold(s, &text);
	buf_str_add(&text, "(check-sat)\n");
	s->mirror.solver->calls++;
	rc = mirror_send(s, text.at, text.n, &got, e);
	s->mirror.held = rc == RC_OK;
	s->mirror.checked = false;
	s->mirror.pops += rc == RC_OK;
	if (rc == RC_OK && solver_find_verdict(buf_str(&got), got.n) != VERDICT_SAT) {
		mirror_forget(&s->mirror);
		s->mirror.stale = true;
		rc = RC_NO;
	}
	buf_release(&text);
	buf_release(&got);
	return rc;
}

enum rc values_ask(struct smt_session *s, const struct command *c, struct err *e)
{
	enum rc rc = find_model(s, true) ? hold_values(s, e) : RC_NO;
	if (rc == RC_NO) {
		s->script.last.by_model = false; /* from here on the values are the solver's */
		return commands_ask_state(s, c, e);
	}
	return rc == RC_OK ? solver_gone_is_ok(mirror_pass(s, c, NULL, e)) : rc;
}

static enum rc from_model(struct smt_session *s, const struct command *c,
			  bool (*print)(struct smt_session *s, struct eval *ev, struct buf *out), struct err *e)
{
	enum rc rc = mirror_settle(s, e); /* what is said of earlier commands comes first */
	if (rc != RC_OK)
		return rc;
	struct eval *ev = model_at_hand(s);
	struct buf b = {0};
	bool ok = ev && print(s, ev, &b);
	if (ok)
		buf_add(&s->out, b.at, b.n);
	buf_release(&b);
	return ok ? RC_OK : values_ask(s, c, e);
}

/* Is the value of a function asked for? How z3 prints that depends on what it was asked before and on how. */
static bool asks_for_function(struct reader *r)
{
	const struct sexpr *x = &r->x;
	if (x->n < 4 || x->at[2].kind != SEXPR_LIST)
		return false;
	for (uint32_t i = 3; i < x->at[2].next; i = x->at[i].next) {
		if (x->at[i].kind != SEXPR_SYMBOL)
			continue;
		uint32_t y = scope_symbol(&r->scope, x->text + x->at[i].off, x->at[i].len);
		enum decl_kind kind = r->scope.symbol.at[y].decl;
		if (kind == DECL_FUN || kind == DECL_MACRO)
			return true;
	}
	return false;
}

enum rc values_get_value(struct smt_session *s, const struct command *c, struct err *e)
{
	struct last_check *last = &s->script.last;
	if (!last->model_complete && asks_for_function(&s->script.reader)) {
		/* nobody has seen a value yet: they may be the solver's, of a question that is put as it stands */
		last->by_model = false;
		s->mirror.checked &= !s->answer.model.n;
		return commands_ask_state(s, c, e);
	}
	return from_model(s, c, print_values, e);
}

enum rc values_get_model(struct smt_session *s, const struct command *c, struct err *e)
{
	if (c->x->n != 2) /* for its error, or one of several models */
		return values_ask(s, c, e);
	return from_model(s, c, print_model, e);
}
