/* SPDX-License-Identifier: MIT */
/* LIRS (Jiang, Zhang): blocks of low inter-reference recency (LIR) fill all but 1 % of the cache (at least one
 * block); the others (HIR) pass through a short queue q. The stack s holds, by recency, LIR blocks, HIR blocks, and
 * HIR blocks that were evicted (at most as much as the cache holds; the one evicted first is forgotten). A HIR
 * block that is asked for while still in s becomes LIR, and the LIR block at the bottom of s becomes HIR. s always
 * ends with a LIR block. A block larger than all LIR blocks may be together stays HIR. */
#include "base/policy/parts/pool.h"

enum { LIRS_LIR = 1, LIRS_IN_STACK = 2, LIRS_IN_QUEUE = 4, LIRS_GHOST = 8 };
enum { LIRS_S = 1, LIRS_Q = 2, LIRS_G = 3 };

struct lirs {
	struct policy_core core;
	uint64_t max_lir, lir, ghosts; /* weights: most of LIR, of LIR blocks, of ghosts */
	uint64_t known;                /* the block that comes was a ghost */
};

/* link is the place in s, q that in the queue or, for a ghost, in the order of evictions. */
struct lirs_node {
	struct node_link link;
	struct node_link q;
	uint32_t flags;
};

static size_t lirs_extra(uint64_t limit, bool bytes)
{
	return bytes || limit <= POLICY_MAX_CAP / 2 ? 0 : SIZE_MAX;
}

static uint32_t lirs_ghosts(uint32_t cap)
{
	return cap;
}

static void lirs_start(struct lirs *st, uint64_t limit, bool bytes, uint64_t seed)
{
	(void)bytes, (void)seed;
	st->max_lir = limit - (limit / 100 ? limit / 100 : 1);
}

INLINE bool lirs_in(const struct lirs_node *n)
{
	return n->flags & (LIRS_LIR | LIRS_IN_QUEUE);
}

LIST_FETCH(lirs)

/* q is the second link of a node. */
INLINE void *lirs_q_links(struct lirs_node *nd)
{
	return (char *)nd + offsetof(struct lirs_node, q);
}

INLINE void lirs_q_insert(struct lirs_node *nd, uint32_t at, uint32_t x)
{
	node_insert(lirs_q_links(nd), sizeof *nd, at, x);
}

INLINE void lirs_q_unlink(struct lirs_node *nd, uint32_t x)
{
	node_unlink(lirs_q_links(nd), sizeof *nd, x);
}

INLINE void lirs_to_top(struct lirs_node *nd, uint32_t x)
{
	if (nd[x].flags & LIRS_IN_STACK) {
		list_to_front(nd, LIRS_S, x);
	} else {
		list_insert(nd, LIRS_S, x);
		nd[x].flags |= LIRS_IN_STACK;
	}
}

/* Out of s, the queue and the order of evictions. */
INLINE void lirs_take_out(AT(lirs), uint32_t x)
{
	uint32_t was = nd[x].flags;
	(void)pool;
	if (was & LIRS_IN_STACK)
		list_unlink(nd, x);
	if (was & (LIRS_IN_QUEUE | LIRS_GHOST))
		lirs_q_unlink(nd, x);
	if (was & LIRS_LIR)
		st->lir -= weight_of(size, x);
	if (was & LIRS_GHOST)
		st->ghosts -= weight_of(size, x);
	nd[x].flags = 0;
}

INLINE void lirs_forget(AT(lirs), uint32_t x)
{
	lirs_take_out(PASS, x);
	pool_release(pool, x);
}

/* Until a LIR block is at the bottom of s. */
INLINE void lirs_prune(AT(lirs))
{
	for (uint32_t x; (x = list_last(nd, LIRS_S)) != LIRS_S && !(nd[x].flags & LIRS_LIR);) {
		if (nd[x].flags & LIRS_GHOST) {
			lirs_forget(PASS, x);
		} else {
			list_unlink(nd, x);
			nd[x].flags &= ~(uint32_t)LIRS_IN_STACK;
		}
	}
}

/* To q's end. Its first is at q[LIRS_Q].next. */
INLINE void lirs_queue(struct lirs_node *nd, uint32_t x)
{
	lirs_q_insert(nd, nd[LIRS_Q].q.prev, x);
	nd[x].flags |= LIRS_IN_QUEUE;
}

/* The bottom LIR block becomes HIR; s must have one. */
static inline void lirs_demote(AT(lirs))
{
	uint32_t x = list_last(nd, LIRS_S);
	list_unlink(nd, x);
	nd[x].flags = 0;
	st->lir -= weight_of(size, x);
	lirs_queue(nd, x);
	lirs_prune(PASS);
}

INLINE void lirs_promote(AT(lirs), uint32_t x)
{
	nd[x].flags |= LIRS_LIR;
	st->lir += weight_of(size, x);
	while (st->lir > st->max_lir)
		lirs_demote(PASS);
}

INLINE void lirs_hit(AT(lirs), uint32_t x)
{
	uint32_t was = nd[x].flags;
	if (was & LIRS_LIR) {
		bool bottom = nd[x].link.next == LIRS_S;
		list_to_front(nd, LIRS_S, x);
		if (bottom)
			lirs_prune(PASS);
		return;
	}
	lirs_to_top(nd, x);
	lirs_q_unlink(nd, x);
	nd[x].flags &= ~(uint32_t)LIRS_IN_QUEUE;
	if (was & LIRS_IN_STACK && weight_of(size, x) <= st->max_lir) {
		lirs_promote(PASS, x);
	} else {
		lirs_queue(nd, x);
		lirs_prune(PASS);
	}
}

INLINE void lirs_miss(AT(lirs), uint32_t x, uint64_t key)
{
	(void)key;
	if (UNLIKELY(!nd[LIRS_S].link.next)) {
		list_start(nd, LIRS_S);
		nd[LIRS_Q].q = (struct node_link){LIRS_Q, LIRS_Q};
		nd[LIRS_G].q = (struct node_link){LIRS_G, LIRS_G};
	}
	st->known = nd[x].flags & LIRS_GHOST;
	if (st->known)
		lirs_take_out(PASS, x);
}

/* The first of q goes; if it is in s, its place there is kept. */
INLINE uint32_t lirs_out(AT(lirs), uint64_t w)
{
	(void)w;
	if (nd[LIRS_Q].q.next == LIRS_Q)
		lirs_demote(PASS);
	uint32_t x = nd[LIRS_Q].q.next;
	lirs_q_unlink(nd, x);
	if (!(nd[x].flags & LIRS_IN_STACK)) {
		nd[x].flags = 0;
		pool_release(pool, x);
		return x;
	}
	nd[x].flags = LIRS_IN_STACK | LIRS_GHOST;
	lirs_q_insert(nd, LIRS_G, x);
	st->ghosts += weight_of(size, x);
	while (st->ghosts > st->core.limit)
		lirs_forget(PASS, nd[LIRS_G].q.prev);
	return x;
}

INLINE void lirs_add(AT(lirs), uint32_t x, uint64_t w)
{
	lirs_to_top(nd, x);
	if (w <= st->max_lir && (st->known || st->lir + w <= st->max_lir)) {
		lirs_promote(PASS, x);
	} else {
		lirs_queue(nd, x);
		lirs_prune(PASS);
	}
}

INLINE void lirs_leave(AT(lirs), uint32_t x)
{
	lirs_forget(PASS, x);
	lirs_prune(PASS);
}

#ifdef RF_INVARIANTS
static void lirs_check(AT(lirs), uint32_t n_nodes)
{
	uint64_t lir = 0, ghosts = 0, in_s = 0, in_q = 0, in_g = 0;
	(void)pool;
	for (uint32_t x = POLICY_FIRST_NODE; x < n_nodes; x++) {
		uint32_t f = nd[x].flags;
		INVARIANT(!(f & (LIRS_LIR | LIRS_GHOST)) || f & LIRS_IN_STACK);
		INVARIANT(((f & LIRS_LIR) != 0) + ((f & LIRS_IN_QUEUE) != 0) + ((f & LIRS_GHOST) != 0) == (f != 0));
		lir += f & LIRS_LIR ? weight_of(size, x) : 0;
		ghosts += f & LIRS_GHOST ? weight_of(size, x) : 0;
		in_s += (f & LIRS_IN_STACK) != 0;
		in_q += (f & LIRS_IN_QUEUE) != 0;
		in_g += (f & LIRS_GHOST) != 0;
	}
	INVARIANT(lir == st->lir && lir <= st->max_lir && ghosts == st->ghosts && ghosts <= st->core.limit);
	if (!nd[LIRS_S].link.next) {
		INVARIANT(!in_s && !in_q);
		return;
	}
	uint32_t bottom = list_last(nd, LIRS_S);
	INVARIANT(list_check(nd, LIRS_S, n_nodes) == in_s && (bottom == LIRS_S || nd[bottom].flags & LIRS_LIR));
	INVARIANT(node_list_check(lirs_q_links(nd), sizeof *nd, LIRS_Q, n_nodes) == in_q);
	INVARIANT(node_list_check(lirs_q_links(nd), sizeof *nd, LIRS_G, n_nodes) == in_g);
}
#endif

TOGETHER(lirs, n->flags &LIRS_LIR)
POLICY_POOLED(lirs, policy_lirs, "lirs", "LIRS: keeps blocks of low inter-reference recency");
