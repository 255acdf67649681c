/* SPDX-License-Identifier: MIT */
/* One job: see sequence.h. */
#include "reduce/fold/sequence.h"

#include "reduce/model/complaints.h"
#include "reduce/fold/known.h"

/* The wishes of the user; *skip: the pass is to end. */
static void obey(struct engine *g, enum wait_event ev, bool *skip)
{
	g->stopped = g->stopped || ev == WAIT_STOP || ev == WAIT_ENOUGH;
	*skip = *skip || ev == WAIT_SKIP;
}

/* Tests the step and waits for the answer; still pending when the user wants something else. */
static enum rc test(struct engine *g, const struct step *s, enum answer *a, bool *skip, struct err *e)
{
	const struct asker *q = g->asker;
	enum rc rc = q->ask(q->user, 0, s, a, e);
	while (rc == RC_OK && *a == ANSWER_PENDING && !g->stopped && !*skip) {
		enum wait_event ev = WAIT_NOTHING;
		enum answer got;
		unsigned slot;
		rc = q->wait(q->user, true, &ev, &slot, &got, e);
		if (rc == RC_OK && ev == WAIT_ANSWER)
			*a = got;
		else if (rc == RC_OK)
			obey(g, ev, skip);
	}
	if (rc == RC_OK && *a == ANSWER_PENDING) {
		q->cancel(q->user, 0);
		g->wasted++;
	}
	return rc;
}

/* Decides one candidate and tells the pass. */
static enum rc decide(struct plan *p, struct candidate *c, struct step *s, bool *skip, struct err *e)
{
	struct engine *g = p->engine;
	enum rc rc = RC_OK;
	enum answer a = ANSWER_NO;
	enum known what = known_cheaply(g, &c->edit, FOR_THIS, s);
	if (what == KNOWN_NOTHING)
		what = known_by_text(g, s);
	if (what == KNOWN_NOTHING) {
		rc = test(g, s, &a, skip, e);
		if (rc != RC_OK || a == ANSWER_PENDING)
			return rc;
		g->useful++;
	}
	bool tested = what == KNOWN_NOTHING || what == KNOWN_NO || what == KNOWN_YES;
	bool success = what == KNOWN_EMPTY || what == KNOWN_YES || a == ANSWER_YES;
	if (tested && success) {
		rc = engine_minimum(g, s, e);
	} else if (tested) {
		struct variant v = step_variant(s, g->model);
		verdicts_add(g->cache, &v);
	}
	struct complaints *said = NULL;
	if (tested && !success && p->now.pass->flags & PASS_READS && g->asker->complaints)
		said = g->asker->complaints(g->asker->user, 0, s);
	c->said = said;
	pass_tell(p->now.pass, p->now.state, c, success);
	complaints_free(said);
	return rc;
}

static enum rc run_once(struct plan *p, bool *skip, struct err *e)
{
	struct engine *g = p->engine;
	struct candidate c = {0};
	struct step s = {0};
	enum rc rc = RC_OK;
	*skip = false;
	while (rc == RC_OK) {
		obey(g, g->asker->interrupted(g->asker->user), skip);
		edit_clear(&c.edit);
		c = (struct candidate){.edit = c.edit};
		if (g->stopped || *skip || pass_next(p->now.pass, p->now.state, &c, GUESS_NOTHING) != MADE_ONE)
			break;
		rc = decide(p, &c, &s, skip, e);
	}
	edit_release(&c.edit);
	step_release(&s);
	return rc;
}

enum rc sequence_run(struct plan *p, struct err *e)
{
	enum rc rc = RC_OK;
	bool more = true;
	while (rc == RC_OK && !p->engine->stopped && more) {
		bool skip;
		if (!plan_begin(p)) {
			rc = plan_regrain(p, &more, e);
			continue;
		}
		rc = run_once(p, &skip, e);
		if (rc == RC_OK)
			rc = plan_end_run(p, skip, e);
	}
	return rc;
}
