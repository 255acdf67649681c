/* SPDX-License-Identifier: MIT */
/* For policies that keep their blocks, and those they evicted and remember (ghosts), in several lists. A node's list is
 * the number of its head; sum[] has the weight in each list. */
#ifndef BASE_POLICY_SEGMENTS_H
#define BASE_POLICY_SEGMENTS_H

#include "base/policy/parts/pool.h"

enum { SEGMENTS = 4 };

struct seg_node {
	struct node_link link;
	uint8_t where, count; /* where: 0 for a block in no list; count: as the policy likes */
	uint16_t pad;
};

INLINE void seg_push(uint64_t *sum, struct seg_node *nd, const uint64_t *size, uint32_t list, uint32_t x)
{
	if (UNLIKELY(!nd[list].link.next))
		list_start(nd, list);
	list_insert(nd, list, x);
	nd[x].where = (uint8_t)list;
	sum[list] += weight_of(size, x);
}

INLINE void seg_remove(uint64_t *sum, struct seg_node *nd, const uint64_t *size, uint32_t x)
{
	sum[nd[x].where] -= weight_of(size, x);
	nd[x].where = 0;
	list_unlink(nd, x);
}

/* To the front of a list, its own or another. */
INLINE void seg_move(uint64_t *sum, struct seg_node *nd, const uint64_t *size, uint32_t list, uint32_t x)
{
	uint32_t from = nd[x].where;
	if (UNLIKELY(!nd[list].link.next))
		list_start(nd, list);
	list_to_front(nd, list, x);
	if (from == list)
		return;
	nd[x].where = (uint8_t)list;
	sum[from] -= weight_of(size, x);
	sum[list] += weight_of(size, x);
}

/* The list's last node; a head when it is empty. */
INLINE uint32_t seg_last(struct seg_node *nd, uint32_t list)
{
	return list_last(nd, list);
}

/* Blocks of weight 0 do not show in the sum. */
INLINE bool seg_empty(struct seg_node *nd, uint32_t list)
{
	return list_last(nd, list) < POLICY_FIRST_NODE;
}

/* Forgets the ghost at the end of a list. */
INLINE void seg_forget_last(uint64_t *sum, struct seg_node *nd, const uint64_t *size, struct pool *pool, uint32_t list)
{
	uint32_t x = seg_last(nd, list);
	seg_remove(sum, nd, size, x);
	__builtin_prefetch(&nd[seg_last(nd, list)], 1);
	pool_release(pool, x);
}

#ifdef RF_INVARIANTS
/* Each node is in the list it says, and the sums are those of the lists. Ghosts keep their size. */
static inline void seg_check(const uint64_t *sum, struct seg_node *nd, const uint64_t *size, uint32_t n_nodes)
{
	uint64_t in_lists = 0, somewhere = 0;
	for (uint32_t list = 1; list <= SEGMENTS; list++) {
		uint64_t w = 0;
		if (nd[list].link.next) {
			in_lists += list_check(nd, list, n_nodes);
			for (uint32_t x = nd[list].link.next; x != list; x = nd[x].link.next) {
				INVARIANT(nd[x].where == list);
				w += weight_of(size, x);
			}
		}
		INVARIANT(sum[list] == w);
	}
	for (uint32_t x = POLICY_FIRST_NODE; x < n_nodes; x++)
		somewhere += nd[x].where != 0;
	INVARIANT(in_lists == somewhere);
}

/* BOUND is what holds for the policy's own fields. */
#define SEGMENT_CHECK(NAME, BOUND)                                                                                     \
	static void NAME##_check(AT(NAME), uint32_t n_nodes)                                                           \
	{                                                                                                              \
		(void)pool;                                                                                            \
		seg_check(st->sum, nd, size, n_nodes);                                                                 \
		INVARIANT(BOUND);                                                                                      \
	}
#else
#define SEGMENT_CHECK(NAME, BOUND)
#endif

/* The body of a policy whose struct has `uint64_t sum[SEGMENTS + 1]` and whose blocks in the cache are in the lists
 * 1 … LAST. */
#define SEGMENT_POLICY(NAME, LAST)                                                                                     \
	INLINE bool NAME##_in(const struct seg_node *n)                                                                \
	{                                                                                                              \
		return n->where && n->where <= (LAST);                                                                 \
	}                                                                                                              \
	INLINE void NAME##_leave(AT(NAME), uint32_t x)                                                                 \
	{                                                                                                              \
		seg_remove(st->sum, nd, size, x);                                                                      \
		pool_release(pool, x);                                                                                 \
	}

#endif
