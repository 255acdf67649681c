/* random_main COMPARISONS: engine B's verdict against the independent checker, many times. */
#include "check_random.h"

#include <stdlib.h>

int main(int argc, char **argv)
{
	uint64_t want = argc > 1 ? strtoull(argv[1], NULL, 10) : 10000000, done = 0, good = 0, bad = 0;
	for (uint64_t seed = 1; done < want; seed++) {
		uint64_t n = want - done < 100000 ? want - done : 100000, k = random_run(n, seed, &good, &bad);
		done += k;
		if (k != n) {
			printf("seed %llu: verdicts differ at %llu\n", (unsigned long long)seed, (unsigned long long)k);
			return 1;
		}
	}
	printf("%llu steps, %llu verdicts true, %llu false, all equal to the reference\n", (unsigned long long)done,
	       (unsigned long long)good, (unsigned long long)bad);
	return 0;
}
