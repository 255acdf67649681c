/* SPDX-License-Identifier: MIT */
/* marks_main STRUCTURE LOG2N REPEAT: builds the structure with 2^LOG2N keys in random order and frees it, REPEAT times.
 * A name that ends in "del" also deletes an earlier key after every second insertion. */
#include "inplace.h"
#include "../shuffle.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int *keys;
static int n;

#define FREE_BINARY(T)                                                                                                 \
	static void free_##T(struct T *t)                                                                              \
	{                                                                                                              \
		if (!t)                                                                                                \
			return;                                                                                        \
		free_##T(t->left);                                                                                     \
		free_##T(t->right);                                                                                    \
		free(t);                                                                                               \
	}
FREE_BINARY(avl)
FREE_BINARY(rb)
FREE_BINARY(tree)

static void free_btree(struct btree *t)
{
	for (int i = 0; t && !(t->tag & LEAF) && i <= t->tag; i++)
		free_btree(t->kid[i]);
	free(t);
}

static void free_list(struct list *l)
{
	while (l) {
		struct list *next = l->next;
		free(l);
		l = next;
	}
}

#define RUN(name, T, put, del)                                                                                         \
	static void run_##name(void)                                                                                   \
	{                                                                                                              \
		struct T *t = NULL;                                                                                    \
		for (int i = 0; i < n; i++) {                                                                          \
			put;                                                                                           \
			del;                                                                                           \
		}                                                                                                      \
		free_##T(t);                                                                                           \
	}
RUN(avl, avl, avl_put(&t, keys[i]), )
RUN(avlpath, avl, t = avl_path_put(t, keys[i]), )
RUN(rb, rb, rb_put(&t, keys[i]), )
RUN(tree, tree, tree_put(&t, keys[i]), )
RUN(btree, btree, btree_put(&t, keys[i]), )
RUN(list, list, list_put(&t, keys[i]), )
RUN(avldel, avl, avl_put(&t, keys[i]), if (i & 1) avl_del(&t, keys[i / 2]))
RUN(treedel, tree, tree_put(&t, keys[i]), if (i & 1) tree_del(&t, keys[i / 2]))
RUN(btreedel, btree, btree_put(&t, keys[i]), if (i & 1) btree_del(&t, keys[i / 2]))

static const struct {
	const char *name;
	void (*run)(void);
} rows[] = {{"avl", run_avl},       {"avlpath", run_avlpath}, {"rb", run_rb},
	    {"tree", run_tree},     {"btree", run_btree},     {"list", run_list},
	    {"avldel", run_avldel}, {"treedel", run_treedel}, {"btreedel", run_btreedel}};

int main(int argc, char **argv)
{
	if (argc != 4)
		return 2;
	n = 1 << atoi(argv[2]);
	keys = malloc((size_t)n * sizeof *keys);
	if (!keys)
		return 2;
	shuffle(keys, n);
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (strcmp(rows[i].name, argv[1]) == 0) {
			for (int r = atoi(argv[3]); r > 0; r--)
				rows[i].run();
			free(keys);
			return 0;
		}
	fprintf(stderr, "no structure '%s'\n", argv[1]);
	return 2;
}
