/* SPDX-License-Identifier: MIT */
/* Structs by value in a flexible array, with strings behind pointers and tables below. */
#include "walk.h"

struct item {
	const char *name;
	int lo, hi;
	struct tab *sub;
};

struct tab {
	size_t n;
	struct item e[];
};

/*@ regtype item : struct item = { name : string(1..3), lo <= hi, sub : tab };
    regtype tab : struct tab = null | { e[0..this.n) : item };
    pred probe(r) : tab(r); */
NOINLINE void probe(struct tab *r)
{
	(void)r;
}

static struct tab *root, *subs[4];
static char *names[4];
static struct tab *mk(int n)
{
	struct tab *t = calloc(1, sizeof *t + 4 * sizeof *t->e);
	t->n = n;
	return t;
}

static void set(struct item *e, int i)
{
	e->name = names[i];
	e->lo = i;
	e->hi = i + 2;
}

static void build(void)
{
	for (int i = 0; i < 4; i++) {
		names[i] = calloc(1, 8);
		text(names[i], "ab");
	}
	root = mk(4);
	for (int i = 0; i < 4; i++) {
		set(&root->e[i], i);
		root->e[i].sub = subs[i] = mk(2);
		set(&subs[i]->e[0], 1);
		set(&subs[i]->e[1], 2);
	}
}

static void mutate(void)
{
	struct item *e = rnd(2) ? &root->e[rnd(4)] : &subs[rnd(4)]->e[rnd(2)];
	switch (rnd(6)) {
	case 0:
		e->lo += (int)rnd(3) - 1;
		break;
	case 1:
		e->hi = e->lo + (int)rnd(6) - 1;
		break;
	case 2:
		text(names[rnd(4)], &"abcd"[rnd(5)]);
		break;
	case 3:
		e->name = names[rnd(4)];
		break;
	default:
		for (int i = 0; i < 4; i++) {
			text(names[i], "xy");
			set(&root->e[i], i);
			set(&subs[i]->e[0], 1);
			set(&subs[i]->e[1], 2);
		}
	}
}

static int it(struct item *e);

static int tb(struct tab *t)
{
	if (!t)
		return 1;
	for (size_t i = 0; i < t->n; i++)
		if (!it(&t->e[i]))
			return 0;
	return 1;
}

static int it(struct item *e)
{
	size_t k = strlen(e->name);
	return k >= 1 && k <= 3 && e->lo <= e->hi && tb(e->sub);
}

static int walk(void)
{
	return tb(root);
}

static void call(void)
{
	probe(root);
}
