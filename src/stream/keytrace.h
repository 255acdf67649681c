/* SPDX-License-Identifier: MIT */
/* Key traces (rft): the stream of keys a cache was asked for. Any cache in the program can write one, and
 * `refrain trace` reads it.
 *
 * File: header (magic, version, unit, columns, reduction method and k, requests before the reduction, source text),
 * blocks (keys mostly as distances to where they were last, each with count, length and XXH3 checksum), footer
 * (counts). A file without its footer is truncated, and said to be. All integers little-endian. */
#ifndef STREAM_KEYTRACE_H
#define STREAM_KEYTRACE_H

#include "data/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a reference may have beside its key. */
enum keytrace_column {
	COLUMN_SIZE,      /* bytes of the object */
	COLUMN_TIME,      /* when, in ticks */
	COLUMN_OPERATION, /* what was asked for, as libCacheSim numbers it: 1 get, 3 set, 9 delete, 12 read, 13 write */
	COLUMN_TENANT,    /* on whose behalf: a tenant, a process */
	COLUMN_COST,      /* what a miss costs, in millionths of the unit the user has in mind */
	COLUMN_REQUEST,   /* number of the request that the reference is part of */
	COLUMNS
};

enum keytrace_method { KEYTRACE_WHOLE, KEYTRACE_OLR, KEYTRACE_SAD };

struct keytrace_header {
	uint64_t unit; /* bytes a block stands for; 0: keys are opaque */
	union {
		bool sizes; /* as has[COLUMN_SIZE] */
		bool has[COLUMNS];
	};
	uint64_t ticks;              /* of a time stamp, in a second; 0: not known */
	enum keytrace_method method; /* how it was reduced */
	uint64_t k;                  /* of the reduction */
	uint64_t original_requests;  /* before the reduction; 0: not reduced, or only the footer has it */
	char source[256];            /* where it came from, for people */
};

/* "whole", "olr", "sad" */
const char *keytrace_method_name(enum keytrace_method m);
/* "size", "time", "operation", "tenant", "cost", "request" */
const char *keytrace_column_name(enum keytrace_column c);

struct keytrace_writer;
/* path "-" is standard output. The file appears under its name only when closed well (a temporary file beside it),
 * unless it is a pipe or device. */
enum rc keytrace_create(struct keytrace_writer **out, const char *path, const struct keytrace_header *h, struct err *e);
/* Buffered; an error is kept and returned by every later call. */
enum rc keytrace_add(struct keytrace_writer *w, uint64_t key, uint64_t size);
enum rc keytrace_add_many(struct keytrace_writer *w, const uint64_t *keys, size_t n);
/* With the columns that the header has; those it has not are not looked at. */
enum rc keytrace_add_rows(struct keytrace_writer *w, const uint64_t *keys, const uint64_t *const column[COLUMNS],
			  size_t n);
/* count keys that are encoded already (base/keyblock.h), for files without columns; the keys are not looked at. */
enum rc keytrace_add_block(struct keytrace_writer *w, size_t count, const void *payload, size_t len);
/* original_requests is written to the footer (0: as in the header). Frees w in any case. */
enum rc keytrace_close(struct keytrace_writer *w, uint64_t original_requests, struct err *e);
/* Gives up: removes the temporary file and frees w. */
void keytrace_abandon(struct keytrace_writer *w);

struct keytrace_reader;
struct input;
enum { KEYTRACE_MAGIC_LEN = 8 };
extern const unsigned char keytrace_magic[KEYTRACE_MAGIC_LEN];
/* From an open input at the magic, which the reader then owns (freed on failure too). */
enum rc keytrace_open_input(struct keytrace_reader **out, struct input *in, struct err *e);
const struct keytrace_header *keytrace_reader_header(const struct keytrace_reader *r);
/* Up to n keys (and sizes unless sizes is NULL); *got 0 at the end. A damaged block is RC_INPUT and names the
 * record. */
enum rc keytrace_read(struct keytrace_reader *r, uint64_t *keys, uint64_t *sizes, size_t n, size_t *got, struct err *e);
/* The same with all columns: column[c] may be NULL, and must be when the file has no such column. */
enum rc keytrace_read_rows(struct keytrace_reader *r, uint64_t *keys, uint64_t *const column[COLUMNS], size_t n,
			   size_t *got, struct err *e);
/* After the end: from the footer, else what the header says. 0: not reduced. */
uint64_t keytrace_original_requests(const struct keytrace_reader *r);
void keytrace_reader_free(struct keytrace_reader *r);

#endif
