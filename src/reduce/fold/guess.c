/* SPDX-License-Identifier: MIT */
/* What may come of the line: see fold.h, rule 4. Prefixes find one culprit at a time; where merges fail often there are
 * several. Workers that would be idle ask about the line without parts that may turn out to be culprits, so that the
 * search goes on past the first one at once.
 *
 *	line    a  b  c  d  e       a ✓  ab ✓  abc ✗        prefixes
 *	                            ab·d ✓  ab·de ✓         without c: d and e need no second round
 *
 * A *way* says of the first parts which fit. It is as likely as the product of how often parts fit, or do not; the
 * likeliest ways are asked about first, each with the next part added. What is learnt about a part that fails there
 * is found among the texts that were asked when the part is asked about alone. */
#include "reduce/fold/fold.h"

#define GUESS_AT 0.02     /* chance from which a way is worth a worker that would be idle */
#define GUESS_FROM 0.3    /* how often merges must fail, of late: then there are several culprits */
#define FITS_AT_MOST 0.95 /* where they do, however often single parts fit */

struct way {
	double chance;
	size_t n;            /* parts of the line that are decided */
	VEC(size_t) without; /* those that do not fit */
};

struct ways {
	VEC_FIELDS(struct way);
};

/* The way goes on with one part more. */
static void add_way(struct ways *v, const struct way *from, bool fits, double chance)
{
	if (chance < GUESS_AT)
		return;
	struct way w = {.chance = chance, .n = from->n + 1};
	for (size_t i = 0; i < from->without.n; i++)
		vec_push(&w.without, from->without.at[i]);
	if (!fits)
		vec_push(&w.without, from->n);
	vec_push(v, w);
}

static struct way take_likeliest(struct ways *v)
{
	size_t best = 0;
	for (size_t i = 1; i < v->n; i++)
		if (v->at[i].chance > v->at[best].chance)
			best = i;
	struct way w = v->at[best];
	v->at[best] = v->at[--v->n];
	return w;
}

/* Whether it is being asked if the next part fits too. */
static bool way_tested(const struct fold *f, const struct way *w)
{
	for (size_t i = 0; i < f->asked.n; i++) {
		const struct test *t = f->asked.at[i];
		bool same = t->upto == f->line.at[w->n].id && !t->pointless && t->without.n == w->without.n;
		for (size_t k = 0; k < w->without.n && same; k++)
			same = t->without.at[k] == f->line.at[w->without.at[k]].id;
		if (same)
			return true;
	}
	return false;
}

/* Asks whether the next part fits too. *decided: that was known, and the line has changed. */
static enum rc launch_way(struct fold *f, const struct way *w, bool *decided, struct err *e)
{
	struct test *t = test_new(f);
	size_t before = f->line.n;
	enum issued issued;
	for (size_t i = 0, k = 0; i <= w->n; i++) {
		if (k < w->without.n && w->without.at[k] == i) {
			vec_push(&t->without, f->line.at[i].id);
			k++;
		} else {
			edit_add(&t->c.edit, &f->line.at[i].c.edit);
		}
	}
	spans_sort(&t->removed, &t->c.edit.remove);
	t->upto = f->line.at[w->n].id;
	enum rc rc = fold_issue(f, t, &issued, e);
	*decided = f->line.n != before;
	return rc;
}

enum rc line_guess(struct fold *f, struct err *e)
{
	const double fits = f->part_rate < FITS_AT_MOST ? f->part_rate : FITS_AT_MOST;
	struct ways ways = {0};
	bool decided = false;
	enum rc rc = RC_OK;
	if (f->bad_rate < GUESS_FROM || f->line.n < 2)
		return RC_OK;
	vec_push(&ways, ((struct way){.chance = 1}));
	while (ways.n && rc == RC_OK && !decided && fold_room(f)) {
		struct way w = take_likeliest(&ways);
		if (w.n < f->line.n) {
			/* prefixes are the business of line.c */
			bool bad = f->bad && !w.without.n && f->line.at[w.n].id >= f->bad;
			if (!bad)
				add_way(&ways, &w, true, w.chance * fits);
			add_way(&ways, &w, false, bad ? w.chance : w.chance * (1 - fits));
			if (w.without.n && !way_tested(f, &w))
				rc = launch_way(f, &w, &decided, e);
		}
		vec_release(&w.without);
	}
	for (size_t i = 0; i < ways.n; i++)
		vec_release(&ways.at[i].without);
	vec_release(&ways);
	return rc;
}
