/* SPDX-License-Identifier: MIT */
/* The engine: see engine.h.
 *
 * Invariants of a pass run: chain[0 … n−1] are the candidates not yet decided, oldest first, each with the state
 * that made it (which waits for its result); link i+1's state is a clone of link i's that was told "failed". `main`
 * holds the state while the chain is empty. Every link and every merge attempt was made against the current
 * minimum; orphans were made against an older one. */
#include "reduce/run/engine.h"

#include "reduce/model/symbols.h"

#include <string.h>

enum link_status { LINK_RUNNING, LINK_FAILED };

struct link {
	void *state; /* NULL: an orphan or a merge attempt */
	struct edit edit;
	struct step step;
	unsigned slot;
	enum link_status status;
	bool all; /* a merge attempt of everything there is to merge */
	/* what is being tested, kept when the minimum it was made against goes */
	uint32_t *text;
	uint32_t n_text;
};

struct links {
	VEC_FIELDS(struct link *);
};

struct run {
	struct engine *g;
	const struct pass *pass;
	void *main;
	struct links chain;
	struct links orphans;
	struct link *merging; /* a merge attempt under way */
	struct edit *merge;   /* deletions still to be tried on top of the minimum, oldest first */
	size_t n_merge, cap_merge;
	bool *busy;      /* slots */
	bool one_by_one; /* trying all of them together failed */
	bool exhausted, skip;
};

static struct link *link_new(void)
{
	return mem_zalloc(sizeof(struct link));
}

static void link_free(struct run *r, struct link *k)
{
	if (k->state)
		r->pass->free(k->state);
	edit_release(&k->edit);
	step_release(&k->step);
	free(k->text);
	free(k);
}

static void link_cancel(struct run *r, struct link *k)
{
	if (k->status == LINK_RUNNING) {
		r->g->asker->cancel(r->g->asker->user, k->slot);
		r->busy[k->slot] = false;
	}
	link_free(r, k);
}

/* The minimum is about to go: writes down what k tests. */
static void link_keep_text(struct run *r, struct link *k)
{
	if (k->status != LINK_RUNNING || k->text)
		return;
	struct variant v = step_variant(&k->step, r->g->model);
	k->text = mem_alloc(mem_mul((size_t)v.n + 1, sizeof *k->text));
	k->n_text = v.n;
	variant_symbols(&v, k->text);
}

static bool link_tests(const struct run *r, const struct link *k, const struct step *s)
{
	if (!k->text || k->n_text != s->n)
		return false;
	struct variant v = step_variant(s, r->g->model);
	uint32_t *now = mem_alloc(mem_mul((size_t)v.n + 1, sizeof *now));
	variant_symbols(&v, now);
	bool same = v.n == 0 || memcmp(now, k->text, v.n * sizeof *now) == 0;
	free(now);
	return same;
}

static unsigned slots_busy(const struct run *r)
{
	unsigned n = 0;
	for (unsigned i = 0; i < r->g->asker->jobs; i++)
		n += r->busy[i];
	return n;
}

static unsigned free_slot(const struct run *r)
{
	unsigned i = 0;
	while (r->busy[i])
		i++;
	return i;
}

/* ---- the cache and the minimum */

static void remember_failure(struct run *r, const struct link *k)
{
	struct variant v = step_variant(&k->step, r->g->model);
	verdicts_add(r->g->cache, &v);
}

static enum rc new_minimum(struct engine *g, const struct step *s, struct err *e)
{
	struct model *m = g->model;
	uint32_t n_old = m->n;
	uint32_t *old = mem_dup(m->min, mem_mul(n_old, sizeof *old));
	model_apply(m, s);
	g->successes++;
	struct min_change ch = {old, m->min, n_old, m->n, s->rewrite.n == 0, s->gaps.at, s->gaps.n};
	verdicts_refresh(g->cache, &ch);
	free(old);
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

static bool guarded(const struct model *m, const struct edit *e)
{
	if (!m->guard)
		return false;
	for (size_t i = 0; i < e->remove.n; i++) {
		struct span s = e->remove.at[i];
		uint32_t to = s.to < m->n_tokens ? s.to : m->n_tokens;
		if (s.from < to && m->guard[to] != m->guard[s.from])
			return true;
	}
	for (size_t i = 0; i < e->rewrite.n; i++)
		if (m->guard[e->rewrite.at[i].token + 1] != m->guard[e->rewrite.at[i].token])
			return true;
	return false;
}

/* ---- candidates */

/* Whether both steps make the same text of the minimum. */
static bool same_step(const struct run *r, const struct step *a, const struct step *b)
{
	struct variant v = step_variant(a, r->g->model), w = step_variant(b, r->g->model);
	return variant_same(&v, &w);
}

static bool in_flight(const struct run *r, const struct step *s)
{
	for (size_t i = 0; i < r->chain.n; i++)
		if (r->chain.at[i]->status == LINK_RUNNING && same_step(r, &r->chain.at[i]->step, s))
			return true;
	return r->merging && same_step(r, &r->merging->step, s);
}

/* What is known about k->edit without a test: yes (it changes nothing), no, or pending (a test is needed). */
static enum answer known(struct run *r, struct link *k)
{
	struct engine *g = r->g;
	if (guarded(g->model, &k->edit))
		return ANSWER_NO;
	if (!step_make(&k->step, g->model, &k->edit))
		return ANSWER_YES;
	struct variant v = step_variant(&k->step, g->model);
	g->generated++;
	if (g->asker->generated)
		g->asker->generated(g->asker->user, &v);
	if (verdicts_has(g->cache, &v)) {
		g->hits++;
		return ANSWER_NO;
	}
	/* the test that runs now decides: if it succeeds, whoever came later in the chain is forgotten anyway */
	return in_flight(r, &k->step) ? ANSWER_NO : ANSWER_PENDING;
}

/* An orphan that tests just this step. */
static size_t orphan_with(const struct run *r, const struct step *s)
{
	size_t i = 0;
	while (i < r->orphans.n && !link_tests(r, r->orphans.at[i], s))
		i++;
	return i;
}

static struct link *links_take(struct links *v, size_t at)
{
	struct link *k = v->at[at];
	memmove(v->at + at, v->at + at + 1, (--v->n - at) * sizeof *v->at);
	return k;
}

/* An edit that was made for another minimum must not bring a longer word back. */
static bool lengthens(const struct model *m, const struct step *s)
{
	for (size_t i = 0; i < s->rewrite.n; i++)
		if (m->symbols &&
		    m->symbols->at[s->rewrite.at[i].sym].len >= m->symbols->at[m->sym[s->rewrite.at[i].token]].len)
			return true;
	return false;
}

static enum rc ask(struct run *r, struct link *k, enum answer *a, struct err *e)
{
	size_t orphan = orphan_with(r, &k->step);
	if (orphan < r->orphans.n) {
		struct link *o = links_take(&r->orphans, orphan);
		k->slot = o->slot;
		k->status = LINK_RUNNING;
		link_free(r, o);
		*a = ANSWER_PENDING;
		return RC_OK;
	}
	k->slot = free_slot(r);
	r->g->asked++;
	enum rc rc = r->g->asker->ask(r->g->asker->user, k->slot, &k->step, a, e);
	if (rc == RC_OK && *a == ANSWER_PENDING) {
		r->busy[k->slot] = true;
		k->status = LINK_RUNNING;
	}
	return rc;
}

/* ---- outcomes */

static void merge_later(struct run *r, struct edit *edit)
{
	r->merge = vec_grow(r->merge, &r->cap_merge, r->n_merge, 1, sizeof *r->merge);
	r->merge[r->n_merge++] = *edit;
	*edit = (struct edit){0};
}

/* Makes s the step from the minimum of today to what k tests; false when there is none. */
static bool step_to_text(const struct run *r, const struct link *k, struct step *s)
{
	const struct model *m = r->g->model;
	if (step_make(s, m, &k->edit) && link_tests(r, k, s))
		return !lengthens(m, s);
	struct edit way = {0};
	bool found = edit_embed(&way, m, k->text, k->n_text) && !guarded(m, &way) && step_make(s, m, &way);
	edit_release(&way);
	return found;
}

/* The minimum moved: a test of what is no part of the new one is pointless; any other goes on as an orphan, because the
 * pass may well come to it again. */
static void link_leave(struct run *r, struct link *k)
{
	struct step s = {0};
	if (k->status == LINK_RUNNING && step_to_text(r, k, &s)) {
		r->pass->free(k->state);
		k->state = NULL;
		vec_push(&r->orphans, k);
	} else {
		link_cancel(r, k);
	}
	step_release(&s);
}

static void keep_texts(struct run *r)
{
	for (size_t i = 0; i < r->chain.n; i++)
		link_keep_text(r, r->chain.at[i]);
	if (r->merging) {
		/* made against the minimum that is about to go */
		link_keep_text(r, r->merging);
		vec_push(&r->orphans, r->merging);
		r->merging = NULL;
	}
}

static enum rc chain_success(struct run *r, size_t at, struct err *e)
{
	struct link *won = r->chain.at[at];
	won->status = LINK_FAILED; /* it runs no more */
	keep_texts(r);
	enum rc rc = new_minimum(r->g, &won->step, e);
	while (r->chain.n > at + 1)
		link_leave(r, vec_pop(&r->chain));
	for (size_t i = 0; i < at; i++) {
		struct link *k = r->chain.at[i];
		if (k->status == LINK_RUNNING) {
			r->pass->free(k->state);
			k->state = NULL;
			vec_push(&r->orphans, k);
		} else {
			link_free(r, k);
		}
	}
	vec_clear(&r->chain);
	r->exhausted = false;
	r->main = won->state;
	won->state = NULL;
	r->pass->result(r->main, true);
	link_free(r, won);
	return rc;
}

/* Drops decided links from the front; the last state of all becomes the main one again. */
static void chain_settle(struct run *r)
{
	size_t n = 0;
	while (n < r->chain.n && r->chain.at[n]->status == LINK_FAILED)
		n++;
	for (size_t i = 0; i < n; i++) {
		struct link *k = r->chain.at[i];
		if (i + 1 == r->chain.n) {
			r->main = k->state;
			k->state = NULL;
			r->pass->result(r->main, false);
		}
		link_free(r, k);
	}
	memmove(r->chain.at, r->chain.at + n, (r->chain.n - n) * sizeof *r->chain.at);
	r->chain.n -= n;
}

static void chain_failure(struct run *r, size_t at)
{
	remember_failure(r, r->chain.at[at]);
	r->chain.at[at]->status = LINK_FAILED;
	chain_settle(r);
}

/* The test of k is not k's any more: it goes on as an orphan if it may be of use and there is room for another, or
 * ends. */
static void test_leaves(struct run *r, struct link *k)
{
	struct step s = {0};
	if (slots_busy(r) < r->g->asker->jobs && step_to_text(r, k, &s)) {
		struct link *o = link_new();
		o->status = LINK_RUNNING;
		o->slot = k->slot;
		o->text = k->text;
		o->n_text = k->n_text;
		k->text = NULL;
		vec_push(&r->orphans, o);
	} else {
		r->g->asker->cancel(r->g->asker->user, k->slot);
		r->busy[k->slot] = false;
	}
	step_release(&s);
}

/* Asks the head of the chain again, against a minimum that moved; a test that is of the same text goes on. */
static enum rc chain_restart(struct run *r, struct err *e)
{
	if (!r->chain.n)
		return RC_OK;
	struct link *k = r->chain.at[0];
	bool runs = k->status == LINK_RUNNING;
	k->status = LINK_FAILED; /* not running while we look */
	enum answer a = known(r, k);
	if (a == ANSWER_PENDING && lengthens(r->g->model, &k->step))
		a = ANSWER_NO;
	bool goes_on = runs && a == ANSWER_PENDING && link_tests(r, k, &k->step);
	if (runs && !goes_on)
		test_leaves(r, k);
	free(k->text);
	k->text = NULL;
	if (goes_on) {
		k->status = LINK_RUNNING;
		return RC_OK;
	}
	enum rc rc = RC_OK;
	bool tested = a == ANSWER_PENDING;
	if (tested)
		rc = ask(r, k, &a, e);
	if (rc != RC_OK || a == ANSWER_PENDING)
		return rc;
	if (a == ANSWER_YES && tested)
		return chain_success(r, 0, e);
	if (tested)
		remember_failure(r, k);
	vec_clear(&r->chain);
	r->main = k->state;
	k->state = NULL;
	r->pass->result(r->main, a == ANSWER_YES);
	link_free(r, k);
	return RC_OK;
}

/* A new minimum that the chain knows nothing of: its oldest candidate is asked again, later guesses are void. */
static enum rc minimum_moves(struct run *r, const struct step *s, struct err *e)
{
	keep_texts(r);
	enum rc rc = new_minimum(r->g, s, e);
	while (r->chain.n > 1)
		link_leave(r, vec_pop(&r->chain));
	r->exhausted = false;
	return rc == RC_OK ? chain_restart(r, e) : rc;
}

static void merge_clear(struct run *r)
{
	for (size_t i = 0; i < r->n_merge; i++)
		edit_release(&r->merge[i]);
	r->n_merge = 0;
	r->one_by_one = false;
}

static enum rc merge_done(struct run *r, enum answer a, bool tested, struct err *e)
{
	struct link *k = r->merging;
	r->merging = NULL;
	enum rc rc = RC_OK;
	if (a == ANSWER_YES && k->all)
		merge_clear(r);
	else if (k->all)
		r->one_by_one = true;
	if (a == ANSWER_YES && tested) {
		r->g->merges++;
		rc = minimum_moves(r, &k->step, e);
	} else if (tested) {
		remember_failure(r, k);
	}
	link_free(r, k);
	return rc;
}

/* What to try next: all that is waiting, or after that failed its first. */
static struct link *merge_next(struct run *r)
{
	struct link *k = link_new();
	k->status = LINK_FAILED;
	k->all = r->n_merge > 1 && !r->one_by_one;
	if (k->all) {
		for (size_t i = 0; i < r->n_merge; i++)
			for (size_t j = 0; j < r->merge[i].remove.n; j++)
				vec_push(&k->edit.remove, r->merge[i].remove.at[j]);
	} else {
		k->edit = r->merge[0];
		memmove(r->merge, r->merge + 1, --r->n_merge * sizeof *r->merge);
		r->one_by_one = r->one_by_one && r->n_merge;
	}
	return k;
}

static enum rc merge_start(struct run *r, struct err *e)
{
	enum rc rc = RC_OK;
	while (rc == RC_OK && r->n_merge && !r->merging && slots_busy(r) < r->g->asker->jobs) {
		struct link *k = merge_next(r);
		enum answer a = known(r, k);
		if (a == ANSWER_PENDING && lengthens(r->g->model, &k->step))
			a = ANSWER_NO;
		bool tested = a == ANSWER_PENDING;
		if (tested)
			rc = ask(r, k, &a, e);
		r->merging = k;
		if (rc == RC_OK && a != ANSWER_PENDING)
			rc = merge_done(r, a, tested, e);
	}
	return rc;
}

static struct link *take(struct links *v, unsigned slot)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->at[i]->status == LINK_RUNNING && v->at[i]->slot == slot)
			return links_take(v, i);
	return NULL;
}

/* A test that was made against an older minimum is over. If its text is part of the new one too, the verdict counts
 * as it is; else a success is a hint what to delete. */
static enum rc orphan_done(struct run *r, struct link *k, bool success, struct err *e)
{
	struct step s = {0};
	enum rc rc = RC_OK;
	bool part = step_to_text(r, k, &s);
	if (part && success) {
		r->g->merges++;
		rc = minimum_moves(r, &s, e);
	} else if (part) {
		struct variant v = step_variant(&s, r->g->model);
		verdicts_add(r->g->cache, &v);
	} else if (success) {
		merge_later(r, &k->edit);
	}
	step_release(&s);
	link_free(r, k);
	return rc;
}

static enum rc answered(struct run *r, unsigned slot, enum answer a, struct err *e)
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

/* ---- making candidates */

/* Takes the state to go on with: the main one, or a clone of the last link's that is told "failed". */
static void *state_for_next(struct run *r)
{
	void *s;
	if (r->chain.n) {
		s = r->pass->clone(vec_last(&r->chain)->state);
		r->pass->result(s, false);
	} else {
		s = r->main;
		r->main = NULL;
	}
	return s;
}

/* Adds one link to the chain. *made is false when the pass has no more candidates for now. */
static enum rc chain_extend(struct run *r, bool *made, struct err *e)
{
	struct link *k = link_new();
	k->status = LINK_FAILED;
	k->state = state_for_next(r);
	*made = false;
	for (;;) {
		edit_clear(&k->edit);
		if (r->g->asker->interrupted && r->g->asker->interrupted(r->g->asker->user) != WAIT_NOTHING)
			break;
		if (!r->pass->next(k->state, &k->edit)) {
			r->exhausted = true;
			break;
		}
		enum answer a = known(r, k);
		if (a == ANSWER_PENDING) {
			enum rc rc = ask(r, k, &a, e);
			if (rc != RC_OK) {
				link_free(r, k);
				return rc;
			}
			vec_push(&r->chain, k);
			*made = true;
			if (a == ANSWER_YES)
				return chain_success(r, r->chain.n - 1, e);
			if (a != ANSWER_PENDING)
				chain_failure(r, r->chain.n - 1);
			return RC_OK;
		}
		r->pass->result(k->state, a == ANSWER_YES);
	}
	if (!r->chain.n) {
		r->main = k->state;
		k->state = NULL;
	}
	link_free(r, k);
	return RC_OK;
}

static enum rc fill(struct run *r, struct err *e)
{
	unsigned jobs = r->g->asker->jobs;
	enum rc rc = merge_start(r, e);
	while (rc == RC_OK && !r->exhausted && slots_busy(r) < jobs && r->chain.n < 4 * (size_t)jobs) {
		bool made;
		rc = chain_extend(r, &made, e);
		if (!made)
			break;
		if (rc == RC_OK)
			rc = merge_start(r, e);
		if (r->g->asker->interrupted && r->g->asker->interrupted(r->g->asker->user) != WAIT_NOTHING)
			break;
	}
	return rc;
}

static void run_clean(struct run *r)
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
	free(r->merge);
	vec_release(&r->chain);
	vec_release(&r->orphans);
	free(r->busy);
}

static void obey(struct run *r, enum wait_event ev)
{
	if (ev == WAIT_STOP)
		r->g->stopped = true;
	else if (ev == WAIT_SKIP)
		r->skip = true;
}

static enum rc run_pass_once(struct engine *g, const struct pass *p, bool *skip, struct err *e)
{
	const struct asker *q = g->asker;
	struct run r = {.g = g, .pass = p};
	r.busy = mem_zalloc(q->jobs * sizeof *r.busy);
	r.main = p->start(g->model, g->seed);
	enum rc rc = RC_OK;
	while (rc == RC_OK && !g->stopped && !r.skip) {
		obey(&r, q->interrupted ? q->interrupted(q->user) : WAIT_NOTHING);
		if (g->stopped || r.skip)
			break;
		rc = fill(&r, e);
		if (rc != RC_OK || !slots_busy(&r)) {
			if (r.exhausted && !r.chain.n && !r.n_merge)
				break;
			continue;
		}
		enum wait_event ev = WAIT_NOTHING;
		unsigned slot;
		enum answer a;
		rc = q->wait(q->user, false, &ev, &slot, &a, e);
		if (rc == RC_OK && ev == WAIT_ANSWER)
			rc = answered(&r, slot, a, e);
		else if (rc == RC_OK)
			obey(&r, ev);
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
