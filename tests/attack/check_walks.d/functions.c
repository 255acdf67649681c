/* SPDX-License-Identifier: MIT */
/* Pointers to functions in a struct by value, in an array, and in a relation. */
#include "walk.h"

static int f1(int x)
{
	return x;
}

static int f2(int x)
{
	return x + 1;
}

static int f3(int x)
{
	return x + 2;
}

struct ops {
	int (*read)(int), (*write)(int);
};

struct dev {
	struct ops ops;
	int (*table[3])(int kid[]);
	struct dev *kid[2];
	const struct ops *more;
};

static int g1(int k[])
{
	return k[0];
}

static int g2(int k[])
{
	return k[1];
}

static const struct ops good_ops = {f1, f2}, bad_ops = {f3, f3};
/*@ regtype ops : struct ops = { read : function(f1 | f2), write : null | function(f2) };
    regtype dev : struct dev = null | { ops : ops, table[0..2] : function(g1 | g2), kid[0..1] : dev,
	ops.read == f1 || ops.write != 0 };
    pred probe(r) : dev(r); */
NOINLINE void probe(struct dev *r)
{
	(void)r;
}

static struct dev *h, *all[7];
static void build(void)
{
	for (int i = 6; i >= 0; i--) {
		all[i] = calloc(1, sizeof *h);
		all[i]->ops = good_ops;
		for (int k = 0; k < 3; k++)
			all[i]->table[k] = g1;
		if (i < 3) {
			all[i]->kid[0] = all[2 * i + 1];
			all[i]->kid[1] = all[2 * i + 2];
		}
	}
	h = all[0];
}

static void mutate(void)
{
	struct dev *x = all[rnd(7)];
	switch (rnd(7)) {
	case 0:
		x->ops.read = rnd(2) ? f2 : rnd(2) ? f1 : f3;
		break;
	case 1:
		x->ops.write = rnd(2) ? f2 : 0;
		break;
	case 2:
		memcpy(&x->ops, rnd(3) ? &good_ops : &bad_ops, sizeof x->ops);
		break;
	case 3:
		x->table[rnd(3)] = rnd(2) ? g2 : rnd(2) ? g1 : 0;
		break;
	case 4:
		x->ops = *(&good_ops);
		break;
	default:
		for (int i = 0; i < 7; i++) {
			all[i]->ops = good_ops;
			for (int k = 0; k < 3; k++)
				all[i]->table[k] = g1;
		}
	}
}

static int ok(struct dev *x)
{
	if (!x)
		return 1;
	if (x->ops.read != f1 && x->ops.read != f2)
		return 0;
	if (x->ops.write && x->ops.write != f2)
		return 0;
	for (int k = 0; k < 3; k++)
		if (x->table[k] != g1 && x->table[k] != g2)
			return 0;
	if (!(x->ops.read == f1 || x->ops.write))
		return 0;
	return ok(x->kid[0]) && ok(x->kid[1]);
}

static int walk(void)
{
	return ok(h);
}

static void call(void)
{
	probe(h);
}
