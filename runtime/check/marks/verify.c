/* SPDX-License-Identifier: MIT */
/* Engine B, one pass: nodes are verified, their edges counted, from a node down to what is verified (the rules are in
 * marks.c). While changes are settled a node may take over only what was below the same region of changes, or whole
 * trees that are clean. */
#include "runtime/check/marks/pass.h"
#include "runtime/check/marks/measure.h"

#include "base/invariant.h"

#include <string.h>

enum { CLEAN_LIMIT = 1 << 16 };

struct passed {
	uintptr_t node;
	uint32_t type;
	uint32_t counted; /* how many of its edges were counted */
};

static struct rt_vec work;   /* struct rf_edge: nodes to verify */
static struct rt_vec passed; /* struct passed: verified in this pass */
static uintptr_t pass_root;
static uint32_t pass_root_type;
struct pass pass;

/* ---- regions: queued nodes connected by the edges they had */

struct region_entry {
	uintptr_t node;
	uint32_t type;
	uint32_t queued; /* 1 + number of the queued node it is, or was below */
};
static struct rt_vec region_table, region_up; /* region_up: uint32_t, union-find over the queue */
static size_t region_mask;

uint32_t marks_region(uint32_t i)
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

__attribute__((noinline)) bool marks_regions_build(void)
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
				VEC_AT(region_up, uint32_t, marks_region(r->queued - 1)) = marks_region((uint32_t)i);
			else
				*r = (struct region_entry){(uintptr_t)e.node, e.type, (uint32_t)i + 1};
		}
	}
	return true;
}

static bool in_current_region(struct rf_edge e)
{
	if (!pass.many)
		return true;
	struct region_entry *r = region_place((uintptr_t)e.node, e.type);
	return r->queued && marks_region(r->queued - 1) == pass.region;
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
__attribute__((noinline)) bool marks_clean(struct rf_edge root)
{
	static struct rt_vec todo;
	todo.n = 0;
	if (!rt_vec_reserve(&todo, 1, sizeof root))
		return false;
	VEC_AT(todo, struct rf_edge, todo.n++) = root;
	for (size_t seen = 0; todo.n; seen++) {
		struct rf_edge y = VEC_AT(todo, struct rf_edge, --todo.n);
		uint16_t *c = marks_node((uintptr_t)y.node, y.type);
		if (rt_types[y.type].shared) /* no type of a tree leads back from there */
			continue;
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
		if (pass.settling && !((*c & C_SNAP) && in_current_region(e)) && !marks_clean(e))
			return DOUBT;
		*keep = false;
	}
	*c |= C_HASP;
	return GOOD;
}

static __attribute__((noinline)) enum outcome count_new(struct rf_edge y, struct rf_edge e, bool *keep)
{
	uintptr_t a = (uintptr_t)e.node;
	const struct rt_type *t = &rt_types[e.type];
	uint16_t *c = a >> ADDRESS_BITS ? NULL : marks_cell(t->plane, a);
	bool known = t->shared && !(a & 7) && c && marks_is(c, e.type) && (*c & (C_BLACK | C_DIRTY | C_HASP));
	if (!known) {
		if (rt_node_fault(e.node, t) != FAULT_NONE)
			return FAILS;
		c = marks_cell(t->plane, a);
		if ((a & 7) || (*c && !marks_is(c, e.type) && !evict(t->plane, a, c))) {
			pass.conflict = e.type;
			return CONFLICT;
		}
		marks_page(shadow_leaf(a), a);
		*c |= (uint16_t)(C_START | e.type);
	}
	*keep = !(*c & C_BLACK);
	if (t->shared)
		return marks_graph_room(a, t->plane) ? marks_graph_count(y, e, c, known) : NO_MEMORY;
	*c |= C_HASP;
	return GOOD;
}

static inline __attribute__((always_inline)) enum outcome count_edge(struct rf_edge y, struct rf_edge e, bool *keep)
{
	uintptr_t a = (uintptr_t)e.node;
	const struct rt_type *t = &rt_types[e.type];
	struct shadow_leaf *l = UNLIKELY(a & ~(((uintptr_t)1 << ADDRESS_BITS) - 8)) ? NULL : shadow_leaf(a);
	*keep = true;
	if (UNLIKELY(!l) || UNLIKELY(t->shared))
		return count_new(y, e, keep);
	uint16_t *c = &l->cell[t->plane][shadow_index(a)];
	unsigned s = *c;
	if (LIKELY((s & (C_START | C_INTERIOR | C_TYPE | C_HASP)) == (C_START | e.type))) {
		/* not verified, or below the only region of changes before */
		if (!(s & C_BLACK) || ((s & C_SNAP) && pass.settling && !pass.many && a != pass_root)) {
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
	return marks_is(c, e.type) ? count_known(e, c, keep) : count_new(y, e, keep);
}

/* An unstable node's edges are kept: memory may change unseen. */
static bool remember_unstable(uintptr_t y, unsigned type, const struct rf_edge *e, size_t n)
{
	const struct rt_type *t = &rt_types[type];
	marks.open = 0;
	if (!rt_vec_reserve(&marks.unstable, 1, sizeof(struct unstable)) ||
	    !rt_vec_reserve(&marks.unstable_below, n, sizeof(struct rf_edge)) ||
	    !rt_vec_reserve(&marks.unstable_bytes, MARKS_GRANULES, sizeof(uint64_t)))
		return false;
	struct unstable u = {y, type, rt_thread(), marks.unstable_below.n, n, marks.unstable_bytes.n, 0};
	if (t->n_granules < MARKS_GRANULES)
		u.n_bytes = marks_read(y, t, &VEC_AT(marks.unstable_bytes, uint64_t, marks.unstable_bytes.n));
	marks.unstable_bytes.n += u.n_bytes;
	VEC_AT(marks.unstable, struct unstable, marks.unstable.n++) = u;
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
	bool settled = (*c & C_DIRTY) != 0;
	*c = (uint16_t)((*c & ~C_DIRTY) | C_BLACK);
	watch_node(y, t);
	if (!pass.settling) { /* a pass that may have to be undone */
		if (!rt_vec_reserve(&passed, 1, sizeof(struct passed)))
			return NO_MEMORY;
		VEC_AT(passed, struct passed, passed.n++) = (struct passed){y, type, (uint32_t)(to - from)};
	}
	if (UNLIKELY(!stable) && rt_unstable(y) && !remember_unstable(y, type, from, (size_t)(to - from)))
		return NO_MEMORY;
	if (UNLIKELY(t->shared)) {
		enum outcome o = marks_graph_room(y, t->plane)
					 ? marks_graph_place((struct rf_edge){(const void *)y, type}, settled, from, to)
					 : NO_MEMORY;
		if (o != GOOD)
			return o;
	}
	for (struct rf_edge *e = from; e < to; e++) {
		bool keep;
		enum outcome o = count_edge((struct rf_edge){(const void *)y, type}, *e, &keep);
		if (UNLIKELY(o != GOOD)) {
			if (!pass.settling)
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
	       ((__atomic_load_n(&w->live, __ATOMIC_RELAXED) & ~__atomic_load_n(&w->freed, __ATOMIC_RELAXED)) >>
			(i & 63) &
		1) &&
	       (l->readable[page >> 3] >> (page & 7) & 1) && rt_positive;
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
		pass.conflict = type;
		return CONFLICT;
	}
	return verify_node(y, type, c, false);
}

enum outcome marks_verify(uintptr_t x, unsigned type)
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

__attribute__((noinline)) void marks_undo(size_t unstable_n)
{
	for (size_t i = 0; i < passed.n; i++) {
		struct passed p = VEC_AT(passed, struct passed, i);
		long n = marks_edges(p.node, p.type);
		for (long j = 0; j < n && j < (long)p.counted; j++) {
			struct rf_edge e = VEC_AT(marks.scratch, struct rf_edge, j);
			uint16_t *c = marks_node((uintptr_t)e.node, e.type);
			if (rt_types[e.type].shared) {
				marks_uncount((uintptr_t)e.node, rt_types[e.type].plane, c);
				if (!(*c & (C_BLACK | C_DIRTY | C_HASP)))
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
	if (unstable_n < marks.unstable.n) {
		const struct unstable *u = &VEC_AT(marks.unstable, struct unstable, unstable_n);
		marks.unstable_below.n = u->first;
		marks.unstable_bytes.n = u->first_byte;
		marks.unstable.n = unstable_n;
	}
	passed.n = 0;
}
