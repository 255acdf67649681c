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

/* a structure by value: what its kind says is followed, or not */
struct number {
	int used;
	unsigned char unread;
	unsigned digit[6];
};
struct value {
	int kind;
	union {
		const struct number *number;
		double real;
	} u;
};
NOINLINE double value(struct value v)
{
	double d = 0;
	if (v.kind == 13)
		return v.u.real;
	if (!v.u.number)
		return -1;
	for (int r = 0; r < 300; r++)
		for (int i = 0; i < v.u.number->used; i++)
			d = d / 2 + v.u.number->digit[i];
	return d;
}

/* a list: as long as those that were seen */
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

/* returns what it is given */
NOINLINE int *largest(int *a)
{
	int *best = a;
	for (int r = 0; r < 300; r++)
		for (int i = 0; i < 4; i++)
			a[4] = (a[i] ^ r) > *best ? a[i] : *best;
	return a;
}

/* not to be cached by such code: new memory, a counter */
NOINLINE char *copy(const char *s)
{
	char *t = malloc(40);
	for (int r = 0; r < 100; r++)
		snprintf(t, 40, "%s!", s);
	return t;
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

/* numbers of 16 bytes: two registers, one name */
__extension__ typedef unsigned __int128 wide_number;
NOINLINE unsigned long wide(wide_number a)
{
	for (int r = 0; r < 1000; r++)
		a = a * 31 + (unsigned)r;
	return (unsigned long)(a >> 64) ^ (unsigned long)a;
}
NOINLINE double turn(double _Complex z)
{
	double *part = (double *)&z, s = 0;
	for (int r = 1; r < 1000; r++)
		s += part[0] / r + part[1] * r;
	return s;
}

/* how many bytes are read is said by the first number: at most three more; with an argument there are longer ones */
NOINLINE unsigned long worth(const unsigned short *d)
{
	unsigned long v = 0;
	for (int r = 0; r < 200; r++)
		for (int i = 1; i <= d[0]; i++)
			v = v * 1000 + d[i] + 1;
	return v;
}

/* the end is somewhere in the 8 bytes, or behind them */
NOINLINE unsigned long until(const unsigned short *d)
{
	unsigned long v = 0;
	for (int r = 0; r < 200; r++)
		for (int i = 0; d[i] != 9; i++)
			v = v * 1000 + d[i] + 1;
	return v;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 200;
	/* with an argument there are more and longer lists, with different ends */
	int longest = argc > 1 ? 9 : 5;
	struct node nodes[9] = {{1, NULL}, {2, &nodes[0]}, {3, &nodes[1]}, {4, &nodes[2]}, {5, &nodes[3]}};
	for (int k = 5; k < 9; k++)
		nodes[k] = (struct node){k + 1, &nodes[k - 1]};
	static struct number numbers[24];
	for (unsigned k = 0; k < 24; k++)
		numbers[k] = (struct number){(int)(1 + k % 4), (unsigned char)k, {k, k % 3, k % 5, 7 - k % 7, 99, 99}};
	static const char *const words[] = {"alpha", "beta", "gamma ray burst", "delta"};
	for (int i = 0; i < rounds; i++) {
		char text[64], bytes[24] = "a\0bcdefghijklmnopqrstuv";
		memset(text, 'z', sizeof text);
		snprintf(text, sizeof text, "%s %d", words[i % 4], i % 3);
		mode = i / 12 % 2;
		struct point p = {i % 3, i, 1.5 * (i % 2), i % 4 ? words[i % 4] : NULL};
		int out[6] = {0}, *q = &out[i % 2 ? 0 : 4], *r = &out[1], all[5] = {i % 3, 4, i % 2, 1, 0}, *best;
		struct value v = {i % 3 ? 14 : 13, {.number = &numbers[i % 24]}};
		if (v.kind == 13)
			v.u.real = i;
		if (argc > 1 && i % 50 == 1)
			v = (struct value){14, {.number = NULL}};
		/* a NUL at the end, or before it */
		memset(bytes + 1, 'x', 22);
		bytes[5] = (char)(i % 5);
		bytes[7] = (char)('a' + i % 2);
		divide(i % 7, i % 3, q, r);
		best = largest(all);
		sink = sink * 31 + (unsigned long)(best - all) + (unsigned long)all[4] + (unsigned long)value(v);
		if (i % 6 == 5)
			nodes[0].value = i % 4;
		char *t = copy(words[i % 2]);
		sink = sink * 31 + fold(text) + measure(&p, i % 2) + (unsigned long)(*q + *r) + block(bytes) +
		       (unsigned char)t[1];
		sink += (unsigned long)list(&nodes[i % longest]) + (unsigned long)count(i % 3);
		free(t);
		unsigned short digits[8] = {(unsigned short)(1 + i % 3), 5, (unsigned short)(i % 2), 7};
		if (argc > 1 && i % 5 == 4) {
			digits[0] = 7;
			digits[7] = (unsigned short)i;
		}
		sink = sink * 31 + worth(digits);
		unsigned short ended[8] = {1, (unsigned short)(i % 2 ? 9 : 1), (unsigned short)(i % 3 ? 9 : 2), 9};
		sink = sink * 31 + until(ended);
		double _Complex z;
		((double *)&z)[0] = 1;
		((double *)&z)[1] = i % 3;
		sink = sink * 31 + wide((wide_number)(i % 4) << 64 | 5) + (unsigned long)turn(z);
	}
	printf("%lu\n", sink);
	return 0;
}
