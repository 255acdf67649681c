/* SPDX-License-Identifier: MIT */
/* Canonical renaming: the query with its variables called !0, !1, … in order of first appearance. */
#ifndef SMT_TERM_CANON_H
#define SMT_TERM_CANON_H

#include "smt/term/query.h"

struct canon {
	struct dag dag;
	struct query query;
	VEC(uint32_t) to, root;
	VEC(uint32_t) labels, args;
};

void canon_init(struct canon *c);
void canon_release(struct canon *c);
/* Valid until the next call; conjunct i of the result is conjunct i of q. */
const struct query *canon_query(struct canon *c, const struct query *q);

#endif
