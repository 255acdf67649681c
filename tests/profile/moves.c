/* SPDX-License-Identifier: MIT */
/* Caches that are wrong where pointers are: written in turn although one is where another leads, the same for two
 * parameters, to functions that another run has others of; and tables of bytes that look like text. The argument is a
 * number of rounds; with one, things happen that did not before. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#define NOINLINE __attribute__((noinline, noclone, noipa))
static unsigned long work(unsigned long h, int rounds)
{
	for (int r = 0; r < rounds; r++)
		h = h * 31 + (unsigned long)r;
	return h;
}
struct obj {
	int a, b;
	struct obj *next;
};
/* swap, both used afterwards */
NOINLINE void order(struct obj **p, struct obj **q)
{
	if (work((unsigned long)(*p)->a, 200) & 1) {
		struct obj *t = *p;
		*p = *q;
		*q = t;
	}
}
/* pops: result was in the place that it writes; writes in the object that was first */
NOINLINE struct obj *pop(struct obj **list)
{
	struct obj *o = *list;
	o->b = (int)(work((unsigned long)o->a, 200) % 5);
	*list = o->next;
	return o;
}
/* takes it away */
NOINLINE void take(struct obj **list)
{
	(*list)->b = (int)(work((unsigned long)(*list)->a, 200) % 5);
	*list = NULL;
}
/* in and out may be the same */
NOINLINE void mul(const int *a, const int *b, int *out)
{
	for (int i = 0; i < 4; i++)
		out[i] = (int)(work((unsigned long)(a[i] + b[3 - i] + a[0]), 60) % 7);
}
NOINLINE unsigned long cmp(const int *a, const int *b)
{
	return work((unsigned long)(*a * 16 + *b), 300) + (a == b);
}
/* a table, not a string */
static unsigned char *map;
NOINLINE unsigned long mapped(int at)
{
	return work(map[at], 300);
}
NOINLINE unsigned long bytes(const unsigned char *s)
{
	return work(strlen((const char *)s), 300) + s[0];
}
/* functions from outside, by argument and by a variable */
static int effects;
static int plus(int a)
{
	return a + 1;
}
static int noisy(int a)
{
	effects++;
	return a + 2;
}
NOINLINE unsigned long apply(int (*f)(int), int a)
{
	return work((unsigned long)f(a), 300);
}
static int (*hook)(int) = plus;
NOINLINE unsigned long hooked(int a)
{
	return work((unsigned long)hook(a), 300);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 200, more = argc > 1;
	unsigned long h = 0;
	map = malloc(16);
	memset(map, 0, 16);
	for (int i = 0; i < rounds; i++) {
		struct obj o[4] = {{i % 3, 9, &o[1]}, {i % 2, 8, &o[2]}, {2, 7, NULL}, {0, 6, NULL}};
		struct obj *x = &o[i % 2], *y = &o[2 + i % 2], *l = &o[0], *k = &o[1];
		order(&x, &y);
		h = h * 3 + (unsigned long)(x - o) * 4 + (unsigned long)(y - o);
		struct obj *p = pop(&l);
		h = h * 3 + (unsigned long)(p - o) * 4 + (unsigned long)(l - o) + (unsigned)(o[0].b * 10 + o[1].b);
		take(&k);
		h = h * 3 + (unsigned)(o[1].b) + (k == NULL);
		int a[4] = {i % 3, 2, 3, 4}, b[4] = {4, 3, i % 2, 1}, c[4];
		mul(a, b, c);
		h = h * 3 + (unsigned)(c[0] * 1000 + c[1] * 100 + c[2] * 10 + c[3]);
		int same[4] = {i % 3, 2, 3, 4};
		if (more && i % 3 == 1) {
			mul(same, b, same);
			h = h * 3 + (unsigned)(same[0] * 1000 + same[1] * 100 + same[2] * 10 + same[3]);
		}
		hook = more && i > 100 ? noisy : plus;
		h = h * 3 + apply(more && i % 2 ? noisy : plus, i % 3) + hooked(i % 3);
		int n[3] = {i % 2, i % 2, 3};
		h = h * 3 + cmp(n, more && i % 5 == 4 ? n : n + 1 + i % 2);
		map[i % 8] = (unsigned char)(i / 20 % 3);
		h = h * 3 + mapped(i % 3) + (more && i % 7 == 5 ? mapped(i % 8) : 0);
		h = h * 3 + bytes((const unsigned char *)(i % 3 ? "abc" : i % 2 ? "" : "qwerty"));
	}
	printf("%lu %d\n", h, effects);
	return 0;
}
