/* SPDX-License-Identifier: MIT */
/* A fuzzer found an input that breaks a parser; this finds the smallest one, in process. The parser reads lists of
 * numbers in brackets and goes wrong at a number above 99 three lists deep, if its table of 64 numbers is full by then.
 *
 *	cc -O2 examples/reduce/crash.c -lrefrain -o crash && ./crash [JOBS] */
#include <refrain/reduce.h>

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* As a fuzz target: 1 where the real one would crash. */
static int parse(const char *text, size_t n)
{
	int depth = 0, numbers = 0;
	for (size_t i = 0; i < n; i++) {
		if (text[i] == '[') {
			depth++;
		} else if (text[i] == ']') {
			if (--depth < 0)
				return 0;
		} else if (text[i] >= '0' && text[i] <= '9') {
			size_t digits = 1;
			while (i + 1 < n && text[i + 1] >= '0' && text[i + 1] <= '9')
				i++, digits++;
			if (++numbers > 64 && depth == 3 && digits > 2)
				return 1;
		}
	}
	return 0;
}

static int crashes(void *user, const char *text, size_t n)
{
	(void)user;
	return parse(text, n);
}

static int show(void *user, const char *text, size_t n, uint64_t queries)
{
	(void)user, (void)text;
	fprintf(stderr, "%zu bytes after %llu calls\n", n, (unsigned long long)queries);
	return 0;
}

int main(int argc, char **argv)
{
	enum { LISTS = 2000 };
	size_t n = 0, room = LISTS * 32;
	char *text = malloc(room);
	for (int i = 0; text && i < LISTS; i++)
		n += (size_t)snprintf(text + n, room - n, "[%d, [%d, %s, 7], 8]\n", i, i % 90,
				      i == 1234 ? "[5, 123]" : "[5, 12]");
	rf_reduce_options o = {.size = sizeof o, .interesting = crashes};
	o.jobs = argc > 1 ? (unsigned)atoi(argv[1]) : 1;
	o.progress = getenv("SHOW") ? show : NULL;
	rf_reduction *r;
	rf_error e;
	struct timespec a, b;
	clock_gettime(CLOCK_MONOTONIC, &a);
	if (!text || rf_reduce(text, n, &o, &r, &e) != RF_OK)
		return 1;
	clock_gettime(CLOCK_MONOTONIC, &b);
	double s = (double)(b.tv_sec - a.tv_sec) + (double)(b.tv_nsec - a.tv_nsec) / 1e9;
	printf("%s\n", rf_reduction_text(r, NULL));
	fprintf(stderr, "%zu bytes, %llu calls, %.0f a second\n", n, (unsigned long long)rf_reduction_queries(r),
		(double)rf_reduction_queries(r) / s);
	rf_reduction_free(r);
	free(text);
	return 0;
}
