/* SPDX-License-Identifier: MIT */
/* See keymap.h. A free cell's key may hold anything: ref says whether the cell is in use. */
#include "base/keymap.h"

static void place(struct keymap *m, struct keymap_cell c)
{
	uint32_t i = keymap_home(m, c.key);
	while (m->cell[i].ref)
		i = (i + 1) & (m->n_cells - 1);
	m->cell[i] = c;
}

bool keymap_reserve(struct keymap *m, uint32_t more, const struct base_alloc *a)
{
	if (((uint64_t)m->n + more) * 2 <= m->n_cells)
		return true;
	uint64_t n = m->n_cells ? (uint64_t)m->n_cells * 2 : 128;
	while (n < ((uint64_t)m->n + more) * 2)
		n *= 2;
	struct keymap old = *m;
	struct keymap_cell *cell = n < UINT32_MAX ? a->resize(a->user, NULL, 0, n * sizeof *cell) : NULL;
	if (!cell)
		return false;
	for (uint64_t i = 0; i < n; i++)
		cell[i] = (struct keymap_cell){0, 0};
	*m = (struct keymap){cell, old.n, (uint32_t)n, (unsigned)__builtin_clzll(n) + 1};
	for (uint32_t i = 0; i < old.n_cells; i++)
		if (old.cell[i].ref)
			place(m, old.cell[i]);
	keymap_release(&old, a);
	return true;
}

void keymap_insert(struct keymap *m, uint64_t key, uint32_t number)
{
	place(m, (struct keymap_cell){key, number + 1});
	m->n++;
}

void keymap_remove(struct keymap *m, uint64_t key)
{
	uint32_t mask = m->n_cells - 1, hole = keymap_home(m, key);
	while (m->cell[hole].key != key || !m->cell[hole].ref)
		hole = (hole + 1) & mask;
	/* whatever was pushed past the hole by probing moves into it */
	for (uint32_t i = (hole + 1) & mask; m->cell[i].ref; i = (i + 1) & mask) {
		uint32_t home = keymap_home(m, m->cell[i].key);
		if (((i - home) & mask) >= ((i - hole) & mask)) {
			m->cell[hole] = m->cell[i];
			hole = i;
		}
	}
	m->cell[hole] = (struct keymap_cell){0, 0};
	m->n--;
}

#ifdef RF_INVARIANTS
void keymap_check(const struct keymap *m)
{
	uint32_t n = 0;
	INVARIANT((m->n_cells & (m->n_cells - 1)) == 0 && (uint64_t)m->n * 2 <= m->n_cells);
	for (uint32_t i = 0; i < m->n_cells; i++) {
		/* found by its key, so it is the only one with it and no free cell stands before it */
		INVARIANT(!m->cell[i].ref || keymap_find(m, m->cell[i].key) == m->cell[i].ref);
		n += m->cell[i].ref != 0;
	}
	INVARIANT(n == m->n);
}
#endif

void keymap_release(struct keymap *m, const struct base_alloc *a)
{
	if (m->cell)
		a->resize(a->user, m->cell, m->n_cells * sizeof *m->cell, 0);
	*m = (struct keymap){0};
}
