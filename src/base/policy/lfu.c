/* SPDX-License-Identifier: MIT */
/* LFU: the block used least often since it came goes; of several, the one whose last use is longest ago. Slots of one
 * count are a list (most recent first), the lists are chained by rising count: every operation is O(1). */
#include "base/policy/drivers.h"

/* One count; its list's head is link[cap + number]. Number 0 is the chain's own head. */
struct lfu_bucket {
	uint64_t count;
	uint32_t prev, next;
};

struct lfu {
	struct slot_supply free;
	uint32_t buckets, freed;    /* ever made; the last given back, chained through next */
	struct lfu_bucket bucket[]; /* cap + 2, then cap + cap + 2 links, then cap numbers of buckets */
};

static inline struct slot_link *lfu_link(struct lfu *st)
{
	return (struct slot_link *)(st->bucket + st->free.cap + 2);
}

static inline uint32_t *lfu_bucket_of(struct lfu *st)
{
	return (uint32_t *)(lfu_link(st) + 2 * (size_t)st->free.cap + 2);
}

static size_t lfu_state_size(uint32_t cap)
{
	size_t n = cap;
	return cap && cap <= POLICY_MAX_CAP ? sizeof(struct lfu) + (n + 2) * sizeof(struct lfu_bucket) +
						      (2 * n + 2) * sizeof(struct slot_link) + n * sizeof(uint32_t)
					    : 0;
}

static void lfu_init(void *state, uint32_t cap, uint64_t seed)
{
	struct lfu *st = state;
	(void)seed;
	st->free = (struct slot_supply){.cap = cap};
	st->buckets = st->freed = 0;
	st->bucket[0] = (struct lfu_bucket){0, 0, 0};
}

static inline void lfu_prefetch(struct lfu *st, uint32_t slot)
{
	__builtin_prefetch(&lfu_link(st)[slot], 1);
	__builtin_prefetch(&lfu_bucket_of(st)[slot], 1);
}

/* The bucket for `count` right after bucket b, which has the next smaller count there is. */
static inline uint32_t lfu_bucket_after(struct lfu *st, uint32_t b, uint64_t count)
{
	uint32_t n = st->bucket[b].next;
	if (n && st->bucket[n].count == count)
		return n;
	uint32_t x = st->freed;
	if (x)
		st->freed = st->bucket[x].next;
	else
		x = ++st->buckets;
	st->bucket[x] = (struct lfu_bucket){count, b, n};
	st->bucket[b].next = st->bucket[n].prev = x;
	slot_list_init(lfu_link(st), st->free.cap + x);
	return x;
}

static inline void lfu_leave(struct lfu *st, uint32_t slot)
{
	uint32_t b = lfu_bucket_of(st)[slot], head = st->free.cap + b;
	slot_unlink(lfu_link(st), slot);
	if (lfu_link(st)[head].next != head)
		return;
	st->bucket[st->bucket[b].prev].next = st->bucket[b].next;
	st->bucket[st->bucket[b].next].prev = st->bucket[b].prev;
	st->bucket[b].next = st->freed;
	st->freed = b;
}

static inline void lfu_join(struct lfu *st, uint32_t slot, uint32_t b)
{
	slot_insert(lfu_link(st), st->free.cap + b, slot);
	lfu_bucket_of(st)[slot] = b;
}

static inline void lfu_hit(struct lfu *st, uint32_t slot)
{
	uint32_t b = lfu_bucket_of(st)[slot], to = lfu_bucket_after(st, b, st->bucket[b].count + 1);
	lfu_leave(st, slot);
	lfu_join(st, slot, to);
}

static inline uint32_t lfu_victim(struct lfu *st)
{
	return lfu_link(st)[st->free.cap + st->bucket[0].next].prev;
}

static inline uint32_t lfu_admit(struct lfu *st, uint64_t key)
{
	uint32_t s;
	(void)key;
	if (!slot_take(&st->free, lfu_link(st), &s)) {
		s = lfu_victim(st);
		lfu_leave(st, s);
	}
	lfu_join(st, s, lfu_bucket_after(st, 0, 1));
	return s;
}

static inline void lfu_drop(struct lfu *st, uint32_t slot)
{
	lfu_leave(st, slot);
	slot_give_back(&st->free, lfu_link(st), slot);
}

#ifdef RF_INVARIANTS
static void lfu_check(void *state, const bool *used)
{
	struct lfu *st = state;
	uint32_t cap = st->free.cap, in_lists = 0, made = 0;
	for (uint32_t b = 0, n; (n = st->bucket[b].next); b = n, made++) {
		INVARIANT(n <= st->buckets && st->bucket[n].prev == b && st->bucket[n].count > st->bucket[b].count);
		uint32_t length = slot_list_check(lfu_link(st), cap + n, cap, used);
		INVARIANT(length > 0);
		in_lists += length;
		for (uint32_t s = lfu_link(st)[cap + n].next; s != cap + n; s = lfu_link(st)[s].next)
			INVARIANT(lfu_bucket_of(st)[s] == n);
	}
	for (uint32_t b = st->freed; b; b = st->bucket[b].next, made++)
		INVARIANT(b <= st->buckets && made < st->buckets);
	INVARIANT(made == st->buckets && st->buckets <= cap + 1);
	INVARIANT(in_lists == slot_supply_check(&st->free, lfu_link(st), used));
}
#endif

POLICY_EVICT(lfu)
POLICY(lfu, policy_lfu, "lfu", .summary = "least frequently used since admission", .evict = lfu_evict);
