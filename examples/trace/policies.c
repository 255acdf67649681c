/* SPDX-License-Identifier: MIT */
/* How large, and which policy? Reads a cache's keys as decimal numbers and prints "POLICY SIZE MISSES": LRU at sizes
 * 1, 2, 4 … from one pass, then every policy at the size given as argument.
 *
 *	cc policies.c $(pkg-config --cflags --libs refrain) -o policies && ./policies 100 < keys.txt */
#include <refrain/trace.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { BLOCK = 1024 };

static size_t read_keys(uint64_t *keys)
{
	size_t n = 0;
	while (n < BLOCK && scanf("%" SCNu64, &keys[n]) == 1)
		n++;
	return n;
}

int main(int argc, char **argv)
{
	rf_cache_sim *sim[64] = {NULL};
	size_t policies = 0, n;
	rf_error error;
	uint64_t keys[BLOCK], size = argc > 1 ? strtoull(argv[1], NULL, 10) : 100;
	rf_miss_curve *curve = rf_miss_curve_new();
	for (; policies < 64 && rf_policy_name(policies); policies++) {
		rf_cache_sim_config config = {.policy = rf_policy_name(policies), .size = size};
		if (rf_cache_sim_new(&sim[policies], &config, &error) != RF_OK)
			fprintf(stderr, "%s\n", error.text); /* not every policy can have every size */
	}
	while ((n = read_keys(keys))) {
		if (rf_miss_curve_feed(curve, keys, n, &error) != RF_OK) {
			fprintf(stderr, "%s\n", error.text);
			return 1;
		}
		for (size_t i = 0; i < policies; i++)
			if (sim[i])
				rf_cache_sim_feed(sim[i], keys, NULL, n, NULL);
	}
	for (uint64_t s = 1; s <= rf_miss_curve_distinct(curve); s *= 2)
		printf("curve %" PRIu64 " %" PRIu64 "\n", s, rf_miss_curve_misses(curve, s));
	for (size_t i = 0; i < policies; i++) {
		if (sim[i])
			printf("%s %" PRIu64 " %" PRIu64 "\n", rf_policy_name(i), size, rf_cache_sim_misses(sim[i]));
		rf_cache_sim_free(sim[i]);
	}
	rf_miss_curve_free(curve);
	return 0;
}
