/* SPDX-License-Identifier: MIT */
/* Trees that lead to nodes which are shared, with aliases that may form cycles. */
#include "walk.h"

struct sym {
	int id;
	struct sym *alias;
};

struct x {
	struct sym *sym;
	struct x *l, *r;
	struct x *cache;
};

/*@ regtype shared sym : struct sym = null | { id : int(0..99), alias : sym, id >= alias->id };
    regtype x : struct x = null | { sym : sym, l : x, r : x };
    pred probe(x) : x(x); */
NOINLINE void probe(struct x *x)
{
	(void)x;
}

static struct sym *syms[6];
static struct x *all[15];
static void reset(void)
{
	for (int i = 0; i < 6; i++) {
		syms[i]->id = i;
		syms[i]->alias = i ? syms[i / 2] : 0;
		if (i == 1)
			syms[i]->alias = 0;
	}
}

static void build(void)
{
	for (int i = 0; i < 6; i++)
		syms[i] = calloc(1, sizeof **syms);
	for (int i = 14; i >= 0; i--) {
		all[i] = calloc(1, sizeof **all);
		all[i]->sym = syms[rnd(6)];
		if (i < 7) {
			all[i]->l = all[2 * i + 1];
			all[i]->r = all[2 * i + 2];
		}
	}
	reset();
}

static void mutate(void)
{
	struct sym *s = syms[rnd(6)];
	struct x *x = all[rnd(15)];
	switch (rnd(7)) {
	case 0:
		s->id = (int)rnd(101);
		break;
	case 1:
		s->alias = syms[rnd(6)];
		break;
	case 2:
		x->sym = rnd(5) ? syms[rnd(6)] : 0;
		break;
	case 3: {
		struct x *t = x->l;
		x->l = x->r;
		x->r = t;
	} break;
	case 4:
		s->id++;
		break;
	default:
		if (rnd(2))
			reset();
	}
}

static int sy(struct sym *s, int d)
{
	if (d > 8)
		return 0;
	return !s || (s->id >= 0 && s->id <= 99 && (!s->alias || s->id >= s->alias->id) && sy(s->alias, d + 1));
}

static int ok(struct x *x)
{
	return !x || (sy(x->sym, 0) && ok(x->l) && ok(x->r));
}

static int walk(void)
{
	return ok(all[0]);
}

static void call(void)
{
	probe(all[0]);
}
