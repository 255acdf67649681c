/* SPDX-License-Identifier: MIT */
/* Stores: which backends a URI means, modes, statistics, and what happens when a store goes away. See store.h.
 *
 * A run does not end because its store does: the first error of a backend becomes the one warning, and from then on
 * the backend is not asked any more; a remote one is left alone for twenty times what the failure cost, then tried
 * again. Only a frozen store turns a missing answer into an error, because its user asked for just that. */
#include "store/backend.h"

#include "base/bits.h"
#include "base/invariant.h"
#include "data/clock.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const struct store_backend *const backends[] = {
	&store_memory, &store_sqlite, &store_redis, &store_redis_socket, &store_http, &store_https,
};

/* The scheme of a path without one. */
static const struct store_backend *const default_backend = &store_sqlite;

/* What no store should be asked to hold; SQLite's own limit is 10^9 bytes for a row. */
static const size_t largest_record = (size_t)512 << 20;

/* How long a server that failed is left alone: so many times what the failure cost, within these bounds. */
static const double pause_factor = 20, shortest_pause = 1, longest_pause = 60;

enum { MOST_LEVELS = 4 };

/* One backend of a store. */
struct level {
	const struct store_backend *backend;
	void *state;
	unsigned flags;
	bool gone, batch;
	double asleep_until; /* 0: awake */
};

struct store {
	struct level level[MOST_LEVELS];
	size_t n;
	unsigned flags;
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

/* A store that lost something has its one warning; only a level that may be written has an open batch. */
static void check(const struct store *s)
{
	for (size_t i = 0; i < s->n; i++) {
		INVARIANT(!(s->level[i].gone || s->level[i].asleep_until > 0) || s->warning);
		INVARIANT(!s->level[i].batch || !(s->level[i].flags & STORE_READONLY));
	}
	INVARIANT(s->stats.hits <= s->stats.gets);
}

/* An operation of this level, begun at start, failed. */
static void went_away(struct store *s, struct level *l, const struct err *why, double start)
{
	INVARIANT(!l->gone && why->rc != RC_OK);
	double now = clock_seconds(), pause = (now - start) * pause_factor;
	char text[1200];
	if (l->backend->remote)
		l->asleep_until = now + (pause < shortest_pause  ? shortest_pause
					 : pause > longest_pause ? longest_pause
								 : pause);
	else
		l->gone = true;
	if (!s->warning)
		s->warning = mem_printf("%s; continuing without the store%s", err_message(why, text, sizeof text),
					l->backend->remote ? " until it answers" : "");
}

static bool awake(struct level *l)
{
	if (l->asleep_until > 0 && clock_seconds() >= l->asleep_until)
		l->asleep_until = 0;
	return !l->gone && l->asleep_until == 0;
}

static bool readable(struct level *l)
{
	return !(l->flags & STORE_WRITEONLY) && awake(l);
}

static bool writable(struct level *l)
{
	return !(l->flags & STORE_READONLY) && awake(l);
}

static double began(const struct level *l)
{
	return l->backend->remote ? clock_seconds() : 0;
}

static enum rc level_get(struct store *s, struct level *l, const void *key, size_t key_len, struct buf *out)
{
	struct err why = ERR_INIT;
	if (!readable(l))
		return RC_NO;
	double start = began(l);
	enum rc rc = l->backend->get(l->state, key, key_len, out, &s->stats.damaged, &why);
	if (rc != RC_OK && rc != RC_NO)
		went_away(s, l, &why, start);
	return rc == RC_OK ? RC_OK : RC_NO;
}

static bool level_put(struct store *s, struct level *l, const void *key, size_t key_len, const void *value,
		      size_t value_len)
{
	struct err why = ERR_INIT;
	if (!writable(l))
		return false;
	double start = began(l);
	enum rc rc = l->backend->put(l->state, key, key_len, value, value_len, &why);
	if (rc != RC_OK && rc != RC_NO)
		went_away(s, l, &why, start);
	return rc == RC_OK;
}

/* ---- opening */

static enum rc open_level(struct store *s, const char *uri, const struct store_id *id, struct err *e)
{
	const char *place;
	struct err why = ERR_INIT;
	const struct store_backend *backend = find_backend(uri, &place, e);
	if (!backend)
		return RC_INPUT;
	struct level *l = &s->level[s->n];
	*l = (struct level){.backend = backend, .flags = s->flags};
	double start = began(l);
	enum rc rc = backend->open(&l->state, place, id, &l->flags, &why);
	if (rc != RC_OK && !(rc == RC_ENV && l->state)) {
		if (e)
			*e = why;
		return rc;
	}
	s->n++;
	if (l->flags & STORE_FROZEN)
		l->flags |= STORE_READONLY;
	if (rc != RC_OK)
		went_away(s, l, &why, start);
	return RC_OK;
}

/* Whether a URI lists several stores: a path may hold commas, a server's address does not. */
static bool is_list(const char *uri)
{
	return strchr(uri, ',') && (strstr(uri, "://") || strstr(uri, "unix:"));
}

static enum rc open_levels(struct store *s, const char *uri, const struct store_id *id, struct err *e)
{
	if (!is_list(uri))
		return open_level(s, uri, id, e);
	enum rc rc = RC_OK;
	for (const char *at = uri; rc == RC_OK && at;) {
		size_t n = strcspn(at, ",");
		char *one = mem_strndup(at, n);
		if (!n)
			rc = err_set(e, RC_INPUT, "an empty place in the list of stores '%s'", uri);
		else if (s->n == MOST_LEVELS)
			rc = err_set(e, RC_INPUT, "more than %d stores in '%s'", MOST_LEVELS, uri);
		else
			rc = open_level(s, one, id, e);
		free(one);
		at = at[n] ? at + n + 1 : NULL;
	}
	return rc;
}

enum rc store_open(struct store **out, const char *uri, const struct store_id *id, unsigned flags, struct err *e)
{
	struct store *s = mem_zalloc(sizeof *s);
	s->flags = flags & STORE_FROZEN ? flags | STORE_READONLY : flags;
	enum rc rc = open_levels(s, uri, id, e);
	/* an answer is missing only when it is in none of them: one frozen level makes the whole frozen */
	for (size_t i = 0; i < s->n; i++)
		s->flags |= s->level[i].flags & STORE_FROZEN;
	if (rc == RC_OK)
		*out = s;
	else
		store_close(s);
	return rc;
}

bool store_remote(const char *uri)
{
	const char *place;
	const struct store_backend *backend = is_list(uri) ? NULL : find_backend(uri, &place, NULL);
	return !backend || backend->remote;
}

enum rc store_expiring(struct buf *out, const char *uri, uint64_t seconds, struct err *e)
{
	bool list = is_list(uri), any = false;
	for (const char *at = uri; at;) {
		size_t n = list ? strcspn(at, ",") : strlen(at);
		char *one = mem_strndup(at, n);
		const char *place, *parameters = strchr(one, '?');
		const struct store_backend *backend = find_backend(one, &place, NULL);
		bool expires = backend && backend->expires;
		buf_printf(out, "%s%s", at == uri ? "" : ",", one);
		if (expires && !(parameters && (strstr(parameters, "?ttl=") || strstr(parameters, "&ttl="))))
			buf_printf(out, "%cttl=%llu", parameters ? '&' : '?', (unsigned long long)seconds);
		any |= expires;
		free(one);
		at = at[n] ? at + n + 1 : NULL;
	}
	return any ? RC_OK : err_set(e, RC_INPUT, "--store-ttl needs a Redis server in --store");
}

/* ---- using */

static enum rc missing(const struct store *s, struct err *e)
{
	if (!(s->flags & STORE_FROZEN))
		return RC_NO;
	if (s->warning)
		return err_set(e, RC_INPUT, "a frozen store cannot answer: %s", s->warning);
	return err_set(e, RC_INPUT, "the frozen store has no answer to a question of this run");
}

enum rc store_get(struct store *s, const void *key, size_t key_len, struct buf *out, struct err *e)
{
	check(s);
	s->stats.gets++;
	size_t before = out->n;
	for (size_t i = 0; i < s->n && key_len <= largest_record; i++) {
		if (level_get(s, &s->level[i], key, key_len, out) != RC_OK)
			continue;
		s->stats.hits++;
		while (i-- > 0)
			level_put(s, &s->level[i], key, key_len, out->at + before, out->n - before);
		return RC_OK;
	}
	return missing(s, e);
}

enum rc store_put(struct store *s, const void *key, size_t key_len, const void *value, size_t value_len, struct err *e)
{
	bool kept = false;
	(void)e;
	check(s);
	if (key_len <= largest_record && value_len <= largest_record - key_len)
		for (size_t i = 0; i < s->n; i++)
			kept |= level_put(s, &s->level[i], key, key_len, value, value_len);
	s->stats.puts += kept;
	return RC_OK;
}

enum rc store_begin(struct store *s, struct err *e)
{
	(void)e;
	for (size_t i = 0; i < s->n; i++) {
		struct level *l = &s->level[i];
		struct err why = ERR_INIT;
		if (!writable(l) || l->batch)
			continue;
		double start = began(l);
		l->batch = !l->backend->begin || l->backend->begin(l->state, &why) == RC_OK;
		if (!l->batch)
			went_away(s, l, &why, start);
	}
	return RC_OK;
}

enum rc store_commit(struct store *s, struct err *e)
{
	(void)e;
	for (size_t i = 0; i < s->n; i++) {
		struct level *l = &s->level[i];
		struct err why = ERR_INIT;
		double start = began(l);
		if (l->batch && l->backend->commit && awake(l) && l->backend->commit(l->state, &why) != RC_OK)
			went_away(s, l, &why, start);
		l->batch = false;
	}
	return RC_OK;
}

/* Whom store_each gives the records of a level to. */
struct taker {
	struct store *s;
	size_t level;
	store_fn fn;
	void *user;
};

/* A record of a later level: not if one before has it too. */
static bool take_new(void *user, const void *key, size_t key_len, const void *value, size_t value_len)
{
	struct taker *t = user;
	struct buf ignored = {0};
	bool known = false;
	for (size_t i = 0; i < t->level && !known; i++)
		known = level_get(t->s, &t->s->level[i], key, key_len, &ignored) == RC_OK;
	buf_release(&ignored);
	if (known)
		return true;
	for (size_t i = 0; i < t->level; i++)
		level_put(t->s, &t->s->level[i], key, key_len, value, value_len);
	bool more = t->fn(t->user, key, key_len, value, value_len);
	if (!more)
		t->fn = NULL;
	return more;
}

enum rc store_each(struct store *s, store_fn fn, void *user, struct err *e)
{
	struct taker t = {.s = s, .fn = fn, .user = user};
	bool all = true;
	for (; t.level < s->n && t.fn; t.level++) {
		struct level *l = &s->level[t.level];
		struct err why = ERR_INIT;
		if (!readable(l)) {
			all = false;
			continue;
		}
		double start = began(l);
		enum rc rc = l->backend->each(l->state, take_new, &t, &s->stats.damaged, &why);
		if (rc == RC_OK || rc == RC_NO)
			continue;
		went_away(s, l, &why, start);
		all = false;
	}
	return all || !(s->flags & STORE_FROZEN) ? RC_OK : missing(s, e);
}

/* Something new of a level: those before it get it too. */
static bool take_news(void *user, const void *key, size_t key_len, const void *value, size_t value_len)
{
	struct taker *t = user;
	for (size_t i = 0; i < t->level; i++)
		level_put(t->s, &t->s->level[i], key, key_len, value, value_len);
	return t->fn(t->user, key, key_len, value, value_len);
}

void store_news(struct store *s, store_fn fn, void *user)
{
	struct taker t = {.s = s, .fn = fn, .user = user};
	for (; t.level < s->n; t.level++) {
		struct level *l = &s->level[t.level];
		struct err why = ERR_INIT;
		if (!l->backend->news || !(l->flags & STORE_NEWS) || !readable(l))
			continue;
		double start = began(l);
		enum rc rc = l->backend->news(l->state, take_news, &t, &s->stats.damaged, &why);
		if (rc != RC_OK && rc != RC_NO)
			went_away(s, l, &why, start);
	}
}

struct store_stats store_stats(const struct store *s)
{
	return s->stats;
}

const char *store_warning(const struct store *s)
{
	return s->warning;
}

bool store_failed(const struct store *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->level[i].gone)
			return true;
	return false;
}

void store_close(struct store *s)
{
	if (!s)
		return;
	store_commit(s, NULL);
	check(s);
	for (size_t i = 0; i < s->n; i++)
		s->level[i].backend->close(s->level[i].state);
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
		return err_set(e, RC_INPUT, "'%s' cannot be looked into: only SQLite and Redis can list what they hold",
			       uri);
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

bool store_prune_meets(const struct store_prune *what, const struct store_record *r)
{
	char hex[2 * sizeof r->id.scope.byte + 1];
	digest_hex(r->id.scope.byte, sizeof r->id.scope.byte, hex);
	return r->time < what->before && (!what->engine || strcmp(what->engine, r->id.engine) == 0) &&
	       (!what->scope || strncmp(what->scope, hex, strlen(what->scope)) == 0) && (!what->damaged || r->damaged);
}

void store_admin_close(struct store_admin *a)
{
	if (!a)
		return;
	a->ops->close(a->state);
	free(a);
}
