/* SPDX-License-Identifier: MIT */
/* The order of passes: see plan.h. */
#include "reduce/run/plan.h"

#include <string.h>

void plan_init(struct plan *p, struct engine *g, const struct algorithm *a, const struct strings *skip)
{
	*p = (struct plan){.engine = g, .algorithm = a, .skip = skip, .passes = a->passes, .turn = g->successes};
}

void plan_release(struct plan *p)
{
	const struct asker *q = p->engine->asker;
	if (p->state)
		pass_free(p->pass, p->state);
	if ((p->state || p->again) && q->pass_ended)
		q->pass_ended(q->user, p->pass);
	p->state = NULL;
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

/* The pass to run, or none: p->at stands on it. */
static const struct pass *find_pass(struct plan *p)
{
	for (;;) {
		const char *name = p->passes[p->at];
		if (!name && p->algorithm->loop && p->engine->successes != p->turn) {
			p->at = 0;
			p->turn = p->engine->successes;
			continue;
		}
		if (!name)
			return NULL;
		const struct pass *pass = pass_find(name);
		if (!listed(p->skip, name) && !((pass->flags & PASS_TREE) && !has_tree(p->engine->model)))
			return pass;
		p->at++;
	}
}

bool plan_begin(struct plan *p)
{
	const struct asker *q = p->engine->asker;
	if (p->state)
		return true;
	bool again = p->again;
	if (!again)
		p->pass = find_pass(p);
	if (!p->pass)
		return false;
	if (!again && q->pass_begins)
		q->pass_begins(q->user, p->pass);
	p->again = p->told_late = false;
	p->run++;
	p->version = p->engine->model->version;
	p->state = pass_start(p->pass, p->engine->model);
	return true;
}

/* The minimum by another grain; the passes given start with it. */
static enum rc regrain(struct plan *p, enum grain to, const char *const *passes, bool *changed, struct err *e)
{
	const struct asker *q = p->engine->asker;
	enum rc rc = q->regrain(q->user, to, changed, e);
	if (rc == RC_OK && *changed) {
		p->passes = passes;
		p->at = 0;
		p->turn = p->stage = p->engine->successes;
	}
	return rc;
}

enum rc plan_regrain(struct plan *p, bool *more, struct err *e)
{
	const struct algorithm *a = p->algorithm;
	bool found = p->stage != p->engine->successes;
	*more = false;
	if (!p->engine->asker->regrain || !a->by_chars || p->engine->stopped)
		return RC_OK;
	if (p->passes == a->by_chars)
		return found ? regrain(p, GRAIN_COARSE, a->last, more, e) : RC_OK;
	if (p->passes == a->last)
		return found ? regrain(p, GRAIN_CHARS, a->by_chars, more, e) : RC_OK;
	enum rc rc = regrain(p, GRAIN_FINER, a->passes, more, e);
	return rc == RC_OK && !*more ? regrain(p, GRAIN_CHARS, a->by_chars, more, e) : rc;
}

bool plan_runs_again(const struct plan *p)
{
	return (p->pass->flags & PASS_FIXPOINT) && p->engine->model->version != p->version;
}

bool plan_may_leave(const struct plan *p)
{
	if (p->pass->flags & PASS_WHOLE)
		return false;
	return p->algorithm->loop || plan_runs_again(p);
}

enum rc plan_end_run(struct plan *p, bool skip, struct err *e)
{
	struct engine *g = p->engine;
	bool changed = g->model->version != p->version;
	enum rc rc = RC_OK;
	pass_free(p->pass, p->state);
	p->state = NULL;
	if (changed && !g->stopped)
		rc = g->asker->rebase(g->asker->user, e);
	/* what was told late may have made the pass leave something out */
	bool repeat = (p->pass->flags & PASS_FIXPOINT) || (p->told_late && !p->algorithm->loop);
	p->again = rc == RC_OK && changed && repeat && !skip && !g->stopped;
	if (p->again)
		return RC_OK;
	p->at++;
	if (g->asker->pass_ended)
		g->asker->pass_ended(g->asker->user, p->pass);
	return rc;
}
