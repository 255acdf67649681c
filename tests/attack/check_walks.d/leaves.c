/* SPDX-License-Identifier: MIT */
/* A B+ tree: children and values in a union, as many as a field says. */
#include "walk.h"

#define MAXK 4
struct bt {
	int n;
	_Bool leaf;
	int key[MAXK];
	union {
		struct bt *kid[MAXK + 1];
		struct {
			int val[MAXK];
			struct bt *next;
		};
	};
};

/*@ regtype bt : struct bt = null | case leaf { 1 : { n : int(0..MAXK), key[0..this.n) : int(0..99),
	val[0..this.n) : int(0..) }, 0 : { n : int(1..MAXK), kid[0..this.n] : bt, key[0..this.n) : int(0..99) } };
    measure keys(bt) = leaf == 1 ? n : sum(keys(kid));
    pred probe(x) : bt(x), keys(x) <= 40; */
NOINLINE void probe(struct bt *x)
{
	(void)x;
}

static struct bt *all[6];
static void reset(void)
{
	for (int i = 0; i < 6; i++) {
		memset(all[i], 0, sizeof **all);
		all[i]->leaf = 1;
		all[i]->n = i % 5;
	}
	all[0]->leaf = 0;
	all[0]->n = 4;
	for (int i = 0; i < 5; i++)
		all[0]->kid[i] = all[i + 1];
}

static void build(void)
{
	for (int i = 0; i < 6; i++)
		all[i] = malloc(sizeof **all);
	reset();
}

static void mutate(void)
{
	int i = rnd(6);
	struct bt *x = all[i];
	switch (rnd(6)) {
	case 0:
		x->n = rnd(6);
		break;
	case 1:
		x->key[rnd(4)] = (int)rnd(102) - 1;
		break;
	case 2:
		if (i)
			x->val[rnd(4)] = (int)rnd(4) - 1;
		break;
	default:
		if (rnd(2))
			reset();
	}
}

static int ok(struct bt *x)
{
	if (x->n < !x->leaf || x->n > 4)
		return 0;
	for (int i = 0; i < x->n; i++) {
		if (x->key[i] < 0 || x->key[i] > 99 || (x->leaf && x->val[i] < 0))
			return 0;
	}
	if (!x->leaf)
		for (int i = 0; i <= x->n; i++)
			if (x->kid[i] && !ok(x->kid[i]))
				return 0;
	return 1;
}

static int walk(void)
{
	return ok(all[0]);
}

static void call(void)
{
	probe(all[0]);
}
