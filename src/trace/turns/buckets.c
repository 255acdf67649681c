/* SPDX-License-Identifier: MIT */
/* GDSF and LRFU by rank (turns.h). The order of blocks is that of base/policy/parts/rank.h; here they are in buckets,
 * each of which has a range of ranks, and only the bucket whose turn it is, the first that is not empty, is put in
 * order: it is the heap.
 *
 * Ranks only rise, so a use just notes itself beside the block, which may stand in a bucket that is too low. When that
 * bucket's turn comes the block goes where it belongs. For the same reason the buckets may be few: what belongs beyond
 * the last waits in the last.
 *
 * GDSF: blocks of equal size have ranks that are whole multiples of what a use adds, so a rank is a number and has a
 * bucket of its own; the heap is by last use. No block comes below the rank of the last that went.
 * LRFU: the rank of a block is m · 2^e, a bucket has one e and the same first bits of m. A new block may rank below
 * the bucket whose turn it is, and is put into the heap then. */
#include "base/policy/parts/lrfu.h"
#include "data/bigmem.h"
#include "data/mem.h"
#include "trace/turns/inside.h"

#include <stdlib.h>

/* Of a block; all zero while it is not in the cache. */
struct ranked {
	union {
		double sum; /* LRFU: of its uses, at the last one */
		struct {
			uint32_t rank, count;
		}; /* GDSF */
		uint64_t any;
	};
	uint32_t when;  /* last use */
	uint32_t after; /* the block after it in its bucket, plus 1 */
};

struct entry {
	uint64_t rank; /* within the heap */
	uint32_t when, id;
};

struct buckets {
	struct turns turn;
	uint64_t limit, n;  /* blocks: at most, in the cache */
	uint32_t now, last; /* references so far; GDSF: rank of the block evicted last */
	struct ranked *block;
	uint32_t *first; /* per bucket: its first block, plus 1 */
	uint64_t room;   /* buckets, a power of two */
	uint64_t at;     /* number of the bucket whose turn it is; number b is first[b & (room − 1)] */
	unsigned bits;   /* LRFU: of m in a bucket's number */
	int64_t base;    /* LRFU: e of ranks in the heap are above it, by less than 2^11 */
	struct entry *heap;
	uint64_t n_heap, heap_room;
	double powers[LRFU_PERIOD];
};

enum { GDSF_BUCKETS = 1 << 12, LRFU_LEAST = 1 << 6, LRFU_MOST = 1 << 20, HALF = 1 << 10 };

/* ---- ranks */

/* The block's bucket, and its rank in the heap if that is the one whose turn it is or below. */
INLINE uint64_t bucket_of(const struct buckets *s, const struct ranked *x, uint64_t *rank, bool lrfu)
{
	*rank = 0;
	if (!lrfu)
		return x->rank;
	struct rank_key key = lrfu_rank(s->powers, x->sum, x->when);
	union lrfu_double m = {key.m};
	uint64_t fraction = m.bits & ((UINT64_C(1) << LRFU_FRACTION) - 1);
	*rank = (uint64_t)(key.e - s->base) << LRFU_FRACTION | fraction;
	return (uint64_t)key.e << s->bits | fraction >> (LRFU_FRACTION - s->bits);
}

INLINE bool before(const struct entry *a, const struct entry *b)
{
	return a->rank != b->rank ? a->rank < b->rank : a->when < b->when;
}

/* ---- the heap */

INLINE void sink(struct buckets *s, uint64_t i, struct entry x)
{
	struct entry *h = s->heap;
	uint64_t n = s->n_heap;
	for (uint64_t k; (k = 2 * i + 1) < n; i = k) {
		k += k + 1 < n && before(&h[k + 1], &h[k]);
		if (!before(&h[k], &x))
			break;
		h[i] = h[k];
	}
	h[i] = x;
}

INLINE struct entry *heap_more(struct buckets *s)
{
	if (UNLIKELY(s->n_heap == s->heap_room)) {
		uint64_t room = s->heap_room ? 2 * s->heap_room : 64;
		s->heap = bigmem_grow(s->heap, s->heap_room * sizeof *s->heap, room * sizeof *s->heap);
		s->heap_room = room;
	}
	return &s->heap[s->n_heap++];
}

static void heap_add(struct buckets *s, struct entry x)
{
	uint64_t i = (uint64_t)(heap_more(s) - s->heap);
	for (; i && before(&x, &s->heap[(i - 1) / 2]); i = (i - 1) / 2)
		s->heap[i] = s->heap[(i - 1) / 2];
	s->heap[i] = x;
}

INLINE void heap_drop(struct buckets *s)
{
	if (--s->n_heap)
		sink(s, 0, s->heap[s->n_heap]);
}

/* ---- buckets */

INLINE void into_bucket(struct buckets *s, uint32_t id, uint64_t bucket)
{
	uint64_t last = s->at + s->room - 1;
	uint32_t *first = &s->first[(bucket < last ? bucket : last) & (s->room - 1)];
	s->block[id].after = *first;
	*first = id + 1;
}

/* The heap is empty, some bucket is not: it becomes the heap. */
INLINE void next_bucket(struct buckets *s, bool lrfu)
{
	uint64_t mask = s->room - 1;
	while (!s->n_heap) {
		while (!s->first[s->at & mask])
			s->at++;
		uint32_t id = s->first[s->at & mask];
		s->first[s->at & mask] = 0;
		s->base = (int64_t)(s->at >> s->bits) - HALF;
		while (id) {
			struct ranked *x = &s->block[--id];
			uint32_t after = x->after;
			uint64_t rank, bucket = bucket_of(s, x, &rank, lrfu);
			if (after)
				__builtin_prefetch(&s->block[after - 1]);
			if (bucket > s->at)
				into_bucket(s, id, bucket);
			else
				*heap_more(s) = (struct entry){rank, x->when, id};
			id = after;
		}
	}
	for (uint64_t i = s->n_heap / 2; i-- > 0;)
		sink(s, i, s->heap[i]);
}

/* Takes the block of the lowest rank out. */
INLINE void evict(struct buckets *s, bool lrfu)
{
	for (;;) {
		if (!s->n_heap)
			next_bucket(s, lrfu);
		const struct entry *top = s->heap;
		uint32_t id = top->id;
		struct ranked *x = &s->block[id];
		if (top->when == x->when) {
			s->last = lrfu ? 0 : x->rank;
			x->any = 0;
			heap_drop(s);
			return;
		}
		uint64_t rank, bucket = bucket_of(s, x, &rank, lrfu);
		if (bucket > s->at) {
			heap_drop(s);
			into_bucket(s, id, bucket);
		} else {
			sink(s, 0, (struct entry){rank, x->when, id});
		}
	}
}

/* ---- references */

INLINE void use(struct buckets *s, struct ranked *x, bool lrfu)
{
	if (lrfu)
		x->sum = 1 + x->sum * lrfu_decay(s->powers, s->now - x->when);
	else
		x->rank = s->last + ++x->count;
	x->when = s->now;
}

INLINE void feed(struct buckets *s, const struct policy_refs *r, bool lrfu)
{
	for (size_t i = 0; i < r->n; i++) {
		if (LIKELY(i + TURNS_FAR < r->n))
			__builtin_prefetch(&s->block[r->id[i + TURNS_FAR]], 1);
		uint32_t id = r->id[i];
		struct ranked *x = &s->block[id];
		s->now++;
		if (LIKELY(x->any)) {
			use(s, x, lrfu);
			continue;
		}
		turns_missed(&s->turn, 0, r, i);
		if (s->n == s->limit)
			evict(s, lrfu);
		else
			s->n++;
		use(s, x, lrfu);
		uint64_t rank, bucket = bucket_of(s, x, &rank, lrfu);
		if (bucket > s->at)
			into_bucket(s, id, bucket);
		else
			heap_add(s, (struct entry){rank, x->when, id});
	}
}

static void gdsf_run(struct turns *s, const struct policy_refs *r)
{
	feed((struct buckets *)s, r, false);
}

static void lrfu_run(struct turns *s, const struct policy_refs *r)
{
	feed((struct buckets *)s, r, true);
}

static unsigned one(const uint64_t *size, size_t n)
{
	(void)size, (void)n;
	return 1;
}

static struct buckets *make(const struct turns_trace *t, uint64_t limit, uint64_t room)
{
	struct buckets *s = mem_zalloc(sizeof *s);
	s->limit = limit;
	s->block = bigmem_alloc(mem_mul(t->distinct, sizeof *s->block));
	s->room = room;
	s->first = bigmem_alloc(room * sizeof *s->first);
	return s;
}

static struct turns *gdsf_make(const struct turns_trace *t, const uint64_t *size, unsigned n, uint64_t seed)
{
	(void)n, (void)seed;
	return &make(t, *size, GDSF_BUCKETS)->turn;
}

/* As many buckets as blocks. A cache holds blocks of some multiple of its size in references; each 1024 of them have an
 * e of their own, and the buckets are shared out among these. */
static struct turns *lrfu_make(const struct turns_trace *t, const uint64_t *size, unsigned n, uint64_t seed)
{
	(void)n, (void)seed;
	uint64_t limit = *size;
	uint64_t room = ceil_pow2(limit < LRFU_LEAST ? LRFU_LEAST : limit < LRFU_MOST ? limit : LRFU_MOST);
	uint64_t powers = 4 * (limit >> LRFU_BITS) + 16;
	struct buckets *s = make(t, limit, room);
	for (s->bits = 0; room >> (s->bits + 1) >= powers; s->bits++)
		;
	s->base = -HALF;
	lrfu_make_powers(s->powers);
	return &s->turn;
}

static void release(struct turns *t)
{
	struct buckets *s = (struct buckets *)t;
	bigmem_free(s->block, t->trace.distinct * sizeof *s->block);
	bigmem_free(s->first, s->room * sizeof *s->first);
	bigmem_free(s->heap, s->heap_room * sizeof *s->heap);
	free(s);
}

const struct turns_kind turns_gdsf = {"gdsf", 1 << 12, false, one, gdsf_make, gdsf_run, release};
const struct turns_kind turns_lrfu = {"lrfu", 1 << 13, false, one, lrfu_make, lrfu_run, release};
