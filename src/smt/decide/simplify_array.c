/* SPDX-License-Identifier: MIT */
/* Reads of arrays. A read through writes at constant indices is a look-up in a table of what they wrote, with the
 * read of what is below as its default; a write at a computed index is a choice between the value written and the
 * rest. */
#include "smt/decide/simplify.h"

#include <stdlib.h>

/* Writes at computed indices that one read may pass. */
enum { MAX_CHOICES = 64 };

uint32_t make_store(struct bank *b, uint32_t array, uint32_t index, uint32_t value)
{
	return bank_intern(b, (struct node){NODE_STORE, b->node.at[array].width, array, index, value, 0});
}

struct choice {
	uint32_t cond, value;
};

/* The choices made above the bottom, around it. */
static uint32_t wrap(struct bank *b, const struct choice *c, size_t n, uint32_t bottom)
{
	while (n--)
		bottom = make_ite(b, c[n].cond, c[n].value, bottom);
	return bottom;
}

static uint32_t select_const(struct bank *b, uint32_t array, uint32_t index)
{
	struct choice choice[MAX_CHOICES];
	size_t n = 0;
	uint64_t at = b->node.at[index].k;
	for (;;) {
		struct node a = b->node.at[array];
		if (a.op == NODE_ARRAY) {
			uint32_t cell = bank_element(b, (uint32_t)a.k, at); /* may move them */
			return wrap(b, choice, n, b->cell.at[cell].node);
		}
		if (node_is_const(b, a.b) && b->node.at[a.b].k == at)
			return wrap(b, choice, n, a.c);
		if (!node_is_const(b, a.b)) {
			if (n == MAX_CHOICES)
				return NODE_NONE;
			choice[n++] = (struct choice){make_eq(b, a.b, index), a.c};
		}
		array = a.a;
	}
}

/* An entry and how deep below the top its write is: the topmost of one index counts. */
struct write {
	struct bank_entry entry;
	uint32_t depth;
};

static int by_index(const void *x, const void *y)
{
	const struct write *p = x, *q = y;
	if (p->entry.index != q->entry.index)
		return p->entry.index < q->entry.index ? -1 : 1;
	return p->depth < q->depth ? -1 : p->depth > q->depth;
}

/* The table of the writes at constant indices on top of *array, which moves below them. */
static uint32_t collect(struct bank *b, uint32_t *array)
{
	VEC(struct write) w = {0};
	VEC(struct bank_entry) entry = {0};
	struct node a = b->node.at[*array];
	for (uint32_t depth = 0; a.op == NODE_STORE && node_is_const(b, a.b); depth++) {
		vec_push(&w, ((struct write){{b->node.at[a.b].k, a.c}, depth}));
		*array = a.a;
		a = b->node.at[*array];
	}
	qsort(w.at, w.n, sizeof *w.at, by_index);
	for (size_t i = 0; i < w.n; i++)
		if (!i || w.at[i].entry.index != w.at[i - 1].entry.index)
			vec_push(&entry, w.at[i].entry);
	uint32_t table = bank_lookup(b, entry.at, (uint32_t)entry.n);
	vec_release_all(&w, &entry);
	return table;
}

/* One step of a read on its way down: a table, or a choice between a value and the rest. */
struct layer {
	bool table;
	uint32_t id; /* of the table, or the choice's condition */
	uint32_t value;
};

static uint32_t select_computed(struct bank *b, uint32_t array, uint32_t index)
{
	VEC(struct layer) layer = {0};
	size_t choices = 0;
	struct node a = b->node.at[array];
	for (; a.op == NODE_STORE && choices <= MAX_CHOICES; a = b->node.at[array]) {
		if (node_is_const(b, a.b)) {
			uint32_t table = collect(b, &array);
			vec_push(&layer, ((struct layer){true, table, NODE_NONE}));
		} else {
			uint32_t cond = make_eq(b, a.b, index);
			vec_push(&layer, ((struct layer){false, cond, a.c}));
			array = a.a;
		}
		choices++;
	}
	uint32_t r = NODE_NONE;
	if (a.op == NODE_ARRAY)
		r = bank_intern(b, (struct node){NODE_READ, a.width, index, NODE_NONE, NODE_NONE, a.k});
	while (layer.n && r != NODE_NONE) {
		struct layer l = vec_pop(&layer);
		if (l.table)
			r = bank_intern(b, (struct node){NODE_LOOKUP, a.width, index, r, NODE_NONE, l.id});
		else
			r = make_ite(b, l.id, l.value, r);
	}
	vec_release(&layer);
	return r;
}

uint32_t make_select(struct bank *b, uint32_t array, uint32_t index)
{
	return node_is_const(b, index) ? select_const(b, array, index) : select_computed(b, array, index);
}
