/* SPDX-License-Identifier: MIT */
/* For policies that keep their slots in several lists (segments), know their keys or remember evicted keys (ghosts).
 * All in one block of zeroed memory, without pointers: a state may be copied or mapped elsewhere. */
#ifndef BASE_POLICY_SEGMENTS_H
#define BASE_POLICY_SEGMENTS_H

#include "base/policy/drivers.h"

enum { SEGMENTS = 3 };

/* Each slot in use is in one list; followed by cap keys, cap + SEGMENTS links and cap bytes. */
struct segments {
	struct slot_supply free;
	uint32_t n[SEGMENTS];
	uint64_t key[];
};

static inline size_t round16(size_t n)
{
	return (n + 15) & ~(size_t)15;
}

static inline size_t segments_size(uint32_t cap)
{
	return round16(sizeof(struct segments) + (size_t)cap * sizeof(uint64_t) +
		       ((size_t)cap + SEGMENTS) * sizeof(struct slot_link) + cap);
}

/* What follows a state that ends with its segments. */
static inline void *segments_end(void *state, size_t size, uint32_t cap)
{
	return (char *)state + round16(size) + segments_size(cap);
}

static inline struct slot_link *segments_link(struct segments *g)
{
	return (struct slot_link *)(g->key + g->free.cap);
}

static inline uint8_t *segments_where(struct segments *g)
{
	return (uint8_t *)(segments_link(g) + g->free.cap + SEGMENTS);
}

static inline void segments_init(struct segments *g, uint32_t cap)
{
	g->free = (struct slot_supply){.cap = cap};
	for (uint32_t i = 0; i < SEGMENTS; i++) {
		g->n[i] = 0;
		slot_list_init(segments_link(g), cap + i);
	}
}

/* Puts a slot that is in no list at the front of one. */
static inline void segments_push(struct segments *g, uint32_t list, uint32_t s)
{
	slot_insert(segments_link(g), g->free.cap + list, s);
	segments_where(g)[s] = (uint8_t)list;
	g->n[list]++;
}

static inline void segments_unlink(struct segments *g, uint32_t s)
{
	slot_unlink(segments_link(g), s);
	g->n[segments_where(g)[s]]--;
}

static inline void segments_move(struct segments *g, uint32_t list, uint32_t s)
{
	segments_unlink(g, s);
	segments_push(g, list, s);
}

/* The list's last slot; it must not be empty. */
static inline uint32_t segments_last(struct segments *g, uint32_t list)
{
	return segments_link(g)[g->free.cap + list].prev;
}

static inline bool segments_take(struct segments *g, uint32_t *s)
{
	return slot_take(&g->free, segments_link(g), s);
}

static inline void segments_drop(struct segments *g, uint32_t s)
{
	segments_unlink(g, s);
	slot_give_back(&g->free, segments_link(g), s);
}

/* The drop of a policy whose slots are all in its segments g. */
#define SEGMENTS_DROP(NAME)                                                                                            \
	static inline void NAME##_drop(struct NAME *st, uint32_t slot)                                                 \
	{                                                                                                              \
		segments_drop(&st->g, slot);                                                                           \
	}

#ifdef RF_INVARIANTS
static inline void segments_check(struct segments *g, const bool *used)
{
	uint32_t cap = g->free.cap, in_lists = 0;
	const struct slot_link *l = segments_link(g);
	for (uint32_t i = 0; i < SEGMENTS; i++) {
		INVARIANT(slot_list_check(l, cap + i, cap, used) == g->n[i]);
		for (uint32_t s = l[cap + i].next; s != cap + i; s = l[s].next)
			INVARIANT(segments_where(g)[s] == i);
		in_lists += g->n[i];
	}
	INVARIANT(in_lists == slot_supply_check(&g->free, l, used));
}
#endif

/* Keys of evicted blocks, in up to two lists, at most cap in all. Numbers from 1; 0 is none. */
struct ghost {
	uint64_t key;
	uint32_t prev, next, chain, list;
};

struct ghosts {
	uint32_t cap, used, freed, mask;
	struct {
		uint32_t first, last, n;
	} list[2];
	struct ghost node[]; /* cap + 1, then mask + 1 chains */
};

static inline size_t ghosts_size(uint32_t cap)
{
	return round16(sizeof(struct ghosts) + ((size_t)cap + 1) * sizeof(struct ghost) +
		       ceil_pow2((uint64_t)cap * 2) * sizeof(uint32_t));
}

static inline uint32_t *ghosts_chain(struct ghosts *g, uint64_t key)
{
	return (uint32_t *)(g->node + g->cap + 1) + (mix64(key) & g->mask);
}

static inline void ghosts_init(struct ghosts *g, uint32_t cap)
{
	*g = (struct ghosts){.cap = cap, .mask = (uint32_t)ceil_pow2((uint64_t)cap * 2) - 1};
}

static inline uint32_t ghosts_find(struct ghosts *g, uint64_t key)
{
	uint32_t i = *ghosts_chain(g, key);
	while (i && g->node[i].key != key)
		i = g->node[i].chain;
	return i;
}

static inline void ghosts_remove(struct ghosts *g, uint32_t i)
{
	struct ghost *x = &g->node[i];
	uint32_t *at = ghosts_chain(g, x->key);
	while (*at != i)
		at = &g->node[*at].chain;
	*at = x->chain;
	*(x->prev ? &g->node[x->prev].next : &g->list[x->list].first) = x->next;
	*(x->next ? &g->node[x->next].prev : &g->list[x->list].last) = x->prev;
	g->list[x->list].n--;
	x->next = g->freed;
	g->freed = i;
}

/* To the front of a list. There must be fewer than cap, and not this key. */
static inline void ghosts_push(struct ghosts *g, uint32_t list, uint64_t key)
{
	uint32_t i = g->freed, *at = ghosts_chain(g, key);
	if (i)
		g->freed = g->node[i].next;
	else
		i = ++g->used;
	g->node[i] = (struct ghost){key, 0, g->list[list].first, *at, list};
	*at = i;
	*(g->list[list].first ? &g->node[g->list[list].first].prev : &g->list[list].last) = i;
	g->list[list].first = i;
	g->list[list].n++;
}

#ifdef RF_INVARIANTS
/* Returns the list's length. */
static inline uint32_t ghosts_list_check(struct ghosts *g, uint32_t list)
{
	uint32_t n = 0, before = 0;
	for (uint32_t i = g->list[list].first; i; before = i, i = g->node[i].next, n++) {
		INVARIANT(i <= g->used && g->node[i].list == list && g->node[i].prev == before);
		/* found by its key, so no other has that key */
		INVARIANT(ghosts_find(g, g->node[i].key) == i);
	}
	INVARIANT(g->list[list].last == before);
	return n;
}

/* Each number given out is in one list and one chain, or free; no key of a slot in use is remembered as evicted. */
static inline void ghosts_check(struct ghosts *g, const uint64_t *key, const bool *used, uint32_t slots)
{
	const uint32_t *chain = (const uint32_t *)(g->node + g->cap + 1);
	uint32_t in_lists = 0, in_chains = 0, freed = 0;
	INVARIANT(g->used <= g->cap);
	for (uint32_t list = 0; list < 2; list++) {
		INVARIANT(ghosts_list_check(g, list) == g->list[list].n);
		in_lists += g->list[list].n;
	}
	for (uint32_t c = 0; c <= g->mask; c++)
		for (uint32_t i = chain[c]; i; i = g->node[i].chain, in_chains++)
			INVARIANT((mix64(g->node[i].key) & g->mask) == c && in_chains < in_lists);
	for (uint32_t i = g->freed; i; i = g->node[i].next, freed++)
		INVARIANT(i <= g->used && freed < g->used);
	INVARIANT(in_chains == in_lists && in_lists + freed == g->used);
	for (uint32_t s = 0; s < slots; s++)
		INVARIANT(!used[s] || !ghosts_find(g, key[s]));
}
#endif

#endif
