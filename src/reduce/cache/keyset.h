/* SPDX-License-Identifier: MIT */
/* A set of byte strings, every byte counted: the container that the paper's caches share, so that they differ in
 * their keys alone. Each key is a block of its own; an array of (block, length) and a hash index of 8-byte cells find
 * it. Keys can be accounted for without being kept: a SHA-512 digest, not counted, then stands for the key. */
#ifndef REDUCE_CACHE_KEYSET_H
#define REDUCE_CACHE_KEYSET_H

#include "data/mem.h"
#include "data/table.h"

#include <stdbool.h>
#include <stdint.h>

struct key {
	void *at;     /* the key, or its digest when it is only accounted for */
	uint64_t len; /* of the key */
};

struct keyset {
	struct key *key;
	size_t n, cap;
	struct table table;
	struct mem_counter *counter;
	bool account_only;
};

void keyset_init(struct keyset *s, struct mem_counter *counter, bool account_only);
bool keyset_has(const struct keyset *s, const void *key, size_t len);
/* The key must not be in it. */
void keyset_add(struct keyset *s, const void *key, size_t len);
/* Calls change for each key: false drops it, else *to (*to_len) takes its place (valid until the next call; may be
 * the old key itself). The containers shrink to what is left. Not for keys that are only accounted for. */
typedef bool (*keyset_change)(void *user, const void *key, size_t len, const void **to, size_t *to_len);
void keyset_rebuild(struct keyset *s, keyset_change change, void *user);
void keyset_release(struct keyset *s);

#ifdef RF_INVARIANTS
/* Walks the set: every key is found by the index, under its own number. */
void keyset_check(const struct keyset *s);
/* What the set has asked its counter for. */
size_t keyset_bytes(const struct keyset *s);
#endif

#endif
