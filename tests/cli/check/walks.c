/* SPDX-License-Identifier: MIT */
/* The plain walks of structures.h: what each contract means, written out in C. A node of a tree is met once. */
#include "structures.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

static const void *met[4096];
static int n_met;

static int again(const void *p)
{
	for (int i = 0; i < n_met; i++)
		if (met[i] == p)
			return 1;
	met[n_met++] = p;
	return n_met >= 4096;
}

struct sum {
	long lo, hi, height, size, total;
};

static int avl(const struct avl *t, struct sum *s)
{
	struct sum l, r;
	*s = (struct sum){LONG_MAX, LONG_MIN, 0, 0, 0};
	if (!t)
		return 1;
	if (again(t) || !avl(t->left, &l) || !avl(t->right, &r))
		return 0;
	s->lo = l.lo < t->key ? l.lo : t->key;
	s->hi = r.hi > t->key ? r.hi : t->key;
	s->height = 1 + (l.height > r.height ? l.height : r.height);
	s->size = 1 + l.size + r.size;
	s->total = t->key + l.total + r.total;
	return (!t->left || l.hi < t->key) && (!t->right || t->key < r.lo) && t->h == s->height &&
	       labs(l.height - r.height) <= 1;
}

static int rb(const struct rb *t, struct sum *s)
{
	struct sum l, r;
	*s = (struct sum){LONG_MAX, LONG_MIN, 1, 0, 0};
	if (!t)
		return 1;
	if ((t->color != RED && t->color != BLACK) || again(t) || !rb(t->left, &l) || !rb(t->right, &r))
		return 0;
	if (t->color == RED && ((t->left && t->left->color != BLACK) || (t->right && t->right->color != BLACK)))
		return 0;
	s->lo = l.lo < t->key ? l.lo : t->key;
	s->hi = r.hi > t->key ? r.hi : t->key;
	s->height = l.height + (t->color == BLACK);
	return l.height == r.height && (!t->right || r.lo > t->key) && (!t->left || l.hi < t->key);
}

static int list(enum shape s, const struct dll *x)
{
	for (; x; x = x->next) {
		if (again(x))
			return 0;
		if ((s == DLL || s == BOTH) && x->next && x->next->prev != x)
			return 0;
		if (s == BOTH && x->prev && x->prev->next != x)
			return 0;
		if (s == SORTED && ((x->next && x->next->key < x->key) || x->n > x->cap || x->n < 0))
			return 0;
		if (s == STEPS && x->next && x->next->next && x->next->next->key <= x->key)
			return 0;
	}
	return 1;
}

static int closed(const struct dll *x, int both)
{
	const struct dll *y = x;
	if (!x)
		return 1;
	do {
		if (again(y) || !y->next || (both && (y->next->prev != y || y->n < 0 || y->n > y->cap)))
			return 0;
		y = y->next;
	} while (y != x);
	return 1;
}

static int par(const struct par *x)
{
	if (!x)
		return 1;
	if (again(x) || !par(x->left) || !par(x->right))
		return 0;
	if ((x->left && x->left->up != x) || (x->right && x->right->up != x))
		return 0;
	return !x->left || !x->right || x->left->key < x->right->key;
}

static int kids(const struct kids *x, long *count)
{
	*count = 1;
	if (!x) {
		*count = 0;
		return 1;
	}
	if (again(x) || x->n < 0 || x->n > 4)
		return 0;
	for (int i = 0; i < x->n; i++) {
		long c;
		if (!kids(x->kid[i], &c))
			return 0;
		*count += c;
	}
	return *count <= 6;
}

static int out(const struct out *x, long *deep)
{
	*deep = 0;
	if (!x)
		return 1;
	if (again(x) || x->n > N || (x->n > 0 && !x->kid))
		return 0;
	for (int i = 0; i < x->n; i++) {
		long d;
		if (!out(x->kid[i], &d))
			return 0;
		*deep = d > *deep ? d : *deep;
	}
	return ++*deep <= 3;
}

static int val(const struct val *x)
{
	if (again(x) || x->kind < 0 || x->kind > 3 || (x->n > 0 && !x->item))
		return 0;
	for (int i = 0; i < x->n; i++)
		if (!val(&x->item[i]))
			return 0;
	return 1;
}

static int flex(const struct flex *x)
{
	if (!x)
		return 1;
	if (again(x) || x->n < 0 || x->n > 2 || x->next)
		return 0;
	for (int i = 0; i < x->n; i++)
		if (!flex(x->kid[i]))
			return 0;
	return 1;
}

static int misc(const struct misc *x)
{
	for (; x; x = x->next) {
		if (again(x) || x->kind > 5)
			return 0;
		if (x->kind == 0 && ((x->name && strlen(x->name) > 3) || !memchr(x->tag, 0, sizeof x->tag)))
			return 0;
		if ((x->kind == 1 || x->kind == 2) &&
		    (!(x->w >= 0 && x->w <= 1) || (x->op != op_a && x->op != op_b) || (int)x->big + (int)x->kind > 9))
			return 0;
		if (x->kind >= 3 && (x->small[0] > 4 || x->small[1] > 4 || x->small[2] > 4 ||
				     (long)x->small[0] + x->small[1] > (long)x->small[2] * 2))
			return 0;
	}
	return 1;
}

static int tagged(const struct tagged *x)
{
	if (!x)
		return 1;
	return !again(x) && x->v >= 0 && x->v <= 3 && tagged((struct tagged *)(x->left & ~3ul)) &&
	       tagged((struct tagged *)((unsigned long)x->right & ~1ul));
}

static int items(const struct item *x)
{
	while (x) {
		if (again(x) || x->v < 0 || x->v > 3)
			return 0;
		x = x->link.next ? (const struct item *)((const char *)x->link.next - offsetof(struct item, link))
				 : NULL;
	}
	return 1;
}

static int owner(const struct owner *x)
{
	int steps = 0;
	for (const struct link *l = x->head.next; l != &x->head; l = l->next) {
		if (!l || ++steps > 1000)
			return 0;
		const struct item *i = (const struct item *)((const char *)l - offsetof(struct item, link));
		if (again(i) || i->v < 0 || i->v > 3)
			return 0;
	}
	return 1;
}

static int book(const struct book *x)
{
	for (; x; x = x->next) {
		struct sum s;
		if (again(x) || !avl(x->h.root, &s) || x->h.size != s.size)
			return 0;
	}
	return 1;
}

int walk(enum shape s, const void *p)
{
	struct sum sum;
	long n;
	n_met = 0;
	switch (s) {
	case AVL:
		return avl(p, &sum);
	case RB:
		return rb(p, &sum);
	case DLL:
	case SORTED:
	case BOTH:
	case STEPS:
		return list(s, p);
	case CLOSED:
		return closed(p, 1);
	case LOOP:
		return closed(p, 0);
	case PAR:
		return par(p);
	case KIDS:
		return kids(p, &n);
	case OUT:
		return out(p, &n);
	case VAL:
		return val(p);
	case FLEX:
		return flex(p);
	case MISC:
		return misc(p);
	case TAGGED:
		return tagged(p);
	case ITEMS:
		return items(p);
	case OWNER:
		return owner(p);
	case BOOK:
		return book(p);
	default:
		abort();
	}
}
