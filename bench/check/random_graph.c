/* SPDX-License-Identifier: MIT */
/* random_graph N: runs of check_graph.h until N operations were made, as random_long.c. */
#include "check_graph.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000, good = 0, bad = 0, done = 0;
	enum { RUN = 100000 };
	if (rf_check_configure("count") != 0)
		return 3;
	for (uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1000; done < n; seed++) {
		uint64_t want = n - done < RUN ? n - done : RUN, k = graph_run(want, seed, &good, &bad);
		done += k;
		if (k != want) {
			printf("seed %llu: verdicts differ after %llu comparisons\n", (unsigned long long)seed,
			       (unsigned long long)k);
			return 1;
		}
	}
	struct rf_check_stats s;
	rf_check_get_stats(&s);
	printf("%llu rounds on graphs, %llu comparisons: all equal (%llu true, %llu false; %llu full walks)\n",
	       (unsigned long long)done, (unsigned long long)(good + bad), (unsigned long long)good,
	       (unsigned long long)bad, (unsigned long long)s.full_passes);
	return 0;
}
