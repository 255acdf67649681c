/* SPDX-License-Identifier: MIT */
/* See writer.h. Formats with a reference's next use (oracle, lcs) need the whole trace, so it is kept in memory and
 * written at the end; the others are streams. A value that does not fit is an error with the record's number, never
 * cut. */
#include "trace/format/writer.h"

#include "base/bits.h"
#include "base/varint.h"
#include "data/buf.h"
#include "data/idmap.h"
#include "data/mem.h"
#include "data/vec.h"
#include "stream/outfile.h"
#include "trace/format/formats.h"

#include <stdlib.h>
#include <string.h>

struct values {
	VEC_FIELDS(uint64_t);
};

struct trace_writer {
	const struct write_format *format;
	struct keytrace_header header;
	struct outfile *file;
	struct keytrace_writer *rft;
	uint64_t records;
	bool failed;
	struct err why;                      /* what did not fit; rc RC_OK: nothing */
	struct values keys, column[COLUMNS]; /* kept until the end */
	struct buf row;                      /* csv */
};

struct write_format {
	const char *name;
	unsigned room; /* bit c: it has a place for column c */
	/* One reference, i of the block. NULL: the trace is kept, or rft's own writer has it. */
	void (*one)(struct trace_writer *w, const struct trace_block *b, size_t i);
	enum rc (*finish)(struct trace_writer *w, struct err *e); /* writes what was kept; NULL: nothing was */
	unsigned bytes;                                           /* keys alone: of one */
	bool big_endian;
};

static void put(struct trace_writer *w, const void *p, size_t n)
{
	w->failed |= !outfile_write(w->file, p, n);
}

/* The value must be below 2^bits: kept as the reason if it is not. */
static bool fits(struct trace_writer *w, uint64_t record, const char *what, uint64_t v, unsigned bits)
{
	if (bits >= 64 || v >> bits == 0)
		return true;
	if (!w->why.rc)
		err_set(&w->why, RC_INPUT, "record %llu: the %s %llu does not fit into the %u bits that %s has for it",
			(unsigned long long)record, what, (unsigned long long)v, bits, w->format->name);
	w->failed = true;
	return false;
}

static void one_text(struct trace_writer *w, const struct trace_block *b, size_t i)
{
	unsigned char digits[21];
	size_t at = sizeof digits;
	uint64_t v = b->keys[i];
	digits[--at] = '\n';
	do
		digits[--at] = (unsigned char)('0' + v % 10);
	while (v /= 10);
	put(w, digits + at, sizeof digits - at);
}

static void one_key(struct trace_writer *w, const struct trace_block *b, size_t i)
{
	const struct write_format *f = w->format;
	unsigned char bytes[8];
	uint64_t v = b->keys[i];
	if (!fits(w, w->records + i + 1, "key", v, 8 * f->bytes))
		return;
	put_le64(bytes, f->big_endian ? __builtin_bswap64(v) >> (64 - 8 * f->bytes) : v);
	put(w, bytes, f->bytes);
}

static void one_row(struct trace_writer *w, const struct trace_block *b, size_t i)
{
	struct buf *row = &w->row;
	buf_clear(row);
	buf_printf(row, "%llu", (unsigned long long)b->keys[i]);
	for (unsigned c = 0; c < COLUMNS; c++) {
		if (!w->header.has[c])
			continue;
		uint64_t v = b->column[c][i];
		const char *name = c == COLUMN_OPERATION ? trace_operation_name(v) : NULL;
		if (name)
			buf_printf(row, ",%s", name);
		else if (c == COLUMN_COST)
			buf_printf(row, ",%llu.%06llu", (unsigned long long)(v / 1000000),
				   (unsigned long long)(v % 1000000));
		else
			buf_printf(row, ",%llu", (unsigned long long)v);
	}
	buf_char(row, '\n');
	put(w, row->at, row->n);
}

static void put_names(struct trace_writer *w)
{
	put(w, "key", 3);
	for (unsigned c = 0; c < COLUMNS; c++)
		if (w->header.has[c]) {
			const char *name = keytrace_column_name(c);
			put(w, ",", 1);
			put(w, name, strlen(name));
		}
	put(w, "\n", 1);
}

/* ---- formats that know the next use */

static void keep(struct trace_writer *w, const struct trace_block *b)
{
	vec_reserve(&w->keys, b->n);
	memcpy(w->keys.at + w->keys.n, b->keys, b->n * sizeof *b->keys);
	w->keys.n += b->n;
	for (unsigned c = 0; c < COLUMNS; c++) {
		struct values *v = &w->column[c];
		if (!w->header.has[c] || !(w->format->room >> c & 1))
			continue;
		vec_reserve(v, b->n);
		memcpy(v->at + v->n, b->column[c], b->n * sizeof *b->keys);
		v->n += b->n;
	}
}

/* The 1-based number of the next request for the same key, or −1. */
static enum rc next_uses(const struct trace_writer *w, int64_t **out, uint32_t *distinct, struct err *e)
{
	size_t n = w->keys.n;
	uint32_t *ids = mem_alloc(mem_mul(n, sizeof *ids));
	int64_t *next = mem_alloc(mem_mul(n, sizeof *next));
	struct idmap map;
	idmap_init(&map);
	enum rc rc = idmap_map(&map, w->keys.at, ids, n, e);
	int64_t *seen = mem_zalloc(mem_mul((size_t)map.n + 1, sizeof *seen));
	for (size_t i = n; i-- > 0 && !rc;) {
		next[i] = seen[ids[i]] ? seen[ids[i]] : -1;
		seen[ids[i]] = (int64_t)i + 1;
	}
	*distinct = map.n;
	*out = next;
	idmap_release(&map);
	free(ids);
	free(seen);
	return rc;
}

/* In seconds. A trace without times is counted as 100,000 requests a second: these formats want one. */
static uint64_t seconds(const struct trace_writer *w, size_t i)
{
	const struct values *t = &w->column[COLUMN_TIME];
	if (!t->n)
		return i / 100000;
	return w->header.ticks > 1 ? t->at[i] / w->header.ticks : t->at[i];
}

static uint64_t value(const struct trace_writer *w, enum keytrace_column c, size_t i, uint64_t otherwise)
{
	return w->column[c].n ? w->column[c].at[i] : otherwise;
}

static enum rc write_oracle(struct trace_writer *w, struct err *e)
{
	int64_t *next;
	uint32_t distinct;
	enum rc rc = next_uses(w, &next, &distinct, e);
	for (size_t i = 0; i < w->keys.n && !rc; i++) {
		unsigned char b[24];
		uint64_t time = seconds(w, i), size = value(w, COLUMN_SIZE, i, 1);
		if (!fits(w, i + 1, "time", time, 32) || !fits(w, i + 1, "size", size, 32))
			break;
		put_le32(b, (uint32_t)time);
		put_le64(b + 4, w->keys.at[i]);
		put_le32(b + 12, (uint32_t)size);
		put_le64(b + 16, (uint64_t)next[i]);
		put(w, b, sizeof b);
	}
	free(next);
	return rc;
}

/* The oldest version that has room: 1 as oracle, 2 with operation and tenant, 3 with sizes of 64 bits. */
static unsigned lcs_version(const struct trace_writer *w)
{
	unsigned version = w->column[COLUMN_OPERATION].n || w->column[COLUMN_TENANT].n ? 2 : 1;
	for (size_t i = 0; i < w->column[COLUMN_SIZE].n; i++)
		if (w->column[COLUMN_SIZE].at[i] > UINT32_MAX)
			version = 3;
	return version;
}

static void put_lcs_header(struct trace_writer *w, unsigned version, uint32_t distinct, const int64_t *next)
{
	unsigned char *b = mem_zalloc(LCS_HEADER);
	uint64_t bytes = 0, object_bytes = 0;
	for (size_t i = 0; i < w->keys.n; i++) {
		uint64_t size = value(w, COLUMN_SIZE, i, 1);
		bytes += size;
		object_bytes += next[i] < 0 ? size : 0;
	}
	put_le64(b, LCS_MAGIC);
	put_le64(b + 8, version);
	put_le64(b + 16, 1); /* of the figures that follow */
	put_le64(b + 24, w->keys.n);
	put_le64(b + 32, distinct);
	put_le64(b + 40, bytes);
	put_le64(b + 48, object_bytes);
	if (w->keys.n) {
		put_le64(b + 56, seconds(w, 0));
		put_le64(b + 64, seconds(w, w->keys.n - 1));
	}
	put_le64(b + LCS_HEADER - 8, LCS_MAGIC);
	put(w, b, LCS_HEADER);
	free(b);
}

static enum rc write_lcs(struct trace_writer *w, struct err *e)
{
	unsigned version = lcs_version(w);
	int64_t *next;
	uint32_t distinct;
	enum rc rc = next_uses(w, &next, &distinct, e);
	if (!rc)
		put_lcs_header(w, version, distinct, next);
	for (size_t i = 0; i < w->keys.n && !rc; i++) {
		unsigned char b[36], *p = b + 12;
		uint64_t time = seconds(w, i), op = value(w, COLUMN_OPERATION, i, 0),
			 tenant = value(w, COLUMN_TENANT, i, 0);
		if (!fits(w, i + 1, "time", time, 32) || !fits(w, i + 1, "operation", op, 8) ||
		    !fits(w, i + 1, "tenant", tenant, 24))
			break;
		put_le32(b, (uint32_t)time);
		put_le64(b + 4, w->keys.at[i]);
		put_le64(p, value(w, COLUMN_SIZE, i, 1));
		p += version == 3 ? 8 : 4;
		if (version >= 2) {
			put_le32(p, (uint32_t)(op | tenant << 8));
			p += 4;
		}
		if (version == 3) { /* no time to live */
			put_le32(p, 0);
			p += 4;
		}
		put_le64(p, (uint64_t)next[i]);
		put(w, b, (size_t)(p + 8 - b));
	}
	free(next);
	return rc;
}

/* ---- the table */

static const struct write_format formats[] = {
	{.name = "text", .one = one_text},
	{.name = "u32", .one = one_key, .bytes = 4},
	{.name = "u64", .one = one_key, .bytes = 8},
	{.name = "u32be", .one = one_key, .bytes = 4, .big_endian = true},
	{.name = "u64be", .one = one_key, .bytes = 8, .big_endian = true},
	{.name = "csv", .room = (1u << COLUMNS) - 1, .one = one_row},
	{.name = "oracle", .room = HAS(SIZE) | HAS(TIME), .finish = write_oracle},
	{.name = "lcs", .room = HAS(SIZE) | HAS(TIME) | HAS(OPERATION) | HAS(TENANT), .finish = write_lcs},
	{.name = "rft", .room = (1u << COLUMNS) - 1},
};

const char *trace_write_format_name(size_t i)
{
	return i < ARRAY_LEN(formats) ? formats[i].name : NULL;
}

static const struct write_format *find(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(formats); i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	return NULL;
}

unsigned trace_write_room(const char *format)
{
	const struct write_format *f = find(format);
	return f ? f->room : 0;
}

static bool is_rft(const struct write_format *f)
{
	return !f->one && !f->finish;
}

enum rc trace_create(struct trace_writer **out, const char *path, const char *format, const struct keytrace_header *h,
		     struct err *e)
{
	const struct write_format *f = find(format);
	if (!f)
		return err_set(e, RC_INPUT, "traces cannot be written as '%s'", format);
	struct trace_writer *w = mem_zalloc(sizeof *w);
	w->format = f;
	w->header = *h;
	w->why = (struct err)ERR_INIT;
	enum rc rc = is_rft(f) ? keytrace_create(&w->rft, path, h, e) : outfile_create(&w->file, path, e);
	if (rc) {
		free(w);
		return rc;
	}
	if (f->one == one_row)
		put_names(w);
	*out = w;
	return RC_OK;
}

bool trace_write(struct trace_writer *w, const struct trace_block *b)
{
	const struct write_format *f = w->format;
	if (is_rft(f))
		w->failed |= keytrace_add_rows(w->rft, b->keys, b->column, b->n) != RC_OK;
	else if (f->finish)
		keep(w, b);
	else
		for (size_t i = 0; i < b->n; i++)
			f->one(w, b, i);
	w->records += b->n;
	return !w->failed;
}

static void release(struct trace_writer *w)
{
	buf_release(&w->row);
	vec_release(&w->keys);
	for (unsigned c = 0; c < COLUMNS; c++)
		vec_release(&w->column[c]);
	free(w);
}

enum rc trace_close(struct trace_writer *w, uint64_t original_requests, struct err *e)
{
	enum rc rc = w->format->finish && !w->failed ? w->format->finish(w, e) : RC_OK;
	if (!rc && w->why.rc) {
		*e = w->why;
		rc = e->rc;
	}
	if (rc) {
		trace_abandon(w);
		return rc;
	}
	rc = w->rft ? keytrace_close(w->rft, original_requests, e) : outfile_close(w->file, e);
	release(w);
	return rc;
}

void trace_abandon(struct trace_writer *w)
{
	if (!w)
		return;
	if (w->rft)
		keytrace_abandon(w->rft);
	else
		outfile_abandon(w->file);
	release(w);
}
