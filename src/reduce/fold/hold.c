/* SPDX-License-Identifier: MIT */
/* Held candidates: see fold.h, rule 6. The chance that a candidate is still wanted when what is undecided now has been
 * decided is taken for the product, over all that it overlaps with, of 1 − p · (share of its tokens in the overlap):
 * p is how often tests of that kind succeed, or how often successes can be merged.
 *
 * The index: each held candidate keeps its factors, one for each thing it overlaps with. When something is asked its
 * factor is added to the held candidates that it touches; when it is decided the factor goes. So an event costs one
 * look at each held candidate and no candidate is weighed against everything again. */
#include "reduce/fold/fold.h"

#include <math.h>

#define ALPHA 0.05 /* how fast rates are learnt */

static double factor(const struct fold *f, const struct test *t, const struct spans *removed, double succeeds)
{
	uint32_t both = t->weight ? spans_overlap(&t->removed, removed, f->engine->model) : 0;
	return both ? 1 - succeeds * (double)both / (double)t->weight : 1;
}

static void add_factor(struct test *t, uint64_t id, double q)
{
	if (q >= 1)
		return;
	vec_push(&t->obstacles, ((struct obstacle){id, q}));
	t->chance *= q;
}

void hold_weigh(const struct fold *f, struct test *t)
{
	t->weight = spans_weight(&t->removed, f->engine->model);
	vec_clear(&t->obstacles);
	t->chance = 1;
	for (size_t i = 0; i < f->asked.n; i++)
		if (f->asked.at[i]->run && !f->asked.at[i]->pointless)
			add_factor(t, f->asked.at[i]->id,
				   factor(f, t, &f->asked.at[i]->removed, f->rate[f->asked.at[i]->rate]));
	for (size_t i = 0; i < f->waiting.n; i++)
		add_factor(t, f->waiting.at[i].id, factor(f, t, &f->waiting.at[i].removed, f->part_rate));
	for (size_t i = 0; i < f->line.n; i++)
		add_factor(t, f->line.at[i].id, factor(f, t, &f->line.at[i].removed, f->part_rate));
}

void hold_add(struct fold *f, struct test *t)
{
	hold_weigh(f, t);
	vec_push(&f->held, t);
}

void hold_block(struct fold *f, const struct test *o)
{
	for (size_t i = 0; i < f->held.n && o->run; i++) {
		struct test *t = f->held.at[i];
		add_factor(t, o->id, factor(f, t, &o->removed, f->rate[o->rate]));
	}
}

void hold_block_part(struct fold *f, const struct part *p)
{
	for (size_t i = 0; i < f->held.n; i++) {
		struct test *t = f->held.at[i];
		add_factor(t, p->id, factor(f, t, &p->removed, f->part_rate));
	}
}

void hold_unblock(struct fold *f, uint64_t id)
{
	for (size_t i = 0; i < f->held.n; i++) {
		struct test *t = f->held.at[i];
		size_t n = 0;
		double chance = 1;
		for (size_t k = 0; k < t->obstacles.n; k++) {
			if (t->obstacles.at[k].id == id)
				continue;
			chance *= t->obstacles.at[k].chance;
			t->obstacles.at[n++] = t->obstacles.at[k];
		}
		t->obstacles.n = n;
		t->chance = chance;
	}
}

size_t hold_first(const struct fold *f)
{
	for (size_t i = 0; i < f->held.n; i++)
		if (!f->held.at[i]->later && f->held.at[i]->chance >= HOLD_ASK)
			return i;
	return SIZE_MAX;
}

size_t hold_best(const struct fold *f)
{
	size_t best = SIZE_MAX;
	for (size_t i = 0; i < f->held.n; i++)
		if (!f->held.at[i]->later && (best == SIZE_MAX || f->held.at[i]->chance > f->held.at[best]->chance))
			best = i;
	return best;
}

static double hopes_of(const struct fold *f, const struct tests *v, uint32_t upto)
{
	double n = 0;
	for (size_t i = 0; i < v->n; i++)
		if (v->at[i]->run && v->at[i]->run <= upto && !v->at[i]->pointless)
			n += f->rate[v->at[i]->rate];
	return n;
}

double hold_hopes(const struct fold *f, uint32_t upto)
{
	double n = hopes_of(f, &f->asked, upto) + hopes_of(f, &f->held, upto);
	for (size_t i = 0; i < f->waiting.n; i++)
		n += f->waiting.at[i].run <= upto;
	for (size_t i = 0; i < f->line.n; i++)
		n += f->line.at[i].run <= upto;
	return n;
}

void hold_learn(struct fold *f, unsigned rate, unsigned n, unsigned successes)
{
	f->rate[rate] += (1 - pow(1 - ALPHA, n)) * ((double)successes / n - f->rate[rate]);
}

void hold_learn_done(struct fold *f, size_t n)
{
	unsigned all[RATES] = {0}, successes[RATES] = {0};
	for (size_t i = 0; i < n; i++) {
		const struct test *t = f->asked.at[i];
		if (!t->done || !t->run || t->pointless)
			continue;
		all[t->rate]++;
		successes[t->rate] += t->answer == ANSWER_YES;
	}
	for (unsigned i = 0; i < RATES; i++)
		if (all[i])
			hold_learn(f, i, all[i], successes[i]);
}
