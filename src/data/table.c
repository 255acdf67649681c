/* SPDX-License-Identifier: MIT */
/* Hash index: see table.h. Cells keep 32 bits of the mixed hash, enough to place 2^32 entries and to rehash
 * without asking the caller. */
#include "data/table.h"

#include <string.h>

static void resize(struct table *t, size_t cells)
{
	struct cell *old = t->cell;
	size_t n_old = old ? t->mask + 1 : 0;
	struct cell *fresh = mem_resize(t->counter, NULL, 0, mem_mul(cells, sizeof *fresh));
	memset(fresh, 0xff, cells * sizeof *fresh);
	for (size_t i = 0; i < n_old; i++)
		if (old[i].ref != TABLE_NONE)
			cells_insert(fresh, cells - 1, old[i]);
	mem_release(t->counter, old, n_old * sizeof *old);
	t->cell = fresh;
	t->mask = cells - 1;
}

void table_insert(struct table *t, uint64_t hash, uint32_t ref)
{
	if (!t->cell)
		resize(t, 8);
	else if ((t->n + 1) * 4 > (t->mask + 1) * 3)
		resize(t, (t->mask + 1) * 2);
	cells_insert(t->cell, t->mask, (struct cell){cells_fold(hash), ref});
	t->n++;
}

static bool find(const struct table *t, uint64_t hash, uint32_t ref, size_t *at)
{
	return t->cell && cells_find(t->cell, t->mask, (struct cell){cells_fold(hash), ref}, at);
}

bool table_remove(struct table *t, uint64_t hash, uint32_t ref)
{
	size_t at;
	if (!find(t, hash, ref, &at))
		return false;
	cells_free_at(t->cell, t->mask, at);
	t->n--;
	return true;
}

void table_clear(struct table *t)
{
	if (t->cell)
		memset(t->cell, 0xff, (t->mask + 1) * sizeof *t->cell);
	t->n = 0;
}

#ifdef RF_INVARIANTS
void table_check(const struct table *t)
{
	INVARIANT(t->cell ? cells_check(t->cell, t->mask) == t->n : !t->n);
	INVARIANT(t->n * 4 <= (t->mask + 1) * 3);
}
#endif

void table_release(struct table *t)
{
	if (t->cell)
		mem_release(t->counter, t->cell, (t->mask + 1) * sizeof *t->cell);
	t->cell = NULL;
	t->mask = t->n = 0;
}
