/* SPDX-License-Identifier: MIT */
/* random_long N: runs of check_random.h until N operations were made; the verdicts of engine B and of an
 * independent full check must be the same at each comparison. The second half is run as with refrain-cc's
 * allocator. Prints what was compared; exit 1 at the first difference. */
#include "check_random.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000, good = 0, bad = 0, done = 0;
	enum { RUN = 100000 };
	if (rf_check_configure("count") != 0)
		return 3;
	for (uint64_t seed = 1000; done < n; seed++) {
		if (done >= n / 2 && !random_trusts)
			random_trust_blocks();
		uint64_t want = n - done < RUN ? n - done : RUN, k = random_run(want, seed, &good, &bad);
		done += k;
		if (k != want) {
			printf("seed %llu: verdicts differ after %llu comparisons\n", (unsigned long long)seed,
			       (unsigned long long)k);
			return 1;
		}
	}
	printf("%llu rounds of operations, %llu comparisons: all equal (%llu true, %llu false)\n",
	       (unsigned long long)done, (unsigned long long)(good + bad), (unsigned long long)good,
	       (unsigned long long)bad);
	return 0;
}
