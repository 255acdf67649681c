/* SPDX-License-Identifier: MIT */
/* Many runs of a random comparison (check_random.h, check_graph.h) from one seed after the other. */
#ifndef CHECK_RUNS_H
#define CHECK_RUNS_H

#include <refrain/check.h>
#include <stdint.h>
#include <stdio.h>

struct runs {
	/* So many operations from a seed; the number that were made before verdicts differed. */
	uint64_t (*run)(uint64_t operations, uint64_t seed, uint64_t *good, uint64_t *bad);
	uint64_t each, seed;
	uint64_t done, good, bad; /* operations made, verdicts seen */
};

/* Runs until n operations were made; says at which seed verdicts differ, and returns 1. */
static inline int runs_until(struct runs *r, uint64_t n)
{
	while (r->done < n) {
		uint64_t want = n - r->done < r->each ? n - r->done : r->each,
			 k = r->run(want, r->seed, &r->good, &r->bad);
		r->done += k;
		if (k != want) {
			printf("seed %llu: verdicts differ after %llu comparisons\n", (unsigned long long)r->seed,
			       (unsigned long long)k);
			return 1;
		}
		r->seed++;
	}
	return 0;
}

/* The same for a test: with every check counted, and more than so many true and false verdicts seen. */
static inline int runs_see_both(struct runs *r, uint64_t n, uint64_t good, uint64_t bad)
{
	return rf_check_configure("count") == 0 && runs_until(r, n) == 0 && r->good > good && r->bad > bad;
}

static inline void runs_print(const struct runs *r, const char *what)
{
	printf("%llu rounds %s, %llu comparisons: all equal (%llu true, %llu false)\n", (unsigned long long)r->done,
	       what, (unsigned long long)(r->good + r->bad), (unsigned long long)r->good, (unsigned long long)r->bad);
}

#endif
