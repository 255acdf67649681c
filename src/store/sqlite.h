/* SPDX-License-Identifier: MIT */
/* The SQLite file behind a store: what sqlite.c (records of one identity) and sqlite_admin.c (all of
 * them) share. */
#ifndef STORE_SQLITE_H
#define STORE_SQLITE_H

#include "store/backend.h"

#include <sqlite3.h>

struct sqlite_file {
	sqlite3 *db;
	char *path;
	bool write;
};

/* Opens a store file; a new one is made when create is set. A file that is not a store of ours, or too damaged to use,
 * is RC_INPUT and is not touched. */
enum rc sqlite_file_open(struct sqlite_file *f, const char *path, bool write, bool create, struct err *e);
void sqlite_file_close(struct sqlite_file *f);

/* Makes an error of a result of SQLite: damage is RC_INPUT, all else RC_ENV. Returns it. */
enum rc sqlite_fail(const struct sqlite_file *f, int result, struct err *e);
enum rc sqlite_prepare(const struct sqlite_file *f, const char *sql, sqlite3_stmt **out, struct err *e);
/* Runs a statement that gives no rows, and makes it ready for its next use. */
enum rc sqlite_run(const struct sqlite_file *f, sqlite3_stmt *s, struct err *e);
enum rc sqlite_exec(const struct sqlite_file *f, const char *sql, struct err *e);
/* As sqlite3_bind_blob64, but an empty blob is not NULL. */
void sqlite_bind_bytes(sqlite3_stmt *s, int at, const void *p, size_t n);
/* A column's bytes; false (and none) when it holds something else, which we never wrote. */
bool sqlite_bytes(sqlite3_stmt *s, int column, const void **p, size_t *n);

extern const struct store_admin_ops store_sqlite_admin;

#endif
