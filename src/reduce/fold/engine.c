/* SPDX-License-Identifier: MIT */
/* The engine: see engine.h. Here is what both ways to run it share. */
#include "reduce/fold/engine.h"

#include "reduce/fold/fold.h"
#include "reduce/fold/sequence.h"

#include <string.h>

enum rc engine_minimum(struct engine *g, const struct step *s, struct err *e)
{
	struct model *m = g->model;
	uint32_t n_old = m->n;
	uint32_t *old = mem_dup(m->min, mem_mul(n_old, sizeof *old));
	model_apply(m, s);
	g->successes++;
	struct min_change ch = {old, m->min, n_old, m->n, s->rewrite.n == 0, s->gaps.at, s->gaps.n};
	verdicts_refresh(g->cache, &ch);
	free(old);
	model_check(m);
	verdicts_check(g->cache, m->min, m->n);
	return g->asker->minimum(g->asker->user, e);
}

void engine_rebased(struct engine *g, const uint32_t *old, uint32_t n)
{
	const struct model *m = g->model;
	if (n == m->n && (n == 0 || memcmp(old, m->min, n * sizeof *old) == 0))
		return;
	struct min_change ch = {old, m->min, n, m->n, false, NULL, 0};
	verdicts_refresh(g->cache, &ch);
}

enum rc engine_run(struct engine *g, const struct algorithm *a, const struct strings *skip, struct err *e)
{
	struct plan plan;
	plan_init(&plan, g, a, skip);
	enum rc rc = g->asker->jobs > 1 || (g->asker->slots > 1 && !g->in_order) ? fold_run(&plan, e)
										 : sequence_run(&plan, e);
	plan_release(&plan);
	return rc;
}
