/* SPDX-License-Identifier: MIT */
/* Bytes → bytes, in memory, in SQLite or on a server, shared by processes, runs and machines.
 *
 * A store is opened with an identity: engine, schema and a scope, the SHA-256 of all that a value depends on
 * besides its key. Entries of another identity are invisible, so an edited test is never answered from old results.
 * A put that returned survives kill −9; a power cut may take the newest ones, never the order of the rest. A
 * damaged record (checksum) is a miss and is counted. A store that fails while in use (disk full, file gone,
 * damaged) warns once through store_warning, then ignores puts and answers every get with a miss. A server that
 * does not answer in time is treated so for a while, and asked again later; together this costs a run one time-out
 * and a twentieth of its time.
 *
 * A store belongs to the process that opened it and to one thread at a time; do not use it after fork. */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "data/buf.h"
#include "data/digest.h"
#include "data/err.h"

struct store;

struct store_id {
	const char *engine; /* "reduce" */
	unsigned schema;    /* of the values' format */
	struct digest256 scope;
};

enum {
	STORE_READONLY = 1,  /* puts are ignored; the file must exist */
	STORE_FROZEN = 2,    /* read-only, and a miss is RC_INPUT: for CI */
	STORE_WRITEONLY = 4, /* every get is a miss */
	STORE_NEWS = 8,      /* puts are told to others, and theirs can be asked for: store_news */
};

struct store_stats {
	uint64_t gets, hits, puts, damaged; /* puts: those that were stored */
};

/* uri: "memory:", "sqlite:PATH" or a PATH, or a server's (store/address.h); several, separated by commas, when one
 * of them is a server's: the first is asked first, answers of a later one are put into those before it, puts go to
 * all. A file that is not a store of ours is RC_INPUT and is left alone. */
enum rc store_open(struct store **out, const char *uri, const struct store_id *id, unsigned flags, struct err *e);
/* Whether a URI names a server, whose answers others may have put there. */
bool store_remote(const char *uri);
/* Appends uri with an expiry, in seconds, on every Redis server that has none of its own. RC_INPUT: there is none. */
enum rc store_expiring(struct buf *out, const char *uri, uint64_t seconds, struct err *e);
/* RC_OK and the value appended to out, or RC_NO. */
enum rc store_get(struct store *s, const void *key, size_t key_len, struct buf *out, struct err *e);
/* Replaces. Always RC_OK: what could not be stored is a later miss (and a warning, see above). */
enum rc store_put(struct store *s, const void *key, size_t key_len, const void *value, size_t value_len, struct err *e);
/* Several puts in one transaction: begin … put … commit. Other processes' puts wait meanwhile: keep it short. */
enum rc store_begin(struct store *s, struct err *e);
enum rc store_commit(struct store *s, struct err *e);
struct store_stats store_stats(const struct store *s);
/* NULL, or the one warning about a store that went away. */
const char *store_warning(const struct store *s);
/* Whether something could not be kept for good: a file failed. A server that went away is no failure of the run. */
bool store_failed(const struct store *s);
/* Commits what is open. NULL is allowed. */
void store_close(struct store *s);

/* Calls fn for each entry of this identity, oldest first (a replaced entry keeps its place); fn returning false ends
 * it. fn may get and put, but not each. */
typedef bool (*store_fn)(void *user, const void *key, size_t key_len, const void *value, size_t value_len);
enum rc store_each(struct store *s, store_fn fn, void *user, struct err *e);
/* Calls fn for what others put with STORE_NEWS since the store was opened and fn was not called for yet; some of it
 * may come twice, and what was put while a server was away may come late or not at all. Does not wait. fn must use no
 * store. Only servers that can tell (Redis) have news. */
void store_news(struct store *s, store_fn fn, void *user);

#endif
