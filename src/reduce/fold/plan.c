/* SPDX-License-Identifier: MIT */
/* The order of passes: see plan.h. */
#include "reduce/fold/plan.h"

#include "base/invariant.h"
#include "data/digest.h"

#include <string.h>

void plan_init(struct plan *p, struct engine *g, const struct algorithm *a, const struct strings *skip)
{
	*p = (struct plan){
		.engine = g, .algorithm = a, .skip = skip, .passes = a->passes, .turn = g->successes, .back = SIZE_MAX};
}

static void drop_ahead(struct plan *p)
{
	while (p->ahead.n) {
		struct plan_run r = vec_pop(&p->ahead);
		pass_free(r.pass, r.state);
	}
}

void plan_release(struct plan *p)
{
	const struct asker *q = p->engine->asker;
	if (p->now.state)
		pass_free(p->now.pass, p->now.state);
	if ((p->now.state || p->again) && q->pass_ended)
		q->pass_ended(q->user, p->now.pass);
	p->now.state = NULL;
	drop_ahead(p);
	vec_release_all(&p->ahead, &p->begun, &p->places);
}

/* Whether the passes from number at on may begin with the minimum of now: not a second time. */
static bool begins_first(struct plan *p, size_t at)
{
	const struct model *m = p->engine->model;
	uint64_t where[] = {(uint64_t)(uintptr_t)p->passes, at};
	uint64_t key = hash64_seed(m->min, m->n * sizeof *m->min, hash64(where, sizeof where));
	for (size_t i = 0; i < p->begun.n; i++)
		if (p->begun.at[i] == key)
			return false;
	vec_push(&p->begun, key);
	return true;
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

/* The first pass to run from *at on, or none before the end. */
static const struct pass *find_from(const struct plan *p, size_t *at)
{
	for (const char *name; (name = p->passes[*at]); ++*at) {
		const struct pass *pass = pass_find(name);
		if (!listed(p->skip, name) && !((pass->flags & PASS_TREE) && !has_tree(p->engine->model)))
			return pass;
	}
	return NULL;
}

/* Whether another turn follows this one, as far as is known. */
static bool turns_again(const struct plan *p)
{
	return p->algorithm->loop && p->engine->successes != p->turn;
}

/* The pass to run, or none: p->at stands on it. */
static const struct pass *find_pass(struct plan *p)
{
	const struct pass *pass = find_from(p, &p->at);
	if (pass || !turns_again(p) || !begins_first(p, 0))
		return pass;
	p->at = 0;
	p->turn = p->engine->successes;
	return find_from(p, &p->at);
}

static struct plan_run begin(struct plan *p, const struct pass *pass, size_t at)
{
	vec_push(&p->places, at);
	return (struct plan_run){.pass = pass,
				 .state = pass_start(pass, p->engine->model),
				 .number = ++p->runs,
				 .at = at,
				 .version = p->engine->model->version};
}

struct plan_run *plan_ahead(struct plan *p, size_t i)
{
	if (i < p->ahead.n)
		return &p->ahead.at[i];
	size_t last = p->ahead.n ? vec_last(&p->ahead).at : p->at, at = last + 1;
	const struct pass *pass = find_from(p, &at);
	if (!pass && turns_again(p) && last >= p->at) {
		at = 0;
		pass = find_from(p, &at);
	}
	/* once round, at most */
	if (!pass || at == p->at || (last < p->at && at > p->at))
		return NULL;
	struct plan_run r = begin(p, pass, at);
	vec_push(&p->ahead, r);
	return &vec_last(&p->ahead);
}

struct plan_run *plan_find_run(struct plan *p, uint32_t number)
{
	if (p->now.state && p->now.number == number)
		return &p->now;
	for (size_t i = 0; i < p->ahead.n; i++)
		if (p->ahead.at[i].number == number)
			return &p->ahead.at[i];
	return NULL;
}

/* The run that began ahead of its turn, which has come. */
static bool take_ahead(struct plan *p)
{
	if (!p->ahead.n || p->ahead.at[0].at != p->at) {
		drop_ahead(p);
		return false;
	}
	p->now = p->ahead.at[0];
	memmove(p->ahead.at, p->ahead.at + 1, --p->ahead.n * sizeof *p->ahead.at);
	return true;
}

void plan_missed(struct plan *p, uint32_t number)
{
	INVARIANT(p->places.n == p->runs);
	if (number <= p->others || number > p->runs || plan_find_run(p, number))
		return;
	if (p->places.at[number - 1] < p->back)
		p->back = p->places.at[number - 1];
}

/* Goes back to a pass of which a success came to nothing. */
static void go_back(struct plan *p)
{
	const struct asker *q = p->engine->asker;
	if (p->back < p->at && begins_first(p, p->back)) {
		if (p->again && q->pass_ended)
			q->pass_ended(q->user, p->now.pass);
		p->again = false;
		p->at = p->back;
	}
	p->back = SIZE_MAX;
}

bool plan_begin(struct plan *p)
{
	const struct asker *q = p->engine->asker;
	if (p->now.state)
		return true;
	go_back(p);
	bool again = p->again;
	if (!again)
		p->now.pass = find_pass(p);
	if (!p->now.pass)
		return false;
	if (!again && q->pass_begins)
		q->pass_begins(q->user, p->now.pass);
	p->again = false;
	if (!take_ahead(p))
		p->now = begin(p, p->now.pass, p->at);
	return true;
}

/* The minimum by another grain; the passes given start with it. */
static enum rc regrain(struct plan *p, enum grain to, const char *const *passes, bool *changed, struct err *e)
{
	const struct asker *q = p->engine->asker;
	enum rc rc = q->regrain(q->user, to, changed, e);
	if (rc == RC_OK && *changed) {
		drop_ahead(p);
		p->passes = passes;
		p->at = 0;
		p->others = p->runs;
		p->back = SIZE_MAX;
		*changed = begins_first(p, 0);
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
	return (p->now.pass->flags & PASS_FIXPOINT) && p->engine->model->version != p->now.version;
}

bool plan_may_leave(const struct plan *p)
{
	if (p->now.pass->flags & PASS_WHOLE)
		return false;
	return p->algorithm->loop || plan_runs_again(p);
}

enum rc plan_end_run(struct plan *p, bool skip, struct err *e)
{
	struct engine *g = p->engine;
	bool changed = g->model->version != p->now.version;
	enum rc rc = RC_OK;
	pass_free(p->now.pass, p->now.state);
	p->now.state = NULL;
	if (changed || skip)
		drop_ahead(p);
	if (changed && !g->stopped)
		rc = g->asker->rebase(g->asker->user, e);
	/* what was told late may have made the pass leave something out */
	bool repeat = (p->now.pass->flags & PASS_FIXPOINT) || (p->now.told_late && !p->algorithm->loop);
	p->again = rc == RC_OK && changed && repeat && !skip && !g->stopped && begins_first(p, p->at);
	if (p->again)
		return RC_OK;
	p->at++;
	if (g->asker->pass_ended)
		g->asker->pass_ended(g->asker->user, p->now.pass);
	return rc;
}
