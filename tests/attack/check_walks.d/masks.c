/* SPDX-License-Identifier: MIT */
/* A union told apart by two bits of a bit-field, its members nested without names. */
#include "walk.h"

struct b {
	unsigned pad : 5, tag : 3, more : 24;
	struct {
		struct {
			union {
				struct b *l;
				uint64_t num;
			};
			struct b *r;
		};
	};
};

/*@ regtype b : struct b = null | case tag & 3 { 0 : { num : int(0..9) }, 1 | 2 : { l : b, r : b,
	more : int(1..) } };
    pred probe(r) : b(r); */
NOINLINE void probe(struct b *r)
{
	(void)r;
}

static struct b *all[7];
static void reset(void)
{
	for (int i = 6; i >= 0; i--) {
		memset(all[i], 0, sizeof **all);
		if (i < 3) {
			all[i]->tag = 1;
			all[i]->more = 2;
			all[i]->l = all[2 * i + 1];
			all[i]->r = all[2 * i + 2];
		}
	}
}

static void build(void)
{
	for (int i = 0; i < 7; i++)
		all[i] = calloc(1, sizeof **all);
	reset();
}

static void mutate(void)
{
	int i = rnd(7);
	struct b *x = all[i];
	switch (rnd(7)) {
	case 0:
		if (i < 3)
			x->tag = 1 + rnd(2) + 4 * rnd(2);
		break;
	case 1:
		x->more = rnd(3);
		break;
	case 2:
		if (i >= 3)
			x->num = rnd(12);
		break;
	case 3:
		x->pad = rnd(32);
		break;
	case 4:
		if (i >= 3)
			x->tag = 4 * rnd(2) + 3 * (rnd(6) == 0);
		break;
	default:
		if (rnd(2))
			reset();
	}
}

static int ok(struct b *x)
{
	if (!x)
		return 1;
	switch (x->tag & 3) {
	case 0:
		return x->num <= 9;
	case 1:
	case 2:
		return x->more >= 1 && ok(x->l) && ok(x->r);
	}
	return 0;
}

static int walk(void)
{
	return ok(all[0]);
}

static void call(void)
{
	probe(all[0]);
}
