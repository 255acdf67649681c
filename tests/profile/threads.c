/* SPDX-License-Identifier: MIT */
/* Two threads, each 50 calls of work(n) with n in 0 … 4: 100 calls, 5 inputs; and one list shared by both. */
#include <pthread.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

static int table[5] = {3, 1, 4, 1, 5};
static volatile long sink[2];

NOINLINE long work(const int *t, int n)
{
	long s = 0;
	for (int i = 0; i < 2000; i++)
		s += t[(n + i) % 5] * (long)i;
	return s;
}

NOINLINE long wrapper(const int *t, int n)
{
	return work(t, n) + 1;
}

static void *body(void *arg)
{
	long *s = arg;
	for (int i = 0; i < 50; i++)
		*s += wrapper(table, i % 5);
	return NULL;
}

int main(void)
{
	pthread_t a, b;
	pthread_create(&a, NULL, body, (void *)&sink[0]);
	pthread_create(&b, NULL, body, (void *)&sink[1]);
	pthread_join(a, NULL);
	pthread_join(b, NULL);
	return sink[0] != sink[1];
}
