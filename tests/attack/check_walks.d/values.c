/* SPDX-License-Identifier: MIT */
/* Structs passed and returned by value, whose members are checked. */
#include "walk.h"

struct nd {
	struct nd *next;
	int v;
};

struct q {
	struct nd *head;
	int n;
};

struct pt {
	double x;
	struct {
		struct nd *a[2];
	} in;
};

/*@ regtype nd : struct nd = null | { next : nd, v : int(0..9) };
    measure len(nd) = 1 + len(next);
    regtype q : struct q = { head : nd, n == len(head) };
    pred probe(q, p, k) : q(q), nd(q.head), nd(p.in.a[1]), p.x < 5, int(0..5)(k) => q(result), result.n >= k,
	nd(result.head->next); */
NOINLINE struct q probe(struct q q, struct pt p, short k)
{
	(void)p;
	(void)k;
	return q;
}

static struct q q;
static struct pt p;
static short k;
static struct nd *all[6], *o;
static void reset(void)
{
	q.head = 0;
	q.n = 3;
	for (int i = 0; i < 6; i++) {
		all[i]->v = 1;
		if (i < 3) {
			all[i]->next = q.head;
			q.head = all[i];
		}
	}
	o->v = 1;
	p.x = 0;
	p.in.a[1] = o;
	k = 2;
}

static void build(void)
{
	for (int i = 0; i < 6; i++)
		all[i] = calloc(1, sizeof **all);
	o = calloc(1, sizeof *o);
	reset();
}

static void mutate(void)
{
	switch (rnd(8)) {
	case 0:
		q.n = rnd(5);
		break;
	case 1:
		all[rnd(6)]->v = rnd(11);
		break;
	case 2:
		p.x = rnd(7);
		break;
	case 3:
		k = (short)rnd(7);
		break;
	case 4:
		o->v = rnd(11);
		break;
	case 5:
		if (q.head) {
			q.head = q.head->next;
			q.n--;
		}
		break;
	default:
		reset();
	}
}

static int nd(struct nd *x)
{
	for (; x; x = x->next)
		if (x->v < 0 || x->v > 9)
			return 0;
	return 1;
}

static int walk(void)
{
	int n = 0;
	for (struct nd *x = q.head; x; x = x->next)
		n++;
	return nd(q.head) && n == q.n && nd(o) && p.x < 5 && k >= 0 && k <= 5 && q.n >= k && q.head;
}

static void call(void)
{
	probe(q, p, k);
}
