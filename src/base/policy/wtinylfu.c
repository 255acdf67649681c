/* SPDX-License-Identifier: MIT */
/* W-TinyLFU: a small LRU window (1 % of the cache) in front of an SLRU main part. What leaves the window enters main
 * only if it was asked for more often than main's next victim. How often is estimated by a sketch: four rows of
 * counters up to 15, all halved after ten times as many references as the cache has blocks. */
#include "base/policy/segments.h"

enum { TINY_WINDOW, TINY_PROBATION, TINY_PROTECTED };

struct tiny {
	uint32_t window, protect; /* most blocks in these */
	uint32_t counted, mask;
	uint64_t seed;
	uint64_t pad;
	struct segments g; /* then four rows of mask + 1 bytes */
};

static inline uint8_t *tiny_sketch(struct tiny *st)
{
	return segments_end(st, sizeof *st, st->g.free.cap);
}

static uint64_t tiny_row(uint32_t cap)
{
	return ceil_pow2(cap < 16 ? 16 : cap);
}

static size_t tiny_state_size(uint32_t cap)
{
	return cap && cap <= POLICY_MAX_CAP / 16 ? round16(sizeof(struct tiny)) + segments_size(cap) + 4 * tiny_row(cap)
						 : 0;
}

static void tiny_init(void *state, uint32_t cap, uint64_t seed)
{
	struct tiny *st = state;
	st->window = cap / 100 ? cap / 100 : 1;
	st->protect = (uint32_t)((uint64_t)(cap - st->window) * 4 / 5);
	st->counted = 0;
	st->mask = (uint32_t)tiny_row(cap) - 1;
	st->seed = seed;
	segments_init(&st->g, cap);
}

static inline uint8_t *tiny_counter(struct tiny *st, uint64_t hash, uint32_t row)
{
	return tiny_sketch(st) + row * ((size_t)st->mask + 1) + (mix64(hash + row) & st->mask);
}

static inline void tiny_count(struct tiny *st, uint64_t key)
{
	uint64_t hash = mix64(key ^ st->seed);
	for (uint32_t row = 0; row < 4; row++) {
		uint8_t *c = tiny_counter(st, hash, row);
		*c = *c < 15 ? *c + 1 : 15;
	}
	if (++st->counted < 10 * (uint64_t)st->g.free.cap)
		return;
	st->counted = 0;
	for (uint64_t i = 0; i < 4 * ((uint64_t)st->mask + 1); i++)
		tiny_sketch(st)[i] /= 2;
}

static inline unsigned tiny_estimate(struct tiny *st, uint64_t key)
{
	uint64_t hash = mix64(key ^ st->seed);
	unsigned least = 15;
	for (uint32_t row = 0; row < 4; row++) {
		unsigned c = *tiny_counter(st, hash, row);
		least = c < least ? c : least;
	}
	return least;
}

static inline void tiny_prefetch(struct tiny *st, uint32_t slot)
{
	__builtin_prefetch(&segments_link(&st->g)[slot], 1);
	__builtin_prefetch(&st->g.key[slot]);
}

static inline void tiny_hit(struct tiny *st, uint32_t slot)
{
	uint32_t where = segments_where(&st->g)[slot];
	tiny_count(st, st->g.key[slot]);
	segments_move(&st->g, where == TINY_PROBATION && st->protect ? TINY_PROTECTED : where, slot);
	if (st->g.n[TINY_PROTECTED] > st->protect)
		segments_move(&st->g, TINY_PROBATION, segments_last(&st->g, TINY_PROTECTED));
}

/* The window's last block against main's next victim: the loser's slot. */
static inline uint32_t tiny_contest(struct tiny *st)
{
	uint32_t candidate = segments_last(&st->g, TINY_WINDOW);
	if (!st->g.n[TINY_PROBATION] && !st->g.n[TINY_PROTECTED]) {
		segments_unlink(&st->g, candidate);
		return candidate;
	}
	uint32_t victim = segments_last(&st->g, st->g.n[TINY_PROBATION] ? TINY_PROBATION : TINY_PROTECTED);
	if (tiny_estimate(st, st->g.key[candidate]) <= tiny_estimate(st, st->g.key[victim])) {
		segments_unlink(&st->g, candidate);
		return candidate;
	}
	segments_unlink(&st->g, victim);
	segments_move(&st->g, TINY_PROBATION, candidate);
	return victim;
}

static inline uint32_t tiny_admit(struct tiny *st, uint64_t key)
{
	uint32_t s;
	tiny_count(st, key);
	if (!segments_take(&st->g, &s)) {
		/* after drops the window may be short: then main gives up a block */
		if (st->g.n[TINY_WINDOW] >= st->window) {
			s = tiny_contest(st);
		} else {
			s = segments_last(&st->g, st->g.n[TINY_PROBATION] ? TINY_PROBATION : TINY_PROTECTED);
			segments_unlink(&st->g, s);
		}
	} else if (st->g.n[TINY_WINDOW] >= st->window) {
		segments_move(&st->g, TINY_PROBATION, segments_last(&st->g, TINY_WINDOW));
	}
	st->g.key[s] = key;
	segments_push(&st->g, TINY_WINDOW, s);
	return s;
}

#ifdef RF_INVARIANTS
static void tiny_check(void *state, const bool *used)
{
	struct tiny *st = state;
	segments_check(&st->g, used);
	INVARIANT(st->g.n[TINY_WINDOW] <= st->window && st->g.n[TINY_PROTECTED] <= st->protect);
	INVARIANT(st->counted < 10 * (uint64_t)st->g.free.cap);
	for (uint64_t i = 0; i < 4 * ((uint64_t)st->mask + 1); i++)
		INVARIANT(tiny_sketch(st)[i] <= 15);
}
#endif

SEGMENTS_DROP(tiny)
POLICY(tiny, policy_wtinylfu, "wtinylfu", .summary = "W-TinyLFU: LRU window, admission by frequency",
       .flags = POLICY_GHOSTS);
