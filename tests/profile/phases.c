/* SPDX-License-Identifier: MIT */
/* Starts up, then serves: 100 calls of work() before serve() is called for the first time, 300 from then on. With an
 * argument it never ends. */
#include <stdio.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

NOINLINE unsigned long work(unsigned long k)
{
	unsigned long h = k;
	for (int r = 0; r < 2000; r++)
		h = h * 31 + (unsigned long)r;
	return h;
}

NOINLINE unsigned long serve(int i)
{
	return work((unsigned long)i % 3) + work(7);
}

int main(int argc, char **argv)
{
	unsigned long sum = 0;
	(void)argv;
	for (unsigned i = 0; i < 100; i++)
		sum += work(i);
	for (int i = 0; i < 150 || argc > 1; i++)
		sum += serve(i % 3);
	printf("%lu\n", sum);
	return 0;
}
