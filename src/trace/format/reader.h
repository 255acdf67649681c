/* SPDX-License-Identifier: MIT */
/* Reading traces of any known format as blocks of keys, with what else the format says about each reference. To add a
 * format: one file with a struct trace_format, and its name in TRACE_FORMATS (formats.h). */
#ifndef TRACE_READER_H
#define TRACE_READER_H

#include "stream/keytrace.h"

#include <stddef.h>

enum { TRACE_BLOCK = 16384 };

/* How to read a trace; all zero: recognise the format. */
struct trace_options {
	const char *format;          /* a name; NULL: by first bytes, suffix or text */
	const char *delimiter;       /* csv: one character; NULL: comma, or tab for *.tsv */
	const char *key;             /* csv, columns: the key's column, a number from 1 or a name; NULL: "key" or 1 */
	const char *path;            /* jsonl: where the key is, as in a.b[].c */
	const char *column[COLUMNS]; /* the same for what else there is; NULL: none, or as the header names it */
	const char *names;           /* csv, columns: names of the columns, with commas */
	bool header, no_header;      /* csv, columns: the first line has names; has none; neither: find out */
	const char *access;          /* din, lackey: "all" (or NULL), "data" or "fetch" */
	bool strings;                /* keys are strings, also those that look like numbers */
	bool all_columns;            /* read all that the format has; else sizes, and what `column` names */
	bool costs;                  /* read what misses cost, where the format has it */
	bool requests;               /* number the requests that references are parts of: lines of text, of jsonl */
	bool by_tenant;              /* equal keys of different tenants are different keys */
	uint64_t unit;  /* bytes of a block: keys are addresses, large requests are split; 0: keys as they are */
	uint64_t limit; /* stop after so many references; 0: none */
};

struct trace_block {
	const uint64_t *keys;
	union {
		const uint64_t *sizes;           /* as column[COLUMN_SIZE] */
		const uint64_t *column[COLUMNS]; /* NULL: the trace has none, or it was not asked for */
	};
	size_t n; /* 0 at the end */
};

struct trace_meta {
	const char *format;
	bool compressed;
	uint64_t unit; /* bytes a key stands for; 0: keys are opaque */
	union {
		bool sizes;        /* as has[COLUMN_SIZE] */
		bool has[COLUMNS]; /* what blocks have */
	};
	uint64_t ticks;    /* of time stamps, in a second; 0: not known */
	bool strings;      /* keys are hashes of strings */
	bool by_tenant;    /* keys are hashes of tenant and key */
	bool header_found; /* the first line was taken for the columns' names without being told so */
	unsigned assumed;  /* csv, columns: nobody said which of so many columns has the key: the first; else 0 */
	enum keytrace_method method;
	uint64_t k;
	uint64_t original_requests; /* of a reduced trace, known at its end; else 0 */
	char source[256];
};

struct trace_reader;
struct input;

/* path "-" is standard input. */
enum rc trace_open(struct trace_reader **out, const char *path, const struct trace_options *o, struct err *e);
/* From an open input, which the reader then owns (freed on failure too). name is looked at for a suffix. */
enum rc trace_open_input(struct trace_reader **out, struct input *in, const char *name, const struct trace_options *o,
			 struct err *e);
/* The next references, valid until the next call. Bad data is RC_INPUT and names the record or line. */
enum rc trace_next(struct trace_reader *r, struct trace_block *b, struct err *e);
const struct trace_meta *trace_meta(const struct trace_reader *r);
const char *trace_name(const struct trace_reader *r);
/* Whether the limit ended it before the data did. */
bool trace_limited(const struct trace_reader *r);
/* How much of the file was read, 0 … 1; negative: not known (a pipe). */
double trace_position(const struct trace_reader *r);
void trace_free(struct trace_reader *r);

/* Which references of an address trace are read: choices of trace_options.access, NULL after the last. */
const char *trace_access_name(size_t i);

/* The formats' names, NULL after the last. */
const char *trace_format_name(size_t i);

/* "get", "set" …; NULL for a number that has no name. */
const char *trace_operation_name(uint64_t number);

#endif
