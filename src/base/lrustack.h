/* SPDX-License-Identifier: MIT */
/* The LRU stack of k blocks over 64-bit keys, and what a trace does to it: each reference to a block that is not among
 * the k most recent ones is an event, a fetch that takes the place of the least recent block.
 *
 * A slot is a block's place in memory while it is in the stack; the fetched block takes the evicted one's slot.
 * Slot 0 is the head of the list (next: towards least recent). The first k events evict nothing and take the slots
 * 1, 2, 3 …. Memory is O(min(k, blocks)). Freestanding: memory from the caller's function. */
#ifndef BASE_LRUSTACK_H
#define BASE_LRUSTACK_H

#include "base/keymap.h"

/* One reference after the other may be looked up this many at a time. */
enum { LRUSTACK_BATCH = 512 };

struct lrustack_slot {
	uint64_t key;
	uint32_t prev, next;
};

struct lrustack_event {
	uint64_t fetch, evict; /* keys; evict is 0 for the first k events, which have none */
	uint32_t slot;
};

struct lrustack {
	uint32_t k, n;     /* n: blocks in it */
	struct keymap map; /* key → slot, as number + 1 */
	struct lrustack_slot *slot;
	uint32_t cap; /* of slot, with the head */
	struct base_alloc alloc;
};

/* k is 1 … 2^30. */
void lrustack_init(struct lrustack *s, uint32_t k, const struct base_alloc *alloc);
void lrustack_release(struct lrustack *s);
/* Room for `more` references; false when there is no memory. */
bool lrustack_reserve(struct lrustack *s, uint32_t more);
static inline uint32_t lrustack_tail(const struct lrustack *s)
{
	return s->slot[0].prev;
}

static inline void lrustack_unlink(struct lrustack_slot *l, uint32_t x)
{
	l[l[x].prev].next = l[x].next;
	l[l[x].next].prev = l[x].prev;
}

static inline void lrustack_push(struct lrustack_slot *l, uint32_t x)
{
	l[x].prev = 0;
	l[x].next = l[0].next;
	l[l[0].next].prev = x;
	l[0].next = x;
}

/* A reference to a block that is there, in slot x. */
static inline void lrustack_hit(struct lrustack *s, uint32_t x)
{
	if (s->slot[0].next == x)
		return;
	lrustack_unlink(s->slot, x);
	lrustack_push(s->slot, x);
}

/* A reference to a block that is not there; there must be room. */
static inline struct lrustack_event lrustack_miss(struct lrustack *s, uint64_t key)
{
	struct lrustack_slot *l = s->slot;
	struct lrustack_event v = {key, 0, s->n + 1};
	if (LIKELY(s->n == s->k)) {
		v.slot = l[0].prev;
		v.evict = l[v.slot].key;
		keymap_remove(&s->map, v.evict);
		/* the next one to go is known: its cell, and the slot before it, are fetched early */
		uint32_t next = l[v.slot].prev;
		keymap_prefetch(&s->map, l[next].key);
		__builtin_prefetch(&l[l[next].prev], 1);
		lrustack_unlink(l, v.slot);
	} else {
		s->n++;
	}
	l[v.slot].key = key;
	lrustack_push(l, v.slot);
	keymap_insert(&s->map, key, v.slot - 1);
	return v;
}

/* Applies the first n ≤ LRUSTACK_BATCH of the `known` references, for which there must be room; the number of
 * events they made. */
size_t lrustack_feed(struct lrustack *s, const uint64_t *keys, size_t n, size_t known, struct lrustack_event *events);
void lrustack_check(const struct lrustack *s);

#endif
