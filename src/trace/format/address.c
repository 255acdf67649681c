/* SPDX-License-Identifier: MIT */
/* Memory references in text.
 *
 *	din      Dinero's: "LABEL ADDRESS [SIZE]", label 0 or r (read), 1 or w (write), 2 or i (fetch); hexadecimal
 *	lackey   Valgrind's --trace-mem=yes: "I  ADDR,SIZE", " L …", " S …", " M …" (load and store of one place);
 *	         address hexadecimal, size decimal; Valgrind's own lines ("==PID== …") are passed over, all others
 *	         refused */
#include "trace/format/formats.h"

#include "base/bits.h"

#include <string.h>

enum access { ACCESS_ALL, ACCESS_DATA, ACCESS_FETCH };

static const char *const accesses[] = {[ACCESS_ALL] = "all", [ACCESS_DATA] = "data", [ACCESS_FETCH] = "fetch"};

const char *trace_access_name(size_t i)
{
	return i < ARRAY_LEN(accesses) ? accesses[i] : NULL;
}

static bool wanted(const struct trace_reader *r, bool fetch)
{
	const char *a = r->o.access;
	return !a || strcmp(a, accesses[ACCESS_ALL]) == 0 || (strcmp(a, accesses[ACCESS_FETCH]) == 0) == fetch;
}

static bool digits(const char *p, size_t n, size_t *at, unsigned base, uint64_t *out)
{
	size_t start = *at;
	*out = 0;
	for (; *at < n; ++*at) {
		unsigned c = (unsigned char)p[*at];
		unsigned d = c - '0' < 10 ? c - '0' : (c | 32) - 'a' < 26 ? (c | 32) - 'a' + 10 : 99;
		if (d >= base)
			break;
		if (__builtin_mul_overflow(*out, base, out) || __builtin_add_overflow(*out, d, out))
			return false;
	}
	return *at > start;
}

static void blanks(const char *p, size_t n, size_t *at)
{
	while (*at < n && (p[*at] == ' ' || p[*at] == '\t'))
		++*at;
}

enum { OP_READ = 12, OP_WRITE = 13, OP_UPDATE = 14 }; /* see trace_operation_name */

static void add(struct trace_reader *r, uint64_t address, uint64_t size, uint64_t operation)
{
	r->column[COLUMN_SIZE][r->block.n] = size;
	trace_set(r, COLUMN_OPERATION, operation);
	r->keys[r->block.n++] = address;
}

static enum rc din_line(struct trace_reader *r, const char *p, size_t n, struct err *e)
{
	static const char labels[] = "012rwi";
	size_t at = 0;
	uint64_t address, size = 1;
	blanks(p, n, &at);
	if (at == n)
		return RC_OK;
	const char *label = memchr(labels, p[at], sizeof labels - 1);
	if (!label)
		return trace_bad_line(r, e, (long)at + 1, "the label must be 0, 1, 2, r, w or i");
	bool fetch = *label == '2' || *label == 'i';
	at++;
	size_t gap = at;
	blanks(p, n, &at);
	if (at + 1 < n && p[at] == '0' && (p[at + 1] | 32) == 'x')
		at += 2;
	if (at == gap || !digits(p, n, &at, 16, &address))
		return trace_bad_line(r, e, (long)at + 1, "expected a hexadecimal address");
	blanks(p, n, &at);
	if (at < n && (!digits(p, n, &at, 16, &size) || size > UINT32_MAX || size == 0))
		return trace_bad_line(r, e, (long)at + 1, "expected a hexadecimal size");
	if (wanted(r, fetch))
		add(r, address, size, *label == '1' || *label == 'w' ? OP_WRITE : OP_READ);
	return RC_OK;
}

static bool is_lackey(const char *p, size_t n)
{
	return n > 3 &&
	       ((p[0] == 'I' && p[1] == ' ' && p[2] == ' ') || (p[0] == ' ' && strchr("LSM", p[1]) && p[2] == ' '));
}

static bool is_valgrind(const char *p, size_t n)
{
	return n > 2 && p[0] == p[1] && strchr("=-*", p[0]) && p[2] >= '0' && p[2] <= '9';
}

static enum rc lackey_line(struct trace_reader *r, const char *p, size_t n, struct err *e)
{
	size_t at = 3;
	uint64_t address, size;
	if (n == 0 || is_valgrind(p, n))
		return RC_OK;
	if (!is_lackey(p, n))
		return trace_bad_line(r, e, 1,
				      "not a line of Lackey's (--log-file keeps the program's own output out of it)");
	if (!digits(p, n, &at, 16, &address))
		return trace_bad_line(r, e, (long)at + 1, "expected a hexadecimal address");
	if (at == n || p[at++] != ',' || !digits(p, n, &at, 10, &size) || size > UINT32_MAX || at != n)
		return trace_bad_line(r, e, (long)at + 1, "expected ',SIZE' after the address");
	if (wanted(r, p[0] == 'I'))
		add(r, address, size, p[1] == 'S' ? OP_WRITE : p[1] == 'M' ? OP_UPDATE : OP_READ);
	return RC_OK;
}

static enum rc decode_din(struct trace_reader *r, struct err *e)
{
	return trace_each_line(r, din_line, e);
}

static enum rc decode_lackey(struct trace_reader *r, struct err *e)
{
	return trace_each_line(r, lackey_line, e);
}

/* Lackey's own first lines, or a first line that is a reference. */
static bool sniff_lackey(const unsigned char *p, size_t n)
{
	const char *s = (const char *)p;
	size_t i = 0;
	while (i < n && s[i] == '=') {
		const char *nl = memchr(s + i, '\n', n - i);
		if (!nl)
			return false;
		i = (size_t)(nl - s) + 1;
	}
	const char *nl = memchr(s + i, '\n', n - i), *comma = memchr(s + i, ',', nl ? (size_t)(nl - s) - i : n - i);
	return comma && is_lackey(s + i, n - i);
}

const struct trace_format format_din = {.name = "din",
					.suffixes = {".din"},
					.columns = HAS(SIZE) | HAS(OPERATION),
					.address_unit = 1,
					.decode = decode_din};
const struct trace_format format_lackey = {
	.name = "lackey",
	.suffixes = {".lackey"},
	.columns = HAS(SIZE) | HAS(OPERATION),
	.address_unit = 1,
	.sniff = sniff_lackey,
	.decode = decode_lackey,
};
