/* SPDX-License-Identifier: MIT */
/* The stages in front of the solver (decide.h) as a session uses them: a sat answer is believed when the evaluator of
 * the script's own terms says so too, an unsat answer's core goes to the cache of cores. */
#include "smt/session/internal.h"

/* Larger cores match too little to be worth keeping. */
enum { CORE_CONJUNCTS = 64 };

static bool value_of(void *user, uint32_t var, struct arena *mem, struct value *out)
{
	struct smt_session *s = user;
	return decide_value(s->learnt.decide, &s->script.reader.query, var, mem, out);
}

enum rc stages_answer(struct smt_session *s, bool solve, struct decide_answer *a, struct err *e)
{
	const struct query *q = &s->script.reader.query;
	struct decide *d = s->learnt.decide;
	if (!d || !session_standard(s))
		return RC_NO;
	enum rc rc = solve ? decide_solve(d, a, e) : decide_look(d, q, a);
	if (rc == RC_OK && a->sat)
		rc = models_believe(s->learnt.models, q, value_of, s);
	/* in the form in which cores match, cells are variables: where arrays are read at computed indices that is
	 * another question, and having it proved costs more than asking the stages again */
	if (rc == RC_OK && !a->sat && a->cells_only && a->n_core && a->n_core <= CORE_CONJUNCTS)
		learn_core(s, a->core, a->n_core, true, s->stats.queries + 1);
	return rc;
}

void stages_unsat(struct smt_session *s)
{
	if (s->learnt.decide && session_standard(s))
		decide_told_unsat(s->learnt.decide);
}

void stages_learn(struct smt_session *s)
{
	const struct query *q = &s->script.reader.query;
	const struct solver_answer *a = &s->answer;
	const char *origin;
	struct eval *values = NULL;
	if (!s->learnt.decide || !session_standard(s) || !verdict_decided(a->verdict))
		return;
	if (a->verdict == VERDICT_SAT && decide_waits(s->learnt.decide) &&
	    learn_lookup(s, MODELS_EXACT, &origin) == RC_OK)
		values = models_eval(s->learnt.models);
	decide_learn(s->learnt.decide, q, a->verdict == VERDICT_SAT, values, a->seconds);
}
