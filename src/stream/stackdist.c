/* SPDX-License-Identifier: MIT */
/* See stackdist.h.
 *
 * where[id] is 0 (never seen), 1 (in the top array) or a bitmap position + 2. Bits are in order of recency: a block
 * that falls out of the top array is more recent than every block in the bitmap. A block's distance is then the
 * top's length, plus the bits above its own, plus one. */
#include "stream/stackdist.h"

#include "base/bits.h"
#include "base/invariant.h"
#include "data/bigmem.h"
#include "data/mem.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum {
	TOP = 16,
	LINE_BITS = 512,      /* a cache line of bits; counted in line[] */
	GROUP_BITS = 1 << 14, /* 32 lines; counted in group[] */
	FIRST_BITS = 1 << 17,
	IN_TOP = 1,
	FIRST_POSITION = 2,
	FAR = 24, /* references ahead that where[] and then the bitmap are fetched */
	NEAR = 10,
	WAIT = 16,
};

typedef uint16_t u16x8 __attribute__((vector_size(16)));
typedef uint32_t u32x4 __attribute__((vector_size(16)));

struct stackdist {
	uint32_t top[TOP];
	uint32_t n_top;
	uint32_t n_ids; /* where[] and hist[] have room for */
	uint32_t *where;
	uint64_t *hist; /* n_ids + 1 */
	uint64_t bits;  /* of the bitmap; a multiple of GROUP_BITS */
	uint64_t now;   /* next free position */
	uint64_t live;  /* set bits */
	uint64_t *bitmap;
	uint16_t *line;
	uint32_t *group;
	uint32_t *owner; /* per position */
};

static size_t group_room(uint64_t bits)
{
	return bits / GROUP_BITS + 8; /* sums read whole vectors */
}

static void bitmap_alloc(struct stackdist *s, uint64_t bits)
{
	s->bits = bits;
	s->bitmap = bigmem_alloc(bits / 8);
	s->line = bigmem_alloc(bits / LINE_BITS * sizeof *s->line);
	s->group = bigmem_alloc(group_room(bits) * sizeof *s->group);
	s->owner = bigmem_alloc(bits * sizeof *s->owner);
}

static void bitmap_free(struct stackdist *s)
{
	bigmem_free(s->bitmap, s->bits / 8);
	bigmem_free(s->line, s->bits / LINE_BITS * sizeof *s->line);
	bigmem_free(s->group, group_room(s->bits) * sizeof *s->group);
	bigmem_free(s->owner, s->bits * sizeof *s->owner);
}

struct stackdist *stackdist_new(void)
{
	struct stackdist *s = mem_zalloc(sizeof *s);
	bitmap_alloc(s, FIRST_BITS);
	s->hist = bigmem_alloc(sizeof *s->hist);
	return s;
}

static void make_room(struct stackdist *s, uint32_t n_ids)
{
	if (n_ids <= s->n_ids)
		return;
	size_t n = ceil_pow2(n_ids < 1024 ? 1024 : n_ids), old = s->n_ids;
	s->where = bigmem_grow(s->where, old * sizeof *s->where, n * sizeof *s->where);
	s->hist = bigmem_grow(s->hist, (old + 1) * sizeof *s->hist, (n + 1) * sizeof *s->hist);
	s->n_ids = (uint32_t)n;
}

static inline void set_bit(struct stackdist *s, uint64_t at, uint32_t id)
{
	s->bitmap[at >> 6] |= (uint64_t)1 << (at & 63);
	s->line[at / LINE_BITS]++;
	s->group[at / GROUP_BITS]++;
	s->owner[at] = id;
	s->where[id] = (uint32_t)at + FIRST_POSITION;
}

static inline void clear_bit(struct stackdist *s, uint64_t at)
{
	s->bitmap[at >> 6] &= ~((uint64_t)1 << (at & 63));
	s->line[at / LINE_BITS]--;
	s->group[at / GROUP_BITS]--;
	s->live--;
}

/* Moves the set bits together, into a larger map if they fill more than half of this one. */
static void compact(struct stackdist *s)
{
	struct stackdist old = *s;
	uint64_t bits = s->bits;
	while (s->live * 2 > bits)
		bits *= 2;
	bitmap_alloc(s, bits);
	s->now = 0;
	for (uint64_t w = 0; w < old.bits / 64; w++)
		for (uint64_t b = old.bitmap[w]; b; b &= b - 1)
			set_bit(s, s->now++, old.owner[w * 64 + (uint64_t)__builtin_ctzll(b)]);
	bitmap_free(&old);
}

static inline __attribute__((always_inline)) uint32_t sum_groups(const uint32_t *g, uint64_t from, uint64_t to)
{
	uint32_t sum = 0;
	for (; from < to && from % 4; from++)
		sum += g[from];
	u32x4 v = {0};
	for (; from + 4 <= to; from += 4)
		v += *(const u32x4 *)(const void *)(g + from);
	for (; from < to; from++)
		sum += g[from];
	return sum + v[0] + v[1] + v[2] + v[3];
}

/* Set bits above `at`: in its line by masked popcounts, in its group by masked sums, beyond from the nearer end. */
static inline __attribute__((always_inline)) uint32_t bits_above(const struct stackdist *s, uint64_t at)
{
	static const u16x8 lanes[4] = {{0, 1, 2, 3, 4, 5, 6, 7},
				       {8, 9, 10, 11, 12, 13, 14, 15},
				       {16, 17, 18, 19, 20, 21, 22, 23},
				       {24, 25, 26, 27, 28, 29, 30, 31}};
	uint64_t line = at / LINE_BITS, group = at / GROUP_BITS, groups = s->now / GROUP_BITS + 1;
	const uint64_t *w = s->bitmap + line * 8;
	uint32_t word = (uint32_t)(at >> 6) & 7, sum = (uint32_t)__builtin_popcountll(w[word] >> (at & 63)) - 1;
#define ABOVE(q) (uint32_t) __builtin_popcountll((q) > word ? w[q] : 0)
	sum += ABOVE(1) + ABOVE(2) + ABOVE(3) + ABOVE(4) + ABOVE(5) + ABOVE(6) + ABOVE(7);
#undef ABOVE
	uint16_t in_group = (uint16_t)(line % 32);
	const u16x8 *l = (const u16x8 *)(const void *)(s->line + line / 32 * 32);
	u16x8 v = {0}, limit = {in_group, in_group, in_group, in_group, in_group, in_group, in_group, in_group};
	v += (l[0] & (u16x8)(lanes[0] > limit)) + (l[1] & (u16x8)(lanes[1] > limit));
	v += (l[2] & (u16x8)(lanes[2] > limit)) + (l[3] & (u16x8)(lanes[3] > limit));
	sum += (uint32_t)v[0] + v[1] + v[2] + v[3] + v[4] + v[5] + v[6] + v[7];
	if (groups - group <= group)
		return sum + sum_groups(s->group, group + 1, groups);
	return sum + (uint32_t)s->live - sum_groups(s->group, 0, group + 1);
}

/* Puts a block on top; the last of a full top falls into the bitmap. */
static inline void push_top(struct stackdist *s, uint32_t id)
{
	if (s->n_top == TOP) {
		set_bit(s, s->now++, s->top[TOP - 1]);
		s->live++;
	} else {
		s->n_top++;
	}
	for (int i = TOP - 1; i > 0; i--)
		s->top[i] = s->top[i - 1];
	s->top[0] = id;
	s->where[id] = IN_TOP;
}

static inline __attribute__((always_inline)) uint32_t reference(struct stackdist *s, uint32_t id)
{
	uint32_t at = s->where[id], d = 0;
	if (LIKELY(at == IN_TOP)) {
		uint32_t before = id;
		do {
			uint32_t here = s->top[d];
			s->top[d++] = before;
			before = here;
		} while (before != id);
	} else {
		if (UNLIKELY(s->now == s->bits)) {
			compact(s);
			at = s->where[id];
		}
		if (at) {
			d = s->n_top + bits_above(s, at - FIRST_POSITION) + 1;
			clear_bit(s, at - FIRST_POSITION);
		}
		push_top(s, id);
	}
	return d;
}

static inline __attribute__((always_inline)) void feed(struct stackdist *s, const uint32_t *ids, size_t n)
{
	uint32_t waiting[WAIT]; /* distances whose count is being fetched */
	for (size_t i = 0; i < n; i++) {
		if (LIKELY(i + FAR < n)) {
			__builtin_prefetch(&s->where[ids[i + FAR]], 1);
			uint32_t soon = s->where[ids[i + NEAR]];
			if (soon >= FIRST_POSITION) {
				__builtin_prefetch(&s->bitmap[(soon - FIRST_POSITION) / LINE_BITS * 8], 1);
				__builtin_prefetch(&s->line[(soon - FIRST_POSITION) / GROUP_BITS * 32], 1);
			}
		}
		if (LIKELY(i >= WAIT))
			s->hist[waiting[i % WAIT]]++;
		uint32_t d = reference(s, ids[i]);
		__builtin_prefetch(&s->hist[d], 1);
		waiting[i % WAIT] = d;
	}
	for (size_t i = 0; i < n && i < WAIT; i++)
		s->hist[waiting[i]]++;
}

#if defined(__x86_64__)
/* The same with the population count instruction, where the processor has it. */
__attribute__((target("popcnt"))) static void feed_popcnt(struct stackdist *s, const uint32_t *ids, size_t n)
{
	feed(s, ids, n);
}
#endif

void stackdist_feed(struct stackdist *s, const uint32_t *ids, size_t n, uint32_t n_ids)
{
	make_room(s, n_ids);
#if defined(__x86_64__)
	if (__builtin_cpu_supports("popcnt")) {
		feed_popcnt(s, ids, n);
		return;
	}
#endif
	feed(s, ids, n);
}

uint32_t stackdist_reference(struct stackdist *s, uint32_t id)
{
	make_room(s, id + 1);
	uint32_t d = reference(s, id);
	s->hist[d]++;
	return d;
}

void stackdist_forget(struct stackdist *s, uint32_t id)
{
	uint32_t at = id < s->n_ids ? s->where[id] : 0;
	if (at >= FIRST_POSITION) {
		clear_bit(s, at - FIRST_POSITION);
	} else if (at == IN_TOP) {
		uint32_t i = 0;
		while (s->top[i] != id)
			i++;
		memmove(s->top + i, s->top + i + 1, (s->n_top - i - 1) * sizeof *s->top);
		s->n_top--;
	}
	if (at)
		s->where[id] = 0;
}

const uint64_t *stackdist_histogram(const struct stackdist *s, uint32_t *max)
{
	*max = s->n_ids;
	return s->hist;
}

void stackdist_reset_counts(struct stackdist *s)
{
	memset(s->hist, 0, ((size_t)s->n_ids + 1) * sizeof *s->hist);
}

#ifdef RF_INVARIANTS
/* The counts of lines and groups are those of their bits, and each bit is known to its owner. */
static void check_bitmap(const struct stackdist *s)
{
	uint64_t in_line = 0, in_group = 0, live = 0;
	for (uint64_t at = 0; at < s->bits; at++) {
		if (s->bitmap[at >> 6] >> (at & 63) & 1) {
			INVARIANT(at < s->now && s->owner[at] < s->n_ids);
			INVARIANT(s->where[s->owner[at]] == at + FIRST_POSITION);
			in_line++;
		}
		if ((at + 1) % LINE_BITS == 0) {
			INVARIANT(s->line[at / LINE_BITS] == in_line);
			in_group += in_line;
			in_line = 0;
		}
		if ((at + 1) % GROUP_BITS == 0) {
			INVARIANT(s->group[at / GROUP_BITS] == in_group);
			live += in_group;
			in_group = 0;
		}
	}
	INVARIANT(live == s->live);
}

void stackdist_check(const struct stackdist *s)
{
	uint64_t in_top = 0, in_bitmap = 0;
	INVARIANT(s->n_top <= TOP && s->now <= s->bits);
	check_bitmap(s);
	for (uint32_t i = 0; i < s->n_top; i++)
		INVARIANT(s->top[i] < s->n_ids && s->where[s->top[i]] == IN_TOP);
	for (uint32_t id = 0; id < s->n_ids; id++) {
		in_top += s->where[id] == IN_TOP;
		in_bitmap += s->where[id] >= FIRST_POSITION;
	}
	/* as many ids as places: each id that was seen has one of its own */
	INVARIANT(in_top == s->n_top && in_bitmap == s->live);
}
#endif

void stackdist_free(struct stackdist *s)
{
	if (!s)
		return;
	bitmap_free(s);
	bigmem_free(s->where, s->n_ids * sizeof *s->where);
	bigmem_free(s->hist, ((size_t)s->n_ids + 1) * sizeof *s->hist);
	free(s);
}
