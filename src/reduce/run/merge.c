/* SPDX-License-Identifier: MIT */
/* Successes that came late: a test that was started against an older minimum succeeds when another success has already
 * moved it. If the text is a part of the new minimum too, it becomes the minimum as it is. Otherwise its deletion is
 * tried on top of the new minimum: all that wait together first, then one by one. */
#include "reduce/run/pass_run.h"

#include "base/invariant.h"

#include <string.h>

void merge_clear(struct pass_run *r)
{
	for (size_t i = 0; i < r->to_merge.n; i++)
		edit_release(&r->to_merge.at[i]);
	vec_clear(&r->to_merge);
	r->one_by_one = false;
}

enum rc merge_done(struct pass_run *r, enum answer a, bool tested, struct err *e)
{
	struct link *k = r->merging;
	r->merging = NULL;
	enum rc rc = RC_OK;
	if (a == ANSWER_YES && k->all)
		merge_clear(r);
	else if (k->all)
		r->one_by_one = true;
	if (a == ANSWER_YES && tested) {
		r->engine->merges++;
		rc = minimum_moves(r, &k->step, e);
	} else if (tested) {
		known_failed(r, &k->step);
	}
	link_free(r, k);
	return rc;
}

/* What to try next: all that is waiting, or after that failed its first. */
static struct link *merge_next(struct pass_run *r)
{
	struct link *k = link_new();
	INVARIANT(r->to_merge.n);
	k->older = true;
	k->all = r->to_merge.n > 1 && !r->one_by_one;
	if (k->all) {
		for (size_t i = 0; i < r->to_merge.n; i++)
			for (size_t j = 0; j < r->to_merge.at[i].remove.n; j++)
				vec_push(&k->edit.remove, r->to_merge.at[i].remove.at[j]);
	} else {
		k->edit = r->to_merge.at[0];
		memmove(r->to_merge.at, r->to_merge.at + 1, --r->to_merge.n * sizeof *r->to_merge.at);
		r->one_by_one = r->one_by_one && r->to_merge.n;
	}
	return k;
}

enum rc merge_start(struct pass_run *r, struct err *e)
{
	enum rc rc = RC_OK;
	while (rc == RC_OK && r->to_merge.n && !r->merging && slots_busy(r) < r->engine->asker->jobs) {
		struct link *k = merge_next(r);
		enum answer a;
		bool tested;
		rc = link_decide(r, k, &a, &tested, e);
		r->merging = k;
		if (rc == RC_OK && a != ANSWER_PENDING)
			rc = merge_done(r, a, tested, e);
	}
	return rc;
}

enum rc orphan_done(struct pass_run *r, struct link *k, bool success, struct err *e)
{
	struct step s = {0};
	enum rc rc = RC_OK;
	bool part = step_to_text(r, &k->edit, k, &s);
	if (part && success) {
		r->engine->merges++;
		rc = minimum_moves(r, &s, e);
	} else if (part) {
		known_failed(r, &s);
	} else if (success) {
		vec_push(&r->to_merge, k->edit);
		k->edit = (struct edit){0};
	}
	step_release(&s);
	link_free(r, k);
	return rc;
}
