/* SPDX-License-Identifier: MIT */
/* What is kept of the solver's answers: of sat the model, of unsat the conjuncts that are to blame, or the whole query
 * where they cannot be found. */
#include "smt/session/internal.h"

#include "data/clock.h"

#include <string.h>

/* Larger queries are not remembered whole. */
enum { WHOLE_CONJUNCTS = 5000 };

const char learn_core_option[] = "(set-option :produce-unsat-cores true)\n";

/* Where the answer that is being kept came from; the caller frees it. */
static char *origin_of(const struct smt_session *s, uint64_t number)
{
	return mem_printf("%s query %llu", s->script.name, (unsigned long long)number);
}

void learn_core(struct smt_session *s, const uint32_t *conj, size_t n, bool proved, uint64_t number)
{
	char *origin = origin_of(s, number);
	struct core *c = cache_add(s->learnt.cache, &s->script.reader.query, conj, n, proved, origin);
	free(origin);
	if (c) {
		c->seconds = s->answer.seconds;
		s->stats.cores++;
		stored_add_core(s, c);
	}
}

/* Is a query of that many conjuncts worth keeping whole? In the mode that is to cost no more than the solver it may
 * take a fifth of what its answer took, going by what the last one took. */
static bool whole_pays(const struct smt_session *s, size_t conjuncts)
{
	if (conjuncts > WHOLE_CONJUNCTS)
		return false;
	if (!(s->o.mode->flags & MODE_SAT) || s->learnt.store)
		return true;
	double expected = s->side.whole_s * (double)conjuncts;
	return expected <= solver_cost(&s->answer) / 5 && side_allow(s, &s->side.lookups, expected);
}

/* Are the clauses of the query, in the form in which cores match, those that the solver saw? In scalar form cells of
 * arrays are variables. */
static bool seen_as_kept(const struct smt_session *s)
{
	const struct query *q = &s->script.reader.query;
	if (!(s->o.mode->flags & MODE_SCALAR))
		return true;
	for (size_t i = 0; i < q->var.n; i++)
		if (q->t.label[q->t.term[q->var.at[i]].sort].elem)
			return false;
	return !q->quantified;
}

static void remember_whole(struct smt_session *s)
{
	const struct query *q = &s->script.reader.query;
	VEC(uint32_t) all = {0};
	if (!whole_pays(s, q->conj.n))
		return;
	double before = clock_cpu_seconds();
	for (uint32_t i = 0; i < q->conj.n; i++)
		vec_push(&all, i);
	learn_core(s, all.at, all.n, seen_as_kept(s), s->stats.queries);
	double took = clock_cpu_seconds() - before;
	books_spend(&s->side.lookups, took);
	s->side.whole_s = took / (double)q->conj.n;
	vec_release(&all);
}

/* The answer's core, which counts every conjunct met, as places in query.conj; returns how many, 0: there is none. */
static size_t core_places(const struct query *q, const struct solver_answer *a, uint32_t *out)
{
	struct u64s blamed = {0};
	size_t n = 0;
	bool ok = a->conjuncts == q->flat.n;
	for (size_t i = 0; i < a->core.n && ok; i++) {
		ok = a->core.at[i] < q->flat.n;
		if (ok)
			vec_push(&blamed, q->flat.at[a->core.at[i]]);
	}
	for (uint32_t k = 0; k < q->conj.n && ok; k++)
		for (size_t i = 0; i < blamed.n; i++)
			if (blamed.at[i] == q->conj.at[k]) {
				out[n++] = k;
				break;
			}
	vec_release(&blamed);
	return n;
}

/* Each conjunct under a name of ours, for solvers that only speak SMT-LIB. */
static bool named_text(struct smt_session *s, struct buf *out)
{
	const struct query *q = &s->script.reader.query;
	buf_str_add(out, learn_core_option);
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

/* "(rf!c3 rf!c17)": the numbers below max; returns how many. */
static size_t read_named_core(const struct buf *text, size_t max, uint32_t *out)
{
	const char *p = buf_str(text), *end = p + text->n;
	size_t n = 0;
	while (p < end && (p = memmem(p, (size_t)(end - p), "rf!c", 4))) {
		unsigned long k = strtoul(p + 4, NULL, 10);
		p += 4;
		if (k < max && n < max)
			out[n++] = (uint32_t)k;
	}
	return n;
}

static enum rc core_by_name(struct smt_session *s, uint32_t *out, size_t *n, struct err *e)
{
	struct buf text = {0}, got = {0};
	struct solver_answer a = {0};
	enum rc rc = RC_OK;
	if (named_text(s, &text)) {
		struct solver_query q = {text.at, text.n, session_logic(s), 0, side_limit(s, s->answer.seconds)};
		rc = side_ask_core(s, &q, &a, e);
	}
	if (rc == RC_OK && a.verdict == VERDICT_UNSAT && !solver_has_error(&a.text)) {
		struct solver *asked = side_solver(s);
		rc = asked->kind->send(asked, "(get-unsat-core)", 16, session_timeout(s), &got, e);
		if (rc == RC_OK && !solver_has_error(&got))
			*n = read_named_core(&got, s->script.reader.query.conj.n, out);
	}
	solver_answer_release(&a);
	buf_release(&text);
	buf_release(&got);
	return solver_gone_is_ok(rc);
}

enum rc learn_blame(struct smt_session *s, uint32_t *out, size_t *n, struct err *e)
{
	struct buf text = {0};
	struct solver_answer a = {0};
	unsigned kind = s->mirror.solver->kind->flags;
	*n = 0;
	if (kind & SOLVER_ONE_SHOT)
		return RC_OK;
	if (!(kind & SOLVER_NATIVE_CORE))
		return core_by_name(s, out, n, e);
	terms_question(s, &text);
	struct solver_query q = {text.at, text.n, session_logic(s), WANT_CORE, session_timeout(s)};
	enum rc rc = side_ask_core(s, &q, &a, e);
	if (rc == RC_OK && a.verdict == VERDICT_UNSAT && a.conjuncts)
		*n = core_places(&s->script.reader.query, &a, out);
	solver_answer_release(&a);
	buf_release(&text);
	return rc;
}

static enum rc learn_unsat(struct smt_session *s, struct err *e)
{
	const struct query *q = &s->script.reader.query;
	const struct solver_answer *a = &s->answer;
	if (!q->conj.n)
		return RC_OK;
	whole_learn(s);
	if (s->o.mode->flags & MODE_WHOLE || q->conj.n == 1) {
		remember_whole(s);
		return RC_OK;
	}
	uint32_t *places = mem_alloc(q->conj.n * sizeof *places);
	size_t n = 0;
	enum rc rc = RC_OK;
	if (a->conjuncts)
		n = core_places(q, a, places);
	else if (side_core_way(s) == CORE_NAMED)
		rc = core_by_name(s, places, &n, e);
	if (n)
		learn_core(s, places, n, false, s->stats.queries);
	else if (!q->quantified || !s->learnt.wholes.ready)
		remember_whole(s);
	free(places);
	return rc;
}

enum rc learn_lookup(struct smt_session *s, unsigned how, const char **origin)
{
	how |= s->script.unsure ? 0 : MODELS_SORTED;
	return models_lookup(s->learnt.models, &s->script.reader.query, how, origin);
}

static void learn_sat(struct smt_session *s)
{
	const struct solver_answer *a = &s->answer;
	char *origin = origin_of(s, s->stats.queries);
	models_add(s->learnt.models, &s->script.reader.query, a->model.at, a->model.n, origin);
	free(origin);
	stored_add_model(s);
}

enum rc learn_answer(struct smt_session *s, struct err *e)
{
	const struct solver_answer *a = &s->answer;
	enum rc rc = RC_OK;
	if (a->verdict == VERDICT_UNSAT && (s->o.mode->flags & MODE_UNSAT))
		rc = learn_unsat(s, e);
	else if (a->verdict == VERDICT_SAT && s->learnt.models && a->model.n && !s->script.reader.query.quantified)
		learn_sat(s);
	stages_learn(s);
	return rc;
}
