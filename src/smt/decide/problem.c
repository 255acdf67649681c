/* SPDX-License-Identifier: MIT */
/* Queries as problems: see problem.h. */
#include "smt/decide/problem.h"

#include "base/bits.h"

#include <stdlib.h>
#include <string.h>

/* Fixes of one array from which on they are a table. */
enum { TABLE_FIXES = 16 };

void problem_release(struct problem *p)
{
	import_release(&p->import);
	vec_release_all(&p->piece, &p->fix, &p->key, &p->seen, &p->opened, &p->todo);
}

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

void problem_sort(uint32_t *key, size_t n)
{
	if (n)
		qsort(key, n, sizeof *key, ascending);
}

uint64_t problem_hash(const uint32_t *key, size_t n)
{
	uint64_t h = n;
	for (size_t i = 0; i < n; i++)
		h = mix64_pair(h, key[i]);
	return h;
}

/* The first time in this problem? */
static bool first(struct epochs *e, uint32_t i, size_t n, uint32_t epoch)
{
	if (e->n < n) {
		vec_reserve(e, n - e->n);
		memset(e->at + e->n, 0, (n - e->n) * sizeof *e->at);
		e->n = n;
	}
	bool is = e->at[i] != epoch;
	e->at[i] = epoch;
	return is;
}

static void add_conjunct(struct problem *p, const struct conjuncts *c, uint32_t k, uint32_t place)
{
	const struct conjunct *x = &c->at.at[k];
	if (!first(&p->seen, k, c->at.n, p->epoch))
		return;
	if (x->fix) {
		vec_push(&p->fix, ((struct fix){x->cell, place, x->value, x->node}));
		return;
	}
	vec_push(&p->piece, ((struct piece){k, place}));
	p->cost += x->cost;
}

/* The conjuncts of one node: conjunctions are taken apart. */
static void add_node(struct problem *p, const struct bank *b, struct conjuncts *c, uint32_t node, uint32_t place)
{
	vec_clear(&p->todo);
	vec_push(&p->todo, node);
	while (p->todo.n) {
		uint32_t i = vec_pop(&p->todo);
		const struct node *n = &b->node.at[i];
		if (n->op == NODE_AND) {
			if (!first(&p->opened, i, b->node.n, p->epoch))
				continue;
			vec_push(&p->todo, n->a);
			vec_push(&p->todo, n->b);
		} else if (n->op != NODE_CONST) {
			add_conjunct(p, c, conjunct_of(c, b, i), place);
		} else if (!n->k) {
			p->never = true;
			p->blame[0] = p->blame[1] = place;
		}
	}
}

/* By array and index; declared constants come before elements. */
static uint64_t place_of(const struct bank *b, const struct fix *f)
{
	const struct bank_cell *c = &b->cell.at[f->cell];
	return c->name ? 0 : (uint64_t)c->array + 1;
}

static bool before(const struct bank *b, const struct fix *x, const struct fix *y)
{
	uint64_t i = place_of(b, x), k = place_of(b, y);
	if (i != k)
		return i < k;
	if (!i)
		return x->cell < y->cell;
	return b->cell.at[x->cell].index < b->cell.at[y->cell].index;
}

/* Programs write them in order, so there is nearly nothing to do. */
static void sort_fixes(const struct bank *b, struct fix *f, size_t n)
{
	bool sorted = true;
	for (size_t i = 1; i < n && sorted; i++)
		sorted = !before(b, &f[i], &f[i - 1]);
	if (sorted)
		return;
	size_t half = n / 2;
	sort_fixes(b, f, half);
	sort_fixes(b, f + half, n - half);
	struct fix *copy = mem_dup(f, half * sizeof *f);
	size_t i = 0, k = half, to = 0;
	while (i < half && k < n)
		f[to++] = before(b, &f[k], &copy[i]) ? f[k++] : copy[i++];
	while (i < half)
		f[to++] = copy[i++];
	free(copy);
}

/* One fix a cell is left; two different ones are a contradiction. */
static void check_fixes(struct problem *p)
{
	size_t kept = 0;
	for (size_t i = 0; i < p->fix.n; i++) {
		struct fix *last = kept ? &p->fix.at[kept - 1] : NULL;
		if (last && last->cell == p->fix.at[i].cell) {
			p->never = true;
			p->blame[0] = last->place;
			p->blame[1] = p->fix.at[i].place;
			continue;
		}
		p->fix.at[kept++] = p->fix.at[i];
	}
	p->fix.n = kept;
}

static uint32_t table_node(struct bank *b, const struct fix *f, size_t n)
{
	VEC(struct bank_entry) entry = {0};
	for (size_t i = 0; i < n; i++) {
		const struct bank_cell *c = &b->cell.at[f[i].cell];
		uint64_t index = c->index;
		unsigned width = c->width;
		vec_push(&entry, ((struct bank_entry){index, bank_const(b, f[i].value, width)}));
	}
	uint32_t table = bank_lookup(b, entry.at, (uint32_t)entry.n);
	uint32_t array = b->array.at[b->cell.at[f->cell].array].node;
	vec_release(&entry);
	return bank_intern(b, (struct node){NODE_FIXED, 1, array, NODE_NONE, NODE_NONE, table});
}

static void make_tables(struct problem *p, struct bank *b)
{
	for (size_t i = 0, end; i < p->fix.n; i = end) {
		uint64_t array = place_of(b, &p->fix.at[i]);
		for (end = i + 1; end < p->fix.n && place_of(b, &p->fix.at[end]) == array;)
			end++;
		if (!array || end - i < TABLE_FIXES)
			continue;
		uint32_t node = table_node(b, &p->fix.at[i], end - i);
		for (size_t k = i; k < end; k++)
			p->fix.at[k].node = node;
	}
}

static void make_key(struct problem *p, const struct conjuncts *c)
{
	vec_clear(&p->key);
	for (size_t i = 0; i < p->piece.n; i++)
		vec_push(&p->key, c->at.at[p->piece.at[i].conjunct].node);
	for (size_t i = 0; i < p->fix.n; i++)
		if (!i || p->fix.at[i].node != p->fix.at[i - 1].node)
			vec_push(&p->key, p->fix.at[i].node);
	problem_sort(p->key.at, p->key.n);
	p->hash = problem_hash(p->key.at, p->key.n);
}

void problem_clear(struct problem *p)
{
	p->seen.n = p->opened.n = 0;
}

enum rc problem_set(struct problem *p, struct bank *b, struct conjuncts *c, const struct query *q)
{
	vec_clear(&p->piece);
	vec_clear(&p->fix);
	p->never = false;
	p->cost = 0;
	p->epoch++;
	if (q->quantified || import_query(&p->import, b, q) != RC_OK)
		return RC_NO;
	for (uint32_t i = 0; i < q->conj.n; i++) {
		uint32_t node = p->import.node.at[q->conj.at[i]];
		if (b->node.at[node].width != 1 || b->node.at[node].op >= NODE_ARRAY)
			return RC_NO;
		add_node(p, b, c, node, i);
	}
	sort_fixes(b, p->fix.at, p->fix.n);
	check_fixes(p);
	make_tables(p, b);
	make_key(p, c);
	return RC_OK;
}
