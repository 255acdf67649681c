/* SPDX-License-Identifier: MIT */
/* What the stages may cost. The solver's answers in this stream set the price: a part may take about as long as the
 * cheaper quarter of them, and a stage that has spent more than its answers saved is skipped until the books are even
 * again (each query that passes it by adds a little). */
#include "smt/decide/internal.h"

#include <stdlib.h>

/* Steps of the search per second, about; the price of an answer before the solver has been asked anything; what a
 * stage may spend before it has saved anything. */
#define STEPS_PER_SECOND 20e6
#define FIRST_PRICE 0.01
#define ALLOWANCE 0.02

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
	c->quartile = sorted[n / 4];
}

static double price(const struct decide *d)
{
	return d->costs.n ? d->costs.quartile : FIRST_PRICE;
}

uint64_t budget_steps(const struct decide *d)
{
	double steps = 4 * price(d) * STEPS_PER_SECOND;
	return steps < 200000 ? 200000 : steps > 20e6 ? (uint64_t)20e6 : (uint64_t)steps;
}

bool budget_worth(struct decide *d, enum decide_stage stage)
{
	struct decide_stage_stats *s = &d->stats.stage[stage];
	double saved = (double)(s->sat + s->unsat) * price(d);
	/* two hundredths of what the solver took since are risked on another try */
	s->off = s->seconds > ALLOWANCE + saved + 0.02 * d->costs.total;
	return !s->off;
}
