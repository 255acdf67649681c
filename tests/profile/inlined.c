/* SPDX-License-Identifier: MIT */
/* Two functions that exist as inlined copies only; the second one is nearly all of the run. */
#include <stdio.h>

static volatile long sink;

static inline __attribute__((always_inline)) long cheap(long a)
{
	return a * 3;
}

static inline __attribute__((always_inline)) long dear(long a)
{
	long s = 0;
	for (int i = 0; i < 100; i++)
		s = s * 31 + ((a ^ i) % 7) * (a + i) % 13;
	return s;
}

__attribute__((noinline)) long outer(long a)
{
	return cheap(a) + dear(a);
}

int main(void)
{
	for (int i = 0; i < 2000; i++)
		sink += outer(i);
	printf("%ld\n", sink);
	return 0;
}
