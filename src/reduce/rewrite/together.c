/* SPDX-License-Identifier: MIT */
/* The pass "together": a declaration goes with its uses. For each name, in one edit, every place where it stands
 * vanishes: it becomes a value, or the smallest thing around it goes, or the next larger one (vanish.h); or the
 * declaration goes and another name that it uses stands in elsewhere. What gains most comes first. */
#include "reduce/rewrite/vanish.h"

enum {
	VALUES = 2,
	LEVELS = 3,
	FEW_WORDS = 100, /* names of a program that is worth more questions: */
	MORE_VALUES = 5,
	STAND_INS = 3
};

/* A name that is seen first in a declaration goes with it, and another name of the declaration takes its place:
 * `x = f(y)` goes and x becomes y. */
static void propose_stand_ins(struct vanish *v, uint32_t word, unsigned level)
{
	const struct word *w = &v->words.at[word];
	struct span own;
	unsigned n = 0;
	if (w->n < 2 || !vanish_around(v, vanish_leaf(v, &v->words.place.at[w->first]), level, &own))
		return;
	for (uint32_t y = 0; y < v->words.n && n < STAND_INS; y++) {
		const struct word *to = &v->words.at[y];
		uint32_t k = to->first;
		while (k < to->first + to->n && v->words.place.at[k].token < own.from)
			k++;
		if (y == word || k == to->first + to->n || v->words.place.at[k].token >= own.to)
			continue;
		proposal_remove(v->proposals, own.from, own.to);
		for (uint32_t i = w->first; i < w->first + w->n; i++)
			if (v->words.place.at[i].token < own.from || v->words.place.at[i].token >= own.to)
				vanish_become(v, &v->words.place.at[i], to);
		n += proposal_end(v->proposals, word + 1);
		proposal_drop(v->proposals);
	}
}

static void propose(struct vanish *v, uint32_t word)
{
	const struct span nowhere = {0, 0};
	const bool few = v->words.n <= FEW_WORDS;
	for (int value = 0; value < (few ? MORE_VALUES : VALUES); value++) {
		if (vanish_word(v, word, value, 0, nowhere))
			proposal_end(v->proposals, word + 1);
		proposal_drop(v->proposals);
	}
	for (unsigned level = 0; level < LEVELS; level++) {
		if (vanish_word(v, word, -1, level, nowhere))
			proposal_end(v->proposals, word + 1);
		proposal_drop(v->proposals);
	}
	for (unsigned level = 0; few && level < 2; level++)
		propose_stand_ins(v, word, level);
}

static void look(struct vanish *v)
{
	for (uint32_t i = 0; i < v->words.n; i++)
		propose(v, i);
}

static void together_begin(void *state)
{
	vanish_begin(state, look);
}

const struct pass pass_together = {"together", "a declaration goes with its uses, or these become values",
				   PASS_TREE | PASS_FIXPOINT, together_begin, &proposals_frame};
