/* SPDX-License-Identifier: MIT */
/* The paper's seven structures, persistent: an insertion copies the path and shares the rest. Every function that takes
 * or gives a structure has its contract beside its definition, in the paper's numbers of assertions (amqueue 4, set 4,
 * AVL-tree 8, heap 7, B-tree 9, RB-tree 15, tree 2), and all calls among them are checked. Nodes come from an arena
 * that is freed as a whole. */
#ifndef PERSISTENT_H
#define PERSISTENT_H

#include <stddef.h>

void *arena_get(size_t n);

/* ---- amqueue: two lists */
struct qlist {
	struct qlist *next;
	int v;
};
struct queue {
	struct qlist *in, *out;
};
struct queue *queue_empty(void);
struct queue *queue_put(struct queue *q, int v);

/* ---- set: a sorted list */
struct set {
	struct set *next;
	int v;
};
struct set *set_empty(void);
struct set *set_put(struct set *s, int v);

/* ---- AVL-tree */
struct avl {
	struct avl *l, *r;
	int key, height;
};
struct avl *avl_put(struct avl *t, int key);

/* ---- heap: a record and a complete binary tree */
struct htree {
	struct htree *l, *r;
	int key;
};
struct heap {
	struct htree *top;
	int n;
};
struct heap *heap_empty(void);
struct heap *heap_put(struct heap *h, int key);

/* ---- B-tree: 1 … 4 keys, leaves have no children */
enum { LEAF = 16 };
struct btree {
	int tag; /* number of keys, + LEAF */
	int key[5];
	struct btree *kid[6];
};
struct split {
	struct btree *l, *r; /* r NULL: no split */
	int key;
};
struct btree *btree_put(struct btree *t, int key);

/* ---- RB-tree */
enum color { RED, BLACK };
struct rb {
	struct rb *l, *r;
	int key;
	enum color color;
};
struct rb *rb_put(struct rb *t, int key);

/* ---- tree */
struct tree {
	struct tree *l, *r;
	int key;
};
struct tree *tree_put(struct tree *t, int key);

#endif
