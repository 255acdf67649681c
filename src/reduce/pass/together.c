/* SPDX-License-Identifier: MIT */
/* The pass "together": a declaration goes with its uses. For each name, in one edit, every place where it stands
 * vanishes: it becomes a value, or the smallest thing around it goes, or the next larger one (vanish.h). What gains
 * most comes first. */
#include "reduce/pass/vanish.h"

enum { VALUES = 2, LEVELS = 3 };

static void propose(struct vanish *v, uint32_t word)
{
	const struct span nowhere = {0, 0};
	for (int value = 0; value < VALUES; value++) {
		if (vanish_word(v, word, value, 0, nowhere))
			proposal_end(v->proposals, word + 1);
		proposal_drop(v->proposals);
	}
	for (unsigned level = 0; level < LEVELS; level++) {
		if (vanish_word(v, word, -1, level, nowhere))
			proposal_end(v->proposals, word + 1);
		proposal_drop(v->proposals);
	}
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
