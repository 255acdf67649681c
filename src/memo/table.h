/* SPDX-License-Identifier: MIT */
/* One memo table, without locks and modes: a policy of base over slots of keys and values, and an index from keys to
 * slots that never grows. One block holds everything but keys of any length.
 *
 * Invariants: a slot is in use exactly when its version is not 0; then (unless the policy places keys itself) the
 * index has one cell for it, under its key's hash. An entry is valid when its version is the table's; `live` counts
 * these. The others wait for the policy to evict them. */
#ifndef MEMO_TABLE_H
#define MEMO_TABLE_H

#include "base/cells.h"
#include "base/policy.h"
#include "refrain/memo.h"

struct memo_table {
	struct rf_memo_view view; /* first: what the inline look-up of the header reads */
	const struct policy *policy;
	void *policy_state;
	struct cell *cells; /* NULL when the policy places keys */
	uint32_t capacity;
	size_t key_size, value_size; /* key_size RF_MEMO_ANY_LENGTH: a slot holds a pointer to the key */
	size_t value_at;             /* in a slot */
	void (*destroy)(void *value);
	uint32_t live;
	uint32_t slots_end; /* slots from here on were never used */
	uint64_t evictions;
	size_t block_bytes, key_bytes; /* allocated for the table, and for keys of any length */
	void *block;
};

/* False when the configuration is invalid or memory is out; there is nothing to release then. */
bool memo_table_init(struct memo_table *t, const rf_memo_config *config);
void memo_table_release(struct memo_table *t);

/* The slot of a valid entry, or CELL_FREE. */
uint32_t memo_table_find(const struct memo_table *t, uint64_t hash, const void *key, size_t n);
void *memo_table_value(const struct memo_table *t, uint32_t slot);
/* The slot is used: moves it in the policy's order. */
void memo_table_hit(struct memo_table *t, uint32_t slot);
/* Adds or replaces. Nothing is remembered when there is no memory for a key of any length. */
void memo_table_put(struct memo_table *t, uint64_t hash, const void *key, size_t n, const void *value);
void memo_table_forget(struct memo_table *t, uint64_t hash, const void *key, size_t n);
void memo_table_clear(struct memo_table *t);
void memo_table_bump(struct memo_table *t);

void memo_table_check(const struct memo_table *t);

#endif
