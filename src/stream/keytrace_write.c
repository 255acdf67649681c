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
	size_t n; /* in the open block */
	uint64_t keys[RFT_BLOCK], sizes[RFT_BLOCK];
	struct keyblock_encoder encoder;
	unsigned char bytes[RFT_BLOCK_HEAD + RFT_MAX_PAYLOAD];
};

const char *keytrace_method_name(enum keytrace_method m)
{
	static const char *const names[] = {"whole", "olr", "sad"};
	return names[m];
}

static void put(struct keytrace_writer *w, const void *p, size_t n)
{
	if (!outfile_write(w->file, p, n))
		w->failed = true;
}

static void put_header(struct keytrace_writer *w)
{
	const struct keytrace_header *h = &w->header;
	unsigned char b[KEYTRACE_MAGIC_LEN + 8 + RFT_FIXED + sizeof h->source + 8];
	size_t source = strnlen(h->source, sizeof h->source), n = KEYTRACE_MAGIC_LEN;
	memcpy(b, keytrace_magic, n);
	put_le32(b + n, RFT_VERSION);
	put_le32(b + n + 4, (uint32_t)(RFT_FIXED + source));
	n += 8;
	put_le32(b + n, h->sizes);
	put_le32(b + n + 4, h->method);
	put_le64(b + n + 8, h->unit);
	put_le64(b + n + 16, h->k);
	put_le64(b + n + 24, h->original_requests);
	n += RFT_FIXED;
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

static void flush_block(struct keytrace_writer *w)
{
	unsigned char *b = w->bytes;
	size_t len = RFT_BLOCK_HEAD;
	len += keyblock_encode(&w->encoder, w->keys, w->n, b + len);
	for (size_t i = 0; w->header.sizes && i < w->n; i++)
		len += varint_put(b + len, w->sizes[i]);
	put_block(w, w->n, len - RFT_BLOCK_HEAD);
	w->requests += w->n;
	w->n = 0;
}

static enum rc state(const struct keytrace_writer *w)
{
	return w->failed ? RC_ENV : RC_OK;
}

enum rc keytrace_add(struct keytrace_writer *w, uint64_t key, uint64_t size)
{
	w->keys[w->n] = key;
	w->sizes[w->n++] = size;
	if (w->n == RFT_BLOCK)
		flush_block(w);
	return state(w);
}

enum rc keytrace_add_many(struct keytrace_writer *w, const uint64_t *keys, size_t n)
{
	while (n) {
		size_t m = RFT_BLOCK - w->n;
		m = m < n ? m : n;
		memcpy(w->keys + w->n, keys, m * sizeof *keys);
		memset(w->sizes + w->n, 0, m * sizeof *w->sizes);
		w->n += m;
		keys += m;
		n -= m;
		if (w->n == RFT_BLOCK)
			flush_block(w);
	}
	return state(w);
}

enum rc keytrace_add_block(struct keytrace_writer *w, size_t count, const void *payload, size_t len)
{
	if (!count || count > RFT_BLOCK || len > RFT_MAX_PAYLOAD || w->header.sizes)
		return RC_BUG;
	if (w->n)
		flush_block(w);
	memcpy(w->bytes + RFT_BLOCK_HEAD, payload, len);
	put_block(w, count, len);
	w->requests += count;
	return state(w);
}

enum rc keytrace_close(struct keytrace_writer *w, uint64_t original_requests, struct err *e)
{
	if (w->n)
		flush_block(w);
	put_le64(w->bytes + RFT_BLOCK_HEAD, w->requests);
	put_le64(w->bytes + RFT_BLOCK_HEAD + 8, original_requests ? original_requests : w->header.original_requests);
	put_block(w, 0, RFT_FOOTER);
	enum rc rc = outfile_close(w->file, e);
	free(w);
	return rc;
}

void keytrace_abandon(struct keytrace_writer *w)
{
	if (!w)
		return;
	outfile_abandon(w->file);
	free(w);
}
