/* SPDX-License-Identifier: MIT */
/* What could save a test, the cheap before the dear:
 *
 *	1. protected     it touches a token that --keep protects: failed
 *	2. empty         it changes nothing: succeeded
 *	3. cache         the cache of failed variants has it: failed
 *	4. longer        an edit that the minimum has overtaken would bring back a longer word: failed
 *	5. recall        the asker knows the text: tested in this run (as other tokens) or in an earlier one (store)
 *
 * With several jobs asked.h is looked at before 5. What passes all is tested. A test that failed goes into the cache
 * and into what the asker recalls; one that succeeded makes the minimum, which no later variant equals, since each
 * lacks or shortens something. Hence the invariant: no text is tested twice, except on purpose (to notice a flaky
 * test) or when its first test was cancelled or had no verdict (a time-out). */
#include "reduce/fold/known.h"

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

/* Whether a token of the base in from … to−1 has another text in the minimum. */
static bool is_rewritten(const struct model *m, uint32_t from, uint32_t to)
{
	size_t lo = 0, hi = m->rewritten.n;
	while (lo < hi) {
		size_t mid = (lo + hi) / 2;
		if (m->rewritten.at[mid].token < from)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < m->rewritten.n && m->rewritten.at[lo].token < to;
}

/* Whether all that the edit is about is as it was in the base. Then it makes the program smaller, as its pass saw to,
 * even if it puts a longer word in place of a short one. */
static bool is_intact(const struct model *m, const struct edit *e)
{
	for (size_t i = 0; i < e->remove.n; i++) {
		struct span s = e->remove.at[i];
		if (s.to > m->n_tokens || model_count(m, s.from, s.to) != s.to - s.from ||
		    is_rewritten(m, s.from, s.to))
			return false;
	}
	for (size_t i = 0; i < e->rewrite.n; i++) {
		uint32_t t = e->rewrite.at[i].token;
		if (t >= m->n_tokens || !model_has(m, t) || is_rewritten(m, t, t + 1))
			return false;
	}
	return true;
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

bool known_to_lengthen(const struct model *m, const struct edit *e, enum made_for made_for, const struct step *s)
{
	return made_for != FOR_THIS && lengthens(m, s) && !(made_for == FOR_EARLIER && is_intact(m, e));
}

enum known known_cheaply(struct engine *g, const struct edit *e, enum made_for made_for, struct step *s)
{
	if (is_protected(g->model, e))
		return KNOWN_FAILED;
	if (!step_make(s, g->model, e))
		return KNOWN_EMPTY;
	struct variant v = step_variant(s, g->model);
	g->generated++;
	if (g->asker->generated)
		g->asker->generated(g->asker->user, &v);
	if (verdicts_has(g->cache, &v)) {
		g->hits++;
		return KNOWN_FAILED;
	}
	return known_to_lengthen(g->model, e, made_for, s) ? KNOWN_FAILED : KNOWN_NOTHING;
}

enum known known_by_text(struct engine *g, const struct step *s)
{
	bool interesting;
	if (!g->asker->recall || !g->asker->recall(g->asker->user, s, &interesting))
		return KNOWN_NOTHING;
	return interesting ? KNOWN_YES : KNOWN_NO;
}
