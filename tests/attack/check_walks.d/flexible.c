/* SPDX-License-Identifier: MIT */
/* Children in a flexible array member, which moves when it grows; a measure over them. */
#include "walk.h"

struct fl {
	unsigned short n, cap;
	struct fl *kid[];
};

/*@ regtype fl : struct fl = null | { n <= cap, kid[0..this.n) : fl, cap : int(..8) };
    measure count(fl) = 1 + sum(count(kid));
    pred probe(r) : fl(r), count(r) < 8; */
NOINLINE void probe(struct fl *r)
{
	(void)r;
}

static struct fl *root;
static struct fl *mk(int cap)
{
	struct fl *f = calloc(1, sizeof *f + cap * sizeof *f->kid);
	f->cap = cap;
	return f;
}

static void build(void)
{
	root = mk(4);
}

static struct fl **any(void)
{
	struct fl **p = &root;
	while ((*p)->n && rnd(3)) {
		struct fl **q = &(*p)->kid[rnd((*p)->n)];
		if (!*q)
			break;
		p = q;
	}
	return p;
}

static void drop(struct fl *f)
{
	if (!f)
		return;
	for (int i = 0; i < f->n && f->n <= f->cap; i++)
		drop(f->kid[i]);
	free(f);
}

static int fix;
static void mutate(void)
{
	if (fix) {
		drop(root);
		root = mk(4);
		fix = 0;
		return;
	}
	struct fl **p = any(), *f = *p;
	switch (rnd(5)) {
	case 0:
	case 1:
		if (f->n == f->cap) {
			f = *p = realloc(f, sizeof *f + 2 * f->cap * sizeof *f->kid);
			f->cap *= 2;
		}
		f->kid[f->n++] = mk(1 + rnd(3));
		break;
	case 2:
		if (f->n)
			drop(f->kid[--f->n]);
		break;
	case 3:
		if (rnd(10) == 0) {
			f->n = f->cap + 1;
			fix = 1;
		}
		break;
	default:
		if (f->n > 1) {
			struct fl *t = f->kid[0];
			f->kid[0] = f->kid[f->n - 1];
			f->kid[f->n - 1] = t;
		}
	}
	if (0) {
		fix = 1;
	}
}

static int cnt;
static int ok(struct fl *f)
{
	if (!f)
		return 1;
	cnt++;
	if (f->n > f->cap || f->cap > 8)
		return 0;
	for (int i = 0; i < f->n; i++)
		if (!ok(f->kid[i]))
			return 0;
	return 1;
}

static int walk(void)
{
	cnt = 0;
	int r = ok(root) && cnt < 8;
	if (!r)
		fix = 1;
	return r;
}

static void call(void)
{
	probe(root);
}
