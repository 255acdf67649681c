/* SPDX-License-Identifier: MIT */
/* Memo tables: remember what a function computed, so that it is not computed again.
 *
 *	static rf_memo *memo;                       // NULL works everywhere and caches nothing
 *	if (!memo)
 *		memo = rf_memo_new(&(rf_memo_config){.name = "area", .kind = RF_MEMO_LRU, .entries = 64,
 *		                                     .key_size = sizeof key, .value_size = sizeof area});
 *	if (!RF_MEMO_GET(memo, &key, &area)) {
 *		area = compute(&key);
 *		RF_MEMO_PUT(memo, &key, &area);
 *	}
 *
 * Keys are equal when their bytes are (so clear the padding of a struct key before filling it). Keys have a fixed
 * size, or any length (strings): then the functions that end in _bytes or _string are used. rf_memo_new returns
 * NULL when there is no memory, and a NULL table remembers nothing. No call aborts, or prints anything that RF_MEMO
 * did not ask for.
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
#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct rf_memo rf_memo;

enum rf_memo_kind {
	RF_MEMO_SINGLE, /* the last call only: cheapest look-up */
	RF_MEMO_LRU,    /* the most recently used `entries` */
	RF_MEMO_DIRECT, /* each key has one place among `entries`: cheaper than LRU, collisions evict */
};

#define RF_MEMO_ANY_LENGTH ((size_t)-1)

typedef struct rf_memo_config {
	const char *name; /* for statistics and key streams; letters, digits, '-', '_' and '.'; NULL: "memo" */
	enum rf_memo_kind kind;
	uint32_t entries;  /* ignored for RF_MEMO_SINGLE */
	size_t key_size;   /* 1 … 65536, or RF_MEMO_ANY_LENGTH */
	size_t value_size; /* 0 … 2^24 */
	bool thread_safe;  /* calls may come from several threads at once; a table of 256 entries or more is divided
	                    * into parts with a lock each, and the kind then holds within each part */
	bool per_thread;   /* each thread has a table of its own, of `entries`, and needs no lock */
	/* Called with a value that the table drops (evicted, replaced, forgotten, cleared, freed); may be NULL.
	 * What get returned is then valid until the next call that may drop it. Not with thread_safe: another
	 * thread might drop it. A value given to put belongs to the table; in the mode `off` it lives until the
	 * next put. */
	void (*destroy)(void *value);
	/* How RF_MEMO=verify compares values that hold pointers; NULL: byte by byte. */
	bool (*equal)(const void *a, const void *b);
} rf_memo_config;

typedef struct rf_memo_stats {
	uint64_t gets, hits, puts, evictions, conflicts;
	size_t entries; /* in use now */
	size_t bytes;   /* held by the table */
} rf_memo_stats;

/* NULL when out of memory or when the configuration is invalid. */
RF_API rf_memo *rf_memo_new(const rf_memo_config *config);
/* No other thread may use the table now or later. */
RF_API void rf_memo_free(rf_memo *m);

/* True, and *value filled, when the key is remembered. */
RF_API bool rf_memo_get(rf_memo *m, const void *key, void *value);
RF_API bool rf_memo_get_bytes(rf_memo *m, const void *key, size_t n, void *value);
/* Remembers; the same key again replaces its value. */
RF_API void rf_memo_put(rf_memo *m, const void *key, const void *value);
RF_API void rf_memo_put_bytes(rf_memo *m, const void *key, size_t n, const void *value);
/* get; on a miss, compute(context, key, value) without a lock held, and put. */
RF_API void rf_memo_call(rf_memo *m, const void *key, void *value,
			 void (*compute)(void *context, const void *key, void *value), void *context);
/* What the values depend on has changed: forgets one key (a per_thread table: all keys), or all. rf_memo_bump takes
 * constant time: what was remembered before counts as a miss and its place is used again when its turn comes;
 * rf_memo_clear drops it at once (in a per_thread table: the calling thread's part). */
RF_API void rf_memo_forget(rf_memo *m, const void *key);
RF_API void rf_memo_forget_bytes(rf_memo *m, const void *key, size_t n);
RF_API void rf_memo_clear(rf_memo *m);
RF_API void rf_memo_bump(rf_memo *m);

RF_API rf_memo_stats rf_memo_statistics(rf_memo *m);

static inline bool rf_memo_get_string(rf_memo *m, const char *key, void *value)
{
	return rf_memo_get_bytes(m, key, strlen(key), value);
}

static inline void rf_memo_put_string(rf_memo *m, const char *key, const void *value)
{
	rf_memo_put_bytes(m, key, strlen(key), value);
}

/* get and put for a key and a value of the types pointed to, with the look-up compiled into the caller. Nothing is
 * remembered or found when their sizes are not the table's. */
#define RF_MEMO_GET(m, key, value) rf_memo_get_inline((m), (key), sizeof *(key), (value), sizeof *(value))
#define RF_MEMO_PUT(m, key, value) rf_memo_put_inline((m), (key), sizeof *(key), (value), sizeof *(value))

/* ---- private from here on: what the inline look-up needs to know of a table. May change with the library's soname. */

struct rf_memo_cell {
	uint32_t hash, slot; /* slot UINT32_MAX: free */
};

struct rf_memo_link {
	uint32_t prev, next;
};

enum { RF_MEMO_HEAD = 1, RF_MEMO_NODE = 8 };

struct rf_memo_view {
	uint64_t sizes;         /* key_size and value_size, as rf_memo_sizes puts them together */
	uint64_t inline_sizes;  /* the same when the inline look-up may be used, else 0 */
	uint32_t kind, version; /* an entry of another version is none */
	uint32_t mask;          /* LRU: cells − 1 */
	uint32_t places;        /* number of slots */
	uint32_t stride;        /* bytes of a slot */
	const struct rf_memo_cell *cells;
	struct rf_memo_link *links; /* LRU: the list of slots, the one used last first: node slot + RF_MEMO_NODE each */
	unsigned char *slots;       /* of each: version (4 bytes; 0: unused), length (4), key, value */
	uint64_t hits, misses;      /* of the inline look-up */
};

static inline uint64_t rf_memo_sizes(size_t key_size, size_t value_size)
{
	return (uint64_t)value_size << 32 | (key_size & 0xffffffff);
}

/* Multiplies to 128 bits and folds the halves. */
static inline uint64_t rf_memo_fold(uint64_t a, uint64_t b)
{
	__extension__ unsigned __int128 p = (unsigned __int128)(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xe7037ed1a0b428dbu);
	return (uint64_t)p ^ (uint64_t)(p >> 64);
}

/* It locates only: full keys are compared. The same bytes give the same number in every run and process. */
static inline uint64_t rf_memo_hash(const void *bytes, size_t n)
{
	const unsigned char *p = (const unsigned char *)bytes;
	uint64_t h = n, a = 0, b = 0;
	for (; n >= 16; n -= 16, p += 16) {
		memcpy(&a, p, 8);
		memcpy(&b, p + 8, 8);
		h = rf_memo_fold(a ^ h, b);
	}
	if (n >= 8) {
		memcpy(&a, p, 8);
		h = rf_memo_fold(a ^ h, 0x8ebc6af09c88c6e3u);
		p += 8;
		n -= 8;
	}
	if (n) {
		b = 0;
		memcpy(&b, p, n);
		h = rf_memo_fold(b ^ h, 0x589965cc75374cc3u);
	}
	return h;
}

/* The place of a key in a direct-mapped table. */
static inline uint32_t rf_memo_place(uint64_t hash, uint32_t places)
{
	return (uint32_t)(((hash >> 32) * places) >> 32);
}

static inline void rf_memo_to_front(struct rf_memo_link *l, uint32_t slot)
{
	uint32_t node = slot + RF_MEMO_NODE;
	uint32_t prev = l[node].prev, next = l[node].next;
	if (prev == RF_MEMO_HEAD)
		return;
	l[prev].next = next;
	l[next].prev = prev;
	uint32_t first = l[RF_MEMO_HEAD].next;
	l[node].prev = RF_MEMO_HEAD;
	l[node].next = first;
	l[first].prev = node;
	l[RF_MEMO_HEAD].next = node;
}

static inline bool rf_memo_get_inline(rf_memo *m, const void *key, size_t key_size, void *value, size_t value_size)
{
	struct rf_memo_view *v = (struct rf_memo_view *)m;
	if (!m)
		return false;
	uint64_t sizes = rf_memo_sizes(key_size, value_size);
	if (v->inline_sizes != sizes)
		return v->sizes == sizes && rf_memo_get(m, key, value);
	uint32_t slot = 0;
	if (v->kind != RF_MEMO_SINGLE) {
		uint64_t hash = rf_memo_hash(key, key_size);
		if (v->kind == RF_MEMO_DIRECT) {
			slot = rf_memo_place(hash, v->places);
		} else {
			uint32_t folded = (uint32_t)(hash >> 32);
			size_t at = folded & v->mask;
			while (v->cells[at].slot != UINT32_MAX && v->cells[at].hash != folded)
				at = (at + 1) & v->mask;
			slot = v->cells[at].slot;
			if (slot == UINT32_MAX) {
				v->misses++;
				return false;
			}
		}
	}
	const unsigned char *entry = v->slots + (size_t)slot * v->stride;
	uint32_t version;
	memcpy(&version, entry, sizeof version);
	if (version != v->version || memcmp(entry + 8, key, key_size) != 0) {
		if (v->kind == RF_MEMO_LRU) /* another key may have this hash too */
			return rf_memo_get(m, key, value);
		v->misses++;
		return false;
	}
	if (v->kind == RF_MEMO_LRU)
		rf_memo_to_front(v->links, slot);
	memcpy(value, entry + 8 + key_size, value_size);
	v->hits++;
	return true;
}

static inline void rf_memo_put_inline(rf_memo *m, const void *key, size_t key_size, const void *value,
				      size_t value_size)
{
	const struct rf_memo_view *v = (const struct rf_memo_view *)m;
	if (m && v->sizes == rf_memo_sizes(key_size, value_size))
		rf_memo_put(m, key, value);
}

#ifdef __cplusplus
}
#endif

#endif
