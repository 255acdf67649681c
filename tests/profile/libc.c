/* SPDX-License-Identifier: MIT */
/* Functions that depend on state of libc, or change it: a cache must put it into the key, put it back, or not be
 * written. The argument is a number of rounds; the sum says what callers see, errno and rand() included. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

static unsigned long work(unsigned long h)
{
	for (int r = 0; r < 500; r++)
		h = h * 31 + (unsigned long)r;
	return h;
}

/* errno is input */
NOINLINE unsigned long of_errno(int k)
{
	return work((unsigned long)errno * 8 + (unsigned)k);
}

/* every call leaves something in errno */
NOINLINE long strict(const char *text)
{
	errno = 0;
	long v = strtol(text, NULL, 10);
	return errno ? -1 : (long)work((unsigned long)v);
}

/* only what does not fit does */
NOINLINE long lenient(const char *text)
{
	long v = strtol(text, NULL, 10);
	return (long)work((unsigned long)v);
}

/* nobody's argument leads there: the environment; what srand and strtok keep */
NOINLINE unsigned long environment(const char *name)
{
	const char *v = getenv(name);
	return work(v ? (unsigned char)v[0] : 1);
}
NOINLINE unsigned long seeds(unsigned k)
{
	srand(k);
	return work(k);
}
NOINLINE unsigned long next_word(unsigned k)
{
	const char *word = (strtok)(NULL, " ");
	return work(k) + (word ? (unsigned char)word[0] : 0);
}

/* two members in one register, and in 8 bytes of memory; a structure on the stack */
struct pair {
	int a, b;
};
struct triple {
	long x, y, z;
};
NOINLINE unsigned long in_register(struct pair p)
{
	return work((unsigned long)(p.a * 8 + p.b));
}
NOINLINE unsigned long in_memory(const struct pair *p)
{
	return work((unsigned long)(p->a * 8 + p->b));
}
NOINLINE unsigned long on_stack(struct triple t)
{
	return work((unsigned long)(t.x + 3 * t.y + 9 * t.z));
}

int main(int argc, char **argv)
{
	static const char *const numbers[] = {"12", "99999999999999999999", "7", "-99999999999999999999", "5"};
	static const char *const names[] = {"REFRAIN_A", "REFRAIN_B"};
	unsigned long sum = 0;
	int rounds = argc > 1 ? atoi(argv[1]) : 100;
	for (int i = 0; i < rounds; i++) {
		errno = i % 3;
		sum = sum * 3 + of_errno(i % 4);
		sum = sum * 3 + (unsigned long)strict(numbers[i % 5]) + (unsigned)errno;
		errno = i % 2 ? ERANGE : 0;
		sum = sum * 3 + (unsigned long)lenient(numbers[i % 5]) + (unsigned)errno;
		if (i % 10 == 0)
			setenv(names[0], i % 20 ? "x" : "y", 1);
		sum = sum * 3 + environment(names[i % 2]);
		sum = sum * 3 + seeds((unsigned)i % 2) + (unsigned)rand();
		char text[] = "one two three four";
		sum = sum * 3 + (unsigned char)*(strtok)(text, " ");
		sum = sum * 3 + next_word((unsigned)i % 2);
		sum = sum * 3 + next_word((unsigned)i % 2);
	}
	for (int i = 0; i < rounds; i++) {
		struct pair p = {i % 3, i % 2};
		struct triple t = {i % 2, 1, i % 3};
		sum = sum * 3 + in_register(p) + in_memory(&p) + on_stack(t);
	}
	printf("%lu\n", sum);
	return 0;
}
