/* SPDX-License-Identifier: MIT */
/* Atomic numbers and pointers, written to as C11 does. */
#include "walk.h"

#include <stdatomic.h>
struct at {
	atomic_int v;
	struct at *_Atomic next;
	_Atomic unsigned char c;
	_Bool b;
	atomic_bool d;
};

/*@ regtype at : struct at = null | { v : int(0..9), next : at, c : int(..200), v <= c, d : int(0) };
    pred probe(r) : at(r); */
NOINLINE void probe(struct at *r)
{
	(void)r;
}

static struct at *h, *all[6];
static void build(void)
{
	for (int i = 5; i >= 0; i--) {
		all[i] = calloc(1, sizeof *h);
		all[i]->c = 20;
		all[i]->next = h;
		h = all[i];
	}
}

static void mutate(void)
{
	struct at *x = all[rnd(6)];
	switch (rnd(9)) {
	case 0:
		atomic_fetch_add(&x->v, 3);
		break;
	case 1:
		atomic_store(&x->v, 5);
		break;
	case 2:
		x->v++;
		break;
	case 3:
		atomic_exchange(&x->c, rnd(256));
		break;
	case 4: {
		struct at *e = x->next;
		atomic_compare_exchange_strong(&x->next, &e, e ? e->next : (struct at *)0);
	} break;
	case 5:
		atomic_store(&x->d, rnd(5) == 0);
		break;
	default:
		h = 0;
		for (int i = 5; i >= 0; i--) {
			all[i]->v = 1;
			all[i]->c = 20;
			all[i]->d = 0;
			all[i]->next = h;
			h = all[i];
		}
	}
}

static int walk(void)
{
	for (struct at *x = h; x; x = x->next)
		if (x->v < 0 || x->v > 9 || x->c > 200 || x->v > x->c || x->d)
			return 0;
	return 1;
}

static void call(void)
{
	probe(h);
}
