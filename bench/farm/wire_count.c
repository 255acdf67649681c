/* SPDX-License-Identifier: MIT */
/* What one test costs on the wire: wire_count LOG reads what delay_proxy wrote down of a reduction by workers, pairs
 * commands with replies as a Redis client would, and files both under the test whose number is in them (XADD, XACK and
 * BLPOP are the sender's, the others the workers'). Prints the median over tests, and what went beside: notices,
 * texts that differences refer to, leases and questions that brought no test. It knows the protocol from
 * docs/protocol.md and shares nothing with src/farm. */
#include "base/bits.h"
#include "data/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_TESTS = 1 << 22 };

struct bytes {
	VEC(char) text;
	size_t at;
};

struct connection {
	struct bytes side[2]; /* commands, replies */
	bool subscribed;
};

/* Bytes of each test: the sender's and the workers'. */
struct test {
	size_t bytes[2];
};

static VEC(struct connection) connections;
static VEC(struct test) tests;
static size_t beside[2];

/* Where the item that begins at p ends, or NULL if it is not all there. */
static const char *item_end(const char *p, const char *end)
{
	size_t pending = 1;
	while (pending--) {
		const char *line = memchr(p, '\n', (size_t)(end - p));
		if (!line)
			return NULL;
		long n = *p == '$' || *p == '*' ? strtol(p + 1, NULL, 10) : 0; /* else a line: an inline command too */
		bool bulk = *p == '$' && n >= 0;
		p = line + 1;
		if (bulk && end - p < n + 2)
			return NULL;
		if (bulk)
			p += n + 2;
		else if (n > 0)
			pending += (size_t)n;
	}
	return p;
}

/* The next string in an item after *p; false at its end. */
static bool next_string(const char **p, const char *end, const char **text, size_t *n)
{
	while (*p < end) {
		const char *line = memchr(*p, '\n', (size_t)(end - *p));
		long len = **p == '$' ? strtol(*p + 1, NULL, 10) : -1;
		*p = line + 1;
		if (len < 0)
			continue;
		*text = *p;
		*n = (size_t)len;
		*p += len + 2;
		return true;
	}
	return false;
}

/* How a command names its tests: by ids of entries in the reply ("12-0"), by their numbers among its own words, or by a
 * verdict in one of the two. */
enum names { IN_REPLY, IN_COMMAND, VERDICT_IN_REPLY, VERDICT_IN_COMMAND };

static const struct kind {
	const char *command;
	enum names names;
	bool sender;
} kinds[] = {
	{"XADD", IN_REPLY, true},
	{"XACK", IN_COMMAND, true},
	{"BLPOP", VERDICT_IN_REPLY, true},
	{"XREADGROUP", IN_REPLY, false},
	{"XAUTOCLAIM", IN_REPLY, false},
	{"XCLAIM", IN_REPLY, false},
	{"RPUSH", VERDICT_IN_COMMAND, false},
};

static const struct kind *kind_of(const char *p, const char *end)
{
	const char *name = p;
	size_t n;
	if (*p == '*' && !next_string(&p, end, &name, &n))
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (strncmp(name, kinds[i].command, strlen(kinds[i].command)) == 0)
			return &kinds[i];
	return NULL;
}

/* The number of the test that a string names; 0: none. */
static size_t number_in(const char *s, size_t n, enum names names)
{
	size_t x = 0, i = 0;
	if (names >= VERDICT_IN_REPLY) {
		for (unsigned shift = 0, k = 7; n > 8 && s[0] == 'v' && k < n && shift < 32; k++, shift += 7) {
			x |= (size_t)(s[k] & 127) << shift;
			if (!(s[k] & 128))
				break;
		}
		return x;
	}
	while (i < n && s[i] >= '0' && s[i] <= '9' && x < MOST_TESTS)
		x = x * 10 + (size_t)(s[i++] - '0');
	if (names == IN_COMMAND)
		return i == n ? x : 0;
	return n - i == 2 && memcmp(s + i, "-0", 2) == 0 ? x : 0;
}

/* Files a command and its reply under the tests that they name. */
static void pair(const char *const begin[2], const char *const end[2])
{
	enum { MOST = 256 };
	size_t numbers[MOST], n = 0, len, size = (size_t)(end[0] - begin[0] + (end[1] - begin[1]));
	const struct kind *kind = kind_of(begin[0], end[0]);
	bool reply = kind && (kind->names == IN_REPLY || kind->names == VERDICT_IN_REPLY);
	const char *p = begin[reply], *s;
	while (kind && n < MOST && next_string(&p, end[reply], &s, &len)) {
		size_t x = number_in(s, len, kind->names);
		if (x > 0 && x < MOST_TESTS)
			numbers[n++] = x;
	}
	if (!n)
		beside[!kind || !kind->sender] += size;
	for (size_t i = 0; i < n; i++) {
		while (tests.n <= numbers[i])
			vec_push(&tests, ((struct test){{0, 0}}));
		tests.at[numbers[i]].bytes[!kind->sender] += size / n;
	}
}

static void take(struct connection *c, size_t side, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		vec_push(&c->side[side].text, bytes[i]);
	if (n >= 9 && side == 0 && memmem(bytes, n, "SUBSCRIBE", 9))
		c->subscribed = true;
	if (c->subscribed) {
		beside[1] += n;
		return;
	}
	for (;;) {
		const char *begin[2], *end[2];
		for (int k = 0; k < 2; k++) {
			struct bytes *b = &c->side[k];
			begin[k] = b->text.at + b->at;
			end[k] = b->at < b->text.n ? item_end(begin[k], b->text.at + b->text.n) : NULL;
		}
		if (!end[0] || !end[1])
			return;
		pair(begin, end);
		for (int k = 0; k < 2; k++)
			c->side[k].at = (size_t)(end[k] - c->side[k].text.at);
	}
}

static int by_size(const void *a, const void *b)
{
	size_t x = *(const size_t *)a, y = *(const size_t *)b;
	return (x > y) - (x < y);
}

static size_t median(int which)
{
	VEC(size_t) all = {0};
	for (size_t i = 0; i < tests.n; i++) {
		const size_t *b = tests.at[i].bytes;
		if (b[0] && b[1])
			vec_push(&all, which < 2 ? b[which] : b[0] + b[1]);
	}
	if (!all.n)
		return 0;
	qsort(all.at, all.n, sizeof *all.at, by_size);
	size_t m = all.at[all.n / 2];
	vec_release(&all);
	return m;
}

int main(int argc, char **argv)
{
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
	static char bytes[65536];
	unsigned head[3]; /* connection, side, length: as delay_proxy writes them */
	size_t n = 0;
	if (!f)
		return 2;
	while (fread(head, sizeof head, 1, f) == 1) {
		if (head[1] > 1 || head[2] > sizeof bytes || fread(bytes, 1, head[2], f) != head[2])
			break; /* killed in the middle of a write */
		while (connections.n <= head[0])
			vec_push(&connections, ((struct connection){0}));
		take(&connections.at[head[0]], head[1], bytes, head[2]);
	}
	fclose(f);
	for (size_t i = 0; i < tests.n; i++)
		n += tests.at[i].bytes[0] && tests.at[i].bytes[1];
	printf("on the wire, %zu tests: at the median %zu bytes on the sender's side, %zu on the worker's, %zu both; "
	       "beside, a test: %zu and %zu\n",
	       n, median(0), median(1), median(2), n ? beside[0] / n : 0, n ? beside[1] / n : 0);
	return 0;
}
