/* SPDX-License-Identifier: MIT */
/* Compiled twice, with ONE and without: types of the same text that mean different things in the two files, because a
 * macro, an enumerator, a function or the layout of a struct differs, or a type that they lead to. */
#include <stdio.h>
#ifdef ONE
#define MAX 5
struct node {
	struct node *next;
	int v;
	int k;
};
struct item {
	int x;
};
struct bag {
	struct item *item;
};
static int fits(int v)
{
	return v < 3;
}
#define NAME(f) one_##f
#else
#define MAX 7
struct node {
	struct node *next;
	int k;
	int v;
};
struct item {
	int x;
};
struct bag {
	struct item *item;
};
static int fits(int v)
{
	return v < 6;
}
#define NAME(f) two_##f
#endif
static int read_it(int x)
{
	return x;
}
struct reader {
	int (*f)(int);
};
enum { LIMIT = MAX };
/*@ prop fits(int) local;
    regtype limit : struct item = { x : int(0..LIMIT) };
    regtype range : struct item = { x <= MAX };
    regtype fit : struct item = { x : fits };
    regtype bag : struct bag = { item : fit };
    regtype reader : struct reader = { f : function(read_it) };
    regtype node : struct node = { v : int(0..9) };
    pred limit(i) : limit(i);
    pred range(i) : range(i);
    pred fit(i) : fit(i);
    pred bag(i) : bag(i);
    pred reader(i) : reader(i);
    pred node(i) : node(i); */
static void limit(struct item *i)
{
	(void)i;
}
static void range(struct item *i)
{
	(void)i;
}
static void fit(struct item *i)
{
	(void)i;
}
static void bag(struct bag *i)
{
	(void)i;
}
static void reader(struct reader *i)
{
	(void)i;
}
static void node(struct node *i)
{
	(void)i;
}
void NAME(all)(int x)
{
	struct item i = {x};
	struct bag b = {&i};
	struct reader r = {read_it};
	struct node n = {0};
	limit(&i), range(&i), fit(&i), bag(&b), reader(&r);
	n.v = x, n.k = 100;
	node(&n);
}
#ifdef ONE
void two_all(int);
int main(void)
{
	for (int x = 0; x < 10; x++) {
		printf("one %d\n", x), fflush(stdout), one_all(x);
		printf("two %d\n", x), fflush(stdout), two_all(x);
	}
	return 0;
}
#endif
