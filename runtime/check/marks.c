/* SPDX-License-Identifier: MIT */
/* Engine B: verdicts from marks that stores invalidate.
 *
 * Verified ("black") nodes satisfy their own conditions and have not changed since. Invariants between checks:
 *   1. an edge of a black node leads to a black node of the right type, or to one in the queue (C_DIRTY);
 *   2. C_HASP is set on a node exactly when a black node has an edge to it, and there is one such edge only
 *      (types that are `shared` excepted: they may not be recursive, so no cycle goes through them);
 *   3. black nodes and edges form a forest.
 * So when no queued node has C_HASP, all that is reachable from a black node is black, a tree, and belongs to its type.
 *
 * A check first settles the queue: a queued node that a black node still points to is verified again, with the new
 * nodes below it. It may only take over nodes that were below the same region of changes before (a region: queued
 * nodes connected by old edges), or whole trees that are clean and do not lead to it, which keeps invariant 3; an
 * edge to any other verified root is a doubt, as is a second edge to one node. Then the value itself is looked at:
 * black, or walked down to black nodes. At that point nothing black leads to anything that is not, so that it may
 * take over any root but itself.
 *
 * In doubt all marks are dropped and the structure is walked once: then a second edge is sharing or a cycle for sure.
 * A parent that is itself verified and that nothing leads to (a node unlinked and left alone, the old version of a path
 * that was copied) is dissolved first, as it cannot be below the value under check. */
#include "marks.h"
#include "measure.h"

#include "base/invariant.h"

#include <string.h>

enum { SMALL_TREE = 64, CLEAN_LIMIT = 1 << 16, FOREIGN_LIMIT = 16 };
enum outcome { GOOD, FAILS, DOUBT, CONFLICT, NO_MEMORY };

struct passed {
	uintptr_t node;
	uint32_t type;
	uint32_t counted; /* how many of its edges were counted */
};

static struct rt_vec work;   /* struct rf_edge: nodes to verify */
static struct rt_vec passed; /* struct passed: verified in this pass */
static uintptr_t pass_root;
static uint32_t pass_root_type;
static bool settling;
static uintptr_t last_root;
static uint32_t last_root_type;
static unsigned conflict_type; /* the type that found its place taken */
static unsigned foreign_walks; /* checks in a row that met changes of another thread */

void rt_marks_drop(void)
{
	rt_measures_drop();
	if (rf_shadow_planes)
		rt_clear_cells();
	marks_queue_clear();
	marks.unstable.n = marks.unstable_below.n = 0;
	passed.n = work.n = 0;
	rt_marks_suspect = false;
	last_root = 0;
}

/* ---- regions: queued nodes connected by the edges they had */

struct region_entry {
	uintptr_t node;
	uint32_t type;
	uint32_t queued; /* 1 + number of the queued node it is, or was below */
};
static struct rt_vec region_table, region_up; /* region_up: uint32_t, union-find over the queue */
static size_t region_mask;
static bool regions_many; /* more than one: the tables are filled */
static uint32_t current_region;

static uint32_t region_find(uint32_t i)
{
	uint32_t *up = &VEC_AT(region_up, uint32_t, 0);
	INVARIANT(i < marks.queue.n);
	while (up[i] != i)
		i = up[i] = up[up[i]];
	return i;
}

static struct region_entry *region_place(uintptr_t node, uint32_t type)
{
	struct region_entry *t = &VEC_AT(region_table, struct region_entry, 0);
	size_t i = mix64(node ^ ((uint64_t)type << 48)) & region_mask;
	while (t[i].queued && (t[i].node != node || t[i].type != type))
		i = (i + 1) & region_mask;
	return &t[i];
}

static __attribute__((noinline)) bool regions_build(void)
{
	size_t n = ceil_pow2((marks.queue.n + marks.below.n) * 2 + 2);
	region_table.n = region_up.n = 0;
	if (!rt_vec_reserve(&region_table, n, sizeof(struct region_entry)) ||
	    !rt_vec_reserve(&region_up, marks.queue.n, sizeof(uint32_t)))
		return false;
	region_mask = n - 1;
	memset(region_table.at, 0, n * sizeof(struct region_entry));
	for (size_t i = 0; i < marks.queue.n; i++) {
		struct queued *q = &VEC_AT(marks.queue, struct queued, i);
		VEC_AT(region_up, uint32_t, i) = (uint32_t)i;
		*region_place(q->node, q->type) = (struct region_entry){q->node, q->type, (uint32_t)i + 1};
	}
	for (size_t i = 0; i < marks.queue.n; i++) {
		struct queued *q = &VEC_AT(marks.queue, struct queued, i);
		for (size_t j = q->first; j < q->first + q->n; j++) {
			struct rf_edge e = VEC_AT(marks.below, struct rf_edge, j);
			struct region_entry *r = region_place((uintptr_t)e.node, e.type);
			if (r->queued)
				VEC_AT(region_up, uint32_t, region_find(r->queued - 1)) = region_find((uint32_t)i);
			else
				*r = (struct region_entry){(uintptr_t)e.node, e.type, (uint32_t)i + 1};
		}
	}
	return true;
}

static bool in_current_region(struct rf_edge e)
{
	if (!regions_many)
		return true;
	struct region_entry *r = region_place((uintptr_t)e.node, e.type);
	return r->queued && region_find(r->queued - 1) == current_region;
}

/* ---- verifying */

/* Frees the place of another node that is not verified and that nothing verified leads to. */
static bool evict(unsigned plane, uintptr_t a, uint16_t *k)
{
	uintptr_t y = a;
	uint16_t *c = k;
	if (*k & C_INTERIOR) {
		y -= (uintptr_t)(*k & C_DISTANCE) << GRANULE_BITS;
		c = marks_cell(plane, y);
		if (!c || !(*c & C_START)) {
			*k = 0;
			return true;
		}
	}
	unsigned type = *c & C_TYPE;
	if (*c & (C_HASP | C_BLACK))
		return false;
	marks_erase(y, type);
	*k = 0;
	return true;
}

/* A node that lies on several pages. */
static void mark_pages(uintptr_t y, size_t n)
{
	for (uintptr_t a = y & ~(uintptr_t)4095; a < y + n; a += 4096) {
		struct shadow_leaf *l = rt_leaf_make(a);
		if (l)
			marks_page(l, a);
	}
}

/* Writes the node's cells. */
static bool claim(uintptr_t y, unsigned type, uint16_t *c)
{
	const struct rt_type *t = &rt_types[type];
	if (*c && !marks_is(c, type) && !evict(t->plane, y, c))
		return false;
	*c |= (uint16_t)(C_START | type);
	marks_page(shadow_leaf(y), y);
	if (UNLIKELY((y & 4095) + t->size > 4096))
		mark_pages(y, t->size);
	size_t room = LEAF_CELLS - shadow_index(y);
	for (unsigned i = 0; i < t->n_granules; i++) {
		size_t d = t->granule[i];
		uintptr_t a = y + (d << GRANULE_BITS);
		uint16_t *k = LIKELY(d < room) ? c + d : marks_cell(t->plane, a), want = (uint16_t)(C_INTERIOR | d);
		if (LIKELY(k && *k == want))
			continue;
		if (UNLIKELY(!k)) {
			struct shadow_leaf *l = rt_leaf_make(a);
			if (!l)
				return false;
			k = &l->cell[t->plane][shadow_index(a)];
		}
		if (UNLIKELY(*k) && !evict(t->plane, a, k))
			return false;
		*k = want;
	}
	return true;
}

/* A second edge to e: is its known parent one that nothing leads to any more? Then that one is dissolved. */
static __attribute__((noinline)) bool dissolve_parent(struct rf_edge e)
{
	size_t tries = 64;
	for (size_t i = marks.below.n; i-- > 0 && tries--;) {
		struct rf_edge o = VEC_AT(marks.below, struct rf_edge, i);
		uintptr_t y = (uintptr_t)o.node;
		uint16_t *c = marks_node(y, o.type);
		if (!c || !marks_is(c, o.type) || (*c & (C_BLACK | C_HASP)) != C_BLACK ||
		    (y == pass_root && o.type == pass_root_type))
			continue;
		long n = marks_edges(y, o.type);
		if (n < 0)
			return false;
		struct rf_edge *edges = &VEC_AT(marks.scratch, struct rf_edge, 0);
		for (long j = 0; j < n; j++)
			if (edges[j].node == e.node && edges[j].type == e.type) {
				marks_unverify(y, o.type, c, edges, (size_t)n, false);
				marks_erase(y, o.type);
				return true;
			}
	}
	return false;
}

/* A verified root that was not below the same changes may be taken over while they are settled if all below it is
 * verified and it is not met again: then it cannot lead to the node that takes it. (A node that was just made and
 * checked on its own; a subtree that moved between two nodes whose common parent did not change.) */
static __attribute__((noinline)) bool is_clean(struct rf_edge root)
{
	static struct rt_vec todo;
	todo.n = 0;
	if (!rt_vec_reserve(&todo, 1, sizeof root))
		return false;
	VEC_AT(todo, struct rf_edge, todo.n++) = root;
	for (size_t seen = 0; todo.n; seen++) {
		struct rf_edge y = VEC_AT(todo, struct rf_edge, --todo.n);
		uint16_t *c = marks_node((uintptr_t)y.node, y.type);
		if (!c || !marks_is(c, y.type) || !(*c & C_BLACK) || seen > CLEAN_LIMIT)
			return false;
		if (seen && y.node == root.node && y.type == root.type)
			return false;
		long k = marks_edges((uintptr_t)y.node, y.type);
		if (k < 0 || !rt_vec_reserve(&todo, (size_t)k, sizeof y))
			return false;
		if (k)
			memcpy(&VEC_AT(todo, struct rf_edge, todo.n), marks.scratch.at, (size_t)k * sizeof y);
		todo.n += (size_t)k;
	}
	return true;
}

/* Counts an edge to a node that the shadow knows. keep: it has to be verified too. */
static __attribute__((noinline)) enum outcome count_known(struct rf_edge e, uint16_t *c, bool *keep)
{
	if (UNLIKELY(*c & C_HASP) && !dissolve_parent(e))
		return DOUBT;
	if (*c & C_BLACK) {
		if ((uintptr_t)e.node == pass_root && e.type == pass_root_type)
			return DOUBT;
		if (settling && !((*c & C_SNAP) && in_current_region(e)) && !is_clean(e))
			return DOUBT;
		*keep = false;
	}
	*c |= C_HASP;
	return GOOD;
}

static __attribute__((noinline)) enum outcome count_new(struct rf_edge e, bool *keep)
{
	uintptr_t a = (uintptr_t)e.node;
	const struct rt_type *t = &rt_types[e.type];
	uint16_t *c = a >> ADDRESS_BITS ? NULL : marks_cell(t->plane, a);
	if (t->shared && c && marks_is(c, e.type) && (*c & C_BLACK)) {
		*keep = false;
		*c |= C_HASP;
		return GOOD;
	}
	if (rt_node_fault(e.node, t) != FAULT_NONE)
		return FAILS;
	c = marks_cell(t->plane, a);
	if ((a & 7) || (*c && !marks_is(c, e.type) && !evict(t->plane, a, c))) {
		conflict_type = e.type;
		return CONFLICT;
	}
	marks_page(shadow_leaf(a), a);
	*c |= (uint16_t)(C_START | C_HASP | e.type);
	return GOOD;
}

static inline __attribute__((always_inline)) enum outcome count_edge(struct rf_edge e, bool *keep)
{
	uintptr_t a = (uintptr_t)e.node;
	const struct rt_type *t = &rt_types[e.type];
	struct shadow_leaf *l = UNLIKELY(a & ~(((uintptr_t)1 << ADDRESS_BITS) - 8)) ? NULL : shadow_leaf(a);
	*keep = true;
	if (UNLIKELY(!l) || UNLIKELY(t->shared))
		return count_new(e, keep);
	uint16_t *c = &l->cell[t->plane][shadow_index(a)];
	unsigned s = *c;
	if (LIKELY((s & (C_START | C_INTERIOR | C_TYPE | C_HASP)) == (C_START | e.type))) {
		/* not verified, or below the only region of changes before */
		if (!(s & C_BLACK) || ((s & C_SNAP) && settling && !regions_many && a != pass_root)) {
			*c = (uint16_t)(s | C_HASP);
			*keep = !(s & C_BLACK);
			return GOOD;
		}
	} else if (!s) {
		/* whether a node can be there is seen when it is verified */
		*c = (uint16_t)(C_START | C_HASP | e.type);
		marks_page(l, a);
		return GOOD;
	}
	return marks_is(c, e.type) ? count_known(e, c, keep) : count_new(e, keep);
}

/* An unstable node's edges are kept: memory may change unseen. */
static bool remember_unstable(uintptr_t y, unsigned type, const struct rf_edge *e, size_t n)
{
	marks.open = 0;
	if (!rt_vec_reserve(&marks.unstable, 1, sizeof(struct unstable)) ||
	    !rt_vec_reserve(&marks.unstable_below, n, sizeof(struct rf_edge)))
		return false;
	VEC_AT(marks.unstable, struct unstable, marks.unstable.n) =
		(struct unstable){y, type, rt_thread(), marks.unstable_below.n, n};
	marks.unstable.n++;
	if (n)
		memcpy(&VEC_AT(marks.unstable_below, struct rf_edge, marks.unstable_below.n), e, n * sizeof *e);
	marks.unstable_below.n += n;
	return true;
}

/* Verifies one node, whose cells are there, and counts its edges; those to nodes that are not verified stay on the work
 * list. */
static inline __attribute__((always_inline)) enum outcome verify_node(uintptr_t y, unsigned type, uint16_t *c,
								      bool stable)
{
	const struct rt_type *t = &rt_types[type];
	if (UNLIKELY(!rt_vec_reserve(&work, t->max_edges + 1, sizeof(struct rf_edge))))
		return NO_MEMORY;
	INVARIANT(marks_is(c, type) && !(*c & C_BLACK));
	struct rf_edge *from = &VEC_AT(work, struct rf_edge, work.n), *to = t->scan((const void *)y, from),
		       *kept = from;
	rt_stats.nodes++;
	if (UNLIKELY(!to))
		return FAILS;
	INVARIANT((size_t)(to - from) <= t->max_edges);
	*c = (uint16_t)((*c & ~C_DIRTY) | C_BLACK);
	watch_node(y, t);
	if (!settling) { /* a pass that may have to be undone */
		if (!rt_vec_reserve(&passed, 1, sizeof(struct passed)))
			return NO_MEMORY;
		VEC_AT(passed, struct passed, passed.n++) = (struct passed){y, type, (uint32_t)(to - from)};
	}
	if (UNLIKELY(!stable) && rt_unstable(y) && !remember_unstable(y, type, from, (size_t)(to - from)))
		return NO_MEMORY;
	for (struct rf_edge *e = from; e < to; e++) {
		bool keep;
		enum outcome o = count_edge(*e, &keep);
		if (UNLIKELY(o != GOOD)) {
			if (!settling)
				VEC_AT(passed, struct passed, passed.n - 1).counted = (uint32_t)(e - from);
			return o;
		}
		if (keep)
			*kept++ = *e;
	}
	work.n = (size_t)(kept - &VEC_AT(work, struct rf_edge, 0));
	return GOOD;
}

/* In a block of malloc's, on one page that can be read: no fault, and stable. */
static inline bool is_plain(const struct shadow_leaf *l, uintptr_t a, const struct rt_type *t)
{
	size_t i = shadow_index(a), page = (a >> PAGE_BITS) & (LEAF_PAGES - 1);
	const struct shadow_bits *w = &l->bits[i >> 6];
	return !(a & ((t->align - 1) | 7)) && (a & ((1u << PAGE_BITS) - 1)) + t->size <= 1u << PAGE_BITS &&
	       ((w->live & ~w->freed) >> (i & 63) & 1) && (l->readable[page >> 3] >> (page & 7) & 1) && rt_positive;
}

/* Writes the cells of a plain node that are behind its start, if they are few and free. */
static inline bool claim_plain(uintptr_t y, uint16_t *c, const struct rt_type *t)
{
	enum { FOUR = 4 << GRANULE_BITS, PAGE = 1 << PAGE_BITS };
	watch_eight *four = (watch_eight *)(void *)c;
	if (UNLIKELY(!t->words) || UNLIKELY(y % PAGE > PAGE - t->words * (unsigned)FOUR))
		return false;
	for (unsigned i = 0; i < t->words; i++) {
		uint64_t image = t->cell_image[i], mask = (image >> 15 & 0x0001000100010001) * 0xffff,
			 now = four[i] & mask;
		if (UNLIKELY(now && now != image))
			return false;
		four[i] |= image;
	}
	return true;
}

/* A node that is not plain, or that was not met before. */
static __attribute__((noinline)) enum outcome verify_other(uintptr_t y, unsigned type)
{
	if (rt_node_fault((const void *)y, &rt_types[type]) != FAULT_NONE)
		return FAILS;
	uint16_t *c = marks_node(y, type);
	/* a node that was verified before has its cells */
	if ((y & 7) || (!(marks_is(c, type) && (*c & C_DIRTY)) && !claim(y, type, c))) {
		conflict_type = type;
		return CONFLICT;
	}
	return verify_node(y, type, c, false);
}

static enum outcome verify_from(uintptr_t x, unsigned type)
{
	uintptr_t y = x;
	enum outcome o = GOOD;
	work.n = passed.n = 0;
	pass_root = x;
	pass_root_type = type;
	for (;;) {
		const struct rt_type *t = &rt_types[type];
		struct shadow_leaf *l = LIKELY(!(y >> ADDRESS_BITS)) ? shadow_leaf(y) : NULL;
		uint16_t *c = LIKELY(l != NULL) ? &l->cell[t->plane][shadow_index(y)] : NULL;
		/* not only queued nodes: memory that was freed since it was last met may keep its cell */
		if (LIKELY(c != NULL) && LIKELY(marks_is(c, type)) && LIKELY(is_plain(l, y, t)) &&
		    LIKELY((*c & C_DIRTY) || claim_plain(y, c, t)))
			o = verify_node(y, type, c, true);
		else
			o = verify_other(y, type);
		do { /* a shared node may have been put on the list twice */
			if (UNLIKELY(o != GOOD) || !work.n) {
				pass_root = 0;
				return o;
			}
			struct rf_edge e = VEC_AT(work, struct rf_edge, --work.n);
			y = (uintptr_t)e.node;
			type = e.type;
		} while (UNLIKELY(rt_types[type].shared) && (*marks_node(y, type) & C_BLACK));
	}
}

/* The walk failed: what it marked is not kept. Memory is as it was, so that scanning gives the same edges. */
static __attribute__((noinline)) void undo_pass(size_t unstable_n, size_t unstable_below_n)
{
	for (size_t i = 0; i < passed.n; i++) {
		struct passed p = VEC_AT(passed, struct passed, i);
		long n = marks_edges(p.node, p.type);
		for (long j = 0; j < n && j < (long)p.counted; j++) {
			struct rf_edge e = VEC_AT(marks.scratch, struct rf_edge, j);
			uint16_t *c = marks_node((uintptr_t)e.node, e.type);
			if (rt_types[e.type].shared) {
				if (!(*c & C_BLACK))
					marks_erase((uintptr_t)e.node, e.type);
				continue;
			}
			*c &= (uint16_t)~C_HASP;
			if (!(*c & (C_BLACK | C_DIRTY | C_SNAP)))
				*c = 0;
		}
	}
	for (size_t i = 0; i < passed.n; i++)
		marks_erase(VEC_AT(passed, struct passed, i).node, VEC_AT(passed, struct passed, i).type);
	marks.unstable.n = unstable_n;
	marks.unstable_below.n = unstable_below_n;
	passed.n = 0;
}

/* ---- a check */

/* Nodes that the barrier cannot watch count as changed. False: one of another thread is still in use. */
static bool distrust_unstable(void)
{
	bool ok = true;
	for (size_t i = 0; i < marks.unstable.n; i++) {
		struct unstable u = VEC_AT(marks.unstable, struct unstable, i);
		uint16_t *c = marks_node(u.node, u.type);
		if (!c || !marks_is(c, u.type) || !(*c & C_BLACK))
			continue;
		if ((*c & C_HASP) && u.thread != rt_thread())
			ok = false;
		marks_unverify(u.node, u.type, c, &VEC_AT(marks.unstable_below, struct rf_edge, u.first), u.n, true);
	}
	marks.unstable.n = marks.unstable_below.n = 0;
	return ok;
}

static enum outcome settle(void)
{
	size_t entries = 0, wanted = 0;
	for (size_t i = 0; i < marks.queue.n; i++) {
		uint16_t c = *VEC_AT(marks.queue, struct queued, i).c;
		entries += !(c & C_SNAP);
		wanted += (c & (C_DIRTY | C_HASP)) == (C_DIRTY | C_HASP);
	}
	if (!wanted) /* a structure was taken apart, say */
		return GOOD;
	regions_many = entries > 1;
	if (regions_many && !regions_build())
		return NO_MEMORY;
	settling = true;
	enum outcome o = GOOD;
	for (size_t i = 0; i < marks.queue.n && o == GOOD; i++) {
		struct queued q = VEC_AT(marks.queue, struct queued, i);
		if (!marks_is(q.c, q.type) || (*q.c & (C_DIRTY | C_HASP)) != (C_DIRTY | C_HASP))
			continue;
		if (regions_many)
			current_region = region_find((uint32_t)i);
		o = verify_from(q.node, q.type);
	}
	settling = false;
	return o;
}

/* The queue is done with: what is still in it has no verified parent and is forgotten. */
static void finish(void)
{
	for (size_t i = 0; i < marks.queue.n; i++) {
		struct queued q = VEC_AT(marks.queue, struct queued, i);
		/* what a verified node leads to was verified again */
		INVARIANT(!marks_is(q.c, q.type) || !(*q.c & C_HASP) || (*q.c & C_BLACK));
		if (marks_is(q.c, q.type) && !(*q.c & (C_BLACK | C_HASP)))
			marks_erase(q.node, q.type);
	}
	for (size_t i = 0; i < marks.below.n; i++) {
		struct rf_edge e = VEC_AT(marks.below, struct rf_edge, i);
		uint16_t *c = marks_node((uintptr_t)e.node, e.type);
		if (!marks_is(c, e.type))
			continue;
		*c &= (uint16_t)~C_SNAP;
		if (!(*c & (C_BLACK | C_DIRTY | C_HASP)))
			marks_erase((uintptr_t)e.node, e.type);
	}
	marks_queue_clear();
}

/* A value built above the only region of changes, while the place where the region was still leads to it (a
 * rotation, seen by the inner call before the outer one stores the new root). Its nodes that are not verified are
 * walked without marking anything; they must include the region's entry, and the verified trees below must be
 * whole, each reached once. What is above the entry cannot be below it. False: not that case, or not sure. */
static __attribute__((noinline)) bool built_above(uintptr_t x, unsigned type)
{
	struct rf_edge todo[SMALL_TREE], seen[SMALL_TREE];
	struct queued *entry = NULL;
	size_t n = 1, n_seen = 0;
	for (size_t i = 0; i < marks.queue.n; i++) {
		struct queued *q = &VEC_AT(marks.queue, struct queued, i);
		if (*q->c & C_SNAP)
			continue;
		if (entry)
			return false;
		entry = q;
	}
	if (!entry || !(*entry->c & C_HASP) || (entry->node == x && entry->type == type))
		return false;
	bool met_entry = false;
	todo[0] = (struct rf_edge){(const void *)x, type};
	while (n) {
		struct rf_edge y = todo[--n];
		for (size_t i = 0; i < n_seen; i++)
			if (seen[i].node == y.node && seen[i].type == y.type)
				return false;
		if (n_seen == SMALL_TREE)
			return false;
		seen[n_seen++] = y;
		if (rt_node_fault(y.node, &rt_types[y.type]) != FAULT_NONE)
			return false;
		uint16_t *c = marks_node((uintptr_t)y.node, y.type);
		if (marks_is(c, y.type) && (*c & C_BLACK)) {
			if ((*c & C_HASP) || (!(*c & C_SNAP) && !is_clean(y)))
				return false;
			continue;
		}
		met_entry |= entry->node == (uintptr_t)y.node && entry->type == y.type;
		rt_stats.nodes++;
		long k = marks_edges((uintptr_t)y.node, y.type);
		if (k < 0 || n + (size_t)k > SMALL_TREE)
			return false;
		memcpy(&todo[n], marks.scratch.at, (size_t)k * sizeof *todo);
		n += (size_t)k;
	}
	return met_entry;
}

/* Somebody may have taken pages away. */
static void forget_pages(void)
{
	if (LIKELY(!rt_pages_suspect))
		return;
	rt_pages_suspect = false;
	for (struct shadow_leaf *l = rt_leaves; l; l = l->next)
		memset(l->readable, 0, sizeof l->readable);
}

/* Code that is not instrumented is at work: nothing is taken from marks, and none is made. */
static int full_now(const void *p, unsigned type)
{
	forget_pages();
	return rt_full(p, type, true);
}

/* All marks are dropped; what is found now is so for sure. */
static __attribute__((noinline)) int restart(uintptr_t x, unsigned type)
{
	forget_pages();
	for (unsigned tries = 0; tries < 3; tries++) {
		rt_marks_drop();
		rt_stats.restarts++;
		rt_stats.full_passes++;
		enum outcome o = verify_from(x, type);
		finish();
		if (o == GOOD)
			return 1;
		if (o == CONFLICT && rt_type_replane(conflict_type))
			continue;
		rt_marks_drop();
		if (o == NO_MEMORY)
			return -1;
		if (o != CONFLICT)
			return 0;
		break;
	}
	rt_marks_drop();
	return rt_full((const void *)x, type, true);
}

/* Two structures over the same memory, of types in one plane: after the restart each would drive out the other. */
static int restart_after(enum outcome o, uintptr_t x, unsigned type)
{
	if (o == CONFLICT)
		rt_type_replane(conflict_type);
	return restart(x, type);
}

static bool others_pending(void)
{
	return marks.mixed || marks.thread != rt_thread();
}

/* The old root that a copied path may have replaced: its parents are looked at when a second edge turns up. */
static __attribute__((noinline)) void offer_last_root(uintptr_t x)
{
	uint16_t *c = last_root ? marks_node(last_root, last_root_type) : NULL;
	if (!c || last_root == x || !marks_is(c, last_root_type) ||
	    !rt_vec_reserve(&marks.below, 1, sizeof(struct rf_edge)))
		return;
	*c |= C_SNAP;
	VEC_AT(marks.below, struct rf_edge, marks.below.n) = (struct rf_edge){(const void *)last_root, last_root_type};
	marks.below.n++;
}

int rt_marks_check(const void *p, unsigned type)
{
	uintptr_t x = (uintptr_t)p;
	if (!p)
		return (rt_desc(type)->flags & RF_TYPE_NULL) != 0;
	if (rt_types[type].full)
		return rt_full(p, type, true);
	if (x >> ADDRESS_BITS)
		return 0;
	rt_check_brk();
	if (UNLIKELY(rt_full_only) || UNLIKELY(rt_here.n_outside && rt_outside((uintptr_t)__builtin_frame_address(0))))
		return full_now(p, type);
	if (UNLIKELY(rt_positive))
		rt_stack_found((uintptr_t)__builtin_frame_address(0));
	if (UNLIKELY(rt_marks_suspect))
		return restart(x, type);
	if (marks.queue.n && others_pending()) {
		/* a thread that never checks again, or is gone, must not cost a walk each time */
		if (++foreign_walks < FOREIGN_LIMIT)
			return rt_full(p, type, true);
		return restart(x, type);
	}
	foreign_walks = 0;
	if (marks.unstable.n && !distrust_unstable())
		return restart(x, type);
	uint16_t *c = marks_node(x, type);
	if (marks.queue.n) {
		if (!(c && marks_is(c, type) && (*c & C_BLACK)) && built_above(x, type))
			return 1;
		enum outcome settled = settle();
		if (settled != GOOD)
			return restart_after(settled, x, type);
		c = marks_node(x, type);
	}
	enum outcome o = GOOD;
	if (!c || !marks_is(c, type) || !(*c & C_BLACK)) {
		size_t unstable_n = marks.unstable.n, unstable_below_n = marks.unstable_below.n;
		offer_last_root(x);
		o = verify_from(x, type);
		if (o == FAILS)
			undo_pass(unstable_n, unstable_below_n);
		else if (o != GOOD)
			return restart_after(o, x, type);
		last_root = o == GOOD ? x : 0;
		last_root_type = type;
	}
	finish();
	INVARIANT(o != GOOD || rt_marks_is_verified(x, type));
	return o == GOOD;
}
