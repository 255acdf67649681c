/* SPDX-License-Identifier: MIT */
/* ARC (Megiddo, Modha): t1 holds blocks used once lately, t2 those used again; b1 and b2 remember keys evicted from
 * each. A hit in b1 enlarges t1's share p, a hit in b2 shrinks it. Whole numbers: the step is at least 1, else the
 * quotient of the ghosts' counts, rounded down. */
#include "base/policy/segments.h"

enum { ARC_ONCE, ARC_AGAIN };

struct arc {
	uint32_t p, pad[3];
	struct segments g; /* then the ghosts: list 0 is b1, list 1 is b2 */
};

static inline struct ghosts *arc_ghosts(struct arc *st)
{
	return (struct ghosts *)segments_end(st, sizeof *st, st->g.free.cap);
}

static size_t arc_state_size(uint32_t cap)
{
	return cap && cap <= POLICY_MAX_CAP / 2
		       ? round16(sizeof(struct arc)) + segments_size(cap) + ghosts_size(2 * cap)
		       : 0;
}

static void arc_init(void *state, uint32_t cap, uint64_t seed)
{
	struct arc *st = state;
	(void)seed;
	st->p = 0;
	segments_init(&st->g, cap);
	ghosts_init(arc_ghosts(st), 2 * cap);
}

static inline void arc_prefetch(struct arc *st, uint32_t slot)
{
	__builtin_prefetch(&segments_link(&st->g)[slot], 1);
}

static inline void arc_hit(struct arc *st, uint32_t slot)
{
	segments_move(&st->g, ARC_AGAIN, slot);
}

static inline uint32_t arc_step(uint32_t other, uint32_t mine)
{
	uint32_t q = other / mine;
	return q ? q : 1;
}

/* A free slot; from t1 or t2, whose key is then remembered, when the cache is full. */
static inline uint32_t arc_replace(struct arc *st, bool was_in_b2)
{
	uint32_t s, once = st->g.n[ARC_ONCE];
	if (segments_take(&st->g, &s))
		return s;
	bool from_once = once && ((was_in_b2 && once == st->p) || once > st->p || !st->g.n[ARC_AGAIN]);
	s = segments_last(&st->g, from_once ? ARC_ONCE : ARC_AGAIN);
	segments_unlink(&st->g, s);
	ghosts_push(arc_ghosts(st), from_once ? 0 : 1, st->g.key[s]);
	return s;
}

static inline uint32_t arc_admit_known(struct arc *st, uint32_t known)
{
	struct ghosts *b = arc_ghosts(st);
	uint32_t b1 = b->list[0].n, b2 = b->list[1].n, c = st->g.free.cap;
	bool in_b2 = b->node[known].list == 1;
	if (in_b2) {
		uint32_t step = arc_step(b1, b2);
		st->p = st->p > step ? st->p - step : 0;
	} else {
		uint32_t step = arc_step(b2, b1);
		st->p = c - st->p > step ? st->p + step : c;
	}
	ghosts_remove(b, known);
	uint32_t s = arc_replace(st, in_b2);
	segments_push(&st->g, ARC_AGAIN, s);
	return s;
}

static inline uint32_t arc_admit_new(struct arc *st)
{
	struct ghosts *b = arc_ghosts(st);
	uint32_t c = st->g.free.cap, l1 = st->g.n[ARC_ONCE] + b->list[0].n, l2 = st->g.n[ARC_AGAIN] + b->list[1].n, s;
	if (l1 == c && st->g.n[ARC_ONCE] == c) {
		s = segments_last(&st->g, ARC_ONCE);
		segments_unlink(&st->g, s);
	} else {
		if (l1 == c)
			ghosts_remove(b, b->list[0].last);
		else if (l1 + l2 == 2 * c && b->list[1].n)
			ghosts_remove(b, b->list[1].last);
		s = arc_replace(st, false);
	}
	segments_push(&st->g, ARC_ONCE, s);
	return s;
}

static inline uint32_t arc_admit(struct arc *st, uint64_t key)
{
	uint32_t known = ghosts_find(arc_ghosts(st), key), s = known ? arc_admit_known(st, known) : arc_admit_new(st);
	st->g.key[s] = key;
	return s;
}

#ifdef RF_INVARIANTS
static void arc_check(void *state, const bool *used)
{
	struct arc *st = state;
	struct ghosts *b = arc_ghosts(st);
	uint32_t c = st->g.free.cap, l1 = st->g.n[ARC_ONCE] + b->list[0].n, l2 = st->g.n[ARC_AGAIN] + b->list[1].n;
	segments_check(&st->g, used);
	ghosts_check(b, st->g.key, used, c);
	INVARIANT(st->p <= c && l1 <= c && l1 + l2 <= 2 * c);
}
#endif

SEGMENTS_DROP(arc)
POLICY(arc, policy_arc, "arc", .summary = "ARC: adapts to recency and frequency", .flags = POLICY_GHOSTS);
