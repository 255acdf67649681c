/* SPDX-License-Identifier: MIT */
/* What the stages may cost. The solver's answers in this stream set the price: an answer is worth what the cheaper
 * three quarters of them took, a part may take half as long as those that nobody else could answer, and a stage that
 * has spent more than its answers saved is skipped, as is the whole chain, until the books are even again: each
 * answer of the solver's adds a little. */
#include "smt/decide/internal.h"

#include <stdlib.h>

/* Steps of the search per second at most, and before they are measured; at least; for how many seconds they are
 * measured first; the price of an answer before the solver has been asked anything; what may be spent before anything
 * is saved; the share of the solver's time that is risked on another try; the share of what all stages saved that one
 * of them may spend. */
#define STEPS_PER_SECOND 20e6
#define SLOWEST_STEPS 2e6
#define KNOWN_AFTER 0.05
#define FIRST_PRICE 0.01
#define ALLOWANCE 0.02
#define RISK 0.01
#define SHARED 0.25

static int ascending(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;
	return x < y ? -1 : x > y;
}

void costs_add(struct costs *c, double seconds)
{
	float sorted[COSTS];
	c->seconds[c->n++ % COSTS] = (float)seconds;
	c->total += seconds;
	size_t n = c->n < COSTS ? (size_t)c->n : COSTS;
	for (size_t i = 0; i < n; i++)
		sorted[i] = c->seconds[i];
	qsort(sorted, n, sizeof *sorted, ascending);
	size_t cheaper = n - n / 4;
	c->price = 0;
	for (size_t i = 0; i < cheaper; i++)
		c->price += sorted[i] / (double)cheaper;
}

static double price(const struct decide *d)
{
	return d->costs.n ? d->costs.price : FIRST_PRICE;
}

/* Large circuits do not fit into the processor's caches: their steps take several times as long. */
static double steps_per_second(const struct decide *d)
{
	double rate = d->steps_s > KNOWN_AFTER ? (double)d->steps / d->steps_s : STEPS_PER_SECOND;
	return rate < SLOWEST_STEPS ? SLOWEST_STEPS : rate > STEPS_PER_SECOND ? STEPS_PER_SECOND : rate;
}

void budget_searched(struct decide *d, bool answered, double seconds, uint64_t steps)
{
	struct decide_stage_stats *s = &d->stats.stage[STAGE_BITS];
	double miss = d->misses ? d->missed_s / (double)d->misses : 0, worth = miss > price(d) ? miss : price(d);
	d->steps += steps;
	d->steps_s += seconds;
	/* an answer that took longer than the solver takes for what is left to it is a loss too */
	s->failed_s += !answered ? seconds : seconds > worth ? seconds - worth : 0;
}

uint64_t budget_steps(const struct decide *d)
{
	/* what gets as far as the solver is harder than the rest: a miss may cost half of what such queries cost it */
	double miss = d->misses ? d->missed_s / (double)d->misses : 0;
	double steps = (miss > 6 * price(d) ? miss / 2 : 3 * price(d)) * steps_per_second(d);
	return steps < 200000 ? 200000 : steps > 60e6 ? (uint64_t)60e6 : (uint64_t)steps;
}

/* What all stages together have saved. */
static double saved(const struct decide *d)
{
	uint64_t answers = 0;
	for (size_t i = 0; i < DECIDE_STAGES; i++)
		answers += d->stats.stage[i].sat + d->stats.stage[i].unsat;
	return (double)answers * price(d);
}

bool budget_worth(struct decide *d, enum decide_stage stage)
{
	struct decide_stage_stats *s = &d->stats.stage[stage];
	double own = (double)(s->sat + s->unsat) * price(d);
	s->off = s->failed_s > ALLOWANCE + own + SHARED * saved(d) + RISK * d->costs.total;
	return !s->off;
}

bool budget_chain(const struct decide *d)
{
	double failed = d->stats.seconds - d->stats.stage[STAGE_BITS].seconds; /* which has books of its own */
	for (size_t i = 0; i < STAGE_BITS; i++)
		failed -= d->stats.stage[i].seconds - d->stats.stage[i].failed_s;
	return failed <= ALLOWANCE + saved(d) + RISK * d->costs.total;
}
