/* SPDX-License-Identifier: MIT */
/* What the formats share: records and lines of the input, and keys, numbers and names in them. Each refusal says
 * where. */
#include "trace/format/formats.h"

#include "base/bits.h"
#include "data/digest.h"
#include "data/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

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
	return trace_bad_line(r, e, col, "'%s' is not a 64-bit %s%s", shown,
			      r->tokens == TOKEN_HEX ? "hexadecimal number" : "number (--strings takes keys as strings",
			      r->tokens == TOKEN_HEX      ? ""
			      : r->format == &format_text ? ", --format=columns reads a table)"
							  : ")");
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
