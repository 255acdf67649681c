/* SPDX-License-Identifier: MIT */
/* A function most of whose calls are small and repeat; a few read so much that a limit cuts them. A deep chain of
 * callers
 * that do little themselves; a global that shares 8 bytes with another; a buffer that is appended to. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

static volatile long sink;
static int table[4096];
/* two variables in one place of 8 bytes */
struct pair {
	int other, mode;
} static_pair __attribute__((aligned(8)));
extern int pair_other, pair_mode;
__asm__(".globl pair_other, pair_mode\n.set pair_other, static_pair\n.set pair_mode, static_pair + 4\n"
	".size pair_other, 4\n.size pair_mode, 4\n.type pair_other, @object\n.type pair_mode, @object\n");

/* 404 calls: 400 with 4 inputs, 4 that read the whole table */
NOINLINE long sum(int n)
{
	long s = 0;
	for (int r = 0; r < 40; r++)
		for (int i = 0; i < n; i++)
			s = s * 31 + table[i];
	return s;
}

/* 300/4: two arguments, two modes; reads pair_mode, not its neighbour */
NOINLINE int by_mode(int n)
{
	int s = 0;
	for (int i = 0; i < 100; i++)
		s += (n * i) ^ *(volatile int *)&pair_mode;
	return s;
}

struct text {
	char *at;
	size_t n, cap;
};

/* 1600 calls: appends to a buffer that is emptied now and then: equal inputs, but nobody caches this */
NOINLINE void append(struct text *t, const char *s)
{
	size_t n = strlen(s);
	if (t->n + n + 1 > t->cap)
		t->at = realloc(t->at, t->cap = 2 * (t->n + n + 1));
	for (int r = 0; r < 30; r++)
		memcpy(t->at + t->n, s, n + 1);
	t->n += n;
}

/* 100/2: what one caches instead */
NOINLINE long render(int i)
{
	struct text t = {0};
	long s = 0;
	for (int k = 0; k < 4; k++)
		append(&t, i ? "a longer piece of text, of about forty-eight bytes" : "a shorter one");
	for (size_t k = 0; k < t.n; k++)
		s = s * 31 + t.at[k];
	free(t.at);
	return s;
}

#define CALLER(n, next)                                                                                                \
	NOINLINE int caller_##n(int a, int i)                                                                          \
	{                                                                                                              \
		sink = i;                                                                                              \
		int r = next;                                                                                          \
		sink = r;                                                                                              \
		return r + 1;                                                                                          \
	}
/* 500/5: most of the run, below callers that include it */
NOINLINE int deepest(int a)
{
	int s = 0;
	for (int i = 0; i < 300; i++)
		s += (a * i) ^ i;
	return s;
}
CALLER(1, deepest(a))
CALLER(2, caller_1(a, i))
CALLER(3, caller_2(a, i))
CALLER(4, caller_3(a, i))
CALLER(5, caller_4(a, i))
CALLER(6, caller_5(a, i))
CALLER(7, caller_6(a, i))
CALLER(8, caller_7(a, i))

int main(void)
{
	for (int i = 0; i < 4096; i++)
		table[i] = i * 7;
	for (int i = 0; i < 400; i++)
		sink += sum(20 + i % 4);
	for (int i = 0; i < 4; i++)
		sink += sum(4096 - i % 2);
	for (int i = 0; i < 300; i++) {
		pair_mode = i & 1;
		pair_other = i;
		sink += by_mode(i / 2 % 2);
	}
	for (int i = 0; i < 100; i++)
		sink += render(i % 2);
	struct text t = {0};
	for (int i = 0; i < 300; i++, t.n = 0)
		for (int k = 0; k < 4; k++)
			append(&t, i % 2 ? "some text that is of no use but to be appended" : "something else");
	sink += t.at[3];
	for (int i = 0; i < 500; i++)
		sink += caller_8(i % 5, i);
	printf("%ld\n", sink);
	return 0;
}
