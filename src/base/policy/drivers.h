/* SPDX-License-Identifier: MIT */
/* What every policy is made with: lists of slots, the supply of free slots, and the drivers.
 *
 * A policy NAME has a struct NAME and the inline functions
 *	void NAME_hit(struct NAME *, uint32_t slot)       a reference to a block that is there
 *	uint32_t NAME_admit(struct NAME *, uint64_t key)  a miss: the slot to use, or POLICY_BYPASS
 *	void NAME_drop(struct NAME *, uint32_t slot)      the caller emptied it
 *	void NAME_prefetch(struct NAME *, uint32_t slot)  a hit on slot will come soon
 * and, where invariants are on, the walker NAME_check of its row.
 * POLICY_DRIVERS(NAME) turns them into the functions of its row; the simulator's loop has them inlined. References
 * are known ahead there, so the index is fetched PREFETCH_FAR references early and the slot's own data NEAR early. */
#ifndef BASE_POLICY_DRIVERS_H
#define BASE_POLICY_DRIVERS_H

#include "base/invariant.h"
#include "base/policy.h"

enum { POLICY_PREFETCH_FAR = 24, POLICY_PREFETCH_NEAR = 10 };

/* Circular lists over slots; number cap and above are the heads. */
struct slot_link {
	uint32_t prev, next;
};

static inline void slot_list_init(struct slot_link *l, uint32_t head)
{
	l[head] = (struct slot_link){head, head};
}

static inline void slot_unlink(struct slot_link *l, uint32_t s)
{
	uint32_t p = l[s].prev, n = l[s].next;
	l[p].next = n;
	l[n].prev = p;
}

/* Puts s right after `at`: slot_insert(l, head, s) makes it the list's first. */
static inline void slot_insert(struct slot_link *l, uint32_t at, uint32_t s)
{
	uint32_t n = l[at].next;
	l[s] = (struct slot_link){at, n};
	l[n].prev = s;
	l[at].next = s;
}

/* Free slots: first those never used, then those given back (chained through link[].next). */
struct slot_supply {
	uint32_t cap, used, freed; /* freed: number + 1 of the last given back */
};

static inline bool slot_take(struct slot_supply *f, const struct slot_link *l, uint32_t *s)
{
	if (f->freed) {
		*s = f->freed - 1;
		f->freed = l[*s].next;
		return true;
	}
	if (f->used == f->cap)
		return false;
	*s = f->used++;
	return true;
}

static inline void slot_give_back(struct slot_supply *f, struct slot_link *l, uint32_t s)
{
	l[s].next = f->freed;
	f->freed = s + 1;
}

/* For policies with one list of all slots, whose last one goes: a free slot or the last one, put first. */
static inline uint32_t slot_admit(struct slot_supply *f, struct slot_link *l)
{
	uint32_t s;
	if (!slot_take(f, l, &s)) {
		s = l[f->cap].prev;
		slot_unlink(l, s);
	}
	slot_insert(l, f->cap, s);
	return s;
}

#ifdef RF_INVARIANTS
/* The length of a list of slots below cap, all in use. A list that is linked both ways all along comes back to its head
 * and shares no slot with another list. */
static inline uint32_t slot_list_check(const struct slot_link *l, uint32_t head, uint32_t cap, const bool *used)
{
	uint32_t n = 0;
	for (uint32_t s = head, next;; s = next, n++) {
		next = l[s].next;
		INVARIANT(next < cap ? used[next] : next == head);
		INVARIANT(l[next].prev == s);
		if (next == head)
			return n;
	}
}

/* Slots in use; all others were never taken or can be taken again. */
static inline uint32_t slot_supply_check(const struct slot_supply *f, const struct slot_link *l, const bool *used)
{
	uint32_t given_back = 0, n = 0;
	INVARIANT(f->used <= f->cap);
	for (uint32_t s = f->freed; s; s = l[s - 1].next, given_back++)
		INVARIANT(s <= f->used && !used[s - 1] && given_back < f->used);
	for (uint32_t s = 0; s < f->cap; s++) {
		INVARIANT(!used[s] || s < f->used);
		n += used[s];
	}
	INVARIANT(given_back + n == f->used);
	return n;
}

/* For policies with one list of all slots. */
static inline void slot_queue_check(const struct slot_supply *f, const struct slot_link *l, const bool *used)
{
	INVARIANT(slot_list_check(l, f->cap, f->cap, used) == slot_supply_check(f, l, used));
}

#define POLICY_CHECK(NAME) NAME##_check
#else
#define POLICY_CHECK(NAME) NULL
#endif

/* The index after a miss: the id that was in the slot is no longer anywhere. */
static inline void policy_place(struct policy_index *ix, uint32_t id, uint32_t slot)
{
	uint32_t old = ix->id_in[slot];
	if (old)
		ix->slot_of[old - 1] = 0;
	ix->id_in[slot] = id + 1;
	ix->slot_of[id] = slot + 1;
}

#define POLICY_RUN(NAME)                                                                                               \
	static inline __attribute__((always_inline)) void NAME##_loop(struct NAME *st, struct policy_index *ix,        \
								      const struct policy_refs *r, bool ahead)         \
	{                                                                                                              \
		uint32_t *slot_of = ix->slot_of;                                                                       \
		const uint32_t *ids = r->id;                                                                           \
		size_t n = r->n;                                                                                       \
		uint64_t misses = 0, bytes = 0;                                                                        \
		for (size_t i = 0; i < n; i++) {                                                                       \
			if (ahead && LIKELY(i + POLICY_PREFETCH_FAR < n)) {                                            \
				__builtin_prefetch(&slot_of[ids[i + POLICY_PREFETCH_FAR]], 1);                         \
				uint32_t near = slot_of[ids[i + POLICY_PREFETCH_NEAR]];                                \
				if (near)                                                                              \
					NAME##_prefetch(st, near - 1);                                                 \
			}                                                                                              \
			uint32_t id = ids[i], s = slot_of[id];                                                         \
			if (LIKELY(s != 0)) {                                                                          \
				NAME##_hit(st, s - 1);                                                                 \
				continue;                                                                              \
			}                                                                                              \
			misses++;                                                                                      \
			if (r->size)                                                                                   \
				bytes += r->size[i];                                                                   \
			uint32_t slot = NAME##_admit(st, id);                                                          \
			if (slot != POLICY_BYPASS)                                                                     \
				policy_place(ix, id, slot);                                                            \
		}                                                                                                      \
		ix->misses += misses;                                                                                  \
		ix->miss_bytes += bytes;                                                                               \
	}                                                                                                              \
	static void NAME##_run(void *state, struct policy_index *ix, const struct policy_refs *r)                      \
	{                                                                                                              \
		if (ix->near)                                                                                          \
			NAME##_loop(state, ix, r, false);                                                              \
		else                                                                                                   \
			NAME##_loop(state, ix, r, true);                                                               \
	}

#define POLICY_RUNTIME(NAME)                                                                                           \
	static void NAME##_hit_row(void *state, uint32_t slot)                                                         \
	{                                                                                                              \
		NAME##_hit(state, slot);                                                                               \
	}                                                                                                              \
	static uint32_t NAME##_admit_row(void *state, uint64_t key)                                                    \
	{                                                                                                              \
		return NAME##_admit(state, key);                                                                       \
	}                                                                                                              \
	static void NAME##_drop_row(void *state, uint32_t slot)                                                        \
	{                                                                                                              \
		NAME##_drop(state, slot);                                                                              \
	}

#define POLICY_DRIVERS(NAME)                                                                                           \
	POLICY_RUN(NAME)                                                                                               \
	POLICY_RUNTIME(NAME)

#define POLICY_ROW(NAME, TITLE)                                                                                        \
	.name = TITLE, .state_size = NAME##_state_size, .init = NAME##_init, .hit = NAME##_hit_row,                    \
	.admit = NAME##_admit_row, .drop = NAME##_drop_row, .run = NAME##_run, .check = POLICY_CHECK(NAME)

/* The evict of a policy that has NAME_victim, the slot it gives up first. */
#define POLICY_EVICT(NAME)                                                                                             \
	static uint32_t NAME##_evict(void *state)                                                                      \
	{                                                                                                              \
		uint32_t s = NAME##_victim(state);                                                                     \
		NAME##_drop(state, s);                                                                                 \
		return s;                                                                                              \
	}

/* What a policy with one list of all slots has in common with others of this kind. */
#ifdef RF_INVARIANTS
#define QUEUE_CHECK(NAME)                                                                                              \
	static void NAME##_check(void *state, const bool *used)                                                        \
	{                                                                                                              \
		struct NAME *st = state;                                                                               \
		slot_queue_check(&st->free, st->link, used);                                                           \
	}
#else
#define QUEUE_CHECK(NAME)
#endif
#define QUEUE_POLICY(NAME)                                                                                             \
	struct NAME {                                                                                                  \
		struct slot_supply free;                                                                               \
		struct slot_link link[]; /* cap slots and the head */                                                  \
	};                                                                                                             \
	static size_t NAME##_state_size(uint32_t cap)                                                                  \
	{                                                                                                              \
		bool fits = cap && cap <= POLICY_MAX_CAP;                                                              \
		return fits ? sizeof(struct NAME) + ((size_t)cap + 1) * sizeof(struct slot_link) : 0;                  \
	}                                                                                                              \
	static void NAME##_init(void *state, uint32_t cap, uint64_t seed)                                              \
	{                                                                                                              \
		struct NAME *st = state;                                                                               \
		(void)seed;                                                                                            \
		st->free = (struct slot_supply){.cap = cap};                                                           \
		slot_list_init(st->link, cap);                                                                         \
	}                                                                                                              \
	static inline void NAME##_drop(struct NAME *st, uint32_t slot)                                                 \
	{                                                                                                              \
		slot_unlink(st->link, slot);                                                                           \
		slot_give_back(&st->free, st->link, slot);                                                             \
	}                                                                                                              \
	QUEUE_CHECK(NAME)

/* The drivers and the row: POLICY(NAME, SYMBOL, TITLE, .summary = …, other members). */
#define POLICY(NAME, SYMBOL, TITLE, ...)                                                                               \
	POLICY_DRIVERS(NAME)                                                                                           \
	const struct policy SYMBOL = {POLICY_ROW(NAME, TITLE), __VA_ARGS__}

/* All policies; each is defined in a file of this folder. */
/* clang-format off */
#define POLICIES(X)                                                                                                    \
	X(single) X(direct) X(assoc2) X(assoc4) X(assoc8) X(assoc16) X(lru) X(mru) X(fifo) X(clock) X(sieve)           \
	X(random) X(lfu) X(slru) X(2q) X(arc) X(lirs) X(s3fifo) X(wtinylfu) X(opt)
/* clang-format on */

#define X(name) extern const struct policy policy_##name;
POLICIES(X)
#undef X

#endif
