/* SPDX-License-Identifier: MIT */
/* Our own key traces: stream/keytrace.h does the work; the reader takes over the input. */
#include "trace/format/formats.h"

#include <string.h>

static bool sniff(const unsigned char *p, size_t n)
{
	return n >= KEYTRACE_MAGIC_LEN && memcmp(p, keytrace_magic, KEYTRACE_MAGIC_LEN) == 0;
}

static enum rc begin(struct trace_reader *r, struct err *e)
{
	struct keytrace_reader *k;
	enum rc rc = keytrace_open_input(&k, r->in, e);
	if (rc) {
		r->in = NULL;
		return rc;
	}
	r->state = k;
	const struct keytrace_header *h = keytrace_reader_header(k);
	for (unsigned c = 0; c < COLUMNS; c++)
		if (h->has[c])
			trace_has(r, c);
	r->meta.ticks = h->ticks;
	r->meta.unit = h->unit;
	r->meta.method = h->method;
	r->meta.k = h->k;
	memcpy(r->meta.source, h->source, sizeof r->meta.source);
	r->scale = h->unit ? h->unit : 1;
	return RC_OK;
}

static enum rc decode(struct trace_reader *r, struct err *e)
{
	size_t got;
	do {
		uint64_t *column[COLUMNS];
		for (unsigned c = 0; c < COLUMNS; c++)
			column[c] = r->column[c] ? r->column[c] + r->block.n : NULL;
		enum rc rc =
			keytrace_read_rows(r->state, r->keys + r->block.n, column, TRACE_BLOCK - r->block.n, &got, e);
		if (rc)
			return rc;
		r->block.n += got;
	} while (got && r->block.n < TRACE_BLOCK);
	if (!got && r->meta.method != KEYTRACE_WHOLE)
		r->meta.original_requests = keytrace_original_requests(r->state);
	return RC_OK;
}

/* The key-trace reader owns the input. */
static void end(struct trace_reader *r)
{
	if (r->state) {
		keytrace_reader_free(r->state);
		r->in = NULL;
	}
}

const struct trace_format format_rft = {
	.name = "rft",
	.suffixes = {".rft"},
	.address_unit = 1,
	.sniff = sniff,
	.begin = begin,
	.decode = decode,
	.end = end,
};
