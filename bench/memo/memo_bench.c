/* SPDX-License-Identifier: MIT */
/* Nanoseconds per look-up of a 16-byte key in memo tables: hits and misses, median of five rounds of CPU time. */
#include "refrain/memo.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 5, LOOKUPS = 20000000 };

static double cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

/* `distinct` keys asked for in a scrambled order */
static void measure(const char *what, enum rf_memo_kind kind, uint32_t entries, uint64_t distinct, bool threads)
{
	double ns[ROUNDS];
	uint64_t sum = 0;
	double ratio = 0;
	for (int round = 0; round < ROUNDS; round++) {
		rf_memo *m = rf_memo_new(&(rf_memo_config){
			.kind = kind, .entries = entries, .key_size = 16, .value_size = 8, .thread_safe = threads});
		for (uint64_t i = 0; i < distinct; i++)
			rf_memo_put(m, (uint64_t[]){i * 0x9e3779b97f4a7c15u, i}, &i);
		double t = cpu();
		uint64_t x = 1, value = 0;
		for (int i = 0; i < LOOKUPS; i++) {
			x = x * 6364136223846793005u + 1442695040888963407u;
			uint64_t k = ((x >> 32) * distinct) >> 32;
			if (rf_memo_get(m, (uint64_t[]){k * 0x9e3779b97f4a7c15u, k}, &value))
				sum += value;
		}
		ns[round] = (cpu() - t) / LOOKUPS * 1e9;
		rf_memo_stats s = rf_memo_statistics(m);
		ratio = (double)s.hits / (double)s.gets;
		rf_memo_free(m);
	}
	qsort(ns, ROUNDS, sizeof *ns, by_value);
	printf("%-28s %6.1f ns  hit ratio %.3f  (checksum %llu)\n", what, ns[ROUNDS / 2], ratio,
	       (unsigned long long)sum);
}

int main(void)
{
	measure("single", RF_MEMO_SINGLE, 1, 1, false);
	measure("lru 64, all hits", RF_MEMO_LRU, 64, 64, false);
	measure("lru 64, half of 128", RF_MEMO_LRU, 64, 128, false);
	measure("direct 64, 64 keys", RF_MEMO_DIRECT, 64, 64, false);
	measure("lru 64, thread-safe", RF_MEMO_LRU, 64, 64, true);
	measure("lru 65536, all hits", RF_MEMO_LRU, 65536, 65536, false);
	return 0;
}
