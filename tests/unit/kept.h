/* SPDX-License-Identifier: MIT */
/* Printing single tokens of a text, for tests and the fuzz target: syntax_print wants runs. */
#ifndef TESTS_UNIT_KEPT_H
#define TESTS_UNIT_KEPT_H

#include "data/vec.h"
#include "reduce/syntax/syntax.h"

/* Appends the tokens kept[0 … n−1] (ascending), rewritten as rw says. */
static inline void print_kept(const struct syntax *s, const uint32_t *kept, size_t n, const struct syn_rewrite *rw,
			      size_t n_rw, struct buf *out)
{
	VEC(struct syn_run) runs = {0};
	for (size_t i = 0; i < n; i++) {
		if (runs.n && vec_last(&runs).to == kept[i])
			vec_last(&runs).to++;
		else
			vec_push(&runs, ((struct syn_run){kept[i], kept[i] + 1}));
	}
	syntax_print(s, runs.at, runs.n, rw, n_rw, out);
	vec_release(&runs);
}

#endif
