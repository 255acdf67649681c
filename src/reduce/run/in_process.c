/* SPDX-License-Identifier: MIT */
/* Reduction with a function as the test: see in_process.h. The test answers at once; with several jobs its answer is
 * held back until a worker would have been done with it, on a clock of our own. That exercises everything the engine
 * does in parallel without any process, and shows what jobs gain without noise. A test that allows it is called from
 * threads instead (pool.h). Each slot has the text it is asked about: it is known only when the answer has come. */
#include "reduce/run/in_process.h"

#include "base/bits.h"
#include "data/digest.h"
#include "reduce/model/load.h"
#include "reduce/run/pool.h"
#include "reduce/run/recall.h"

#include <math.h>

struct held {
	bool used;
	double begins, ends;
	uint64_t order;
	unsigned worker;
	enum answer answer;
};

struct inside {
	struct in_process *p;
	struct model *m;
	struct engine *engine;
	struct held *held; /* by slot */
	double *free_at;   /* by worker */
	unsigned jobs, slots;
	uint64_t order;
	struct rng rng;
	/* interesting_text */
	struct recall recall;
	struct text_query query;  /* what recall was asked for last */
	struct text_query *asked; /* by slot, with several jobs */
	struct pool *pool;        /* interesting_in_thread */
};

/* A number between 0 and 1, neither of them. */
static double share(struct rng *r)
{
	return ((double)rng_below(r, 1u << 30) + 0.5) / (double)(1u << 30);
}

/* In one run a text takes as long whenever and by whomever it is asked. */
static double duration(const struct inside *in, const struct variant *v, bool yes)
{
	if (in->p->clock != CLOCK_LOGNORMAL && in->p->clock != CLOCK_TIMEOUTS)
		return 1;
	uint32_t *symbols = mem_alloc(mem_mul((size_t)v->n + 1, sizeof *symbols));
	variant_symbols(v, symbols);
	struct rng r = {hash64_seed(symbols, v->n * sizeof *symbols, in->p->seed)};
	free(symbols);
	if (in->p->clock == CLOCK_TIMEOUTS)
		return !yes && share(&r) < 0.02 ? 10 : 1;
	double z = sqrt(-2 * log(share(&r))) * cos(2 * M_PI * share(&r));
	return exp(z - 0.5) / (yes ? 1 : 3);
}

/* Prints the variant and looks its text up. */
static bool in_recall(void *user, const struct step *s, bool *interesting)
{
	struct inside *in = user;
	text_query_clear(&in->query);
	model_print(in->m, 0, s, in->query.texts);
	return recall_find(&in->recall, &in->query, interesting);
}

static uint64_t in_text(void *user)
{
	struct inside *in = user;
	return text_query_hash(&in->query);
}

static bool ask_text(struct inside *in)
{
	bool yes = in->p->interesting_text(in->p->user, in->query.texts);
	recall_note(&in->recall, &in->query, yes);
	return yes;
}

/* The slot takes the text over. */
static struct text_query *give_slot(struct inside *in, unsigned slot)
{
	struct text_query was = in->asked[slot];
	in->asked[slot] = in->query;
	in->query = was;
	return &in->asked[slot];
}

static bool ask_slot(struct inside *in, unsigned slot)
{
	return in->p->interesting_text(in->p->user, give_slot(in, slot)->texts);
}

static enum rc ask_original(struct inside *in, struct err *e)
{
	text_query_clear(&in->query);
	model_print_minimum(in->m, 0, in->query.texts);
	in->p->queries++;
	in->engine->useful++;
	bool yes = ask_text(in);
	if (in->p->stop && !yes)
		return err_set(e, RC_STOPPED, "stopped at the first test");
	return yes ? RC_OK : RC_NO;
}

static enum rc in_ask(void *user, unsigned slot, const struct step *s, enum answer *answer, struct err *e)
{
	struct inside *in = user;
	(void)e;
	if (in->pool) {
		in->p->queries++;
		pool_start(in->pool, slot, give_slot(in, slot)->texts);
		*answer = ANSWER_PENDING;
		return RC_OK;
	}
	struct variant v = step_variant(s, in->m);
	bool yes = !in->p->interesting_text ? in->p->interesting(in->p->user, &v, in->m)
		   : in->asked              ? ask_slot(in, slot)
					    : ask_text(in);
	enum answer a = yes ? ANSWER_YES : ANSWER_NO;
	in->p->queries++;
	*answer = a;
	double takes = duration(in, &v, yes);
	in->p->busy += takes;
	if (in->jobs == 1) {
		in->p->time += takes;
		return RC_OK;
	}
	unsigned w = 0;
	for (unsigned i = 1; i < in->jobs; i++)
		if (in->free_at[i] < in->free_at[w])
			w = i;
	double begins = in->free_at[w] > in->p->time ? in->free_at[w] : in->p->time;
	in->free_at[w] = begins + takes;
	in->held[slot] = (struct held){true, begins, begins + takes, in->order++, w, a};
	*answer = ANSWER_PENDING;
	return RC_OK;
}

/* The answer that comes next. */
static unsigned next_answer(struct inside *in)
{
	unsigned at = (unsigned)rng_below(&in->rng, in->slots);
	while (!in->held[at].used)
		at = (at + 1) % in->slots;
	for (unsigned i = 0; in->p->clock != CLOCK_RANDOM && i < in->slots; i++) {
		const struct held *a = &in->held[i], *b = &in->held[at];
		if (a->used && (a->ends < b->ends || (a->ends == b->ends && a->order < b->order)))
			at = i;
	}
	return at;
}

static void wait_for_thread(struct inside *in, bool block, enum wait_event *ev, unsigned *slot, enum answer *answer)
{
	int said;
	*ev = WAIT_NOTHING;
	if (!pool_wait(in->pool, block, slot, &said))
		return;
	in->p->stop = in->p->stop || said < 0;
	recall_note(&in->recall, &in->asked[*slot], said > 0);
	*ev = WAIT_ANSWER;
	*answer = said > 0 ? ANSWER_YES : ANSWER_NO;
}

static enum rc in_wait(void *user, bool block, enum wait_event *ev, unsigned *slot, enum answer *answer, struct err *e)
{
	struct inside *in = user;
	(void)e;
	if (in->pool) {
		wait_for_thread(in, block, ev, slot, answer);
		return RC_OK;
	}
	unsigned at = next_answer(in);
	double linger = block ? 0 : ENGINE_LINGER * in->p->busy / (double)in->p->queries;
	bool ready = in->p->clock == CLOCK_RANDOM ? rng_below(&in->rng, 2) : in->held[at].ends <= in->p->time + linger;
	*ev = WAIT_NOTHING;
	if (!block && !ready)
		return RC_OK;
	if (in->p->clock != CLOCK_RANDOM)
		in->p->time = in->held[at].ends;
	in->held[at].used = false;
	*ev = WAIT_ANSWER;
	*slot = at;
	*answer = in->held[at].answer;
	if (in->asked)
		recall_note(&in->recall, &in->asked[at], *answer == ANSWER_YES);
	return RC_OK;
}

static void in_cancel(void *user, unsigned slot)
{
	struct inside *in = user;
	struct held *h = &in->held[slot];
	in->p->cancelled++;
	if (in->pool) {
		pool_cancel(in->pool, slot);
		return;
	}
	h->used = false;
	/* the answer is there already: if the text comes again it need not be asked about */
	if (in->asked)
		recall_note(&in->recall, &in->asked[slot], h->answer == ANSWER_YES);
	/* its worker is free from now on, unless it has taken the next test already */
	if (in->free_at[h->worker] == h->ends) {
		double end = h->begins > in->p->time ? h->begins : in->p->time;
		in->p->busy -= h->ends - end;
		in->free_at[h->worker] = end;
	}
}

static enum wait_event in_interrupted(void *user)
{
	struct inside *in = user;
	bool over = in->p->max_queries && in->p->queries >= in->p->max_queries;
	return in->p->stop ? WAIT_STOP : over ? WAIT_ENOUGH : WAIT_NOTHING;
}

static enum rc in_minimum(void *user, struct err *e)
{
	struct inside *in = user;
	(void)e;
	if (in->p->interesting_text) {
		text_query_clear(&in->query);
		model_print_minimum(in->m, 0, in->query.texts);
		recall_minimum(&in->recall, &in->query);
	}
	if (in->p->minimum)
		in->p->minimum(in->p->user, in->m);
	return RC_OK;
}

static enum rc in_rebase(void *user, struct err *e)
{
	struct inside *in = user;
	uint32_t n = in->m->n;
	uint32_t *old = mem_dup(in->m->min, mem_mul(n, sizeof *old));
	enum rc rc = model_rebase(in->m, e);
	if (rc == RC_OK)
		engine_rebased(in->engine, old, n);
	free(old);
	return rc;
}

static enum rc in_regrain(void *user, enum grain to, bool *changed, struct err *e)
{
	struct inside *in = user;
	uint32_t n = in->m->n;
	uint32_t *old = mem_dup(in->m->min, mem_mul(n, sizeof *old));
	enum rc rc = model_regrain(in->m, to, changed, e);
	if (rc == RC_OK && *changed)
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

static void in_pass_ended(void *user, const struct pass *pass)
{
	struct inside *in = user;
	if (in->p->pass_ended)
		in->p->pass_ended(in->p->user, pass);
}

static enum rc start_slots(struct inside *in, struct err *e)
{
	if (!in->p->interesting_text || in->jobs == 1)
		return RC_OK;
	in->asked = mem_zalloc(in->slots * sizeof *in->asked);
	for (unsigned i = 0; i < in->slots; i++)
		text_query_init(&in->asked[i], 1);
	if (!in->p->interesting_in_thread)
		return RC_OK;
	return pool_new(&in->pool, in->jobs, in->slots, in->p->interesting_in_thread, in->p->user, e);
}

static void end_slots(struct inside *in)
{
	pool_free(in->pool);
	for (unsigned i = 0; in->asked && i < in->slots; i++)
		text_query_release(&in->asked[i]);
	free(in->asked);
}

enum rc reduce_in_process(struct in_process *p, struct model *m, struct err *e)
{
	p->algorithm = p->algorithm ? p->algorithm : algorithms[0];
	p->cache = p->cache ? p->cache : verdicts_kinds[0];
	struct engine g = {.model = m, .in_order = p->in_order};
	struct inside in = {.p = p, .m = m, .engine = &g, .jobs = p->jobs > 1 ? p->jobs : 1, .rng = {p->seed}};
	in.slots = p->in_order ? 2 * in.jobs : in.jobs;
	in.held = mem_zalloc(in.slots * sizeof *in.held);
	in.free_at = mem_zalloc(in.jobs * sizeof *in.free_at);
	struct asker asker = {
		.user = &in,
		.jobs = in.jobs,
		.slots = in.slots,
		.recall = p->interesting_text ? in_recall : NULL,
		.text = p->interesting_text ? in_text : NULL,
		.ask = in_ask,
		.wait = in_wait,
		.cancel = in_cancel,
		.interrupted = in_interrupted,
		.minimum = in_minimum,
		.rebase = in_rebase,
		.regrain = p->any_grain ? in_regrain : NULL,
		.generated = in_generated,
		.pass_ended = in_pass_ended,
	};
	p->queries = p->cancelled = 0;
	p->time = p->busy = 0;
	g.asker = &asker;
	g.cache = verdicts_new(p->cache, m->symbols, m->min, m->n, p->account_only);
	if (p->watch)
		*p->watch = g.cache;
	text_query_init(&in.query, 1);
	in.recall.off = p->cache == &verdicts_none;
	enum rc rc = p->interesting_text ? ask_original(&in, e) : RC_OK;
	if (rc == RC_OK)
		rc = start_slots(&in, e);
	if (rc == RC_OK)
		rc = engine_run(&g, p->algorithm, NULL, e);
	p->candidates = g.generated;
	p->hits = g.hits + in.recall.hits;
	p->useful = g.useful;
	p->merges = g.merges;
	p->wasted = g.wasted;
	p->stats = verdicts_stats(g.cache);
	p->complete = !g.stopped;
	if (p->watch)
		*p->watch = NULL;
	verdicts_free(g.cache);
	end_slots(&in);
	text_query_release(&in.query);
	recall_release(&in.recall);
	free(in.held);
	free(in.free_at);
	return rc;
}
