/* SPDX-License-Identifier: MIT */
/* "Is this variant known?", decided in one place: known_verdict(). Everything that could save a test is looked at here,
 * the cheap before the dear:
 *
 *	1. protected     it touches a token that --keep protects: failed
 *	2. empty         it changes nothing: succeeded
 *	3. cache         the cache of failed variants has it: failed
 *	4. chain, merge  a link of the chain or the merge attempt tests it now: failed for whoever comes later, since if
 *	                 that test succeeds all later guesses are void anyway
 *	5. longer        an edit made for another minimum would bring back a longer word: failed
 *	6. orphans       a test that was started against an older minimum is of this text: it becomes this link's
 *	7. recall        the asker knows the text: tested in this run (as other tokens) or in an earlier one (store)
 *
 * What passes all seven is tested. A test that failed goes into the cache (known_failed) and into what the asker
 * recalls; one that succeeded makes the minimum, which no later variant equals, since each lacks or shortens something.
 * Hence the invariant: no text is tested twice, except on purpose (to notice a flaky test) or when its first test was
 * cancelled or had no verdict (a time-out). */
#include "reduce/run/pass_run.h"

#include "base/invariant.h"
#include "reduce/model/symbols.h"

static bool is_protected(const struct model *m, const struct edit *e)
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

/* Whether both steps make the same text of the minimum. */
static bool same_step(const struct pass_run *r, const struct step *a, const struct step *b)
{
	struct variant v = step_variant(a, r->engine->model), w = step_variant(b, r->engine->model);
	return variant_same(&v, &w);
}

static bool is_running(const struct pass_run *r, const struct link *k)
{
	for (size_t i = 0; i < r->chain.n; i++) {
		const struct link *other = r->chain.at[i];
		if (other != k && other->status == LINK_RUNNING && same_step(r, &other->step, &k->step))
			return true;
	}
	return r->merging && same_step(r, &r->merging->step, &k->step);
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

/* Makes the test of an orphan k's if it is of the same text. */
static bool adopt_orphan(struct pass_run *r, struct link *k)
{
	size_t i = 0;
	while (i < r->orphans.n && !link_tests(r, r->orphans.at[i], &k->step))
		i++;
	if (i == r->orphans.n)
		return false;
	struct link *o = links_take(&r->orphans, i);
	k->slot = o->slot;
	k->status = LINK_RUNNING;
	link_free(r, o);
	return true;
}

enum known known_verdict(struct pass_run *r, struct link *k)
{
	struct engine *g = r->engine;
	INVARIANT(k->status == LINK_NEW);
	if (is_protected(g->model, &k->edit))
		return KNOWN_FAILED;
	if (!step_make(&k->step, g->model, &k->edit))
		return KNOWN_EMPTY;
	struct variant v = step_variant(&k->step, g->model);
	g->generated++;
	if (g->asker->generated)
		g->asker->generated(g->asker->user, &v);
	if (verdicts_has(g->cache, &v)) {
		g->hits++;
		return KNOWN_FAILED;
	}
	if (is_running(r, k) || (k->older && lengthens(g->model, &k->step)))
		return KNOWN_FAILED;
	if (adopt_orphan(r, k))
		return KNOWN_RUNNING;
	bool interesting;
	if (g->asker->recall && g->asker->recall(g->asker->user, &k->step, &interesting))
		return interesting ? KNOWN_YES : KNOWN_NO;
	return KNOWN_NOTHING;
}

void known_failed(struct pass_run *r, const struct step *s)
{
	struct variant v = step_variant(s, r->engine->model);
	verdicts_add(r->engine->cache, &v);
}

bool step_to_text(const struct pass_run *r, const struct edit *edit, const struct link *test, struct step *s)
{
	const struct model *m = r->engine->model;
	if (step_make(s, m, edit) && link_tests(r, test, s))
		return !lengthens(m, s);
	struct edit way = {0};
	bool found = edit_embed(&way, m, test->text, test->n_text) && !is_protected(m, &way) && step_make(s, m, &way);
	edit_release(&way);
	return found;
}
