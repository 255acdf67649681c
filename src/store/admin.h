/* SPDX-License-Identifier: MIT */
/* Stores seen from outside: all identities at once, for `refrain store`. */
#ifndef STORE_ADMIN_H
#define STORE_ADMIN_H

#include "store/store.h"

struct store_admin;

struct store_record {
	struct store_id id; /* engine "" when the record belongs to none */
	int64_t time;       /* of its last put, seconds since 1970 */
	const void *key, *value;
	size_t key_len, value_len;
	bool damaged;
};
typedef bool (*store_record_fn)(void *user, const struct store_record *r);

/* What to remove: the records that meet all of the conditions that are set. */
struct store_prune {
	int64_t before;      /* put before this time; INT64_MAX: any */
	const char *engine;  /* NULL: any */
	const char *scope;   /* beginning of the scope in hexadecimal; NULL: any */
	bool damaged;        /* only damaged ones */
	uint64_t keep_bytes; /* of the records that meet the rest, keep the newest up to so many bytes; 0: none */
};

struct store_pruned {
	uint64_t entries, bytes;          /* removed: records, bytes of keys and values */
	uint64_t file_before, file_after; /* bytes on disk, or of the server's memory */
};

/* The store must exist. RC_INPUT when it is not a store, or of a kind that cannot be administered. */
enum rc store_admin_open(struct store_admin **out, const char *uri, bool write, struct err *e);
/* Every record, oldest first. RC_INPUT when damage ended it early. */
enum rc store_admin_each(struct store_admin *a, store_record_fn fn, void *user, struct err *e);
/* Checks the structure that holds the records; RC_NO and one line for each problem when it is damaged. */
enum rc store_admin_check(struct store_admin *a, struct buf *problems, struct err *e);
/* Removes records and gives their space back. */
enum rc store_admin_prune(struct store_admin *a, const struct store_prune *what, struct store_pruned *out,
			  struct err *e);
void store_admin_close(struct store_admin *a);

#endif
