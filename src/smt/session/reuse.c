/* SPDX-License-Identifier: MIT */
/* Answers without the solver. The order is the stages that look (decide.h), exact duplicates of sat queries, whole
 * queries with quantifiers, proved unsat cores, the stages that solve, unsat cores that the solver has yet to prove,
 * renamed duplicates of sat queries, the same where only the solver can evaluate the model. A model is evaluated and a
 * core is proved before it is believed. */
#include "smt/session/internal.h"

#include "data/clock.h"

/* Seconds that the solver may take for a sample. */
#define SAMPLE_LIMIT 0.25

/* Asks for the core by itself in the way in which cores are found, or plainly. */
static enum rc ask_for_proof(struct smt_session *s, const struct core *c, bool plainly, bool *unsat, struct err *e)
{
	bool named = !plainly && (s->script.meaning_options || !(s->mirror.solver->kind->flags & SOLVER_NATIVE_CORE));
	struct solver_answer a = {0};
	enum rc rc = RC_OK;
	*unsat = false;
	buf_clear(&s->scratch);
	if (named)
		buf_str_add(&s->scratch, learn_core_option);
	if (core_print(c, &s->printer, &s->scratch, named) == RC_OK) {
		struct solver_query q = {s->scratch.at, s->scratch.n, session_logic(s),
					 plainly || named ? 0 : WANT_CORE, side_limit(s, c->seconds)};
		rc = side_ask_core(s, &q, &a, e);
		*unsat = rc == RC_OK && a.verdict == VERDICT_UNSAT && !solver_has_error(&a.text);
	}
	solver_answer_release(&a);
	return rc;
}

static void refuse(struct smt_session *s, struct core *c)
{
	cache_refuse(c);
	s->stats.refused_cores++;
}

/* Has the solver prove the core by itself, once. First as cores are found: z3 then proves in milliseconds what its
 * solver for the logic needs seconds for, though the query that has the core in it takes neither of them long (seen on
 * pcre). RC_NO: it is not proved, and never used again. */
static enum rc prove(struct smt_session *s, struct core *c, struct err *e)
{
	bool ok = c->proved;
	enum rc rc = RC_OK;
	for (int plainly = s->mirror.solver->kind->flags & SOLVER_ONE_SHOT ? 1 : 0; plainly < 2 && rc == RC_OK && !ok;
	     plainly++)
		rc = ask_for_proof(s, c, plainly, &ok, e);
	if (rc != RC_OK)
		return rc;
	bool news = ok && !c->proved;
	c->proved = ok;
	if (news)
		stored_proved(s, c);
	if (ok)
		return RC_OK;
	refuse(s, c);
	return RC_NO;
}

/* Asks the solver the whole question again, for at most `limit` seconds; a difference is an error. fresh: a process
 * that has been asked nothing else, because one that has may be wrong in the same way as the answer in doubt. */
static enum rc verify(struct smt_session *s, const struct command *c, enum verdict reused, bool fresh, double limit,
		      struct err *e)
{
	struct buf b = {0};
	struct solver_answer a = {0};
	mirror_question(s, c, false, &b);
	struct solver_query q = {b.at, b.n, session_logic(s), 0, limit};
	enum rc rc = fresh ? side_ask_fresh(s, &q, &a, e) : side_ask(s, &q, &a, e);
	enum verdict v = a.verdict;
	buf_release(&b);
	solver_answer_release(&a);
	if (rc == RC_OK && (v == VERDICT_SAT || v == VERDICT_UNSAT) && v != reused)
		return explain_difference(s, c, reused, v, e);
	return rc;
}

/* Asks the solver about an answer of the stages that nobody else has checked. */
static enum rc verify_sample(struct smt_session *s, const struct command *c, enum verdict decided, struct err *e)
{
	double before = session_waited(s);
	enum rc rc = verify(s, c, decided, s->script.stack_only, SAMPLE_LIMIT, e);
	decide_sampled(s->learnt.decide, session_waited(s) - before);
	return rc;
}

/* Who answers, and why. */
struct reuse {
	const char *by; /* NULL: nobody */
	enum verdict verdict;
	struct cache_hit hit; /* "core" */
	const char *origin;   /* "model" */
	bool sample;          /* the solver is to be asked too */
	bool confirmed;       /* the solver has evaluated the model */
	bool decided;         /* not by an earlier answer */
	bool stage;           /* by one of the stages, with this answer: */
	struct decide_answer answer;
};

/* RC_NO: they cannot tell. */
static enum rc by_stage(struct smt_session *s, bool solve, struct reuse *r, struct err *e)
{
	struct decide_answer *a = &r->answer;
	enum rc rc = stages_answer(s, solve, a, e);
	if (rc != RC_OK)
		return rc;
	r->by = decide_stage_name(a->stage);
	r->stage = true;
	r->verdict = a->sat ? VERDICT_SAT : VERDICT_UNSAT;
	r->sample = a->sample;
	r->decided = a->stage == STAGE_FIXES || a->stage == STAGE_BITS;
	return RC_OK;
}

static bool by_model(struct smt_session *s, unsigned how, struct reuse *r)
{
	if (!s->learnt.models || learn_lookup(s, how, &r->origin) != RC_OK)
		return false;
	r->by = "model";
	r->verdict = VERDICT_SAT;
	return true;
}

/* A model of a duplicate that has something in it that is not understood here (a datatype, a string): with its values,
 * the query is an easy one for the solver. RC_NO: there is none, or it does not pay. */
static enum rc by_held_model(struct smt_session *s, const struct command *c, struct reuse *r, struct err *e)
{
	struct buf text = {0}, values = {0};
	bool sat = false;
	enum rc rc = RC_NO;
	if (s->learnt.models && !(s->mirror.solver->kind->flags & SOLVER_ONE_SHOT) && side_held_pays(s))
		rc = models_held(s->learnt.models, &s->script.reader.query, &values, &r->origin);
	if (rc == RC_OK) {
		mirror_question(s, c, true, &text);
		buf_add(&text, values.at, values.n);
		rc = side_ask_held(s, &text, &sat, e);
	}
	buf_release(&text);
	buf_release(&values);
	if (rc != RC_OK || !sat)
		return rc == RC_OK ? RC_NO : rc;
	r->by = "model";
	r->verdict = VERDICT_SAT;
	r->confirmed = true;
	return RC_OK;
}

/* A look-up may take a fifth of what the cheaper questions take the solver: that many matching steps per second of it,
and a few in any case. */
#define STEPS_PER_S 1e7
enum { STEPS_AT_LEAST = 2000 };

/* The cache's own look-up, with books: a query of many conjuncts of one shape may take longer to match than to
 * solve. */
static enum rc look_for_core(struct smt_session *s, struct cache_hit *hit)
{
	struct books *b = &s->side.lookups;
	if ((s->o.mode->flags & MODE_SAT) && !side_allow(s, b, 0))
		return RC_NO;
	if (s->o.mode->flags & MODE_SAT)
		cache_limit_steps(s->learnt.cache, STEPS_AT_LEAST + (uint64_t)(books_quartile(b) * STEPS_PER_S));
	double before = clock_cpu_seconds();
	enum rc rc = cache_lookup(s->learnt.cache, &s->script.reader.query, hit);
	if (rc == RC_OK)
		books_save(b);
	else
		books_spend(b, clock_cpu_seconds() - before);
	return rc;
}

/* The stages that solve, for a query with a core in it that is still to be proved: where they can tell, the proof need
 * not be bought. An unsat answer is then the earlier one, confirmed. RC_NO: they cannot. */
static enum rc instead_of_proof(struct smt_session *s, struct reuse *r, struct err *e)
{
	enum rc rc = by_stage(s, true, r, e);
	if (rc == RC_OK && r->verdict == VERDICT_SAT)
		refuse(s, r->hit.core);
	if (rc == RC_OK && r->verdict == VERDICT_UNSAT)
		r->decided = false;
	return rc;
}

/* RC_NO: no core that can be proved is in the query, and the stages that solve cannot tell. They are asked once, before
 * the solver is: else cores that they found in one run would each cost a proof in the next, which has them from the
 * store. */
static enum rc by_core_or_stage(struct smt_session *s, struct reuse *r, struct err *e)
{
	bool asked = false;
	while (look_for_core(s, &r->hit) == RC_OK) {
		enum rc rc = RC_NO;
		if (!r->hit.core->proved && !asked) {
			rc = instead_of_proof(s, r, e);
			asked = true;
		}
		if (rc != RC_NO)
			return rc;
		rc = prove(s, r->hit.core, e);
		if (rc == RC_OK) {
			r->by = "core";
			r->verdict = VERDICT_UNSAT;
			stages_unsat(s);
			s->side.saved_s += r->hit.core->seconds;
			books_save(&s->side.cores);
		}
		if (rc != RC_NO)
			return rc;
	}
	return asked ? RC_NO : by_stage(s, true, r, e);
}

static enum rc find(struct smt_session *s, const struct command *c, struct reuse *r, struct err *e)
{
	enum rc rc = by_stage(s, false, r, e);
	if (rc != RC_NO)
		return rc;
	if (by_model(s, MODELS_EXACT, r))
		return RC_OK;
	if (whole_known(s)) {
		r->by = "exact";
		r->verdict = VERDICT_UNSAT;
		return RC_OK;
	}
	rc = by_core_or_stage(s, r, e);
	if (rc != RC_NO)
		return rc;
	return by_model(s, MODELS_RENAMED, r) ? RC_OK : by_held_model(s, c, r, e);
}

static void explain(struct smt_session *s, const struct reuse *r)
{
	if (r->stage)
		explain_stage(s, &r->answer);
	else if (r->verdict == VERDICT_SAT)
		explain_model(s, r->origin, r->confirmed);
	else if (r->hit.core)
		explain_core(s, &r->hit);
	else
		explain_whole(s);
}

enum rc reuse_answer(struct smt_session *s, const struct command *c, struct err *e)
{
	struct reuse r = {0};
	enum rc rc = find(s, c, &r, e);
	/* what the solver says about the commands so far comes first, and may show that the query is another one */
	if (rc == RC_OK)
		rc = mirror_settle(s, e);
	if (rc != RC_OK)
		return rc;
	if (!session_caching(s) || session_unexpected(s, r.verdict))
		return RC_NO;
	if (s->o.explain)
		explain(s, &r);
	if (s->o.verify)
		rc = verify(s, c, r.verdict, true, session_timeout(s), e);
	else if (r.sample)
		rc = verify_sample(s, c, r.verdict, e);
	if (rc != RC_OK)
		return rc;
	if (r.verdict == VERDICT_SAT)
		books_save(&s->side.models);
	s->script.last.by_model = r.verdict == VERDICT_SAT && !r.confirmed;
	for (size_t i = 0; s->script.built.on && r.stage && i < r.answer.n_core; i++)
		vec_push(&s->script.built.core, r.answer.core[i]);
	s->stats.reused_sat += r.verdict == VERDICT_SAT && !r.decided;
	s->stats.reused_unsat += r.verdict == VERDICT_UNSAT && !r.decided;
	s->stats.decided_sat += r.verdict == VERDICT_SAT && r.decided;
	s->stats.decided_unsat += r.verdict == VERDICT_UNSAT && r.decided;
	check_answer(s, r.verdict, r.by);
	return RC_OK;
}
