/* SPDX-License-Identifier: MIT */
/* Types with parameters: lists of lists of numbers, of strings, of what may be NULL. */
#include "walk.h"

struct li {
	struct li *next;
	union {
		int i;
		struct li *sub;
		const char *s;
	} d;
};

/*@ regtype ints : struct li = null | { next : ints, d.i : int(0..9) };
    regtype of(T) : struct li = null | { next : of(T), d.sub : T };
    regtype strs(T) : struct li = null | { next : strs(T), d.s : T };
    pred probe(a, b, c) : of(of(ints))(a), of(null | ints)(b), strs(string(1..3))(c); */
NOINLINE void probe(struct li *a, struct li *b, struct li *c)
{
	(void)a, (void)b, (void)c;
}

static struct li *all[20];
static char *str[2];
static void link2(int a, int b, int c)
{
	all[a]->next = b < 0 ? 0 : all[b];
	all[a]->d.sub = c < 0 ? 0 : all[c];
}

static void reset(void)
{
	for (int i = 0; i < 20; i++)
		memset(all[i], 0, sizeof **all);
	link2(0, 1, 2);
	link2(1, -1, 3);
	link2(2, -1, 4);
	link2(3, 5, 6);
	link2(5, -1, -1);
	link2(10, 11, 12);
	link2(11, -1, -1);
	link2(15, 16, -1);
	all[15]->d.s = str[0];
	all[16]->d.s = str[1];
	text(str[0], "x");
	text(str[1], "y");
}

static void build(void)
{
	for (int i = 0; i < 20; i++)
		all[i] = calloc(1, sizeof **all);
	str[0] = calloc(1, 8);
	str[1] = calloc(1, 8);
	reset();
}

static void mutate(void)
{
	switch (rnd(7)) {
	case 0:
		all[rnd(2) ? 4 : 6]->d.i = rnd(11);
		break;
	case 1:
		all[12]->d.i = rnd(11);
		break;
	case 2:
		text(str[rnd(2)], &"abcd"[rnd(5)]);
		break;
	case 3:
		all[4]->next = rnd(2) ? all[7] : 0;
		break;
	case 4:
		all[1]->d.sub = rnd(2) ? all[3] : 0;
		break;
	default:
		if (rnd(2))
			reset();
	}
}

static int ints(struct li *l)
{
	for (; l; l = l->next)
		if (l->d.i < 0 || l->d.i > 9)
			return 0;
	return 1;
}

static int ofi(struct li *l)
{
	for (; l; l = l->next)
		if (!ints(l->d.sub))
			return 0;
	return 1;
}

static int ofoi(struct li *l)
{
	for (; l; l = l->next)
		if (!ofi(l->d.sub))
			return 0;
	return 1;
}

static int walk(void)
{
	for (struct li *l = all[15]; l; l = l->next)
		if (strlen(l->d.s) < 1 || strlen(l->d.s) > 3)
			return 0;
	return ofoi(all[0]) && ofi(all[10]);
}

static void call(void)
{
	probe(all[0], all[10], all[15]);
}
