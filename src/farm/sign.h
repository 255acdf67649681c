/* SPDX-License-Identifier: MIT */
/* Signatures: HMAC-SHA-256, cut to 16 bytes, with a key that both sides have in a file. What is signed is the kind of
 * message, the run it belongs to and its bytes, so that no message passes for another. Without a key the same bytes are
 * signed with an empty one: that finds damage, and keeps nobody out. */
#ifndef FARM_SIGN_H
#define FARM_SIGN_H

#include "data/buf.h"

#include <stdbool.h>

enum { SIGNATURE = 16, RUN_NAME = 8 };

struct sign_key {
	struct buf bytes; /* empty: none */
};

/* Reads a key file: at least 16 bytes, a line break at the end does not count, and nobody else may read it. path NULL:
 * no key. */
enum rc sign_key_read(struct sign_key *k, const char *path, struct err *e);
void sign_key_release(struct sign_key *k);

enum sign_kind { SIGN_RUN = 1, SIGN_TASK, SIGN_VERDICT, SIGN_NOTICE, SIGN_CORE };

/* Appends the signature of b as it is. number: what is signed with it and not sent along. */
void sign(struct buf *b, const struct sign_key *k, enum sign_kind kind, const char *run, uint64_t number);
/* Whether bytes end with their signature; *n is then without it. */
bool sign_check(const void *bytes, size_t *n, const struct sign_key *k, enum sign_kind kind, const char *run,
		uint64_t number);
/* Whether two signatures are the same; takes as long when they differ in the first byte as in the last. */
bool sign_same(const void *a, const void *b, size_t n);

#endif
