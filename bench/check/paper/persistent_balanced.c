/* SPDX-License-Identifier: MIT */
/* AVL-tree, RB-tree and B-tree; see persistent.h. */
#include "persistent.h"

#include <string.h>

/*@ regtype avl : struct avl = null | { l : avl, height : int(1..64), r : avl };
    pred avl_node(l, key, r) : avl(l), avl(r) => avl(result);
    pred avl_right(l, key, r) : avl(l), avl(r) => avl(result);
    pred avl_left(l, key, r) : avl(l), avl(r) => avl(result);
    pred avl_left_right(l, key, r) : avl(l), avl(r) => avl(result);
    pred avl_right_left(l, key, r) : avl(l), avl(r) => avl(result);
    pred avl_balance(l, key, r) : avl(l), avl(r) => avl(result);
    pred avl_below(t, key) : avl(t) => avl(result);
    pred avl_put(t, key) : avl(t) => avl(result); */
/*@ regtype rb : struct rb = null | case color { RED | BLACK : { l : rb, r : rb } };
    regtype red : struct rb = case color { RED : { l : rb, r : rb } };
    pred rb_leaf(key) => red(result);
    pred rb_node(color, l, key, r) : rb(l), rb(r) => rb(result);
    pred rb_red(l, key, r) : rb(l), rb(r) => red(result);
    pred rb_black(l, key, r) : rb(l), rb(r) => rb(result);
    pred rb_blacken(t) : rb(t) => rb(result);
    pred rb_left_left(l, key, r) : red(l), rb(r) => red(result);
    pred rb_left_right(l, key, r) : red(l), rb(r) => red(result);
    pred rb_right_left(l, key, r) : rb(l), red(r) => red(result);
    pred rb_right_right(l, key, r) : rb(l), red(r) => red(result);
    pred rb_left(color, l, key, r) : rb(l), rb(r) => rb(result);
    pred rb_right(color, l, key, r) : rb(l), rb(r) => rb(result);
    pred rb_below_left(t, key) : rb(t) => rb(result);
    pred rb_below_right(t, key) : rb(t) => rb(result);
    pred rb_below(t, key) : rb(t) => rb(result);
    pred rb_put(t, key) : rb(t) => rb(result); */
/*@ regtype bleaf : struct btree = case tag { 17..20 : {} };
    regtype binner : struct btree = case tag { 1 : { kid[0..1] : bnode }, 2 : { kid[0..2] : bnode },
        3 : { kid[0..3] : bnode }, 4 : { kid[0..4] : bnode } };
    regtype bnode : struct btree = case tag { 1 : { kid[0..1] : bnode }, 2 : { kid[0..2] : bnode },
        3 : { kid[0..3] : bnode }, 4 : { kid[0..4] : bnode }, 17..20 : {} };
    regtype btree : struct btree = null | case tag { 1 : { kid[0..1] : bnode }, 2 : { kid[0..2] : bnode },
        3 : { kid[0..3] : bnode }, 4 : { kid[0..4] : bnode }, 17..20 : {} };
    regtype split : struct split = { l : bnode, r : btree };
    pred btree_leaf(key) => bleaf(result);
    pred btree_root(s) : split(s) => binner(result);
    pred btree_one(t) : bnode(t) => split(result);
    pred btree_two(w, n, leaf) => split(result);
    pred btree_finish(w, n, leaf) => split(result);
    pred btree_leaf_put(t, key, i) : bleaf(t) => split(result);
    pred btree_inner_put(t, key, i) : binner(t) => split(result);
    pred btree_below(t, key) : bnode(t) => split(result);
    pred btree_put(t, key) : btree(t) => btree(result); */

/* ---- AVL-tree */

static int height(const struct avl *t)
{
	return t ? t->height : 0;
}

static struct avl *avl_node(struct avl *l, int key, struct avl *r)
{
	struct avl *n = arena_get(sizeof *n);
	int a = height(l), b = height(r);
	n->l = l;
	n->r = r;
	n->key = key;
	n->height = 1 + (a > b ? a : b);
	return n;
}

static struct avl *avl_right(struct avl *l, int key, struct avl *r)
{
	return avl_node(l->l, l->key, avl_node(l->r, key, r));
}

static struct avl *avl_left(struct avl *l, int key, struct avl *r)
{
	return avl_node(avl_node(l, key, r->l), r->key, r->r);
}

static struct avl *avl_left_right(struct avl *l, int key, struct avl *r)
{
	struct avl *x = l->r;
	return avl_node(avl_node(l->l, l->key, x->l), x->key, avl_node(x->r, key, r));
}

static struct avl *avl_right_left(struct avl *l, int key, struct avl *r)
{
	struct avl *x = r->l;
	return avl_node(avl_node(l, key, x->l), x->key, avl_node(x->r, r->key, r->r));
}

static struct avl *avl_balance(struct avl *l, int key, struct avl *r)
{
	int d = height(l) - height(r);
	if (d > 1)
		return height(l->l) >= height(l->r) ? avl_right(l, key, r) : avl_left_right(l, key, r);
	if (d < -1)
		return height(r->r) >= height(r->l) ? avl_left(l, key, r) : avl_right_left(l, key, r);
	return avl_node(l, key, r);
}

static struct avl *avl_below(struct avl *t, int key)
{
	if (!t)
		return avl_node(NULL, key, NULL);
	if (key < t->key)
		return avl_balance(avl_below(t->l, key), t->key, t->r);
	return key > t->key ? avl_balance(t->l, t->key, avl_below(t->r, key)) : t;
}

struct avl *avl_put(struct avl *t, int key)
{
	return avl_below(t, key);
}

/* ---- RB-tree (Okasaki) */

static int is_red(const struct rb *t)
{
	return t && t->color == RED;
}

static struct rb *rb_node(enum color color, struct rb *l, int key, struct rb *r)
{
	struct rb *n = arena_get(sizeof *n);
	n->l = l;
	n->r = r;
	n->key = key;
	n->color = color;
	return n;
}

static struct rb *rb_red(struct rb *l, int key, struct rb *r)
{
	return rb_node(RED, l, key, r);
}

static struct rb *rb_black(struct rb *l, int key, struct rb *r)
{
	return rb_node(BLACK, l, key, r);
}

static struct rb *rb_leaf(int key)
{
	return rb_red(NULL, key, NULL);
}

static struct rb *rb_blacken(struct rb *t)
{
	return t->color == BLACK ? t : rb_black(t->l, t->key, t->r);
}

static struct rb *rb_left_left(struct rb *l, int key, struct rb *r)
{
	return rb_red(rb_black(l->l->l, l->l->key, l->l->r), l->key, rb_black(l->r, key, r));
}

static struct rb *rb_left_right(struct rb *l, int key, struct rb *r)
{
	return rb_red(rb_black(l->l, l->key, l->r->l), l->r->key, rb_black(l->r->r, key, r));
}

static struct rb *rb_right_left(struct rb *l, int key, struct rb *r)
{
	return rb_red(rb_black(l, key, r->l->l), r->l->key, rb_black(r->l->r, r->key, r->r));
}

static struct rb *rb_right_right(struct rb *l, int key, struct rb *r)
{
	return rb_red(rb_black(l, key, r->l), r->key, rb_black(r->r->l, r->r->key, r->r->r));
}

static struct rb *rb_left(enum color color, struct rb *l, int key, struct rb *r)
{
	if (color == BLACK && is_red(l) && is_red(l->l))
		return rb_left_left(l, key, r);
	if (color == BLACK && is_red(l) && is_red(l->r))
		return rb_left_right(l, key, r);
	return rb_node(color, l, key, r);
}

static struct rb *rb_right(enum color color, struct rb *l, int key, struct rb *r)
{
	if (color == BLACK && is_red(r) && is_red(r->l))
		return rb_right_left(l, key, r);
	if (color == BLACK && is_red(r) && is_red(r->r))
		return rb_right_right(l, key, r);
	return rb_node(color, l, key, r);
}

static struct rb *rb_below(struct rb *t, int key);

static struct rb *rb_below_left(struct rb *t, int key)
{
	return rb_left(t->color, rb_below(t->l, key), t->key, t->r);
}

static struct rb *rb_below_right(struct rb *t, int key)
{
	return rb_right(t->color, t->l, t->key, rb_below(t->r, key));
}

static struct rb *rb_below(struct rb *t, int key)
{
	if (!t)
		return rb_leaf(key);
	if (key == t->key)
		return t;
	return key < t->key ? rb_below_left(t, key) : rb_below_right(t, key);
}

struct rb *rb_put(struct rb *t, int key)
{
	return rb_blacken(rb_below(t, key));
}

/* ---- B-tree */

static struct btree *btree_leaf(int key)
{
	struct btree *t = arena_get(sizeof *t);
	memset(t, 0, sizeof *t);
	t->tag = LEAF | 1;
	t->key[0] = key;
	return t;
}

static struct split *btree_one(struct btree *t)
{
	struct split *s = arena_get(sizeof *s);
	s->l = t;
	s->r = NULL;
	s->key = 0;
	return s;
}

static struct split *btree_two(const struct btree *w, int n, int leaf)
{
	struct split *s = arena_get(sizeof *s);
	struct btree *l = arena_get(sizeof *l), *r = arena_get(sizeof *r);
	*l = *w;
	*r = *w;
	l->tag = 2 | leaf;
	r->tag = (n - 3) | leaf;
	memcpy(r->key, w->key + 3, (size_t)(n - 3) * sizeof *r->key);
	memcpy(r->kid, w->kid + 3, (size_t)(n - 2) * sizeof *r->kid);
	s->l = l;
	s->r = r;
	s->key = w->key[2];
	return s;
}

static struct split *btree_finish(const struct btree *w, int n, int leaf)
{
	if (n > 4)
		return btree_two(w, n, leaf);
	struct btree *t = arena_get(sizeof *t);
	*t = *w;
	t->tag = n | leaf;
	return btree_one(t);
}

static void open_gap(struct btree *w, int n, int i, int key)
{
	memmove(w->key + i + 1, w->key + i, (size_t)(n - i) * sizeof *w->key);
	w->key[i] = key;
}

static struct split *btree_leaf_put(struct btree *t, int key, int i)
{
	struct btree w = *t;
	int n = t->tag & (LEAF - 1);
	open_gap(&w, n, i, key);
	return btree_finish(&w, n + 1, LEAF);
}

static struct split *btree_below(struct btree *t, int key);

static struct split *btree_inner_put(struct btree *t, int key, int i)
{
	struct btree w = *t;
	int n = t->tag;
	struct split *s = btree_below(t->kid[i], key);
	w.kid[i] = s->l;
	if (!s->r)
		return btree_finish(&w, n, 0);
	open_gap(&w, n, i, s->key);
	memmove(w.kid + i + 2, w.kid + i + 1, (size_t)(n - i) * sizeof *w.kid);
	w.kid[i + 1] = s->r;
	return btree_finish(&w, n + 1, 0);
}

static struct split *btree_below(struct btree *t, int key)
{
	int n = t->tag & (LEAF - 1), i = 0;
	while (i < n && t->key[i] < key)
		i++;
	if (i < n && t->key[i] == key)
		return btree_one(t);
	return t->tag & LEAF ? btree_leaf_put(t, key, i) : btree_inner_put(t, key, i);
}

static struct btree *btree_root(struct split *s)
{
	struct btree *t = arena_get(sizeof *t);
	memset(t, 0, sizeof *t);
	t->tag = 1;
	t->key[0] = s->key;
	t->kid[0] = s->l;
	t->kid[1] = s->r;
	return t;
}

struct btree *btree_put(struct btree *t, int key)
{
	if (!t)
		return btree_leaf(key);
	struct split *s = btree_below(t, key);
	return s->r ? btree_root(s) : s->l;
}
