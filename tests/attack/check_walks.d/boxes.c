/* SPDX-License-Identifier: MIT */
/* Structs by value in an array, with lists of which numbers are read above. */
#include "walk.h"

struct cellx {
	struct cellx *next;
	int v;
};

struct slot {
	struct cellx *list;
	int n;
	struct {
		int lo, hi;
	} r;
};

struct box {
	struct slot slot[4];
	struct slot one;
	struct box *next;
};

/*@ regtype cx : struct cellx = null | { next : cx, v : int(0..9) };
    measure n(cx) = 1 + n(next);
    measure top(cx) = null : -inf | max(v, top(next));
    regtype slot : struct slot = { list : cx, n == n(list), r.lo <= r.hi, top(list) <= r.hi };
    regtype box : struct box = null | { slot[0..3] : slot, one : slot, next : box };
    pred probe(b) : box(b); */
NOINLINE void probe(struct box *b)
{
	(void)b;
}

static struct box *all[3];
static void build(void)
{
	for (int i = 2; i >= 0; i--) {
		all[i] = calloc(1, sizeof **all);
		all[i]->next = i < 2 ? all[i + 1] : 0;
		for (int k = 0; k < 5; k++)
			(k < 4 ? &all[i]->slot[k] : &all[i]->one)->r.hi = 9;
	}
}

static void mutate(void)
{
	struct box *b = all[rnd(3)];
	int k = rnd(5);
	struct slot *s = k < 4 ? &b->slot[k] : &b->one;
	switch (rnd(8)) {
	case 0:
	case 1:
		if (s->n < 4) {
			struct cellx *c = malloc(sizeof *c);
			c->v = rnd(10);
			c->next = s->list;
			s->list = c;
			s->n++;
		}
		break;
	case 2:
		if (s->list) {
			struct cellx *c = s->list;
			s->list = c->next;
			free(c);
			s->n--;
		}
		break;
	case 3:
		if (s->list)
			s->list->v = rnd(11);
		break;
	case 4:
		s->r.hi = rnd(10);
		break;
	case 5: {
		struct slot t = b->slot[0];
		b->slot[0] = b->slot[3];
		b->slot[3] = t;
	} break;
	default:
		if (rnd(2))
			for (int i = 0; i < 3; i++)
				for (int k = 0; k < 5; k++) {
					s = k < 4 ? &all[i]->slot[k] : &all[i]->one;
					s->r.hi = 9;
					s->r.lo = 0;
					for (struct cellx *c = s->list; c; c = c->next)
						c->v = 1;
				}
	}
}

static int walk(void)
{
	for (int i = 0; i < 3; i++)
		for (int k = 0; k < 5; k++) {
			struct slot *s = k < 4 ? &all[i]->slot[k] : &all[i]->one;
			int n = 0;
			for (struct cellx *c = s->list; c; c = c->next) {
				n++;
				if (c->v < 0 || c->v > 9 || c->v > s->r.hi)
					return 0;
			}
			if (n != s->n || s->r.lo > s->r.hi)
				return 0;
		}
	return 1;
}

static void call(void)
{
	probe(all[0]);
}
