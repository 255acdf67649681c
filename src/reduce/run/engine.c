/* SPDX-License-Identifier: MIT */
/* The engine: see engine.h. Here is the loop over passes and the loop of one pass; what a pass run consists of is in
 * pass_run.h. */
#include "reduce/run/engine.h"

#include "reduce/run/pass_run.h"

#include <string.h>

enum rc new_minimum(struct engine *g, const struct step *s, struct err *e)
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

/* The orphan whose test runs in that slot, taken from v; NULL: none. */
static struct link *take(struct links *v, unsigned slot)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->at[i]->status == LINK_RUNNING && v->at[i]->slot == slot)
			return links_take(v, i);
	return NULL;
}

static enum rc answered(struct pass_run *r, unsigned slot, enum answer a, struct err *e)
{
	r->busy[slot] = false;
	if (r->merging && r->merging->slot == slot)
		return merge_done(r, a, true, e);
	struct link *k = take(&r->orphans, slot);
	if (k)
		return orphan_done(r, k, a == ANSWER_YES, e);
	for (size_t i = 0; i < r->chain.n; i++) {
		if (r->chain.at[i]->status != LINK_RUNNING || r->chain.at[i]->slot != slot)
			continue;
		if (a == ANSWER_YES)
			return chain_success(r, i, e);
		chain_failure(r, i);
		break;
	}
	return RC_OK;
}

/* Starts tests until every slot is busy or there is nothing more to ask for now. */
static enum rc fill(struct pass_run *r, struct err *e)
{
	unsigned jobs = r->engine->asker->jobs;
	enum rc rc = merge_start(r, e);
	while (rc == RC_OK && !r->exhausted && slots_busy(r) < jobs && r->chain.n < 4 * (size_t)jobs) {
		bool made;
		rc = chain_extend(r, &made, e);
		if (!made)
			break;
		if (rc == RC_OK)
			rc = merge_start(r, e);
		if (r->engine->asker->interrupted(r->engine->asker->user) != WAIT_NOTHING)
			break;
	}
	return rc;
}

static void run_clean(struct pass_run *r)
{
	while (r->chain.n)
		link_cancel(r, vec_pop(&r->chain));
	while (r->orphans.n)
		link_cancel(r, vec_pop(&r->orphans));
	if (r->merging)
		link_cancel(r, r->merging);
	merge_clear(r);
	if (r->main)
		r->pass->free(r->main);
	vec_release_all(&r->to_merge, &r->chain, &r->orphans);
	free(r->busy);
}

static void obey(struct pass_run *r, enum wait_event ev)
{
	if (ev == WAIT_STOP)
		r->engine->stopped = true;
	else if (ev == WAIT_SKIP)
		r->skip = true;
}

static enum rc run_pass_once(struct engine *g, const struct pass *p, bool *skip, struct err *e)
{
	const struct asker *q = g->asker;
	struct pass_run r = {.engine = g, .pass = p};
	r.busy = mem_zalloc(q->jobs * sizeof *r.busy);
	r.main = p->start(g->model, g->seed);
	enum rc rc = RC_OK;
	while (rc == RC_OK && !g->stopped && !r.skip) {
		obey(&r, q->interrupted(q->user));
		if (g->stopped || r.skip)
			break;
		rc = fill(&r, e);
		if (rc == RC_OK)
			pass_run_check(&r);
		if (rc != RC_OK || !slots_busy(&r)) {
			if (r.exhausted && !r.chain.n && !r.to_merge.n)
				break;
			continue;
		}
		enum wait_event ev = WAIT_NOTHING;
		unsigned slot;
		enum answer a;
		rc = q->wait(q->user, &ev, &slot, &a, e);
		if (rc == RC_OK && ev == WAIT_ANSWER)
			rc = answered(&r, slot, a, e);
		else if (rc == RC_OK)
			obey(&r, ev);
		if (rc == RC_OK)
			pass_run_check(&r);
	}
	*skip = r.skip;
	run_clean(&r);
	return rc;
}

/* ---- passes and algorithms */

static enum rc run_pass(struct engine *g, const struct pass *p, struct err *e)
{
	bool again = true, skip = false;
	enum rc rc = RC_OK;
	if (g->asker->pass_begins)
		g->asker->pass_begins(g->asker->user, p);
	while (rc == RC_OK && again && !skip && !g->stopped) {
		uint64_t before = g->model->version;
		rc = run_pass_once(g, p, &skip, e);
		bool changed = g->model->version != before;
		if (rc == RC_OK && changed && !g->stopped)
			rc = g->asker->rebase(g->asker->user, e);
		again = changed && (p->flags & PASS_FIXPOINT);
	}
	if (g->asker->pass_ended)
		g->asker->pass_ended(g->asker->user, p);
	return rc;
}

static bool listed(const struct strings *v, const char *name)
{
	for (size_t i = 0; v && i < v->n; i++)
		if (strcmp(v->at[i], name) == 0)
			return true;
	return false;
}

static bool has_tree(const struct model *m)
{
	for (size_t i = 0; i < m->n_files; i++)
		if (m->file[i].tree)
			return true;
	return false;
}

enum rc engine_run(struct engine *g, const struct algorithm *a, const struct strings *skip, struct err *e)
{
	enum rc rc = RC_OK;
	uint64_t before;
	do {
		before = g->successes;
		for (const char *const *name = a->passes; *name && rc == RC_OK && !g->stopped; name++) {
			const struct pass *p = pass_find(*name);
			if (listed(skip, *name) || ((p->flags & PASS_TREE) && !has_tree(g->model)))
				continue;
			rc = run_pass(g, p, e);
		}
	} while (rc == RC_OK && a->loop && !g->stopped && g->successes != before);
	return rc;
}
