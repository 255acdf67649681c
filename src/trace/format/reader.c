/* SPDX-License-Identifier: MIT */
/* The trace reader, see reader.h: finds the format, asks it for blocks, splits addresses into units, stops at the
 * limit.
 *
 * A format is recognised by its first bytes, then by the file's suffix, then as text; a headerless binary without a
 * known suffix must be named, and so must text that is neither numbers nor a word a line. What a name promises and the
 * first bytes deny is refused: text as binary, binary as text, words of another width or byte order. */
#include "trace/format/formats.h"

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

/* The place of the first byte that text does not have; n: none. */
static size_t text_until(const unsigned char *p, size_t n)
{
	size_t i = 0;
	while (i < n && (p[i] >= 32 || isspace(p[i])))
		i++;
	return i;
}

static bool starts_as_json(const unsigned char *p, size_t n)
{
	size_t i = n >= 3 && memcmp(p, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
	while (i < n && isspace(p[i]))
		i++;
	return i < n && (p[i] == '{' || p[i] == '[');
}

/* The name says one thing, the first bytes another. */
static enum rc check_content(struct trace_reader *r, const unsigned char *p, size_t n, struct err *e)
{
	const struct trace_format *f = r->format;
	size_t text = text_until(p, n);
	if (f->binary && text == n && n >= 16)
		return err_set(e, RC_INPUT, "%s: record 1: this is text, not %s (--format=%s reads it all the same)",
			       input_name(r->in), f->name, f->name);
	const char *other = trace_other_words(f, p, n);
	if (other)
		return err_set(e, RC_INPUT,
			       "%s: record 1: the name says %s, but these look like words of %s: name the format "
			       "(--format=%s or --format=%s)",
			       input_name(r->in), f->name, other, other, f->name);
	if (f->binary || f->sniff || text == n)
		return RC_OK;
	long line = 1;
	for (size_t i = 0; i < text; i++)
		line += p[i] == '\n';
	return err_at(e, RC_INPUT, input_name(r->in), line, 0, "byte 0x%02x: this is not %s but a binary file", p[text],
		      f->name);
}

static enum rc find_format(struct trace_reader *r, const char *name, struct err *e)
{
	const unsigned char *p;
	size_t n;
	if (r->o.path && !r->o.format) {
		r->format = &format_jsonl;
		return RC_OK;
	}
	if (r->o.format) {
		if (!(r->format = by_name(r->o.format)))
			return err_set(e, RC_INPUT, "unknown trace format '%s'", r->o.format);
		return RC_OK;
	}
	enum rc rc = input_view(r->in, DOUBT_BYTES, &p, &n, e);
	if (rc)
		return rc;
	n = n < DOUBT_BYTES ? n : DOUBT_BYTES;
	if (!(r->format = by_content(p, n)) && !(r->format = by_suffix(name)) && text_until(p, n) == n)
		r->format = &format_text;
	if (r->format == &format_text && starts_as_json(p, n))
		r->format = &format_jsonl;
	if (!r->format)
		return err_set(e, RC_INPUT, "%s: unknown binary format; name it with --format", input_name(r->in));
	return check_content(r, p, n, e);
}

static bool wanted(const struct trace_reader *r, unsigned c)
{
	return c == COLUMN_SIZE || r->o.all_columns || r->o.column[c] || (c == COLUMN_REQUEST && r->o.requests) ||
	       (c == COLUMN_COST && r->o.costs);
}

void trace_has(struct trace_reader *r, enum keytrace_column c)
{
	if (!wanted(r, c) || r->meta.has[c])
		return;
	r->meta.has[c] = true;
	r->column[c] = mem_alloc(TRACE_BLOCK * sizeof *r->column[c]);
}

/* Options that say where keys and columns are must not be passed over: the answer would be to another question. */
static enum rc check_options(const struct trace_reader *r, struct err *e)
{
	bool json = r->format == &format_jsonl, table = r->format == &format_csv || r->format == &format_columns;
	const char *unused = r->o.path && !json                                                       ? "path"
			     : r->o.key && !json && !table                                            ? "column"
			     : (r->o.header || r->o.no_header) && !table                              ? "header"
			     : r->o.names && !table                                                   ? "names"
			     : r->o.delimiter && r->format != &format_csv                             ? "delimiter"
			     : r->o.access && r->format != &format_din && r->format != &format_lackey ? "access"
												      : NULL;
	if (!unused)
		return RC_OK;
	return err_set(e, RC_INPUT, "%s: --%s has no meaning for the format %s%s", input_name(r->in), unused,
		       r->format->name, r->format == &format_text ? " (--format=columns reads tables)" : "");
}

static enum rc begin_format(struct trace_reader *r, const char *name, struct err *e)
{
	r->meta = (struct trace_meta){
		.format = r->format->name, .compressed = input_compressed(r->in), .ticks = r->format->ticks};
	r->default_delimiter = !r->o.delimiter;
	if (!r->o.delimiter)
		r->o.delimiter = strstr(name, ".tsv") ? "\t" : ",";
	r->scale = r->format->address_unit;
	for (unsigned c = 0; c < COLUMNS; c++)
		if (r->format->columns >> c & 1)
			trace_has(r, c);
	if (r->o.requests && r->format->requests)
		trace_has(r, COLUMN_REQUEST);
	return r->format->begin ? r->format->begin(r, e) : RC_OK;
}

/* Blocks of --unit have no sizes; everything else is that of the request they are parts of. */
static enum rc begin_split(struct trace_reader *r, struct err *e)
{
	if (r->meta.strings)
		return err_set(e, RC_INPUT, "%s: --unit needs numbers, but the keys are strings", trace_name(r));
	if (r->meta.has[COLUMN_COST])
		return err_set(e, RC_INPUT, "%s: --unit splits requests, but not what they cost", trace_name(r));
	r->meta.unit = r->o.unit;
	r->meta.sizes = false;
	for (unsigned c = 0; c < COLUMNS; c++)
		if (r->meta.has[c])
			r->out_column[c] = mem_alloc(TRACE_BLOCK * sizeof *r->out_column[c]);
	return RC_OK;
}

enum rc trace_open_input(struct trace_reader **out, struct input *in, const char *name, const struct trace_options *o,
			 struct err *e)
{
	struct trace_reader *r = mem_zalloc(sizeof *r);
	r->in = in;
	if (o)
		r->o = *o;
	r->said = r->o.format != NULL;
	if (r->o.strings)
		r->tokens = TOKEN_STRING;
	enum rc rc = find_format(r, name, e);
	if (!rc)
		rc = check_options(r, e);
	if (!rc)
		rc = begin_format(r, name, e);
	if (!rc && r->o.unit)
		rc = begin_split(r, e);
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
		while (block <= (uint64_t)last && n < TRACE_BLOCK) {
			for (unsigned c = 0; c < COLUMNS; c++)
				if (r->out_column[c])
					r->out_column[c][n] = r->block.column[c][r->at];
			r->out_keys[n++] = block++;
		}
		r->part = block - (uint64_t)first;
		if (block > (uint64_t)last) {
			r->at++;
			r->part = 0;
		}
	}
	*b = (struct trace_block){.keys = r->out_keys, .n = n};
	for (unsigned c = 0; c < COLUMNS; c++)
		b->column[c] = r->out_column[c];
	return RC_OK;
}

static enum rc next_block(struct trace_reader *r, struct trace_block *b, struct err *e)
{
	if (r->at == r->block.n) {
		r->block = (struct trace_block){.keys = r->keys};
		for (unsigned c = 0; c < COLUMNS; c++)
			r->block.column[c] = r->column[c];
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

/* Sizes and costs are added up by everybody: a sum of 64 bits must do. */
static enum rc add_up(struct trace_reader *r, const struct trace_block *b, struct err *e)
{
	static const enum keytrace_column summed[] = {COLUMN_SIZE, COLUMN_COST};
	for (size_t k = 0; k < ARRAY_LEN(summed); k++) {
		const uint64_t *value = b->column[summed[k]];
		for (size_t i = 0; value && i < b->n; i++)
			if (__builtin_add_overflow(r->sum[k], value[i], &r->sum[k]))
				return err_set(e, RC_INPUT, "%s: record %llu: the %ss up to here add up to too much",
					       trace_name(r), (unsigned long long)(r->references + i + 1),
					       keytrace_column_name(summed[k]));
	}
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
	rc = add_up(r, b, e);
	r->references += b->n;
	return rc;
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

double trace_position(const struct trace_reader *r)
{
	return r->in ? input_position(r->in) : -1;
}

void trace_free(struct trace_reader *r)
{
	if (!r)
		return;
	if (r->format && r->format->end)
		r->format->end(r);
	input_free(r->in);
	for (unsigned c = 0; c < COLUMNS; c++) {
		free(r->column[c]);
		free(r->out_column[c]);
	}
	buf_release(&r->joined);
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

/* A line that is longer than a view, put together in r->joined. */
static enum rc join_line(struct trace_reader *r, const char **p, size_t *n, struct err *e)
{
	enum { LONGEST = 1 << 26 };
	const unsigned char *v, *end = NULL;
	size_t len;
	buf_clear(&r->joined);
	while (!end) {
		enum rc rc = input_view(r->in, 1 << 16, &v, &len, e);
		if (rc)
			return rc;
		if (!len)
			break;
		end = memchr(v, '\n', len);
		size_t part = end ? (size_t)(end - v) : len;
		if (r->joined.n + part > LONGEST)
			return trace_bad_line(r, e, 1, "the line is longer than %d bytes", LONGEST);
		buf_add(&r->joined, v, part);
		input_skip(r->in, part + (end != NULL));
	}
	*p = buf_str(&r->joined);
	*n = r->joined.n;
	return RC_OK;
}

enum rc trace_line(struct trace_reader *r, const char **p, size_t *n, struct err *e)
{
	const unsigned char *v, *end;
	size_t len;
	*p = NULL;
	enum rc rc = input_view(r->in, 1 << 16, &v, &len, e);
	if (rc || !len)
		return rc;
	r->line++;
	if (r->line == 1 && len >= 3 && memcmp(v, "\xef\xbb\xbf", 3) == 0) { /* a byte-order mark */
		input_skip(r->in, 3);
		v += 3;
		len -= 3;
	}
	if (!(end = memchr(v, '\n', len)) && len >= 1 << 16) {
		if ((rc = join_line(r, p, n, e)))
			return rc;
	} else {
		*p = (const char *)v;
		*n = end ? (size_t)(end - v) : len;
		input_skip(r->in, *n + (end != NULL));
	}
	if (*n && (*p)[*n - 1] == '\r')
		--*n;
	const char *nul = memchr(*p, 0, *n);
	return nul ? trace_bad_line(r, e, (long)(nul - *p) + 1, "a NUL byte: this is not text") : RC_OK;
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

bool trace_number(const char *p, size_t n, uint64_t *out)
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
		r->tokens = trace_number(p, n, key) ? TOKEN_NUMBER : TOKEN_STRING;
	if (r->tokens == TOKEN_STRING || r->tokens == TOKEN_WORD) {
		if (r->o.unit)
			return trace_bad_line(r, e, col, "--unit needs numbers");
		r->meta.strings = true;
		*key = hash64(p, n);
		return RC_OK;
	}
	if (r->tokens == TOKEN_NUMBER
		    ? trace_number(p, n, key)
		    : trace_number(p, n > 2 && (p[1] | 32) == 'x' ? n : 0, key) || number(p, n, 16, key))
		return RC_OK;
	char shown[64];
	text_escape(p, n < 40 ? n : 40, shown, sizeof shown);
	return trace_bad_line(r, e, col, "'%s' is not a %s", shown,
			      r->tokens == TOKEN_HEX ? "64-bit hexadecimal number"
						     : "64-bit number (--strings takes keys as strings)");
}

/* The power of ten behind the e of "1.5e-05"; digits get the bytes before it. */
static bool exponent(const char *p, size_t n, size_t *digits, int *out)
{
	uint64_t v;
	*out = 0;
	for (*digits = 0; *digits < n && (p[*digits] | 32) != 'e';)
		++*digits;
	if (*digits == n)
		return true;
	const char *at = p + *digits + 1;
	bool minus = at < p + n && *at == '-';
	at += at < p + n && (*at == '-' || *at == '+');
	if (!number(at, (size_t)(p + n - at), 10, &v) || v > 1000)
		return false;
	*out = minus ? -(int)v : (int)v;
	return true;
}

/* "12.5" and "1.25e1" in millionths; what is smaller is dropped. */
static bool millionths(const char *p, size_t n, uint64_t *out)
{
	size_t digits, seen = 0;
	int power;
	if (!exponent(p, n, &digits, &power))
		return false;
	const char *dot = memchr(p, '.', digits);
	long place = (long)(dot ? (size_t)(dot - p) : digits) + power + 6; /* how many digits count */
	uint64_t v = 0;
	for (size_t i = 0; i < digits; i++) {
		unsigned d = (unsigned)p[i] - '0';
		if (p + i == dot)
			continue;
		if (d > 9)
			return false;
		seen++;
		if (place-- > 0 && (__builtin_mul_overflow(v, 10u, &v) || __builtin_add_overflow(v, d, &v)))
			return false;
	}
	for (; v && place > 0; place--)
		if (__builtin_mul_overflow(v, 10u, &v))
			return false;
	*out = v;
	return seen > 0;
}

/* As libCacheSim numbers them. */
static const char *const operations[] = {
	NULL,      "get",    "gets", "set",  "add",  "cas",   "replace", "append",
	"prepend", "delete", "incr", "decr", "read", "write", "update",
};

const char *trace_operation_name(uint64_t number)
{
	return number < ARRAY_LEN(operations) ? operations[number] : NULL;
}

static bool operation(const char *p, size_t n, uint64_t *out)
{
	for (size_t i = 1; i < ARRAY_LEN(operations); i++)
		if (strlen(operations[i]) == n && strncasecmp(p, operations[i], n) == 0) {
			*out = i;
			return true;
		}
	if (n == 1 && strchr("rRwW", *p)) {
		*out = (*p | 32) == 'r' ? 12 : 13;
		return true;
	}
	return number(p, n, 10, out);
}

enum rc trace_value(struct trace_reader *r, enum keytrace_column c, const char *p, size_t n, long col, uint64_t *out,
		    struct err *e)
{
	static const char *const wanted[] = {[COLUMN_SIZE] = "a number of bytes",
					     [COLUMN_TIME] = "a whole number",
					     [COLUMN_OPERATION] = "a number, or a name such as get, set, read",
					     [COLUMN_TENANT] = "a number or a name",
					     [COLUMN_COST] = "a number from 0 to 10^13",
					     [COLUMN_REQUEST] = "a number or a name"};
	bool good = c == COLUMN_COST        ? millionths(p, n, out)
		    : c == COLUMN_OPERATION ? operation(p, n, out)
					    : number(p, n, 10, out);
	if (!good && n && (c == COLUMN_TENANT || c == COLUMN_REQUEST)) { /* names will do */
		*out = hash64(p, n);
		good = true;
	}
	if (good)
		return RC_OK;
	char shown[64];
	text_escape(p, n < 40 ? n : 40, shown, sizeof shown);
	return trace_bad_line(r, e, col, "'%s': the %s must be %s", shown, keytrace_column_name(c), wanted[c]);
}
