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

#endif
