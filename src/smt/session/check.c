/* SPDX-License-Identifier: MIT */
/* check-sat: look up (reuse.c), ask, remember (learn.c).
 *
 * A question that stands alone (no push, the first check-sat since a reset, options that change no verdict) is put to
 * the solver as one independent query; others are put on its own stack. */
#include "smt/session/internal.h"

#include "data/clock.h"

#include <string.h>

static void count_verdict(struct smt_session *s, enum verdict v, const char *by)
{
	s->stats.queries++;
	s->stats.sat += v == VERDICT_SAT;
	s->stats.unsat += v == VERDICT_UNSAT;
	s->stats.unknown += v != VERDICT_SAT && v != VERDICT_UNSAT;
	if (!s->o.answers && s->answers.n)
		free(vec_pop(&s->answers).file);
	vec_push(&s->answers,
		 ((struct smt_session_answer){.file = mem_strdup(s->script.name), .verdict = v, .by = by}));
	s->script.last.verdict = v;
}

void check_answer(struct smt_session *s, enum verdict v, const char *by)
{
	buf_printf(&s->out, "%s\n", verdict_text(v));
	count_verdict(s, v, by);
}

/* (check-sat) or (check-sat-assuming (TERM…)). */
static bool well_formed(const struct command *c)
{
	const struct sexpr *x = c->x;
	return c->assuming ? x->n > 2 && x->at[2].kind == SEXPR_LIST && x->at[2].next == x->n : x->n == 2;
}

/* The conjunction of assertions and assumptions, as a query. False: not understood. */
static bool make_query(struct smt_session *s, const struct command *c)
{
	struct script *p = &s->script;
	struct reader *r = &p->reader;
	const struct sexpr *x = c->x;
	size_t before = r->assertion.n;
	bool ok = p->built.on || well_formed(c);
	for (uint32_t i = 3; c->assuming && ok && i < x->at[2].next; i = x->at[i].next) {
		uint32_t t;
		ok = builder_term(&r->builder, x, i, &t) == RC_OK &&
		     sortcheck_assertion(&p->sorts, &r->dag, t, p->own_symbols) && certain_term(s, t) &&
		     !r->builder.names.n;
		if (ok)
			vec_push(&r->assertion, t);
	}
	if (ok)
		reader_query(r);
	r->assertion.n = before;
	return ok;
}

/* Is the model of a sat answer to the current query of use? */
static bool wants_model(const struct smt_session *s, bool cacheable)
{
	return cacheable && s->learnt.models && !s->script.reader.query.quantified && !s->mirror.no_models &&
	       side_allow(s, &s->side.models, 0);
}

/* Is the current query one of bit-vectors and arrays of them, and of nothing else? */
static bool bits_only(struct smt_session *s)
{
	struct script *p = &s->script;
	const struct query *q = &p->reader.query;
	struct dag *d = &p->reader.dag;
	for (size_t i = 0; i < q->var.n; i++) {
		const struct label *l = &d->label.at[d->term.at[q->var.at[i]].sort];
		bool bits = l->width || (l->elem && d->label.at[l->elem].width) || !strcmp(l->text, "Bool");
		if (!bits)
			return false;
	}
	for (size_t i = 0; i < q->conj.n; i++)
		if (!exact_sort(&p->exact, d, q->conj.at[i]))
			return false;
	return true;
}

/* The model of a sat answer on the solver's stack. */
static enum rc fetch_model(struct smt_session *s, struct err *e)
{
	struct buf *model = &s->answer.model;
	double before = s->mirror.solver->seconds;
	enum rc rc = mirror_send(s, "(get-model)", 11, model, e);
	s->answer.model_s = s->mirror.solver->seconds - before;
	if (rc == RC_NO || solver_has_error(model)) {
		buf_clear(model);
		s->mirror.no_models = true;
	}
	return solver_gone_is_ok(rc);
}

/* The question of a script that is not text, after it was put: there is no other way to ask it. */
static enum rc take_built(struct smt_session *s, bool cacheable, struct err *e)
{
	struct solver_answer *a = &s->answer;
	bool by_text = !(s->mirror.solver->kind->flags & (SOLVER_NATIVE_CORE | SOLVER_ONE_SHOT));
	if (!verdict_decided(a->verdict) || solver_has_error(&a->text))
		a->verdict = VERDICT_UNKNOWN;
	return by_text && a->verdict == VERDICT_SAT && wants_model(s, cacheable) ? fetch_model(s, e) : RC_OK;
}

/* The question as one independent query. RC_NO: the solver did not understand it as a whole, has more to say, or may
 * know what to do with assumptions as such. */
static enum rc ask_alone(struct smt_session *s, const struct command *c, bool cacheable, struct err *e)
{
	struct solver_answer *a = &s->answer;
	struct solver *v = s->mirror.solver;
	bool once = v->kind->flags & SOLVER_ONE_SHOT;
	struct buf b = {0};
	mirror_question(s, c, false, &b);
	unsigned want = (wants_model(s, cacheable) ? WANT_MODEL : 0) | (cacheable && bits_only(s) ? WANT_GENERAL : 0);
	struct solver_query q = {b.at, b.n, session_logic(s), want, session_timeout(s)};
	solver_answer_clear(a);
	double before = v->seconds;
	enum rc rc = v->kind->query(v, &q, a, e);
	a->seconds = v->seconds - before;
	buf_release(&b);
	if (rc != RC_OK)
		return rc;
	if (s->script.built.on)
		return take_built(s, cacheable, e);
	if (!once && (a->verdict == VERDICT_NONE || session_unexpected(s, a->verdict) ||
		      (c->assuming && a->verdict == VERDICT_UNKNOWN && !a->timed_out)))
		return RC_NO;
	if (!once) {
		/* all commands were accepted without output */
		bool learn = s->mirror.shown < s->script.unsure;
		s->mirror.shown = s->script.item.n;
		if (learn)
			silent_learn(s);
		buf_printf(&s->out, "%s\n", verdict_text(a->verdict));
		return RC_OK;
	}
	/* what it says about the commands, then the verdict */
	mirror_show(s, &s->out, &a->text);
	if (solver_has_error(&a->text)) {
		s->script.uncacheable = true;
		s->stats.errors++;
	}
	if (a->timed_out)
		buf_str_add(&s->out, "unknown\n");
	return RC_OK;
}

/* What it takes to answer this again: a core by a question of our own. The answer stays what it was. */
static enum rc fetch_core(struct smt_session *s, const struct command *c, struct err *e)
{
	struct solver_answer *a = &s->answer;
	struct buf b = {0};
	double seconds = a->seconds, cpu_s = a->cpu_s;
	mirror_question(s, c, true, &b);
	struct solver_query q = {b.at, b.n, session_logic(s), WANT_CORE, side_limit(s, seconds)};
	enum rc rc = side_ask_core(s, &q, a, e);
	if (a->verdict != VERDICT_UNSAT)
		a->conjuncts = 0;
	a->verdict = VERDICT_UNSAT;
	a->seconds = seconds;
	a->cpu_s = cpu_s;
	buf_release(&b);
	return rc;
}

/* The question on the solver's own stack. */
static enum rc ask_on_stack(struct smt_session *s, const struct command *c, bool cacheable, struct err *e)
{
	struct solver_answer *a = &s->answer;
	struct solver *v = s->mirror.solver;
	solver_answer_clear(a);
	v->calls++;
	double before = v->seconds;
	enum rc rc = mirror_ask(s, c, &a->text, e);
	if (rc != RC_OK && rc != RC_NO)
		return rc;
	a->seconds = v->seconds - before;
	a->timed_out = rc == RC_NO;
	a->verdict = rc == RC_OK ? solver_find_verdict(buf_str(&a->text), a->text.n) : VERDICT_UNKNOWN;
	s->mirror.checked = rc == RC_OK;
	if (!cacheable || rc == RC_NO || s->script.uncacheable)
		return RC_OK;
	return a->verdict == VERDICT_SAT && wants_model(s, true) ? fetch_model(s, e) : RC_OK;
}

/* May the library have the question? It does not check that commands keep to the logic, and in theories that we do not
 * know it may search for ever where the program has an answer (strings). */
static bool for_library(const struct smt_session *s)
{
	const struct script *p = &s->script;
	struct solver *v = s->mirror.solver;
	return !p->unsure || !v->kind->has_program || !v->kind->has_program(v);
}

static enum rc ask(struct smt_session *s, const struct command *c, bool cacheable, struct err *e)
{
	const struct script *p = &s->script;
	unsigned kind = s->mirror.solver->kind->flags;
	bool alone = (kind & SOLVER_STATELESS) && !p->pushed && p->checks == 1 && !p->stack_only && well_formed(c) &&
		     !session_asks_after(s) && !s->o.statistics && for_library(s);
	enum rc rc = RC_NO;
	s->mirror.misses++;
	s->script.last.state_asked = false;
	if (alone || p->built.on || (kind & SOLVER_ONE_SHOT))
		rc = ask_alone(s, c, cacheable, e);
	if (rc == RC_NO)
		rc = ask_on_stack(s, c, cacheable, e);
	if (rc == RC_OK && !s->ended)
		count_verdict(s, s->answer.verdict, "solver");
	bool known = rc == RC_OK && cacheable && !p->uncacheable && !s->answer.timed_out;
	if (known && verdict_decided(s->answer.verdict)) {
		books_work(s->answer.verdict == VERDICT_SAT ? &s->side.models : &s->side.cores,
			   solver_cost(&s->answer));
		books_work(&s->side.lookups, solver_cost(&s->answer));
	}
	if (known && s->answer.verdict == VERDICT_UNSAT && side_core_way(s) == CORE_TRACKED)
		rc = fetch_core(s, c, e);
	return rc;
}

/* Our own time: what passed since start without the waiting for solvers. */
struct stopwatch {
	double start, waited;
};

static struct stopwatch stopwatch_start(const struct smt_session *s)
{
	return (struct stopwatch){clock_seconds(), session_waited(s)};
}

static double stopwatch_add(struct smt_session *s, struct stopwatch w)
{
	double took = clock_seconds() - w.start - (session_waited(s) - w.waited);
	s->stats.cache_s += took;
	return took;
}

/* Times of look-ups that are kept, the latest. */
enum { LOOKUPS = 65536 };

/* RC_NO: not answered from what is learnt. *cacheable: the question was understood. */
static enum rc look_up(struct smt_session *s, const struct command *c, bool *cacheable, struct err *e)
{
	struct last_check *last = &s->script.last;
	const struct query *q = &s->script.reader.query;
	struct stopwatch w = stopwatch_start(s);
	stored_news(s);
	*cacheable = make_query(s, c);
	last->key = *cacheable && s->o.keys ? query_exact_key(q) : 0;
	last->cacheable = *cacheable;
	enum rc rc = *cacheable ? reuse_answer(s, c, e) : RC_NO;
	float took = (float)(stopwatch_add(s, w) * 1e6);
	if (s->lookup_us.n < LOOKUPS)
		vec_push(&s->lookup_us, took);
	else
		s->lookup_us.at[s->stats.queries % LOOKUPS] = took;
	return rc;
}

static enum rc check(struct smt_session *s, const struct command *c, struct err *e)
{
	struct script *p = &s->script;
	struct last_check *last = &p->last;
	p->checks++;
	*last = (struct last_check){.text = last->text, .items = p->item.n, .verdict = last->verdict};
	s->answer.timed_out = false;
	buf_clear(&last->text);
	buf_add(&last->text, c->text, c->n);
	s->mirror.checked = s->mirror.held = false;
	/* names given in assumptions stay with z3 */
	if (c->assuming && memmem(c->text, c->n, ":named", 6)) {
		p->stack_only = true;
		commands_give_up(p);
	}
	bool cacheable = session_caching(s);
	enum rc rc = cacheable ? look_up(s, c, &cacheable, e) : RC_NO;
	if (rc != RC_NO)
		return rc;
	cacheable &= session_caching(s);
	if (s->o.frozen)
		return err_set(e, RC_INPUT, "%s: query %llu is not in the frozen store", p->name,
			       (unsigned long long)s->stats.queries + 1);
	rc = ask(s, c, cacheable, e);
	if (rc == RC_OK && cacheable && !p->uncacheable && !s->answer.timed_out) {
		struct stopwatch w = stopwatch_start(s);
		rc = learn_answer(s, e);
		double took = stopwatch_add(s, w);
		if (s->answer.verdict == VERDICT_SAT && s->answer.model.n)
			books_spend(&s->side.models, s->answer.model_s + took);
	}
	return rc;
}

/* A question that was refused leaves z3 in the state that it was in. */
static enum rc check_or_refuse(struct smt_session *s, const struct command *c, struct err *e)
{
	struct last_check *last = &s->script.last, before = *last;
	uint64_t errors = s->stats.errors;
	if (!s->mirror.solver->keeps_options || !before.text.n)
		return check(s, c, e);
	last->text = (struct buf){0};
	bool checked = s->mirror.checked;
	enum rc rc = check(s, c, e);
	if (rc == RC_OK && session_failed(s, errors) && last->verdict == VERDICT_NONE) {
		buf_release(&last->text);
		*last = before;
		last->by_model = last->cacheable = false;
		s->mirror.checked = checked;
		mirror_judge(s, s->script.item.n);
	} else {
		buf_release(&before.text);
	}
	return rc;
}

enum rc check_sat(struct smt_session *s, const struct command *c, struct err *e)
{
	double waited = session_waited(s), cache_s = s->stats.cache_s;
	uint64_t answered = s->stats.queries;
	enum rc rc = check_or_refuse(s, c, e);
	if (rc == RC_OK && s->o.deadline > 0 && s->script.last.verdict == VERDICT_UNKNOWN &&
	    clock_seconds() >= s->o.deadline) {
		/* z3 says just that, and ends */
		s->out.n -= s->out.n >= 8 ? 8 : 0; /* "unknown" and its line feed */
		buf_str_add(&s->out, "timeout\n");
		rc = RC_NO;
	}
	if (s->stats.queries > answered) {
		struct smt_session_answer *a = &vec_last(&s->answers);
		a->solver_s = session_waited(s) - waited;
		a->cache_s = s->stats.cache_s - cache_s;
		a->has_key = s->o.keys && s->script.last.cacheable;
		a->key = s->script.last.key;
	}
	return rc;
}
