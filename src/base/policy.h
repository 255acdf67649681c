/* Replacement policies. A policy orders the slots 0 … cap−1 of a cache and never sees keys: the map from keys to
 * slots is the caller's. To add one: write one file policy_NAME.c with its inline body and one row in policies[].
 *
 * Two drivers come from each body: `run` over dense ids in blocks, for the simulator, without a function pointer
 * per reference; and hit / admit / drop for run-time caches. A test checks that both give the same misses.
 *
 * Run-time use: on a hit in slot s call hit(s). On a miss call admit(key, &slot): the policy names the slot the new
 * key goes into; if that slot was in use, the caller forgets the key that was there. admit returns POLICY_BYPASS
 * when the key should not be cached at all. drop(s) tells the policy that the caller emptied slot s.
 *
 * Freestanding: the state is one block of memory the caller gives; no libc. */
#ifndef BASE_POLICY_H
#define BASE_POLICY_H

#include "base/bits.h"

enum {
	POLICY_FUTURE = 1, /* needs the next use of each reference: simulator only */
	POLICY_GHOSTS = 2, /* remembers keys it evicted: admit's key must be the same number for the same key */
	POLICY_PLACED = 4, /* a key's slot follows from the key: the caller asks place() before looking up */
	POLICY_STACK = 8,  /* a larger cache holds all that a smaller one holds (miss counts fall with size) */
};

#define POLICY_BYPASS UINT32_MAX

struct policy {
	const char *name;    /* "lru" */
	const char *summary; /* one line for help */
	unsigned flags;
	/* Bytes of state for cap slots; 0 when cap is not possible for this policy. */
	size_t (*state_size)(uint32_t cap);
	void (*init)(void *state, uint32_t cap, uint64_t seed);
	/* POLICY_PLACED only: the slot in which key must be looked up (direct-mapped). */
	uint32_t (*place)(void *state, uint64_t key);
	void (*hit)(void *state, uint32_t slot);
	uint32_t (*admit)(void *state, uint64_t key);
	void (*drop)(void *state, uint32_t slot);
};

extern const struct policy *const policies[]; /* NULL-ended */
const struct policy *policy_find(const char *name);

#endif
