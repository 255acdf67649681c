/* SPDX-License-Identifier: MIT */
/* What every policy is made with: lists of nodes, the slots of run-time caches, and the drivers.
 *
 * A policy NAME has a struct NAME that starts with `struct policy_core core`, a struct NAME_node (all zero: a block
 * never seen), and these inline functions, where AT(NAME) are the state, the nodes, their sizes and, at run time, the
 * pool (pool.h). In the simulator the last is the constant NULL, and so are the sizes when blocks are equal: each
 * combination compiles to code of its own.
 *	bool NAME_in(const struct NAME_node *)     the block is in the cache
 *	void NAME_hit(AT(NAME), x)                 a reference to a block that is there
 *	void NAME_miss(AT(NAME), x, key)           one that is not; called before room is made
 *	uint32_t NAME_out(AT(NAME), w)             takes a block out, for one of weight w, and says which
 *	void NAME_add(AT(NAME), x, w)              the new block, for which there is room now
 *	void NAME_leave(AT(NAME), x)               the caller takes a block out: nothing is remembered of it
 *	void NAME_fetch(AT(NAME), x)               a reference to x will come soon
 *	bool NAME_joins(AT(NAME), n)               the next n references, if all of them are hits of settled blocks, may
 *	                                           be given block by block, in order of the last use
 *	bool NAME_settled(const struct NAME_node *) it is cached, and a hit only puts it in order
 *	void NAME_hits(AT(NAME), x, times)         so many hits of a settled block (TOGETHER, ONE_BY_ONE below)
 *	size_t NAME_extra(limit, bytes)            bytes after the struct, SIZE_MAX when it cannot have the limit
 *	void NAME_start(st, limit, bytes, seed)    the rest of the state is zero
 *	void NAME_check(AT(NAME), n_nodes)         where invariants are on: the policy's own part of the walk
 * The drivers count core.used and core.n. References are known ahead in the simulator: nodes are fetched FAR references
 * early, what depends on them NEAR early. */
#ifndef BASE_POLICY_DRIVERS_H
#define BASE_POLICY_DRIVERS_H

#include "base/invariant.h"
#include "base/policy.h"

enum { POLICY_FAR = 24, POLICY_NEAR = 10 };
/* Nodes below POLICY_FIRST_NODE are heads of lists; 0 is none. */
enum { HEAD = 1 };

struct pool;
#define AT(NAME) struct NAME *st, struct NAME##_node *nd, const uint64_t *size, struct pool *pool
#define PASS st, nd, size, pool
#define UNUSED_AT (void)st, (void)nd, (void)size, (void)pool
#define INLINE static inline __attribute__((always_inline))

/* The weight of a block in the cache. */
INLINE uint64_t weight_of(const uint64_t *size, uint32_t x)
{
	return size ? size[x] : 1;
}

static inline size_t round16(size_t n)
{
	return (n + 15) & ~(size_t)15;
}

/* A node's neighbours in its list, circular through its head; next is 0 for a node in no list. It is reached as
 * a member of its node and by address (node_link): may_alias, for GCC 12 took the two for different objects. */
struct __attribute__((may_alias)) node_link {
	uint32_t prev, next;
};

/* Nodes begin with their link. */
INLINE struct node_link *node_link(void *nd, size_t stride, uint32_t x)
{
	return (struct node_link *)((char *)nd + x * stride);
}

INLINE void node_insert(void *nd, size_t stride, uint32_t at, uint32_t x)
{
	struct node_link *a = node_link(nd, stride, at);
	uint32_t n = a->next;
	*node_link(nd, stride, x) = (struct node_link){at, n};
	node_link(nd, stride, n)->prev = x;
	a->next = x;
}

INLINE void node_unlink(void *nd, size_t stride, uint32_t x)
{
	struct node_link *l = node_link(nd, stride, x);
	uint32_t p = l->prev, n = l->next;
	node_link(nd, stride, p)->next = n;
	node_link(nd, stride, n)->prev = p;
	l->next = 0;
}

/* Moves x, which is in this list or another, to the front of this one. All that is read is read before anything is
 * written: the next reference waits for it. */
INLINE void node_to_front(void *nd, size_t stride, uint32_t head, uint32_t x)
{
	struct node_link *l = node_link(nd, stride, x), *h = node_link(nd, stride, head);
	uint32_t p = l->prev, n = l->next, first = h->next;
	if (p == head)
		return;
	node_link(nd, stride, p)->next = n;
	node_link(nd, stride, n)->prev = p;
	l->prev = head;
	l->next = first;
	node_link(nd, stride, first)->prev = x;
	h->next = x;
}

INLINE void node_fetch(void *nd, size_t stride, uint32_t x)
{
	const struct node_link *l = node_link(nd, stride, x);
	__builtin_prefetch(node_link(nd, stride, l->prev), 1);
	__builtin_prefetch(node_link(nd, stride, l->next), 1);
}

#define list_start(nd, head) (*node_link(nd, sizeof *(nd), head) = (struct node_link){head, head})
/* Puts x right after `at`: after the head, it is the list's first. */
#define list_insert(nd, at, x) node_insert(nd, sizeof *(nd), at, x)
#define list_unlink(nd, x) node_unlink(nd, sizeof *(nd), x)
#define list_to_front(nd, head, x) node_to_front(nd, sizeof *(nd), head, x)
#define list_last(nd, head) (node_link(nd, sizeof *(nd), head)->prev)
#define list_fetch(nd, x) node_fetch(nd, sizeof *(nd), x)

#ifdef RF_INVARIANTS
/* The length of a list. One that is linked both ways comes back to its head and shares no node with another. */
static inline uint64_t node_list_check(void *nd, size_t stride, uint32_t head, uint32_t n_nodes)
{
	uint64_t n = 0;
	for (uint32_t x = head, next;; x = next, n++) {
		next = node_link(nd, stride, x)->next;
		INVARIANT(next == head || (next >= POLICY_FIRST_NODE && next < n_nodes));
		INVARIANT(node_link(nd, stride, next)->prev == x);
		if (next == head)
			return n;
	}
}
#define list_check(nd, head, n_nodes) node_list_check(nd, sizeof *(nd), head, n_nodes)
#endif

/* ---- the simulator */

/* One reference that missed: room is made, the block is added. A block above the limit is not cached. */
#define POLICY_MISS(NAME)                                                                                              \
	INLINE void NAME##_missed(AT(NAME), uint64_t *sizes, uint32_t x, uint64_t w)                                   \
	{                                                                                                              \
		struct policy_core *c = &st->core;                                                                     \
		if (size && w > c->limit)                                                                              \
			return;                                                                                        \
		NAME##_miss(PASS, x, x - POLICY_FIRST_NODE);                                                           \
		while (c->used + w > c->limit) {                                                                       \
			uint32_t v = NAME##_out(PASS, w);                                                              \
			c->used -= weight_of(size, v);                                                                 \
			c->n--;                                                                                        \
			c->victim = v - POLICY_FIRST_NODE + 1;                                                         \
		}                                                                                                      \
		if (size)                                                                                              \
			sizes[x] = w;                                                                                  \
		NAME##_add(PASS, x, w);                                                                                \
		c->used += w;                                                                                          \
		c->n++;                                                                                                \
	}

#define POLICY_LOOP(NAME)                                                                                              \
	POLICY_MISS(NAME)                                                                                              \
	INLINE void NAME##_loop(struct NAME *st, struct NAME##_node *nd, uint64_t *sizes, const uint64_t *size,        \
				const struct policy_refs *r, size_t from, size_t to, bool ahead)                       \
	{                                                                                                              \
		struct pool *pool = NULL;                                                                              \
		const uint32_t *ids = r->id;                                                                           \
		size_t n = r->n;                                                                                       \
		uint64_t misses = 0, bytes = 0;                                                                        \
		for (size_t i = from; i < to; i++) {                                                                   \
			if (ahead && LIKELY(i + POLICY_FAR < n)) {                                                     \
				__builtin_prefetch(&nd[ids[i + POLICY_FAR] + POLICY_FIRST_NODE], 1);                   \
				NAME##_fetch(PASS, ids[i + POLICY_NEAR] + POLICY_FIRST_NODE);                          \
			}                                                                                              \
			uint32_t x = ids[i] + POLICY_FIRST_NODE;                                                       \
			if (LIKELY(NAME##_in(&nd[x]))) {                                                               \
				NAME##_hit(PASS, x);                                                                   \
				continue;                                                                              \
			}                                                                                              \
			misses++;                                                                                      \
			if (r->missed)                                                                                 \
				r->missed[i] = 1;                                                                      \
			if (r->size)                                                                                   \
				bytes += r->size[i];                                                                   \
			NAME##_missed(PASS, sizes, x, size ? r->size[i] : 1);                                          \
		}                                                                                                      \
		st->core.misses += misses;                                                                             \
		st->core.miss_bytes += bytes;                                                                          \
	}                                                                                                              \
	INLINE bool NAME##_together(AT(NAME), const struct policy_refs *r, const struct policy_window *w)              \
	{                                                                                                              \
		if (!NAME##_joins(PASS, w->n))                                                                         \
			return false;                                                                                  \
		for (uint32_t i = w->at; i < w->at + w->distinct; i++)                                                 \
			if (!NAME##_settled(&nd[r->last[i] + POLICY_FIRST_NODE]))                                      \
				return false;                                                                          \
		for (uint32_t i = w->at; i < w->at + w->distinct; i++)                                                 \
			NAME##_hits(PASS, r->last[i] + POLICY_FIRST_NODE, r->times[i]);                                \
		return true;                                                                                           \
	}                                                                                                              \
	INLINE void NAME##_windows(struct NAME *st, struct NAME##_node *nd, uint64_t *sizes, const uint64_t *size,     \
				   const struct policy_refs *r, bool ahead)                                            \
	{                                                                                                              \
		size_t from = 0;                                                                                       \
		for (size_t k = 0; k <= r->n_windows; k++) {                                                           \
			size_t to = k < r->n_windows ? from + r->window[k].n : r->n;                                   \
			if (k == r->n_windows || !NAME##_together(st, nd, size, NULL, r, &r->window[k]))               \
				NAME##_loop(st, nd, sizes, size, r, from, to, ahead);                                  \
			from = to;                                                                                     \
		}                                                                                                      \
	}                                                                                                              \
	static void NAME##_run(const struct policy_sim *s, const struct policy_refs *r)                                \
	{                                                                                                              \
		if (s->size)                                                                                           \
			NAME##_windows(s->state, s->node, s->size, s->size, r, true);                                  \
		else if (s->near)                                                                                      \
			NAME##_windows(s->state, s->node, NULL, NULL, r, false);                                       \
		else                                                                                                   \
			NAME##_windows(s->state, s->node, NULL, NULL, r, true);                                        \
	}

#ifdef RF_INVARIANTS
/* What holds for every policy: used and n are those of the blocks in the cache. */
#define POLICY_WALK(NAME)                                                                                              \
	static void NAME##_walk(AT(NAME), uint32_t n_nodes)                                                            \
	{                                                                                                              \
		uint64_t n = 0, used = 0;                                                                              \
		for (uint32_t x = POLICY_FIRST_NODE; x < n_nodes; x++)                                                 \
			if (NAME##_in(&nd[x])) {                                                                       \
				n++;                                                                                   \
				used += weight_of(size, x);                                                            \
			}                                                                                              \
		INVARIANT(st->core.n == n && st->core.used == used && used <= st->core.limit);                         \
		NAME##_check(PASS, n_nodes);                                                                           \
	}                                                                                                              \
	static void NAME##_sim_check(const struct policy_sim *s, uint32_t n_nodes)                                     \
	{                                                                                                              \
		NAME##_walk(s->state, s->node, s->size, NULL, n_nodes);                                                \
	}
#define POLICY_CHECK(NAME) NAME
#else
#define POLICY_WALK(NAME)
#define POLICY_CHECK(NAME) NULL
#endif

#define POLICY_SIM(NAME)                                                                                               \
	POLICY_LOOP(NAME)                                                                                              \
	POLICY_WALK(NAME)                                                                                              \
	static size_t NAME##_sim_size(uint64_t limit, bool bytes)                                                      \
	{                                                                                                              \
		size_t extra = !limit || (!bytes && limit > POLICY_MAX_CAP) ? SIZE_MAX : NAME##_extra(limit, bytes);   \
		return extra == SIZE_MAX ? 0 : round16(sizeof(struct NAME)) + extra;                                   \
	}                                                                                                              \
	static void NAME##_sim_init(void *state, uint64_t limit, bool bytes, uint64_t seed)                            \
	{                                                                                                              \
		struct NAME *st = state;                                                                               \
		st->core.limit = limit;                                                                                \
		NAME##_start(st, limit, bytes, seed);                                                                  \
	}                                                                                                              \
	static bool NAME##_sim_has(const struct policy_sim *s, uint32_t id)                                            \
	{                                                                                                              \
		struct NAME##_node *nd = s->node;                                                                      \
		return NAME##_in(&nd[id + POLICY_FIRST_NODE]);                                                         \
	}

#define POLICY_SIM_DROP(NAME)                                                                                          \
	static void NAME##_sim_drop(const struct policy_sim *s, uint32_t id)                                           \
	{                                                                                                              \
		struct NAME *st = s->state;                                                                            \
		uint32_t x = id + POLICY_FIRST_NODE;                                                                   \
		st->core.used -= weight_of(s->size, x);                                                                \
		st->core.n--;                                                                                          \
		NAME##_leave(st, s->node, s->size, NULL, x);                                                           \
	}

/* ---- run-time caches whose nodes are their slots */

INLINE bool slot_take(struct policy_core *c, void *nd, size_t stride, uint32_t *x)
{
	if (c->freed) {
		*x = c->freed - 1 + POLICY_FIRST_NODE;
		c->freed = node_link(nd, stride, *x)->prev;
		return true;
	}
	if (c->taken == c->cap)
		return false;
	*x = c->taken++ + POLICY_FIRST_NODE;
	return true;
}

/* Free slots are chained through prev; next stays 0. */
INLINE void slot_give_back(struct policy_core *c, void *nd, size_t stride, uint32_t x)
{
	node_link(nd, stride, x)->prev = c->freed;
	c->freed = x - POLICY_FIRST_NODE + 1;
}

#ifdef RF_INVARIANTS
#define SLOTS_CHECK(NAME)                                                                                              \
	static void NAME##_slots_check(void *state, const bool *used)                                                  \
	{                                                                                                              \
		struct NAME *st = state;                                                                               \
		struct NAME##_node *nd = NAME##_nodes(st);                                                             \
		uint32_t given_back = 0, cap = st->core.cap;                                                           \
		for (uint32_t s = 0; s < cap; s++)                                                                     \
			INVARIANT(NAME##_in(&nd[s + POLICY_FIRST_NODE]) == used[s]);                                   \
		for (uint32_t s = st->core.freed; s; s = nd[s - 1 + POLICY_FIRST_NODE].link.prev, given_back++)        \
			INVARIANT(s <= st->core.taken && !used[s - 1] && given_back < cap);                            \
		INVARIANT(given_back + st->core.n == st->core.taken);                                                  \
		NAME##_walk(st, nd, NULL, NULL, cap + POLICY_FIRST_NODE);                                              \
	}
#else
#define SLOTS_CHECK(NAME)
#endif

/* The nodes stand behind the state; INIT is the init for a cache of cap blocks. */
#define POLICY_NODES(NAME, INIT)                                                                                       \
	static struct NAME##_node *NAME##_nodes(struct NAME *st)                                                       \
	{                                                                                                              \
		return (struct NAME##_node *)((char *)st + NAME##_sim_size(st->core.cap, false));                      \
	}                                                                                                              \
	static void NAME##_##INIT(void *state, uint32_t cap, uint64_t seed)                                            \
	{                                                                                                              \
		struct NAME *st = state;                                                                               \
		st->core.cap = cap;                                                                                    \
		NAME##_sim_init(st, cap, false, seed);                                                                 \
	}

#define POLICY_SLOTS(NAME)                                                                                             \
	POLICY_NODES(NAME, slots_init)                                                                                 \
	static size_t NAME##_slots_size(uint32_t cap)                                                                  \
	{                                                                                                              \
		size_t state = NAME##_sim_size(cap, false);                                                            \
		return state ? state + ((size_t)cap + POLICY_FIRST_NODE) * sizeof(struct NAME##_node) : 0;             \
	}                                                                                                              \
	static void NAME##_slots_hit(void *state, uint32_t slot)                                                       \
	{                                                                                                              \
		NAME##_hit(state, NAME##_nodes(state), NULL, NULL, slot + POLICY_FIRST_NODE);                          \
	}                                                                                                              \
	static uint32_t NAME##_slots_admit(void *state, uint64_t key)                                                  \
	{                                                                                                              \
		struct NAME *st = state;                                                                               \
		struct NAME##_node *nd = NAME##_nodes(st);                                                             \
		uint32_t x;                                                                                            \
		NAME##_miss(st, nd, NULL, NULL, 0, key);                                                               \
		if (slot_take(&st->core, nd, sizeof *nd, &x)) {                                                        \
			st->core.used++;                                                                               \
			st->core.n++;                                                                                  \
		} else {                                                                                               \
			x = NAME##_out(st, nd, NULL, NULL, 1);                                                         \
		}                                                                                                      \
		NAME##_add(st, nd, NULL, NULL, x, 1);                                                                  \
		return x - POLICY_FIRST_NODE;                                                                          \
	}                                                                                                              \
	static void NAME##_slots_drop(void *state, uint32_t slot)                                                      \
	{                                                                                                              \
		struct NAME *st = state;                                                                               \
		struct NAME##_node *nd = NAME##_nodes(st);                                                             \
		st->core.used--;                                                                                       \
		st->core.n--;                                                                                          \
		NAME##_leave(st, nd, NULL, NULL, slot + POLICY_FIRST_NODE);                                            \
		slot_give_back(&st->core, nd, sizeof *nd, slot + POLICY_FIRST_NODE);                                   \
	}                                                                                                              \
	static uint32_t NAME##_slots_evict(void *state)                                                                \
	{                                                                                                              \
		struct NAME *st = state;                                                                               \
		struct NAME##_node *nd = NAME##_nodes(st);                                                             \
		uint32_t x = NAME##_out(st, nd, NULL, NULL, 1);                                                        \
		st->core.used--;                                                                                       \
		st->core.n--;                                                                                          \
		slot_give_back(&st->core, nd, sizeof *nd, x);                                                          \
		return x - POLICY_FIRST_NODE;                                                                          \
	}                                                                                                              \
	SLOTS_CHECK(NAME)

#define POLICY_SIM_ROW(NAME)                                                                                           \
	.node_size = sizeof(struct NAME##_node), .sim_size = NAME##_sim_size, .sim_init = NAME##_sim_init,             \
	.run = NAME##_run, .sim_has = NAME##_sim_has, .sim_check = POLICY_CHECK(NAME##_sim_check)

#define POLICY_RUNTIME_ROW(NAME, KIND)                                                                                 \
	.sim_drop = NAME##_sim_drop, .state_size = NAME##_##KIND##_size, .init = NAME##_##KIND##_init,                 \
	.hit = NAME##_##KIND##_hit, .admit = NAME##_##KIND##_admit, .drop = NAME##_##KIND##_drop,                      \
	.evict = NAME##_##KIND##_evict, .check = POLICY_CHECK(NAME##_##KIND##_check)

/* The drivers and the row: POLICY(NAME, SYMBOL, TITLE, SUMMARY, FLAGS). Policies that need keys or ghosts at run time
 * use POLICY_POOLED (pool.h). */
#define POLICY(NAME, SYMBOL, TITLE, SUMMARY, FLAGS)                                                                    \
	POLICY_SIM(NAME)                                                                                               \
	POLICY_SIM_DROP(NAME)                                                                                          \
	POLICY_SLOTS(NAME)                                                                                             \
	const struct policy SYMBOL = {.name = TITLE,                                                                   \
				      .summary = SUMMARY,                                                              \
				      .flags = (FLAGS),                                                                \
				      POLICY_SIM_ROW(NAME),                                                            \
				      POLICY_RUNTIME_ROW(NAME, slots)}

/* ---- bodies in common */

/* For policies without a state of their own beside the core. */
#define NO_EXTRA(NAME)                                                                                                 \
	static size_t NAME##_extra(uint64_t limit, bool bytes)                                                         \
	{                                                                                                              \
		(void)limit, (void)bytes;                                                                              \
		return 0;                                                                                              \
	}

/* For policies that start with all zero. */
#define NO_START(NAME)                                                                                                 \
	static void NAME##_start(struct NAME *st, uint64_t limit, bool bytes, uint64_t seed)                           \
	{                                                                                                              \
		(void)st, (void)limit, (void)bytes, (void)seed;                                                        \
	}

/* For policies whose blocks in the cache, and no others, have a next. */
#define IN_IF_LINKED(NAME)                                                                                             \
	INLINE bool NAME##_in(const struct NAME##_node *n)                                                             \
	{                                                                                                              \
		return n->link.next != 0;                                                                              \
	}

#define JOINS(NAME, EVER, WHEN)                                                                                        \
	INLINE bool NAME##_joins(AT(NAME), uint64_t n)                                                                 \
	{                                                                                                              \
		UNUSED_AT, (void)n;                                                                                    \
		return EVER;                                                                                           \
	}                                                                                                              \
	INLINE bool NAME##_settled(const struct NAME##_node *n)                                                        \
	{                                                                                                              \
		return (WHEN);                                                                                         \
	}

/* Hits of settled blocks are given block by block: to NAME_hits, or to NAME_hit when once is as good as often. */
#define SETTLED(NAME, WHEN) JOINS(NAME, true, WHEN)

#define TOGETHER(NAME, WHEN)                                                                                           \
	SETTLED(NAME, WHEN)                                                                                            \
	INLINE void NAME##_hits(AT(NAME), uint32_t x, unsigned times)                                                  \
	{                                                                                                              \
		(void)times;                                                                                           \
		NAME##_hit(PASS, x);                                                                                   \
	}

/* For policies to which every hit matters. */
#define ONE_BY_ONE(NAME)                                                                                               \
	JOINS(NAME, false, NAME##_in(n))                                                                               \
	INLINE void NAME##_hits(AT(NAME), uint32_t x, unsigned times)                                                  \
	{                                                                                                              \
		UNUSED_AT, (void)x, (void)times;                                                                       \
	}

/* For policies whose hits touch no other node than the block's own. */
#define NO_FETCH(NAME)                                                                                                 \
	INLINE void NAME##_fetch(AT(NAME), uint32_t x)                                                                 \
	{                                                                                                              \
		UNUSED_AT, (void)x;                                                                                    \
	}

/* For policies to which a hit means nothing. */
#define NO_HIT(NAME)                                                                                                   \
	NO_FETCH(NAME)                                                                                                 \
	INLINE void NAME##_hit(AT(NAME), uint32_t x)                                                                   \
	{                                                                                                              \
		UNUSED_AT, (void)x;                                                                                    \
	}

/* For policies whose hits take the block out of its list. */
#define LIST_FETCH(NAME)                                                                                               \
	INLINE void NAME##_fetch(AT(NAME), uint32_t x)                                                                 \
	{                                                                                                              \
		UNUSED_AT;                                                                                             \
		list_fetch(nd, x);                                                                                     \
	}

/* For policies to which a miss means nothing before there is room. */
#define NO_MISS(NAME)                                                                                                  \
	INLINE void NAME##_miss(AT(NAME), uint32_t x, uint64_t key)                                                    \
	{                                                                                                              \
		UNUSED_AT, (void)x, (void)key;                                                                         \
	}

/* A list of all blocks, newest first. Its head is linked at the first block that comes: node 1 is zero until then. */
#ifdef RF_INVARIANTS
#define QUEUE_CHECK(NAME)                                                                                              \
	static void NAME##_check(AT(NAME), uint32_t n_nodes)                                                           \
	{                                                                                                              \
		(void)size, (void)pool;                                                                                \
		INVARIANT(nd[HEAD].link.next ? list_check(nd, HEAD, n_nodes) == st->core.n : !st->core.n);             \
	}
#else
#define QUEUE_CHECK(NAME)
#endif
#define QUEUE_POLICY(NAME)                                                                                             \
	struct NAME {                                                                                                  \
		struct policy_core core;                                                                               \
	};                                                                                                             \
	struct NAME##_node {                                                                                           \
		struct node_link link;                                                                                 \
	};                                                                                                             \
	NO_EXTRA(NAME)                                                                                                 \
	NO_MISS(NAME)                                                                                                  \
	NO_START(NAME)                                                                                                 \
	IN_IF_LINKED(NAME)                                                                                             \
	INLINE void NAME##_leave(AT(NAME), uint32_t x)                                                                 \
	{                                                                                                              \
		UNUSED_AT;                                                                                             \
		list_unlink(nd, x);                                                                                    \
	}                                                                                                              \
	INLINE void NAME##_add(AT(NAME), uint32_t x, uint64_t w)                                                       \
	{                                                                                                              \
		UNUSED_AT, (void)w;                                                                                    \
		if (UNLIKELY(!nd[HEAD].link.next))                                                                     \
			list_start(nd, HEAD);                                                                          \
		list_insert(nd, HEAD, x);                                                                              \
	}                                                                                                              \
	QUEUE_CHECK(NAME)

/* For a queue in which a hit makes a block the newest. */
#define HIT_TO_FRONT(NAME)                                                                                             \
	LIST_FETCH(NAME)                                                                                               \
	INLINE void NAME##_hit(AT(NAME), uint32_t x)                                                                   \
	{                                                                                                              \
		UNUSED_AT;                                                                                             \
		list_to_front(nd, HEAD, x);                                                                            \
	}

/* For a queue whose oldest block goes. */
#define LAST_OUT(NAME)                                                                                                 \
	INLINE uint32_t NAME##_out(AT(NAME), uint64_t w)                                                               \
	{                                                                                                              \
		UNUSED_AT, (void)w;                                                                                    \
		uint32_t x = list_last(nd, HEAD);                                                                      \
		list_unlink(nd, x);                                                                                    \
		__builtin_prefetch(&nd[list_last(nd, HEAD)], 1); /* goes next */                                       \
		return x;                                                                                              \
	}

/* A mark per block, set by a hit, and a hand that goes round and clears the marks it passes; NAME_take takes the block
 * to which it has come, and NAME_leave moves the hand on. */
#define MARK_POLICY(NAME)                                                                                              \
	struct NAME {                                                                                                  \
		struct policy_core core;                                                                               \
		uint32_t hand, pad[3];                                                                                 \
	};                                                                                                             \
	struct NAME##_node {                                                                                           \
		struct node_link link;                                                                                 \
		uint32_t mark;                                                                                         \
	};                                                                                                             \
	NO_EXTRA(NAME)                                                                                                 \
	NO_MISS(NAME)                                                                                                  \
	IN_IF_LINKED(NAME)                                                                                             \
	NO_FETCH(NAME)                                                                                                 \
	INLINE void NAME##_hit(AT(NAME), uint32_t x)                                                                   \
	{                                                                                                              \
		UNUSED_AT;                                                                                             \
		nd[x].mark = 1;                                                                                        \
	}                                                                                                              \
	INLINE void NAME##_leave(AT(NAME), uint32_t x);                                                                \
	INLINE uint32_t NAME##_take(AT(NAME), uint32_t x)                                                              \
	{                                                                                                              \
		st->hand = x;                                                                                          \
		NAME##_leave(PASS, x);                                                                                 \
		__builtin_prefetch(&nd[st->hand], 1);                                                                  \
		return x;                                                                                              \
	}

/* All policies; each is defined in a file of this folder. */
/* clang-format off */
#define POLICIES(X)                                                                                                    \
	X(single) X(direct) X(assoc2) X(assoc4) X(assoc8) X(assoc16) X(lru) X(mru) X(fifo) X(clock) X(sieve)           \
	X(random) X(lfu) X(slru) X(2q) X(arc) X(lirs) X(s3fifo) X(wtinylfu)                              \
	X(awtinylfu) X(gdsf) X(lrfu) X(opt)
/* clang-format on */

#define X(name) extern const struct policy policy_##name;
POLICIES(X)
#undef X

#endif
