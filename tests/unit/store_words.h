/* SPDX-License-Identifier: MIT */
/* Short words for the tests of stores: texts as keys and values, and failures that end the test. */
#ifndef TESTS_UNIT_STORE_WORDS_H
#define TESTS_UNIT_STORE_WORDS_H

#include "testing.h"
#include "data/buf.h"
#include "store/store.h"

static inline struct store_id make_id(const char *engine, unsigned schema, const char *scope)
{
	return (struct store_id){engine, schema, digest_sha256(scope, strlen(scope))};
}

static inline struct store *open_ok(const char *uri, const struct store_id *id, unsigned flags)
{
	struct store *s = NULL;
	struct err e = ERR_INIT;
	if (store_open(&s, uri, id, flags, &e) != RC_OK)
		fail_msg("%s: %s", uri, e.text);
	return s;
}

static inline void put(struct store *s, const char *key, const char *value)
{
	assert_int_equal(store_put(s, key, strlen(key), value, strlen(value), NULL), RC_OK);
}

/* The value or NULL, in a buffer that the next call overwrites. */
static inline const char *get(struct store *s, const char *key)
{
	static struct buf b;
	buf_clear(&b);
	enum rc rc = store_get(s, key, strlen(key), &b, NULL);
	assert_true(rc == RC_OK || rc == RC_NO);
	return rc == RC_OK ? buf_str(&b) : NULL;
}

#endif
