/* SPDX-License-Identifier: MIT */
/* amqueue, set, heap and tree; see persistent.h. */
#include "persistent.h"

/*@ regtype qlist : struct qlist = null | { next : qlist };
    regtype queue : struct queue = { in : qlist, out : qlist };
    pred queue_empty() => queue(result);
    pred queue_make(in, out) : qlist(in), qlist(out) => queue(result);
    pred queue_cons(v, l) : qlist(l) => qlist(result);
    pred queue_put(q, v) : queue(q) => queue(result); */
/*@ regtype set : struct set = null | { next : set };
    pred set_empty() => set(result);
    pred set_cons(v, s) : set(s) => set(result);
    pred set_below(s, v) : set(s) => set(result);
    pred set_put(s, v) : set(s) => set(result); */
/*@ regtype htree : struct htree = null | { l : htree, r : htree };
    regtype heap : struct heap = { top : htree, n : int(0..1000000) };
    pred heap_empty() => heap(result);
    pred heap_make(top, n) : htree(top) => heap(result);
    pred htree_leaf(key) => htree(result);
    pred htree_node(key, l, r) : htree(l), htree(r) => htree(result);
    pred htree_sink(t, key, pos, bit) : htree(t) => htree(result);
    pred htree_below(t, key, pos, bit) : htree(t) => htree(result);
    pred heap_put(h, key) : heap(h) => heap(result); */
/*@ regtype tree : struct tree = null | { l : tree, r : tree };
    pred tree_node(l, key, r) : tree(l), tree(r) => tree(result);
    pred tree_put(t, key) : tree(t) => tree(result); */

static struct qlist *queue_cons(int v, struct qlist *l)
{
	struct qlist *n = arena_get(sizeof *n);
	n->v = v;
	n->next = l;
	return n;
}

static struct queue *queue_make(struct qlist *in, struct qlist *out)
{
	struct queue *q = arena_get(sizeof *q);
	q->in = in;
	q->out = out;
	return q;
}

struct queue *queue_empty(void)
{
	return queue_make(NULL, NULL);
}

struct queue *queue_put(struct queue *q, int v)
{
	return queue_make(queue_cons(v, q->in), q->out);
}

struct set *set_empty(void)
{
	return NULL;
}

static struct set *set_cons(int v, struct set *s)
{
	struct set *n = arena_get(sizeof *n);
	n->v = v;
	n->next = s;
	return n;
}

static struct set *set_below(struct set *s, int v)
{
	if (!s || s->v > v)
		return set_cons(v, s);
	return s->v == v ? s : set_cons(s->v, set_below(s->next, v));
}

struct set *set_put(struct set *s, int v)
{
	return set_below(s, v);
}

static struct htree *htree_node(int key, struct htree *l, struct htree *r)
{
	struct htree *n = arena_get(sizeof *n);
	n->key = key;
	n->l = l;
	n->r = r;
	return n;
}

static struct htree *htree_leaf(int key)
{
	return htree_node(key, NULL, NULL);
}

static struct htree *htree_below(struct htree *t, int key, int pos, int bit);

/* key is not smaller than the node's: it goes down */
static struct htree *htree_sink(struct htree *t, int key, int pos, int bit)
{
	if (pos & bit)
		return htree_node(t->key, t->l, htree_below(t->r, key, pos, bit >> 1));
	return htree_node(t->key, htree_below(t->l, key, pos, bit >> 1), t->r);
}

static struct htree *htree_below(struct htree *t, int key, int pos, int bit)
{
	if (!t)
		return htree_leaf(key);
	if (key < t->key)
		return htree_sink(htree_node(key, t->l, t->r), t->key, pos, bit);
	return htree_sink(t, key, pos, bit);
}

static struct heap *heap_make(struct htree *top, int n)
{
	struct heap *h = arena_get(sizeof *h);
	h->top = top;
	h->n = n;
	return h;
}

struct heap *heap_empty(void)
{
	return heap_make(NULL, 0);
}

struct heap *heap_put(struct heap *h, int key)
{
	int n = h->n + 1, bit = 1;
	while (bit * 2 <= n)
		bit *= 2;
	return heap_make(htree_below(h->top, key, n, bit >> 1), n);
}

static struct tree *tree_node(struct tree *l, int key, struct tree *r)
{
	struct tree *n = arena_get(sizeof *n);
	n->l = l;
	n->key = key;
	n->r = r;
	return n;
}

struct tree *tree_put(struct tree *t, int key)
{
	if (!t)
		return tree_node(NULL, key, NULL);
	if (key < t->key)
		return tree_node(tree_put(t->l, key), t->key, t->r);
	return key > t->key ? tree_node(t->l, t->key, tree_put(t->r, key)) : t;
}
