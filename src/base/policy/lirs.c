/* SPDX-License-Identifier: MIT */
/* LIRS (Jiang, Zhang): blocks of low inter-reference recency (LIR) fill all but 1 % of the cache (at least one
 * block); the others (HIR) pass through a short queue q. The stack s holds, by recency, LIR blocks, HIR blocks, and
 * HIR blocks that were evicted (at most as many as the cache has slots; the one evicted first is forgotten). A HIR
 * block that is asked for while still in s becomes LIR, and the LIR block at the bottom of s becomes HIR. s always
 * ends with a LIR block.
 *
 * Nodes 0 … cap−1 are slots, cap … 2cap−1 are evicted blocks; a node has a link in s, a slot one in q. */
#include "base/policy/segments.h"

enum { LIRS_LIR = 1, LIRS_IN_STACK = 2 };

struct lirs {
	uint32_t cap, max_lir, n_lir, n_q;
	struct slot_supply free; /* slots: chained through q */
	uint32_t pad;
	uint64_t key[]; /* of cap slots, then the parts below */
};

/* s: 2 cap nodes and a head; q: cap slots and a head; then flags of slots; then the map of evicted keys */
static inline struct slot_link *lirs_s(struct lirs *st)
{
	return (struct slot_link *)(st->key + st->cap);
}

static inline struct slot_link *lirs_q(struct lirs *st)
{
	return lirs_s(st) + 2 * (size_t)st->cap + 1;
}

static inline uint8_t *lirs_flags(struct lirs *st)
{
	return (uint8_t *)(lirs_q(st) + (size_t)st->cap + 1);
}

static inline size_t lirs_fixed(uint32_t cap)
{
	size_t n = cap;
	return round16(sizeof(struct lirs) + n * sizeof(uint64_t) + (3 * n + 2) * sizeof(struct slot_link) + n);
}

/* Evicted keys in the order of their eviction; the ghost's number is also that of its node: cap + number − 1. */
static inline struct ghosts *lirs_gone(struct lirs *st)
{
	return (struct ghosts *)((char *)st + lirs_fixed(st->cap));
}

static size_t lirs_state_size(uint32_t cap)
{
	return cap && cap <= POLICY_MAX_CAP / 2 ? lirs_fixed(cap) + ghosts_size(cap) : 0;
}

static void lirs_init(void *state, uint32_t cap, uint64_t seed)
{
	struct lirs *st = state;
	(void)seed;
	st->cap = cap;
	st->max_lir = cap - (cap / 100 ? cap / 100 : 1);
	st->free = (struct slot_supply){.cap = cap};
	slot_list_init(lirs_s(st), 2 * cap);
	slot_list_init(lirs_q(st), cap);
	ghosts_init(lirs_gone(st), cap);
}

static inline void lirs_prefetch(struct lirs *st, uint32_t slot)
{
	__builtin_prefetch(&lirs_s(st)[slot], 1);
	__builtin_prefetch(&lirs_flags(st)[slot], 1);
}

static inline void lirs_to_top(struct lirs *st, uint32_t slot)
{
	if (lirs_flags(st)[slot] & LIRS_IN_STACK)
		slot_unlink(lirs_s(st), slot);
	slot_insert(lirs_s(st), 2 * st->cap, slot);
	lirs_flags(st)[slot] |= LIRS_IN_STACK;
}

static inline void lirs_forget(struct lirs *st, uint32_t ghost)
{
	slot_unlink(lirs_s(st), st->cap + ghost - 1);
	ghosts_remove(lirs_gone(st), ghost);
}

/* Until a LIR block is at the bottom of s. */
static inline void lirs_prune(struct lirs *st)
{
	uint32_t head = 2 * st->cap;
	for (uint32_t x; (x = lirs_s(st)[head].prev) != head;) {
		if (x >= st->cap) {
			lirs_forget(st, x - st->cap + 1);
		} else if (lirs_flags(st)[x] & LIRS_LIR) {
			return;
		} else {
			slot_unlink(lirs_s(st), x);
			lirs_flags(st)[x] &= (uint8_t)~LIRS_IN_STACK;
		}
	}
}

/* To q's end. Its first is at q[cap].next. */
static inline void lirs_queue(struct lirs *st, uint32_t slot)
{
	slot_insert(lirs_q(st), lirs_q(st)[st->cap].prev, slot);
	st->n_q++;
}

static inline void lirs_unqueue(struct lirs *st, uint32_t slot)
{
	slot_unlink(lirs_q(st), slot);
	st->n_q--;
}

/* The bottom LIR block becomes HIR; s must have one. */
static inline void lirs_demote(struct lirs *st)
{
	uint32_t x = lirs_s(st)[2 * st->cap].prev;
	slot_unlink(lirs_s(st), x);
	lirs_flags(st)[x] = 0;
	st->n_lir--;
	lirs_queue(st, x);
	lirs_prune(st);
}

static inline void lirs_promote(struct lirs *st, uint32_t slot)
{
	lirs_flags(st)[slot] |= LIRS_LIR;
	st->n_lir++;
	if (st->n_lir > st->max_lir)
		lirs_demote(st);
}

static inline void lirs_hit(struct lirs *st, uint32_t slot)
{
	uint8_t was = lirs_flags(st)[slot];
	lirs_to_top(st, slot);
	if (was & LIRS_LIR) {
		lirs_prune(st);
	} else if (was & LIRS_IN_STACK && st->max_lir) {
		lirs_unqueue(st, slot);
		lirs_promote(st, slot);
	} else {
		lirs_unqueue(st, slot);
		lirs_queue(st, slot);
		lirs_prune(st);
	}
}

/* The first of q goes; its place in s is kept for its key. */
static inline uint32_t lirs_reclaim(struct lirs *st)
{
	struct ghosts *gone = lirs_gone(st);
	uint32_t s;
	if (!st->n_q)
		lirs_demote(st);
	s = lirs_q(st)[st->cap].next;
	lirs_unqueue(st, s);
	if (!(lirs_flags(st)[s] & LIRS_IN_STACK))
		return s;
	if (gone->list[0].n == st->cap)
		lirs_forget(st, gone->list[0].last);
	ghosts_push(gone, 0, st->key[s]);
	uint32_t node = st->cap + gone->list[0].first - 1;
	slot_insert(lirs_s(st), s, node);
	slot_unlink(lirs_s(st), s);
	return s;
}

static inline uint32_t lirs_admit(struct lirs *st, uint64_t key)
{
	uint32_t s;
	if (!slot_take(&st->free, lirs_q(st), &s))
		s = lirs_reclaim(st);
	/* looked up after the eviction, which may have forgotten it */
	uint32_t known = ghosts_find(lirs_gone(st), key);
	if (known)
		lirs_forget(st, known);
	st->key[s] = key;
	lirs_flags(st)[s] = 0;
	lirs_to_top(st, s);
	if (st->max_lir && (known || st->n_lir < st->max_lir)) {
		lirs_promote(st, s);
	} else {
		lirs_queue(st, s);
		lirs_prune(st);
	}
	return s;
}

static inline void lirs_drop(struct lirs *st, uint32_t slot)
{
	uint8_t was = lirs_flags(st)[slot];
	if (was & LIRS_LIR)
		st->n_lir--;
	else
		lirs_unqueue(st, slot);
	if (was & LIRS_IN_STACK)
		slot_unlink(lirs_s(st), slot);
	lirs_flags(st)[slot] = 0;
	slot_give_back(&st->free, lirs_q(st), slot);
	lirs_prune(st);
}

#ifdef RF_INVARIANTS
/* The stack holds the slots flagged so and the evicted blocks, and ends with a LIR block. */
static void lirs_check_stack(struct lirs *st, uint32_t flagged)
{
	const struct slot_link *l = lirs_s(st);
	struct ghosts *gone = lirs_gone(st);
	uint32_t head = 2 * st->cap, slots = 0, evicted = 0, bottom = l[head].prev;
	for (uint32_t x = head, next; (next = l[x].next) != head; x = next) {
		INVARIANT(next < head && l[next].prev == x);
		if (next < st->cap) {
			INVARIANT(lirs_flags(st)[next] & LIRS_IN_STACK);
			slots++;
		} else {
			uint32_t ghost = next - st->cap + 1;
			INVARIANT(ghosts_find(gone, gone->node[ghost].key) == ghost);
			evicted++;
		}
	}
	INVARIANT(slots == flagged && evicted == gone->list[0].n && !gone->list[1].n);
	INVARIANT(bottom == head || (bottom < st->cap && lirs_flags(st)[bottom] & LIRS_LIR));
}

static void lirs_check(void *state, const bool *used)
{
	struct lirs *st = state;
	uint32_t lir = 0, in_stack = 0, in_use = slot_supply_check(&st->free, lirs_q(st), used);
	for (uint32_t s = 0; s < st->cap; s++) {
		uint8_t flags = lirs_flags(st)[s];
		INVARIANT(used[s] || !flags);
		INVARIANT(!(flags & LIRS_LIR) || flags & LIRS_IN_STACK);
		lir += (flags & LIRS_LIR) != 0;
		in_stack += (flags & LIRS_IN_STACK) != 0;
	}
	INVARIANT(lir == st->n_lir && lir <= st->max_lir);
	/* the other slots in use wait in q */
	INVARIANT(slot_list_check(lirs_q(st), st->cap, st->cap, used) == st->n_q && st->n_q + lir == in_use);
	for (uint32_t s = lirs_q(st)[st->cap].next; s != st->cap; s = lirs_q(st)[s].next)
		INVARIANT(!(lirs_flags(st)[s] & LIRS_LIR));
	ghosts_check(lirs_gone(st), st->key, used, st->cap);
	lirs_check_stack(st, in_stack);
}
#endif

POLICY(lirs, policy_lirs, "lirs", .summary = "LIRS: keeps blocks of low inter-reference recency",
       .flags = POLICY_GHOSTS);
