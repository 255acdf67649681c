/* SPDX-License-Identifier: MIT */
/* check-sat: look-up, question, remembering. The order is exact duplicates of sat queries, unsat cores, renamed
 * duplicates of sat queries, then the solver. */
#include "smt/session/internal.h"

#include "data/clock.h"

#include "smt/solver/exchange.h"

#include <string.h>

/* A core is asked for within this many conjuncts; larger queries are remembered whole. */
enum { CORE_CONJUNCTS = 100000, WHOLE_CONJUNCTS = 5000 };

static void count_verdict(struct smt_session *s, enum verdict v, const char *by)
{
	s->stats.queries++;
	s->stats.sat += v == VERDICT_SAT;
	s->stats.unsat += v == VERDICT_UNSAT;
	s->stats.unknown += v != VERDICT_SAT && v != VERDICT_UNSAT;
	vec_push(&s->answers, ((struct smt_session_answer){.file = mem_strdup(s->name), .verdict = v, .by = by}));
	s->last_verdict = v;
}

static void answer(struct smt_session *s, enum verdict v, const char *by)
{
	buf_printf(&s->out, "%s\n", verdict_text(v));
	count_verdict(s, v, by);
}

/* The conjunction of assertions and, for check-sat-assuming, assumptions, as a query. False: not understood. */
static bool make_query(struct smt_session *s, const char *text, size_t n)
{
	size_t before = s->assertion.n;
	bool ok = true;
	if (sexpr_parse(&s->x, text, n, NULL, 1, 1, NULL) != RC_OK)
		return false;
	if (sexpr_is_symbol(&s->x, 1, "check-sat-assuming")) {
		ok = s->x.n > 2 && s->x.at[2].kind == SEXPR_LIST;
		for (uint32_t i = 3; ok && i < s->x.at[2].next; i = s->x.at[i].next) {
			uint32_t t;
			ok = builder_term(&s->builder, &s->x, i, &t) == RC_OK &&
			     sortcheck_assertion(&s->sorts, &s->dag, t, s->own_symbols);
			if (ok)
				vec_push(&s->assertion, t);
		}
	}
	if (ok)
		query_set(&s->query, &s->dag, s->assertion.at, s->assertion.n, buf_str(&s->scope.context),
			  s->scope.context.n);
	s->assertion.n = before;
	return ok;
}

/* The whole question as one text, assumptions as assertions. */
static void question_text(struct smt_session *s, const char *text, size_t n, struct buf *out)
{
	/* a program that is running gets two lines before it: see program.c */
	smt_session_flat_text(s, out, s->solver->lines ? s->solver->lines + 2 : 1);
	if (n > 19 && !strncmp(text, "(check-sat-assuming", 19) &&
	    sexpr_parse(&s->x, text, n, NULL, 1, 1, NULL) == RC_OK)
		for (uint32_t i = 3; i < s->x.at[2].next; i = s->x.at[i].next) {
			buf_str_add(out, "(assert ");
			scope_node_text(&s->x, i, out);
			buf_str_add(out, ")\n");
		}
}

static const char *logic_of(const struct smt_session *s)
{
	return s->logic.n ? s->logic.at : NULL;
}

static const char core_option[] = "(set-option :produce-unsat-cores true)\n";

/* Asks for the core by itself in the way in which cores are found, or plainly. */
static enum rc ask_for_proof(struct smt_session *s, const struct core *c, bool plainly, bool *unsat, struct err *e)
{
	bool named = !plainly && !(s->solver->kind->flags & SOLVER_NATIVE_CORE);
	struct solver_answer a = {0};
	enum rc rc = RC_OK;
	*unsat = false;
	buf_clear(&s->scratch);
	if (named)
		buf_str_add(&s->scratch, core_option);
	if (core_print(c, &s->printer, &s->scratch, named) == RC_OK) {
		struct solver_query q = {s->scratch.at, s->scratch.n, logic_of(s),
					 plainly || named ? 0 : WANT_CORE_ONLY, smt_session_side_limit(s, c->seconds)};
		rc = smt_session_side_query(s, &q, &a, e);
		bool error = a.text.n && memmem(a.text.at, a.text.n, "(error", 6);
		*unsat = rc == RC_OK && a.verdict == VERDICT_UNSAT && !error;
	}
	solver_answer_release(&a);
	return rc;
}

/* Asks the solver to prove the core by itself, once. First as cores are found: z3 then proves in milliseconds what
 * its solver for the logic needs seconds for, though the query that has the core in it takes neither of them long
 * (seen on pcre). */
static enum rc prove(struct smt_session *s, struct core *c, bool *ok, struct err *e)
{
	*ok = c->proved;
	if (c->proved)
		return RC_OK;
	enum rc rc = RC_OK;
	for (int plainly = s->solver->kind->flags & SOLVER_ONE_SHOT ? 1 : 0; plainly < 2 && rc == RC_OK && !*ok;
	     plainly++)
		rc = ask_for_proof(s, c, plainly, ok, e);
	if (*ok) {
		c->proved = true;
	} else if (rc == RC_OK) {
		cache_refuse(s->cache, c);
		s->stats.refused_cores++;
	}
	return rc;
}

static enum rc verify(struct smt_session *s, const char *text, size_t n, enum verdict reused, struct err *e)
{
	struct buf b = {0};
	struct solver_answer a = {0};
	question_text(s, text, n, &b);
	struct solver_query q = {b.at, b.n, logic_of(s), 0, s->o.timeout_s};
	enum rc rc = smt_session_side_query(s, &q, &a, e);
	enum verdict v = a.verdict;
	buf_release(&b);
	solver_answer_release(&a);
	if (rc == RC_OK && (v == VERDICT_SAT || v == VERDICT_UNSAT) && v != reused)
		return smt_session_write_reproducer(s, reused, v, e);
	return rc;
}

/* RC_OK: answered from the cache. */
static enum rc reuse(struct smt_session *s, const char *text, size_t n, struct err *e)
{
	const char *origin;
	struct cache_hit hit;
	enum verdict v = VERDICT_NONE;
	if (s->models && models_lookup(s->models, &s->query, MODELS_EXACT, &origin) == RC_OK)
		v = VERDICT_SAT;
	bool whole = v == VERDICT_NONE && smt_session_whole_known(s);
	if (whole)
		v = VERDICT_UNSAT;
	while (v == VERDICT_NONE && cache_lookup(s->cache, &s->query, &hit) == RC_OK) {
		bool ok;
		if (prove(s, hit.core, &ok, e) != RC_OK)
			return e->rc;
		if (ok)
			v = VERDICT_UNSAT;
	}
	if (v == VERDICT_NONE && s->models && models_lookup(s->models, &s->query, MODELS_RENAMED, &origin) == RC_OK)
		v = VERDICT_SAT;
	if (v == VERDICT_NONE)
		return RC_NO;
	if (v == VERDICT_UNSAT && !whole)
		s->saved_s += hit.core->seconds;
	if (s->o.explain && whole)
		smt_session_explain_whole(s);
	else if (s->o.explain && v == VERDICT_UNSAT)
		smt_session_explain_core(s, &hit);
	else if (s->o.explain)
		smt_session_explain_model(s, origin);
	if (s->o.verify && verify(s, text, n, v, e) != RC_OK)
		return e->rc;
	s->last_by_model = v == VERDICT_SAT;
	s->stats.reused_sat += v == VERDICT_SAT;
	s->stats.reused_unsat += v == VERDICT_UNSAT;
	answer(s, v, v == VERDICT_SAT ? "model" : whole ? "exact" : "core");
	return RC_OK;
}

static void remember_core(struct smt_session *s, const uint32_t *conj, size_t n, bool proved)
{
	char *origin = mem_printf("%s query %llu", s->name, (unsigned long long)s->stats.queries);
	struct core *c = cache_add(s->cache, &s->query, conj, n, proved, origin);
	free(origin);
	if (c) {
		c->seconds = s->answer.seconds;
		s->stats.cores++;
		smt_session_store_core(s, c);
	}
}

static void remember_whole(struct smt_session *s)
{
	VEC(uint32_t) all = {0};
	if (s->query.conj.n > WHOLE_CONJUNCTS)
		return;
	for (uint32_t i = 0; i < s->query.conj.n; i++)
		vec_push(&all, i);
	remember_core(s, all.at, all.n, !(cache_mode_of(s->cache)->flags & MODE_SCALAR));
	vec_release(&all);
}

/* From places among all conjuncts met to places in query.conj. */
static bool core_places(struct smt_session *s, const struct solver_answer *a, struct u64s *seen, uint32_t *out,
			size_t *n)
{
	const struct query *q = &s->query;
	if (a->conjuncts != q->flat.n || !a->core.n)
		return false;
	vec_clear(seen);
	/* place in conj by term: conj is small, terms are many */
	for (size_t i = 0; i < a->core.n; i++) {
		if (a->core.at[i] >= q->flat.n)
			return false;
		vec_push(seen, q->flat.at[a->core.at[i]]);
	}
	*n = 0;
	for (uint32_t k = 0; k < q->conj.n; k++)
		for (size_t i = 0; i < seen->n; i++)
			if (seen->at[i] == q->conj.at[k]) {
				out[(*n)++] = k;
				break;
			}
	return *n > 0;
}

/* Each conjunct under a name of ours, for solvers that only speak SMT-LIB. */
static bool named_text(struct smt_session *s, struct buf *out)
{
	const struct query *q = &s->query;
	buf_str_add(out, core_option);
	buf_add(out, q->context, q->context_len);
	vec_clear(&s->printer.todo);
	print_declarations(&s->printer, out, &q->t, q->conj.at, q->conj.n);
	/* the newest first, because it is what the older ones contradict: z3 then blames fewer of these (all in
	 * reverse it blames more) */
	for (size_t k = 0; k < q->conj.n; k++) {
		size_t i = k ? k - 1 : q->conj.n - 1;
		buf_str_add(out, "(assert (! ");
		if (print_term(&s->printer, out, &q->t, q->conj.at[i]) != RC_OK)
			return false;
		buf_printf(out, " :named rf!c%zu))\n", i);
	}
	return true;
}

/* "(rf!c3 rf!c17)" */
static void read_named_core(struct smt_session *s, const char *text, size_t n, uint32_t *out, size_t *count)
{
	const char *p = text, *end = text + n;
	*count = 0;
	while (p < end && (p = memmem(p, (size_t)(end - p), "rf!c", 4))) {
		unsigned long k = strtoul(p + 4, NULL, 10);
		p += 4;
		if (k < s->query.conj.n && *count < s->query.conj.n)
			out[(*count)++] = (uint32_t)k;
	}
}

static enum rc core_by_name(struct smt_session *s, uint32_t *out, size_t *n, struct err *e)
{
	struct buf text = {0}, got = {0};
	enum rc rc = RC_OK;
	bool alive;
	*n = 0;
	if (named_text(s, &text)) {
		struct solver_answer a = {0};
		struct solver_query q = {text.at, text.n, logic_of(s), 0, smt_session_side_limit(s, s->answer.seconds)};
		struct solver *before = s->solver;
		rc = smt_session_side_query(s, &q, &a, e);
		struct solver *asked = s->pushed || s->checks > 1 ? &s->aux : before;
		if (rc == RC_OK && a.verdict == VERDICT_UNSAT && !memmem(buf_str(&a.text), a.text.n, "(error", 6)) {
			rc = asked->kind->send(asked, "(get-unsat-core)", 16, s->o.timeout_s, &got, &alive, e);
			if (rc == RC_OK && alive && !memmem(buf_str(&got), got.n, "(error", 6))
				read_named_core(s, buf_str(&got), got.n, out, n);
		}
		solver_answer_release(&a);
	}
	buf_release(&text);
	buf_release(&got);
	return rc;
}

/* The question for a core does not have the script's options, and they decide what is proved of quantifiers. */
static bool core_worth(const struct smt_session *s)
{
	return smt_session_side_worth(s) && (s->plain_options || !s->query.quantified);
}

/* Unsat by the solver: which conjuncts are to blame? a has the native core, if there is one. */
static enum rc learn_unsat(struct smt_session *s, const struct solver_answer *a, struct err *e)
{
	const struct query *q = &s->query;
	if (!q->conj.n)
		return RC_OK;
	smt_session_whole_learn(s);
	if (cache_mode_of(s->cache)->flags & MODE_WHOLE || q->conj.n == 1) {
		remember_whole(s);
		return RC_OK;
	}
	uint32_t *places = mem_alloc(q->conj.n * sizeof *places);
	struct u64s seen = {0};
	size_t n = 0;
	enum rc rc = RC_OK;
	if (a->conjuncts) {
		if (!core_places(s, a, &seen, places, &n))
			n = 0;
	} else if (q->conj.n <= CORE_CONJUNCTS && core_worth(s) &&
		   !(s->solver->kind->flags & (SOLVER_NATIVE_CORE | SOLVER_ONE_SHOT))) {
		rc = core_by_name(s, places, &n, e);
	}
	if (n)
		remember_core(s, places, n, false);
	else if (!q->quantified || !s->whole_ready)
		remember_whole(s);
	vec_release(&seen);
	free(places);
	return rc;
}

static enum rc learn(struct smt_session *s, const struct solver_answer *a, struct err *e)
{
	if (a->verdict == VERDICT_UNSAT && (cache_mode_of(s->cache)->flags & MODE_UNSAT))
		return learn_unsat(s, a, e);
	if (a->verdict == VERDICT_SAT && s->models && a->model.n && !s->query.quantified) {
		char *origin = mem_printf("%s query %llu", s->name, (unsigned long long)s->stats.queries);
		models_add(s->models, &s->query, a->model.at, a->model.n, origin);
		free(origin);
		smt_session_store_model(s);
	}
	return RC_OK;
}

static unsigned wanted(const struct smt_session *s, bool cacheable)
{
	if (!cacheable)
		return 0;
	unsigned flags = cache_mode_of(s->cache)->flags;
	unsigned want = s->models && !s->query.quantified ? WANT_MODEL : 0;
	if ((flags & MODE_UNSAT) && !(flags & MODE_WHOLE) && s->query.conj.n > 1 && s->query.conj.n <= CORE_CONJUNCTS)
		want |= WANT_CORE;
	return want;
}

/* The question as one independent query. RC_NO: the solver did not understand it as a whole. */
static enum rc ask_alone(struct smt_session *s, const char *text, size_t n, bool cacheable, struct err *e)
{
	struct solver_answer *a = &s->answer;
	struct buf b = {0};
	question_text(s, text, n, &b);
	struct solver_query q = {b.at, b.n, logic_of(s), wanted(s, cacheable), s->o.timeout_s};
	bool stateless = s->solver->kind->flags & SOLVER_STATELESS;
	solver_answer_clear(a);
	double before = s->solver->seconds;
	enum rc rc = s->solver->kind->query(s->solver, &q, a, e);
	a->seconds = s->solver->seconds - before;
	buf_release(&b);
	if (rc != RC_OK)
		return rc;
	if (!stateless) {
		/* it now has the script's stack */
		smt_session_forget_stack(s);
		if (a->timed_out) {
			s->stale = false;
		} else {
			s->mirrored = s->item.n;
			s->shown = s->item.n;
			s->solver_checked = true;
		}
	}
	if (a->verdict == VERDICT_NONE && stateless && !(s->solver->kind->flags & SOLVER_ONE_SHOT))
		return RC_NO;
	if (a->text.n) {
		/* errors of the replayed commands, then the verdict, as the solver printed them */
		smt_session_show(s, &s->out, a->text.at, a->text.n);
		if (memmem(a->text.at, a->text.n, "(error", 6)) {
			s->odd = true;
			s->stats.errors++;
		}
		if (a->timed_out)
			buf_str_add(&s->out, "unknown\n");
	} else {
		buf_printf(&s->out, "%s\n", verdict_text(a->verdict));
	}
	return RC_OK;
}

/* The question on the solver's own stack. */
static enum rc ask_on_stack(struct smt_session *s, const char *text, size_t n, bool cacheable, struct err *e)
{
	struct solver_answer *a = &s->answer;
	bool alive;
	solver_answer_clear(a);
	enum rc rc = smt_session_sync(s, &alive, e);
	if (rc != RC_OK)
		return rc;
	s->solver->calls++;
	double before = s->solver->seconds;
	if (alive) {
		uint64_t errors = s->stats.errors;
		rc = smt_session_pass(s, text, n, &a->text, &alive, e);
		if (s->stats.errors != errors)
			s->odd = true;
	} else {
		buf_str_add(&s->out, "unknown\n");
	}
	if (rc != RC_OK)
		return rc;
	a->seconds = s->solver->seconds - before;
	a->timed_out = !alive;
	a->verdict = alive ? solver_find_verdict(buf_str(&a->text), a->text.n) : VERDICT_UNKNOWN;
	s->solver_checked = alive;
	if (!cacheable || !alive || s->odd)
		return RC_OK;
	/* what it would take to answer this again: a core by an independent question, a model from the stack */
	if (a->verdict == VERDICT_UNSAT && (wanted(s, true) & WANT_CORE) &&
	    (s->solver->kind->flags & SOLVER_NATIVE_CORE) && core_worth(s)) {
		struct buf b = {0};
		question_text(s, text, n, &b);
		double seconds = a->seconds;
		struct solver_query q = {b.at, b.n, logic_of(s), WANT_CORE_ONLY, smt_session_side_limit(s, seconds)};
		rc = smt_session_side_query(s, &q, a, e);
		a->seconds = seconds;
		if (a->verdict != VERDICT_UNSAT)
			a->conjuncts = 0;
		a->verdict = VERDICT_UNSAT;
		buf_release(&b);
	} else if (a->verdict == VERDICT_SAT && (wanted(s, true) & WANT_MODEL)) {
		rc = s->solver->kind->send(s->solver, "(get-model)", 11, s->o.timeout_s, &a->model, &alive, e);
		if (!alive)
			smt_session_forget_stack(s);
		if (!alive || memmem(buf_str(&a->model), a->model.n, "(error", 6))
			buf_clear(&a->model);
	}
	return rc;
}

static enum smt_session_next frozen_miss(struct smt_session *s, struct err *e)
{
	err_set(e, RC_INPUT, "%s: query %llu is not in the frozen store", s->name,
		(unsigned long long)s->stats.queries + 1);
	return SESSION_FAILED;
}

/* A question put to the solver alone is put again when the script then asks for something of its state. Where most
 * scripts do, the solver has the stack from the start. */
static bool asks_after(const struct smt_session *s)
{
	return 2 * s->states_asked > s->misses;
}

static enum smt_session_next check(struct smt_session *s, const char *text, size_t n, struct err *e)
{
	s->checks++;
	s->last_by_model = s->model_complete = s->last_cacheable = false;
	buf_clear(&s->last_check);
	buf_add(&s->last_check, text, n);
	s->solver_checked = false;
	bool cacheable = s->o.mode->flags && !s->odd && !s->scope.odd && !s->global_declarations;
	if (cacheable) {
		double start = clock_seconds(), waited = s->solver->seconds + s->aux.seconds;
		cacheable = make_query(s, text, n);
		s->last_key = cacheable && s->o.keys ? query_exact_key(&s->query) : 0;
		s->last_cacheable = cacheable;
		enum rc rc = cacheable ? reuse(s, text, n, e) : RC_NO;
		double took = clock_seconds() - start - (s->solver->seconds + s->aux.seconds - waited);
		s->stats.cache_s += took;
		vec_push(&s->lookup_us, (float)(took * 1e6));
		if (rc == RC_OK)
			return SESSION_GO;
		if (rc != RC_NO)
			return SESSION_FAILED;
	}
	if (s->o.frozen)
		return frozen_miss(s, e);
	enum rc rc = RC_NO;
	bool alone = !s->pushed && s->checks == 1 && s->plain_options && !asks_after(s);
	s->misses++;
	s->state_asked = false;
	if (alone || (s->solver->kind->flags & SOLVER_ONE_SHOT))
		rc = ask_alone(s, text, n, cacheable, e);
	if (rc == RC_NO)
		rc = ask_on_stack(s, text, n, cacheable, e);
	if (rc != RC_OK)
		return SESSION_FAILED;
	count_verdict(s, s->answer.verdict, "solver");
	if (cacheable && !s->odd && !s->answer.timed_out) {
		double start = clock_seconds(), waited = s->solver->seconds + s->aux.seconds;
		rc = learn(s, &s->answer, e);
		s->stats.cache_s += clock_seconds() - start - (s->solver->seconds + s->aux.seconds - waited);
	}
	return rc == RC_OK ? SESSION_GO : SESSION_FAILED;
}

enum smt_session_next smt_session_check(struct smt_session *s, const char *text, size_t n, struct err *e)
{
	double waited = s->solver->seconds + s->aux.seconds, cache_s = s->stats.cache_s;
	size_t answered = s->answers.n;
	enum smt_session_next next = check(s, text, n, e);
	if (s->answers.n > answered) {
		struct smt_session_answer *a = &vec_last(&s->answers);
		a->solver_s = s->solver->seconds + s->aux.seconds - waited;
		a->cache_s = s->stats.cache_s - cache_s;
		a->has_key = s->o.keys && s->last_cacheable;
		a->key = s->last_key;
	}
	return next;
}
