/* SPDX-License-Identifier: MIT */
/* Stores: which backend a URI means, modes, statistics, and what happens when a store goes away. See store.h.
 *
 * A run does not end because its store does: the first error of a backend becomes the one warning, and from then on
 * the backend is not asked any more. Only a frozen store turns a missing answer into an error, because its
 * user asked for just that. */
#include "store/backend.h"

#include "base/bits.h"
#include "base/invariant.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct store_backend *const backends[] = {&store_memory, &store_sqlite};

/* The scheme of a path without one. */
static const struct store_backend *const default_backend = &store_sqlite;

/* What no store should be asked to hold; SQLite's own limit is 10^9 bytes for a row. */
static const size_t largest_record = (size_t)512 << 20;

struct store {
	const struct store_backend *backend;
	void *state;
	unsigned flags;
	bool gone, batch;
	char *warning;
	struct store_stats stats;
};

struct store_admin {
	const struct store_admin_ops *ops;
	void *state;
};

/* The backend of a URI and the place within it; NULL with RC_INPUT for a scheme that is not known. */
static const struct store_backend *find_backend(const char *uri, const char **place, struct err *e)
{
	size_t n = strcspn(uri, ":");
	for (size_t i = 0; i < ARRAY_LEN(backends); i++)
		if (uri[n] && strlen(backends[i]->scheme) == n && memcmp(uri, backends[i]->scheme, n) == 0) {
			*place = uri + n + 1;
			return backends[i];
		}
	size_t letters = 0;
	while (letters < n && (isalnum((unsigned char)uri[letters]) || strchr("+-.", uri[letters])))
		letters++;
	if (letters && letters == n && strncmp(uri + n, "://", 3) == 0) {
		err_set(e, RC_INPUT, "unknown kind of store '%.*s'", (int)n, uri);
		return NULL;
	}
	*place = uri;
	return default_backend;
}

uint64_t store_seed(const struct store_id *id)
{
	uint64_t h = hash64(id->scope.byte, sizeof id->scope.byte);
	return mix64_pair(hash64_seed(id->engine, strlen(id->engine), h), id->schema);
}

uint64_t store_sum(uint64_t seed, const void *key, size_t key_len, const void *value, size_t value_len)
{
	return hash64_seed(value, value_len, mix64_pair(hash64_seed(key, key_len, seed), key_len));
}

enum rc store_open(struct store **out, const char *uri, const struct store_id *id, unsigned flags, struct err *e)
{
	const char *place;
	const struct store_backend *backend = find_backend(uri, &place, e);
	if (!backend)
		return RC_INPUT;
	if (flags & STORE_FROZEN)
		flags |= STORE_READONLY;
	void *state;
	enum rc rc = backend->open(&state, place, id, flags, e);
	if (rc != RC_OK)
		return rc;
	struct store *s = mem_zalloc(sizeof *s);
	s->backend = backend;
	s->state = state;
	s->flags = flags;
	*out = s;
	return RC_OK;
}

/* A store that is gone has its one warning and is asked no more; only a store that may be written has an open batch. */
static void check(const struct store *s)
{
	INVARIANT(s->gone == (s->warning != NULL));
	INVARIANT(!s->batch || !(s->flags & STORE_READONLY));
	INVARIANT(s->stats.hits <= s->stats.gets);
}

static void went_away(struct store *s, const struct err *why)
{
	INVARIANT(!s->gone && why->rc != RC_OK);
	char text[1200];
	s->gone = true;
	s->warning = mem_printf("%s; continuing without the store", err_message(why, text, sizeof text));
}

static enum rc missing(const struct store *s, struct err *e)
{
	if (!(s->flags & STORE_FROZEN))
		return RC_NO;
	if (s->gone)
		return err_set(e, RC_INPUT, "a frozen store cannot answer: %s", s->warning);
	return err_set(e, RC_INPUT, "the frozen store has no answer to a question of this run");
}

enum rc store_get(struct store *s, const void *key, size_t key_len, struct buf *out, struct err *e)
{
	struct err why = ERR_INIT;
	check(s);
	s->stats.gets++;
	if (s->gone || key_len > largest_record)
		return missing(s, e);
	enum rc rc = s->backend->get(s->state, key, key_len, out, &s->stats.damaged, &why);
	if (rc == RC_OK) {
		s->stats.hits++;
		return RC_OK;
	}
	if (rc != RC_NO)
		went_away(s, &why);
	return missing(s, e);
}

/* Whether the backend is to be written to. */
static bool writable(const struct store *s)
{
	return !s->gone && !(s->flags & STORE_READONLY);
}

/* Whether an operation of the backend that returned rc worked; if not, the store is gone. */
static bool worked(struct store *s, enum rc rc, const struct err *why)
{
	if (rc != RC_OK)
		went_away(s, why);
	return rc == RC_OK;
}

enum rc store_put(struct store *s, const void *key, size_t key_len, const void *value, size_t value_len, struct err *e)
{
	struct err why = ERR_INIT;
	(void)e;
	check(s);
	if (writable(s) && key_len <= largest_record && value_len <= largest_record - key_len)
		s->stats.puts += worked(s, s->backend->put(s->state, key, key_len, value, value_len, &why), &why);
	return RC_OK;
}

enum rc store_begin(struct store *s, struct err *e)
{
	struct err why = ERR_INIT;
	(void)e;
	if (writable(s) && !s->batch)
		s->batch = worked(s, s->backend->begin(s->state, &why), &why);
	return RC_OK;
}

enum rc store_commit(struct store *s, struct err *e)
{
	struct err why = ERR_INIT;
	(void)e;
	if (s->batch && !s->gone)
		worked(s, s->backend->commit(s->state, &why), &why);
	s->batch = false;
	return RC_OK;
}

enum rc store_each(struct store *s, store_fn fn, void *user, struct err *e)
{
	struct err why = ERR_INIT;
	if (s->gone)
		return s->flags & STORE_FROZEN ? missing(s, e) : RC_OK;
	enum rc rc = s->backend->each(s->state, fn, user, &s->stats.damaged, &why);
	if (rc == RC_OK || rc == RC_NO)
		return RC_OK;
	went_away(s, &why);
	return s->flags & STORE_FROZEN ? missing(s, e) : RC_OK;
}

struct store_stats store_stats(const struct store *s)
{
	return s->stats;
}

const char *store_warning(const struct store *s)
{
	return s->warning;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	store_commit(s, NULL);
	check(s);
	s->backend->close(s->state);
	free(s->warning);
	free(s);
}

enum rc store_admin_open(struct store_admin **out, const char *uri, bool write, struct err *e)
{
	const char *place;
	const struct store_backend *backend = find_backend(uri, &place, e);
	if (!backend)
		return RC_INPUT;
	if (!backend->admin)
		return err_set(e, RC_INPUT, "'%s' cannot be looked into", uri);
	void *state;
	enum rc rc = backend->admin->open(&state, place, write, e);
	if (rc != RC_OK)
		return rc;
	struct store_admin *a = mem_alloc(sizeof *a);
	*a = (struct store_admin){backend->admin, state};
	*out = a;
	return RC_OK;
}

enum rc store_admin_each(struct store_admin *a, store_record_fn fn, void *user, struct err *e)
{
	return a->ops->each(a->state, fn, user, e);
}

enum rc store_admin_check(struct store_admin *a, struct buf *problems, struct err *e)
{
	return a->ops->check(a->state, problems, e);
}

enum rc store_admin_prune(struct store_admin *a, const struct store_prune *what, struct store_pruned *out,
			  struct err *e)
{
	return a->ops->prune(a->state, what, out, e);
}

void store_admin_close(struct store_admin *a)
{
	if (!a)
		return;
	a->ops->close(a->state);
	free(a);
}
