/* SPDX-License-Identifier: MIT */
/* The chain of candidates: each is asked while those before it are still being tested, in the hope that they fail. See
 * engine.h for the idea and pass_run.h for the invariants.
 *
 *	chain    a ── b ── c ── d      b is tested and fails: it stays until a is decided, then both go
 *	         ?    ✗    ?    ?      c succeeds: the new minimum is c's; d guessed wrong, a goes on as an orphan
 */
#include "reduce/run/pass_run.h"

#include "base/invariant.h"

#include <string.h>

/* ---- links and slots */

struct link *link_new(void)
{
	return mem_zalloc(sizeof(struct link));
}

void link_free(struct pass_run *r, struct link *k)
{
	if (k->state)
		r->pass->free(k->state);
	edit_release(&k->edit);
	step_release(&k->step);
	free(k->text);
	free(k);
}

void link_cancel(struct pass_run *r, struct link *k)
{
	if (k->status == LINK_RUNNING) {
		r->engine->asker->cancel(r->engine->asker->user, k->slot);
		r->busy[k->slot] = false;
	}
	link_free(r, k);
}

/* The minimum is about to go: writes down what k tests. */
static void link_keep_text(struct pass_run *r, struct link *k)
{
	if (k->status != LINK_RUNNING || k->text)
		return;
	struct variant v = step_variant(&k->step, r->engine->model);
	k->text = mem_alloc(mem_mul((size_t)v.n + 1, sizeof *k->text));
	k->n_text = v.n;
	variant_symbols(&v, k->text);
}

bool link_tests(const struct pass_run *r, const struct link *k, const struct step *s)
{
	if (!k->text || k->n_text != s->n)
		return false;
	struct variant v = step_variant(s, r->engine->model);
	uint32_t *now = mem_alloc(mem_mul((size_t)v.n + 1, sizeof *now));
	variant_symbols(&v, now);
	bool same = v.n == 0 || memcmp(now, k->text, v.n * sizeof *now) == 0;
	free(now);
	return same;
}

struct link *links_take(struct links *v, size_t at)
{
	struct link *k = v->at[at];
	memmove(v->at + at, v->at + at + 1, (--v->n - at) * sizeof *v->at);
	return k;
}

unsigned slots_busy(const struct pass_run *r)
{
	unsigned n = 0;
	for (unsigned i = 0; i < r->engine->asker->jobs; i++)
		n += r->busy[i];
	return n;
}

/* Starts a test of k->step in a free slot. *a is the answer if it comes at once, else ANSWER_PENDING. */
static enum rc link_start(struct pass_run *r, struct link *k, enum answer *a, struct err *e)
{
	const struct asker *q = r->engine->asker;
	INVARIANT(slots_busy(r) < q->jobs);
	k->slot = 0;
	while (r->busy[k->slot])
		k->slot++;
	enum rc rc = q->ask(q->user, k->slot, &k->step, a, e);
	if (rc == RC_OK && *a == ANSWER_PENDING) {
		r->busy[k->slot] = true;
		k->status = LINK_RUNNING;
	}
	return rc;
}

/* What is known as an answer; *tested: it is the test's. KNOWN_NOTHING and KNOWN_RUNNING are pending. */
static enum answer answer_of(enum known what, bool *tested)
{
	*tested = what != KNOWN_FAILED && what != KNOWN_EMPTY;
	if (what == KNOWN_NOTHING || what == KNOWN_RUNNING)
		return ANSWER_PENDING;
	return what == KNOWN_EMPTY || what == KNOWN_YES ? ANSWER_YES : ANSWER_NO;
}

enum rc link_decide(struct pass_run *r, struct link *k, enum answer *a, bool *tested, struct err *e)
{
	enum known what = known_verdict(r, k);
	*a = answer_of(what, tested);
	return what == KNOWN_NOTHING ? link_start(r, k, a, e) : RC_OK;
}

/* ---- outcomes */

/* The test of k goes on without it. */
static void link_orphan(struct pass_run *r, struct link *k)
{
	if (k->state)
		r->pass->free(k->state);
	k->state = NULL;
	vec_push(&r->orphans, k);
}

/* The minimum moved: a test of what is not part of the new one is pointless. Any other continues as an orphan, because
 * the pass may well come to it again. */
static void link_leave(struct pass_run *r, struct link *k)
{
	struct step s = {0};
	if (k->status == LINK_RUNNING && step_to_text(r, &k->edit, k, &s))
		link_orphan(r, k);
	else
		link_cancel(r, k);
	step_release(&s);
}

/* The minimum that chain and merge attempt were made against is about to go. */
static void keep_texts(struct pass_run *r)
{
	for (size_t i = 0; i < r->chain.n; i++)
		link_keep_text(r, r->chain.at[i]);
	if (r->merging) {
		link_keep_text(r, r->merging);
		link_orphan(r, r->merging);
		r->merging = NULL;
	}
}

enum rc chain_success(struct pass_run *r, size_t at, struct err *e)
{
	struct link *won = r->chain.at[at];
	won->status = LINK_WON;
	keep_texts(r);
	enum rc rc = new_minimum(r->engine, &won->step, e);
	while (r->chain.n > at + 1)
		link_leave(r, vec_pop(&r->chain));
	for (size_t i = 0; i < at; i++) {
		if (r->chain.at[i]->status == LINK_RUNNING)
			link_orphan(r, r->chain.at[i]);
		else
			link_free(r, r->chain.at[i]);
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
static void chain_settle(struct pass_run *r)
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

void chain_failure(struct pass_run *r, size_t at)
{
	known_failed(r, &r->chain.at[at]->step);
	r->chain.at[at]->status = LINK_FAILED;
	chain_settle(r);
}

/* ---- a minimum from elsewhere */

/* Parts k from its running test, which becomes an orphan of its own. */
static struct link *test_of(struct pass_run *r, struct link *k)
{
	struct link *o = link_new();
	o->status = LINK_RUNNING;
	o->slot = k->slot;
	o->text = k->text;
	o->n_text = k->n_text;
	k->text = NULL;
	k->status = LINK_NEW;
	vec_push(&r->orphans, o);
	return o;
}

/* The orphan that k, asked again, left behind: it goes on if it may be of use and there is a slot for k, or ends. */
static void leave_test(struct pass_run *r, const struct link *k, struct link *o)
{
	struct step s = {0};
	if (slots_busy(r) == r->engine->asker->jobs || !step_to_text(r, &k->edit, o, &s)) {
		INVARIANT(vec_last(&r->orphans) == o);
		link_cancel(r, vec_pop(&r->orphans));
	}
	step_release(&s);
}

/* Asks the head of the chain again, against a minimum that moved. If its text is still the same, its test goes on. */
static enum rc chain_restart(struct pass_run *r, struct err *e)
{
	if (!r->chain.n)
		return RC_OK;
	struct link *k = r->chain.at[0];
	INVARIANT(k->status == LINK_RUNNING && k->text);
	struct link *own = test_of(r, k);
	unsigned slot = own->slot;
	k->older = true;
	bool tested;
	enum known what = known_verdict(r, k);
	enum answer a = answer_of(what, &tested);
	if (what != KNOWN_RUNNING || k->slot != slot)
		leave_test(r, k, own);
	enum rc rc = what == KNOWN_NOTHING ? link_start(r, k, &a, e) : RC_OK;
	if (rc != RC_OK || a == ANSWER_PENDING)
		return rc;
	if (a == ANSWER_YES && tested)
		return chain_success(r, 0, e);
	if (tested)
		known_failed(r, &k->step);
	vec_clear(&r->chain);
	r->main = k->state;
	k->state = NULL;
	r->pass->result(r->main, a == ANSWER_YES);
	link_free(r, k);
	return RC_OK;
}

enum rc minimum_moves(struct pass_run *r, const struct step *s, struct err *e)
{
	keep_texts(r);
	enum rc rc = new_minimum(r->engine, s, e);
	while (r->chain.n > 1)
		link_leave(r, vec_pop(&r->chain));
	r->exhausted = false;
	return rc == RC_OK ? chain_restart(r, e) : rc;
}

/* ---- making candidates */

/* Takes the state to go on with: the main one, or a clone of the last link's that is told "failed". */
static void *state_for_next(struct pass_run *r)
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

/* Asks the pass until it has a candidate that needs the test, or none (*found is false). */
static enum rc next_candidate(struct pass_run *r, struct link *k, enum answer *a, bool *found, struct err *e)
{
	const struct asker *q = r->engine->asker;
	*found = false;
	for (;;) {
		edit_clear(&k->edit);
		if (q->interrupted(q->user) != WAIT_NOTHING)
			return RC_OK;
		if (!r->pass->next(k->state, &k->edit)) {
			r->exhausted = true;
			return RC_OK;
		}
		enum rc rc = link_decide(r, k, a, found, e);
		if (rc != RC_OK || *found)
			return rc;
		r->pass->result(k->state, *a == ANSWER_YES);
	}
}

enum rc chain_extend(struct pass_run *r, bool *made, struct err *e)
{
	struct link *k = link_new();
	enum answer a;
	k->state = state_for_next(r);
	enum rc rc = next_candidate(r, k, &a, made, e);
	if (rc == RC_OK && *made) {
		vec_push(&r->chain, k);
		if (a == ANSWER_YES)
			return chain_success(r, r->chain.n - 1, e);
		if (a != ANSWER_PENDING)
			chain_failure(r, r->chain.n - 1);
		return RC_OK;
	}
	if (rc == RC_OK && !r->chain.n) {
		r->main = k->state;
		k->state = NULL;
	}
	link_free(r, k);
	return rc;
}

#ifdef RF_INVARIANTS
static void check_slots(const struct pass_run *r)
{
	unsigned running = r->merging != NULL;
	for (size_t i = 0; i < r->chain.n; i++)
		running += r->chain.at[i]->status == LINK_RUNNING;
	running += (unsigned)r->orphans.n;
	INVARIANT(running == slots_busy(r));
	uint64_t slots = 0; /* tests have few jobs */
	for (size_t i = 0; i < r->chain.n + r->orphans.n + (r->merging != NULL); i++) {
		const struct link *k = i < r->chain.n                  ? r->chain.at[i]
				       : i < r->chain.n + r->orphans.n ? r->orphans.at[i - r->chain.n]
								       : r->merging;
		if (k->status != LINK_RUNNING)
			continue;
		INVARIANT(r->busy[k->slot] && (k->slot > 63 || !(slots >> k->slot & 1)));
		slots |= k->slot > 63 ? 0 : (uint64_t)1 << k->slot;
	}
}

/* No two tests that run are of one text. */
static void check_texts(const struct pass_run *r)
{
	const struct model *m = r->engine->model;
	for (size_t i = 0; i < r->chain.n + (r->merging != NULL); i++) {
		const struct link *a = i < r->chain.n ? r->chain.at[i] : r->merging;
		struct variant v = step_variant(&a->step, m);
		step_check(&a->step, m);
		if (a->status != LINK_RUNNING)
			continue;
		for (size_t j = 0; j < i; j++) {
			struct variant w = step_variant(&r->chain.at[j]->step, m);
			INVARIANT(r->chain.at[j]->status != LINK_RUNNING || !variant_same(&v, &w));
		}
		for (size_t j = 0; j < r->orphans.n; j++)
			INVARIANT(!link_tests(r, r->orphans.at[j], &a->step));
	}
	for (size_t i = 0; i < r->orphans.n; i++)
		for (size_t j = 0; j < i; j++) {
			const struct link *a = r->orphans.at[i], *b = r->orphans.at[j];
			INVARIANT(a->n_text != b->n_text || memcmp(a->text, b->text, a->n_text * sizeof *a->text));
		}
}

void pass_run_check(const struct pass_run *r)
{
	INVARIANT((r->main != NULL) == (r->chain.n == 0));
	INVARIANT(!r->chain.n || r->chain.at[0]->status == LINK_RUNNING);
	for (size_t i = 0; i < r->chain.n; i++) {
		const struct link *k = r->chain.at[i];
		INVARIANT(k->state && !k->text && (k->status == LINK_RUNNING || k->status == LINK_FAILED));
	}
	for (size_t i = 0; i < r->orphans.n; i++)
		INVARIANT(!r->orphans.at[i]->state && r->orphans.at[i]->text &&
			  r->orphans.at[i]->status == LINK_RUNNING);
	INVARIANT(!r->merging || (!r->merging->state && r->merging->status == LINK_RUNNING));
	check_slots(r);
	check_texts(r);
}
#endif
