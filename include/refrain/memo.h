/* SPDX-License-Identifier: MIT */
/* Memo tables: remember what a function computed, so that it is not computed again.
 *
 *	static rf_memo *memo;                       // NULL works everywhere and caches nothing
 *	if (!memo)
 *		memo = rf_memo_new(&(rf_memo_config){.name = "area", .kind = RF_MEMO_LRU, .entries = 64,
 *		                                     .key_size = sizeof key, .value_size = sizeof area});
 *	if (!rf_memo_get(memo, &key, &area)) {
 *		area = compute(&key);
 *		rf_memo_put(memo, &key, &area);
 *	}
 *
 * Keys and values are blocks of bytes of a fixed size; keys are equal when their bytes are (so clear the padding of
 * a struct key before filling it). rf_memo_new allocates all memory; it returns NULL when there is none, and a NULL
 * table remembers nothing. No call aborts, or prints anything that RF_MEMO did not ask for.
 *
 * The environment variable RF_MEMO, read by rf_memo_new, chooses the mode of all tables:
 *   on      (default)
 *   off     every get misses: the results of the program must stay the same
 *   verify  every get misses, and every put compares its value with the remembered one; a difference is counted in
 *           `conflicts` and the first of each table is reported on standard error
 *   stats   on, and each table prints one line on standard error when it is freed or the program exits
 * RF_MEMO_KEYS=FOLDER makes each table write FOLDER/NAME.u64, the stream of keys it was asked for, for `refrain
 * trace`. */
#ifndef REFRAIN_MEMO_H
#define REFRAIN_MEMO_H

#include <refrain/api.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rf_memo rf_memo;

enum rf_memo_kind {
	RF_MEMO_SINGLE, /* the last call only: cheapest look-up */
	RF_MEMO_LRU,    /* the most recently used `entries` */
	RF_MEMO_DIRECT, /* each key has one place among `entries`: cheaper than LRU, collisions evict */
};

typedef struct rf_memo_config {
	const char *name; /* for statistics and key streams; letters, digits, '-', '_' and '.'; NULL: "memo" */
	enum rf_memo_kind kind;
	uint32_t entries;  /* ignored for RF_MEMO_SINGLE */
	size_t key_size;   /* 1 … 65536 */
	size_t value_size; /* 0 … 2^24 */
	bool thread_safe;  /* calls may come from several threads at once (one lock) */
} rf_memo_config;

typedef struct rf_memo_stats {
	uint64_t gets, hits, puts, evictions, conflicts;
	size_t entries; /* in use now */
	size_t bytes;   /* held by the table */
} rf_memo_stats;

/* NULL when out of memory or when the configuration is invalid. */
RF_API rf_memo *rf_memo_new(const rf_memo_config *config);
RF_API void rf_memo_free(rf_memo *m);

/* True, and *value filled, when the key is remembered. */
RF_API bool rf_memo_get(rf_memo *m, const void *key, void *value);
/* Remembers; the same key again replaces its value. */
RF_API void rf_memo_put(rf_memo *m, const void *key, const void *value);
/* get; on a miss, compute(context, key, value) without the lock held, and put. */
RF_API void rf_memo_call(rf_memo *m, const void *key, void *value,
			 void (*compute)(void *context, const void *key, void *value), void *context);
/* Forgets one key, or all: what the values depend on has changed. */
RF_API void rf_memo_forget(rf_memo *m, const void *key);
RF_API void rf_memo_clear(rf_memo *m);

RF_API rf_memo_stats rf_memo_statistics(rf_memo *m);

#ifdef __cplusplus
}
#endif

#endif
