/* SPDX-License-Identifier: MIT */
/* Sums and sizes kept in fields that are named like the measures they must equal. */
#include "walk.h"

struct t {
	struct t *l, *r;
	long sum, v;
	unsigned size;
};

/*@ regtype t : struct t = null | { l : t, r : t, sum == total(this), size == size(this) };
    measure total(t) = v + total(l) + total(r);
    measure size(t) = 1 + size(l) + size(r);
    pred probe(r) : t(r), size(r) <= 40; */
NOINLINE void probe(struct t *r)
{
	(void)r;
}

static struct t *root, *all[200];
static int n;
static struct t *path[64];
static void put(long v)
{
	struct t **p = &root;
	int d = 0;
	while (*p) {
		path[d++] = *p;
		p = rnd(2) ? &(*p)->l : &(*p)->r;
	}
	*p = calloc(1, sizeof **p);
	(*p)->v = (*p)->sum = v;
	(*p)->size = 1;
	all[n++] = *p;
	while (d--) {
		path[d]->sum += v;
		path[d]->size++;
	}
}

static void build(void)
{
	for (int i = 0; i < 30; i++)
		put(i);
}

static struct t *broken;
static int how;
static long was;
static void mutate(void)
{
	if (broken) {
		if (how == 0)
			broken->sum = was;
		else if (how == 1)
			broken->v = was;
		else
			broken->size = (unsigned)was;
		broken = 0;
		return;
	}
	if (rnd(30) == 0 && n < 40) {
		put(rnd(100));
		return;
	}
	struct t *x = all[rnd(n)];
	how = rnd(4);
	if (how == 3) {
		struct t *c = x->l;
		x->l = x->r;
		x->r = c;
		return;
	}
	broken = x;
	if (how == 0) {
		was = x->sum;
		x->sum++;
	} else if (how == 1) {
		was = x->v;
		x->v -= 3;
	} else {
		was = x->size;
		x->size += 1;
	}
	if (rnd(5) == 0) {
		if (how == 0)
			x->sum--;
		else if (how == 1)
			x->v += 3;
		else
			x->size--;
		broken = 0;
	}
}

static int good;
static long tot(struct t *x)
{
	if (!x)
		return 0;
	long s = x->v + tot(x->l) + tot(x->r);
	if (s != x->sum)
		good = 0;
	return s;
}

static unsigned sz(struct t *x)
{
	if (!x)
		return 0;
	unsigned s = 1 + sz(x->l) + sz(x->r);
	if (s != x->size)
		good = 0;
	return s;
}

static int walk(void)
{
	good = 1;
	tot(root);
	return sz(root) <= 40 && good;
}

static void call(void)
{
	probe(root);
}
