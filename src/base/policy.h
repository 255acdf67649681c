/* SPDX-License-Identifier: MIT */
/* Replacement policies. A policy orders the slots 0 … cap−1 of a cache and never sees keys: the map from keys to
 * slots is the caller's. To add one: write one file policy/NAME.c with its inline body and add its name to
 * POLICIES (policy/drivers.h).
 *
 * Two drivers come from each body (drivers.h makes them): `run` over dense ids in blocks, for the simulator,
 * without a function pointer per reference; and hit / admit / drop for run-time caches. A test checks that both give
 * the same misses.
 *
 * Run-time use: on a hit in slot s call hit(s). On a miss call admit(key): the policy names the slot the new
 * key goes into; if that slot was in use, the caller forgets the key that was there. admit returns POLICY_BYPASS
 * when the key should not be cached at all. drop(s) tells the policy that the caller emptied slot s, which must be in
 * use. evict() takes a block out before the cache is full (a cache bounded by bytes): the returned slot is free then.
 *
 * Freestanding: the state is one block of memory the caller gives, aligned to 16 and filled with zeros; init touches
 * a few bytes of it, so a large cap costs nothing until it is used. No libc. */
#ifndef BASE_POLICY_H
#define BASE_POLICY_H

#include "base/bits.h"

enum {
	POLICY_FUTURE = 1, /* needs the next use of each reference: simulator only, no hit / admit / drop */
	POLICY_GHOSTS = 2, /* remembers keys it evicted: admit's key must be the same number for the same key */
	POLICY_PLACED = 4, /* a key's slot is one of the `ways` slots from place(key) on: it needs the real keys */
	POLICY_STACK = 8,  /* a larger cache holds all that a smaller one holds (miss counts fall with size) */
};

#define POLICY_BYPASS UINT32_MAX
#define POLICY_MAX_CAP (UINT32_C(1) << 30)

/* One block of references for run. */
struct policy_refs {
	const uint32_t *id;   /* dense ids, below the number of ids the caller's index has room for */
	const uint64_t *key;  /* the real keys (POLICY_PLACED only, else may be NULL) */
	const uint64_t *next; /* POLICY_FUTURE: position of the same id's next reference, UINT64_MAX: none */
	const uint32_t *size; /* bytes of each reference's object, for miss_bytes; may be NULL */
	size_t n;
};

/* The caller's index in a simulation, and what is counted. Zeros mean empty: slot_of and id_in hold number + 1. */
struct policy_index {
	uint32_t *slot_of; /* per id */
	uint32_t *id_in;   /* per slot */
	uint64_t misses, miss_bytes;
	bool near; /* index and state are small: fetching ahead costs more than it saves */
};

struct policy {
	const char *name;    /* "lru" */
	const char *summary; /* one line for help */
	unsigned flags;
	uint32_t ways; /* POLICY_PLACED only */
	/* Bytes of state for cap slots; 0 when cap is not possible for this policy. */
	size_t (*state_size)(uint32_t cap);
	void (*init)(void *state, uint32_t cap, uint64_t seed);
	/* POLICY_PLACED only: the first slot in which key must be looked up. */
	uint32_t (*place)(void *state, uint64_t key);
	void (*hit)(void *state, uint32_t slot);
	uint32_t (*admit)(void *state, uint64_t key);
	void (*drop)(void *state, uint32_t slot);
	/* Frees the slot the policy would give up first; at least one slot must be in use. NULL: this policy only knows
	 * slots of equal size. */
	uint32_t (*evict)(void *state);
	/* lru only: its list, a pair (previous, next) of slot numbers per slot and one, at cap, for its head, in
	 * which the first slot is the one used last. For a caller that does what hit does without a call. */
	void *(*list)(void *state);
	void (*run)(void *state, struct policy_index *ix, const struct policy_refs *refs);
	/* Walks the whole state and traps where it contradicts itself or the caller, who says which slots are in use.
	 * NULL where invariants are off. */
	void (*check)(void *state, const bool *used);
};

extern const struct policy *const policies[]; /* NULL-ended */
const struct policy *policy_find(const char *name);
const char *policy_name(size_t i); /* NULL after the last */

#endif
