/* See inplace.h. */
#include "inplace.h"

#include <stdlib.h>
#include <string.h>

static int height(struct avl *t)
{
	return t ? t->h : 0;
}

static void fix(struct avl *t)
{
	int a = height(t->l), b = height(t->r);
	t->h = 1 + (a > b ? a : b);
}

static struct avl *right(struct avl *t)
{
	struct avl *x = t->l;
	t->l = x->r;
	x->r = t;
	fix(t);
	fix(x);
	return x;
}

static struct avl *left(struct avl *t)
{
	struct avl *x = t->r;
	t->r = x->l;
	x->l = t;
	fix(t);
	fix(x);
	return x;
}

static struct avl *avl_ins(struct avl *t, int k)
{
	if (!t) {
		t = malloc(sizeof *t);
		*t = (struct avl){NULL, NULL, k, 1};
		return t;
	}
	if (k < t->k) {
		struct avl *c = avl_ins(t->l, k);
		if (c != t->l)
			t->l = c;
	} else if (k > t->k) {
		struct avl *c = avl_ins(t->r, k);
		if (c != t->r)
			t->r = c;
	} else {
		return t;
	}
	int a = height(t->l), b = height(t->r), h = 1 + (a > b ? a : b);
	if (a - b > 1) {
		if (height(t->l->l) < height(t->l->r))
			t->l = left(t->l);
		return right(t);
	}
	if (b - a > 1) {
		if (height(t->r->r) < height(t->r->l))
			t->r = right(t->r);
		return left(t);
	}
	if (h != t->h)
		t->h = h;
	return t;
}

void avl_insert(struct avl **t, int k)
{
	*t = avl_ins(*t, k);
}

#define RED(t) ((t) && !(t)->c)

/* Black node t with a red child and red grandchild on side l (the other side is r): recolour or rotate. */
static struct rb *rb_fix(struct rb *t, int on_left)
{
	struct rb *x = on_left ? t->l : t->r, *inner = on_left ? x->r : x->l;
	if (RED(inner)) {
		if (on_left) {
			x->r = inner->l;
			inner->l = x;
			t->l = inner;
		} else {
			x->l = inner->r;
			inner->r = x;
			t->r = inner;
		}
		x = inner;
	}
	struct rb *outer = on_left ? x->l : x->r, *uncle = on_left ? t->r : t->l;
	if (!RED(outer))
		return t;
	if (RED(uncle)) {
		t->c = 0;
		x->c = 1;
		uncle->c = 1;
		return t;
	}
	if (on_left) {
		t->l = x->r;
		x->r = t;
	} else {
		t->r = x->l;
		x->l = t;
	}
	x->c = 1;
	t->c = 0;
	return x;
}

static struct rb *rb_ins(struct rb *t, int k)
{
	if (!t) {
		t = malloc(sizeof *t);
		*t = (struct rb){NULL, NULL, k, 0};
		return t;
	}
	if (k == t->k)
		return t;
	int on_left = k < t->k;
	struct rb **at = on_left ? &t->l : &t->r, *c = rb_ins(*at, k);
	if (c != *at)
		*at = c;
	return t->c && RED(*at) ? rb_fix(t, on_left) : t;
}

void rb_insert(struct rb **t, int k)
{
	struct rb *r = rb_ins(*t, k);
	if (!r->c)
		r->c = 1;
	*t = r;
}

void tr_insert(struct tr **t, int k)
{
	while (*t) {
		if (k == (*t)->k)
			return;
		t = k < (*t)->k ? &(*t)->l : &(*t)->r;
	}
	struct tr *n = malloc(sizeof *n);
	*n = (struct tr){NULL, NULL, k, 0};
	*t = n;
}

void tr_delete(struct tr **t, int k)
{
	while (*t && (*t)->k != k)
		t = k < (*t)->k ? &(*t)->l : &(*t)->r;
	struct tr *d = *t;
	if (!d)
		return;
	if (d->l && d->r) {
		struct tr **m = &d->r;
		while ((*m)->l)
			m = &(*m)->l;
		struct tr *s = *m;
		d->k = s->k;
		*m = s->r;
		free(s);
	} else {
		*t = d->l ? d->l : d->r;
		free(d);
	}
}

void set_insert(struct list **s, int k)
{
	while (*s && (*s)->v < k)
		s = &(*s)->next;
	if (*s && (*s)->v == k)
		return;
	struct list *n = malloc(sizeof *n);
	*n = (struct list){*s, k, 0};
	*s = n;
}

static struct bt *bt_split(struct bt *t, int *up)
{
	struct bt *r = calloc(1, sizeof *r);
	r->leaf = t->leaf;
	r->n = 2;
	r->key[0] = t->key[3];
	r->key[1] = t->key[4];
	for (int i = 0; i < 3 && !t->leaf; i++)
		r->kid[i] = t->kid[i + 3];
	*up = t->key[2];
	t->n = 2;
	return r;
}

static struct bt *bt_ins(struct bt *t, int k, int *up)
{
	int i = 0, uk = k;
	while (i < t->n && t->key[i] < k)
		i++;
	if (i < t->n && t->key[i] == k)
		return NULL;
	struct bt *r = NULL;
	if (!t->leaf && !(r = bt_ins(t->kid[i], k, &uk)))
		return NULL;
	for (int j = t->n; j > i; j--) {
		t->key[j] = t->key[j - 1];
		if (!t->leaf)
			t->kid[j + 1] = t->kid[j];
	}
	t->key[i] = uk;
	if (!t->leaf)
		t->kid[i + 1] = r;
	t->n++;
	return t->n == 5 ? bt_split(t, up) : NULL;
}

void bt_insert(struct bt **t, int k)
{
	if (!*t) {
		*t = calloc(1, sizeof **t);
		(*t)->leaf = (*t)->n = 1;
		(*t)->key[0] = k;
		return;
	}
	int uk;
	struct bt *r = bt_ins(*t, k, &uk);
	if (!r)
		return;
	struct bt *n = calloc(1, sizeof *n);
	n->n = 1;
	n->key[0] = uk;
	n->kid[0] = *t;
	n->kid[1] = r;
	*t = n;
}
