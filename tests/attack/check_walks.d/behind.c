/* SPDX-License-Identifier: MIT */
/* Children in an array behind a pointer, which nodes exchange. */
#include "walk.h"

struct v {
	struct v **kid;
	int n, cap, tag;
};

/*@ regtype v : struct v = null | { kid[0..this.n-1] : v, n : int(0..this.cap), tag : int(1 | 3 | 5..7) };
    pred probe(r) : v(r); */
NOINLINE void probe(struct v *r)
{
	(void)r;
}

static struct v *root, *all[13];
static int n;
static struct v *mk(int d)
{
	struct v *x = calloc(1, sizeof *x);
	all[n++] = x;
	x->tag = 1;
	x->cap = 4;
	x->kid = calloc(4, sizeof *x->kid);
	if (d) {
		x->n = 3;
		for (int i = 0; i < 3; i++)
			x->kid[i] = mk(d - 1);
	}
	return x;
}

static void build(void)
{
	root = mk(2);
}

static void mutate(void)
{
	struct v *x = all[rnd(13)], *y = all[rnd(13)];
	switch (rnd(6)) {
	case 0:
		x->tag = rnd(9);
		break;
	case 1: {
		struct v **k = x->kid;
		int m = x->n, c = x->cap;
		x->kid = y->kid;
		x->n = y->n;
		x->cap = y->cap;
		y->kid = k;
		y->n = m;
		y->cap = c;
		if (0)
			break;
	} break;
	case 2:
		if (x->n > 1) {
			struct v *t = x->kid[0];
			x->kid[0] = x->kid[1];
			x->kid[1] = t;
		}
		break;
	case 3:
		x->cap = 2 + rnd(4);
		break;
	default:
		for (int i = 0; i < 13; i++) {
			all[i]->tag = 1 + 2 * (i % 2);
			all[i]->cap = 4;
		}
	}
}

static int ok(struct v *x, int d, char *seen)
{
	if (!x)
		return 1;
	for (int i = 0; i < n; i++)
		if (all[i] == x) {
			if (seen[i]++)
				return 0;
		}
	if (x->n < 0 || x->n > x->cap || !(x->tag == 1 || x->tag == 3 || (x->tag >= 5 && x->tag <= 7)))
		return 0;
	for (int i = 0; i < x->n; i++)
		if (!ok(x->kid[i], d + 1, seen))
			return 0;
	return 1;
}

static int walk(void)
{
	char seen[13] = {0};
	return ok(root, 0, seen);
}

static void call(void)
{
	probe(root);
}
