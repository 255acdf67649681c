/* SPDX-License-Identifier: MIT */
/* The program ends in the middle of a call: 101 calls are entered, 100 with four inputs come back. */
#include <stdio.h>
#include <stdlib.h>

static volatile long sink;

__attribute__((noinline, noclone, noipa)) long work(int n)
{
	long s = 0;
	for (int i = 0; i < 200; i++)
		s = s * 31 + (n ^ i);
	if (n == 99)
		exit(0);
	return s;
}

int main(void)
{
	for (int i = 0; i < 100; i++)
		sink += work(i % 4);
	sink += work(99);
	return 0;
}
