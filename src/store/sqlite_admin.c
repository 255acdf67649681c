/* SPDX-License-Identifier: MIT */
/* An SQLite store seen from outside: every record of every identity, structural check, pruning. See admin.h. */
#include "store/sqlite.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static enum rc admin_open(void **state, const char *place, bool write, struct err *e)
{
	struct sqlite_file *f = mem_zalloc(sizeof *f);
	enum rc rc = sqlite_file_open(f, place, write, false, e);
	if (rc == RC_OK)
		*state = f;
	else
		free(f);
	return rc;
}

static void admin_close(void *state)
{
	sqlite_file_close(state);
	free(state);
}

/* Columns: id, time, key, sum, value, engine, schema, scope. */
static void read_row(sqlite3_stmt *q, struct store_record *r)
{
	const void *scope;
	size_t n;
	*r = (struct store_record){.time = sqlite3_column_int64(q, 1)};
	bool key = sqlite_bytes(q, 2, &r->key, &r->key_len), value = sqlite_bytes(q, 4, &r->value, &r->value_len);
	bool blobs = sqlite_bytes(q, 7, &scope, &n) && key && value;
	const char *engine = (const char *)sqlite3_column_text(q, 5);
	r->id.engine = engine ? engine : "";
	r->id.schema = (unsigned)sqlite3_column_int64(q, 6);
	if (n == sizeof r->id.scope.byte)
		memcpy(r->id.scope.byte, scope, n);
	uint64_t sum = store_sum(store_seed(&r->id), r->key, r->key_len, r->value, r->value_len);
	r->damaged = !blobs || !engine || n != sizeof r->id.scope.byte || (uint64_t)sqlite3_column_int64(q, 3) != sum;
}

/* The records in an order that is still to be added: the columns that read_row takes. */
#define SELECT_RECORDS                                                                                                 \
	"SELECT e.id, e.time, e.key, e.sum, e.value, i.engine, i.schema, i.scope FROM entry e "                        \
	"LEFT JOIN identity i ON i.id=e.identity ORDER BY "

static enum rc admin_each(void *state, store_record_fn fn, void *user, struct err *e)
{
	const struct sqlite_file *f = state;
	sqlite3_stmt *q;
	enum rc rc = sqlite_prepare(f, SELECT_RECORDS "e.id", &q, e);
	if (rc != RC_OK)
		return rc;
	int r;
	struct store_record record;
	while ((r = sqlite3_step(q)) == SQLITE_ROW) {
		read_row(q, &record);
		if (!fn(user, &record))
			break;
	}
	if (r != SQLITE_ROW && r != SQLITE_DONE)
		rc = sqlite_fail(f, r, e);
	sqlite3_finalize(q);
	return rc;
}

static enum rc admin_check(void *state, struct buf *problems, struct err *e)
{
	const struct sqlite_file *f = state;
	sqlite3_stmt *q;
	bool good = false;
	enum rc rc = sqlite_prepare(f, "PRAGMA integrity_check(20)", &q, e);
	if (rc != RC_OK)
		return rc;
	int r;
	while ((r = sqlite3_step(q)) == SQLITE_ROW) {
		const char *text = (const char *)sqlite3_column_text(q, 0);
		good = text && strcmp(text, "ok") == 0;
		if (!good)
			buf_printf(problems, "%s\n", text ? text : "?");
	}
	sqlite3_finalize(q);
	if (r != SQLITE_DONE) {
		buf_printf(problems, "%s\n", sqlite3_errstr(r));
		good = false;
	}
	return good ? RC_OK : RC_NO;
}

/* Records that meet the conditions, oldest first, and what they hold. */
struct choice {
	VEC(struct {
		int64_t row;
		uint64_t bytes;
	})
	rows;
};

static enum rc choose(const struct sqlite_file *f, const struct store_prune *what, struct choice *c, struct err *e)
{
	sqlite3_stmt *q;
	enum rc rc = sqlite_prepare(f, SELECT_RECORDS "e.time, e.id", &q, e);
	if (rc != RC_OK)
		return rc;
	int r;
	while ((r = sqlite3_step(q)) == SQLITE_ROW) {
		struct store_record record;
		read_row(q, &record);
		if (!store_prune_meets(what, &record))
			continue;
		vec_reserve(&c->rows, 1);
		c->rows.at[c->rows.n].row = sqlite3_column_int64(q, 0);
		c->rows.at[c->rows.n++].bytes = record.key_len + record.value_len;
	}
	if (r != SQLITE_DONE)
		rc = sqlite_fail(f, r, e);
	sqlite3_finalize(q);
	/* the newest may stay */
	uint64_t kept = 0;
	while (what->keep_bytes && c->rows.n && kept + vec_last(&c->rows).bytes <= what->keep_bytes) {
		kept += vec_last(&c->rows).bytes;
		c->rows.n--;
	}
	return rc;
}

static enum rc remove_rows(const struct sqlite_file *f, const struct choice *c, struct store_pruned *out, struct err *e)
{
	sqlite3_stmt *q;
	enum rc rc = sqlite_prepare(f, "DELETE FROM entry WHERE id=?1", &q, e);
	if (rc != RC_OK)
		return rc;
	for (size_t i = 0; rc == RC_OK && i < c->rows.n; i++) {
		sqlite3_bind_int64(q, 1, c->rows.at[i].row);
		rc = sqlite_run(f, q, e);
		out->entries++;
		out->bytes += c->rows.at[i].bytes;
	}
	sqlite3_finalize(q);
	return rc == RC_OK ? sqlite_exec(f, "DELETE FROM identity WHERE id NOT IN (SELECT identity FROM entry)", e)
			   : rc;
}

static uint64_t file_size(const struct sqlite_file *f)
{
	static const char *const parts[] = {"", "-wal"};
	uint64_t sum = 0;
	for (size_t i = 0; i < 2; i++) {
		struct stat st;
		char *path = mem_printf("%s%s", f->path, parts[i]);
		if (stat(path, &st) == 0)
			sum += (uint64_t)st.st_size;
		free(path);
	}
	return sum;
}

static enum rc admin_prune(void *state, const struct store_prune *what, struct store_pruned *out, struct err *e)
{
	const struct sqlite_file *f = state;
	struct choice c = {0};
	*out = (struct store_pruned){.file_before = file_size(f)};
	enum rc rc = sqlite_exec(f, "BEGIN IMMEDIATE", e);
	if (rc != RC_OK)
		return rc;
	rc = choose(f, what, &c, e);
	if (rc == RC_OK)
		rc = remove_rows(f, &c, out, e);
	if (rc == RC_OK)
		rc = sqlite_exec(f, "COMMIT", e);
	if (rc != RC_OK)
		sqlite3_exec(f->db, "ROLLBACK", NULL, NULL, NULL);
	else
		rc = sqlite_exec(f, "VACUUM; PRAGMA wal_checkpoint(TRUNCATE)", e);
	vec_release(&c.rows);
	out->file_after = file_size(f);
	return rc;
}

const struct store_admin_ops store_sqlite_admin = {
	.open = admin_open,
	.each = admin_each,
	.check = admin_check,
	.prune = admin_prune,
	.close = admin_close,
};
