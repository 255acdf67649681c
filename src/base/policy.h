/* SPDX-License-Identifier: MIT */
/* Replacement policies. To add one: write one file policy/NAME.c with its inline body and add its name to POLICIES
 * (policy/drivers.h).
 *
 * A body orders nodes and never sees what they stand for. Two drivers come from each body (drivers.h makes them).
 * In the simulator a node is a dense id, so nothing is looked up: blocks of ids go through `run`, without a
 * function pointer per reference, and blocks may have sizes. In run-time caches the policy orders the slots 0 …
 * cap−1, and the map from keys to slots is the caller's. A test checks that both give the same misses.
 *
 * Run-time use: on a hit in slot s call hit(s). On a miss call admit(key): the policy names the slot the new
 * key goes into; if that slot was in use, the caller forgets the key that was there. admit returns POLICY_BYPASS
 * when the key should not be cached at all. drop(s) tells the policy that the caller emptied slot s, which must be in
 * use. evict() takes a block out before the cache is full: the returned slot is free then.
 *
 * Freestanding: a state is one block of memory the caller gives, aligned to 16 and filled with zeros, without
 * pointers: it may be copied. init touches a few bytes of it, so a large cap costs nothing until it is used. No
 * libc. */
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
#define POLICY_MAX_BYTES (UINT64_C(1) << 60) /* sums of a few sizes up to this do not overflow */

/* A stretch of references: its distinct ids by their last use, the latest last, and how often each is used. Where all
 * of them are in the cache and their hits only put them in order, a policy takes them together. */
struct policy_window {
	uint32_t n, distinct; /* references, ids */
	uint32_t at;          /* its first id in last[] and times[] */
};

/* What a simulated cache had to fetch since it was made. */
struct misses {
	uint64_t n, bytes;
};

/* One block of references for run. */
struct policy_refs {
	const uint32_t *id;   /* dense ids, below the number of ids there is room for */
	const uint64_t *key;  /* the real keys (POLICY_PLACED only, else may be NULL) */
	const uint64_t *next; /* POLICY_FUTURE: position of the same id's next reference, UINT64_MAX: none */
	const uint64_t *size; /* bytes of each reference's object; may be NULL when the limit is not in bytes */
	uint8_t *missed;      /* set to 1 beside each reference that missed, else left alone; may be NULL */
	size_t n;
	/* may be none; together they are the first references of the block */
	const struct policy_window *window;
	size_t n_windows;
	const uint32_t *last;
	const uint8_t *times;
};

/* What every state starts with. */
struct policy_core {
	uint64_t limit;   /* blocks, or bytes */
	uint64_t used, n; /* of the limit; blocks in the cache */
	uint64_t misses, miss_bytes;
	uint32_t victim;            /* id + 1 of the last block that went (simulator); 0: none yet */
	uint32_t cap, taken, freed; /* run-time slots: how many, ever used, number + 1 of the last given back */
	uint32_t pad[2];
};

/* A simulated cache. `node` and `size` have POLICY_FIRST_NODE + n_ids entries, zero for ids never seen; the caller
 * enlarges them. */
enum { POLICY_FIRST_NODE = 8 };

struct policy_sim {
	void *state;
	void *node;     /* node_size bytes each */
	uint64_t *size; /* by bytes: of each block in the cache; else NULL */
	bool near;      /* all of this is small: fetching ahead costs more than it saves */
};

struct policy {
	const char *name;    /* "lru" */
	const char *summary; /* one line for help */
	unsigned flags;
	uint32_t ways; /* POLICY_PLACED only */

	/* ---- simulator */
	size_t node_size;
	/* Bytes of state for a limit; 0 when the policy cannot have it. */
	size_t (*sim_size)(uint64_t limit, bool bytes);
	void (*sim_init)(void *state, uint64_t limit, bool bytes, uint64_t seed);
	/* By blocks if s->size is NULL, else by bytes. Counts in the state's core. */
	void (*run)(const struct policy_sim *s, const struct policy_refs *refs);
	bool (*sim_has)(const struct policy_sim *s, uint32_t id);
	/* The block goes and is not remembered; it must be in the cache. NULL for placed policies and those that
	 * need the future. */
	void (*sim_drop)(const struct policy_sim *s, uint32_t id);
	/* Walks the whole state of a simulated cache with so many nodes and traps where it contradicts itself. NULL
	 * where invariants are off. */
	void (*sim_check)(const struct policy_sim *s, uint32_t n_nodes);

	/* ---- run-time caches; all NULL for POLICY_FUTURE */
	/* Bytes of state for cap slots; 0 when cap is not possible for this policy. */
	size_t (*state_size)(uint32_t cap);
	void (*init)(void *state, uint32_t cap, uint64_t seed);
	/* POLICY_PLACED only: the first slot in which key must be looked up. */
	uint32_t (*place)(void *state, uint64_t key);
	void (*hit)(void *state, uint32_t slot);
	uint32_t (*admit)(void *state, uint64_t key);
	void (*drop)(void *state, uint32_t slot);
	/* Frees the slot the policy would give up first; at least one slot must be in use. NULL: placed policies. */
	uint32_t (*evict)(void *state);
	/* As sim_check; the caller says which slots are in use. */
	void (*check)(void *state, const bool *used);
};

extern const struct policy *const policies[]; /* NULL-ended */
const struct policy *policy_find(const char *name);
/* For a caller that does what lru's hit does without a call: pairs (previous, next) of node numbers. The node of
 * slot s is s + POLICY_FIRST_NODE, node 1 is the head of the list, behind which the slot used last stands. */
void *policy_lru_nodes(void *state);
const char *policy_name(size_t i); /* NULL after the last */

#endif
