/* SPDX-License-Identifier: MIT */
/* For policies that rank their blocks by a number and give up the lowest; of equal ranks the block used longest ago
 * goes first. Ranks only rise, so a use just notes itself in the block's node and the order is put right when a block
 * has to go: a heap has each block with the rank it had when it was last looked at, and if that of its first block has
 * risen since, the block sinks to where it belongs now, until the first one is up to date.
 *
 * A block that goes leaves its place at the top to the one that comes, whose rank is among the lowest: that sinks a
 * step or two, where the last of the heap would sink to the bottom and the new one rise from there.
 *
 * The heap is kept in the nodes: `key` and `at` of node FIRST_NODE + i are its i-th place, `place` of a block's own
 * node says where it stands, plus 1. A rank is m × 2^e, so that it can grow with time without end. */
#ifndef BASE_POLICY_RANK_H
#define BASE_POLICY_RANK_H

#include "base/policy/parts/drivers.h"

struct rank_key {
	int64_t e;
	double m;
	uint64_t when; /* last use */
};

/* A cache line. */
struct rank_node {
	struct node_link link; /* next: not 0 while the block is in the cache */
	double count, m;       /* as the policy likes */
	uint64_t when;         /* last use */
	struct rank_key key;
	uint32_t at, place;
};

INLINE struct rank_node *rank_at(struct rank_node *nd, uint64_t i)
{
	return &nd[POLICY_FIRST_NODE + i];
}

INLINE bool rank_before(const struct rank_key *a, const struct rank_key *b)
{
	if (a->e != b->e)
		return a->e < b->e;
	return a->m != b->m ? a->m < b->m : a->when < b->when;
}

INLINE void rank_put(struct rank_node *nd, uint64_t i, const struct rank_key *key, uint32_t x)
{
	rank_at(nd, i)->key = *key;
	rank_at(nd, i)->at = x;
	nd[x].place = (uint32_t)i + 1;
}

static inline void rank_up(struct rank_node *nd, uint64_t i, struct rank_key key, uint32_t x)
{
	for (uint64_t up; i && rank_before(&key, &rank_at(nd, up = (i - 1) / 2)->key); i = up)
		rank_put(nd, i, &rank_at(nd, up)->key, rank_at(nd, up)->at);
	rank_put(nd, i, &key, x);
}

/* n: blocks in the heap. */
static inline void rank_down(struct rank_node *nd, uint64_t n, uint64_t i, struct rank_key key, uint32_t x)
{
	for (uint64_t c; (c = 2 * i + 1) < n; i = c) {
		c += c + 1 < n && rank_before(&rank_at(nd, c + 1)->key, &rank_at(nd, c)->key);
		if (!rank_before(&rank_at(nd, c)->key, &key))
			break;
		rank_put(nd, i, &rank_at(nd, c)->key, rank_at(nd, c)->at);
	}
	rank_put(nd, i, &key, x);
}

/* n: places in the heap. An empty first one still has the lowest rank there was. */
static inline void rank_remove(struct rank_node *nd, uint64_t n, uint32_t x)
{
	uint64_t i = nd[x].place - 1;
	const struct rank_node *last = rank_at(nd, n - 1);
	uint32_t other = last->at;
	struct rank_key key = last->key;
	nd[x].place = 0;
	nd[x].link.next = 0;
	if (other == x)
		return;
	if (i && rank_before(&key, &rank_at(nd, (i - 1) / 2)->key))
		rank_up(nd, i, key, other);
	else
		rank_down(nd, n - 1, i, key, other);
}

#ifdef RF_INVARIANTS
static inline void rank_check(struct rank_node *nd, uint64_t n, uint64_t hole, uint32_t n_nodes)
{
	for (uint64_t i = hole; i < n; i++) {
		uint32_t x = rank_at(nd, i)->at;
		INVARIANT(x >= POLICY_FIRST_NODE && x < n_nodes && nd[x].link.next && nd[x].place == i + 1);
		INVARIANT(rank_at(nd, i)->key.when <= nd[x].when);
		INVARIANT(i < 1 + 2 * hole || !rank_before(&rank_at(nd, i)->key, &rank_at(nd, (i - 1) / 2)->key));
	}
}
#define RANK_CHECK(NAME)                                                                                               \
	static void NAME##_check(AT(NAME), uint32_t n_nodes)                                                           \
	{                                                                                                              \
		(void)size, (void)pool;                                                                                \
		INVARIANT(st->n - st->hole == st->core.n);                                                             \
		rank_check(nd, st->n, st->hole, n_nodes);                                                              \
	}
#else
#define RANK_CHECK(NAME)
#endif

/* The body of a policy whose struct has `uint64_t n, now, hole` after the core; n are the places in the heap, the first
 * of which is empty if there is a hole. The policy has NAME_key(st, node), the rank of a block at its last use,
 * NAME_use(AT(NAME), x) for one that is used, called before `when` is set, NAME_gone(st, key) for one that is evicted,
 * and NAME_start. */
#define RANK_POLICY(NAME)                                                                                              \
	INLINE void NAME##_fill(struct NAME *st, struct rank_node *nd)                                                 \
	{                                                                                                              \
		if (!st->hole)                                                                                         \
			return;                                                                                        \
		st->hole = 0;                                                                                          \
		struct rank_node *last = rank_at(nd, --st->n);                                                         \
		if (st->n)                                                                                             \
			rank_down(nd, st->n, 0, last->key, last->at);                                                  \
	}                                                                                                              \
	INLINE uint32_t NAME##_lowest(struct NAME *st, struct rank_node *nd)                                           \
	{                                                                                                              \
		NAME##_fill(st, nd);                                                                                   \
		for (;;) {                                                                                             \
			uint32_t x = rank_at(nd, 0)->at;                                                               \
			if (rank_at(nd, 0)->key.when == nd[x].when)                                                    \
				return x;                                                                              \
			rank_down(nd, st->n, 0, NAME##_key(st, &nd[x]), x);                                            \
		}                                                                                                      \
	}                                                                                                              \
	IN_IF_LINKED(NAME)                                                                                             \
	NO_FETCH(NAME)                                                                                                 \
	INLINE void NAME##_miss(AT(NAME), uint32_t x, uint64_t key)                                                    \
	{                                                                                                              \
		UNUSED_AT, (void)x, (void)key;                                                                         \
		st->now++;                                                                                             \
	}                                                                                                              \
	INLINE void NAME##_leave(AT(NAME), uint32_t x)                                                                 \
	{                                                                                                              \
		UNUSED_AT;                                                                                             \
		rank_remove(nd, st->n--, x);                                                                           \
	}                                                                                                              \
	INLINE void NAME##_hit(AT(NAME), uint32_t x)                                                                   \
	{                                                                                                              \
		st->now++;                                                                                             \
		NAME##_use(PASS, x);                                                                                   \
		nd[x].when = st->now;                                                                                  \
	}                                                                                                              \
	INLINE uint32_t NAME##_out(AT(NAME), uint64_t w)                                                               \
	{                                                                                                              \
		uint32_t x = NAME##_lowest(st, nd);                                                                    \
		UNUSED_AT, (void)w;                                                                                    \
		NAME##_gone(st, &rank_at(nd, 0)->key);                                                                 \
		nd[x].place = nd[x].link.next = 0;                                                                     \
		st->hole = 1;                                                                                          \
		return x;                                                                                              \
	}                                                                                                              \
	INLINE void NAME##_add(AT(NAME), uint32_t x, uint64_t w)                                                       \
	{                                                                                                              \
		(void)w;                                                                                               \
		nd[x].count = 0;                                                                                       \
		NAME##_use(PASS, x);                                                                                   \
		nd[x].when = st->now;                                                                                  \
		nd[x].link.next = 1;                                                                                   \
		if (st->hole)                                                                                          \
			rank_down(nd, st->n, 0, NAME##_key(st, &nd[x]), x);                                            \
		else                                                                                                   \
			rank_up(nd, st->n++, NAME##_key(st, &nd[x]), x);                                               \
		st->hole = 0;                                                                                          \
	}                                                                                                              \
	RANK_CHECK(NAME)

#endif
