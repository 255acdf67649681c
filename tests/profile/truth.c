/* SPDX-License-Identifier: MIT */
/* Functions with known numbers of calls and distinct inputs; the comment before each says them (calls/distinct). */
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

struct node {
	int value, unread;
	struct node *next;
};

int factor = 1, counter;
volatile int scratch;
static volatile long sink;

/* 20/3: lists at ever new addresses, a field that differs but is not read, a global that changes once */
NOINLINE int list_sum(const struct node *n)
{
	int s = 0;
	for (; n; n = n->next)
		s += n->value * factor;
	return s;
}

/* 10/10: a counter never has the same input twice */
NOINLINE int next_number(void)
{
	return ++counter;
}

/* 12/3: doubles and floats, by value */
NOINLINE double scale(double x, float y)
{
	return x * y + 0.5;
}

/* 12/4: a new block each time, with equal content */
NOINLINE int *make_pair(int n)
{
	int *p = malloc(8);
	p[0] = n;
	p[1] = n * n;
	return p;
}

/* 10/5: the result goes through a pointer */
NOINLINE void into(int n, int *out)
{
	*out = 3 * n;
}

/* 8/2: written before it is read: what was there is no input */
NOINLINE int write_then_read(int n)
{
	scratch = n;
	return scratch * 2;
}

/* 6/6: the same pointers, another distance: the end of the range is an input */
NOINLINE long distance(const char *begin, const char *end)
{
	return end - begin;
}

/* 9/3: nodes of one pool, at other places each time */
NOINLINE int pool_sum(const struct node *n)
{
	int s = 7;
	for (; n; n = n->next)
		s = s * 3 + n->value;
	return s;
}

struct padded {
	char c;
	/* 7 bytes nobody writes */
	double d;
};
struct padded kept;

/* 8/2: copies a structure with padding */
NOINLINE double keep(const struct padded *p)
{
	memcpy(&kept, p, sizeof kept);
	return kept.d + kept.c;
}

NOINLINE static double call_keep(int i)
{
	struct padded p;
	p.c = (char)(i % 2);
	p.d = 1.5;
	return keep(&p);
}

/* dirties the stack so that padding would differ */
NOINLINE static void dirty(int i)
{
	volatile char junk[256];
	for (unsigned k = 0; k < sizeof junk; k++)
		junk[k] = (char)(k * 31 + (unsigned)i * 17);
}

static jmp_buf env;

/* 6/2: left by longjmp every time */
NOINLINE void jumps(int n)
{
	longjmp(env, n + 1);
}

/* 57/11: recursion, every call counted */
NOINLINE int down(int n)
{
	int r = n ? down(n - 1) : 0;
	sink = r;
	return r + n;
}

/* 2001 calls deep, 2001 inputs */
NOINLINE int deep(int n)
{
	int r = n ? deep(n - 1) : 0;
	sink = r;
	return r + 1;
}

/* 4/2: structures in registers and on the stack */
struct two {
	long a;
	double b;
};
struct big {
	long a[5];
};
NOINLINE long by_value(struct two t, struct big b)
{
	return t.a + (long)t.b + b.a[4];
}

static struct node *build(int n, int junk)
{
	struct node *head = NULL;
	for (int i = 0; i < n; i++) {
		struct node *x = malloc(sizeof *x);
		x->value = i;
		x->unread = junk + i;
		x->next = head;
		head = x;
	}
	return head;
}

static struct node *build_in_pool(struct node *pool, int n, int first, int step)
{
	struct node *head = NULL;
	for (int i = 0; i < n; i++) {
		struct node *x = &pool[first + i * step];
		x->value = i;
		x->next = head;
		head = x;
	}
	return head;
}

static void lists(void)
{
	struct node *pool = calloc(1000, sizeof *pool);
	for (int i = 0; i < 10; i++) {
		sink += list_sum(build(5 + i % 2, i));
		sink += (long)malloc((size_t)(40 + i * 16)) & 1;
	}
	factor = 2;
	for (int i = 0; i < 10; i++)
		sink += list_sum(build(5, 100 + i));
	for (int i = 0; i < 9; i++)
		sink += pool_sum(build_in_pool(pool, 3 + i % 3, 10 * i, 1 + i));
}

static void values(void)
{
	char text[64] = "";
	int out;
	for (int i = 0; i < 10; i++) {
		sink += next_number();
		into(i % 5, &out);
		sink += out;
	}
	for (int i = 0; i < 12; i++) {
		sink += (long)scale(i % 3, 2.5f);
		int *p = make_pair(i % 4);
		sink += p[1];
		if (i % 2)
			free(p);
	}
	for (int i = 0; i < 8; i++) {
		scratch = i;
		sink += write_then_read(i % 2);
		dirty(i);
		sink += (long)call_keep(i);
	}
	for (int i = 0; i < 6; i++)
		sink += distance(text, text + i);
	for (int i = 0; i < 4; i++) {
		struct two t = {i % 2, 2.0};
		struct big b = {{1, 2, 3, 4, 5}};
		sink += by_value(t, b);
	}
}

int main(void)
{
	lists();
	values();
	for (volatile int i = 0; i < 6; i++)
		if (!setjmp(env))
			jumps(i % 2);
	for (int i = 0; i < 6; i++)
		sink += down(i % 2 ? 10 : 7);
	sink += deep(2000);
	printf("%ld\n", sink);
	return 0;
}
