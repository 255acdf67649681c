/* SPDX-License-Identifier: MIT */
/* 2Q in step (inside.h). No hit does more than make a block the most recent. Newcomers stay where they are when
 * they are used, so their queue has ids. */
#include "trace/lists/inside.h"

enum { MAIN, IN, OUT };
enum { QUEUE_IN, QUEUE_OUT };

static void start(struct lists *s, struct listed *c)
{
	(void)s;
	c->share = c->limit / 4 ? c->limit / 4 : 1;
	c->ghosts = c->limit / 2 ? c->limit / 2 : 1;
}

INLINE void make_room(struct lists *s, unsigned i)
{
	struct listed *c = &s->cache[i];
	if (c->sum[IN] <= c->share && c->sum[MAIN]) {
		uint32_t p = lists_last(s, i, 0, s->word[MAIN]);
		s->word[MAIN][p] &= ~BIT(i);
		c->sum[MAIN]--;
		return;
	}
	struct queue *f = &c->queue[QUEUE_IN];
	uint32_t p = s->place[f->at[f->first++ & (f->room - 1)]];
	uint32_t soon = s->place[f->at[f->first & (f->room - 1)]];
	__builtin_prefetch(&s->word[IN][soon], 1);
	__builtin_prefetch(&s->word[OUT][soon], 1);
	__builtin_prefetch(&s->place[f->at[(f->first + 1) & (f->room - 1)]]);
	s->word[IN][p] &= ~BIT(i);
	s->word[OUT][p] |= BIT(i);
	c->sum[IN]--;
	lists_push(s, i, QUEUE_OUT, p);
	if (++c->sum[OUT] > c->ghosts) {
		p = lists_take(s, i, QUEUE_OUT, s->word[OUT]);
		s->word[OUT][p] &= ~BIT(i);
		c->sum[OUT]--;
	}
}

INLINE void miss(struct lists *s, const struct policy_refs *r, size_t k, unsigned i, bool known)
{
	struct listed *c = &s->cache[i];
	lists_missed(c, r, k);
	c->sum[OUT] -= known;
	if (c->n == c->limit)
		make_room(s, i);
	else
		c->n++;
	c->sum[known ? MAIN : IN]++;
	if (!known)
		lists_push(s, i, QUEUE_IN, r->id[k]);
}

static void run(struct lists *s, const struct policy_refs *r)
{
	for (size_t k = 0; k < r->n; k++) {
		lists_ahead(s, r, k, 3);
		uint32_t id = r->id[k], p = s->place[id];
		if ((s->word[MAIN][p] | s->word[IN][p]) == s->all && p + 1 == s->end)
			continue;
		uint32_t q = lists_step(s, id);
		uint64_t in = lists_move(s->word[IN], p), main = lists_move(s->word[MAIN], p);
		uint64_t out = lists_move(s->word[OUT], p), missing = s->all & ~(in | main);
		s->word[MAIN][q] = main | out;
		s->word[IN][q] = in | (missing & ~out);
		EACH_CACHE(i, out)
		miss(s, r, k, (unsigned)i, true);
		EACH_CACHE(i, missing & ~out)
		miss(s, r, k, (unsigned)i, false);
	}
}

const struct lists_kind lists_2q = {"2q", LISTS_MANY, 3, {0, 1 << OUT}, start, run};
