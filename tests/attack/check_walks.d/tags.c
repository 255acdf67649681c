/* SPDX-License-Identifier: MIT */
/* Pointers with flags in their low bits, in integers. */
#include "walk.h"

struct tn {
	uintptr_t left, right;
	int key;
};

enum { FLAGS = 7 };
/*@ regtype tn : struct tn = null | { left & ~7 : tn, right & ~FLAGS : tn, key : int(0..99), (left & 3) <= 1,
	(right & FLAGS) != 5 }; */
#define P(x) ((struct tn *)((x) & ~(uintptr_t)7))
NOINLINE void probe2(struct tn *r)
{
	(void)r;
}

/*@ pred probe2(r) : tn(r); */
static struct tn *root, *all[15];
static struct tn *mk(int d, int *n)
{
	if (!d)
		return 0;
	struct tn *x = malloc(sizeof *x);
	all[(*n)++] = x;
	x->key = d;
	x->left = (uintptr_t)mk(d - 1, n);
	x->right = (uintptr_t)mk(d - 1, n);
	return x;
}

static void build(void)
{
	int n = 0;
	root = mk(4, &n);
}

static void mutate(void)
{
	struct tn *x = all[rnd(15)];
	switch (rnd(6)) {
	case 0:
		x->left = (x->left & ~(uintptr_t)7) | rnd(8);
		break;
	case 1:
		x->right ^= 1u << rnd(3);
		break;
	case 2:
		x->key = rnd(110);
		break;
	case 3: {
		uintptr_t t = x->left;
		x->left = x->right;
		x->right = t;
	} break;
	default:
		for (int i = 0; i < 15; i++)
			all[i]->left &= ~(uintptr_t)7, all[i]->right &= ~(uintptr_t)7, all[i]->key = 3;
	}
}

static int ok(struct tn *x)
{
	return !x || (x->key >= 0 && x->key <= 99 && (x->left & 3) <= 1 && (x->right & 7) != 5 && ok(P(x->left)) &&
		      ok(P(x->right)));
}

static int walk(void)
{
	return ok(root);
}

static void call(void)
{
	probe2(root);
}
