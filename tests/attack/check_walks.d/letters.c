/* SPDX-License-Identifier: MIT */
/* A union told apart by a signed character; doubles that are no numbers. */
#include "walk.h"

struct c {
	signed char tag;
	unsigned flag : 2;
	union {
		struct c *next;
		int i;
		double d;
	};
};

/*@ regtype c : struct c = case tag { 'a'..'f' | 'z' : { next : c }, -1 : { i : int(-5..5) },
	'\0' : { d : double(0..1.5) } };
    pred probe(r) : c(r); */
NOINLINE void probe(struct c *r)
{
	(void)r;
}

static struct c *all[5];
static void build(void)
{
	for (int i = 4; i >= 0; i--) {
		all[i] = calloc(1, sizeof **all);
		all[i]->tag = 'a' + i;
		if (i < 4)
			all[i]->next = all[i + 1];
		else
			all[i]->tag = -1;
	}
}

static void mutate(void)
{
	int i = rnd(5);
	struct c *x = all[i];
	switch (rnd(7)) {
	case 0:
		if (i == 4) {
			x->tag = 0;
			x->d = rnd(20) / 10.0;
		}
		break;
	case 1:
		if (i == 4) {
			x->tag = -1;
			x->next = 0;
			x->i = (int)rnd(14) - 7;
		}
		break;
	case 2:
		if (i < 4 && x->tag > 1)
			x->tag = "abcfzg"[rnd(6)];
		break;
	case 3:
		if (i == 2) {
			x->tag = 0;
			x->d = rnd(3) ? 1.5 : __builtin_nan("");
		}
		break;
	default:
		if (rnd(2))
			for (int i = 4; i >= 0; i--) {
				all[i]->tag = 'a' + i;
				if (i < 4)
					all[i]->next = all[i + 1];
				else
					all[i]->tag = -1, all[i]->i = 0;
			}
	}
}

static int walk(void)
{
	struct c *x = all[0];
	for (int k = 0;; k++) {
		if (k > 9 || !x)
			return 0;
		if ((x->tag >= 'a' && x->tag <= 'f') || x->tag == 'z') {
			x = x->next;
			continue;
		}
		if (x->tag == -1)
			return x->i >= -5 && x->i <= 5;
		if (x->tag == 0)
			return x->d >= 0 && x->d <= 1.5;
		return 0;
	}
}

static void call(void)
{
	probe(all[0]);
}
