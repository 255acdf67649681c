/* SPDX-License-Identifier: MIT */
/* Gets and puts per second of each kind of store: median of five rounds, each in a fresh store.
 * Keys of about 40 bytes, values of 300; gets in an order that is not that of the puts. */
#include "base/bits.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ENTRIES = 20000, ROUNDS = 5, N_FIGURES = 4 };

static const char *const names[N_FIGURES] = {"put, one by one", "get, there", "get, missing", "put, one batch"};

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return x < y ? -1 : x > y;
}

static void puts_of(struct store *s, const char *prefix)
{
	char key[80], value[300];
	memset(value, 'v', sizeof value);
	for (unsigned i = 0; i < ENTRIES; i++) {
		int n = snprintf(key, sizeof key, "%s: the key of the entry number %u", prefix, i);
		store_put(s, key, (size_t)n, value, sizeof value, NULL);
	}
}

static void gets_of(struct store *s, const char *prefix, enum rc expected)
{
	char key[80];
	struct buf out = {0};
	for (uint64_t i = 0; i < ENTRIES; i++) {
		int n = snprintf(key, sizeof key, "%s: the key of the entry number %u", prefix,
				 (unsigned)(i * 7919 % ENTRIES));
		buf_clear(&out);
		if (store_get(s, key, (size_t)n, &out, NULL) != expected) {
			fprintf(stderr, "store_bench: a wrong answer\n");
			exit(1);
		}
	}
	buf_release(&out);
}

static void one_round(const char *uri, double *us)
{
	struct store_id id = {.engine = "bench", .schema = 1};
	struct store *s;
	struct err e = ERR_INIT;
	if (store_open(&s, uri, &id, 0, &e) != RC_OK) {
		fprintf(stderr, "store_bench: %s\n", e.text);
		exit(1);
	}
	double t[N_FIGURES + 1];
	t[0] = now();
	puts_of(s, "single");
	t[1] = now();
	gets_of(s, "single", RC_OK);
	t[2] = now();
	gets_of(s, "missing", RC_NO);
	t[3] = now();
	store_begin(s, NULL);
	puts_of(s, "batch");
	store_commit(s, NULL);
	t[4] = now();
	if (store_warning(s))
		fprintf(stderr, "store_bench: %s\n", store_warning(s));
	store_close(s);
	for (unsigned i = 0; i < N_FIGURES; i++)
		us[i] = (t[i + 1] - t[i]) / ENTRIES * 1e6;
}

static void bench(const char *title, const char *uri, const char *file)
{
	double us[ROUNDS][N_FIGURES];
	for (unsigned r = 0; r < ROUNDS; r++) {
		one_round(uri, us[r]);
		if (file)
			unlink(file);
	}
	for (unsigned f = 0; f < N_FIGURES; f++) {
		double column[ROUNDS];
		for (unsigned r = 0; r < ROUNDS; r++)
			column[r] = us[r][f];
		qsort(column, ROUNDS, sizeof *column, by_value);
		printf("%-8s %-16s %8.2f us %10.0f /s\n", title, names[f], column[ROUNDS / 2],
		       1e6 / column[ROUNDS / 2]);
	}
}

int main(void)
{
	const char *tmp = getenv("TMPDIR");
	char folder[256], file[300];
	snprintf(folder, sizeof folder, "%s/store-bench.XXXXXX", tmp ? tmp : "/tmp");
	if (!mkdtemp(folder))
		return 3;
	snprintf(file, sizeof file, "%s/store", folder);
	bench("memory", "memory:", NULL);
	bench("sqlite", file, file);
	rmdir(folder);
	return 0;
}
