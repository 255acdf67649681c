/* SPDX-License-Identifier: MIT */
/* LIRS in step (inside.h). Every reference puts its block on top of the stack s, so s is in order of the last use:
 * it begins at a cache's mark, where its bottom, a LIR block, stands, and BOTTOM says so beside the block. What is
 * pruned is between that and the next LIR block. The queue q and the ghosts in order of eviction are queues. */
#include "trace/lists/inside.h"

enum { LIR, STACK, QUEUED, GHOST, BOTTOM };
enum { QUEUE_HIR, QUEUE_GHOSTS };

static void start(struct lists *s, struct listed *c)
{
	(void)s;
	c->share = c->limit - (c->limit / 100 ? c->limit / 100 : 1);
}

/* Nothing below the mark is in s, nor, until the next LIR block, what is there. */
INLINE void prune(struct lists *s, unsigned i)
{
	struct listed *c = &s->cache[i];
	uint32_t p = c->mark[0], end = s->end;
	for (; p < end && (!c->sum[LIR] || !(s->word[LIR][p] >> i & 1)); p++) {
		if (!(s->word[STACK][p] >> i & 1))
			continue;
		s->word[STACK][p] &= ~BIT(i);
		c->sum[STACK]--;
		c->sum[GHOST] -= s->word[GHOST][p] >> i & 1;
		s->word[GHOST][p] &= ~BIT(i);
	}
	c->mark[0] = p;
	if (p < end) {
		s->word[BOTTOM][p] |= BIT(i);
		c->sum[BOTTOM] = 1;
	}
}

INLINE void queue(struct lists *s, unsigned i, uint32_t p)
{
	s->word[QUEUED][p] |= BIT(i);
	s->cache[i].sum[QUEUED]++;
	lists_push(s, i, QUEUE_HIR, p);
}

/* The block at q becomes LIR; the bottom one is HIR then, if there are too many. */
INLINE void promote(struct lists *s, unsigned i, uint32_t q)
{
	struct listed *c = &s->cache[i];
	s->word[LIR][q] |= BIT(i);
	if (c->sum[LIR]++ == 0) {
		c->mark[0] = q;
		s->word[BOTTOM][q] |= BIT(i);
		c->sum[BOTTOM] = 1;
	}
	if (c->sum[LIR] <= c->share)
		return;
	uint32_t p = c->mark[0];
	s->word[LIR][p] &= ~BIT(i);
	s->word[STACK][p] &= ~BIT(i);
	s->word[BOTTOM][p] &= ~BIT(i);
	c->sum[LIR]--;
	c->sum[STACK]--;
	c->sum[BOTTOM] = 0;
	queue(s, i, p);
	prune(s, i);
}

/* The block at q is on top of s, and HIR. */
INLINE void stay(struct lists *s, unsigned i, uint32_t q)
{
	queue(s, i, q);
	if (UNLIKELY(!s->cache[i].sum[LIR]))
		prune(s, i);
}

/* The first of q goes; if it is in s, its place there is kept. */
INLINE void make_room(struct lists *s, unsigned i)
{
	struct listed *c = &s->cache[i];
	uint32_t p = lists_take(s, i, QUEUE_HIR, s->word[QUEUED]);
	s->word[QUEUED][p] &= ~BIT(i);
	c->sum[QUEUED]--;
	if (!(s->word[STACK][p] >> i & 1))
		return;
	s->word[GHOST][p] |= BIT(i);
	lists_push(s, i, QUEUE_GHOSTS, p);
	if (++c->sum[GHOST] <= c->limit)
		return;
	p = lists_take(s, i, QUEUE_GHOSTS, s->word[GHOST]);
	s->word[GHOST][p] &= ~BIT(i);
	s->word[STACK][p] &= ~BIT(i);
	c->sum[GHOST]--;
	c->sum[STACK]--;
}

INLINE void miss(struct lists *s, unsigned i, uint32_t q, bool known)
{
	struct listed *c = &s->cache[i];
	if (c->n == c->limit)
		make_room(s, i);
	else
		c->n++;
	c->sum[STACK]++;
	if (c->share && (known || c->sum[LIR] < c->share))
		promote(s, i, q);
	else
		stay(s, i, q);
}

static void run(struct lists *s, const struct policy_refs *r)
{
	for (size_t k = 0; k < r->n; k++) {
		lists_ahead(s, r, k, 5);
		uint32_t id = r->id[k], p = s->place[id];
		if (s->word[LIR][p] == s->all && p + 1 == s->end)
			continue;
		uint32_t q = lists_step(s, id);
		uint64_t lir = lists_move(s->word[LIR], p), stack = lists_move(s->word[STACK], p);
		uint64_t bottom = lists_move(s->word[BOTTOM], p);
		s->word[LIR][q] = lir;
		s->word[STACK][q] = s->all;
		EACH_CACHE(i, bottom)
		prune(s, (unsigned)i);
		if (LIKELY(lir == s->all))
			continue;
		uint64_t queued = lists_move(s->word[QUEUED], p), ghosts = lists_move(s->word[GHOST], p);
		EACH_CACHE(i, queued)
		{
			struct listed *c = &s->cache[i];
			bool was = stack >> i & 1;
			c->sum[QUEUED]--;
			c->sum[STACK] += !was;
			if (was && c->share)
				promote(s, (unsigned)i, q);
			else
				stay(s, (unsigned)i, q);
		}
		EACH_CACHE(i, s->all & ~(lir | queued))
		{
			struct listed *c = &s->cache[i];
			bool known = ghosts >> i & 1;
			lists_missed(c, r, k);
			c->sum[GHOST] -= known;
			c->sum[STACK] -= known;
			miss(s, (unsigned)i, q, known);
		}
	}
}

const struct lists_kind lists_lirs = {"lirs", LISTS_MANY, 5, {1 << QUEUED, 1 << GHOST}, start, run};
