/* SPDX-License-Identifier: MIT */
/* The body of W-TinyLFU and of its adaptive kind: window, main part and sketch. A policy NAME of it has a struct
 * with `struct tinylfu t` after the core, NAME_start, NAME_adapt (called after n references were
 * counted) and NAME_steady (n of them change nothing). */
#ifndef BASE_POLICY_TINYLFU_H
#define BASE_POLICY_TINYLFU_H

#include "base/policy/parts/segments.h"
#include "base/policy/parts/sketch.h"

enum { TINY_WINDOW = 1, TINY_PROBATION, TINY_PROTECTED };
/* In a cache by bytes the number of blocks is not known; the sketch starts small and is doubled up to this. */
enum { TINY_MOST_BLOCKS = 1 << 22 };

struct tinylfu {
	uint64_t window, protect; /* most in these */
	uint64_t counted;         /* references since the counters were halved */
	struct sketch sketch;
	uint64_t sum[SEGMENTS + 1];
};

static inline void tinylfu_share(struct tinylfu *t, uint64_t limit, uint64_t window)
{
	t->window = window ? window : 1;
	t->protect = (limit - t->window) - (limit - t->window + 4) / 5;
}

static inline void tinylfu_start(struct tinylfu *t, uint64_t limit, bool bytes, uint64_t seed, uint64_t window)
{
	t->sketch = (struct sketch){seed, bytes ? 1 : sketch_blocks(limit)};
	tinylfu_share(t, limit, window);
}

static inline size_t tinylfu_extra(uint64_t limit, bool bytes)
{
	if (!bytes && limit > POLICY_MAX_CAP / 16)
		return SIZE_MAX;
	return (size_t)(bytes ? TINY_MOST_BLOCKS : sketch_blocks(limit)) * SKETCH_BLOCK;
}

/* blocks: in the cache, when it is bounded by bytes; else its limit. */
INLINE void tinylfu_count(struct tinylfu *t, uint8_t *table, uint64_t key, uint64_t blocks, bool bytes)
{
	sketch_count(&t->sketch, table, key, 1);
	if (bytes)
		while (blocks > t->sketch.blocks * SKETCH_ROW && t->sketch.blocks < TINY_MOST_BLOCKS)
			sketch_double(&t->sketch, table);
	if (++t->counted < 10 * blocks)
		return;
	t->counted = 0;
	sketch_halve(&t->sketch, table);
}

/* Whether n more are counted without a change of the sketch: then their order does not matter. */
INLINE bool tinylfu_calm(const struct tinylfu *t, uint64_t n, uint64_t blocks, bool bytes)
{
	return t->counted + n < 10 * blocks &&
	       (!bytes || blocks <= t->sketch.blocks * SKETCH_ROW || t->sketch.blocks >= TINY_MOST_BLOCKS);
}

/* Where main's next victim is. */
INLINE uint32_t tinylfu_main(struct seg_node *nd)
{
	return !seg_empty(nd, TINY_PROBATION) ? TINY_PROBATION : TINY_PROTECTED;
}

/* The block to give up: of the window's last and main's last the one used less, if the window is full; a candidate that
 * wins moves to main. */
INLINE uint32_t tinylfu_victim(struct tinylfu *t, struct seg_node *nd, const uint64_t *size, struct pool *pool,
			       uint8_t *table, uint64_t w)
{
	uint32_t main = seg_last(nd, tinylfu_main(nd));
	uint32_t candidate = seg_last(nd, TINY_WINDOW);
	if (main < POLICY_FIRST_NODE)
		return candidate;
	if (candidate < POLICY_FIRST_NODE || t->sum[TINY_WINDOW] + w <= t->window)
		return main;
	if (sketch_estimate(&t->sketch, table, key_of(pool, candidate)) <=
	    sketch_estimate(&t->sketch, table, key_of(pool, main)))
		return candidate;
	seg_move(t->sum, nd, size, TINY_PROBATION, candidate);
	return main;
}

#ifdef RF_INVARIANTS
#define TINYLFU_CHECK(NAME)                                                                                            \
	static void NAME##_check(AT(NAME), uint32_t n_nodes)                                                           \
	{                                                                                                              \
		(void)pool;                                                                                            \
		seg_check(st->t.sum, nd, size, n_nodes);                                                               \
		INVARIANT(st->t.sum[TINY_PROTECTED] <= st->t.protect && st->t.window <= st->core.limit);               \
		for (uint64_t i = 0; i < st->t.sketch.blocks * SKETCH_BLOCK; i++)                                      \
			INVARIANT(NAME##_table(st)[i] <= SKETCH_MAX);                                                  \
	}
#else
#define TINYLFU_CHECK(NAME)
#endif

#define TINYLFU_POLICY(NAME)                                                                                           \
	INLINE void NAME##_adapt(AT(NAME), unsigned n, bool hit);                                                      \
	INLINE bool NAME##_steady(const struct NAME *st, uint64_t n, uint64_t blocks);                                 \
	INLINE uint8_t *NAME##_table(struct NAME *st)                                                                  \
	{                                                                                                              \
		return (uint8_t *)st + round16(sizeof *st);                                                            \
	}                                                                                                              \
	static size_t NAME##_extra(uint64_t limit, bool bytes)                                                         \
	{                                                                                                              \
		return tinylfu_extra(limit, bytes);                                                                    \
	}                                                                                                              \
	static uint32_t NAME##_ghosts(uint32_t cap)                                                                    \
	{                                                                                                              \
		(void)cap;                                                                                             \
		return 0;                                                                                              \
	}                                                                                                              \
	INLINE bool NAME##_in(const struct seg_node *n)                                                                \
	{                                                                                                              \
		return n->where != 0;                                                                                  \
	}                                                                                                              \
	INLINE void NAME##_leave(AT(NAME), uint32_t x)                                                                 \
	{                                                                                                              \
		seg_remove(st->t.sum, nd, size, x);                                                                    \
		pool_release(pool, x);                                                                                 \
	}                                                                                                              \
	INLINE void NAME##_fetch(AT(NAME), uint32_t x)                                                                 \
	{                                                                                                              \
		(void)size, (void)pool;                                                                                \
		list_fetch(nd, x);                                                                                     \
		uint64_t hash = sketch_hash(&st->t.sketch, x - POLICY_FIRST_NODE);                                     \
		__builtin_prefetch(sketch_block(&st->t.sketch, NAME##_table(st), hash), 1);                            \
	}                                                                                                              \
	INLINE void NAME##_count(AT(NAME), uint64_t key)                                                               \
	{                                                                                                              \
		(void)nd, (void)pool;                                                                                  \
		tinylfu_count(&st->t, NAME##_table(st), key, size ? st->core.n : st->core.limit, size != NULL);        \
	}                                                                                                              \
	INLINE void NAME##_hit(AT(NAME), uint32_t x)                                                                   \
	{                                                                                                              \
		uint32_t where = nd[x].where;                                                                          \
		NAME##_count(PASS, key_of(pool, x));                                                                   \
		seg_move(st->t.sum, nd, size, where == TINY_PROBATION ? TINY_PROTECTED : where, x);                    \
		while (st->t.sum[TINY_PROTECTED] > st->t.protect)                                                      \
			seg_move(st->t.sum, nd, size, TINY_PROBATION, seg_last(nd, TINY_PROTECTED));                   \
		NAME##_adapt(PASS, 1, true);                                                                           \
	}                                                                                                              \
	INLINE bool NAME##_joins(AT(NAME), uint64_t n)                                                                 \
	{                                                                                                              \
		(void)nd, (void)pool;                                                                                  \
		uint64_t blocks = size ? st->core.n : st->core.limit;                                                  \
		return tinylfu_calm(&st->t, n, blocks, size != NULL) && NAME##_steady(st, n, blocks);                  \
	}                                                                                                              \
	INLINE bool NAME##_settled(const struct seg_node *n)                                                           \
	{                                                                                                              \
		return n->where == TINY_WINDOW || n->where == TINY_PROTECTED;                                          \
	}                                                                                                              \
	INLINE void NAME##_hits(AT(NAME), uint32_t x, unsigned times)                                                  \
	{                                                                                                              \
		sketch_count(&st->t.sketch, NAME##_table(st), key_of(pool, x), times);                                 \
		st->t.counted += times;                                                                                \
		seg_move(st->t.sum, nd, size, nd[x].where, x);                                                         \
		NAME##_adapt(PASS, times, true);                                                                       \
	}                                                                                                              \
	INLINE void NAME##_miss(AT(NAME), uint32_t x, uint64_t key)                                                    \
	{                                                                                                              \
		(void)x;                                                                                               \
		NAME##_count(PASS, key);                                                                               \
		NAME##_adapt(PASS, 1, false);                                                                          \
	}                                                                                                              \
	INLINE uint32_t NAME##_out(AT(NAME), uint64_t w)                                                               \
	{                                                                                                              \
		uint32_t x = tinylfu_victim(&st->t, nd, size, pool, NAME##_table(st), w);                              \
		NAME##_leave(PASS, x);                                                                                 \
		return x;                                                                                              \
	}                                                                                                              \
	INLINE void NAME##_add(AT(NAME), uint32_t x, uint64_t w)                                                       \
	{                                                                                                              \
		(void)pool;                                                                                            \
		while (st->t.sum[TINY_WINDOW] + w > st->t.window && !seg_empty(nd, TINY_WINDOW))                       \
			seg_move(st->t.sum, nd, size, TINY_PROBATION, seg_last(nd, TINY_WINDOW));                      \
		seg_push(st->t.sum, nd, size, TINY_WINDOW, x);                                                         \
	}                                                                                                              \
	TINYLFU_CHECK(NAME)

#endif
