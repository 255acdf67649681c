/* SPDX-License-Identifier: MIT */
/* Merging: see fold.h, rule 4. The line keeps its order for as long as it lasts (sorting it again at each event would
 * undo the search), new successes join at its end while no prefix of it has failed. Parts of a line do not overlap;
 * what would waits until the line is decided.
 *
 *	line    a  b  c  d  e  f        abcdef was tested and failed: bad = f
 *	              ✓                 abc succeeds: the minimum lacks a, b and c now, and the line is d e f
 *	                    ✗           abcde fails: bad = e; abcd is tested next, and if it fails d is dropped
 */
#include "reduce/fold/fold.h"

#include "base/invariant.h"

#include <string.h>

#define CHAINED 8       /* whole lines that are tested at the same time, each a prefix of the next */
#define ALPHA 0.2       /* how fast the rate of failure is learnt */
#define PREFIXES_AT 0.1 /* that rate, from which prefixes are tested together with the whole line */
#define CARRIES_TO 0.3  /* and up to which candidates are tested on top of the line */
#define SHARE 4         /* one worker of so many tests prefixes in a search for a culprit */
#define PART_ALPHA 0.05 /* how fast the share of parts that are merged is learnt */
#define LOOSE_AT 0.3    /* rate of failure from which a line that fails is taken to have many culprits */
#define WAITS_TO 8      /* jobs with which a line may wait: of more workers one is worth less than an early verdict */

/* The index of the part, or line.n. */
static size_t place_of(const struct fold *f, uint64_t id)
{
	size_t i = 0;
	while (i < f->line.n && f->line.at[i].id != id)
		i++;
	return i;
}

/* The test of that part alone, or NULL. */
static struct test *test_alone(const struct fold *f, uint64_t id)
{
	for (size_t i = 0; i < f->asked.n; i++)
		if (f->asked.at[i]->alone == id && !f->asked.at[i]->pointless)
			return f->asked.at[i];
	return NULL;
}

/* A merge up to that part is being tested: the first part alone is one. */
static bool tested(const struct fold *f, uint64_t id)
{
	if (f->line.at[0].id == id && test_alone(f, id))
		return true;
	for (size_t i = 0; i < f->asked.n; i++)
		if (!f->asked.at[i]->run && !f->asked.at[i]->pointless && f->asked.at[i]->upto == id &&
		    !f->asked.at[i]->without.n)
			return true;
	return false;
}

/* Prefixes that are being tested. */
static size_t merges_asked(const struct fold *f)
{
	size_t n = 0;
	for (size_t i = 0; i < f->asked.n; i++)
		n += f->asked.at[i]->upto && !f->asked.at[i]->without.n && !f->asked.at[i]->pointless;
	return n;
}

bool line_carries(const struct fold *f)
{
	if (!f->line.n || f->bad || f->bad_rate >= CARRIES_TO)
		return false;
	for (size_t i = 0; i < f->line.n; i++)
		if (f->line.at[i].c.edit.rewrite.n)
			return false;
	return true;
}

void line_wait(struct fold *f, struct part p)
{
	p.id = ++f->ids;
	vec_push(&f->waiting, p);
	hold_block_part(f, &p);
}

bool line_leaves_out(const struct test *t, uint64_t id)
{
	for (size_t i = 0; i < t->without.n; i++)
		if (t->without.at[i] == id)
			return true;
	return false;
}

/* Merges of all parts up to that one contain what is known to fail. */
static void cancel_merges(struct fold *f, uint64_t from)
{
	for (size_t i = f->asked.n; i-- > 0;) {
		struct test *t = f->asked.at[i];
		bool whole = !t->without.n || t->without.at[0] > from;
		if (!t->run && !t->pointless && t->upto >= from && whole)
			fold_cancel(f, t);
	}
}

/* Merges with that part are not wanted: it is dropped. */
static void cancel_merges_with(struct fold *f, uint64_t id)
{
	for (size_t i = f->asked.n; i-- > 0;) {
		struct test *t = f->asked.at[i];
		if (!t->run && !t->pointless && t->upto >= id && !line_leaves_out(t, id))
			fold_cancel(f, t);
	}
}

/* Candidates that are being tested on top of a line that fails: they are asked again. */
static void cancel_standing(struct fold *f, uint64_t from)
{
	for (size_t i = f->asked.n; i-- > 0;) {
		struct test *t = f->asked.at[i];
		if (!t->run || t->pointless || t->stands < from)
			continue;
		struct test *again = test_new(f);
		again->run = t->run;
		again->c = t->c;
		again->c.said = NULL;
		again->removed = t->removed;
		again->rate = t->rate;
		again->version = t->version;
		t->c.edit = (struct edit){0};
		t->removed = (struct spans){0};
		fold_cancel(f, t);
		hold_add(f, again);
	}
}

static void break_standing(struct tests *v, uint64_t from)
{
	for (size_t i = 0; i < v->n; i++)
		v->at[i]->broken |= v->at[i]->stands >= from;
}

void line_forget(struct fold *f, uint64_t id)
{
	struct test *t = test_alone(f, id);
	if (t)
		fold_cancel(f, t);
}

/* Takes a part out of the line, of which nothing is tested any more from there on. */
static struct part take(struct fold *f, size_t at)
{
	struct part p = f->line.at[at];
	memmove(f->line.at + at, f->line.at + at + 1, (--f->line.n - at) * sizeof *f->line.at);
	hold_unblock(f, p.id);
	line_forget(f, p.id);
	return p;
}

static void learn_part(struct fold *f, bool merged)
{
	f->part_rate += PART_ALPHA * ((merged ? 1.0 : 0.0) - f->part_rate);
}

void line_drop(struct fold *f, size_t at)
{
	uint64_t id = f->line.at[at].id;
	cancel_merges_with(f, id);
	cancel_standing(f, id);
	struct part p = take(f, at);
	break_standing(&f->limbo, id);
	if (f->bad >= id)
		f->bad = 0;
	learn_part(f, false);
	fold_tell(f, p.run, p.made, &p.c, false);
	part_release(f, &p);
	fold_settle(f);
}

/* A success that does not go together with the others. */
static void drop_culprit(struct fold *f, size_t at)
{
	uint32_t run = f->line.at[at].run;
	line_drop(f, at);
	plan_missed(f->plan, run);
}

static int by_weight(const void *a, const void *b, void *user)
{
	const struct part *x = a, *y = b;
	uint32_t n = spans_weight(&x->removed, user), m = spans_weight(&y->removed, user);
	if (n != m)
		return n > m ? -1 : 1;
	return x->id < y->id ? -1 : 1;
}

static bool rewrites_clash(const struct edit *a, const struct edit *b)
{
	for (size_t i = 0; i < a->rewrite.n; i++)
		for (size_t k = 0; k < b->rewrite.n; k++)
			if (a->rewrite.at[i].token == b->rewrite.at[k].token)
				return true;
	return false;
}

static bool clashes(const struct fold *f, const struct part *p)
{
	for (size_t i = 0; i < f->line.n; i++)
		if (spans_overlap(&p->removed, &f->line.at[i].removed, f->engine->model) ||
		    rewrites_clash(&p->c.edit, &f->line.at[i].c.edit))
			return true;
	return false;
}

/* Lets successes that wait join the line, the heaviest first. */
static void admit(struct fold *f)
{
	size_t n = 0;
	if (f->bad || !f->waiting.n)
		return;
	qsort_r(f->waiting.at, f->waiting.n, sizeof *f->waiting.at, by_weight, f->engine->model);
	for (size_t i = 0; i < f->waiting.n; i++) {
		struct part p = f->waiting.at[i];
		if (clashes(f, &p)) {
			f->waiting.at[n++] = p;
			continue;
		}
		hold_unblock(f, p.id);
		p.id = ++f->ids; /* ascending along the line */
		hold_block_part(f, &p);
		vec_push(&f->line, p);
	}
	f->waiting.n = n;
}

/* A test of n parts, as a merge. */
static struct test *test_of(struct fold *f, const struct part *p, size_t n)
{
	struct test *t = test_new(f);
	for (size_t i = 0; i < n; i++)
		edit_add(&t->c.edit, &p[i].c.edit);
	spans_sort(&t->removed, &t->c.edit.remove);
	return t;
}

/* Asks about the first n parts. *decided: their verdict was known, and the line has changed. */
static enum rc launch(struct fold *f, size_t n, bool *decided, struct err *e)
{
	struct test *t = test_of(f, f->line.at, n);
	enum issued issued;
	INVARIANT(n && n <= f->line.n);
	t->upto = f->line.at[n - 1].id;
	enum rc rc = fold_issue(f, t, &issued, e);
	*decided = issued == ISSUED_DECIDED;
	return rc;
}

/* Asks about evenly spaced prefixes of the first n parts, but for all n. */
static enum rc launch_prefixes(struct fold *f, size_t n, bool *decided, struct err *e)
{
	size_t want = f->jobs / SHARE, last = 0;
	enum rc rc = RC_OK;
	if (want < 1)
		want = 1;
	if (want > n - 1)
		want = n - 1;
	for (size_t i = 1; i <= want && rc == RC_OK && !*decided && fold_room(f); i++) {
		size_t k = n * i / (want + 1);
		if (k == last || !k || tested(f, f->line.at[k - 1].id))
			continue;
		last = k;
		rc = launch(f, k, decided, e);
	}
	return rc;
}

/* Asks about each part but the first alone, where the minimum has moved since. A quarter of the slots is left to
 * prefixes. */
static enum rc launch_alone(struct fold *f, bool *decided, struct err *e)
{
	const uint64_t version = f->engine->model->version;
	const size_t limit = f->slots - f->slots / SHARE;
	enum rc rc = RC_OK;
	for (size_t i = 1; i < f->line.n && rc == RC_OK && !*decided && f->asked.n < limit && fold_room(f); i++) {
		struct part *p = &f->line.at[i];
		enum issued issued;
		if (p->alone == version || test_alone(f, p->id))
			continue;
		p->alone = version;
		size_t before = f->line.n;
		struct test *t = test_of(f, p, 1);
		t->alone = p->id;
		rc = fold_issue(f, t, &issued, e);
		*decided = f->line.n != before;
	}
	return rc;
}

/* Looks for many culprits at a time among the first n parts. Shorter prefixes come first: if what one says is known,
 * longer ones need not be asked about. */
static enum rc launch_search(struct fold *f, size_t n, bool *decided, struct err *e)
{
	enum rc rc = RC_OK;
	if (!tested(f, f->line.at[0].id))
		rc = launch(f, 1, decided, e);
	if (rc == RC_OK && !*decided)
		rc = launch_alone(f, decided, e);
	if (rc == RC_OK && !*decided && n > 2)
		rc = launch_prefixes(f, n, decided, e);
	bool whole = n > 1 && !f->bad && fold_room(f);
	if (rc == RC_OK && !*decided && whole && !tested(f, f->line.at[n - 1].id))
		rc = launch(f, n, decided, e);
	return rc;
}

/* Whether the line need not be tested yet: candidates are tested on top of it, and the first one that succeeds merges
 * all of it for nothing. Not for long, a failure there for each job: they count only when the line is decided. */
static bool may_wait(const struct fold *f)
{
	return line_carries(f) && f->jobs <= WAITS_TO && f->limbo.n < f->jobs;
}

enum rc line_launch(struct fold *f, bool idle, struct err *e)
{
	enum rc rc = RC_OK;
	bool searching = false;
	for (bool decided = true; decided && rc == RC_OK;) {
		decided = false;
		admit(f);
		if (!f->line.n || !fold_room(f))
			break;
		size_t bad = f->bad ? place_of(f, f->bad) + 1 : 0, running = merges_asked(f);
		INVARIANT(bad <= f->line.n && bad != 1);
		if (searching || (f->loose && !running)) {
			searching = true;
			f->loose = false;
			rc = launch_search(f, bad ? bad : f->line.n, &decided, e);
		} else if (bad && !running) {
			rc = launch_prefixes(f, bad, &decided, e);
		} else if (!bad && running < CHAINED && !tested(f, vec_last(&f->line).id) && (idle || !may_wait(f))) {
			rc = launch(f, f->line.n, &decided, e);
			if (rc == RC_OK && !decided && !running && f->bad_rate > PREFIXES_AT && f->line.n > 1)
				rc = launch_prefixes(f, f->line.n, &decided, e);
		}
	}
	return rc;
}

/* Merges that lack some of what was committed cannot become the minimum any more. */
static void cancel_smaller(struct fold *f, const struct parts *done, bool prefix)
{
	const uint64_t last = vec_last(done).id;
	for (size_t i = f->asked.n; i-- > 0;) {
		struct test *t = f->asked.at[i];
		if (!t->upto || t->pointless)
			continue;
		bool lacks = t->upto < last || (t->upto == last && prefix);
		for (size_t k = 0; k < done->n && !lacks; k++)
			lacks = line_leaves_out(t, done->at[k].id);
		if (lacks)
			fold_cancel(f, t);
	}
}

/* The first n parts of the line, but for those left out, go into the minimum, which is t's text. */
static enum rc commit_prefix(struct fold *f, const struct test *t, size_t n, struct err *e)
{
	struct parts done = {0};
	for (size_t i = 0, at = 0; i < n; i++) {
		if (line_leaves_out(t, f->line.at[at].id))
			at++;
		else
			vec_push(&done, take(f, at));
	}
	/* a prefix that failed is still bad, unless what it ended with has gone without another part of it */
	if (place_of(f, f->bad) == f->line.n)
		f->bad = 0;
	cancel_smaller(f, &done, !t->without.n);
	enum rc rc = fold_commit(f, t, e);
	for (size_t i = 0; i < done.n; i++) {
		fold_count(&done.at[i].uncounted, &f->engine->useful);
		learn_part(f, true);
		fold_tell(f, done.at[i].run, done.at[i].made, &done.at[i].c, true);
		fold_drop_group(f, done.at[i].run, done.at[i].c.group);
		part_release(f, &done.at[i]);
	}
	vec_release(&done);
	return rc;
}

/* A part was asked about alone. What was not tested, because the same text is being tested, says nothing. */
static enum rc result_alone(struct fold *f, struct test *t, struct err *e)
{
	size_t at = place_of(f, t->alone);
	enum rc rc = RC_OK;
	if (t->answer != ANSWER_YES && !t->untested && at < f->line.n)
		drop_culprit(f, at);
	else if (t->answer == ANSWER_YES && f->line.n && at == 0 && fold_fits(f, t))
		rc = commit_prefix(f, t, 1, e);
	return rc;
}

enum rc line_result(struct fold *f, struct test *t, struct err *e)
{
	bool yes = t->answer == ANSWER_YES;
	size_t at = place_of(f, t->upto);
	enum rc rc = RC_OK;
	fold_count(&t->uncounted, &f->engine->merges);
	if (!yes)
		fold_remember(f, t);
	/* where somebody else moved the minimum a good prefix is asked about again */
	if (t->alone) {
		rc = result_alone(f, t, e);
	} else if (at < f->line.n && yes && fold_fits(f, t)) {
		if (at + 1 == f->line.n && !t->without.n)
			f->bad_rate -= ALPHA * f->bad_rate;
		rc = commit_prefix(f, t, at + 1, e);
	} else if (at < f->line.n && !yes && !t->without.n) {
		if (!f->bad)
			f->bad_rate += ALPHA * (1 - f->bad_rate);
		f->loose = f->bad_rate >= LOOSE_AT && f->line.n <= f->jobs;
		if (!f->bad || t->upto < f->bad)
			f->bad = t->upto;
		cancel_merges(f, f->bad);
		cancel_standing(f, f->bad);
	}
	if (rc == RC_OK && f->bad && f->line.n && f->line.at[0].id == f->bad)
		drop_culprit(f, 0);
	fold_settle(f);
	test_free(f, t);
	return rc;
}
