/* SPDX-License-Identifier: MIT */
/* For policies that rank their blocks by a number and give up the lowest. A binary heap of blocks, kept in their nodes:
 * `at` of node FIRST_NODE + i is its i-th block, `place` says where a block stands, plus 1. A rank is m × 2^e, so that
 * it can grow with time without end; of equal ranks the block used longest ago goes first. */
#ifndef BASE_POLICY_RANK_H
#define BASE_POLICY_RANK_H

#include "base/policy/drivers.h"

struct rank_node {
	struct node_link link; /* next: 1 while the block is in the cache */
	uint32_t at, place;
	int64_t e;
	double m;
	uint64_t when; /* last use, in references */
	double count;  /* as the policy likes */
};

INLINE uint32_t *rank_at(struct rank_node *nd, uint64_t i)
{
	return &nd[POLICY_FIRST_NODE + i].at;
}

INLINE bool rank_before(const struct rank_node *a, const struct rank_node *b)
{
	if (a->e != b->e)
		return a->e < b->e;
	return a->m != b->m ? a->m < b->m : a->when < b->when;
}

INLINE void rank_put(struct rank_node *nd, uint64_t i, uint32_t x)
{
	*rank_at(nd, i) = x;
	nd[x].place = (uint32_t)i + 1;
}

static inline void rank_up(struct rank_node *nd, uint64_t i, uint32_t x)
{
	for (uint64_t up; i && rank_before(&nd[x], &nd[*rank_at(nd, up = (i - 1) / 2)]); i = up)
		rank_put(nd, i, *rank_at(nd, up));
	rank_put(nd, i, x);
}

static inline void rank_down(struct rank_node *nd, uint64_t n, uint64_t i, uint32_t x)
{
	for (uint64_t c; (c = 2 * i + 1) < n; i = c) {
		if (c + 1 < n && rank_before(&nd[*rank_at(nd, c + 1)], &nd[*rank_at(nd, c)]))
			c++;
		if (!rank_before(&nd[*rank_at(nd, c)], &nd[x]))
			break;
		rank_put(nd, i, *rank_at(nd, c));
	}
	rank_put(nd, i, x);
}

/* n: blocks in the heap, this one included. */
static inline void rank_remove(struct rank_node *nd, uint64_t n, uint32_t x)
{
	uint64_t i = nd[x].place - 1;
	uint32_t last = *rank_at(nd, n - 1);
	nd[x].place = 0;
	nd[x].link.next = 0;
	if (last == x)
		return;
	rank_up(nd, i, last);
	rank_down(nd, n - 1, nd[last].place - 1, last);
}

#ifdef RF_INVARIANTS
static inline void rank_check(struct rank_node *nd, uint64_t n, uint32_t n_nodes)
{
	for (uint64_t i = 0; i < n; i++) {
		uint32_t x = *rank_at(nd, i);
		INVARIANT(x >= POLICY_FIRST_NODE && x < n_nodes && nd[x].link.next && nd[x].place == i + 1);
		INVARIANT(!i || !rank_before(&nd[x], &nd[*rank_at(nd, (i - 1) / 2)]));
	}
}
#define RANK_CHECK(NAME)                                                                                               \
	static void NAME##_check(AT(NAME), uint32_t n_nodes)                                                           \
	{                                                                                                              \
		(void)size, (void)pool;                                                                                \
		INVARIANT(st->n == st->core.n);                                                                        \
		rank_check(nd, st->n, n_nodes);                                                                        \
	}
#else
#define RANK_CHECK(NAME)
#endif

/* The body of a policy whose struct has `uint64_t n, now` after the core; it has NAME_rank(AT(NAME), x), which sets the
 * rank of a block that is used, NAME_gone(st, node) of one that is evicted, and NAME_start. */
#define RANK_POLICY(NAME)                                                                                              \
	NO_EXTRA(NAME)                                                                                                 \
	INLINE bool NAME##_in(const struct rank_node *n)                                                               \
	{                                                                                                              \
		return n->link.next != 0;                                                                              \
	}                                                                                                              \
	INLINE void NAME##_fetch(AT(NAME), uint32_t x)                                                                 \
	{                                                                                                              \
		UNUSED_AT, (void)x;                                                                                    \
	}                                                                                                              \
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
		NAME##_rank(PASS, x);                                                                                  \
		nd[x].when = st->now;                                                                                  \
		rank_down(nd, st->n, nd[x].place - 1, x);                                                              \
	}                                                                                                              \
	INLINE uint32_t NAME##_out(AT(NAME), uint64_t w)                                                               \
	{                                                                                                              \
		uint32_t x = *rank_at(nd, 0);                                                                          \
		(void)w;                                                                                               \
		NAME##_gone(st, &nd[x]);                                                                               \
		NAME##_leave(PASS, x);                                                                                 \
		return x;                                                                                              \
	}                                                                                                              \
	INLINE void NAME##_add(AT(NAME), uint32_t x, uint64_t w)                                                       \
	{                                                                                                              \
		(void)w;                                                                                               \
		nd[x].count = 0;                                                                                       \
		NAME##_rank(PASS, x);                                                                                  \
		nd[x].when = st->now;                                                                                  \
		nd[x].link.next = 1;                                                                                   \
		rank_up(nd, st->n++, x);                                                                               \
	}                                                                                                              \
	RANK_CHECK(NAME)

#endif
