/* SPDX-License-Identifier: MIT */
/* Reads 4 MB in each of 4 calls: more than a log of 1 MB holds. */
#include <stdlib.h>
static volatile long sink;
__attribute__((noinline, noclone, noipa)) long total(const long *v, long n)
{
	long s = 0;
	for (long i = 0; i < n; i++)
		s += v[i];
	return s;
}
int main(void)
{
	long n = 1 << 19, *v = calloc((size_t)n, sizeof *v);
	for (int i = 0; i < 4; i++)
		sink += total(v, n);
	return 0;
}
