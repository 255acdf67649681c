/* SPDX-License-Identifier: MIT */
/* What a saving is made of: counts in static data that go up and down, a table that is too long to be compared, new
 * memory that somebody changes later, or nobody. */
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

static volatile long sink;
static long in_use;
static int table[1500];

/* 3 counts, 4 arguments; three times as dear as plain() */
NOINLINE long counted(int i)
{
	long s = 0;
	in_use = (in_use + 1) % 3;
	for (int r = 0; r < 3000; r++)
		s = s * 31 + i;
	return s;
}

NOINLINE long plain(int i)
{
	long s = 0;
	for (int r = 0; r < 1000; r++)
		s = s * 33 + i;
	return s;
}

/* reads all of the table; its argument is 4 bytes */
NOINLINE long find(int what)
{
	long n = 0;
	for (int i = 0; i < 1500; i++)
		n += (table[i] ^ what) % 7 == 3;
	return n;
}

/* so does this, in less time than it takes to compare the table */
NOINLINE long total(int what)
{
	long n = 0;
	for (int i = 0; i < 1500; i++)
		n += table[i] ^ what;
	return n;
}

#define MAKE(name)                                                                                                     \
	NOINLINE long *name(int i)                                                                                     \
	{                                                                                                              \
		long *p = malloc(500 * sizeof *p);                                                                     \
		for (int k = 0; k < 500; k++)                                                                          \
			p[k] = k * i;                                                                                  \
		return p;                                                                                              \
	}
MAKE(kept)
MAKE(changed)

NOINLINE void change(long *p)
{
	for (int k = 0; k < 500; k++)
		p[k]++;
}

int main(void)
{
	for (int i = 0; i < 1500; i++)
		table[i] = i * 7;
	for (int i = 0; i < 240; i++) {
		sink += counted(i % 4) + plain(i % 4) + find(i % 4) + total(i % 4);
		long *a = kept(i % 4), *b = changed(i % 4);
		change(b);
		sink += a[3] + b[3];
		free(a);
		free(b);
	}
	printf("%ld\n", sink);
	return 0;
}
