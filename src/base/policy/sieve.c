/* SPDX-License-Identifier: MIT */
/* SIEVE: a queue by arrival, a mark per block, a hand that moves from the oldest towards the newest, clears marks and
 * takes the first unmarked block; blocks never move. */
#include "base/policy/drivers.h"

struct sieve {
	struct slot_supply free;
	uint32_t hand;           /* a slot, or cap: start at the oldest */
	struct slot_link link[]; /* cap slots and the head, newest first; then cap marks */
};

static inline uint8_t *sieve_mark(struct sieve *st)
{
	return (uint8_t *)(st->link + st->free.cap + 1);
}

static size_t sieve_state_size(uint32_t cap)
{
	return cap && cap <= POLICY_MAX_CAP ? sizeof(struct sieve) + ((size_t)cap + 1) * sizeof(struct slot_link) + cap
					    : 0;
}

static void sieve_init(void *state, uint32_t cap, uint64_t seed)
{
	struct sieve *st = state;
	(void)seed;
	st->free = (struct slot_supply){.cap = cap};
	st->hand = cap;
	slot_list_init(st->link, cap);
}

static inline void sieve_prefetch(struct sieve *st, uint32_t slot)
{
	__builtin_prefetch(&sieve_mark(st)[slot], 1);
}

static inline void sieve_hit(struct sieve *st, uint32_t slot)
{
	sieve_mark(st)[slot] = 1;
}

/* Takes the block out of the queue and leaves the hand before it. */
static inline void sieve_take_out(struct sieve *st, uint32_t slot)
{
	if (st->hand == slot)
		st->hand = st->link[slot].prev;
	slot_unlink(st->link, slot);
}

static inline uint32_t sieve_victim(struct sieve *st)
{
	uint32_t head = st->free.cap, s = st->hand == head ? st->link[head].prev : st->hand;
	uint8_t *mark = sieve_mark(st);
	while (mark[s]) {
		mark[s] = 0;
		s = st->link[s].prev;
		if (s == head)
			s = st->link[head].prev;
	}
	st->hand = s;
	return s;
}

static inline uint32_t sieve_admit(struct sieve *st, uint64_t key)
{
	uint32_t s;
	(void)key;
	if (!slot_take(&st->free, st->link, &s)) {
		s = sieve_victim(st);
		sieve_take_out(st, s);
	}
	slot_insert(st->link, st->free.cap, s);
	sieve_mark(st)[s] = 0;
	return s;
}

static inline void sieve_drop(struct sieve *st, uint32_t slot)
{
	sieve_take_out(st, slot);
	slot_give_back(&st->free, st->link, slot);
}

#ifdef RF_INVARIANTS
static void sieve_check(void *state, const bool *used)
{
	struct sieve *st = state;
	slot_queue_check(&st->free, st->link, used);
	INVARIANT(st->hand < st->free.cap ? used[st->hand] : st->hand == st->free.cap);
	for (uint32_t s = 0; s < st->free.used; s++)
		INVARIANT(sieve_mark(st)[s] <= 1);
}
#endif

POLICY_EVICT(sieve)
POLICY(sieve, policy_sieve, "sieve", .summary = "FIFO with marks and a hand that leaves blocks in place",
       .evict = sieve_evict);
