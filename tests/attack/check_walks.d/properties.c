/* SPDX-License-Identifier: MIT */
/* Functions of the user's: of a number, of the node, and of what lies outside it. */
#include "walk.h"

struct nd {
	struct nd *next;
	unsigned v;
	unsigned *far;
};

static int even(unsigned v)
{
	return v % 2 == 0;
}

static int whole(const struct nd *n)
{
	return !n->far || *n->far < 10;
}

static int mine(const struct nd *n)
{
	return n->v < 50;
}

/*@ prop even(unsigned) local; prop whole(const struct nd *); prop mine(const struct nd *) local;
    regtype nd : struct nd = null | { next : nd, v : even, this : whole, this : mine };
    pred probe(x) : nd(x); */
NOINLINE void probe(struct nd *x)
{
	(void)x;
}

static struct nd *all[4];
static unsigned *far;
static void reset(void)
{
	for (int i = 0; i < 4; i++) {
		all[i]->next = i < 3 ? all[i + 1] : 0;
		all[i]->v = 2 * i;
		all[i]->far = far;
	}
	*far = 1;
}

static void build(void)
{
	far = calloc(1, 4);
	for (int i = 0; i < 4; i++)
		all[i] = calloc(1, sizeof **all);
	reset();
}

static void mutate(void)
{
	struct nd *x = all[rnd(4)];
	switch (rnd(6)) {
	case 0:
		x->v = rnd(8);
		break;
	case 1:
		x->v = 2 * rnd(30);
		break;
	case 2:
		*far = rnd(12);
		break;
	case 3:
		x->far = rnd(2) ? far : 0;
		break;
	default:
		if (rnd(2))
			reset();
	}
}

static int walk(void)
{
	for (struct nd *x = all[0]; x; x = x->next)
		if (x->v % 2 || x->v >= 50 || (x->far && *x->far >= 10))
			return 0;
	return 1;
}

static void call(void)
{
	probe(all[0]);
}
