/* SPDX-License-Identifier: MIT */
/* Inside of the trace reader: what a format's file needs. */
#ifndef TRACE_FORMATS_H
#define TRACE_FORMATS_H

#include "data/buf.h"
#include "stream/input.h"
#include "trace/format/reader.h"

struct trace_format {
	const char *name;
	const char *suffixes[4]; /* with the dot, without .gz, .zst or .xz; NULL-ended */
	unsigned columns;        /* bit c: it always has column c */
	bool binary;             /* records without a mark: text under its suffix is refused */
	bool requests;           /* it can number requests: its lines are some */
	uint64_t address_unit;   /* bytes that a difference of 1 in its keys stands for */
	uint64_t ticks;          /* of its time stamps, in a second; 0: not known */
	/* Whether data that starts so is surely of this format; NULL: it has no mark. */
	bool (*sniff)(const unsigned char *p, size_t n);
	/* Reads a header, makes the private state; NULL: none. */
	enum rc (*begin)(struct trace_reader *r, struct err *e);
	/* Fills r->block with the next references; none at the end. */
	enum rc (*decode)(struct trace_reader *r, struct err *e);
	void (*end)(struct trace_reader *r);
};

/* All formats; NAME is defined as format_NAME. */
/* clang-format off */
#define TRACE_FORMATS(X)                                                                                               \
	X(text) X(hex) X(strings) X(lines) X(csv) X(u32) X(u64) X(rft) X(oracle) X(lcs) X(twr) X(vscsi) X(din)         \
	X(lackey) X(columns) X(jsonl) X(u32be) X(u64be)
/* clang-format on */
#define X(NAME) extern const struct trace_format format_##NAME;
TRACE_FORMATS(X)
#undef X

#define HAS(c) (1u << COLUMN_##c)

/* Sets r->format, by the options, the first bytes or the file's name. */
enum rc trace_find_format(struct trace_reader *r, const char *name, struct err *e);

enum { DOUBT_BYTES = 16384 };
/* The format that the first n bytes (DOUBT_BYTES are enough) surely are of, where f, keys alone, is another; NULL:
 * there is no doubt. See doubt.c. */
const char *trace_other_words(const struct trace_format *f, const unsigned char *p, size_t n);

/* Numbers in lines might be a table: the number of a column that rises from line to line, as times do, while another
 * one falls somewhere, and how many there are; 0: none. */
size_t trace_rising_column(const unsigned char *p, size_t n, size_t *columns);

#define LCS_MAGIC 0x123456789abcdef0u
enum { LCS_HEADER = 8192 };

/* What the ids of a text are. TOKEN_WORD: strings, one on a line. */
enum token_kind { TOKEN_UNKNOWN, TOKEN_NUMBER, TOKEN_HEX, TOKEN_STRING, TOKEN_WORD };

struct trace_reader {
	struct input *in;
	const struct trace_format *format;
	struct trace_options o;
	struct trace_meta meta;
	uint64_t records, references; /* read so far; handed out so far */
	uint64_t sum[2];              /* of the sizes and of the costs handed out */
	bool limited;
	bool said;                /* the format was named, not found out */
	bool default_delimiter;   /* csv: nobody chose it */
	struct trace_block block; /* what decode made: keys and columns point to the arrays below, or into the input */
	size_t at;                /* --unit: what of it was split so far */
	uint64_t part;            /* --unit: how far into the request at `at` */
	uint64_t scale;           /* --unit: bytes that a difference of 1 in the keys stands for */
	uint64_t keys[TRACE_BLOCK], out_keys[TRACE_BLOCK];
	uint64_t *column[COLUMNS];     /* TRACE_BLOCK of each that decode fills; NULL: not wanted */
	uint64_t *out_column[COLUMNS]; /* --unit */
	/* text */
	long line;
	size_t column_at;  /* bytes of the current line that were consumed */
	bool line_used;    /* it has a key already */
	struct buf joined; /* a line that is longer than a view */
	enum token_kind tokens;
	uint64_t scratch[3]; /* the format's own few numbers */
	void *state;         /* the format's own */
};

/* Decode fills this column from now on; to be called by begin. */
void trace_has(struct trace_reader *r, enum keytrace_column c);
/* Stores a column of the reference that is being decoded, if it is wanted. */
static inline void trace_set(struct trace_reader *r, enum keytrace_column c, uint64_t value)
{
	if (r->column[c])
		r->column[c][r->block.n] = value;
}

/* "NAME: record N: …", N the next one to be read. */
enum rc trace_bad_record(struct trace_reader *r, struct err *e, const char *fmt, ...) PRINTF_LIKE(3, 4);
enum rc trace_bad_line(struct trace_reader *r, struct err *e, long col, const char *fmt, ...) PRINTF_LIKE(4, 5);
/* The next line without its end; *p NULL at the end of the data. Valid until the next call. A line with a NUL byte is
 * refused. */
enum rc trace_line(struct trace_reader *r, const char **p, size_t *n, struct err *e);
/* Gives every line to `line`, until the block is full or the data ends. */
typedef enum rc (*trace_line_fn)(struct trace_reader *r, const char *p, size_t n, struct err *e);
enum rc trace_each_line(struct trace_reader *r, trace_line_fn line, struct err *e);
/* A view of whole records of `size` bytes, *n of them (at most TRACE_BLOCK); a rest at the end is an error. */
enum rc trace_records(struct trace_reader *r, size_t size, const unsigned char **p, size_t *n, struct err *e);
/* An id as the trace's kind of token (decided by the first) gives it. */
enum rc trace_token(struct trace_reader *r, const char *p, size_t n, long col, uint64_t *key, struct err *e);
/* A whole decimal or 0x… number. */
bool trace_number(const char *p, size_t n, uint64_t *out);
/* The value of a column as text has it: costs may have a fraction, operations a name. */
enum rc trace_value(struct trace_reader *r, enum keytrace_column c, const char *p, size_t n, long col, uint64_t *out,
		    struct err *e);

#endif
