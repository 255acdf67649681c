/* SPDX-License-Identifier: MIT */
/* Runs for ever in two threads: the profile ends in the middle of calls. */
#include <pthread.h>
#include <stdio.h>

static volatile unsigned sink;

__attribute__((noinline, noclone, noipa)) unsigned work(unsigned a)
{
	unsigned s = a;
	for (int i = 0; i < 20000; i++)
		s = s * 1664525u + 1013904223u;
	return s;
}

static void *run(void *unused)
{
	for (unsigned i = 0; !unused; i++)
		sink += work(i % 8);
	return NULL;
}

int main(void)
{
	pthread_t t;
	pthread_create(&t, NULL, run, NULL);
	run(NULL);
	return 0;
}
