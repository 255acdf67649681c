/* SPDX-License-Identifier: MIT */
/* The same data at addresses that are multiples of 8 and at others: how it lies says nothing about the call. The
 * numbers of inputs are known. Also a thread-local variable that several threads set, and arguments that cannot be
 * followed. */
#include <complex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline, noclone))

struct __attribute__((packed)) packed {
	char tag;
	int value;
	short more;
};

static volatile long sink;
static __thread int mode;

NOINLINE static long spin(long x, int n)
{
	for (int i = 0; i < n; i++)
		x = x * 31 + (x >> 7) + i;
	return x;
}

NOINLINE int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;
	x += spin(x, 30) & 0;
	return (x > y) - (x < y);
}

NOINLINE long text(const char *s)
{
	long h = 0;
	for (; *s; s++)
		h = spin(h + *s, 5);
	return h;
}

NOINLINE long fields(const struct packed *p)
{
	return spin(p->value, 30) + p->tag + p->more;
}

NOINLINE void swap(short *a, short *b)
{
	short t = *a;
	*a = *b;
	*b = (short)(t + (spin(t, 40) & 0));
}

NOINLINE double complex turn(double complex z)
{
	for (int i = 0; i < 40; i++)
		z = z * z * 0.1 + 1;
	return z;
}

NOINLINE long of_thread(int x)
{
	return spin(x + mode, 60);
}

NOINLINE long variable(int n, ...)
{
	va_list list;
	long s = 0;
	va_start(list, n);
	for (int i = 0; i < n; i++)
		s += spin(va_arg(list, int), 20);
	va_end(list);
	return s;
}

static void *thread(void *p)
{
	mode = *(int *)p;
	for (int i = 0; i < 100; i++)
		sink += of_thread(i % 5);
	return NULL;
}

int main(void)
{
	int number[64];
	char *heap = malloc(1000);
	struct packed *record = malloc(100 * sizeof *record);
	short *small = calloc(400, sizeof *small);
	for (int i = 0; i < 64; i++)
		number[i] = i * 37 % 8;
	qsort(number, 64, sizeof *number, compare);
	for (int i = 0; i < 390; i++) {
		snprintf(heap + i, 20, "name%d", i % 5);
		sink += text(heap + i);
		record[i % 100] = (struct packed){(char)(i % 2), i % 3, (short)(i % 5)};
		sink += fields(&record[i % 100]);
		small[i] = (short)(i % 2);
		small[i + 1] = (short)(i % 3);
		swap(small + i, small + i + 1);
		mode = i % 2;
		sink += of_thread(i % 3);
		sink += (long)creal(turn(i % 4 + i % 2 * I));
		sink += variable(3, i % 4, 5, i % 2);
	}
	pthread_t t[2];
	int which[2] = {0, 1};
	for (int i = 0; i < 2; i++)
		pthread_create(&t[i], NULL, thread, &which[i]);
	for (int i = 0; i < 2; i++)
		pthread_join(t[i], NULL);
	return 0;
}
