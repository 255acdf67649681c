/* SPDX-License-Identifier: MIT */
/* Joining the tables of match.h. Internal to the matcher. */
#ifndef SMT_CACHE_MATCH_JOIN_H
#define SMT_CACHE_MATCH_JOIN_H

#include "smt/cache/match.h"

/* True when the budget is used up; sets gave_up. */
bool match_spent(struct match *m);
/* O2, to a fixed point; false when some table has no row left. */
bool match_filter(struct match *m, const struct core *c, const struct query *q);
/* O3: one complete substitution in m->value, by backtracking. */
bool match_join_lazy(struct match *m, const struct core *c);
/* Without O3: every partial substitution is stored, table by table. */
bool match_join_stored(struct match *m, const struct core *c);

#endif
