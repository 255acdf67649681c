/* SPDX-License-Identifier: MIT */
/* What a verdict does: see fold.h, rules 1 to 3 and 5. */
#include "reduce/fold/fold.h"

#include "base/invariant.h"

#include <string.h>

bool fold_contains(const struct fold *f, const struct test *t)
{
	const struct model *m = f->engine->model;
	if (t->version == m->version)
		return true;
	return !t->stale && t->rewrites == f->rewrites && spans_within(&m->gone, &t->step.gone);
}

bool fold_void(const struct fold *f, const struct edit *e, const struct spans *removed)
{
	const struct model *m = f->engine->model;
	if (spans_weight(removed, m))
		return false;
	for (size_t i = 0; i < e->rewrite.n; i++)
		if (model_has(m, e->rewrite.at[i].token) && m->sym[e->rewrite.at[i].token] != e->rewrite.at[i].sym)
			return false;
	return true;
}

/* The step from the minimum to t's text; false: there is none to make. */
static bool step_to(const struct fold *f, const struct test *t, struct step *s)
{
	struct edit way = {.remove = t->step.gone, .rewrite = t->step.rewrite};
	return fold_contains(f, t) && step_make(s, f->engine->model, &way);
}

bool fold_fits(const struct fold *f, const struct test *t)
{
	const struct model *m = f->engine->model;
	if (!fold_contains(f, t) || t->version == m->version || !t->step.rewrite.n)
		return fold_contains(f, t);
	struct step s = {0};
	bool fits = !step_to(f, t, &s) || !known_to_lengthen(m, &t->c.edit, fold_made_for(f, t), &s);
	step_release(&s);
	return fits;
}

void fold_remember(struct fold *f, const struct test *t)
{
	struct step s = {0};
	if (!t->untested && step_to(f, t, &s)) {
		struct variant v = step_variant(&s, f->engine->model);
		verdicts_note(f->engine->cache, &v);
	}
	step_release(&s);
}

/* ---- void edits */

/* Takes the void parts out of v. */
static void take_void_parts(struct fold *f, struct parts *v, struct parts *out)
{
	size_t n = 0;
	for (size_t i = 0; i < v->n; i++) {
		struct part p = v->at[i];
		if (!fold_void(f, &p.c.edit, &p.removed)) {
			v->at[n++] = p;
			continue;
		}
		hold_unblock(f, p.id);
		line_forget(f, p.id);
		vec_push(out, p);
	}
	v->n = n;
}

static void drop_void_parts(struct fold *f)
{
	struct parts gone = {0};
	size_t before = f->line.n;
	take_void_parts(f, &f->waiting, &gone);
	take_void_parts(f, &f->line, &gone);
	if (f->line.n != before)
		f->bad = 0; /* what failed was tested with another minimum */
	for (size_t i = 0; i < gone.n; i++) {
		fold_tell(f, gone.at[i].run, gone.at[i].made, &gone.at[i].c, true);
		fold_drop_group(f, gone.at[i].run, gone.at[i].c.group);
		part_release(f, &gone.at[i]);
	}
	vec_release(&gone);
}

static void drop_void_tests(struct fold *f, struct tests *v)
{
	for (size_t i = v->n; i-- > 0;) {
		struct test *t = v->at[i];
		t->weight = spans_weight(&t->removed, f->engine->model);
		if (t->weight || !fold_void(f, &t->c.edit, &t->removed))
			continue;
		tests_remove(v, t);
		fold_tell(f, t->run, t->id, &t->c, true);
		test_free(f, t);
	}
}

/* The minimum moved: what asks for nothing any more goes. */
static void drop_void(struct fold *f)
{
	for (size_t i = f->asked.n; i-- > 0;) {
		struct test *t = f->asked.at[i];
		if (t->pointless && !t->done) {
			fold_cancel(f, t); /* its text may have become one that cannot come again */
			continue;
		}
		if (!t->run || t->pointless || !fold_void(f, &t->c.edit, &t->removed))
			continue;
		fold_tell(f, t->run, t->id, &t->c, true);
		fold_cancel(f, t);
	}
	drop_void_tests(f, &f->held);
	drop_void_tests(f, &f->limbo);
	drop_void_parts(f);
}

static void drop_group_tests(struct fold *f, struct tests *v, uint32_t run, uint32_t group)
{
	for (size_t i = v->n; i-- > 0;) {
		struct test *t = v->at[i];
		if (t->run != run || t->c.group != group || t->pointless)
			continue;
		fold_tell(f, run, t->id, &t->c, false);
		if (v == &f->asked) {
			fold_cancel(f, t);
		} else {
			tests_remove(v, t);
			test_free(f, t);
		}
	}
}

void fold_drop_group(struct fold *f, uint32_t run, uint32_t group)
{
	if (!group)
		return;
	drop_group_tests(f, &f->asked, run, group);
	drop_group_tests(f, &f->held, run, group);
	drop_group_tests(f, &f->limbo, run, group);
	for (size_t i = f->waiting.n; i-- > 0;) {
		struct part p = f->waiting.at[i];
		if (p.run != run || p.c.group != group)
			continue;
		memmove(f->waiting.at + i, f->waiting.at + i + 1, (--f->waiting.n - i) * sizeof p);
		hold_unblock(f, p.id);
		fold_tell(f, run, p.made, &p.c, false);
		part_release(f, &p);
	}
	for (size_t i = f->line.n; i-- > 0;)
		if (f->line.at[i].run == run && f->line.at[i].c.group == group)
			line_drop(f, i);
}

/* ---- verdicts */

enum rc fold_commit(struct fold *f, const struct test *t, struct err *e)
{
	struct step s = {0};
	enum rc rc = RC_OK;
	INVARIANT(fold_fits(f, t));
	if (step_to(f, t, &s)) {
		f->rewrites += s.rewrite.n > 0;
		rc = engine_minimum(f->engine, &s, e);
	}
	step_release(&s);
	if (rc == RC_OK)
		drop_void(f);
	return rc;
}

/* Whether a prefix of the line is gone from t's text, if only the first part: what succeeds with it is a good one. */
static bool contains_prefix(const struct fold *f, const struct test *t)
{
	const struct part *first = f->line.n ? &f->line.at[0] : NULL;
	return !first || (!first->c.edit.rewrite.n && spans_within(&first->removed, &t->step.gone));
}

static enum rc succeeded(struct fold *f, struct test *t, struct err *e)
{
	enum rc rc = RC_OK;
	if (fold_fits(f, t) && contains_prefix(f, t)) {
		fold_count(&t->uncounted, &f->engine->useful);
		rc = fold_commit(f, t, e);
		fold_tell(f, t->run, t->id, &t->c, true);
		fold_drop_group(f, t->run, t->c.group);
	} else {
		line_wait(f, (struct part){.run = t->run,
					   .c = t->c,
					   .removed = t->removed,
					   .made = t->id,
					   .uncounted = t->uncounted});
		t->c.edit = (struct edit){0};
		t->removed = (struct spans){0};
		t->uncounted = false;
	}
	test_free(f, t);
	fold_settle(f);
	return rc;
}

static void failed(struct fold *f, struct test *t)
{
	fold_remember(f, t);
	fold_count(&t->uncounted, &f->engine->useful);
	fold_tell(f, t->run, t->id, &t->c, false);
	test_free(f, t);
}

/* A failure on top of the line: counts, waits or is to be asked again. */
static void failed_on_line(struct fold *f, struct test *t)
{
	if (t->broken) {
		fold_count(&t->uncounted, &f->engine->wasted);
		test_forget_said(t);
		t->done = false; /* it may turn out to be unwanted */
		hold_add(f, t);
	} else if (f->line.n && f->line.at[0].id <= t->stands) {
		vec_push(&f->limbo, t);
	} else {
		failed(f, t);
	}
}

void fold_settle(struct fold *f)
{
	struct tests now = f->limbo;
	f->limbo = (struct tests){0};
	for (size_t i = 0; i < now.n; i++)
		failed_on_line(f, now.at[i]);
	vec_release(&now);
}

enum rc fold_outcome(struct fold *f, struct test *t, struct err *e)
{
	bool yes = t->answer == ANSWER_YES;
	if (!t->run)
		return line_result(f, t, e);
	if (yes)
		return succeeded(f, t, e);
	if (t->stands)
		failed_on_line(f, t);
	else
		failed(f, t);
	return RC_OK;
}
