/* SPDX-License-Identifier: MIT */
/* Engine B: verdicts from marks that stores invalidate.
 *
 * Verified ("black") nodes satisfy their own conditions and have not changed since. Invariants between checks:
 *   1. an edge of a black node leads to a black node of the right type, or to one in the queue (C_DIRTY);
 *   2. C_HASP is set on a node exactly when a black node has an edge to it, and there is one such edge only
 *      (types that are `shared` excepted: there the edges are counted, and ranks exclude cycles, marks/graph.c);
 *   3. black nodes that are not `shared`, and the edges between them, form a forest.
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
#include "runtime/check/marks/pass.h"
#include "runtime/check/marks/measure.h"

#include "base/invariant.h"

#include <string.h>

enum { SMALL_TREE = 64, FOREIGN_LIMIT = 16 };

static uintptr_t last_root;
static uint32_t last_root_type;
static unsigned foreign_walks; /* checks in a row that met changes of another thread */

void rt_marks_drop(void)
{
	rt_measures_drop();
	if (rf_shadow_planes)
		rt_clear_cells();
	marks_queue_clear();
	marks.unstable.n = marks.unstable_below.n = marks.unstable_bytes.n = 0;
	RT_SET(rt_marks_suspect, RT_GET(rt_files_suspect)); /* until somebody has looked */
	last_root = 0;
}

/* Of a node that the barrier cannot watch: is what its conditions read as it was? */
static bool is_unchanged(const struct unstable *u)
{
	uint64_t now[MARKS_GRANULES];
	const struct rt_type *t = &rt_types[u->type];
	if (u->thread != rt_thread() || !u->n_bytes || rt_node_fault((const void *)u->node, t) != FAULT_NONE)
		return false;
	size_t n = marks_read(u->node, t, now);
	return memcmp(now, &VEC_AT(marks.unstable_bytes, uint64_t, u->first_byte), n * sizeof *now) == 0;
}

/* The record moves to the end of those that stay. */
static void keep_unstable(struct unstable u)
{
	struct rf_edge *edges = &VEC_AT(marks.unstable_below, struct rf_edge, 0);
	uint64_t *bytes = &VEC_AT(marks.unstable_bytes, uint64_t, 0);
	for (size_t i = 0; i < u.n; i++)
		edges[marks.unstable_below.n + i] = edges[u.first + i];
	for (size_t i = 0; i < u.n_bytes; i++)
		bytes[marks.unstable_bytes.n + i] = bytes[u.first_byte + i];
	u.first = marks.unstable_below.n;
	u.first_byte = marks.unstable_bytes.n;
	marks.unstable_below.n += u.n;
	marks.unstable_bytes.n += u.n_bytes;
	VEC_AT(marks.unstable, struct unstable, marks.unstable.n++) = u;
}

/* Nodes that the barrier cannot watch count as changed, unless their bytes are as they were. False: one of another
 * thread is still in use. */
static bool distrust_unstable(void)
{
	bool ok = true;
	size_t n = marks.unstable.n;
	marks.unstable.n = marks.unstable_below.n = marks.unstable_bytes.n = 0;
	for (size_t i = 0; i < n; i++) {
		struct unstable u = VEC_AT(marks.unstable, struct unstable, i);
		uint16_t *c = marks_node(u.node, u.type);
		if (!c || !marks_is(c, u.type) || !(*c & C_BLACK))
			continue;
		if (is_unchanged(&u)) {
			keep_unstable(u);
			continue;
		}
		if ((*c & C_HASP) && u.thread != rt_thread())
			ok = false;
		marks_unverify(u.node, u.type, c, &VEC_AT(marks.unstable_below, struct rf_edge, u.first), u.n, true);
	}
	return ok;
}

/* Nodes of which numbers changed: with the edges they had they stay what they were. False: one fails, or there is no
 * memory. */
static bool settle_numbers(void)
{
	for (size_t i = 0; i < marks.light.n; i++) {
		struct light l = VEC_AT(marks.light, struct light, i);
		if (!marks_is(l.c, l.type) || (*l.c & C_LIGHT) != C_LIGHT) /* it was queued meanwhile */
			continue;
		const struct rf_edge *old = &VEC_AT(marks.light_edges, struct rf_edge, l.first);
		long n = marks_edges(l.node, l.type);
		bool same = n == (long)l.n;
		for (long j = 0; j < n && same; j++) {
			const struct rf_edge *e = &VEC_AT(marks.scratch, struct rf_edge, j);
			same = e->node == old[j].node && e->type == old[j].type;
		}
		rt_stats.nodes++;
		if (n < 0)
			return false;
		*l.c &= (uint16_t)~C_DIRTY;
		if (same)
			watch_node(l.node, &rt_types[l.type]);
		else
			marks_unverify(l.node, l.type, l.c, old, l.n, true);
	}
	marks.light.n = marks.light_edges.n = 0;
	return true;
}

static enum outcome settle(void)
{
	size_t entries = 0, wanted = 0;
	for (size_t i = 0; i < marks.queue.n; i++) {
		struct queued *q = &VEC_AT(marks.queue, struct queued, i);
		uint16_t c = *q->c;
		/* a `shared` node without trees below it has nothing that could be taken over wrongly */
		entries += !(c & C_SNAP) && (q->n || !rt_types[q->type].shared);
		wanted += (c & (C_DIRTY | C_HASP)) == (C_DIRTY | C_HASP);
	}
	if (!wanted) /* a structure was taken apart, say */
		return GOOD;
	pass.many = entries > 1;
	if (pass.many && !marks_regions_build())
		return NO_MEMORY;
	pass.settling = true;
	enum outcome o = GOOD;
	for (size_t i = 0; i < marks.queue.n && o == GOOD; i++) {
		struct queued q = VEC_AT(marks.queue, struct queued, i);
		if (!marks_is(q.c, q.type) || (*q.c & (C_DIRTY | C_HASP)) != (C_DIRTY | C_HASP))
			continue;
		if (pass.many)
			pass.region = marks_region((uint32_t)i);
		o = marks_verify(q.node, q.type);
	}
	pass.settling = false;
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
		if (n_seen == SMALL_TREE || rt_types[y.type].shared || ((uintptr_t)y.node & 7))
			return false;
		seen[n_seen++] = y;
		if (rt_node_fault(y.node, &rt_types[y.type]) != FAULT_NONE)
			return false;
		uint16_t *c = marks_node((uintptr_t)y.node, y.type);
		if (marks_is(c, y.type) && (*c & C_BLACK)) {
			if ((*c & C_HASP) || (!(*c & C_SNAP) && !marks_clean(y)))
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
	if (LIKELY(!RT_GET(rt_pages_suspect)))
		return;
	RT_SET(rt_pages_suspect, false);
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
		enum outcome o = marks_verify(x, type);
		finish();
		if (o == GOOD)
			return 1;
		if (o == CONFLICT && pass.conflict && rt_type_replane(pass.conflict))
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
	if (o == CONFLICT && pass.conflict)
		rt_type_replane(pass.conflict);
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
	if (!c || last_root == x || !marks_is(c, last_root_type) || rt_types[last_root_type].shared ||
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
	if (rt_types[type].full || UNLIKELY(x & 7)) /* cells are those of granules */
		return rt_full(p, type, true);
	if (x >> ADDRESS_BITS)
		return 0;
	rt_check_brk();
	if (UNLIKELY(RT_GET(rt_files_suspect)))
		RT_SET(rt_full_only, RT_GET(rt_full_only) || rt_memory_is_open());
	if (UNLIKELY(rt_family->n != rt_family_seen) && rt_family_look())
		rf_mixed();
	if (UNLIKELY(RT_GET(rt_full_only)) ||
	    UNLIKELY(rt_here.n_outside && rt_outside((uintptr_t)__builtin_frame_address(0))) ||
	    UNLIKELY(__atomic_load_n(&rt_aliens, __ATOMIC_ACQUIRE)))
		return full_now(p, type);
	if (UNLIKELY(rt_positive))
		rt_stack_found((uintptr_t)__builtin_frame_address(0));
	if (UNLIKELY(RT_GET(rt_marks_suspect)))
		return restart(x, type);
	if ((marks.queue.n | marks.light.n) && others_pending()) {
		/* a thread that never checks again, or is gone, must not cost a walk each time */
		if (++foreign_walks < FOREIGN_LIMIT)
			return rt_full(p, type, true);
		return restart(x, type);
	}
	foreign_walks = 0;
	if (marks.light.n && !settle_numbers())
		return restart(x, type);
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
		size_t unstable_n = marks.unstable.n;
		offer_last_root(x);
		o = marks_verify(x, type);
		if (o == FAILS)
			marks_undo(unstable_n);
		else if (o != GOOD)
			return restart_after(o, x, type);
		last_root = o == GOOD ? x : 0;
		last_root_type = type;
	}
	finish();
	INVARIANT(o != GOOD || rt_marks_is_verified(x, type));
	return o == GOOD;
}
