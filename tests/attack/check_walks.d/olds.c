/* SPDX-License-Identifier: MIT */
/* Pre- and postconditions with values from before the call, for a function with faults. */
#include "walk.h"

struct st {
	int n, cap;
	struct nd *top;
};

struct nd {
	struct nd *next;
	int v;
};

/*@ regtype nd : struct nd = null | { next : nd, v : int(0..) };
    measure len(nd) = 1 + len(next);
    regtype st : struct st = { top : nd, n == len(top), n <= cap };
    pred push(s, v) : st(s), v >= 0, s->n < s->cap => st(s), s->n == old(s->n) + 1, s->top->v == v,
	len(s->top->next) == old(len(s->top)), result == old(s->n);
    pred push(s, v) : st(s), v < 0 => st(s), s->n == old(s->n), result == -1; */
static int bug;
NOINLINE int push(struct st *s, int v)
{
	if (v < 0 && bug != 1)
		return -1;
	struct nd *x = malloc(sizeof *x);
	x->v = v;
	x->next = s->top;
	if (bug == 2 && s->top)
		x->v++;
	if (bug == 3 && s->top) {
		x->next = s->top->next;
	}
	s->top = x;
	s->n++;
	int r = s->n - 1;
	s = 0;
	v = 5;
	return bug == 4 ? r + 1 : r;
}

static struct st *s;
static int want, arg;
static void build(void)
{
	s = calloc(1, sizeof *s);
	s->cap = 8;
}

static void mutate(void)
{
	while (s->top && (rnd(3) == 0 || s->n > 7 || bug)) {
		struct nd *x = s->top;
		s->top = x->next;
		s->n--;
		free(x);
	}
	if (!s->top)
		s->n = 0;
	bug = rnd(3) ? 0 : 1 + rnd(4);
	arg = (int)rnd(6) - 2;
	s->cap = rnd(4) ? 8 : 3;
}

static int walk(void)
{
	int pre1 = s->n <= s->cap && arg >= 0 && s->n < s->cap, pre2 = s->n <= s->cap && arg < 0;
	if (!pre1 && !pre2)
		return 0;
	if (pre2)
		return bug != 1;
	if (bug == 2 || bug == 3)
		return !s->top;
	if (bug == 4)
		return 0;
	return 1;
}

static void call(void)
{
	push(s, arg);
}
