/* SPDX-License-Identifier: MIT */
/* The SQLite file behind a store: making, recognising and opening it.
 *
 * A file is ours if its header carries our application_id, which is read from the bytes before SQLite sees the
 * file: SQLite would roll back or recover a stranger's database on opening it. The schema must be exactly ours, so
 * that a prepared file cannot bring triggers or views of its own.
 *
 * Write-ahead log with synchronous=NORMAL: a commit is in the kernel's hands before it returns, so it survives the
 * death of the process; it costs no fsync (13 times faster here). Where there is no shared memory for the log
 * (network folders), SQLite stays with a rollback journal and full synchronisation. No mmap of the database: a
 * file that somebody truncates while we read it would kill us with SIGBUS. */
#include "store/sqlite.h"

#include "base/bits.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
	APPLICATION_ID = 0x52664b56, /* "RfKV" */
	SCHEMA_VERSION = 1,
	BUSY_MS = 20000,
};

static const struct {
	const char *name, *sql;
} objects[] = {
	{"identity",
	 "CREATE TABLE identity(id INTEGER PRIMARY KEY AUTOINCREMENT, engine TEXT NOT NULL, schema INTEGER NOT NULL, "
	 "scope BLOB NOT NULL, created INTEGER NOT NULL, UNIQUE(engine, schema, scope))"},
	{"entry", "CREATE TABLE entry(id INTEGER PRIMARY KEY, identity INTEGER NOT NULL, hash INTEGER NOT NULL, "
		  "sum INTEGER NOT NULL, time INTEGER NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL)"},
	{"entry_find", "CREATE INDEX entry_find ON entry(identity, hash)"},
	/* SQLite's own, for AUTOINCREMENT: an identity's number is never given to another one */
	{"sqlite_sequence", NULL},
};

enum rc sqlite_fail(const struct sqlite_file *f, int result, struct err *e)
{
	/* SQLITE_NOMEM does not end us: a damaged file may ask SQLite for any amount, and the work goes on without */
	switch (result & 0xff) {
	case SQLITE_CORRUPT:
	case SQLITE_NOTADB:
	case SQLITE_MISMATCH:
		return err_set(e, RC_INPUT, "the store '%s' is damaged", f->path);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return err_set(e, RC_ENV, "the store '%s' was locked by another process for %d s", f->path,
			       BUSY_MS / 1000);
	case SQLITE_FULL:
		return err_set(e, RC_ENV, "no space left for the store '%s'", f->path);
	default:
		return err_set(e, RC_ENV, "the store '%s' failed: %s", f->path,
			       f->db ? sqlite3_errmsg(f->db) : sqlite3_errstr(result));
	}
}

enum rc sqlite_prepare(const struct sqlite_file *f, const char *sql, sqlite3_stmt **out, struct err *e)
{
	int r = sqlite3_prepare_v3(f->db, sql, -1, SQLITE_PREPARE_PERSISTENT, out, NULL);
	return r == SQLITE_OK ? RC_OK : sqlite_fail(f, r, e);
}

enum rc sqlite_run(const struct sqlite_file *f, sqlite3_stmt *s, struct err *e)
{
	int r = sqlite3_step(s);
	enum rc rc = r == SQLITE_DONE || r == SQLITE_ROW ? RC_OK : sqlite_fail(f, r, e);
	sqlite3_reset(s);
	return rc;
}

enum rc sqlite_exec(const struct sqlite_file *f, const char *sql, struct err *e)
{
	int r = sqlite3_exec(f->db, sql, NULL, NULL, NULL);
	return r == SQLITE_OK ? RC_OK : sqlite_fail(f, r, e);
}

void sqlite_bind_bytes(sqlite3_stmt *s, int at, const void *p, size_t n)
{
	sqlite3_bind_blob64(s, at, n ? p : "", n, SQLITE_STATIC);
}

bool sqlite_bytes(sqlite3_stmt *s, int column, const void **p, size_t *n)
{
	*p = NULL;
	*n = 0;
	/* of any other type SQLite makes text, and may move it when it is asked for the length */
	if (sqlite3_column_type(s, column) != SQLITE_BLOB)
		return false;
	*p = sqlite3_column_blob(s, column);
	*n = (size_t)sqlite3_column_bytes(s, column);
	if (*n && !*p)
		mem_oom(*n);
	return true;
}

static uint32_t big_endian(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* RC_OK: a store of ours; RC_NO: nothing there yet (no file, or an empty one). */
static enum rc look_at_header(const char *path, struct err *e)
{
	unsigned char head[100];
	struct stat st;
	if (stat(path, &st) != 0)
		return errno == ENOENT ? RC_NO : err_sys(e, RC_ENV, errno, "cannot open the store '%s'", path);
	if (!S_ISREG(st.st_mode))
		return err_set(e, RC_INPUT, "'%s' is not a file and so not a store", path);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return err_sys(e, RC_ENV, errno, "cannot open the store '%s'", path);
	ssize_t got = pread(fd, head, sizeof head, 0);
	int sys = errno;
	close(fd);
	if (got < 0)
		return err_sys(e, RC_ENV, sys, "cannot read the store '%s'", path);
	if (got == 0)
		return RC_NO;
	if (got < (ssize_t)sizeof head || memcmp(head, "SQLite format 3", 16) != 0 ||
	    big_endian(head + 68) != APPLICATION_ID)
		return err_set(e, RC_INPUT, "'%s' is not a store of refrain; it was left alone", path);
	if (big_endian(head + 60) != SCHEMA_VERSION)
		return err_set(e, RC_INPUT, "the store '%s' has format %u, this refrain knows format %d", path,
			       big_endian(head + 60), SCHEMA_VERSION);
	return RC_OK;
}

static enum rc check_schema(const struct sqlite_file *f, struct err *e)
{
	sqlite3_stmt *s;
	size_t known = 0, all = 0;
	enum rc rc = sqlite_prepare(f, "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL", &s, e);
	if (rc != RC_OK)
		return rc;
	int r;
	while ((r = sqlite3_step(s)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(s, 0),
			   *sql = (const char *)sqlite3_column_text(s, 1);
		for (size_t i = 0; i < ARRAY_LEN(objects); i++)
			known += name && sql && strcmp(name, objects[i].name) == 0 &&
				 (!objects[i].sql || strcmp(sql, objects[i].sql) == 0);
		all++;
	}
	sqlite3_finalize(s);
	if (r != SQLITE_DONE)
		return sqlite_fail(f, r, e);
	if (all == 0)
		return RC_NO;
	if (known != ARRAY_LEN(objects) || all != known)
		return err_set(e, RC_INPUT, "the store '%s' is damaged", f->path);
	return RC_OK;
}

/* In one transaction, so that of two processes that make the same file one waits and finds it made. */
static enum rc make(const struct sqlite_file *f, struct err *e)
{
	char sql[128];
	snprintf(sql, sizeof sql, "PRAGMA application_id=%d; PRAGMA user_version=%d", APPLICATION_ID, SCHEMA_VERSION);
	enum rc rc = sqlite_exec(f, "BEGIN EXCLUSIVE", e);
	if (rc != RC_OK)
		return rc;
	rc = check_schema(f, e);
	if (rc == RC_NO) {
		rc = sqlite_exec(f, sql, e);
		for (size_t i = 0; rc == RC_OK && i < ARRAY_LEN(objects); i++)
			if (objects[i].sql)
				rc = sqlite_exec(f, objects[i].sql, e);
	}
	if (rc == RC_OK)
		rc = sqlite_exec(f, "COMMIT", e);
	if (rc != RC_OK)
		sqlite3_exec(f->db, "ROLLBACK", NULL, NULL, NULL);
	return rc;
}

static void configure(const struct sqlite_file *f)
{
	sqlite3_extended_result_codes(f->db, 1);
	sqlite3_busy_timeout(f->db, BUSY_MS);
	sqlite3_db_config(f->db, SQLITE_DBCONFIG_DEFENSIVE, 1, NULL);
	sqlite3_db_config(f->db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, NULL);
	sqlite3_db_config(f->db, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, NULL);
	sqlite3_db_config(f->db, SQLITE_DBCONFIG_ENABLE_VIEW, 0, NULL);
	sqlite3_exec(f->db, "PRAGMA cell_size_check=ON; PRAGMA mmap_size=0; PRAGMA cache_size=-8192", NULL, NULL, NULL);
}

/* The log mode stays in the file, so this changes something once; when another process is in the way now, some
 * later opening does it. */
static void use_log(const struct sqlite_file *f)
{
	sqlite3_stmt *s;
	bool wal = false;
	if (sqlite3_prepare_v2(f->db, "PRAGMA journal_mode=WAL", -1, &s, NULL) == SQLITE_OK &&
	    sqlite3_step(s) == SQLITE_ROW) {
		const char *mode = (const char *)sqlite3_column_text(s, 0);
		wal = mode && strcmp(mode, "wal") == 0;
	}
	sqlite3_finalize(s);
	sqlite3_exec(f->db, wal ? "PRAGMA synchronous=NORMAL" : "PRAGMA synchronous=FULL", NULL, NULL, NULL);
}

/* A name that starts with ':' or "file:" means something else to SQLite. */
static char *file_name(const char *path)
{
	return path[0] == '/' ? mem_strdup(path) : mem_printf("./%s", path);
}

/* A folder in which SQLite can make no files beside the store (read-only medium, CI) needs a store that is said not
 * to change. */
static enum rc open_immutable(struct sqlite_file *f, struct err *e)
{
	struct buf uri = {0};
	char *name = file_name(f->path);
	buf_str_add(&uri, "file:");
	for (const char *p = name; *p; p++) {
		if (strchr("%?#", *p) || (unsigned char)*p < 0x21)
			buf_printf(&uri, "%%%02x", (unsigned char)*p);
		else
			buf_char(&uri, *p);
	}
	buf_str_add(&uri, "?immutable=1");
	free(name);
	sqlite3_close(f->db);
	f->db = NULL;
	int r = sqlite3_open_v2(buf_str(&uri), &f->db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI | SQLITE_OPEN_NOMUTEX,
				NULL);
	buf_release(&uri);
	if (r != SQLITE_OK)
		return sqlite_fail(f, r, e);
	configure(f);
	return check_schema(f, e);
}

static bool needs_immutable(const struct sqlite_file *f)
{
	int r = sqlite3_errcode(f->db) & 0xff;
	return r == SQLITE_CANTOPEN || r == SQLITE_READONLY || r == SQLITE_IOERR || r == SQLITE_PERM;
}

static enum rc open_existing(struct sqlite_file *f, bool create, struct err *e)
{
	struct err first = ERR_INIT;
	configure(f);
	enum rc rc = check_schema(f, &first);
	if (rc == RC_NO && create)
		rc = make(f, &first);
	else if (rc == RC_NO)
		rc = err_set(&first, RC_INPUT, "the store '%s' is damaged", f->path);
	else if (rc == RC_ENV && !f->write && needs_immutable(f))
		return open_immutable(f, e);
	if (rc != RC_OK)
		return err_set(e, rc, "%s", first.text);
	if (f->write)
		use_log(f);
	else
		sqlite3_exec(f->db, "PRAGMA query_only=1", NULL, NULL, NULL);
	return RC_OK;
}

/* What a store holds may be nobody else's business: the source under test, its verdicts. SQLite gives the files beside
 * the store the same mode. */
static enum rc make_private(const char *path, struct err *e)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(e, RC_ENV, errno, "cannot create the store '%s'", path);
	close(fd);
	return RC_OK;
}

enum rc sqlite_file_open(struct sqlite_file *f, const char *path, bool write, bool create, struct err *e)
{
	*f = (struct sqlite_file){.write = write};
	if (!*path)
		return err_set(e, RC_INPUT, "a store needs a file name");
	enum rc rc = look_at_header(path, e);
	if (rc == RC_NO && !create)
		return err_set(e, RC_INPUT, "no such store: '%s'", path);
	if (rc != RC_OK && rc != RC_NO)
		return rc;
	if (rc == RC_NO && make_private(path, e) != RC_OK)
		return RC_ENV;
	f->path = mem_strdup(path);
	char *name = file_name(path);
	int r = sqlite3_open_v2(name, &f->db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX, NULL);
	free(name);
	rc = r == SQLITE_OK ? open_existing(f, create, e) : sqlite_fail(f, r, e);
	if (rc == RC_OK && write && sqlite3_db_readonly(f->db, "main") == 1)
		rc = err_set(e, RC_ENV, "the store '%s' may not be written", f->path);
	if (rc != RC_OK)
		sqlite_file_close(f);
	return rc;
}

void sqlite_file_close(struct sqlite_file *f)
{
	/* statements of the callers are finalized; a failing close only leaks */
	sqlite3_close_v2(f->db);
	free(f->path);
	*f = (struct sqlite_file){0};
}
