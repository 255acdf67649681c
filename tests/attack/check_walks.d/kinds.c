/* SPDX-License-Identifier: MIT */
/* A union told apart by an enum with negative values and ranges; a measure over some of its cases. */
#include "walk.h"

enum kind { NEG = -3, ZERO = 0, A = 5, B, C, D = 100 };
struct e {
	enum kind kind;
	union {
		struct {
			struct e *l, *r;
		} bin;
		long num;
		struct e *one;
		char text[16];
	} u;
};

/*@ regtype e : struct e = null | case kind { NEG : { u.num : int(..-1) }, ZERO : { u.num : int(0) },
	A..C : { u.bin.l : e, u.bin.r : e }, default : { u.text : string(1..4), u.text[0] : int('a'..'z') } };
    measure ops(e) = kind >= A && kind <= C ? 1 + ops(u.bin.l) + ops(u.bin.r) : 0;
    pred probe(r) : e(r), ops(r) <= 7; */
NOINLINE void probe(struct e *r)
{
	(void)r;
}

static struct e *h, *all[15];
static void leaf(struct e *x)
{
	x->kind = ZERO;
	memset(&x->u, 0, sizeof x->u);
}

static void build(void)
{
	for (int i = 14; i >= 0; i--) {
		all[i] = calloc(1, sizeof *h);
		if (i < 7) {
			all[i]->kind = A;
			all[i]->u.bin.l = all[2 * i + 1];
			all[i]->u.bin.r = all[2 * i + 2];
		} else
			leaf(all[i]);
	}
	h = all[0];
}

static void mutate(void)
{
	int i = rnd(15);
	struct e *x = all[i];
	switch (rnd(8)) {
	case 0:
		if (i >= 7) {
			x->kind = NEG;
			x->u.num = -(long)rnd(3);
		}
		break;
	case 1:
		if (i >= 7) {
			x->kind = D;
			text(x->u.text, rnd(4) ? "abc" : "Abcde");
		}
		break;
	case 2:
		if (i < 7)
			x->kind = B + rnd(2);
		break;
	case 3:
		if (i >= 7)
			leaf(x);
		break;
	case 4:
		if (i >= 3 && i < 7 && 0) {
			leaf(x);
		}
		break;
	default:
		if (rnd(2))
			for (int i = 14; i >= 0; i--)
				if (i < 7) {
					all[i]->kind = A + rnd(3);
					all[i]->u.bin.l = all[2 * i + 1];
					all[i]->u.bin.r = all[2 * i + 2];
				} else
					leaf(all[i]);
	}
}

static int ops;
static int ok(struct e *x)
{
	if (!x)
		return 1;
	switch (x->kind) {
	case NEG:
		return x->u.num < 0;
	case ZERO:
		return x->u.num == 0;
	case A:
	case B:
	case C:
		ops++;
		return ok(x->u.bin.l) && ok(x->u.bin.r);
	default:
		return strlen(x->u.text) >= 1 && strlen(x->u.text) <= 4 && x->u.text[0] >= 'a' && x->u.text[0] <= 'z';
	}
}

static int walk(void)
{
	ops = 0;
	return ok(h) && ops <= 7;
}

static void call(void)
{
	probe(h);
}
