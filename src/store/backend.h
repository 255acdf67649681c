/* SPDX-License-Identifier: MIT */
/* What a kind of store has to do. To add one: one file NAME.c with its operations, one extern here
 * and one row in backends[] of store.c.
 *
 * A backend finds and keeps records; modes, statistics and what happens when a store goes away are store.c's. An
 * operation that fails with anything but RC_OK or RC_NO has filled e; store.c then stops using the backend: for
 * good, or, when it is remote, for a while, after which the backend connects again by itself. */
#ifndef STORE_BACKEND_H
#define STORE_BACKEND_H

#include "store/store.h"
#include "store/admin.h"

struct store_backend {
	const char *scheme;  /* "sqlite" in "sqlite:PATH" */
	const char *summary; /* for help */
	bool remote;         /* on a server, which may come back */
	bool expires;        /* its address takes ttl= */
	/* Adds the modes that the place asks for to *flags. A remote backend that cannot be reached now is RC_ENV
	 * with *state set: it is tried again later. */
	enum rc (*open)(void **state, const char *place, const struct store_id *id, unsigned *flags, struct err *e);
	/* RC_OK and the value appended to out, or RC_NO; *damaged is increased for each record that cannot be
	 * trusted. */
	enum rc (*get)(void *state, const void *key, size_t key_len, struct buf *out, uint64_t *damaged, struct err *e);
	/* RC_NO: too large for this store. */
	enum rc (*put)(void *state, const void *key, size_t key_len, const void *value, size_t value_len,
		       struct err *e);
	/* NULL: nothing to do */
	enum rc (*begin)(void *state, struct err *e);
	enum rc (*commit)(void *state, struct err *e);
	enum rc (*each)(void *state, store_fn fn, void *user, uint64_t *damaged, struct err *e);
	/* NULL: there is none */
	enum rc (*news)(void *state, store_fn fn, void *user, uint64_t *damaged, struct err *e);
	void (*close)(void *state);
	const struct store_admin_ops *admin; /* NULL: nothing to administer */
};

/* The operations that every kind has, in a file that gives them these names. */
#define STORE_OPERATIONS .get = get, .put = put, .each = each, .close = close_store

struct store_admin_ops {
	enum rc (*open)(void **state, const char *place, bool write, struct err *e);
	enum rc (*each)(void *state, store_record_fn fn, void *user, struct err *e);
	enum rc (*check)(void *state, struct buf *problems, struct err *e);
	enum rc (*prune)(void *state, const struct store_prune *what, struct store_pruned *out, struct err *e);
	void (*close)(void *state);
};

/* Whether a record is to be removed, but for keep_bytes. */
bool store_prune_meets(const struct store_prune *what, const struct store_record *r);

extern const struct store_admin_ops store_redis_admin, store_redis_socket_admin;
extern const struct store_backend store_memory, store_sqlite, store_redis, store_redis_socket, store_http, store_https;

/* The checksum of a record. It covers the identity too: a record that damage moved to another identity does not
 * pass there. */
uint64_t store_seed(const struct store_id *id);
uint64_t store_sum(uint64_t seed, const void *key, size_t key_len, const void *value, size_t value_len);

#endif
