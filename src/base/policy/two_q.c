/* SPDX-License-Identifier: MIT */
/* 2Q (Johnson, Shasha): new blocks enter a FIFO (a1in, a quarter of the cache); those that leave it are remembered by
 * key only (a1out, half the cache); a key asked for again while remembered enters the LRU list (am). */
#include "base/policy/segments.h"

enum { TWOQ_IN, TWOQ_MAIN };

struct twoq {
	uint32_t kin, kout, pad[2];
	struct segments g; /* then the ghosts */
};

static inline struct ghosts *twoq_out(struct twoq *st)
{
	return (struct ghosts *)segments_end(st, sizeof *st, st->g.free.cap);
}

static uint32_t twoq_kout(uint32_t cap)
{
	return cap / 2 ? cap / 2 : 1;
}

static size_t twoq_state_size(uint32_t cap)
{
	return cap && cap <= POLICY_MAX_CAP
		       ? round16(sizeof(struct twoq)) + segments_size(cap) + ghosts_size(twoq_kout(cap))
		       : 0;
}

static void twoq_init(void *state, uint32_t cap, uint64_t seed)
{
	struct twoq *st = state;
	(void)seed;
	st->kin = cap / 4 ? cap / 4 : 1;
	st->kout = twoq_kout(cap);
	segments_init(&st->g, cap);
	ghosts_init(twoq_out(st), st->kout);
}

static inline void twoq_prefetch(struct twoq *st, uint32_t slot)
{
	__builtin_prefetch(&segments_where(&st->g)[slot]);
	__builtin_prefetch(&segments_link(&st->g)[slot], 1);
}

static inline void twoq_hit(struct twoq *st, uint32_t slot)
{
	if (segments_where(&st->g)[slot] == TWOQ_MAIN)
		segments_move(&st->g, TWOQ_MAIN, slot);
}

/* A free slot, after an eviction if needed. */
static inline uint32_t twoq_reclaim(struct twoq *st)
{
	struct ghosts *out = twoq_out(st);
	uint32_t s;
	if (segments_take(&st->g, &s))
		return s;
	if (st->g.n[TWOQ_IN] > st->kin || !st->g.n[TWOQ_MAIN]) {
		s = segments_last(&st->g, TWOQ_IN);
		if (out->list[0].n == st->kout)
			ghosts_remove(out, out->list[0].last);
		ghosts_push(out, 0, st->g.key[s]);
	} else {
		s = segments_last(&st->g, TWOQ_MAIN);
	}
	segments_unlink(&st->g, s);
	return s;
}

static inline uint32_t twoq_admit(struct twoq *st, uint64_t key)
{
	uint32_t known = ghosts_find(twoq_out(st), key);
	if (known)
		ghosts_remove(twoq_out(st), known);
	uint32_t s = twoq_reclaim(st);
	st->g.key[s] = key;
	segments_push(&st->g, known ? TWOQ_MAIN : TWOQ_IN, s);
	return s;
}

#ifdef RF_INVARIANTS
static void twoq_check(void *state, const bool *used)
{
	struct twoq *st = state;
	segments_check(&st->g, used);
	ghosts_check(twoq_out(st), st->g.key, used, st->g.free.cap);
	INVARIANT(twoq_out(st)->list[0].n <= st->kout && !twoq_out(st)->list[1].n);
}
#endif

SEGMENTS_DROP(twoq)
POLICY(twoq, policy_2q, "2q", .summary = "2Q: FIFO for new blocks, LRU for those that return", .flags = POLICY_GHOSTS);
