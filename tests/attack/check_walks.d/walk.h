/* SPDX-License-Identifier: MIT */
/* What the programs of tests/attack/check_walks share. Each has a contract on probe(), changes its data at random, and
 * compares the verdict with a walk() that knows nothing of the runtime. */
#ifndef WALK_H
#define WALK_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <refrain/check.h>

#define NOINLINE __attribute__((noinline))

static void build(void);  /* valid data */
static void mutate(void); /* changes something; now and then all is made valid again */
static int walk(void);    /* does the contract hold? */
static void call(void);   /* of the function with the contract */

static uint64_t state;
static inline unsigned rnd(unsigned n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (unsigned)(state >> 20) % n;
}

static inline void text(char *to, const char *from)
{
	memcpy(to, from, strlen(from) + 1);
}

static unsigned long long violations(void)
{
	struct rf_check_stats s;
	rf_check_get_stats(&s);
	return s.violations;
}

/* ROUNDS SEED */
int main(int argc, char **argv)
{
	long rounds = argc > 1 ? atol(argv[1]) : 1000, good = 0;
	state = 88172645463325252u + (argc > 2 ? strtoull(argv[2], NULL, 10) : 0);
	build();
	for (long i = 0; i < rounds; i++) {
		mutate();
		int want = walk();
		unsigned long long before = violations();
		call();
		int got = violations() == before;
		if (got != want) {
			printf("round %ld: the verdict is %d, a plain walk says %d\n", i, got, want);
			return 1;
		}
		good += want;
	}
	printf("%ld of %ld held\n", good, rounds);
	return good < rounds / 40 || good > rounds - rounds / 40 ? 2 : 0; /* one verdict only shows nothing */
}
#endif
