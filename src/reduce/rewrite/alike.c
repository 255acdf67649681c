/* SPDX-License-Identifier: MIT */
/* The pass "alike": all tokens with one text go at once. The types of all parameters (C without prototypes), a
 * qualifier or a sign that must be everywhere or nowhere: none of these can go one by one. One question for each text
 * that stands more than once. */
#include "reduce/pass/proposals.h"

enum { MAX_LEFT = 400 }; /* tokens of a program that is worth it */

static void alike_begin(void *state)
{
	struct proposals *p = state;
	const struct model *m = p->pass.model;
	proposals_init(p);
	for (uint32_t i = 0; i < m->n_tokens && m->n <= MAX_LEFT; i++) {
		bool first = true;
		for (uint32_t k = 0; k < i && first; k++)
			first = m->sym[k] != m->sym[i];
		for (uint32_t k = i; k < m->n_tokens && first; k++)
			if (m->sym[k] == m->sym[i])
				proposal_remove(p, k, k + 1);
		/* a single one is the pass "tokens"'s */
		if (p->edit.remove.n > 1)
			proposal_end(p, 0);
		proposal_drop(p);
	}
	proposals_sort(p);
}

const struct pass pass_alike = {"alike", "all tokens with one text go at once, when little is left",
				PASS_TREE | PASS_FIXPOINT, alike_begin, &proposals_frame};
