/* SPDX-License-Identifier: MIT */
/* Keys alone have no mark: a file of 32-bit keys that is named .u64 reads as half as many keys, none of which anybody
 * ever asked for. Its first words give it away: those of another width have empty or repeated halves, those of the
 * other byte order end in zeros, oracleGeneral's records have times, sizes and next accesses where these belong.
 *
 * Lines of as many numbers each, of which one rises from line to line, are a table: start, length, request.
 *
 * A trace may look so by chance; whoever knows better names the format. Invariant: what is said of the first words
 * holds for all of them, at least LEAST, or ROWS lines. */
#include "trace/format/formats.h"

#include "base/varint.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST = 16, ORACLE = 24, ROWS = 8, MOST_COLUMNS = 32 };

static int by_value(const void *a, const void *b)
{
	uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
	return p < q ? -1 : p > q;
}

/* Sorts n values and keeps each once. */
static size_t distinct(uint32_t *at, size_t n)
{
	size_t kept = 0;
	qsort(at, n, sizeof *at, by_value);
	for (size_t i = 0; i < n; i++)
		if (kept == 0 || at[kept - 1] != at[i])
			at[kept++] = at[i];
	return kept;
}

static size_t in_both(const uint32_t *a, size_t n, const uint32_t *b, size_t m)
{
	size_t both = 0;
	for (size_t i = 0, k = 0; i < n && k < m;) {
		both += a[i] == b[k];
		if (a[i] < b[k])
			i++;
		else
			k++;
	}
	return both;
}

/* The words of 32 bits at even and at odd places, each value once. */
struct halves {
	uint32_t even[DOUBT_BYTES / 8], odd[DOUBT_BYTES / 8];
	size_t n_even, n_odd;
	uint32_t any_even, any_odd; /* all bits that are set in one of them */
};

static void take_halves(struct halves *h, const unsigned char *p, size_t n)
{
	*h = (struct halves){.n_even = n / 8, .n_odd = n / 8};
	for (size_t i = 0; i < n / 8; i++) {
		h->any_even |= h->even[i] = get_le32(p + 8 * i);
		h->any_odd |= h->odd[i] = get_le32(p + 8 * i + 4);
	}
	h->n_even = distinct(h->even, h->n_even);
	h->n_odd = distinct(h->odd, h->n_odd);
}

static bool is_oracle(const unsigned char *p, size_t n)
{
	size_t records = n / ORACLE;
	uint32_t before = 0;
	for (size_t i = 0; i < records; i++, p += ORACLE) {
		int64_t next = (int64_t)get_le64(p + 16);
		if (get_le32(p) < before || get_le32(p + 12) == 0 || next < -2 || next == 0 || next >> 40 > 0 ||
		    (next > 0 && (uint64_t)next <= i))
			return false;
		before = get_le32(p);
	}
	return records >= LEAST;
}

const char *trace_other_words(const struct trace_format *f, const unsigned char *p, size_t n)
{
	struct halves h;
	bool wide = f == &format_u64 || f == &format_u64be, swapped = f == &format_u32be || f == &format_u64be;
	n = n < DOUBT_BYTES ? n : DOUBT_BYTES;
	if ((!wide && f != &format_u32 && f != &format_u32be) || n / 8 < LEAST)
		return NULL;
	take_halves(&h, p, n);
	uint32_t any = h.any_even | h.any_odd;
	if (!any)
		return NULL;
	if (is_oracle(p, n))
		return "oracle";
	/* both halves of a word have the same values; those of a volume and a block in it would differ in number */
	size_t both = 2 * in_both(h.even, h.n_even, h.odd, h.n_odd);
	if (wide && h.n_odd >= LEAST / 2 && both >= h.n_odd && both >= h.n_even)
		return (swapped || !(any & 0xffffu)) && any & 0xffff0000u ? "u32be" : "u32";
	/* keys below 2^32 in words of 64 bits */
	if (!wide && (!h.any_odd || !h.any_even))
		return h.any_odd ? "u64be" : "u64";
	/* keys below 2^16, or 2^32, of the other byte order */
	if (!wide && !(any & (swapped ? 0xffff0000u : 0xffffu)))
		return swapped ? "u32" : "u32be";
	if (wide && (swapped ? !h.any_odd : !h.any_even))
		return swapped ? "u64" : "u64be";
	return NULL;
}

static bool blank(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

/* The numbers of a line, as many as there is room for. False if something else is in it. */
static bool numbers_of_line(const char *p, size_t n, uint64_t *value, size_t *count)
{
	for (*count = 0; n && *count < MOST_COLUMNS;) {
		size_t word = 0;
		while (word < n && !blank(p[word]))
			word++;
		if (word && !trace_number(p, word, &value[(*count)++]))
			return false;
		word += word < n;
		p += word;
		n -= word;
	}
	return true;
}

size_t trace_rising_column(const unsigned char *bytes, size_t n, size_t *columns)
{
	const char *p = (const char *)bytes, *end;
	uint64_t first[MOST_COLUMNS], last[MOST_COLUMNS], value[MOST_COLUMNS];
	bool falls[MOST_COLUMNS] = {false}, some = false;
	size_t rows = 0, count;
	*columns = 0;
	for (; (end = memchr(p, '\n', n)); n -= (size_t)(end + 1 - p), p = end + 1) {
		if (!numbers_of_line(p, *p == '#' ? 0 : (size_t)(end - p), value, &count))
			return 0;
		if (!count)
			continue;
		if (rows && count != *columns)
			return 0;
		for (size_t i = 0; i < count; i++) {
			first[i] = rows ? first[i] : value[i];
			falls[i] |= rows && value[i] < last[i];
			some |= falls[i];
			last[i] = value[i];
		}
		*columns = count;
		rows++;
	}
	for (size_t i = 0; i < *columns && rows >= ROWS && some; i++)
		if (!falls[i] && last[i] > first[i])
			return i + 1;
	return 0;
}
