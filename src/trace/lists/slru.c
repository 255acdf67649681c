/* SPDX-License-Identifier: MIT */
/* SLRU in step (inside.h). Protected blocks are in order of their last use; blocks enter probation when they come and
 * when they are no longer protected, and leave it when they are used or evicted: a queue. */
#include "trace/lists/inside.h"

enum { PROTECTED, PROBATION };

static void start(struct lists *s, struct listed *c)
{
	(void)s;
	c->share = c->limit - (c->limit + 4) / 5;
}

INLINE void make_room(struct lists *s, unsigned i)
{
	struct listed *c = &s->cache[i];
	if (c->sum[PROBATION]) {
		uint32_t p = lists_take(s, i, 0, s->word[PROBATION]);
		s->word[PROBATION][p] &= ~BIT(i);
		c->sum[PROBATION]--;
	} else {
		uint32_t p = lists_last(s, i, 0, s->word[PROTECTED]);
		s->word[PROTECTED][p] &= ~BIT(i);
		c->sum[PROTECTED]--;
	}
}

/* A block on probation was used. */
INLINE void protect(struct lists *s, unsigned i)
{
	struct listed *c = &s->cache[i];
	c->sum[PROBATION]--;
	if (++c->sum[PROTECTED] <= c->share)
		return;
	uint32_t p = lists_last(s, i, 0, s->word[PROTECTED]);
	s->word[PROTECTED][p] &= ~BIT(i);
	s->word[PROBATION][p] |= BIT(i);
	c->sum[PROTECTED]--;
	c->sum[PROBATION]++;
	lists_push(s, i, 0, p);
}

static void run(struct lists *s, const struct policy_refs *r)
{
	for (size_t k = 0; k < r->n; k++) {
		lists_ahead(s, r, k, 2);
		uint32_t id = r->id[k], p = s->place[id];
		if (s->word[PROTECTED][p] == s->all && p + 1 == s->end)
			continue;
		uint32_t q = lists_step(s, id);
		uint64_t protected = lists_move(s->word[PROTECTED], p), probation = lists_move(s->word[PROBATION], p);
		uint64_t missing = s->all & ~(protected | probation);
		s->word[PROTECTED][q] = protected | probation;
		s->word[PROBATION][q] = missing;
		EACH_CACHE(i, probation)
		protect(s, (unsigned)i);
		EACH_CACHE(i, missing)
		lists_enter(s, r, k, (unsigned)i, PROBATION, make_room);
	}
}

const struct lists_kind lists_slru = {"slru", LISTS_MANY, 2, {1 << PROBATION, 0}, start, run};
