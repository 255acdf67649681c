/* SPDX-License-Identifier: MIT */
/* Links inside nodes: lists through one member, and through another. */
#include "walk.h"

struct link {
	struct link *next;
};

struct obj {
	int k;
	struct link a, b;
	struct obj *o;
};

struct hd {
	struct link first;
	struct link *second;
};

/*@ regtype oa : struct obj = null | { container(a.next) : oa, k : int(0..9), k <= o->k };
    regtype ob : struct obj = null | { container(b.next) : ob, k : int(0..20) };
    regtype hd : struct hd = { container(first.next, a) : oa, container(second, b) : ob };
    pred probe(x) : hd(x); */
NOINLINE void probe(struct hd *x)
{
	(void)x;
}

static struct hd *h;
static struct obj *all[6];
static void reset(void)
{
	memset(h, 0, sizeof *h);
	for (int i = 0; i < 6; i++) {
		memset(all[i], 0, sizeof **all);
		all[i]->k = i;
	}
	h->first.next = &all[0]->a;
	all[0]->a.next = &all[2]->a;
	h->second = &all[1]->b;
	all[1]->b.next = &all[3]->b;
	all[2]->o = all[4];
}

static void build(void)
{
	h = malloc(sizeof *h);
	for (int i = 0; i < 6; i++)
		all[i] = malloc(sizeof **all);
	reset();
}

static void mutate(void)
{
	struct obj *x = all[rnd(6)];
	switch (rnd(5)) {
	case 0:
		x->k = rnd(23);
		break;
	case 1:
		all[2]->o = rnd(2) ? all[rnd(6)] : 0;
		break;
	case 2:
		all[2]->a.next = rnd(2) ? &all[5]->a : 0;
		break;
	default:
		if (rnd(2))
			reset();
	}
}

static int walk(void)
{
	struct obj *x;
	for (struct link *l = h->first.next; l; l = l->next) {
		x = (struct obj *)((char *)l - offsetof(struct obj, a));
		if (x->k < 0 || x->k > 9 || (x->o && x->k > x->o->k))
			return 0;
	}
	for (struct link *l = h->second; l; l = l->next) {
		x = (struct obj *)((char *)l - offsetof(struct obj, b));
		if (x->k < 0 || x->k > 20)
			return 0;
	}
	return 1;
}

static void call(void)
{
	probe(h);
}
