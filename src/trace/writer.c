/* SPDX-License-Identifier: MIT */
/* See writer.h. oracle needs the next use of every reference, so it is kept in memory and written at the end. */
#include "trace/writer.h"

#include "base/bits.h"
#include "base/varint.h"
#include "data/idmap.h"
#include "data/mem.h"
#include "stream/outfile.h"
#include "data/vec.h"

#include <stdlib.h>
#include <string.h>

enum kind { TEXT, U64, ORACLE, RFT };

static const char *const names[] = {[TEXT] = "text", [U64] = "u64", [ORACLE] = "oracle", [RFT] = "rft"};

const char *trace_write_format_name(size_t i)
{
	return i < ARRAY_LEN(names) ? names[i] : NULL;
}

struct trace_writer {
	enum kind kind;
	struct outfile *file;
	struct keytrace_writer *rft;
	bool failed;
	VEC(uint64_t) keys; /* oracle */
	VEC(uint32_t) sizes;
};

enum rc trace_create(struct trace_writer **out, const char *path, const char *format, const struct keytrace_header *h,
		     struct err *e)
{
	size_t kind = 0;
	while (kind < ARRAY_LEN(names) && strcmp(names[kind], format) != 0)
		kind++;
	if (kind == ARRAY_LEN(names))
		return err_set(e, RC_INPUT, "traces cannot be written as '%s'", format);
	struct trace_writer *w = mem_zalloc(sizeof *w);
	w->kind = (enum kind)kind;
	enum rc rc = w->kind == RFT ? keytrace_create(&w->rft, path, h, e) : outfile_create(&w->file, path, e);
	if (rc)
		free(w);
	else
		*out = w;
	return rc;
}

static size_t decimal(unsigned char *out, uint64_t v)
{
	unsigned char digits[20];
	size_t n = 0;
	do
		digits[n++] = (unsigned char)('0' + v % 10);
	while (v /= 10);
	for (size_t i = 0; i < n; i++)
		out[i] = digits[n - 1 - i];
	out[n] = '\n';
	return n + 1;
}

bool trace_write(struct trace_writer *w, const uint64_t *keys, const uint32_t *sizes, size_t n)
{
	unsigned char b[21];
	switch (w->kind) {
	case TEXT:
		for (size_t i = 0; i < n; i++)
			w->failed |= !outfile_write(w->file, b, decimal(b, keys[i]));
		break;
	case U64:
		for (size_t i = 0; i < n; i++) {
			put_le64(b, keys[i]);
			w->failed |= !outfile_write(w->file, b, 8);
		}
		break;
	case ORACLE:
		vec_reserve(&w->keys, n);
		vec_reserve(&w->sizes, n);
		for (size_t i = 0; i < n; i++) {
			vec_push(&w->keys, keys[i]);
			vec_push(&w->sizes, sizes ? sizes[i] : 1);
		}
		break;
	case RFT:
		if (!sizes)
			w->failed |= keytrace_add_many(w->rft, keys, n) != RC_OK;
		else
			for (size_t i = 0; i < n; i++)
				w->failed |= keytrace_add(w->rft, keys[i], sizes[i]) != RC_OK;
		break;
	}
	return !w->failed;
}

/* The next-access field is the 1-based number of the next request for the same id. Time is counted as 100,000 requests
 * a second: the format wants one. */
static enum rc write_oracle(struct trace_writer *w, struct err *e)
{
	size_t n = w->keys.n;
	uint32_t *ids = mem_alloc(mem_mul(n, sizeof *ids));
	struct idmap map;
	idmap_init(&map);
	enum rc rc = idmap_map(&map, w->keys.at, ids, n, e);
	int64_t *seen = mem_zalloc(mem_mul((size_t)map.n + 1, sizeof *seen)),
		*next = mem_alloc(mem_mul(n, sizeof *next));
	for (size_t i = n; i-- > 0 && !rc;) {
		next[i] = seen[ids[i]] ? seen[ids[i]] : -1;
		seen[ids[i]] = (int64_t)i + 1;
	}
	for (size_t i = 0; i < n && !rc; i++) {
		unsigned char b[24];
		put_le32(b, (uint32_t)(i / 100000));
		put_le64(b + 4, w->keys.at[i]);
		put_le32(b + 12, w->sizes.at[i]);
		put_le64(b + 16, (uint64_t)next[i]);
		outfile_write(w->file, b, sizeof b);
	}
	idmap_release(&map);
	free(ids);
	free(seen);
	free(next);
	return rc;
}

static void release(struct trace_writer *w)
{
	vec_release_all(&w->keys, &w->sizes);
	free(w);
}

enum rc trace_close(struct trace_writer *w, uint64_t original_requests, struct err *e)
{
	enum rc rc = RC_OK;
	if (w->kind == RFT) {
		rc = keytrace_close(w->rft, original_requests, e);
	} else {
		if (w->kind == ORACLE && (rc = write_oracle(w, e))) {
			trace_abandon(w);
			return rc;
		}
		rc = outfile_close(w->file, e);
	}
	release(w);
	return rc;
}

void trace_abandon(struct trace_writer *w)
{
	if (!w)
		return;
	if (w->kind == RFT)
		keytrace_abandon(w->rft);
	else
		outfile_abandon(w->file);
	release(w);
}
