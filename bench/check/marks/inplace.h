/* SPDX-License-Identifier: MIT */
/* Search structures that are changed in place, as a C programmer writes them: nothing here knows of contracts (they are
 * in inplace.contracts). Nodes come from malloc and go to free. */
#ifndef INPLACE_H
#define INPLACE_H

struct avl {
	struct avl *left, *right;
	int key, height;
};
void avl_put(struct avl **t, int key);
void avl_del(struct avl **t, int key);
/* the same by assignment: every node on the path is stored to */
struct avl *avl_path_put(struct avl *t, int key);

enum color { RED, BLACK };
struct rb {
	struct rb *left, *right;
	int key;
	enum color color;
};
void rb_put(struct rb **t, int key);

struct tree {
	struct tree *left, *right;
	int key;
};
void tree_put(struct tree **t, int key);
void tree_del(struct tree **t, int key);

enum { ORDER = 5, LEAF = 16 }; /* at most ORDER − 1 keys in a node */
struct btree {
	int tag; /* number of keys, + LEAF */
	int key[ORDER];
	struct btree *kid[ORDER + 1];
};
void btree_put(struct btree **t, int key);
void btree_del(struct btree **t, int key);

struct list {
	struct list *next;
	int key;
};
void list_put(struct list **l, int key);

#endif
