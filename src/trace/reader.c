/* SPDX-License-Identifier: MIT */
/* The trace reader, see reader.h: finds the format, asks it for blocks, splits addresses into units, stops at the
 * limit.
 *
 * A format is recognised by its first bytes, then by the file's suffix, then as text; a headerless binary without a
 * known suffix must be named. */
#include "trace/formats.h"

#include "base/bits.h"
#include "data/digest.h"
#include "data/mem.h"
#include "data/text.h"

#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct trace_format *const formats[] = {
#define X(NAME) &format_##NAME,
	TRACE_FORMATS(X)
#undef X
		NULL,
};

const char *trace_format_name(size_t i)
{
	return i < ARRAY_LEN(formats) && formats[i] ? formats[i]->name : NULL;
}

static const struct trace_format *by_name(const char *name)
{
	for (size_t i = 0; formats[i]; i++)
		if (strcmp(formats[i]->name, name) == 0)
			return formats[i];
	return NULL;
}

static bool ends_with(const char *s, size_t n, const char *end)
{
	size_t m = strlen(end);
	return n >= m && strncasecmp(s + n - m, end, m) == 0;
}

static const struct trace_format *by_suffix(const char *name)
{
	static const char *const packed[] = {".gz", ".zst", ".zstd", ".xz"};
	size_t n = strlen(name);
	for (size_t i = 0; i < sizeof packed / sizeof *packed; i++)
		if (ends_with(name, n, packed[i]))
			n -= strlen(packed[i]);
	for (size_t i = 0; formats[i]; i++)
		for (size_t j = 0; formats[i]->suffixes[j]; j++)
			if (ends_with(name, n, formats[i]->suffixes[j]))
				return formats[i];
	return NULL;
}

static const struct trace_format *by_content(const unsigned char *p, size_t n)
{
	for (size_t i = 0; formats[i]; i++)
		if (formats[i]->sniff && formats[i]->sniff(p, n))
			return formats[i];
	return NULL;
}

static bool looks_like_text(const unsigned char *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i] < 32 && !isspace(p[i]))
			return false;
	return true;
}

static enum rc find_format(struct trace_reader *r, const char *name, struct err *e)
{
	const unsigned char *p;
	size_t n;
	if (r->o.format) {
		if (!(r->format = by_name(r->o.format)))
			return err_set(e, RC_INPUT, "unknown trace format '%s'", r->o.format);
		return RC_OK;
	}
	enum rc rc = input_view(r->in, 16384, &p, &n, e);
	if (rc)
		return rc;
	n = n < 16384 ? n : 16384;
	if (!(r->format = by_content(p, n)) && !(r->format = by_suffix(name)) && looks_like_text(p, n))
		r->format = &format_text;
	if (!r->format)
		return err_set(e, RC_INPUT, "%s: unknown binary format; name it with --format", input_name(r->in));
	return RC_OK;
}

enum rc trace_open_input(struct trace_reader **out, struct input *in, const char *name, const struct trace_options *o,
			 struct err *e)
{
	struct trace_reader *r = mem_zalloc(sizeof *r);
	r->in = in;
	if (o)
		r->o = *o;
	enum rc rc = find_format(r, name, e);
	if (!rc) {
		r->meta = (struct trace_meta){
			.format = r->format->name, .compressed = input_compressed(in), .sizes = r->format->sizes};
		if (!r->o.delimiter)
			r->o.delimiter = strstr(name, ".tsv") ? "\t" : ",";
		r->scale = r->format->address_unit;
		rc = r->format->begin ? r->format->begin(r, e) : RC_OK;
	}
	r->sized = r->meta.sizes;
	if (!rc && r->o.unit) {
		if (r->meta.strings)
			rc = err_set(e, RC_INPUT, "%s: --unit needs numbers, but the keys are strings", trace_name(r));
		r->meta.unit = r->o.unit;
		r->meta.sizes = false;
	}
	if (rc)
		trace_free(r);
	else
		*out = r;
	return rc;
}

enum rc trace_open(struct trace_reader **out, const char *path, const struct trace_options *o, struct err *e)
{
	struct input *in;
	enum rc rc = input_open(&in, path, e);
	return rc ? rc : trace_open_input(out, in, path, o, e);
}

/* Splits requests into blocks of `unit` bytes: request i covers [key·address_unit, + size). */
static enum rc split(struct trace_reader *r, struct trace_block *b, struct err *e)
{
	uint64_t unit = r->o.unit, scale = r->scale;
	size_t n = 0;
	while (r->at < r->block.n && n < TRACE_BLOCK) {
		unsigned __int128 from = (unsigned __int128)r->block.keys[r->at] * scale;
		uint64_t size = r->block.sizes && r->block.sizes[r->at] ? r->block.sizes[r->at] : 1;
		unsigned __int128 first = from / unit, last = (from + size - 1) / unit;
		if (last >> 64 || last - first > 1 << 24)
			return err_set(e, RC_INPUT, "%s: record %llu: the request is too large or too far",
				       trace_name(r), (unsigned long long)(r->records - r->block.n + r->at + 1));
		uint64_t block = (uint64_t)first + r->part;
		while (block <= (uint64_t)last && n < TRACE_BLOCK)
			r->out_keys[n++] = block++;
		r->part = block - (uint64_t)first;
		if (block > (uint64_t)last) {
			r->at++;
			r->part = 0;
		}
	}
	*b = (struct trace_block){r->out_keys, NULL, n};
	return RC_OK;
}

static enum rc next_block(struct trace_reader *r, struct trace_block *b, struct err *e)
{
	if (r->at == r->block.n) {
		r->block = (struct trace_block){r->keys, r->sized ? r->sizes : NULL, 0};
		r->at = 0;
		enum rc rc = r->format->decode(r, e);
		if (rc)
			return rc;
		r->records += r->block.n;
	}
	if (r->o.unit)
		return split(r, b, e);
	*b = r->block;
	r->at = r->block.n;
	return RC_OK;
}

enum rc trace_next(struct trace_reader *r, struct trace_block *b, struct err *e)
{
	*b = (struct trace_block){0};
	if (r->o.limit && r->references == r->o.limit) {
		if (!r->limited) { /* one look ahead tells whether anything was left out */
			enum rc rc = next_block(r, b, e);
			if (rc)
				return rc;
			r->limited = b->n > 0;
			b->n = 0;
		}
		return RC_OK;
	}
	enum rc rc = next_block(r, b, e);
	if (rc)
		return rc;
	if (r->o.limit && b->n > r->o.limit - r->references) {
		b->n = (size_t)(r->o.limit - r->references);
		r->limited = true;
	}
	r->references += b->n;
	return RC_OK;
}

const struct trace_meta *trace_meta(const struct trace_reader *r)
{
	return &r->meta;
}

const char *trace_name(const struct trace_reader *r)
{
	return input_name(r->in);
}

bool trace_limited(const struct trace_reader *r)
{
	return r->limited;
}

void trace_free(struct trace_reader *r)
{
	if (!r)
		return;
	if (r->format && r->format->end)
		r->format->end(r);
	input_free(r->in);
	free(r);
}

/* ---- what the formats share */

static enum rc bad(struct trace_reader *r, struct err *e, long line, long col, const char *fmt, va_list ap)
{
	char text[256];
	vsnprintf(text, sizeof text, fmt, ap);
	if (line)
		return err_at(e, RC_INPUT, trace_name(r), line, col, "%s", text);
	return err_set(e, RC_INPUT, "%s: record %llu: %s", trace_name(r),
		       (unsigned long long)(r->records + r->block.n + 1), text);
}

enum rc trace_bad_record(struct trace_reader *r, struct err *e, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	enum rc rc = bad(r, e, 0, 0, fmt, ap);
	va_end(ap);
	return rc;
}

enum rc trace_bad_line(struct trace_reader *r, struct err *e, long col, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	enum rc rc = bad(r, e, r->line, col, fmt, ap);
	va_end(ap);
	return rc;
}

enum rc trace_line(struct trace_reader *r, const char **p, size_t *n, struct err *e)
{
	enum { LONGEST = 1 << 16 };
	const unsigned char *v;
	size_t len;
	*p = NULL;
	enum rc rc = input_view(r->in, LONGEST, &v, &len, e);
	if (rc || !len)
		return rc;
	r->line++;
	const unsigned char *end = memchr(v, '\n', len);
	if (!end && len >= LONGEST)
		return trace_bad_line(r, e, 1, "the line is longer than %d bytes", LONGEST);
	*p = (const char *)v;
	*n = end ? (size_t)(end - v) : len;
	input_skip(r->in, *n + (end != NULL));
	if (*n && (*p)[*n - 1] == '\r')
		--*n;
	return RC_OK;
}

enum rc trace_each_line(struct trace_reader *r, trace_line_fn line, struct err *e)
{
	while (r->block.n < TRACE_BLOCK) {
		const char *p;
		size_t n;
		enum rc rc = trace_line(r, &p, &n, e);
		if (rc || !p || (rc = line(r, p, n, e)))
			return rc;
	}
	return RC_OK;
}

enum rc trace_records(struct trace_reader *r, size_t size, const unsigned char **p, size_t *n, struct err *e)
{
	size_t len;
	enum rc rc = input_view(r->in, size, p, &len, e);
	if (rc)
		return rc;
	if (len && len < size)
		return trace_bad_record(r, e, "it ends after %zu of %zu bytes", len, size);
	*n = len / size < TRACE_BLOCK ? len / size : TRACE_BLOCK;
	return RC_OK;
}

static bool number(const char *p, size_t n, unsigned base, uint64_t *out)
{
	uint64_t v = 0;
	if (!n)
		return false;
	for (size_t i = 0; i < n; i++) {
		unsigned c = (unsigned char)p[i], d = c - '0' < 10          ? c - '0'
						      : (c | 32) - 'a' < 26 ? (c | 32) - 'a' + 10
									    : 99;
		if (d >= base || __builtin_mul_overflow(v, base, &v) || __builtin_add_overflow(v, d, &v))
			return false;
	}
	*out = v;
	return true;
}

static bool number_or_0x(const char *p, size_t n, uint64_t *out)
{
	if (n > 2 && p[0] == '0' && (p[1] | 32) == 'x')
		return number(p + 2, n - 2, 16, out);
	return number(p, n, 10, out);
}

enum rc trace_token(struct trace_reader *r, const char *p, size_t n, long col, uint64_t *key, struct err *e)
{
	if (r->tokens == TOKEN_NUMBER) {
		/* the usual case by hand: up to 18 digits cannot overflow */
		uint64_t v = 0;
		size_t i = 0;
		for (; i < n && i < 18 && (unsigned)(p[i] - '0') < 10; i++)
			v = v * 10 + (unsigned)(p[i] - '0');
		if (i == n && n) {
			*key = v;
			return RC_OK;
		}
	}
	if (r->tokens == TOKEN_UNKNOWN)
		r->tokens = number_or_0x(p, n, key) ? TOKEN_NUMBER : TOKEN_STRING;
	if (r->tokens == TOKEN_STRING) {
		if (r->o.unit)
			return trace_bad_line(r, e, col, "--unit needs numbers");
		r->meta.strings = true;
		*key = hash64(p, n);
		return RC_OK;
	}
	if (r->tokens == TOKEN_NUMBER
		    ? number_or_0x(p, n, key)
		    : number_or_0x(p, n > 2 && (p[1] | 32) == 'x' ? n : 0, key) || number(p, n, 16, key))
		return RC_OK;
	char shown[64];
	text_escape(p, n < 40 ? n : 40, shown, sizeof shown);
	return trace_bad_line(r, e, col, "'%s' is not a %s", shown,
			      r->tokens == TOKEN_HEX ? "64-bit hexadecimal number"
						     : "64-bit number (for other keys use --format=strings)");
}
