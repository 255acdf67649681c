/* SPDX-License-Identifier: MIT */
/* Functions for which the cache can be written as code, and functions for which it must not be. The argument is a
 * number of
 * rounds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

static volatile unsigned long sink;
static int mode;

struct point {
	int x, unread;
	double weight;
	const char *label;
};

/* text, a global */
NOINLINE unsigned long fold(const char *s)
{
	unsigned long h = (unsigned long)mode;
	for (int r = 0; r < 400; r++)
		for (const char *p = s; *p; p++)
			h = h * 33 ^ (unsigned char)*p;
	return h;
}

/* fields of a structure, a string behind it that may be missing; its brace stands on the same line */
/* clang-format off */
NOINLINE unsigned long measure(const struct point *p, int scale) { unsigned long h = (unsigned long)(p->x * scale);
	for (int r = 0; r < 2000; r++)
		h = h * 31 + (unsigned long)(p->weight * r);
	return p->label ? h + strlen(p->label) : h;
}
/* clang-format on */

/* results in memory it is given */
NOINLINE void divide(int a, int b, int *quotient, int *rest)
{
	int q = 0;
	for (int r = 0; r < 1000; r++)
		q = (q + a) / (b + 1) + r % 3;
	*quotient = q;
	*rest = a % (b + 1);
}

/* exactly 24 bytes, whatever they are: a NUL does not end them */
NOINLINE unsigned block(const char *b)
{
	unsigned h = 7;
	for (int r = 0; r < 300; r++)
		for (int i = 0; i < 24; i++)
			h = h * 31 + (unsigned char)b[i];
	return h;
}

/* not to be cached by such code: new memory, a list of any length, a counter */
NOINLINE char *copy(const char *s)
{
	char *t = malloc(40);
	for (int r = 0; r < 100; r++)
		snprintf(t, 40, "%s!", s);
	return t;
}
struct node {
	int value;
	struct node *next;
};
NOINLINE long list(const struct node *n)
{
	long s = 0;
	for (; n; n = n->next)
		for (int r = 0; r < 50; r++)
			s = s * 31 + n->value;
	return s;
}
int counter;
NOINLINE int count(int a)
{
	int s = 0;
	for (int r = 0; r < 100; r++)
		s = s * 31 + a;
	counter = a;
	return s;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 200;
	struct node nodes[5] = {{1, NULL}, {2, &nodes[0]}, {3, &nodes[1]}, {4, &nodes[2]}, {5, &nodes[3]}};
	static const char *const words[] = {"alpha", "beta", "gamma ray burst", "delta"};
	for (int i = 0; i < rounds; i++) {
		char text[64], bytes[24] = "a\0bcdefghijklmnopqrstuv";
		memset(text, 'z', sizeof text);
		snprintf(text, sizeof text, "%s %d", words[i % 4], i % 3);
		mode = i / 12 % 2;
		struct point p = {i % 3, i, 1.5 * (i % 2), i % 4 ? words[i % 4] : NULL};
		int q, r;
		bytes[5] = (char)(i % 5);
		divide(i % 7, i % 3, &q, &r);
		char *t = copy(words[i % 2]);
		sink = sink * 31 + fold(text) + measure(&p, i % 2) + (unsigned long)(q + r) + block(bytes) +
		       (unsigned char)t[1];
		sink += (unsigned long)list(&nodes[i % 5]) + (unsigned long)count(i % 3);
		free(t);
	}
	printf("%lu\n", sink);
	return 0;
}
