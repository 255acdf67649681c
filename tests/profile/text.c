/* SPDX-License-Identifier: MIT */
/* libc's string functions on text with rubbish behind its end, which they read but which is nobody's input. Each
 * comment says
 * calls/distinct inputs. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

static volatile long sink;

/* 200/4 */
NOINLINE long length(const char *s)
{
	return (long)strlen(s) * 3 + 1;
}

/* 200/1: they differ in the fourth byte */
NOINLINE int less(const char *a, const char *b)
{
	return strcmp(a, b) < 0;
}

/* 200/4 */
NOINLINE long place(const char *a)
{
	const char *p = strchr(a, 'x');
	return p ? p - a : -1;
}

/* 200/4 */
NOINLINE void copy(char *to, const char *from)
{
	stpcpy(to, from);
}

/* 200/1: three bytes */
NOINLINE int same(const char *a, const char *b)
{
	return strncasecmp(a, b, 3);
}

/* 200/4 */
NOINLINE long split(const char *a)
{
	return (long)strcspn(a, "0123456789") + (strstr(a, "o3x") != NULL);
}

/* 200/4: seven bytes */
NOINLINE int equal(const char *a, const char *b)
{
	volatile size_t n = 7; /* else the compiler compares */
	return memcmp(a, b, n) + 2 * bcmp(a + 1, b + 1, n - 1);
}

/* 200/1: the last of five */
NOINLINE long last(const char *a)
{
	const char *p = memrchr(a, 'o', 5);
	return p ? p - a : -1;
}

/* 200/4 */
NOINLINE long raw(const char *a)
{
	return (const char *)rawmemchr(a, 'x') - a;
}

int main(void)
{
	static char a[256], b[256], c[256], d[256];
	for (int i = 0; i < 200; i++) {
		memset(a, 'a' + i % 26, sizeof a - 1);
		memset(b, 'a' + i % 7, sizeof b - 1);
		snprintf(a, 20, "hello%dx", i % 4);
		snprintf(b, 20, "help");
		sink += length(a) + less(a, b) + place(a) + same(a, b) + split(a);
		memset(d, 'a' + i % 5, sizeof d - 1);
		memcpy(d, "hello0y", 7);
		sink += equal(a, d) + last(a) + raw(a);
		copy(c, a);
		sink += c[1];
	}
	printf("%ld\n", sink);
	return 0;
}
