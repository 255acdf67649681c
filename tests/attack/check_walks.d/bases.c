/* SPDX-License-Identifier: MIT */
/* A struct at the beginning of another one, both with a type; nodes by value and behind pointers. */
#include "walk.h"

struct base {
	struct base *next;
	int kind;
};

struct derived {
	struct base b;
	int extra;
	struct {
		int q;
	} anon;
};

struct holder {
	struct derived d[2];
	struct derived *p;
};

/*@ regtype base : struct base = null | { next : base, kind : int(0..3) };
    regtype derived : struct derived = null | { b : base, extra : int(0..9), extra >= b.kind };
    regtype holder : struct holder = { d[0..1] : derived, p : derived };
    pred probe(x) : holder(x), base(x->p->b.next);
    pred probe2(x) : base(x); */
NOINLINE void probe(struct holder *x)
{
	(void)x;
}

NOINLINE void probe2(struct base *x)
{
	(void)x;
}

static struct holder *h;
static struct base *bs[4];
static void reset(void)
{
	for (int i = 0; i < 2; i++) {
		h->d[i].b.next = bs[i];
		h->d[i].b.kind = 1;
		h->d[i].extra = 3;
	}
	h->p->b.next = bs[2];
	h->p->b.kind = 0;
	h->p->extra = 1;
	for (int i = 0; i < 4; i++) {
		bs[i]->next = 0;
		bs[i]->kind = i;
	}
	bs[2]->next = bs[3];
}

static void build(void)
{
	h = calloc(1, sizeof *h);
	h->p = calloc(1, sizeof *h->p);
	for (int i = 0; i < 4; i++)
		bs[i] = calloc(1, sizeof **bs);
	reset();
}

static void mutate(void)
{
	struct derived *d = rnd(3) ? &h->d[rnd(2)] : h->p;
	switch (rnd(7)) {
	case 0:
		d->extra = rnd(11);
		break;
	case 1:
		d->b.kind = rnd(5);
		break;
	case 2:
		bs[rnd(4)]->kind = rnd(5);
		break;
	case 3:
		bs[rnd(2)]->next = rnd(2) ? bs[3] : 0;
		break;
	case 4:
		probe2(&h->d[0].b);
		probe2(h->p ? &h->p->b : 0);
		break;
	default:
		if (rnd(2))
			reset();
	}
}

static int lst(struct base *b, char *seen)
{
	for (; b; b = b->next) {
		for (int i = 0; i < 4; i++)
			if (b == bs[i] && seen[i]++)
				return 0;
		if (b->kind < 0 || b->kind > 3)
			return 0;
	}
	return 1;
}

static int dv(struct derived *d, char *seen)
{
	return lst(&d->b, seen) && d->extra >= 0 && d->extra <= 9 && d->extra >= d->b.kind;
}

static int walk(void)
{
	char s[4] = {0};
	return dv(&h->d[0], s) && dv(&h->d[1], s) && dv(h->p, s);
}

static void call(void)
{
	probe(h);
}
