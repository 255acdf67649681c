/* SPDX-License-Identifier: MIT */
/* Binary search trees changed in place: AVL, red-black, unbalanced. Recursion hands down the place of a subtree and
 * hands up whether anything changed there, so that only nodes that change are stored to. */
#include "inplace.h"

#include <stdbool.h>
#include <stdlib.h>

/* ---- AVL */

static int height(const struct avl *t)
{
	return t ? t->height : 0;
}

static void update(struct avl *t)
{
	int l = height(t->left), r = height(t->right);
	t->height = 1 + (l > r ? l : r);
}

/* x, which was below *at, takes its place. */
static void avl_lift(struct avl **at, struct avl *x)
{
	update(*at);
	update(x);
	*at = x;
}

static void avl_rotate_right(struct avl **at)
{
	struct avl *t = *at, *x = t->left;
	t->left = x->right;
	x->right = t;
	avl_lift(at, x);
}

static void avl_rotate_left(struct avl **at)
{
	struct avl *t = *at, *x = t->right;
	t->right = x->left;
	x->left = t;
	avl_lift(at, x);
}

/* A subtree of *at changed its height: did *at? */
static bool avl_repair(struct avl **at)
{
	struct avl *t = *at;
	int before = t->height, d = height(t->left) - height(t->right);
	if (d > 1) {
		if (height(t->left->left) < height(t->left->right))
			avl_rotate_left(&t->left);
		avl_rotate_right(at);
	} else if (d < -1) {
		if (height(t->right->right) < height(t->right->left))
			avl_rotate_right(&t->right);
		avl_rotate_left(at);
	} else {
		int l = height(t->left), r = height(t->right), h = 1 + (l > r ? l : r);
		if (h == before)
			return false;
		t->height = h;
	}
	return (*at)->height != before;
}

static struct avl *avl_new(int key)
{
	struct avl *t = malloc(sizeof *t);
	if (!t)
		abort();
	t->left = t->right = NULL;
	t->key = key;
	t->height = 1;
	return t;
}

static bool avl_put_below(struct avl **at, int key)
{
	struct avl *t = *at;
	if (!t) {
		*at = avl_new(key);
		return true;
	}
	if (key == t->key)
		return false;
	return avl_put_below(key < t->key ? &t->left : &t->right, key) && avl_repair(at);
}

void avl_put(struct avl **t, int key)
{
	avl_put_below(t, key);
}

/* Takes the leftmost node out of *at. */
static bool avl_take_first(struct avl **at, struct avl **first)
{
	struct avl *t = *at;
	if (t->left)
		return avl_take_first(&t->left, first) && avl_repair(at);
	*first = t;
	*at = t->right;
	return true;
}

static bool avl_del_below(struct avl **at, int key)
{
	struct avl *t = *at;
	if (!t)
		return false;
	if (key != t->key)
		return avl_del_below(key < t->key ? &t->left : &t->right, key) && avl_repair(at);
	if (!t->left || !t->right) {
		*at = t->left ? t->left : t->right;
		free(t);
		return true;
	}
	struct avl *first;
	bool lower = avl_take_first(&t->right, &first);
	t->key = first->key;
	free(first);
	return lower && avl_repair(at);
}

void avl_del(struct avl **t, int key)
{
	avl_del_below(t, key);
}

struct avl *avl_path_put(struct avl *t, int key);
static struct avl *avl_path_below(struct avl *t, int key)
{
	if (!t)
		return avl_new(key);
	if (key < t->key)
		t->left = avl_path_below(t->left, key);
	else if (key > t->key)
		t->right = avl_path_below(t->right, key);
	update(t);
	avl_repair(&t);
	return t;
}

struct avl *avl_path_put(struct avl *t, int key)
{
	return avl_path_below(t, key);
}

/* ---- red-black */

static bool is_red(const struct rb *t)
{
	return t && t->color == RED;
}

static void rb_rotate_right(struct rb **at)
{
	struct rb *t = *at, *x = t->left;
	t->left = x->right;
	x->right = t;
	*at = x;
}

static void rb_rotate_left(struct rb **at)
{
	struct rb *t = *at, *x = t->right;
	t->right = x->left;
	x->left = t;
	*at = x;
}

/* *at is black and its left (or right) child is red, as is a child of that. */
static void rb_repair(struct rb **at, bool left)
{
	struct rb *t = *at, *x = left ? t->left : t->right, *sibling = left ? t->right : t->left;
	if (is_red(sibling)) {
		t->color = RED;
		x->color = BLACK;
		sibling->color = BLACK;
		return;
	}
	if (left) {
		if (is_red(x->right))
			rb_rotate_left(&t->left);
		rb_rotate_right(at);
	} else {
		if (is_red(x->left))
			rb_rotate_right(&t->right);
		rb_rotate_left(at);
	}
	t->color = RED;
	(*at)->color = BLACK;
}

/* Is *at red now, with a red child perhaps? Then the place above has to look. */
static bool rb_put_below(struct rb **at, int key)
{
	struct rb *t = *at;
	if (!t) {
		t = malloc(sizeof *t);
		if (!t)
			abort();
		t->left = t->right = NULL;
		t->key = key;
		t->color = RED;
		*at = t;
		return true;
	}
	if (key == t->key)
		return false;
	bool left = key < t->key;
	if (!rb_put_below(left ? &t->left : &t->right, key))
		return false;
	struct rb *x = left ? t->left : t->right;
	if (t->color == RED)
		return true;
	if (is_red(x) && (is_red(x->left) || is_red(x->right)))
		rb_repair(at, left);
	return (*at)->color == RED;
}

void rb_put(struct rb **t, int key)
{
	if (rb_put_below(t, key) && (*t)->color == RED)
		(*t)->color = BLACK;
}

/* ---- unbalanced */

void tree_put(struct tree **t, int key)
{
	while (*t) {
		if (key == (*t)->key)
			return;
		t = key < (*t)->key ? &(*t)->left : &(*t)->right;
	}
	struct tree *n = malloc(sizeof *n);
	if (!n)
		abort();
	n->left = n->right = NULL;
	n->key = key;
	*t = n;
}

void tree_del(struct tree **t, int key)
{
	while (*t && (*t)->key != key)
		t = key < (*t)->key ? &(*t)->left : &(*t)->right;
	struct tree *d = *t;
	if (!d)
		return;
	if (!d->left || !d->right) {
		*t = d->left ? d->left : d->right;
		free(d);
		return;
	}
	struct tree **m = &d->right;
	while ((*m)->left)
		m = &(*m)->left;
	struct tree *s = *m;
	d->key = s->key;
	*m = s->right;
	free(s);
}
