/* Hash index: see table.h. Cells keep 32 bits of the mixed hash, enough to place 2^32 entries and to rehash
 * without asking the caller. */
#include "core/table.h"

#include <string.h>

static void resize(struct table *t, size_t cells)
{
	struct table_cell *old = t->cell;
	size_t old_bytes = old ? (t->mask + 1) * sizeof *old : 0;
	struct table_cell *fresh = mem_resize(t->counter, NULL, 0, mem_mul(cells, sizeof *fresh));
	memset(fresh, 0xff, cells * sizeof *fresh);
	for (size_t i = 0; i < old_bytes / sizeof *old; i++) {
		if (old[i].ref == TABLE_NONE)
			continue;
		size_t at = old[i].hash & (cells - 1);
		while (fresh[at].ref != TABLE_NONE)
			at = (at + 1) & (cells - 1);
		fresh[at] = old[i];
	}
	mem_release(t->counter, old, old_bytes);
	t->cell = fresh;
	t->mask = cells - 1;
}

void table_insert(struct table *t, uint64_t hash, uint32_t ref)
{
	if (!t->cell)
		resize(t, 8);
	else if ((t->n + 1) * 4 > (t->mask + 1) * 3)
		resize(t, (t->mask + 1) * 2);
	uint32_t h = table_fold(hash);
	size_t at = h & t->mask;
	while (t->cell[at].ref != TABLE_NONE)
		at = (at + 1) & t->mask;
	t->cell[at] = (struct table_cell){h, ref};
	t->n++;
}

static bool find(const struct table *t, uint64_t hash, uint32_t ref, size_t *at)
{
	if (!t->cell)
		return false;
	uint32_t h = table_fold(hash);
	for (*at = h & t->mask; t->cell[*at].ref != TABLE_NONE; *at = (*at + 1) & t->mask)
		if (t->cell[*at].ref == ref && t->cell[*at].hash == h)
			return true;
	return false;
}

bool table_remove(struct table *t, uint64_t hash, uint32_t ref)
{
	size_t hole;
	if (!find(t, hash, ref, &hole))
		return false;
	for (size_t at = (hole + 1) & t->mask; t->cell[at].ref != TABLE_NONE; at = (at + 1) & t->mask) {
		size_t home = t->cell[at].hash & t->mask;
		/* the cell may move back unless its home lies cyclically after the hole */
		if (((at - home) & t->mask) >= ((at - hole) & t->mask)) {
			t->cell[hole] = t->cell[at];
			hole = at;
		}
	}
	t->cell[hole].ref = TABLE_NONE;
	t->n--;
	return true;
}

bool table_renumber(struct table *t, uint64_t hash, uint32_t from, uint32_t to)
{
	size_t at;
	if (!find(t, hash, from, &at))
		return false;
	t->cell[at].ref = to;
	return true;
}

void table_clear(struct table *t)
{
	if (t->cell)
		memset(t->cell, 0xff, (t->mask + 1) * sizeof *t->cell);
	t->n = 0;
}

void table_release(struct table *t)
{
	if (t->cell)
		mem_release(t->counter, t->cell, (t->mask + 1) * sizeof *t->cell);
	t->cell = NULL;
	t->mask = t->n = 0;
}
