/* SPDX-License-Identifier: MIT */
/* The keys 0 … n − 1 in an order that is the same everywhere and every time; both benches insert them. */
#ifndef BENCH_CHECK_SHUFFLE_H
#define BENCH_CHECK_SHUFFLE_H

#include <stdint.h>

static void shuffle(int *keys, int n)
{
	uint64_t s = 88172645463325252u;
	for (int i = 0; i < n; i++)
		keys[i] = i;
	for (int i = n - 1; i > 0; i--) {
		s ^= s << 13;
		s ^= s >> 7;
		s ^= s << 17;
		int j = (int)(s % (uint64_t)(i + 1)), x = keys[i];
		keys[i] = keys[j];
		keys[j] = x;
	}
}

#endif
