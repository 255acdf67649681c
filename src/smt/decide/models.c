/* SPDX-License-Identifier: MIT */
/* Earlier models tried on a new query: the ones whose conjuncts overlap most, then the latest. The query's own fixes
 * lie over the model (values.h), which doubles what is found; conjuncts that failed last are evaluated first, so
 * that a model that does not fit costs one or two evaluations. */
#include "smt/decide/internal.h"

#include <string.h>

enum { RECENT = 64 };

static bool all_true(struct decide *d, const struct part *p)
{
	struct piece *at = vec_from(&d->problem.piece, p->pieces);
	for (uint32_t i = 0; i < p->n_pieces; i++)
		if (!values_true(&d->values, &d->bank, &d->conjuncts, at[i].conjunct)) {
			struct piece failed = at[i];
			memmove(at + 1, at, i * sizeof *at);
			at[0] = failed;
			return false;
		}
	return true;
}

bool models_load(struct decide *d, uint32_t answer, const struct part *p)
{
	const struct known_answer *a = &d->known.answer.at[answer];
	const struct known_cell *c = vec_from(&d->known.cells, a->cells);
	values_next_model(&d->values);
	for (uint32_t i = 0; i < a->n_cells; i++)
		values_set(&d->values, c[i].cell, c[i].value);
	return all_true(d, p);
}

bool stage_models(struct decide *d, const struct part *p, const uint32_t *key)
{
	uint32_t near[KNOWN_NEAREST];
	size_t n = known_nearest(&d->known, key, p->n_key, near);
	for (size_t i = 0; i < n; i++)
		if (models_load(d, near[i], p))
			return true;
	size_t sat = d->known.sat.n;
	for (size_t i = 0; i < sat && i < RECENT; i++)
		if (models_load(d, d->known.sat.at[sat - 1 - i], p))
			return true;
	if (!n && !sat) { /* nothing is known yet: zeros */
		values_next_model(&d->values);
		return all_true(d, p);
	}
	return false;
}

static void add_cell(struct decide *d, uint32_t cell)
{
	if (d->cell_seen.at[cell] == d->cell_epoch)
		return;
	d->cell_seen.at[cell] = d->cell_epoch;
	vec_push(&d->cells, ((struct known_cell){cell, values_cell(&d->values, cell)}));
}

void models_collect_begin(struct decide *d)
{
	size_t n = d->cell_seen.n, want = d->bank.cell.n;
	vec_clear(&d->cells);
	d->cell_epoch++;
	if (n >= want)
		return;
	vec_reserve(&d->cell_seen, want - n);
	memset(d->cell_seen.at + n, 0, (want - n) * sizeof *d->cell_seen.at);
	d->cell_seen.n = want;
}

void models_collect(struct decide *d, const struct part *p)
{
	const struct conjuncts *c = &d->conjuncts;
	for (uint32_t i = 0; i < p->n_pieces; i++) {
		const struct conjunct *k = &c->at.at[d->problem.piece.at[p->pieces + i].conjunct];
		for (uint32_t j = 0; j < k->n_cells; j++)
			add_cell(d, c->pool.at[k->cells + j]);
		for (uint32_t j = 0; k->n_reads && j < k->n_program; j++) {
			const struct node *n = &d->bank.node.at[c->pool.at[k->program + j]];
			uint32_t cell = n->op == NODE_READ ? bank_find_element(&d->bank, (uint32_t)n->k,
									       values_of(&d->values, n->a))
							   : NODE_NONE;
			if (cell != NODE_NONE)
				add_cell(d, cell);
		}
	}
}
