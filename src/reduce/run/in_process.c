/* SPDX-License-Identifier: MIT */
/* Reduction with a function as the test: see in_process.h. With shuffle_jobs the answers are held back and given
 * out in a random (seeded) order, which exercises everything the engine does in parallel without any process. With
 * in_turn they come in order on a clock of their own, on which a test takes 1 and everything else nothing: what
 * jobs gain, without noise. */
#include "reduce/run/in_process.h"

#include "base/bits.h"
#include "reduce/model/load.h"
#include "reduce/run/recall.h"

struct held {
	bool used;
	uint64_t ends;
	enum answer answer;
};

struct inside {
	struct in_process *p;
	struct model *m;
	struct engine *engine;
	struct held *held;
	unsigned jobs;
	struct rng rng;
	/* interesting_text */
	struct recall recall;
	struct text_query query; /* what recall was asked for last */
};

/* Prints the variant and looks its text up. */
static bool in_recall(void *user, const struct step *s, bool *interesting)
{
	struct inside *in = user;
	text_query_clear(&in->query);
	model_print(in->m, 0, s, in->query.texts);
	return recall_find(&in->recall, &in->query, interesting);
}

static bool ask_text(struct inside *in)
{
	bool yes = in->p->interesting_text(in->p->user, in->query.texts);
	recall_note(&in->recall, &in->query, yes);
	return yes;
}

static enum rc ask_original(struct inside *in, struct err *e)
{
	text_query_clear(&in->query);
	model_print_minimum(in->m, 0, in->query.texts);
	in->p->queries++;
	bool yes = ask_text(in);
	if (in->p->stop && !yes)
		return err_set(e, RC_STOPPED, "stopped at the first test");
	return yes ? RC_OK : RC_NO;
}

static enum rc in_ask(void *user, unsigned slot, const struct step *s, enum answer *answer, struct err *e)
{
	struct inside *in = user;
	(void)e;
	struct variant v = step_variant(s, in->m);
	bool yes = in->p->interesting_text ? ask_text(in) : in->p->interesting(in->p->user, &v, in->m);
	enum answer a = yes ? ANSWER_YES : ANSWER_NO;
	in->p->queries++;
	*answer = a;
	if (in->jobs > 1) {
		in->held[slot] = (struct held){true, in->p->rounds + 1, a};
		*answer = ANSWER_PENDING;
	}
	return RC_OK;
}

static enum rc in_wait(void *user, enum wait_event *ev, unsigned *slot, enum answer *answer, struct err *e)
{
	struct inside *in = user;
	(void)e;
	unsigned at = (unsigned)rng_below(&in->rng, in->jobs);
	while (!in->held[at].used)
		at = (at + 1) % in->jobs;
	for (unsigned i = 0; in->p->in_turn && i < in->jobs; i++)
		if (in->held[i].used && in->held[i].ends < in->held[at].ends)
			at = i;
	in->p->rounds = in->held[at].ends;
	in->held[at].used = false;
	*ev = WAIT_ANSWER;
	*slot = at;
	*answer = in->held[at].answer;
	return RC_OK;
}

static void in_cancel(void *user, unsigned slot)
{
	struct inside *in = user;
	in->held[slot].used = false;
}

static enum wait_event in_interrupted(void *user)
{
	struct inside *in = user;
	bool over = in->p->max_queries && in->p->queries >= in->p->max_queries;
	return in->p->stop || over ? WAIT_STOP : WAIT_NOTHING;
}

static enum rc in_minimum(void *user, struct err *e)
{
	struct inside *in = user;
	(void)e;
	if (in->p->minimum)
		in->p->minimum(in->p->user, in->m);
	return RC_OK;
}

static enum rc in_rebase(void *user, struct err *e)
{
	struct inside *in = user;
	uint32_t n = in->m->n;
	uint32_t *old = mem_dup(in->m->min, mem_mul(n, sizeof *old));
	enum rc rc = RC_OK;
	if (in->p->rebase)
		rc = in->p->rebase(in->m, e);
	else
		model_compact(in->m);
	if (rc == RC_OK)
		engine_rebased(in->engine, old, n);
	free(old);
	return rc;
}

static void in_generated(void *user, const struct variant *v)
{
	struct inside *in = user;
	if (in->p->generated)
		in->p->generated(in->p->user, v);
}

enum rc reduce_in_process(struct in_process *p, struct model *m, struct err *e)
{
	struct engine g = {.model = m, .seed = p->seed};
	struct inside in = {
		.p = p, .m = m, .engine = &g, .jobs = p->shuffle_jobs > 1 ? p->shuffle_jobs : 1, .rng = {p->seed}};
	in.held = mem_zalloc(in.jobs * sizeof *in.held);
	struct asker asker = {
		.user = &in,
		.jobs = in.jobs,
		.recall = p->interesting_text ? in_recall : NULL,
		.ask = in_ask,
		.wait = in_wait,
		.cancel = in_cancel,
		.interrupted = in_interrupted,
		.minimum = in_minimum,
		.rebase = in_rebase,
		.generated = in_generated,
	};
	p->queries = p->rounds = 0;
	g.asker = &asker;
	g.cache = verdicts_new(p->cache, m->symbols, m->min, m->n, p->account_only);
	if (p->watch)
		*p->watch = g.cache;
	text_query_init(&in.query, 1);
	in.recall.off = p->cache == &verdicts_none;
	enum rc rc = p->interesting_text ? ask_original(&in, e) : RC_OK;
	if (rc == RC_OK)
		rc = engine_run(&g, p->algorithm, NULL, e);
	p->candidates = g.generated;
	p->hits = g.hits + in.recall.hits;
	p->merges = g.merges;
	p->stats = verdicts_stats(g.cache);
	p->complete = !g.stopped;
	if (p->watch)
		*p->watch = NULL;
	verdicts_free(g.cache);
	text_query_release(&in.query);
	recall_release(&in.recall);
	free(in.held);
	return rc;
}
