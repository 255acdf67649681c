/* SPDX-License-Identifier: MIT */
/* What decides, or is left behind, is in no argument and no variable: where data lies, memory that only a thread's key
 * leads to, the rounding mode (with -DROUNDING). */
#include <fenv.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

static pthread_key_t key;
struct context {
	long mode;
	const char *last;
	long *work; /* written before it is read */
};

static unsigned long work(unsigned long h, int rounds)
{
	for (int r = 0; r < rounds; r++)
		h = h * 31 + (unsigned long)r;
	return h;
}

static struct context *context(void)
{
	struct context *c = pthread_getspecific(key);
	if (!c) {
		c = calloc(1, sizeof *c);
		c->work = calloc(16, sizeof *c->work);
		pthread_setspecific(key, c);
	}
	return c;
}

/* what these leave there is asked for by others */
NOINLINE unsigned long sets_mode(int a)
{
	context()->mode = a;
	return work((unsigned long)a, 300);
}
NOINLINE unsigned long sets_last(int a)
{
	static const char *const names[] = {"one", "two", "three"};
	context()->last = names[a % 3];
	return work((unsigned long)a, 300);
}
/* and what this one leaves by nobody, not even by itself */
NOINLINE unsigned long scratch(int a)
{
	long *w = context()->work;
	for (int i = 0; i < 16; i++)
		w[i] = (long)work((unsigned long)(a + i), 50);
	return (unsigned long)(w[0] ^ w[a]);
}

NOINLINE unsigned long aligned(const char *p)
{
	return work((uintptr_t)p & 15, 300) + (unsigned long)*p;
}
NOINLINE unsigned long distance(const char *from, const char *to)
{
	return work((unsigned long)(to - from) + (unsigned long)*from + (unsigned long)*to, 300);
}
/* it does not follow them: their addresses are the key */
NOINLINE unsigned long between(const char *from, const char *to)
{
	return work((unsigned long)(to - from), 300);
}
/* a number or, when the kind is 14, a pointer: hundreds of calls say so, most of them with the same data */
struct tagged {
	long kind;
	const int *number;
};
NOINLINE unsigned long counted(struct tagged t)
{
	if (t.kind != 14)
		return work((unsigned long)t.number, 300);
	return *t.number == 1 ? work(1, 3000) : work((unsigned long)t.number[1], 300);
}
NOINLINE double rounded(int a)
{
	double sum = 0;
	for (int i = 1; i < 100; i++)
		sum += (double)a / i;
	return sum;
}

int main(int argc, char **argv)
{
	static _Alignas(64) char data[256];
	static const int numbers[] = {1, 2, 7, 3, 8, 4, 9, 5, 7, 6, 6};
	unsigned long h = 0;
	int rounds = argc > 1 ? atoi(argv[1]) : 200;
	pthread_key_create(&key, free);
	for (int i = 0; i < 256; i++)
		data[i] = (char)(i % 3);
	for (int i = 0; i < rounds; i++) {
		h = h * 3 + sets_mode(i % 5) + sets_mode(i / 7 % 5);
		h = h * 3 + (unsigned long)context()->mode;
		h = h * 3 + sets_last(i % 4) + sets_last(i / 3 % 4);
		h = h * 3 + (unsigned long)context()->last[1];
		h = h * 3 + scratch(i % 5);
		h = h * 3 + aligned(data + i % 32);
		h = h * 3 + distance(data + i % 2 * 3, data + 9 + i % 5 * 3);
		h = h * 3 + between(data + i % 2, data + 10 + i % 5);
		const struct tagged kinds[] = {
			{14, numbers}, {14, numbers + 1 + i % 5 * 2}, {3, (const int *)(long)(i % 4 + 1)}};
		h = h * 3 + counted(kinds[i % 3]);
#ifdef ROUNDING
		fesetround(i % 11 > 5 ? FE_UPWARD : FE_TONEAREST);
#endif
		h = h * 3 + (unsigned long)(rounded(i % 5) * 1e15);
	}
	printf("%lu\n", h);
	return 0;
}
