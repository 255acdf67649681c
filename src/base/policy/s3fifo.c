/* SPDX-License-Identifier: MIT */
/* S3-FIFO: a small FIFO (a tenth of the cache) for newcomers, a main FIFO, and the keys that left the small one
 * unused (as many as main has blocks). A count up to 3 per block. A block leaves the small FIFO for main if it was used
 * at least twice, else it goes; a block at main's end that was used goes round again with its count less one. */
#include "base/policy/segments.h"

enum { S3_SMALL, S3_MAIN };

struct s3fifo {
	uint32_t small, ghosts, pad[2];
	struct segments g; /* then cap bytes of counts, rounded, then the ghosts */
};

static inline uint8_t *s3fifo_count(struct s3fifo *st)
{
	return segments_end(st, sizeof *st, st->g.free.cap);
}

static inline struct ghosts *s3fifo_ghosts(struct s3fifo *st)
{
	return (struct ghosts *)(s3fifo_count(st) + round16(st->g.free.cap));
}

static uint32_t s3fifo_small(uint32_t cap)
{
	return cap / 10 ? cap / 10 : 1;
}

static uint32_t s3fifo_ghost_cap(uint32_t cap)
{
	return cap > s3fifo_small(cap) ? cap - s3fifo_small(cap) : 1;
}

static size_t s3fifo_state_size(uint32_t cap)
{
	return cap && cap <= POLICY_MAX_CAP ? round16(sizeof(struct s3fifo)) + segments_size(cap) + round16(cap) +
						      ghosts_size(s3fifo_ghost_cap(cap))
					    : 0;
}

static void s3fifo_init(void *state, uint32_t cap, uint64_t seed)
{
	struct s3fifo *st = state;
	(void)seed;
	st->small = s3fifo_small(cap);
	st->ghosts = s3fifo_ghost_cap(cap);
	segments_init(&st->g, cap);
	ghosts_init(s3fifo_ghosts(st), st->ghosts);
}

static inline void s3fifo_prefetch(struct s3fifo *st, uint32_t slot)
{
	__builtin_prefetch(&s3fifo_count(st)[slot], 1);
}

static inline void s3fifo_hit(struct s3fifo *st, uint32_t slot)
{
	uint8_t *count = &s3fifo_count(st)[slot];
	*count = *count < 3 ? *count + 1 : 3;
}

static inline uint32_t s3fifo_evict_main(struct s3fifo *st)
{
	uint8_t *count = s3fifo_count(st);
	for (;;) {
		uint32_t s = segments_last(&st->g, S3_MAIN);
		if (!count[s]) {
			segments_unlink(&st->g, s);
			return s;
		}
		count[s]--;
		segments_move(&st->g, S3_MAIN, s);
	}
}

static inline uint32_t s3fifo_reclaim(struct s3fifo *st)
{
	struct ghosts *out = s3fifo_ghosts(st);
	uint8_t *count = s3fifo_count(st);
	uint32_t s;
	if (segments_take(&st->g, &s))
		return s;
	if (st->g.n[S3_SMALL] < st->small && st->g.n[S3_MAIN])
		return s3fifo_evict_main(st);
	while (st->g.n[S3_SMALL]) {
		s = segments_last(&st->g, S3_SMALL);
		if (count[s] < 2) {
			segments_unlink(&st->g, s);
			if (out->list[0].n == st->ghosts)
				ghosts_remove(out, out->list[0].last);
			ghosts_push(out, 0, st->g.key[s]);
			return s;
		}
		count[s] = 0;
		segments_move(&st->g, S3_MAIN, s);
	}
	return s3fifo_evict_main(st);
}

static inline uint32_t s3fifo_admit(struct s3fifo *st, uint64_t key)
{
	uint32_t known = ghosts_find(s3fifo_ghosts(st), key);
	if (known)
		ghosts_remove(s3fifo_ghosts(st), known);
	uint32_t s = s3fifo_reclaim(st);
	st->g.key[s] = key;
	s3fifo_count(st)[s] = 0;
	segments_push(&st->g, known ? S3_MAIN : S3_SMALL, s);
	return s;
}

#ifdef RF_INVARIANTS
static void s3fifo_check(void *state, const bool *used)
{
	struct s3fifo *st = state;
	segments_check(&st->g, used);
	ghosts_check(s3fifo_ghosts(st), st->g.key, used, st->g.free.cap);
	INVARIANT(s3fifo_ghosts(st)->list[0].n <= st->ghosts && !s3fifo_ghosts(st)->list[1].n);
	for (uint32_t s = 0; s < st->g.free.used; s++)
		INVARIANT(s3fifo_count(st)[s] <= 3);
}
#endif

SEGMENTS_DROP(s3fifo)
POLICY(s3fifo, policy_s3fifo, "s3fifo", .summary = "S3-FIFO: small and main FIFO, ghosts", .flags = POLICY_GHOSTS);
