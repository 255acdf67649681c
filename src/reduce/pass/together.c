/* SPDX-License-Identifier: MIT */
/* The pass "together": a declaration goes with its uses. For each name, in one edit, every place where it stands
 * vanishes: it becomes a value, or the smallest thing around it goes, or the next larger one (vanish.h). What gains
 * most comes first. */
#include "reduce/pass/vanish.h"

enum {
	MAX_LEFT = 20000, /* tokens of a program that is worth it */
	VALUES = 2,
	LEVELS = 3
};

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

static void *together_start(struct model *m, uint64_t seed)
{
	struct proposals *p = mem_zalloc(sizeof *p);
	struct vanish v;
	(void)seed;
	proposals_init(p, m);
	if (m->n > MAX_LEFT)
		return p;
	vanish_init(&v, p);
	for (uint32_t i = 0; i < v.words.n; i++)
		propose(&v, i);
	vanish_release(&v);
	proposals_sort(p);
	return p;
}

const struct pass pass_together = {
	.name = "together",
	.summary = "a declaration goes with its uses, or these become values",
	.flags = PASS_TREE | PASS_FIXPOINT,
	.start = together_start,
	.next = proposals_next,
	.result = proposals_result,
	.free = proposals_free,
};
