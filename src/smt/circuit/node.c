/* SPDX-License-Identifier: MIT */
/* Interning of nodes, cells, arrays and tables, each by a hash index over its full contents; and what operators mean
 * on values, as SMT-LIB defines them: division by zero gives all ones and the dividend, a shift by the width or more
 * gives zeros (or sign bits). */
#include "smt/circuit/node.h"

#include "base/bits.h"
#include "base/invariant.h"
#include "data/digest.h"

#include <string.h>

void bank_release(struct bank *b)
{
	vec_release_all(&b->node, &b->array, &b->cell, &b->lookup);
	table_release(&b->nodes);
	table_release(&b->arrays);
	table_release(&b->cells);
	table_release(&b->lookups);
	arena_release(&b->mem);
	memset(b, 0, sizeof *b);
}

void bank_clear(struct bank *b)
{
	bank_release(b);
}

static size_t table_bytes(const struct table *t)
{
	return t->cell ? (t->mask + 1) * sizeof *t->cell : 0;
}

size_t bank_bytes(const struct bank *b)
{
	return b->node.cap * sizeof *b->node.at + b->array.cap * sizeof *b->array.at +
	       b->cell.cap * sizeof *b->cell.at + b->lookup.cap * sizeof *b->lookup.at + table_bytes(&b->nodes) +
	       table_bytes(&b->arrays) + table_bytes(&b->cells) + table_bytes(&b->lookups) + b->mem_bytes;
}

static uint64_t node_hash(const struct node *n)
{
	uint64_t h = mix64_pair((uint64_t)n->op << 8 | n->width, n->k);
	h = mix64_pair(h, (uint64_t)n->a << 32 | n->b);
	return n->op == NODE_ITE || n->op == NODE_STORE ? mix64_pair(h, n->c) : h;
}

static bool node_equal(const struct node *x, const struct node *y)
{
	return x->op == y->op && x->width == y->width && x->a == y->a && x->b == y->b && x->c == y->c && x->k == y->k;
}

uint32_t bank_intern(struct bank *b, struct node n)
{
	uint64_t hash = node_hash(&n);
	uint32_t r;
	INVARIANT(n.a == NODE_NONE || n.a < b->node.n);
	for (struct table_probe p = table_probe(&b->nodes, hash); (r = table_next(&b->nodes, &p)) != TABLE_NONE;)
		if (node_equal(&b->node.at[r], &n))
			return r;
	vec_push(&b->node, n);
	table_insert(&b->nodes, hash, (uint32_t)b->node.n - 1);
	return (uint32_t)b->node.n - 1;
}

uint32_t bank_const(struct bank *b, uint64_t value, unsigned width)
{
	return bank_intern(b, (struct node){NODE_CONST, (uint8_t)width, NODE_NONE, NODE_NONE, NODE_NONE,
					    value & node_mask(width)});
}

static const char *keep_name(struct bank *b, const char *name)
{
	size_t n = strlen(name);
	b->mem_bytes += n + 16;
	return arena_strndup(&b->mem, name, n);
}

static uint32_t add_cell(struct bank *b, struct bank_cell c, uint64_t hash)
{
	c.node = bank_intern(b, (struct node){NODE_CELL, c.width, NODE_NONE, NODE_NONE, NODE_NONE, b->cell.n});
	vec_push(&b->cell, c);
	table_insert(&b->cells, hash, (uint32_t)b->cell.n - 1);
	return c.node;
}

uint32_t bank_variable(struct bank *b, const char *name, unsigned width, bool boolean)
{
	uint64_t hash = hash64_seed(name, strlen(name), width + (boolean ? 128 : 0));
	uint32_t r;
	for (struct table_probe p = table_probe(&b->cells, hash); (r = table_next(&b->cells, &p)) != TABLE_NONE;) {
		const struct bank_cell *c = &b->cell.at[r];
		if (c->name && c->width == width && c->boolean == boolean && !strcmp(c->name, name))
			return c->node;
	}
	struct bank_cell c = {.name = keep_name(b, name), .width = (uint8_t)width, .boolean = boolean};
	return add_cell(b, c, hash);
}

uint32_t bank_array(struct bank *b, const char *name, unsigned index_width, unsigned elem_width)
{
	uint64_t hash = hash64_seed(name, strlen(name), index_width << 8 | elem_width);
	uint32_t r;
	for (struct table_probe p = table_probe(&b->arrays, hash); (r = table_next(&b->arrays, &p)) != TABLE_NONE;) {
		const struct bank_array *a = &b->array.at[r];
		if (a->index_width == index_width && a->elem_width == elem_width && !strcmp(a->name, name))
			return a->node;
	}
	struct bank_array a = {keep_name(b, name), (uint8_t)index_width, (uint8_t)elem_width, 0};
	a.node = bank_intern(b, (struct node){NODE_ARRAY, a.elem_width, NODE_NONE, NODE_NONE, NODE_NONE, b->array.n});
	vec_push(&b->array, a);
	table_insert(&b->arrays, hash, (uint32_t)b->array.n - 1);
	return a.node;
}

static uint64_t element_hash(uint32_t array, uint64_t index)
{
	return mix64_pair(array + 1, index);
}

uint32_t bank_find_element(const struct bank *b, uint32_t array, uint64_t index)
{
	uint64_t hash = element_hash(array, index);
	uint32_t r;
	for (struct table_probe p = table_probe(&b->cells, hash); (r = table_next(&b->cells, &p)) != TABLE_NONE;) {
		const struct bank_cell *c = &b->cell.at[r];
		if (!c->name && c->array == array && c->index == index)
			return r;
	}
	return NODE_NONE;
}

uint32_t bank_element(struct bank *b, uint32_t array, uint64_t index)
{
	uint32_t r = bank_find_element(b, array, index);
	if (r != NODE_NONE)
		return r;
	struct bank_cell c = {.array = array, .index = index, .width = b->array.at[array].elem_width};
	add_cell(b, c, element_hash(array, index));
	return (uint32_t)b->cell.n - 1;
}

uint32_t bank_lookup(struct bank *b, const struct bank_entry *entry, uint32_t n)
{
	uint64_t hash = n;
	uint32_t r;
	for (uint32_t i = 0; i < n; i++)
		hash = mix64_pair(mix64_pair(hash, entry[i].index), entry[i].value);
	for (struct table_probe p = table_probe(&b->lookups, hash); (r = table_next(&b->lookups, &p)) != TABLE_NONE;) {
		const struct bank_lookup *l = &b->lookup.at[r];
		uint32_t i = 0;
		while (i < n && l->n == n && l->entry[i].index == entry[i].index && l->entry[i].value == entry[i].value)
			i++;
		if (l->n == n && i == n)
			return r;
	}
	struct bank_lookup l = {arena_dup(&b->mem, entry, n * sizeof *entry), n};
	b->mem_bytes += n * sizeof *entry;
	vec_push(&b->lookup, l);
	table_insert(&b->lookups, hash, (uint32_t)b->lookup.n - 1);
	return (uint32_t)b->lookup.n - 1;
}

uint32_t bank_lookup_find(const struct bank_lookup *l, uint64_t index)
{
	uint32_t lo = 0, hi = l->n;
	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;
		if (l->entry[mid].index < index)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo < l->n && l->entry[lo].index == index ? l->entry[lo].value : NODE_NONE;
}

/* ---- meaning */

static int64_t as_signed(uint64_t u, unsigned w)
{
	return (int64_t)(u << (64 - w)) >> (64 - w);
}

uint64_t node_apply(const struct bank *b, const struct node *n, uint64_t x, uint64_t y, uint64_t z)
{
	unsigned w = n->width;
	uint64_t mask = node_mask(w);
	switch ((enum node_op)n->op) {
	case NODE_NOT:
		return ~x & mask;
	case NODE_AND:
		return x & y;
	case NODE_XOR:
		return x ^ y;
	case NODE_ADD:
		return (x + y) & mask;
	case NODE_SUB:
		return (x - y) & mask;
	case NODE_MUL:
		return (x * y) & mask;
	case NODE_UDIV:
		return y ? x / y : mask;
	case NODE_UREM:
		return y ? x % y : x;
	case NODE_SHL:
		return y >= w ? 0 : x << y & mask;
	case NODE_LSHR:
		return y >= w ? 0 : x >> y;
	case NODE_ASHR:
		return (uint64_t)(as_signed(x, w) >> (y >= w ? w - 1 : y)) & mask;
	case NODE_CONCAT:
		return x << b->node.at[n->b].width | y;
	case NODE_EXTRACT:
		return x >> n->k & mask;
	case NODE_SEXT:
		return (uint64_t)as_signed(x, b->node.at[n->a].width) & mask;
	case NODE_EQ:
		return x == y;
	case NODE_ULT:
		return x < y;
	case NODE_SLT:
		return as_signed(x, b->node.at[n->a].width) < as_signed(y, b->node.at[n->a].width);
	case NODE_ITE:
		return x ? y : z;
	default:
		return n->k;
	}
}

#ifdef RF_INVARIANTS
static void check_node(const struct bank *b, uint32_t i)
{
	const struct node *n = &b->node.at[i];
	const struct node *at = b->node.at;
	INVARIANT(n->width >= 1 && n->width <= 64);
	INVARIANT((n->a == NODE_NONE || n->a < i) && (n->b == NODE_NONE || n->b < i) &&
		  (n->c == NODE_NONE || n->c < i));
	if (n->op == NODE_CONST)
		INVARIANT(n->k <= node_mask(n->width));
	if (n->op >= NODE_AND && n->op <= NODE_ASHR)
		INVARIANT(at[n->a].width == n->width && at[n->b].width == n->width);
	if (n->op == NODE_CONCAT)
		INVARIANT(at[n->a].width + at[n->b].width == n->width);
	if (n->op == NODE_EXTRACT)
		INVARIANT(n->k + n->width <= at[n->a].width);
	if (n->op == NODE_EQ || n->op == NODE_ULT || n->op == NODE_SLT)
		INVARIANT(n->width == 1 && at[n->a].width == at[n->b].width);
	if (n->op == NODE_ITE)
		INVARIANT(at[n->a].width == 1 && at[n->b].width == n->width && at[n->c].width == n->width);
}

void bank_check(const struct bank *b)
{
	for (uint32_t i = 0; i < b->node.n; i++) {
		uint64_t hash = node_hash(&b->node.at[i]);
		uint32_t r, equal = 0;
		check_node(b, i);
		for (struct table_probe p = table_probe(&b->nodes, hash);
		     (r = table_next(&b->nodes, &p)) != TABLE_NONE;)
			equal += node_equal(&b->node.at[r], &b->node.at[i]);
		INVARIANT(equal == 1);
	}
	INVARIANT(b->nodes.n == b->node.n && b->cells.n == b->cell.n && b->arrays.n == b->array.n);
}
#endif
