/* SPDX-License-Identifier: MIT */
/* Compilation and evaluation of conjuncts. The nodes of a program are in the order of their numbers, which puts
 * arguments first; values are stamped with the epoch of the model, so that what conjuncts share is evaluated once. */
#include "smt/decide/conjunct.h"

#include "base/invariant.h"

#include <stdlib.h>
#include <string.h>

void conjuncts_release(struct conjuncts *c)
{
	vec_release_all(&c->at, &c->of, &c->pool, &c->stamp, &c->todo);
	c->epoch = 0;
}

size_t conjuncts_bytes(const struct conjuncts *c)
{
	return c->at.cap * sizeof *c->at.at + (c->of.cap + c->pool.cap + c->stamp.cap) * sizeof(uint32_t);
}

static void grow_stamps(struct conjuncts *c, size_t n)
{
	if (c->stamp.n >= n)
		return;
	vec_reserve(&c->stamp, n - c->stamp.n);
	memset(c->stamp.at + c->stamp.n, 0, (n - c->stamp.n) * sizeof *c->stamp.at);
	c->stamp.n = n;
	vec_reserve(&c->of, n - c->of.n);
	memset(c->of.at + c->of.n, 0, (n - c->of.n) * sizeof *c->of.at);
	c->of.n = n;
}

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

static void visit(struct conjuncts *c, const struct bank *b, uint32_t node)
{
	if (node == NODE_NONE || c->stamp.at[node] == c->epoch || b->node.at[node].op == NODE_CONST)
		return;
	c->stamp.at[node] = c->epoch;
	vec_push(&c->todo, node);
}

/* Gates of one node's circuit, about. */
static uint64_t gates(const struct bank *b, const struct node *n)
{
	uint64_t w = n->op == NODE_EQ || n->op == NODE_ULT || n->op == NODE_SLT ? b->node.at[n->a].width : n->width;
	switch (n->op) {
	case NODE_MUL:
		return w * w;
	case NODE_UDIV:
	case NODE_UREM:
		return node_is_const(b, n->b) ? w * (uint64_t)(66 - __builtin_clzll(b->node.at[n->b].k | 1))
					      : 3 * w * w;
	case NODE_SHL:
	case NODE_LSHR:
	case NODE_ASHR:
		return 7 * w;
	case NODE_LOOKUP:
		return (uint64_t)b->lookup.at[n->k].n * w;
	default:
		return w;
	}
}

/* Every node below the root, into the pool, sorted. */
static void collect(struct conjuncts *c, const struct bank *b, struct conjunct *k)
{
	c->epoch++;
	vec_clear(&c->todo);
	visit(c, b, k->node);
	k->program = (uint32_t)c->pool.n;
	while (c->todo.n) {
		uint32_t i = vec_pop(&c->todo);
		const struct node *n = &b->node.at[i];
		vec_push(&c->pool, i);
		k->ops |= 1u << n->op;
		k->cost += gates(b, n);
		visit(c, b, n->a);
		visit(c, b, n->b);
		visit(c, b, n->c);
		if (n->op == NODE_LOOKUP)
			for (uint32_t e = 0; e < b->lookup.at[n->k].n; e++)
				visit(c, b, b->lookup.at[n->k].entry[e].value);
	}
	k->n_program = (uint32_t)c->pool.n - k->program;
	qsort(c->pool.at + k->program, k->n_program, sizeof *c->pool.at, ascending);
}

static void dependencies(struct conjuncts *c, const struct bank *b, struct conjunct *k)
{
	k->cells = (uint32_t)c->pool.n;
	for (uint32_t i = 0; i < k->n_program; i++) {
		const struct node *n = &b->node.at[c->pool.at[k->program + i]];
		if (n->op == NODE_CELL)
			vec_push(&c->pool, (uint32_t)n->k);
	}
	k->n_cells = (uint32_t)c->pool.n - k->cells;
	k->reads = (uint32_t)c->pool.n;
	for (uint32_t i = 0; i < k->n_program; i++) {
		const struct node *n = &b->node.at[c->pool.at[k->program + i]];
		bool known = n->op != NODE_READ;
		for (uint32_t r = k->reads; r < c->pool.n && !known; r++)
			known = c->pool.at[r] == n->k;
		if (!known)
			vec_push(&c->pool, (uint32_t)n->k);
	}
	k->n_reads = (uint32_t)c->pool.n - k->reads;
}

static void find_fix(const struct bank *b, struct conjunct *k)
{
	const struct node *n = &b->node.at[k->node];
	uint32_t cell = NODE_NONE;
	k->value = 1;
	if (n->op == NODE_EQ && node_is_const(b, n->a)) {
		cell = n->b;
		k->value = b->node.at[n->a].k;
	} else if (n->op == NODE_NOT) {
		cell = n->a;
		k->value = 0;
	} else if (n->op == NODE_CELL) {
		cell = k->node;
	}
	k->fix = cell != NODE_NONE && b->node.at[cell].op == NODE_CELL;
	if (k->fix)
		k->cell = (uint32_t)b->node.at[cell].k;
}

uint32_t conjunct_of(struct conjuncts *c, const struct bank *b, uint32_t node)
{
	INVARIANT(b->node.at[node].width == 1 && !node_is_const(b, node));
	grow_stamps(c, b->node.n);
	if (c->of.at[node])
		return c->of.at[node] - 1;
	struct conjunct k = {.node = node};
	find_fix(b, &k);
	collect(c, b, &k);
	dependencies(c, b, &k);
	vec_push(&c->at, k);
	c->of.at[node] = (uint32_t)c->at.n;
	return (uint32_t)c->at.n - 1;
}

/* ---- values */

void values_release(struct values *v)
{
	vec_release_all(&v->value, &v->stamp, &v->cell);
	memset(v, 0, sizeof *v);
}

size_t values_bytes(const struct values *v)
{
	return v->value.cap * sizeof *v->value.at + v->stamp.cap * sizeof *v->stamp.at +
	       v->cell.cap * sizeof *v->cell.at;
}

void values_grow(struct values *v, const struct bank *b)
{
	size_t nodes = v->value.n, cells = v->cell.n;
	if (b->node.n > nodes) {
		vec_reserve(&v->value, b->node.n - nodes);
		vec_reserve(&v->stamp, b->node.n - nodes);
		memset(v->stamp.at + nodes, 0, (b->node.n - nodes) * sizeof *v->stamp.at);
		v->value.n = v->stamp.n = b->node.n;
	}
	for (size_t i = nodes; i < b->node.n; i++)
		if (b->node.at[i].op == NODE_CONST)
			v->value.at[i] = b->node.at[i].k;
	if (b->cell.n > cells) {
		vec_reserve(&v->cell, b->cell.n - cells);
		memset(v->cell.at + cells, 0, (b->cell.n - cells) * sizeof *v->cell.at);
		v->cell.n = b->cell.n;
	}
}

void values_begin(struct values *v, const struct bank *b)
{
	values_grow(v, b);
	v->fixed_epoch++;
	values_next_model(v);
}

void values_fix(struct values *v, uint32_t cell, uint64_t value)
{
	v->cell.at[cell].fixed = value;
	v->cell.at[cell].fixed_at = v->fixed_epoch;
}

void values_next_model(struct values *v)
{
	v->set_epoch++;
	values_changed(v);
}

void values_changed(struct values *v)
{
	if (++v->epoch == 0) { /* stamps of four billion models ago would be taken for today's */
		memset(v->stamp.at, 0, v->stamp.n * sizeof *v->stamp.at);
		v->epoch = 1;
	}
}

void values_set(struct values *v, uint32_t cell, uint64_t value)
{
	v->cell.at[cell].set = value;
	v->cell.at[cell].set_at = v->set_epoch;
}

uint64_t values_cell(const struct values *v, uint32_t cell)
{
	const struct cell_value *c = &v->cell.at[cell];
	if (c->fixed_at == v->fixed_epoch)
		return c->fixed;
	return c->set_at == v->set_epoch ? c->set : 0;
}

bool values_known(const struct values *v, uint32_t cell)
{
	const struct cell_value *c = &v->cell.at[cell];
	return c->fixed_at == v->fixed_epoch || c->set_at == v->set_epoch;
}

static uint64_t read_element(const struct values *v, const struct bank *b, uint64_t array, uint64_t index)
{
	uint32_t cell = bank_find_element(b, (uint32_t)array, index);
	return cell == NODE_NONE ? 0 : values_cell(v, cell);
}

static uint64_t evaluate(const struct values *v, const struct bank *b, const struct node *n)
{
	const uint64_t *value = v->value.at;
	if (n->op == NODE_CELL)
		return values_cell(v, (uint32_t)n->k);
	if (n->op == NODE_READ)
		return read_element(v, b, n->k, value[n->a]);
	if (n->op == NODE_LOOKUP) {
		uint32_t found = bank_lookup_find(&b->lookup.at[n->k], value[n->a]);
		return value[found == NODE_NONE ? n->b : found];
	}
	return node_apply(b, n, value[n->a], n->b == NODE_NONE ? 0 : value[n->b], n->c == NODE_NONE ? 0 : value[n->c]);
}

bool values_true(struct values *v, const struct bank *b, const struct conjuncts *c, uint32_t conjunct)
{
	const struct conjunct *k = &c->at.at[conjunct];
	const uint32_t *p = c->pool.at + k->program, *end = p + k->n_program;
	INVARIANT(v->value.n == b->node.n && v->cell.n == b->cell.n);
	v->steps += k->n_program;
	for (; p < end; p++) {
		if (v->stamp.at[*p] == v->epoch)
			continue;
		v->value.at[*p] = evaluate(v, b, &b->node.at[*p]);
		v->stamp.at[*p] = v->epoch;
	}
	return v->value.at[k->node];
}
