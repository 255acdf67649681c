/* SPDX-License-Identifier: MIT */
/* Two levels of caches in one process: what the first misses goes to the second, and the curve of that stream says how
 * large the second should be. Reads keys as decimal numbers; the arguments are the two sizes.
 *
 *	cc levels.c $(pkg-config --cflags --libs refrain) -o levels && ./levels 100 1000 < keys.txt */
#include <refrain/trace.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 1024 };

static int fail(const rf_error *error)
{
	fprintf(stderr, "levels: %s\n", error->text);
	return 2;
}

static size_t read_keys(uint64_t *keys)
{
	size_t n = 0;
	while (n < BLOCK && scanf("%" SCNu64, &keys[n]) == 1)
		n++;
	return n;
}

/* Moves the missed keys to the front; how many there are. */
static size_t keep_missed(uint64_t *keys, const uint8_t *missed, size_t n)
{
	size_t kept = 0;
	for (size_t i = 0; i < n; i++)
		if (missed[i])
			keys[kept++] = keys[i];
	return kept;
}

int main(int argc, char **argv)
{
	rf_error error;
	rf_cache_sim *first, *second;
	rf_cache_sim_config small = {.policy = "lru", .size = argc > 1 ? strtoull(argv[1], NULL, 10) : 100};
	rf_cache_sim_config large = {.policy = "sieve", .size = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000};
	if (rf_cache_sim_new(&first, &small, &error) != RF_OK || rf_cache_sim_new(&second, &large, &error) != RF_OK)
		return fail(&error);
	rf_miss_curve *curve = rf_miss_curve_new();
	uint64_t keys[BLOCK];
	uint8_t missed[BLOCK];
	for (size_t n; (n = read_keys(keys));) {
		if (rf_cache_sim_look(first, keys, NULL, n, missed, &error) != RF_OK)
			return fail(&error);
		n = keep_missed(keys, missed, n);
		if (rf_cache_sim_feed(second, keys, NULL, n, &error) != RF_OK ||
		    rf_miss_curve_feed(curve, keys, n, &error) != RF_OK)
			return fail(&error);
	}
	printf("first level: %" PRIu64 " of %" PRIu64 " missed\n", rf_cache_sim_misses(first),
	       rf_cache_sim_requests(first));
	printf("second level: %" PRIu64 " of %" PRIu64 " missed\n", rf_cache_sim_misses(second),
	       rf_cache_sim_requests(second));
	uint64_t knee = rf_miss_curve_knee(curve);
	printf("an LRU cache of %" PRIu64 " there would miss %" PRIu64 "\n", knee, rf_miss_curve_misses(curve, knee));
	rf_cache_sim_free(first);
	rf_cache_sim_free(second);
	rf_miss_curve_free(curve);
	return 0;
}
