/* SPDX-License-Identifier: MIT */
/* Inputs that never repeat, and inputs of which just enough do: half of the calls. */
#include <stdio.h>

__attribute__((noinline, noipa)) static unsigned fresh(unsigned a)
{
	unsigned h = 7;
	for (unsigned r = 0; r < 200; r++)
		h = h * 31 + (a ^ r);
	return h;
}

__attribute__((noinline, noipa)) static unsigned half(unsigned a)
{
	unsigned h = 9;
	for (unsigned r = 0; r < 200; r++)
		h = h * 33 + (a ^ r);
	return h;
}

int main(void)
{
	unsigned sum = 0;
	for (unsigned i = 0; i < 1000; i++)
		sum += fresh(i) + half(i % 500);
	printf("%u\n", sum);
	return 0;
}
