/* SPDX-License-Identifier: MIT */
/* Writing rft files, see keytrace_format.h. One block is collected at a time. */
#include "stream/keytrace_format.h"

#include "data/digest.h"
#include "data/mem.h"
#include "stream/outfile.h"

#include <stdlib.h>
#include <string.h>

const unsigned char keytrace_magic[KEYTRACE_MAGIC_LEN] = {'R', 'F', 'T', 'R', 'A', 'C', 'E', '\n'};

struct keytrace_writer {
	struct outfile *file;
	struct keytrace_header header;
	uint64_t requests;
	bool failed;
	size_t n;    /* in the open block */
	size_t rows; /* that fill it */
	uint64_t keys[RFT_BLOCK];
	uint64_t *column[COLUMNS]; /* of what the header has */
	struct keyblock_encoder encoder;
	unsigned char bytes[RFT_BLOCK_HEAD + RFT_MAX_PAYLOAD];
};

const char *keytrace_method_name(enum keytrace_method m)
{
	static const char *const names[] = {"whole", "olr", "sad"};
	return names[m];
}

const char *keytrace_column_name(enum keytrace_column c)
{
	static const char *const names[] = {"size", "time", "operation", "tenant", "cost", "request"};
	return names[c];
}

static void put(struct keytrace_writer *w, const void *p, size_t n)
{
	if (!outfile_write(w->file, p, n))
		w->failed = true;
}

static void put_header(struct keytrace_writer *w)
{
	const struct keytrace_header *h = &w->header;
	unsigned char b[KEYTRACE_MAGIC_LEN + 8 + RFT_FIXED + 8 + sizeof h->source + 8];
	uint32_t flags = 0;
	for (unsigned c = 0; c < COLUMNS; c++)
		flags |= (uint32_t)h->has[c] << c;
	bool wide = flags >> 1 != 0;
	size_t source = strnlen(h->source, sizeof h->source), n = KEYTRACE_MAGIC_LEN;
	memcpy(b, keytrace_magic, n);
	put_le32(b + n, wide ? 3 : 2);
	put_le32(b + n + 4, (uint32_t)(RFT_FIXED + 8 * wide + source));
	n += 8;
	put_le32(b + n, flags);
	put_le32(b + n + 4, h->method);
	put_le64(b + n + 8, h->unit);
	put_le64(b + n + 16, h->k);
	put_le64(b + n + 24, h->original_requests);
	put_le64(b + n + RFT_FIXED, h->ticks);
	n += RFT_FIXED + 8 * wide;
	memcpy(b + n, h->source, source);
	n += source;
	put_le64(b + n, hash64(b, n));
	put(w, b, n + 8);
}

enum rc keytrace_create(struct keytrace_writer **out, const char *path, const struct keytrace_header *h, struct err *e)
{
	struct outfile *file;
	enum rc rc = outfile_create(&file, path, e);
	if (rc)
		return rc;
	struct keytrace_writer *w = mem_zalloc(sizeof *w);
	w->file = file;
	w->header = *h;
	w->rows = RFT_BLOCK;
	for (unsigned c = 0; c < COLUMNS; c++)
		if (h->has[c]) {
			w->column[c] = mem_zalloc(RFT_BLOCK * sizeof *w->column[c]);
			w->rows = c > COLUMN_SIZE ? RFT_ROWS : w->rows;
		}
	put_header(w);
	*out = w;
	return RC_OK;
}

static void put_block(struct keytrace_writer *w, size_t count, size_t len)
{
	unsigned char *b = w->bytes;
	put_le32(b, (uint32_t)count);
	put_le32(b + 4, (uint32_t)len);
	put_le64(b + 8, hash64_seed(b + RFT_BLOCK_HEAD, len, get_le64(b)));
	put(w, b, RFT_BLOCK_HEAD + len);
}

static size_t put_column(const struct keytrace_writer *w, unsigned c, unsigned char *b)
{
	size_t len = 0;
	uint64_t before = 0;
	for (size_t i = 0; i < w->n; i++) {
		uint64_t v = w->column[c][i];
		len += varint_put(b + len, column_is_relative(c) ? zigzag_diff(before, v) : v);
		before = v;
	}
	return len;
}

static void flush_block(struct keytrace_writer *w)
{
	unsigned char *b = w->bytes;
	size_t len = RFT_BLOCK_HEAD;
	len += keyblock_encode(&w->encoder, w->keys, w->n, b + len);
	for (unsigned c = 0; c < COLUMNS; c++)
		if (w->column[c])
			len += put_column(w, c, b + len);
	put_block(w, w->n, len - RFT_BLOCK_HEAD);
	w->requests += w->n;
	w->n = 0;
}

static enum rc state(const struct keytrace_writer *w)
{
	return w->failed ? RC_ENV : RC_OK;
}

enum rc keytrace_add_rows(struct keytrace_writer *w, const uint64_t *keys, const uint64_t *const column[COLUMNS],
			  size_t n)
{
	for (size_t at = 0, m; at < n; at += m) {
		m = w->rows - w->n < n - at ? w->rows - w->n : n - at;
		memcpy(w->keys + w->n, keys + at, m * sizeof *keys);
		for (unsigned c = 0; c < COLUMNS; c++) {
			if (w->column[c] && column && column[c])
				memcpy(w->column[c] + w->n, column[c] + at, m * sizeof *keys);
			else if (w->column[c])
				memset(w->column[c] + w->n, 0, m * sizeof *keys);
		}
		w->n += m;
		if (w->n == w->rows)
			flush_block(w);
	}
	return state(w);
}

enum rc keytrace_add(struct keytrace_writer *w, uint64_t key, uint64_t size)
{
	return keytrace_add_rows(w, &key, (const uint64_t *const[COLUMNS]){[COLUMN_SIZE] = &size}, 1);
}

enum rc keytrace_add_many(struct keytrace_writer *w, const uint64_t *keys, size_t n)
{
	return keytrace_add_rows(w, keys, NULL, n);
}

enum rc keytrace_add_block(struct keytrace_writer *w, size_t count, const void *payload, size_t len)
{
	if (!count || count > RFT_BLOCK || len > RFT_MAX_PAYLOAD || w->header.sizes || w->rows != RFT_BLOCK)
		return RC_BUG;
	if (w->n)
		flush_block(w);
	memcpy(w->bytes + RFT_BLOCK_HEAD, payload, len);
	put_block(w, count, len);
	w->requests += count;
	return state(w);
}

static void release(struct keytrace_writer *w)
{
	for (unsigned c = 0; c < COLUMNS; c++)
		free(w->column[c]);
	free(w);
}

enum rc keytrace_close(struct keytrace_writer *w, uint64_t original_requests, struct err *e)
{
	if (w->n)
		flush_block(w);
	put_le64(w->bytes + RFT_BLOCK_HEAD, w->requests);
	put_le64(w->bytes + RFT_BLOCK_HEAD + 8, original_requests ? original_requests : w->header.original_requests);
	put_block(w, 0, RFT_FOOTER);
	enum rc rc = outfile_close(w->file, e);
	release(w);
	return rc;
}

void keytrace_abandon(struct keytrace_writer *w)
{
	if (!w)
		return;
	outfile_abandon(w->file);
	release(w);
}
