/* SPDX-License-Identifier: MIT */
/* Asking: makes the text of a test, against the minimum or on top of the line, looks at what is known about it, and
 * hands it to the asker. */
#include "reduce/fold/fold.h"

#include "base/invariant.h"

/* The edit that makes the text of t. False: standing on the line, nothing of t would be left to ask about. */
static bool text_edit(struct fold *f, struct test *t, struct edit *out)
{
	const struct model *m = f->engine->model;
	edit_add(out, &t->c.edit);
	t->stands = 0;
	if (!t->run || t->c.edit.rewrite.n || !line_carries(f))
		return true;
	uint32_t weight = spans_weight(&t->removed, m);
	for (size_t i = 0; i < f->line.n; i++)
		weight -= spans_overlap(&t->removed, &f->line.at[i].removed, m);
	if (!weight)
		return false;
	for (size_t i = 0; i < f->line.n; i++)
		edit_add(out, &f->line.at[i].c.edit);
	t->stands = vec_last(&f->line).id;
	return true;
}

/* The test of that text, be it of other tokens that print it, or NULL. In order its verdict may be there already, but
 * does not count yet. */
static struct test *find_asked(const struct fold *f, uint64_t text, uint64_t printed)
{
	for (size_t i = 0; i < f->asked.n; i++)
		if (f->asked.at[i]->text == text || (printed && f->asked.at[i]->printed == printed))
			return f->asked.at[i];
	return NULL;
}

enum made_for fold_made_for(const struct fold *f, const struct test *t)
{
	if (t->version == f->engine->model->version)
		return FOR_THIS;
	if (t->run)
		return plan_find_run(f->plan, t->run) ? FOR_EARLIER : FOR_OTHER_BASE;
	for (size_t i = 0; i < f->line.n; i++) {
		const struct part *p = &f->line.at[i];
		if ((p->id <= t->upto || p->id == t->alone) && !plan_find_run(f->plan, p->run))
			return FOR_OTHER_BASE;
	}
	return FOR_EARLIER;
}

/* What is known about the text of t, whose step is made; KNOWN_NOTHING: it is to be tested, unless it is being tested
 * for *other. */
static enum known look_up(struct fold *f, struct test *t, const struct edit *edit, struct test **other)
{
	struct engine *g = f->engine;
	enum known what = known_cheaply(g, edit, fold_made_for(f, t), &t->step);
	t->version = g->model->version;
	t->rewrites = f->rewrites;
	t->stale = t->broken = t->done = t->pointless = t->untested = false;
	if (what == KNOWN_FAILED || what == KNOWN_EMPTY)
		return what;
	struct variant v = step_variant(&t->step, g->model);
	t->text = fingerprint_of(&f->fingerprint, g->model, &v);
	switch (asked_find(&f->texts, t->text)) {
	case ASKED_RUNNING:
		*other = find_asked(f, t->text, 0);
		return KNOWN_NOTHING;
	case ASKED_NO:
		g->hits++;
		return KNOWN_NO;
	case ASKED_YES:
		g->hits++;
		/* unless it was a minimum: the asker knows */
		return known_by_text(g, &t->step) == KNOWN_NO ? KNOWN_NO : KNOWN_YES;
	case ASKED_NEVER:
		break;
	}
	what = known_by_text(g, &t->step);
	if (g->asker->text) {
		t->printed = g->asker->text(g->asker->user);
		*other = find_asked(f, t->text, t->printed);
	}
	return what;
}

/* The test of t's text was begun for something that nobody asks for any more, or that is not a variant of the minimum:
 * its verdict is t's. */
static void take_over(struct fold *f, struct test *other, struct test *t)
{
	const struct test was = *other;
	hold_unblock(f, was.id);
	*other = *t;
	other->slot = was.slot;
	other->text = was.text;
	other->printed = was.printed;
	other->done = was.done;
	other->answer = was.answer;
	other->uncounted = was.uncounted;
	*t = was;
	t->uncounted = false;
	hold_block(f, other);
}

static enum rc start(struct fold *f, struct test *t, struct err *e)
{
	const struct asker *q = f->engine->asker;
	enum answer a;
	INVARIANT(f->busy < f->slots);
	t->slot = 0;
	while (f->slot[t->slot])
		t->slot++;
	enum rc rc = q->ask(q->user, t->slot, &t->step, &a, e);
	if (rc != RC_OK)
		return rc;
	t->uncounted = true;
	asked_set(&f->texts, t->text, ASKED_RUNNING);
	vec_push(&f->asked, t);
	hold_block(f, t);
	if (a == ANSWER_PENDING) {
		f->slot[t->slot] = t;
		f->busy++;
	} else {
		t->done = true;
		t->answer = a;
	}
	return RC_OK;
}

enum rc fold_issue(struct fold *f, struct test *t, enum issued *issued, struct err *e)
{
	struct edit edit = {0};
	enum rc rc = RC_OK;
	if (t->run && fold_void(f, &t->c.edit, &t->removed)) {
		fold_tell(f, t->run, t->id, &t->c, true);
		test_free(f, t);
		*issued = ISSUED_DECIDED;
		return RC_OK;
	}
	if (!text_edit(f, t, &edit)) {
		edit_release(&edit);
		*issued = ISSUED_NOT_NOW;
		return RC_OK;
	}
	struct test *other = NULL;
	enum known what = look_up(f, t, &edit, &other);
	edit_release(&edit);
	if (other && (other->pointless || other->stale)) {
		take_over(f, other, t);
		test_free(f, t);
		*issued = ISSUED;
		return RC_OK;
	}
	if (other)
		what = KNOWN_FAILED; /* whoever asked first takes the verdict */
	if (what == KNOWN_NOTHING) {
		*issued = ISSUED;
		rc = start(f, t, e);
		if (rc != RC_OK)
			test_free(f, t);
		return rc;
	}
	*issued = ISSUED_DECIDED;
	t->untested = what == KNOWN_FAILED || what == KNOWN_EMPTY;
	t->answer = what == KNOWN_YES || what == KNOWN_EMPTY ? ANSWER_YES : ANSWER_NO;
	if (what == KNOWN_YES || what == KNOWN_NO)
		asked_set(&f->texts, t->text, what == KNOWN_YES ? ASKED_YES : ASKED_NO);
	if (t->run && !t->untested)
		hold_learn(f, t->rate, 1, t->answer == ANSWER_YES);
	return fold_outcome(f, t, e);
}

/* Whether the text of t, which is being tested, may be made again: then its test goes on, so that it is not tested
 * twice. Only a text that is no part of the minimum certainly is not. */
static bool may_come_again(const struct fold *f, const struct test *t)
{
	const struct model *m = f->engine->model;
	if (fold_contains(f, t) || t->stale || t->step.rewrite.n || t->rewrites != f->rewrites)
		return true;
	VEC(uint32_t) text = {0};
	struct edit way = {0};
	uint32_t at = 0;
	for (size_t i = 0; i <= t->step.gone.n; i++) {
		uint32_t end = i < t->step.gone.n ? t->step.gone.at[i].from : m->n_tokens;
		for (; at < end; at++)
			vec_push(&text, m->sym[at]);
		at = i < t->step.gone.n ? t->step.gone.at[i].to : end;
	}
	bool again = text.n < m->n && edit_embed(&way, m, text.at, (uint32_t)text.n);
	edit_release(&way);
	vec_release(&text);
	return again;
}

void fold_cancel(struct fold *f, struct test *t)
{
	const struct asker *q = f->engine->asker;
	hold_unblock(f, t->id);
	if (!f->closing && (f->in_order || (!t->done && may_come_again(f, t)))) {
		t->pointless = true;
		return;
	}
	if (t->done) {
		asked_set(&f->texts, t->text, t->answer == ANSWER_YES ? ASKED_YES : ASKED_NO);
	} else {
		q->cancel(q->user, t->slot);
		f->slot[t->slot] = NULL;
		f->busy--;
		asked_set(&f->texts, t->text, ASKED_NEVER);
	}
	tests_remove(&f->asked, t);
	test_free(f, t);
}
