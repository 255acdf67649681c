/* SPDX-License-Identifier: MIT */
/* Data as long as another value says, or up to a NUL inside a structure; and what only looks like it. The argument is
 * a number of rounds; with one there are longer data. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

static volatile unsigned long sink;

/* a pointer and a length, as arguments */
NOINLINE unsigned long hash(const unsigned char *p, size_t n)
{
	unsigned long h = 5;
	for (int r = 0; r < 60; r++)
		for (size_t i = 0; i < n; i++)
			h = h * 33 ^ p[i];
	return h;
}

/* as members */
struct buffer {
	char *at;
	size_t cap;
	int n;
};
NOINLINE unsigned long digest(const struct buffer *b)
{
	unsigned long h = 7;
	for (int r = 0; r < 60; r++)
		for (int i = 0; i < b->n; i++)
			h = h * 37 ^ (unsigned char)b->at[i];
	return h;
}

/* a number of elements, in front of them */
struct vector {
	long n;
	int at[12];
};
NOINLINE long total(const struct vector *v)
{
	long s = 0;
	for (int r = 0; r < 200; r++)
		for (long i = 0; i < v->n; i++)
			s = s * 3 + v->at[i];
	return s;
}

/* an output as long as the input */
NOINLINE void scale(const int *in, unsigned n, int by, int *out)
{
	for (unsigned i = 0; i < n; i++) {
		int v = in[i];
		for (int r = 0; r < 200; r++)
			v = v * by + r;
		out[i] = v;
	}
}

/* text behind a number that is not read */
struct name {
	int refs;
	char text[28];
};
NOINLINE unsigned long fold(const struct name *n)
{
	unsigned long h = 0;
	for (int r = 0; r < 60; r++)
		for (const char *p = n->text; *p; p++)
			h = h * 35 ^ (unsigned char)*p;
	return h;
}

/* traps: one element alone is read, as far away as the number says */
NOINLINE long pick(int *const *p, long i)
{
	long s = 0;
	for (int r = 0; r < 400; r++)
		s = s * 5 + *p[i];
	return s;
}

NOINLINE long element(const int *a, long i)
{
	long s = 0;
	for (int r = 0; r < 400; r++)
		s = s * 7 + a[i];
	return s;
}

/* a NUL does not end these bytes */
NOINLINE unsigned long whole(const struct name *n)
{
	unsigned long h = 0;
	for (int r = 0; r < 60; r++)
		for (int i = 0; i < 12; i++)
			h = h * 39 ^ (unsigned char)n->text[i];
	return h;
}

/* how much is written depends on what is in it */
NOINLINE void squeeze(const int *in, unsigned n, int *out)
{
	for (unsigned i = 0; i < n && in[i]; i++)
		for (int r = 0; r < 200; r++)
			out[i] = in[i] * r + 1;
}

/* the last bytes are read for some contents only */
NOINLINE unsigned long peek(const unsigned char *p, size_t n)
{
	unsigned long h = 5;
	for (int r = 0; r < 60; r++)
		for (size_t i = 0; i < n + (p[0] == 'q' ? 4 : 0); i++)
			h = h * 33 ^ p[i];
	return h;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 300;
	static const char *const words[] = {"alpha", "be", "gamma ray", "delta ", "an epsilon", "zet"};
	static int numbers[8] = {3, 1, 4, 1, 5, 9, 2, 6}, *sparse[8];
	for (int i = 0; i < 8; i++)
		sparse[i] = &numbers[i];
	for (int i = 0; i < rounds; i++) {
		char text[64];
		memset(text, 'z', sizeof text);
		int n = snprintf(text, sizeof text, "%s%d", words[i % 6], i / 6 % 2);
		if (argc > 1 && i % 9 == 0)
			n = 30 + i % 7;
		struct buffer b = {text, (size_t)i, n};
		struct vector v = {n % 12, {1, i % 2, 3, 4, 5, i % 3, 7, 8, 9, 10, 11, 12}};
		struct name name = {i, ""};
		memcpy(name.text, text, (size_t)n % 24);
		int out[12], in[12] = {i % 2, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
		memset(out, 0, sizeof out);
		sink = sink * 31 + hash((unsigned char *)text, (size_t)n) + digest(&b) + (unsigned long)total(&v);
		scale(in, (unsigned)n % 12, i % 2 + 2, out);
		for (int k = 0; k < 12; k++)
			sink = sink * 31 + (unsigned)out[k];
		memset(out, i % 5, sizeof out);
		in[1 + i % 4] = 0;
		in[0] = 4;
		squeeze(in, 2 + (unsigned)i % 5, out);
		for (int k = 0; k < 12; k++)
			sink = sink * 31 + (unsigned)out[k];
		sink = sink * 31 + fold(&name) + (unsigned long)pick(sparse, i % 8);
		struct name bytes = {i, "abcd"};
		bytes.text[8] = (char)(i % 7);
		sink = sink * 31 + (unsigned long)element(numbers, i % 8) + whole(&bytes);
		char other[64] = "abcdefghijklmnopqrst";
		other[0] = "pqr"[i % 3];
		sink = sink * 31 + peek((unsigned char *)other, (size_t)(3 + i % 5));
	}
	printf("%lu\n", sink);
	return 0;
}
