/* SPDX-License-Identifier: MIT */
/* The problem's parts: conjuncts are in one part when they share a cell that is not fixed, or an array that one of them
 * reads at a computed index. A fixed cell joins nothing: its value is known. Union-find over cells (numbered as they
 * are) and arrays (behind them). */
#include "smt/decide/internal.h"

#include "base/invariant.h"

#include <stdlib.h>
#include <string.h>

static uint32_t root_of(struct slices *s, uint32_t i)
{
	while (s->parent.at[i] != i) {
		s->parent.at[i] = s->parent.at[s->parent.at[i]];
		i = s->parent.at[i];
	}
	return i;
}

/* Joins i's part to that of *root, which is set if there is none. */
static void join(struct slices *s, uint32_t *root, uint32_t i)
{
	uint32_t r = root_of(s, i);
	if (*root == NODE_NONE)
		*root = r;
	else
		s->parent.at[r] = *root = root_of(s, *root);
}

static bool fixed(const struct slices *s, uint32_t cell)
{
	return s->cell_epoch.at[cell] == s->epoch;
}

static void begin(struct decide *d)
{
	struct slices *s = &d->slices;
	size_t cells = d->bank.cell.n, n = s->cell_epoch.n;
	vec_clear(&s->part);
	vec_clear(&s->fix);
	vec_clear(&s->key);
	if (cells > n) {
		vec_reserve(&s->cell_epoch, cells - n);
		memset(s->cell_epoch.at + n, 0, (cells - n) * sizeof *s->cell_epoch.at);
		s->cell_epoch.n = cells;
		vec_clear(&s->of_cell);
		vec_reserve(&s->of_cell, cells);
	}
	s->epoch++;
	for (uint32_t i = 0; i < d->problem.fix.n; i++) {
		s->of_cell.at[d->problem.fix.at[i].cell] = i;
		s->cell_epoch.at[d->problem.fix.at[i].cell] = s->epoch;
	}
}

/* Every cell and array that occurs is its own part at first. */
static void separate(struct decide *d)
{
	struct slices *s = &d->slices;
	const struct conjuncts *c = &d->conjuncts;
	uint32_t cells = (uint32_t)d->bank.cell.n;
	vec_clear(&s->parent);
	vec_reserve(&s->parent, cells + d->bank.array.n);
	for (size_t i = 0; i < d->problem.piece.n; i++) {
		const struct conjunct *k = &c->at.at[d->problem.piece.at[i].conjunct];
		for (uint32_t j = 0; j < k->n_cells; j++) {
			uint32_t cell = c->pool.at[k->cells + j];
			s->parent.at[cell] = cell;
			if (!d->bank.cell.at[cell].name)
				s->parent.at[cells + d->bank.cell.at[cell].array] = cells + d->bank.cell.at[cell].array;
		}
		for (uint32_t j = 0; j < k->n_reads; j++)
			s->parent.at[cells + c->pool.at[k->reads + j]] = cells + c->pool.at[k->reads + j];
	}
}

/* Arrays read at computed indices: their cells hang together. Marked by epoch in group. */
static void join_pieces(struct decide *d)
{
	struct slices *s = &d->slices;
	const struct conjuncts *c = &d->conjuncts;
	uint32_t cells = (uint32_t)d->bank.cell.n;
	VEC(uint8_t) computed = {0};
	vec_reserve(&computed, d->bank.array.n + 1);
	memset(computed.at, 0, d->bank.array.n);
	for (size_t i = 0; i < d->problem.piece.n; i++) {
		const struct conjunct *k = &c->at.at[d->problem.piece.at[i].conjunct];
		for (uint32_t j = 0; j < k->n_reads; j++)
			computed.at[c->pool.at[k->reads + j]] = 1;
	}
	vec_clear(&s->group);
	for (size_t i = 0; i < d->problem.piece.n; i++) {
		const struct conjunct *k = &c->at.at[d->problem.piece.at[i].conjunct];
		uint32_t root = NODE_NONE;
		for (uint32_t j = 0; j < k->n_cells; j++) {
			uint32_t cell = c->pool.at[k->cells + j];
			const struct bank_cell *x = &d->bank.cell.at[cell];
			if (!fixed(s, cell))
				join(s, &root, cell);
			if (!x->name && !fixed(s, cell) && computed.at[x->array])
				join(s, &root, cells + x->array);
		}
		for (uint32_t j = 0; j < k->n_reads; j++)
			join(s, &root, cells + c->pool.at[k->reads + j]);
		vec_push(&s->group, root);
	}
	vec_release(&computed);
}

/* The fixes that bear on a part: those of cells it names, and of arrays it reads at computed indices. */
static void add_fixes(struct decide *d, struct part *p)
{
	struct slices *s = &d->slices;
	const struct conjuncts *c = &d->conjuncts;
	const struct problem *m = &d->problem;
	VEC(uint32_t) place = {0};
	for (uint32_t i = 0; i < p->n_pieces; i++) {
		const struct conjunct *k = &c->at.at[m->piece.at[p->pieces + i].conjunct];
		for (uint32_t j = 0; j < k->n_cells; j++)
			if (fixed(s, c->pool.at[k->cells + j]))
				vec_push(&place, s->of_cell.at[c->pool.at[k->cells + j]]);
		for (uint32_t j = 0; j < k->n_reads; j++)
			for (uint32_t f = 0; f < m->fix.n; f++) {
				const struct bank_cell *x = &d->bank.cell.at[m->fix.at[f].cell];
				if (!x->name && x->array == c->pool.at[k->reads + j])
					vec_push(&place, f);
			}
	}
	problem_sort(place.at, place.n);
	p->fixes = (uint32_t)s->fix.n;
	for (size_t i = 0; i < place.n; i++)
		if (!i || place.at[i] != place.at[i - 1])
			vec_push(&s->fix, place.at[i]);
	p->n_fixes = (uint32_t)s->fix.n - p->fixes;
	vec_release(&place);
}

static void finish_part(struct decide *d, uint32_t pieces, uint32_t end)
{
	struct slices *s = &d->slices;
	const struct problem *m = &d->problem;
	struct part p = {.pieces = pieces, .n_pieces = end - pieces, .key = (uint32_t)s->key.n};
	add_fixes(d, &p);
	for (uint32_t i = pieces; i < end; i++)
		vec_push(&s->key, d->conjuncts.at.at[m->piece.at[i].conjunct].node);
	for (uint32_t i = 0; i < p.n_fixes; i++) {
		uint32_t node = m->fix.at[s->fix.at[p.fixes + i]].node;
		if (!i || m->fix.at[s->fix.at[p.fixes + i - 1]].node != node)
			vec_push(&s->key, node);
	}
	p.n_key = (uint32_t)s->key.n - p.key;
	problem_sort(s->key.at + p.key, p.n_key);
	p.hash = problem_hash(s->key.at + p.key, p.n_key);
	vec_push(&s->part, p);
}

/* A piece and its part, for sorting. */
struct grouped {
	uint32_t root;
	struct piece piece;
};

static int by_root(const void *a, const void *b)
{
	const struct grouped *x = a, *y = b;
	if (x->root != y->root)
		return x->root < y->root ? -1 : 1;
	return x->piece.conjunct < y->piece.conjunct ? -1 : x->piece.conjunct > y->piece.conjunct;
}

void slices_cut(struct decide *d)
{
	struct slices *s = &d->slices;
	struct problem *m = &d->problem;
	begin(d);
	separate(d);
	join_pieces(d);
	VEC(struct grouped) g = {0};
	for (size_t i = 0; i < m->piece.n; i++) {
		uint32_t root = s->group.at[i] == NODE_NONE ? NODE_NONE : root_of(s, s->group.at[i]);
		vec_push(&g, ((struct grouped){root, m->piece.at[i]}));
	}
	if (g.n)
		qsort(g.at, g.n, sizeof *g.at, by_root);
	for (size_t i = 0; i < g.n; i++)
		m->piece.at[i] = g.at[i].piece;
	for (uint32_t i = 0, end; i < g.n; i = end) {
		for (end = i + 1; end < g.n && g.at[end].root == g.at[i].root;)
			end++;
		finish_part(d, i, end);
	}
	vec_release(&g);
}

void slices_whole(struct decide *d)
{
	begin(d);
	finish_part(d, 0, (uint32_t)d->problem.piece.n);
}
