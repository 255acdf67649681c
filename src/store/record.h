/* SPDX-License-Identifier: MIT */
/* A record as it travels: what the stores on a network keep under one name. docs/protocol.md describes the bytes.
 *
 * The name is the SHA-256 of identity and key, so any server that maps names to bytes will do. The record repeats
 * identity and key in full and ends with a checksum: whatever a server answers, a get returns the value that was put
 * under this identity and key, or a miss. */
#ifndef STORE_RECORD_H
#define STORE_RECORD_H

#include "store/admin.h"

enum { RECORD_NAME = 64 }; /* hexadecimal digits */

struct record_name {
	char hex[RECORD_NAME + 1];
};

struct record_name record_name(const struct store_id *id, const void *key, size_t key_len);

/* Appends the record to out. */
void record_write(struct buf *out, const struct store_id *id, int64_t time, const void *key, size_t key_len,
		  const void *value, size_t value_len);

/* Takes a record apart; r points into bytes, except for r->id.engine, which is copied to engine. False when it is
 * none of ours or damaged. */
enum { RECORD_ENGINE = 64 };
bool record_read(const void *bytes, size_t n, struct store_record *r, char engine[RECORD_ENGINE]);

/* Whether a record belongs to an identity. */
bool record_is_of(const struct store_record *r, const struct store_id *id);

/* The value of this key under this identity: RC_OK and the value appended to out, or RC_NO, *damaged increased,
 * when the bytes hold anything else. */
enum rc record_value(const void *bytes, size_t n, const struct store_id *id, const void *key, size_t key_len,
		     struct buf *out, uint64_t *damaged);

#endif
