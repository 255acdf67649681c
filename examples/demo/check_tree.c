/* SPDX-License-Identifier: MIT */
/* A binary search tree; with the argument "bug", remove_key() now and then forgets to unlink what it frees. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct tree {
	struct tree *left, *right;
	int key, marked;
};

/*@ regtype tree : struct tree = null | { left : tree, right : tree, marked : int(0..1) };
    pred insert(t, key) : tree(*t) => tree(*t);
    pred remove_key(t, key) : tree(*t) => tree(*t); */

static int with_bug;

static void insert(struct tree **t, int key)
{
	while (*t) {
		if (key == (*t)->key)
			return;
		t = key < (*t)->key ? &(*t)->left : &(*t)->right;
	}
	struct tree *n = malloc(sizeof *n);
	*n = (struct tree){NULL, NULL, key, key & 1};
	*t = n;
}

static void remove_key(struct tree **t, int key)
{
	while (*t && (*t)->key != key)
		t = key < (*t)->key ? &(*t)->left : &(*t)->right;
	struct tree *gone = *t;
	if (!gone || (gone->left && gone->right))
		return;
	struct tree *rest = gone->left ? gone->left : gone->right;
	if (!(with_bug && key % 97 == 13))
		*t = rest;
	free(gone);
}

int main(int argc, char **argv)
{
	struct tree *root = NULL;
	int n = argc > 1 ? atoi(argv[1]) : 1000;
	with_bug = argc > 2 && strcmp(argv[2], "bug") == 0;
	for (int i = 0; i < n; i++) {
		insert(&root, (int)((unsigned)i * 7919u % 65537u));
		if (i % 3 == 2)
			remove_key(&root, (int)((unsigned)(i / 2) * 7919u % 65537u));
	}
	printf("%d operations done, %.3f s of CPU time\n", n, (double)clock() / CLOCKS_PER_SEC);
	return 0;
}
