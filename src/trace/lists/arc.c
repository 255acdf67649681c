/* SPDX-License-Identifier: MIT */
/* ARC in step (inside.h). A block that leaves t1 is the most recent of b1, and nothing of t1 is less recent than
 * anything of b1: both are one queue, with the first of t1 at its middle. Of t2 and b2 each has a mark. */
#include "trace/lists/inside.h"

enum { T2, T1, B1, B2 };
enum { MARK_T2, MARK_B2 };

static void start(struct lists *s, struct listed *c)
{
	(void)s;
	c->target = 0;
}

INLINE double step(uint32_t other, uint32_t mine)
{
	return mine && other > mine ? (double)other / (double)mine : 1;
}

/* The last of t1, which goes to b1 or is forgotten. */
INLINE void from_t1(struct lists *s, unsigned i, bool remember)
{
	struct listed *c = &s->cache[i];
	struct queue *f = &c->queue[0];
	uint32_t p;
	while (!(s->word[T1][p = f->at[f->middle & (f->room - 1)]] >> i & 1))
		f->middle++;
	f->middle++;
	__builtin_prefetch(&s->word[T1][f->at[f->middle & (f->room - 1)]], 1);
	s->word[T1][p] &= ~BIT(i);
	c->sum[T1]--;
	if (remember) {
		s->word[B1][p] |= BIT(i);
		c->sum[B1]++;
	}
}

/* The paper's REPLACE. */
INLINE void replace(struct lists *s, unsigned i, bool was_b2)
{
	struct listed *c = &s->cache[i];
	double t1 = (double)c->sum[T1];
	if (t1 > 0 && (t1 > c->target || (t1 == c->target && was_b2) || !c->sum[T2])) {
		from_t1(s, i, true);
		return;
	}
	uint32_t p = lists_last(s, i, MARK_T2, s->word[T2]);
	s->word[T2][p] &= ~BIT(i);
	s->word[B2][p] |= BIT(i);
	c->sum[T2]--;
	c->sum[B2]++;
}

/* For a block that was not remembered. */
INLINE void make_room(struct lists *s, unsigned i)
{
	struct listed *c = &s->cache[i];
	uint64_t l1 = (uint64_t)c->sum[T1] + c->sum[B1];
	if (l1 >= c->limit && !c->sum[B1]) {
		from_t1(s, i, false);
		return;
	}
	if (l1 >= c->limit) {
		uint32_t p = lists_take(s, i, 0, s->word[B1]);
		s->word[B1][p] &= ~BIT(i);
		c->sum[B1]--;
	} else if (l1 + c->sum[T2] + c->sum[B2] >= 2 * c->limit && c->sum[B2]) {
		uint32_t p = lists_last(s, i, MARK_B2, s->word[B2]);
		s->word[B2][p] &= ~BIT(i);
		c->sum[B2]--;
	}
	replace(s, i, false);
}

/* A block that is remembered comes back. */
INLINE void ghost(struct lists *s, unsigned i, bool was_b2)
{
	struct listed *c = &s->cache[i];
	double limit = (double)c->limit;
	c->target += was_b2 ? -step(c->sum[B1], c->sum[B2]) : step(c->sum[B2], c->sum[B1]);
	c->target = c->target < limit ? c->target : limit;
	c->target = c->target > 0 ? c->target : 0;
	c->sum[was_b2 ? B2 : B1]--;
	if (c->n == c->limit)
		replace(s, i, was_b2);
	else
		c->n++;
	c->sum[T2]++;
}

static void run(struct lists *s, const struct policy_refs *r)
{
	for (size_t k = 0; k < r->n; k++) {
		lists_ahead(s, r, k, 4);
		uint32_t id = r->id[k], p = s->place[id];
		if (s->word[T2][p] == s->all && p + 1 == s->end)
			continue;
		uint32_t q = lists_step(s, id);
		uint64_t t1 = lists_move(s->word[T1], p), t2 = lists_move(s->word[T2], p);
		s->word[T2][q] = t1 | t2;
		if (LIKELY(t2 == s->all))
			continue;
		uint64_t b1 = lists_move(s->word[B1], p), b2 = lists_move(s->word[B2], p);
		uint64_t new = s->all & ~(t1 | t2 | b1 | b2);
		s->word[T2][q] |= b1 | b2;
		s->word[T1][q] = new;
		EACH_CACHE(i, t1)
		{
			s->cache[i].sum[T1]--;
			s->cache[i].sum[T2]++;
		}
		EACH_CACHE(i, b1 | b2)
		{
			lists_missed(&s->cache[i], r, k);
			ghost(s, (unsigned)i, b2 >> i & 1);
		}
		EACH_CACHE(i, new)
		lists_enter(s, r, k, (unsigned)i, T1, make_room);
	}
}

const struct lists_kind lists_arc = {"arc", LISTS_MANY, 4, {1 << T1 | 1 << B1, 0}, start, run};
