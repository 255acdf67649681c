/* SPDX-License-Identifier: MIT */
/* Several jobs: see fold.h. Here is the loop: ask as much as is worth it, wait, take what was answered. */
#include "reduce/fold/fold.h"

#include "base/invariant.h"
#include "reduce/model/complaints.h"

#include <string.h>

#define RATE_AT_START 0.3
#define PART_RATE_AT_START 0.9
#define NOBODY UINT32_MAX /* a run of no plan */
#define HELD_PER_JOB 16   /* candidates held at most, */
#define GUESSED_PER_JOB 8 /* and up to which a pass goes on to another stage by a guess */
#define LEAVE_AT 0.5      /* successes to be expected at most where the next run begins, */
#define LEAVE_FROM 64     /* with so many jobs; of more, where an idle round costs more than a few questions, */
#define LEAVE_MORE 0.03   /* for each job: to wait for the last few would leave most of them idle */
#define AHEAD_AT 0.0625   /* and per job, where passes begin ahead of their turn */

/* ---- tests and parts */

struct test *test_new(struct fold *f)
{
	struct test *t = mem_zalloc(sizeof *t);
	t->id = ++f->ids;
	return t;
}

void test_forget_said(struct test *t)
{
	complaints_free(t->said);
	t->said = NULL;
	t->c.said = NULL;
}

void fold_count(bool *uncounted, uint64_t *as)
{
	*as += *uncounted;
	*uncounted = false;
}

void test_free(struct fold *f, struct test *t)
{
	f->engine->wasted += t->uncounted;
	test_forget_said(t);
	edit_release(&t->c.edit);
	vec_release_all(&t->removed, &t->obstacles, &t->without);
	step_release(&t->step);
	free(t);
}

void tests_remove(struct tests *v, const struct test *t)
{
	size_t i = 0;
	while (v->at[i] != t)
		i++;
	memmove(v->at + i, v->at + i + 1, (--v->n - i) * sizeof *v->at);
}

void part_release(struct fold *f, struct part *p)
{
	f->engine->wasted += p->uncounted;
	edit_release(&p->c.edit);
	vec_release(&p->removed);
}

void fold_tell(struct fold *f, uint32_t run, uint64_t id, const struct candidate *c, bool success)
{
	struct plan_run *r = plan_find_run(f->plan, run);
	if (!r)
		return;
	r->told_late = r->told_late || (success && id != r->made);
	pass_tell(r->pass, r->state, c, success);
}

/* ---- the next candidate */

/* Nothing is undecided. */
static bool drained(const struct fold *f)
{
	return !f->asked.n && !f->held.n && !f->limbo.n && !f->waiting.n && !f->line.n;
}

/* Of this run and those before it nothing is; nor, where no turn would follow it up, anything that nobody asks for any
 * more but that may still become the minimum. */
static bool settled(const struct fold *f)
{
	const uint32_t now = f->plan->now.number;
	const bool last = !f->plan->algorithm->loop;
	const struct tests *tests[] = {&f->asked, &f->held, &f->limbo};
	const struct parts *parts[] = {&f->waiting, &f->line};
	for (size_t k = 0; k < ARRAY_LEN(tests); k++) {
		for (size_t i = 0; i < tests[k]->n; i++) {
			const struct test *t = tests[k]->at[i];
			if (t->pointless ? last : t->run && t->run <= now)
				return false;
		}
	}
	for (size_t k = 0; k < ARRAY_LEN(parts); k++)
		for (size_t i = 0; i < parts[k]->n; i++)
			if (parts[k]->at[i].run <= now || (last && parts[k]->at[i].run == NOBODY))
				return false;
	return true;
}

static unsigned rate_of(const struct pass *p, unsigned class)
{
	unsigned i = 0;
	while (pass_rows[i] && pass_rows[i] != p)
		i++;
	return (i * PASS_CLASSES + class) % RATES;
}

/* Cuts the edit to the base, and sorts it. */
static void set_removed(struct test *t, const struct model *m)
{
	spans_sort(&t->removed, &t->c.edit.remove);
	while (t->removed.n && vec_last(&t->removed).from >= m->n_tokens)
		t->removed.n--;
	if (t->removed.n && vec_last(&t->removed).to > m->n_tokens)
		vec_last(&t->removed).to = m->n_tokens;
}

/* Whether t is known to fail, or to change nothing, without a look at its text; the pass is told. */
static bool known_at_once(struct fold *f, struct test *t)
{
	enum known what = known_cheaply(f->engine, &t->c.edit, FOR_THIS, &t->step);
	t->version = f->engine->model->version;
	if (what == KNOWN_NOTHING)
		return false;
	fold_tell(f, t->run, t->id, &t->c, what == KNOWN_EMPTY);
	return true;
}

/* A candidate of the run that has to be tested; MADE_NONE and MADE_END as the pass says. */
static enum made make(struct fold *f, struct plan_run *r, enum guess guess, struct test **out)
{
	for (;;) {
		struct test *t = test_new(f);
		enum made made = pass_next(r->pass, r->state, &t->c, guess);
		if (made == MADE_ONE) {
			t->run = r->number;
			t->rate = rate_of(r->pass, t->c.class);
			r->made = t->id;
			set_removed(t, f->engine->model);
			if (!known_at_once(f, t)) {
				*out = t;
				return MADE_ONE;
			}
		}
		test_free(f, t);
		if (made != MADE_ONE)
			return made;
	}
}

static struct test *take_held(struct fold *f, size_t at)
{
	struct test *t = f->held.at[at];
	tests_remove(&f->held, t);
	return t;
}

/* Workers would be idle: asks passes whose turn has not come, as long as little is to be hoped for that would make them
 * begin anew. */
static struct test *make_ahead(struct fold *f)
{
	for (size_t i = 0; f->held.n < (size_t)f->jobs * GUESSED_PER_JOB; i++) {
		struct plan_run *r;
		struct test *t;
		enum guess guess = GUESS_NOTHING;
		if (hold_hopes(f, UINT32_MAX) > AHEAD_AT * f->jobs || !(r = plan_ahead(f->plan, i)))
			break;
		while (f->held.n < (size_t)f->jobs * GUESSED_PER_JOB && guess < GUESS_STAGE) {
			if (make(f, r, guess, &t) != MADE_ONE) {
				guess++;
				continue;
			}
			hold_weigh(f, t);
			if (t->chance >= HOLD_ASK)
				return t;
			vec_push(&f->held, t);
		}
	}
	return NULL;
}

static double leave_at(const struct fold *f)
{
	return LEAVE_AT + (f->jobs > LEAVE_FROM ? LEAVE_MORE * (f->jobs - LEAVE_FROM) : 0);
}

/* Makes candidates until one is worth asking; the others are held. *out is NULL when there is none. */
static enum rc make_wanted(struct fold *f, struct test **out, struct err *e)
{
	enum guess guess = GUESS_NOTHING;
	bool sure = false; /* the pass said twice that there is nothing */
	*out = NULL;
	while (f->held.n < (size_t)f->jobs * (guess == GUESS_STAGE ? GUESSED_PER_JOB : HELD_PER_JOB) &&
	       plan_begin(f->plan)) {
		struct test *t;
		enum made made = make(f, &f->plan->now, guess, &t);
		if (made == MADE_ONE) {
			sure = false;
			hold_weigh(f, t);
			if (t->chance >= HOLD_ASK) {
				*out = t;
				return RC_OK;
			}
			vec_push(&f->held, t);
			continue;
		}
		if (made == MADE_NONE && guess < GUESS_STAGE) {
			guess++;
			continue;
		}
		/* nothing more of this run: wait for what is undecided, of earlier runs too, unless it hardly
		 * matters */
		bool over = made == MADE_END && settled(f);
		bool leave = made == MADE_END || hold_hopes(f, f->plan->now.number) <= leave_at(f);
		if (!over && !(leave && plan_may_leave(f->plan))) {
			*out = make_ahead(f);
			return RC_OK;
		}
		if (made == MADE_NONE && !sure && !plan_runs_again(f->plan)) {
			sure = true; /* its last guess may have ended what others waited for */
			continue;
		}
		sure = false;
		guess = GUESS_NOTHING;
		enum rc rc = fold_end_run(f, false, e);
		if (rc != RC_OK)
			return rc;
	}
	return RC_OK;
}

/* The likeliest held candidate, if its chance is that large or nothing at all is asked. */
static struct test *take_best(struct fold *f, double chance)
{
	size_t at = hold_best(f);
	bool worth = at != SIZE_MAX && (f->held.at[at]->chance >= chance || !f->asked.n);
	return worth ? take_held(f, at) : NULL;
}

/* The next candidate to ask about, or NULL. */
static enum rc choose(struct fold *f, struct test **out, struct err *e)
{
	size_t at = hold_first(f);
	if (at != SIZE_MAX) {
		*out = take_held(f, at);
		return RC_OK;
	}
	enum rc rc = make_wanted(f, out, e);
	if (rc != RC_OK || *out)
		return rc;
	*out = take_best(f, HOLD_IDLE);
	return RC_OK;
}

/* ---- the loop */

static void obey(struct fold *f, enum wait_event ev)
{
	f->engine->stopped = f->engine->stopped || ev == WAIT_STOP;
	f->enough = f->enough || ev == WAIT_ENOUGH;
	f->skip = f->skip || ev == WAIT_SKIP;
}

/* What the pass does not ask for any more goes. */
static void drop_unwanted(struct fold *f, struct tests *v)
{
	for (size_t i = v->n; i-- > 0;) {
		struct test *t = v->at[i];
		const struct plan_run *r = t->run ? plan_find_run(f->plan, t->run) : NULL;
		/* in order it must make no difference whether a verdict that does not count yet is there */
		bool counts = t->done && !f->in_order;
		if (!r || !r->pass->frame->wanted || t->pointless || counts || r->pass->frame->wanted(r->state, &t->c))
			continue;
		fold_tell(f, t->run, t->id, &t->c, false);
		if (v == &f->asked) {
			fold_cancel(f, t);
		} else {
			tests_remove(v, t);
			test_free(f, t);
		}
	}
}

bool fold_room(struct fold *f)
{
	obey(f, f->engine->asker->interrupted(f->engine->asker->user));
	return f->asked.n < f->slots && !f->engine->stopped && !f->enough && !f->skip;
}

static enum rc fill(struct fold *f, struct err *e)
{
	const struct asker *q = f->engine->asker;
	enum rc rc = RC_OK;
	bool guessed = false;
	/* workers come and go */
	f->jobs = q->jobs;
	f->slots = f->in_order ? q->slots : q->jobs;
	drop_unwanted(f, &f->held);
	drop_unwanted(f, &f->asked);
	for (size_t i = 0; i < f->held.n; i++)
		f->held.at[i]->later = false;
	while (rc == RC_OK) {
		rc = line_launch(f, false, e);
		if (rc != RC_OK || !fold_room(f))
			break;
		struct test *t = NULL;
		enum issued issued;
		rc = choose(f, &t, e);
		if (rc == RC_OK && !t)
			rc = line_launch(f, true, e);
		if (rc == RC_OK && !t && !guessed)
			rc = line_guess(f, e);
		guessed = guessed || !t;
		if (rc == RC_OK && !t && f->asked.n < f->slots / 2 && fold_room(f))
			t = take_best(f, HOLD_LEAST);
		if (rc != RC_OK || !t)
			break;
		rc = fold_issue(f, t, &issued, e);
		if (rc == RC_OK && issued == ISSUED_NOT_NOW) {
			t->later = true;
			hold_add(f, t); /* among the others: a new parse may come before its turn does */
		}
	}
	return rc;
}

/* Takes what the test said about t, which failed, if the pass is one that listens. */
static void hear(const struct fold *f, struct test *t, unsigned slot)
{
	const struct asker *q = f->engine->asker;
	test_forget_said(t);
	const struct plan_run *r = plan_find_run(f->plan, t->run);
	if (t->answer == ANSWER_NO && r && !t->stale && !t->pointless && q->complaints && r->pass->flags & PASS_READS)
		t->said = q->complaints(q->user, slot, &t->step);
	t->c.said = t->said;
}

static enum rc take_answer(struct fold *f, bool block, bool *more, struct err *e)
{
	const struct asker *q = f->engine->asker;
	enum wait_event ev = WAIT_NOTHING;
	unsigned slot;
	enum answer a;
	enum rc rc = q->wait(q->user, block, &ev, &slot, &a, e);
	*more = rc == RC_OK && ev == WAIT_ANSWER;
	if (!*more) {
		obey(f, ev);
		return rc;
	}
	struct test *t = f->slot[slot];
	INVARIANT(t && !t->done);
	t->done = true;
	t->answer = a;
	f->slot[slot] = NULL;
	f->busy--;
	hear(f, t, slot);
	return RC_OK;
}

/* The verdict of a test that is done counts now. */
static enum rc retire(struct fold *f, struct test *t, struct err *e)
{
	tests_remove(&f->asked, t);
	hold_unblock(f, t->id);
	asked_set(&f->texts, t->text, t->answer == ANSWER_YES ? ASKED_YES : ASKED_NO);
	if (!t->pointless)
		return fold_outcome(f, t, e);
	if (t->answer == ANSWER_YES && fold_contains(f, t)) {
		/* nobody asks for it any more, but it is smaller, and whoever came to the same text was told that it is
		 * being tested */
		t->run = NOBODY;
		t->c.group = 0;
		edit_clear(&t->c.edit);
		edit_add(&t->c.edit, &(struct edit){.remove = t->step.gone, .rewrite = t->step.rewrite});
		spans_copy(&t->removed, &t->step.gone);
		return fold_outcome(f, t, e);
	}
	if (t->answer == ANSWER_YES && t->given_up)
		plan_missed(f->plan, t->run);
	test_free(f, t);
	return RC_OK;
}

/* Of all that are done: failures first, then the heaviest success, which the others have to fit. */
static struct test *next_done(const struct fold *f)
{
	struct test *best = NULL;
	uint32_t most = 0;
	for (size_t i = 0; i < f->asked.n; i++) {
		struct test *t = f->asked.at[i];
		if (!t->done)
			continue;
		if (t->answer != ANSWER_YES)
			return t;
		uint32_t weight = spans_weight(&t->removed, f->engine->model);
		if (!best || weight > most) {
			best = t;
			most = weight;
		}
	}
	return best;
}

/* Waits for one answer and takes all that have come. */
static enum rc take_any(struct fold *f, struct err *e)
{
	bool more = true;
	enum rc rc = f->busy ? take_answer(f, true, &more, e) : RC_OK;
	while (rc == RC_OK && more && f->busy)
		rc = take_answer(f, false, &more, e);
	hold_learn_done(f, f->asked.n);
	for (struct test *t; rc == RC_OK && (t = next_done(f));)
		rc = retire(f, t, e);
	return rc;
}

/* Waits for the oldest half of what the workers can do at a time, and takes them in the order they were asked. */
static enum rc take_in_order(struct fold *f, struct err *e)
{
	size_t n = (f->jobs + 1) / 2;
	enum rc rc = RC_OK;
	if (n > f->asked.n)
		n = f->asked.n;
	for (size_t i = 0; i < n && rc == RC_OK;) {
		bool more;
		if (f->asked.at[i]->done)
			i++;
		else
			rc = take_answer(f, true, &more, e);
		if (f->engine->stopped || f->skip)
			return rc;
	}
	hold_learn_done(f, n);
	for (size_t i = 0; i < n && rc == RC_OK && f->asked.n; i++)
		rc = retire(f, f->asked.at[0], e);
	return rc;
}

static void give_up(struct fold *f)
{
	f->closing = true;
	while (f->asked.n)
		fold_cancel(f, vec_last(&f->asked));
	while (f->held.n)
		test_free(f, vec_pop(&f->held));
	while (f->limbo.n)
		test_free(f, vec_pop(&f->limbo));
	while (f->waiting.n)
		part_release(f, &vec_pop(&f->waiting));
	while (f->line.n)
		part_release(f, &vec_pop(&f->line));
	f->bad = 0;
}

/* The user wants the next pass: what this one asked for is given up. */
static enum rc skip_pass(struct fold *f, struct err *e)
{
	give_up(f);
	f->closing = false;
	f->skip = false;
	return f->plan->now.state ? fold_end_run(f, true, e) : RC_OK;
}

enum rc fold_run(struct plan *p, struct err *e)
{
	struct fold f = {.engine = p->engine, .plan = p};
	const struct asker *q = p->engine->asker;
	enum rc rc = RC_OK;
	f.in_order = p->engine->in_order;
	f.part_rate = PART_RATE_AT_START;
	f.slot = mem_zalloc(mem_mul(q->slots, sizeof *f.slot));
	f.texts.forget = p->engine->cache->kind == &verdicts_none;
	for (size_t i = 0; i < RATES; i++)
		f.rate[i] = RATE_AT_START;
	while (rc == RC_OK && !p->engine->stopped) {
		rc = fill(&f, e);
		fold_check(&f);
		if (rc == RC_OK && f.skip)
			rc = skip_pass(&f, e);
		p->engine->stopped = p->engine->stopped || (f.enough && !f.asked.n);
		if (rc != RC_OK || p->engine->stopped)
			break;
		if (drained(&f) && !plan_begin(p)) {
			bool more;
			rc = plan_regrain(p, &more, e);
			if (!more)
				break;
			continue;
		}
		rc = f.in_order ? take_in_order(&f, e) : take_any(&f, e);
		fold_check(&f);
	}
	give_up(&f);
	vec_release_all(&f.asked, &f.held, &f.limbo, &f.waiting, &f.line);
	fingerprint_release(&f.fingerprint);
	asked_release(&f.texts);
	free(f.slot);
	return rc;
}

#ifdef RF_INVARIANTS
static void check_asked(const struct fold *f)
{
	unsigned busy = 0;
	for (size_t i = 0; i < f->asked.n; i++) {
		const struct test *t = f->asked.at[i];
		INVARIANT(t->done || f->slot[t->slot] == t);
		busy += !t->done;
		/* no two tests that run are of one text */
		for (size_t k = 0; k < i; k++)
			INVARIANT(f->asked.at[k]->text != t->text);
	}
	INVARIANT(busy == f->busy && f->asked.n <= f->engine->asker->slots);
}

void fold_check(const struct fold *f)
{
	check_asked(f);
	bool found = !f->bad;
	for (size_t i = 0; i < f->line.n; i++) {
		INVARIANT(i == 0 || f->line.at[i - 1].id < f->line.at[i].id);
		found = found || f->line.at[i].id == f->bad;
	}
	INVARIANT(found && !(f->line.n && f->bad == f->line.at[0].id));
	for (size_t i = 0; i < f->held.n; i++) {
		const struct test *t = f->held.at[i];
		double chance = 1;
		for (size_t k = 0; k < t->obstacles.n; k++)
			chance *= t->obstacles.at[k].chance;
		INVARIANT(chance > t->chance - 1e-9 && chance < t->chance + 1e-9);
	}
	for (size_t i = 0; i < f->limbo.n; i++)
		INVARIANT(f->limbo.at[i]->stands && f->line.n && f->line.at[0].id <= f->limbo.at[i]->stands);
}
#endif
