/* SPDX-License-Identifier: MIT */
/* Questions of our own beside the script's: which conjuncts are to blame, does a core hold by itself, does a reused
 * answer agree. Here it is decided which solver they go to, how long they may take and whether they are worth asking.
 *
 * Such a question may run away (quantifiers, other options than the script's): each is bounded by a few seconds and
 * what its answer took. All of them together: in the mode that is to cost no more than the solver (MODE_SAT, "full")
 * by the books; in the others, which exist to be measured, by half of the script's own questions and what they saved,
 * which is far above what questions of milliseconds need, so that what is reused there does not depend on the clock. */
#include "smt/session/internal.h"

enum { SIDE_SECONDS = 5, SIDE_TOTAL_SECONDS = 20 };

/* A core is asked for within this many conjuncts. */
enum { CORE_CONJUNCTS = 100000 };

double side_limit(const struct smt_session *s, double seconds)
{
	double limit = SIDE_SECONDS + 2 * seconds;
	return s->o.timeout_s > 0 && s->o.timeout_s < limit ? s->o.timeout_s : limit;
}

/* What it costs to start a solver: z3's library and its program take ten to fifteen milliseconds to load. */
#define START_S 0.015

bool side_allow(const struct smt_session *s, const struct books *b, double expected)
{
	const struct books *other = b == &s->side.cores ? &s->side.models : &s->side.cores;
	/* what is learnt outlives this run in a store: cores and models then answer for their own costs only */
	bool apart = b == &s->side.lookups || s->learnt.store;
	return books_allow_beside(b, expected, apart ? 0 : books_overdraft(other));
}

/* Of the solver for questions of our own, if it is not running; a store outlives what it costs now. */
static double start_cost(const struct smt_session *s)
{
	const struct solver *first = s->mirror.solver;
	bool stateless = first->kind->flags & SOLVER_STATELESS;
	return s->learnt.store || (stateless ? first : &s->side.second)->started ? 0 : START_S;
}

/* False when such questions have cost more than they may be worth. */
static bool worth(const struct smt_session *s)
{
	/* a core takes about as long to find as its answer did; in a store it outlives this run, whose books say
	 * less, but with quantifiers it is often refused, and the whole query is kept anyway */
	bool lasts = s->learnt.store && !s->script.reader.query.quantified;
	if (s->o.mode->flags & MODE_SAT)
		return side_allow(s, &s->side.cores, lasts ? 0 : solver_cost(&s->answer) + start_cost(s));
	double own = session_waited(s) - s->side.seconds;
	return s->side.seconds <= SIDE_TOTAL_SECONDS + own / 2 + s->side.saved_s;
}

enum core_way side_core_way(const struct smt_session *s)
{
	unsigned mode = s->o.mode->flags, kind = s->mirror.solver->kind->flags;
	const struct query *q = &s->script.reader.query;
	if (!(mode & MODE_UNSAT) || (mode & MODE_WHOLE) || (kind & SOLVER_ONE_SHOT))
		return CORE_NONE;
	if (q->conj.n < 2 || q->conj.n > CORE_CONJUNCTS)
		return CORE_NONE;
	/* a question for a core does not have the script's options, and they may decide what can be proved */
	if (!worth(s) || s->script.meaning_options || (q->quantified && s->script.stack_only))
		return CORE_NONE;
	return kind & SOLVER_NATIVE_CORE ? CORE_TRACKED : CORE_NAMED;
}

struct solver *side_solver(struct smt_session *s)
{
	struct solver *first = s->mirror.solver;
	if (first->kind->flags & SOLVER_STATELESS)
		return first;
	if (!s->side.second.kind)
		solver_init_like(&s->side.second, first);
	return &s->side.second;
}

enum rc side_ask(struct smt_session *s, const struct solver_query *q, struct solver_answer *a, struct err *e)
{
	/* options stay with a process: one that is to know them must not be asked anything else */
	if (s->script.meaning_options)
		return side_ask_fresh(s, q, a, e);
	struct solver *solver = side_solver(s);
	solver_answer_clear(a);
	double before = solver->seconds;
	enum rc rc = solver->kind->query(solver, q, a, e);
	a->seconds = solver->seconds - before;
	s->side.seconds += a->seconds;
	return rc;
}

enum rc side_ask_core(struct smt_session *s, const struct solver_query *q, struct solver_answer *a, struct err *e)
{
	double start = start_cost(s);
	enum rc rc = side_ask(s, q, a, e);
	books_spend(&s->side.cores, solver_cost(a) + start);
	return rc;
}

/* It must be expected to take half of what the query would. */
bool side_held_pays(const struct smt_session *s)
{
	double expected = s->side.held_s + start_cost(s);
	return !session_asks_after(s) && !s->script.meaning_options && 2 * expected < books_quartile(&s->side.models) &&
	       side_allow(s, &s->side.models, expected);
}

enum rc side_ask_held(struct smt_session *s, const struct buf *text, bool *sat, struct err *e)
{
	struct solver_answer a = {0};
	double start = start_cost(s);
	struct solver_query q = {text->at, text->n, session_logic(s), 0, side_limit(s, 0)};
	enum rc rc = side_ask(s, &q, &a, e);
	*sat = rc == RC_OK && a.verdict == VERDICT_SAT && !solver_has_error(&a.text);
	s->side.held_s = solver_cost(&a);
	books_spend(&s->side.models, s->side.held_s + start);
	solver_answer_release(&a);
	return rc;
}

enum rc side_ask_fresh(struct smt_session *s, const struct solver_query *q, struct solver_answer *a, struct err *e)
{
	struct solver fresh;
	struct solver_query plain = *q;
	plain.want = 0;
	solver_answer_clear(a);
	solver_init_like(&fresh, s->mirror.solver);
	/* the library does not follow options */
	enum rc rc = (fresh.kind->flags & SOLVER_NATIVE_CORE) && s->script.stack_only
			     ? solver_init_program(&fresh, "z3", s->mirror.solver->runner, e)
			     : RC_OK;
	if (rc == RC_OK)
		rc = fresh.kind->query(&fresh, &plain, a, e);
	s->side.second.calls += fresh.calls;
	s->side.second.seconds += fresh.seconds;
	s->side.seconds += fresh.seconds;
	solver_release(&fresh);
	return rc;
}
