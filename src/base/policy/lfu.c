/* SPDX-License-Identifier: MIT */
/* LFU: the block used least often since it came goes; of several, the one whose last use is longest ago. Blocks of one
 * count are a list (most recent first), the lists are chained by rising count: every operation is O(1). Counts that
 * differ add up to the references, so there are at most about the square root of twice their number of lists. */
#include "base/policy/parts/drivers.h"

/* One count. Number 0 is the chain's head. */
struct lfu_bucket {
	uint64_t count;
	uint32_t prev, next;
	uint32_t first, last; /* blocks */
};

struct lfu {
	struct policy_core core;
	uint32_t buckets, freed, pad[2]; /* ever made; the last given back, chained through next */
	struct lfu_bucket bucket[];
};

/* link.next is 0 for the last of a list too: bucket says whether a block is in the cache. */
struct lfu_node {
	struct node_link link;
	uint32_t bucket;
};

/* Enough for 2^41 references. */
enum { LFU_MOST_BUCKETS = 1 << 21 };

NO_START(lfu)
NO_MISS(lfu)
LIST_FETCH(lfu)

static size_t lfu_extra(uint64_t limit, bool bytes)
{
	uint64_t most = bytes || limit + 2 > LFU_MOST_BUCKETS ? LFU_MOST_BUCKETS : limit + 2;
	return round16((size_t)most * sizeof(struct lfu_bucket));
}

INLINE bool lfu_in(const struct lfu_node *n)
{
	return n->bucket != 0;
}

/* The bucket for `count` right after bucket b, which has the next smaller count there is. */
INLINE uint32_t lfu_bucket_after(struct lfu *st, uint32_t b, uint64_t count)
{
	uint32_t n = st->bucket[b].next;
	if (n && st->bucket[n].count == count)
		return n;
	uint32_t x = st->freed;
	if (x)
		st->freed = st->bucket[x].next;
	else
		x = ++st->buckets;
	st->bucket[x] = (struct lfu_bucket){count, b, n, 0, 0};
	st->bucket[b].next = st->bucket[n].prev = x;
	return x;
}

INLINE void lfu_leave(AT(lfu), uint32_t x)
{
	UNUSED_AT;
	struct lfu_bucket *b = &st->bucket[nd[x].bucket];
	struct node_link l = nd[x].link;
	*(l.prev ? &nd[l.prev].link.next : &b->first) = l.next;
	*(l.next ? &nd[l.next].link.prev : &b->last) = l.prev;
	if (!b->first) {
		st->bucket[b->prev].next = b->next;
		st->bucket[b->next].prev = b->prev;
		b->next = st->freed;
		st->freed = nd[x].bucket;
	}
	nd[x] = (struct lfu_node){0};
}

INLINE void lfu_join(struct lfu *st, struct lfu_node *nd, uint32_t x, uint32_t bucket)
{
	struct lfu_bucket *b = &st->bucket[bucket];
	nd[x] = (struct lfu_node){{0, b->first}, bucket};
	*(b->first ? &nd[b->first].link.prev : &b->last) = x;
	b->first = x;
}

INLINE void lfu_hit(AT(lfu), uint32_t x)
{
	uint32_t b = nd[x].bucket;
	uint64_t count = st->bucket[b].count + 1;
	/* alone with its count, and nobody has the next: the count is raised where it is */
	if (st->bucket[b].first == st->bucket[b].last &&
	    (!st->bucket[b].next || st->bucket[st->bucket[b].next].count > count)) {
		st->bucket[b].count = count;
		return;
	}
	uint32_t to = lfu_bucket_after(st, b, count);
	lfu_leave(PASS, x);
	lfu_join(st, nd, x, to);
}

INLINE uint32_t lfu_out(AT(lfu), uint64_t w)
{
	uint32_t x = st->bucket[st->bucket[0].next].last;
	(void)w;
	lfu_leave(PASS, x);
	return x;
}

INLINE void lfu_add(AT(lfu), uint32_t x, uint64_t w)
{
	(void)size, (void)pool, (void)w;
	lfu_join(st, nd, x, lfu_bucket_after(st, 0, 1));
}

#ifdef RF_INVARIANTS
static void lfu_check(AT(lfu), uint32_t n_nodes)
{
	uint64_t in_lists = 0, made = 0;
	(void)size, (void)pool;
	for (uint32_t b = 0, n; (n = st->bucket[b].next); b = n, made++) {
		INVARIANT(n <= st->buckets && st->bucket[n].prev == b && st->bucket[n].count > st->bucket[b].count);
		uint32_t before = 0;
		INVARIANT(st->bucket[n].first);
		for (uint32_t x = st->bucket[n].first; x; before = x, x = nd[x].link.next, in_lists++)
			INVARIANT(x < n_nodes && nd[x].bucket == n && nd[x].link.prev == before);
		INVARIANT(st->bucket[n].last == before);
	}
	for (uint32_t b = st->freed; b; b = st->bucket[b].next, made++)
		INVARIANT(b <= st->buckets && made < st->buckets);
	INVARIANT(made == st->buckets && in_lists == st->core.n);
}
#endif

/* Hits given together would look for their bucket one by one all the same. */
ONE_BY_ONE(lfu)
POLICY(lfu, policy_lfu, "lfu", "least frequently used since admission", 0);
