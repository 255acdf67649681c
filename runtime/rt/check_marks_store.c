/* Engine B, the program's side: what a store, a free or a reset arena does to the marks.
 *
 * Called before the memory changes. A verified node that overlaps is un-verified and queued; its edges, still readable,
 * stop counting, and the nodes they led to are flagged C_SNAP ("was below a queued node") and logged with their old
 * parent. Nothing above the node is touched: a regular type is a conjunction of conditions on single nodes. */
#include "check_marks.h"

#include <string.h>

struct marks marks;
bool rt_marks_suspect;

void marks_unverify(uintptr_t y, unsigned type, uint16_t *c, const struct rf_edge *e, size_t n, bool enqueue)
{
	if (!rt_vec_reserve(&marks.queue, 1, sizeof(struct queued)) || !rt_vec_reserve(&marks.below, n, sizeof(struct rf_edge))) {
		rt_out_of_memory();
		return;
	}
	rt_stats.dirtied++;
	size_t first = marks.below.n;
	for (size_t i = 0; i < n; i++) {
		uint16_t *k = marks_node((uintptr_t)e[i].node, e[i].type);
		/* an edge to a `shared` node is one of many: that node stays "referenced" until marks are dropped */
		if (!k || !marks_is(k, e[i].type) || (rt_desc(e[i].type)->flags & RF_TYPE_SHARED))
			continue;
		*k = (uint16_t)((*k & ~C_HASP) | C_SNAP);
		VEC_AT(marks.below, struct rf_edge, marks.below.n) = e[i];
		marks.below.n++;
	}
	*c = (uint16_t)((*c & ~C_BLACK) | C_DIRTY);
	if (enqueue) {
		VEC_AT(marks.queue, struct queued, marks.queue.n) =
		        (struct queued){y, type, rt_thread(), first, marks.below.n - first};
		marks.queue.n++;
	}
}

long marks_edges(uintptr_t y, unsigned type)
{
	const struct rf_type *d = rt_desc(type);
	marks.scratch.n = 0;
	if (!rt_vec_reserve(&marks.scratch, rt_types[type].max_edges + 1, sizeof(struct rf_edge))) {
		rt_out_of_memory();
		return -1;
	}
	struct rf_edge *from = &VEC_AT(marks.scratch, struct rf_edge, 0), *to = d->scan((const void *)y, from);
	return to ? (long)(to - from) : -1;
}

void marks_erase(uintptr_t y, unsigned type)
{
	const struct rt_type *t = &rt_types[type];
	for (unsigned i = 0; i < t->n_granules; i++) {
		uint16_t *k = marks_cell(t->plane, y + ((uintptr_t)t->granule[i] << GRANULE_BITS));
		if (k && *k == (C_INTERIOR | t->granule[i]))
			*k = 0;
	}
	uint16_t *c = marks_cell(t->plane, y);
	if (c && marks_is(c, type))
		*c = 0;
}

/* One watched granule is about to change. whole: the block goes away, so every byte of a node counts. */
static void touch_granule(unsigned plane, uintptr_t a, uint16_t *k, bool whole)
{
	uintptr_t y = a;
	uint16_t *c = k;
	if (*k & C_INTERIOR) {
		y -= (uintptr_t)(*k & C_DISTANCE) << GRANULE_BITS;
		c = marks_cell(plane, y);
		if (!c || !(*c & C_START)) {
			*k = 0;
			return;
		}
	}
	unsigned type = *c & C_TYPE;
	if (!(*c & C_BLACK) || (c == k && !whole && !rt_types[type].watch_start) || rt_unstable(y))
		return;
	long n = marks_edges(y, type);
	if (n < 0) {
		/* its conditions broke without a store that we saw: what its edges were is lost */
		rt_marks_suspect = true;
		return;
	}
	marks_unverify(y, type, c, &VEC_AT(marks.scratch, struct rf_edge, 0), (size_t)n, true);
}

static void touch_range(uintptr_t a, size_t n, bool whole)
{
	if (!n || a >> ADDRESS_BITS)
		return;
	uintptr_t end = a + n < a || (a + n) >> ADDRESS_BITS ? (uintptr_t)1 << ADDRESS_BITS : a + n;
	for (a &= ~(uintptr_t)7; a < end;) {
		struct shadow_leaf *l = shadow_leaf(a);
		if (!l) {
			a = ((a >> LEAF_BITS) + 1) << LEAF_BITS;
			continue;
		}
		size_t i = shadow_index(a);
		for (unsigned p = 0; p < rf_shadow_planes; p++) {
			/* four granules at once where nothing is */
			if (l->cell[p][i])
				touch_granule(p, a, &l->cell[p][i], whole);
		}
		a += 8;
		while (!(a & 31) && a + 32 <= end && shadow_leaf(a) == l) {
			uint64_t four = 0;
			for (unsigned p = 0; p < rf_shadow_planes; p++) {
				uint64_t w;
				memcpy(&w, &l->cell[p][shadow_index(a)], sizeof w);
				four |= w;
			}
			if (four)
				break;
			a += 32;
		}
	}
}

bool rt_marks_watched(uintptr_t a)
{
	struct shadow_leaf *l = shadow_leaf(a);
	for (unsigned p = 0; l && p < rf_shadow_planes; p++) {
		uint16_t k = l->cell[p][shadow_index(a)];
		if (k & C_INTERIOR) {
			uint16_t *c = marks_cell(p, (a & ~(uintptr_t)7) - ((uintptr_t)(k & C_DISTANCE) << GRANULE_BITS));
			if (!c || !(*c & C_START) || (*c & C_BLACK))
				return true;
		} else if (k & C_BLACK) {
			return true;
		}
	}
	return false;
}

void rt_marks_store(uintptr_t a, size_t n)
{
	struct shadow_leaf *l = shadow_leaf(a);
	if ((a & 7) + n > 8 || a >> ADDRESS_BITS) {
		touch_range(a, n, false);
		return;
	}
	for (unsigned p = 0; l && p < rf_shadow_planes; p++) {
		uint16_t *k = &l->cell[p][shadow_index(a)];
		if (*k)
			touch_granule(p, a & ~(uintptr_t)7, k, false);
	}
}

void rt_marks_forget(uintptr_t a, size_t n)
{
	touch_range(a, n, true);
}

bool rt_marks_settled(void)
{
	return !marks.queue.n && !marks.unstable.n && !rt_marks_suspect;
}

bool rt_marks_is_verified(uintptr_t a, unsigned type)
{
	uint16_t *c = a && !(a >> ADDRESS_BITS) ? marks_node(a, type) : NULL;
	return c && marks_is(c, type) && (*c & C_BLACK);
}
