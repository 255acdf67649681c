/* SPDX-License-Identifier: MIT */
/* The pass "unite": of two names one goes, with the statements that it is there for, and the other stands in for it in
 * those that stay: a trait and its implementation go and the bound names another trait, a class goes and its pointer
 * points to another class. Either all statements go but one, or only one of them. When little is left only. */
#include "reduce/rewrite/vanish.h"
#include "reduce/syntax/syntax.h"

enum {
	MAX_LEFT = 250, /* tokens of a program that is worth it */
	MAX_PLACES = 6, /* of a name that goes */
	PER_WORD = 3,   /* names that may stand in for it */
	LEVELS = 2
};

/* Whether both names stand somewhere as the same kind of thing. */
static bool alike(const struct vanish *v, const struct word *x, const struct word *y)
{
	for (uint32_t i = x->first; i < x->first + x->n; i++)
		for (uint32_t k = y->first; k < y->first + y->n; k++)
			if (v->words.place.at[i].kind == v->words.place.at[k].kind)
				return true;
	return false;
}

/* Place `one` goes and the others become y, or it becomes y and the others go; levels: see vanish_around(). */
static void propose(struct vanish *v, uint32_t word, const struct word *y, uint32_t one, bool goes, unsigned levels)
{
	const struct word *x = &v->words.at[word];
	bool fits = true;
	for (uint32_t i = x->first; i < x->first + x->n && fits; i++) {
		const struct word_place *p = &v->words.place.at[i];
		struct span s;
		if ((i == one) != goes)
			vanish_become(v, p, y);
		else if ((fits = vanish_around(v, vanish_leaf(v, p), levels, &s)))
			proposal_remove(v->proposals, s.from, s.to);
	}
	if (fits)
		proposal_end(v->proposals, word + 1);
	proposal_drop(v->proposals);
}

/* What is around the place where a name stands first: mostly its declaration. */
static uint16_t declared_in(const struct vanish *v, const struct word *w)
{
	uint32_t up = forest_parent(&v->forest, vanish_leaf(v, &v->words.place.at[w->first]));
	return up == FOREST_NONE ? SYNTAX_NO_SYMBOL : forest_node(&v->forest, up)->sym;
}

static void look_at_word(struct vanish *v, uint32_t word)
{
	const struct word *x = &v->words.at[word];
	const uint16_t in = declared_in(v, x);
	unsigned n = 0;
	for (uint32_t i = 0; i < 2 * v->words.n && n < PER_WORD; i++) {
		uint32_t k = i % (uint32_t)v->words.n;
		const struct word *y = &v->words.at[k];
		/* those that are declared alike come first */
		if (k == word || (declared_in(v, y) == in) != (i == k) || !alike(v, x, y))
			continue;
		n++;
		for (uint32_t p = x->first; p < x->first + x->n; p++) {
			for (unsigned levels = 0; levels < LEVELS; levels++) {
				propose(v, word, y, p, false, levels);
				if (x->n > 2)
					propose(v, word, y, p, true, levels);
			}
		}
	}
}

static void look(struct vanish *v)
{
	for (uint32_t i = 0; i < v->words.n; i++)
		if (v->forest.model->n <= MAX_LEFT && v->words.at[i].n > 1 && v->words.at[i].n <= MAX_PLACES)
			look_at_word(v, i);
}

static void unite_begin(void *state)
{
	vanish_begin(state, look);
}

const struct pass pass_unite = {"unite", "of two names one goes, and the other stands in where it is needed",
				PASS_TREE | PASS_FIXPOINT, unite_begin, &proposals_frame};
