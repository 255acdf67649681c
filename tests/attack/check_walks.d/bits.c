/* SPDX-License-Identifier: MIT */
/* Bit-fields in an anonymous struct in an anonymous union, written to as a word and as bytes too. */
#include "walk.h"

typedef struct cell {
	union {
		unsigned word;
		struct {
			unsigned a : 3, b : 5, : 4, c : 20;
		};
		unsigned char bytes[4];
	};
	struct cell *next;
} cell;

/*@ regtype cells : cell = null | { next : cells, a : int(0..5), b : int(..20), c >= a + b };
    pred probe(r) : cells(r); */
NOINLINE void probe(cell *r)
{
	(void)r;
}

static cell *h, *all[5];
static void build(void)
{
	for (int i = 0; i < 5; i++) {
		cell *c = calloc(1, sizeof *c);
		c->a = 1;
		c->b = 2;
		c->c = 300;
		c->next = h;
		all[i] = h = c;
	}
}

static void mutate(void)
{
	cell *c = all[rnd(5)];
	switch (rnd(7)) {
	case 0:
		c->a = rnd(8);
		break;
	case 1:
		c->b = rnd(32);
		break;
	case 2:
		c->c = rnd(40);
		break;
	case 3:
		c->bytes[rnd(4)] ^= 1u << rnd(8);
		break;
	case 4:
		c->word = rnd(1u << 31);
		break;
	default:
		for (int i = 0; i < 5; i++) {
			all[i]->a = 1;
			all[i]->b = 2;
			all[i]->c = 300;
		}
	}
}

static int walk(void)
{
	for (cell *c = h; c; c = c->next)
		if (c->a > 5 || c->b > 20 || c->c < c->a + c->b)
			return 0;
	return 1;
}

static void call(void)
{
	probe(h);
}
