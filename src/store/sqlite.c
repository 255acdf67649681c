/* SPDX-License-Identifier: MIT */
/* A store in an SQLite file, shared by processes and runs: see backend.h and, for the file, sqlite.h.
 *
 * A record is found by (identity, XXH3 of the key); then the whole key is compared and the checksum over identity, key
 * and value verified, so that whatever a damaged page makes SQLite answer, a get returns the value that was put or
 * a miss. Each put is one immediate transaction: look up, then update or insert; within begin … commit it is part of
 * the open one. */
#include "store/sqlite.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

enum statement {
	FIND_IDENTITY,
	ADD_IDENTITY,
	GET,
	FIND,
	INSERT,
	UPDATE,
	IDS,
	BY_ID,
	BEGIN,
	COMMIT,
	ROLLBACK,
	N_STATEMENTS
};

static const char *const sql[N_STATEMENTS] = {
	[FIND_IDENTITY] = "SELECT id FROM identity WHERE engine=?1 AND schema=?2 AND scope=?3",
	[ADD_IDENTITY] = "INSERT INTO identity(engine, schema, scope, created) VALUES(?1, ?2, ?3, ?4)",
	[GET] = ("SELECT key, sum, value FROM entry WHERE hash=?4 AND identity="
		 "(SELECT id FROM identity WHERE engine=?1 AND schema=?2 AND scope=?3)"),
	[FIND] = "SELECT id, key FROM entry WHERE identity=?1 AND hash=?2",
	[INSERT] = "INSERT INTO entry(identity, hash, sum, time, key, value) VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
	[UPDATE] = "UPDATE entry SET sum=?2, time=?3, value=?4 WHERE id=?1",
	[IDS] = "SELECT id FROM entry WHERE identity=?1 ORDER BY id",
	[BY_ID] = "SELECT key, sum, value FROM entry WHERE id=?1",
	[BEGIN] = "BEGIN IMMEDIATE",
	[COMMIT] = "COMMIT",
	[ROLLBACK] = "ROLLBACK",
};

struct sqlite_store {
	struct sqlite_file file;
	sqlite3_stmt *stmt[N_STATEMENTS];
	char *engine;
	struct store_id id;
	uint64_t seed;
	bool batch;
};

static void close_store(void *state)
{
	struct sqlite_store *s = state;
	for (int i = 0; i < N_STATEMENTS; i++)
		sqlite3_finalize(s->stmt[i]);
	sqlite_file_close(&s->file);
	free(s->engine);
	free(s);
}

static enum rc open_store(void **state, const char *place, const struct store_id *id, unsigned *flags, struct err *e)
{
	struct sqlite_store *s = mem_zalloc(sizeof *s);
	bool write = !(*flags & STORE_READONLY);
	s->engine = mem_strdup(id->engine);
	s->id = *id;
	s->id.engine = s->engine;
	s->seed = store_seed(id);
	enum rc rc = sqlite_file_open(&s->file, place, write, write, e);
	for (int i = 0; rc == RC_OK && i < N_STATEMENTS; i++)
		rc = sqlite_prepare(&s->file, sql[i], &s->stmt[i], e);
	for (int i = FIND_IDENTITY; rc == RC_OK && i <= GET; i++) {
		sqlite3_bind_text(s->stmt[i], 1, s->engine, -1, SQLITE_STATIC);
		sqlite3_bind_int64(s->stmt[i], 2, s->id.schema);
		sqlite_bind_bytes(s->stmt[i], 3, s->id.scope.byte, sizeof s->id.scope.byte);
	}
	if (rc == RC_OK)
		*state = s;
	else
		close_store(s);
	return rc;
}

/* The number of our identity in this file, or RC_NO. It is asked for every time: another process may prune it. */
static enum rc identity(struct sqlite_store *s, int64_t *out, struct err *e)
{
	sqlite3_stmt *q = s->stmt[FIND_IDENTITY];
	int r = sqlite3_step(q);
	if (r == SQLITE_ROW)
		*out = sqlite3_column_int64(q, 0);
	sqlite3_reset(q);
	return r == SQLITE_ROW ? RC_OK : r == SQLITE_DONE ? RC_NO : sqlite_fail(&s->file, r, e);
}

/* Whether the row (key, sum, value) of q is what was put under this identity. */
static enum rc read_record(struct sqlite_store *s, sqlite3_stmt *q, const void **key, size_t *key_len,
			   const void **value, size_t *value_len)
{
	if (!sqlite_bytes(q, 0, key, key_len) || !sqlite_bytes(q, 2, value, value_len))
		return RC_NO;
	uint64_t sum = (uint64_t)sqlite3_column_int64(q, 1);
	return sum == store_sum(s->seed, *key, *key_len, *value, *value_len) ? RC_OK : RC_NO;
}

static bool same(const void *a, size_t a_len, const void *b, size_t b_len)
{
	return a_len == b_len && (a_len == 0 || memcmp(a, b, a_len) == 0);
}

static enum rc get(void *state, const void *key, size_t key_len, struct buf *out, uint64_t *damaged, struct err *e)
{
	struct sqlite_store *s = state;
	sqlite3_stmt *q = s->stmt[GET];
	sqlite3_bind_int64(q, 4, (int64_t)hash64(key, key_len));
	int r;
	enum rc rc = RC_NO;
	while (rc == RC_NO && (r = sqlite3_step(q)) == SQLITE_ROW) {
		const void *k, *v;
		size_t kn, vn;
		if (read_record(s, q, &k, &kn, &v, &vn) != RC_OK) {
			++*damaged;
		} else if (same(k, kn, key, key_len)) {
			buf_add(out, v, vn);
			rc = RC_OK;
		}
	}
	if (rc == RC_NO && r != SQLITE_DONE)
		rc = sqlite_fail(&s->file, r, e);
	sqlite3_reset(q);
	return rc;
}

static enum rc find(struct sqlite_store *s, int64_t id, const void *key, size_t key_len, int64_t *row, struct err *e)
{
	sqlite3_stmt *q = s->stmt[FIND];
	sqlite3_bind_int64(q, 1, id);
	sqlite3_bind_int64(q, 2, (int64_t)hash64(key, key_len));
	int r;
	enum rc rc = RC_NO;
	while (rc == RC_NO && (r = sqlite3_step(q)) == SQLITE_ROW) {
		const void *k;
		size_t kn;
		if (sqlite_bytes(q, 1, &k, &kn) && same(k, kn, key, key_len)) {
			*row = sqlite3_column_int64(q, 0);
			rc = RC_OK;
		}
	}
	if (rc == RC_NO && r != SQLITE_DONE)
		rc = sqlite_fail(&s->file, r, e);
	sqlite3_reset(q);
	return rc;
}

static enum rc add_identity(struct sqlite_store *s, int64_t *id, struct err *e)
{
	sqlite3_bind_int64(s->stmt[ADD_IDENTITY], 4, (int64_t)time(NULL));
	enum rc rc = sqlite_run(&s->file, s->stmt[ADD_IDENTITY], e);
	*id = sqlite3_last_insert_rowid(s->file.db);
	return rc;
}

/* Inside a transaction. */
static enum rc write_record(struct sqlite_store *s, const void *key, size_t key_len, const void *value,
			    size_t value_len, struct err *e)
{
	int64_t id, row = 0;
	enum rc rc = identity(s, &id, e);
	if (rc == RC_NO)
		rc = add_identity(s, &id, e);
	if (rc != RC_OK)
		return rc;
	rc = find(s, id, key, key_len, &row, e);
	if (rc != RC_OK && rc != RC_NO)
		return rc;
	sqlite3_stmt *q = s->stmt[rc == RC_OK ? UPDATE : INSERT];
	int at = 1;
	sqlite3_bind_int64(q, at++, rc == RC_OK ? row : id);
	if (rc == RC_NO)
		sqlite3_bind_int64(q, at++, (int64_t)hash64(key, key_len));
	sqlite3_bind_int64(q, at++, (int64_t)store_sum(s->seed, key, key_len, value, value_len));
	sqlite3_bind_int64(q, at++, (int64_t)time(NULL));
	if (rc == RC_NO)
		sqlite_bind_bytes(q, at++, key, key_len);
	sqlite_bind_bytes(q, at, value, value_len);
	return sqlite_run(&s->file, q, e);
}

/* A deleted or moved file takes writes without complaint; nobody will ever read them. */
static enum rc still_there(struct sqlite_store *s, struct err *e)
{
	int moved = 0;
	if (sqlite3_file_control(s->file.db, "main", SQLITE_FCNTL_HAS_MOVED, &moved) == SQLITE_OK && moved)
		return err_set(e, RC_ENV, "the store '%s' was moved or deleted", s->file.path);
	return RC_OK;
}

static enum rc end_transaction(struct sqlite_store *s, enum rc rc, struct err *e)
{
	if (rc == RC_OK)
		rc = sqlite_run(&s->file, s->stmt[COMMIT], e);
	if (rc != RC_OK && !sqlite3_get_autocommit(s->file.db))
		sqlite_run(&s->file, s->stmt[ROLLBACK], NULL);
	return rc == RC_OK ? still_there(s, e) : rc;
}

static enum rc put(void *state, const void *key, size_t key_len, const void *value, size_t value_len, struct err *e)
{
	struct sqlite_store *s = state;
	if (s->batch)
		return write_record(s, key, key_len, value, value_len, e);
	enum rc rc = sqlite_run(&s->file, s->stmt[BEGIN], e);
	if (rc != RC_OK)
		return rc;
	return end_transaction(s, write_record(s, key, key_len, value, value_len, e), e);
}

static enum rc begin(void *state, struct err *e)
{
	struct sqlite_store *s = state;
	enum rc rc = sqlite_run(&s->file, s->stmt[BEGIN], e);
	s->batch = rc == RC_OK;
	return rc;
}

static enum rc commit(void *state, struct err *e)
{
	struct sqlite_store *s = state;
	s->batch = false;
	return end_transaction(s, RC_OK, e);
}

/* Whom each() gives the records to. */
struct taker {
	store_fn fn;
	void *user;
	struct buf copy; /* of the record */
	uint64_t *damaged;
};

/* The record is copied: fn may put, and so move what SQLite points to. RC_NO when fn wants no more. */
static enum rc give_record(struct sqlite_store *s, int64_t row, struct taker *to, struct err *e)
{
	sqlite3_stmt *q = s->stmt[BY_ID];
	const void *k, *v;
	size_t kn = 0, vn = 0;
	bool good = false;
	sqlite3_bind_int64(q, 1, row);
	int r = sqlite3_step(q);
	buf_clear(&to->copy);
	if (r == SQLITE_ROW) {
		good = read_record(s, q, &k, &kn, &v, &vn) == RC_OK;
		if (good) {
			buf_add(&to->copy, k, kn);
			buf_add(&to->copy, v, vn);
		} else {
			++*to->damaged;
		}
	}
	sqlite3_reset(q);
	if (r != SQLITE_ROW && r != SQLITE_DONE)
		return sqlite_fail(&s->file, r, e);
	return !good || to->fn(to->user, to->copy.at, kn, to->copy.at + kn, vn) ? RC_OK : RC_NO;
}

static enum rc each(void *state, store_fn fn, void *user, uint64_t *damaged, struct err *e)
{
	struct sqlite_store *s = state;
	struct taker to = {.fn = fn, .user = user, .damaged = damaged};
	VEC(int64_t) rows = {0};
	int64_t id;
	enum rc rc = identity(s, &id, e);
	if (rc != RC_OK)
		return rc;
	sqlite3_stmt *q = s->stmt[IDS];
	sqlite3_bind_int64(q, 1, id);
	int r;
	while ((r = sqlite3_step(q)) == SQLITE_ROW)
		vec_push(&rows, sqlite3_column_int64(q, 0));
	sqlite3_reset(q);
	if (r != SQLITE_DONE)
		rc = sqlite_fail(&s->file, r, e);
	for (size_t i = 0; rc == RC_OK && i < rows.n; i++)
		rc = give_record(s, rows.at[i], &to, e);
	vec_release(&rows);
	buf_release(&to.copy);
	return rc;
}

const struct store_backend store_sqlite = {
	.scheme = "sqlite",
	.summary = "an SQLite file, shared by processes and runs",
	.open = open_store,
	.begin = begin,
	.commit = commit,
	.admin = &store_sqlite_admin,
	STORE_OPERATIONS,
};
