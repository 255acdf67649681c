/* SPDX-License-Identifier: MIT */
/* Functions for which a cache that looks right on one run is wrong on another. The argument names a file with the
 * number of rounds; with a second one, things happen that did not before. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#ifndef ROUNDS
#define ROUNDS rounds
#endif
#ifndef STATUS
#define STATUS 0
#endif
#define NOINLINE __attribute__((noinline, noclone, noipa))

static unsigned long work(unsigned long h)
{
	for (int r = 0; r < 2000; r++)
		h = h * 31 + (unsigned long)r;
	return h;
}

/* a variable of the thread that has a name, and one that has none outside its function */
static __thread int before, level;
NOINLINE unsigned long weigh(int a)
{
	return work((unsigned long)(a * 8 + level));
}
NOINLINE static int *depth(void)
{
	static __thread int own;
	return &own;
}
NOINLINE unsigned long hidden(int a)
{
	return work((unsigned long)(a * 8 + *depth()));
}

/* sets itself up in its first call; in its first five; is set up by others after its first two */
NOINLINE unsigned long lazy(int a)
{
	static int scale;
	if (!scale)
		scale = 7;
	return work((unsigned long)(a * scale));
}
NOINLINE unsigned long slow(int a)
{
	static int phase;
	if (phase < 5)
		phase++;
	return work((unsigned long)(a * 8 + phase));
}
NOINLINE static int *phase(void)
{
	static int own;
	return &own;
}
NOINLINE unsigned long early(int a)
{
	return work((unsigned long)(a * 8 + *phase()));
}

/* some calls print, and only their result says so */
NOINLINE int report(int a)
{
	int odd = (int)(work((unsigned long)a) >> 7 & 15);
	if (odd == 3)
		return write(1, "odd\n", 4) == 4 ? 100 : 101;
	return odd > 8;
}

/* what is followed when the kind is 14; 15 was seen twice, with a pointer by chance */
struct tagged {
	long kind;
	const unsigned *number;
};
NOINLINE unsigned long tagged(struct tagged t)
{
	unsigned long h = 0;
	if (t.kind == 13 || (t.kind == 15 && (unsigned long)t.number < 4096))
		return work((unsigned long)t.number);
	for (int i = 0; i < 3; i++)
		h += t.number[i];
	return work(h);
}

int main(int argc, char **argv)
{
	unsigned long sum = 0;
	int rounds = 0, more = argc > 2;
	FILE *f = argc > 1 ? fopen(argv[1], "r") : NULL;
	if (!f || fscanf(f, "%d", &rounds) != 1) {
		fprintf(stderr, "cannot read the number of rounds\n");
		return 1;
	}
	fclose(f);
	static unsigned numbers[8][4];
	for (unsigned i = 0; i < 8; i++)
		numbers[i][0] = i;
	for (int i = 0; i < ROUNDS; i++) {
		struct tagged t = {i % 2 ? 14 : 13, i % 2 ? numbers[i / 2 % 8] : (const unsigned *)(long)(i % 5)};
		if (i == 20 || i == 40)
			t = (struct tagged){15, numbers[2]};
		if (more && i % 10 == 4)
			t = (struct tagged){15, (const unsigned *)(long)(i % 5)};
		level = i / 12 % 2;
		before = i;
		*depth() = i / 12 % 2;
		*phase() = i >= 2;
		sum = sum * 31 + weigh(i % 3) + hidden(i % 3) + lazy(i % 3) + slow(i % 3) + early(i % 3);
		sum = sum * 31 + (unsigned long)report(i % 90) + tagged(t);
	}
	printf("%lu %d\n", sum, before);
	return STATUS;
}
