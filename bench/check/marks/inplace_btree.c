/* SPDX-License-Identifier: MIT */
/* A B-tree changed in place (at most ORDER − 1 keys a node, at least MIN but for the root), and a sorted list. */
#include "inplace.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MIN = 2 };

static int count(const struct btree *t)
{
	return t->tag & (LEAF - 1);
}

static bool is_leaf(const struct btree *t)
{
	return t->tag & LEAF;
}

static struct btree *node(int tag)
{
	struct btree *t = malloc(sizeof *t);
	if (!t)
		abort();
	memset(t, 0, sizeof *t);
	t->tag = tag;
	return t;
}

/* ORDER keys are one too many: the right part becomes a node of its own, the middle key goes up. */
static struct btree *split(struct btree *t, int *up)
{
	struct btree *r = node((t->tag & LEAF) | MIN);
	memcpy(r->key, t->key + MIN + 1, MIN * sizeof *r->key);
	if (!is_leaf(t))
		memcpy(r->kid, t->kid + MIN + 1, (MIN + 1) * sizeof *r->kid);
	*up = t->key[MIN];
	t->tag = (t->tag & LEAF) | MIN;
	return r;
}

static struct btree *put_below(struct btree *t, int key, int *up)
{
	int n = count(t), i = 0;
	struct btree *right = NULL;
	while (i < n && t->key[i] < key)
		i++;
	if (i < n && t->key[i] == key)
		return NULL;
	if (!is_leaf(t)) {
		right = put_below(t->kid[i], key, &key);
		if (!right)
			return NULL;
	}
	memmove(t->key + i + 1, t->key + i, (size_t)(n - i) * sizeof *t->key);
	t->key[i] = key;
	if (right) {
		memmove(t->kid + i + 2, t->kid + i + 1, (size_t)(n - i) * sizeof *t->kid);
		t->kid[i + 1] = right;
	}
	t->tag++;
	return n + 1 == ORDER ? split(t, up) : NULL;
}

void btree_put(struct btree **t, int key)
{
	if (!*t) {
		*t = node(LEAF | 1);
		(*t)->key[0] = key;
		return;
	}
	int up;
	struct btree *right = put_below(*t, key, &up);
	if (!right)
		return;
	struct btree *root = node(1);
	root->key[0] = up;
	root->kid[0] = *t;
	root->kid[1] = right;
	*t = root;
}

static void remove_key(struct btree *t, int i)
{
	int n = count(t);
	memmove(t->key + i, t->key + i + 1, (size_t)(n - i - 1) * sizeof *t->key);
	if (!is_leaf(t))
		memmove(t->kid + i + 1, t->kid + i + 2, (size_t)(n - i - 1) * sizeof *t->kid);
	t->tag--;
}

/* kid[i + 1] and the key between go into kid[i]. */
static void merge(struct btree *t, int i)
{
	struct btree *l = t->kid[i], *r = t->kid[i + 1];
	int nl = count(l), nr = count(r);
	l->key[nl] = t->key[i];
	memcpy(l->key + nl + 1, r->key, (size_t)nr * sizeof *l->key);
	if (!is_leaf(l))
		memcpy(l->kid + nl + 1, r->kid, (size_t)(nr + 1) * sizeof *l->kid);
	l->tag += nr + 1;
	remove_key(t, i);
	free(r);
}

/* One key from kid[from] through t to kid[to], its neighbour. */
static void borrow(struct btree *t, int from, int to)
{
	struct btree *a = t->kid[from], *b = t->kid[to];
	int na = count(a), nb = count(b);
	if (from < to) {
		memmove(b->key + 1, b->key, (size_t)nb * sizeof *b->key);
		b->key[0] = t->key[from];
		t->key[from] = a->key[na - 1];
		if (!is_leaf(b)) {
			memmove(b->kid + 1, b->kid, (size_t)(nb + 1) * sizeof *b->kid);
			b->kid[0] = a->kid[na];
		}
	} else {
		b->key[nb] = t->key[to];
		t->key[to] = a->key[0];
		memmove(a->key, a->key + 1, (size_t)(na - 1) * sizeof *a->key);
		if (!is_leaf(b)) {
			b->kid[nb + 1] = a->kid[0];
			memmove(a->kid, a->kid + 1, (size_t)na * sizeof *a->kid);
		}
	}
	a->tag--;
	b->tag++;
}

static void refill(struct btree *t, int i)
{
	if (count(t->kid[i]) >= MIN)
		return;
	if (i > 0 && count(t->kid[i - 1]) > MIN)
		borrow(t, i - 1, i);
	else if (i < count(t) && count(t->kid[i + 1]) > MIN)
		borrow(t, i + 1, i);
	else
		merge(t, i > 0 ? i - 1 : i);
}

static int take_last(struct btree *t)
{
	int n = count(t);
	if (is_leaf(t)) {
		t->tag--;
		return t->key[n - 1];
	}
	int key = take_last(t->kid[n]);
	refill(t, n);
	return key;
}

static void del_below(struct btree *t, int key)
{
	int n = count(t), i = 0;
	while (i < n && t->key[i] < key)
		i++;
	bool here = i < n && t->key[i] == key;
	if (is_leaf(t)) {
		if (here)
			remove_key(t, i);
		return;
	}
	if (here)
		t->key[i] = take_last(t->kid[i]);
	else
		del_below(t->kid[i], key);
	refill(t, i);
}

void btree_del(struct btree **t, int key)
{
	struct btree *root = *t;
	if (!root)
		return;
	del_below(root, key);
	if (count(root))
		return;
	*t = is_leaf(root) ? NULL : root->kid[0];
	free(root);
}

/* ---- sorted list */

void list_put(struct list **l, int key)
{
	while (*l && (*l)->key < key)
		l = &(*l)->next;
	if (*l && (*l)->key == key)
		return;
	struct list *n = malloc(sizeof *n);
	if (!n)
		abort();
	n->key = key;
	n->next = *l;
	*l = n;
}
