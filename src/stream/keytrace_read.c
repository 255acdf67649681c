/* SPDX-License-Identifier: MIT */
/* Reading rft files, see keytrace_format.h. A block is decoded whole, after its checksum was compared, so no key of a
 * damaged block is ever handed out. */
#include "stream/keytrace_format.h"

#include "data/digest.h"
#include "stream/input.h"
#include "data/mem.h"

#include <stdlib.h>
#include <string.h>

struct keytrace_reader {
	struct input *in;
	struct keytrace_header header;
	uint32_t version;
	uint64_t requests, original; /* handed out so far; from the footer */
	bool over;
	size_t at, n; /* the decoded block */
	uint64_t keys[RFT_BLOCK];
	uint64_t *column[COLUMNS]; /* of what the header has */
};

static enum rc bad(const struct keytrace_reader *r, struct err *e, const char *what)
{
	return err_set(e, RC_INPUT, "%s: record %llu: %s", input_name(r->in), (unsigned long long)r->requests + 1,
		       what);
}

static enum rc read_header(struct keytrace_reader *r, struct err *e)
{
	const unsigned char *p;
	size_t n, start = KEYTRACE_MAGIC_LEN + 8;
	struct keytrace_header *h = &r->header;
	enum rc rc = input_view(r->in, start + RFT_FIXED + 8 + sizeof h->source + 8, &p, &n, e);
	if (rc)
		return rc;
	if (n < KEYTRACE_MAGIC_LEN || memcmp(p, keytrace_magic, KEYTRACE_MAGIC_LEN) != 0)
		return err_set(e, RC_INPUT, "%s: not a key trace (rft)", input_name(r->in));
	if (n < start)
		return err_set(e, RC_INPUT, "%s: the header of the key trace is truncated", input_name(r->in));
	uint32_t version = get_le32(p + KEYTRACE_MAGIC_LEN), len = get_le32(p + KEYTRACE_MAGIC_LEN + 4);
	if (version < 1 || version > RFT_VERSION)
		return err_set(e, RC_INPUT, "%s: key trace version %u; this program reads versions up to %d",
			       input_name(r->in), version, RFT_VERSION);
	size_t fixed = version >= 3 ? RFT_FIXED + 8 : RFT_FIXED;
	if (len < fixed || len >= fixed + sizeof h->source || n < start + len + 8 ||
	    get_le64(p + start + len) != hash64(p, start + len))
		return err_set(e, RC_INPUT, "%s: the header of the key trace is damaged", input_name(r->in));
	r->version = version;
	p += start;
	uint32_t flags = get_le32(p), method = get_le32(p + 4);
	if (flags >> (version >= 3 ? COLUMNS : 1) || method > KEYTRACE_SAD)
		return err_set(e, RC_INPUT, "%s: the header of the key trace has unknown flags", input_name(r->in));
	for (unsigned c = 0; c < COLUMNS; c++)
		if ((h->has[c] = flags >> c & 1))
			r->column[c] = mem_alloc(RFT_BLOCK * sizeof *r->column[c]);
	h->method = method;
	h->unit = get_le64(p + 8);
	h->k = get_le64(p + 16);
	h->original_requests = get_le64(p + 24);
	h->ticks = version >= 3 ? get_le64(p + RFT_FIXED) : 0;
	memcpy(h->source, p + fixed, len - fixed);
	input_skip(r->in, start + len + 8);
	return RC_OK;
}

enum rc keytrace_open_input(struct keytrace_reader **out, struct input *in, struct err *e)
{
	struct keytrace_reader *r = mem_zalloc(sizeof *r);
	r->in = in;
	enum rc rc = read_header(r, e);
	r->original = r->header.original_requests;
	if (rc)
		keytrace_reader_free(r);
	else
		*out = r;
	return rc;
}

/* Returns the bytes used, 0 when they are damaged. */
static size_t decode_column(const unsigned char *p, size_t len, bool relative, uint64_t *out, size_t count)
{
	uint64_t before = 0, v;
	size_t used, at = 0;
	for (size_t i = 0; i < count; i++, at += used) {
		if (!(used = varint_get(p + at, len - at, &v)))
			return 0;
		before = out[i] = relative ? zigzag_apply(before, v) : v;
	}
	return at;
}

static enum rc decode(struct keytrace_reader *r, const unsigned char *p, size_t len, size_t count, struct err *e)
{
	size_t used =
		r->version == 1 ? decode_column(p, len, true, r->keys, count) : keyblock_decode(p, len, r->keys, count);
	if (!used)
		return bad(r, e, "the block is damaged");
	p += used;
	len -= used;
	for (unsigned c = 0; c < COLUMNS; c++) {
		if (!r->column[c])
			continue;
		if (!(used = decode_column(p, len, column_is_relative(c), r->column[c], count)))
			return bad(r, e, "the block is damaged");
		p += used;
		len -= used;
	}
	if (len)
		return bad(r, e, "the block is damaged");
	r->at = 0;
	r->n = count;
	return RC_OK;
}

static enum rc end_of_trace(struct keytrace_reader *r, const unsigned char *p, size_t len, struct err *e)
{
	if (len != RFT_FOOTER)
		return bad(r, e, "the footer is damaged");
	uint64_t requests = get_le64(p);
	r->original = get_le64(p + 8);
	if (requests != r->requests)
		return err_set(e, RC_INPUT, "%s: the footer promises %llu records, but there are %llu",
			       input_name(r->in), (unsigned long long)requests, (unsigned long long)r->requests);
	input_skip(r->in, len);
	r->over = true;
	size_t n;
	enum rc rc = input_view(r->in, 1, &p, &n, e);
	return rc ? rc : n ? bad(r, e, "data after the footer") : RC_OK;
}

static enum rc next_block(struct keytrace_reader *r, struct err *e)
{
	const unsigned char *p;
	size_t n;
	enum rc rc = input_view(r->in, RFT_BLOCK_HEAD, &p, &n, e);
	if (rc)
		return rc;
	if (n < RFT_BLOCK_HEAD)
		return bad(r, e, "the file is truncated: it ends without a footer");
	uint32_t count = get_le32(p), len = get_le32(p + 4);
	if (count > RFT_BLOCK || len > RFT_MAX_PAYLOAD)
		return bad(r, e, "the block is damaged");
	if ((rc = input_view(r->in, RFT_BLOCK_HEAD + len, &p, &n, e)))
		return rc;
	if (n < RFT_BLOCK_HEAD + len)
		return bad(r, e, "the file is truncated: it ends inside a block");
	if (get_le64(p + 8) != hash64_seed(p + RFT_BLOCK_HEAD, len, get_le64(p)))
		return bad(r, e, "the block's checksum is wrong");
	if (!count) {
		input_skip(r->in, RFT_BLOCK_HEAD);
		return end_of_trace(r, p + RFT_BLOCK_HEAD, len, e);
	}
	rc = decode(r, p + RFT_BLOCK_HEAD, len, count, e);
	input_skip(r->in, RFT_BLOCK_HEAD + len);
	return rc;
}

const struct keytrace_header *keytrace_reader_header(const struct keytrace_reader *r)
{
	return &r->header;
}

enum rc keytrace_read_rows(struct keytrace_reader *r, uint64_t *keys, uint64_t *const column[COLUMNS], size_t n,
			   size_t *got, struct err *e)
{
	*got = 0;
	while (r->at == r->n && !r->over) {
		enum rc rc = next_block(r, e);
		if (rc)
			return rc;
	}
	size_t m = r->n - r->at < n ? r->n - r->at : n;
	memcpy(keys, r->keys + r->at, m * sizeof *keys);
	for (unsigned c = 0; c < COLUMNS; c++)
		if (column[c])
			memcpy(column[c], r->column[c] + r->at, m * sizeof *keys);
	r->at += m;
	r->requests += m;
	*got = m;
	return RC_OK;
}

enum rc keytrace_read(struct keytrace_reader *r, uint64_t *keys, uint64_t *sizes, size_t n, size_t *got, struct err *e)
{
	return keytrace_read_rows(r, keys, (uint64_t *const[COLUMNS]){r->header.sizes ? sizes : NULL}, n, got, e);
}

uint64_t keytrace_original_requests(const struct keytrace_reader *r)
{
	return r->original;
}

void keytrace_reader_free(struct keytrace_reader *r)
{
	if (!r)
		return;
	input_free(r->in);
	for (unsigned c = 0; c < COLUMNS; c++)
		free(r->column[c]);
	free(r);
}
