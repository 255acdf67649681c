/* SPDX-License-Identifier: MIT */
/* Are engine B's marks what marks.c says they are? A walk over all cells, for tests: built with RF_INVARIANTS only.
 *
 * Holds between two calls of the runtime, unless something was written while it could not look (rt_marks_suspect).
 * Every start of a node found in the shadow is listed with its cell; the edges of verified nodes are listed beside
 * them, and both lists are compared by cell. Edges of a node that the barrier cannot watch are those that were
 * remembered when it was verified. Each node is reached by one edge at most, so that a cycle is found by following the
 * edges upwards. */
#include "runtime/check/marks/marks.h"

#include "base/invariant.h"

#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef RF_INVARIANTS
struct found { /* the start of a node */
	uint16_t *c;
	uintptr_t node;
	uint32_t type;
};
struct counted { /* an edge of a verified node */
	uint16_t *to;
	uint16_t *from;
};
static struct rt_vec nodes, counted, edges; /* struct found, struct counted, struct rf_edge */

static void add_found(uint16_t *c, uintptr_t node)
{
	INVARIANT(rt_vec_reserve(&nodes, 1, sizeof(struct found)));
	VEC_AT(nodes, struct found, nodes.n++) = (struct found){c, node, *c & C_TYPE};
}

/* Pages that the kernel never had to give have no cells. */
static void find_nodes(unsigned plane, struct shadow_leaf *l)
{
	static unsigned char in_core[1 << 14];
	size_t page = (size_t)sysconf(_SC_PAGESIZE), n = sizeof l->cell[plane] / page, per = page / sizeof(uint16_t);
	INVARIANT(n <= sizeof in_core && mincore(l->cell[plane], sizeof l->cell[plane], in_core) == 0);
	for (size_t p = 0; p < n; p++)
		for (size_t i = p * per; (in_core[p] & 1) && i < (p + 1) * per; i++)
			if ((l->cell[plane][i] & (C_START | C_INTERIOR)) == C_START)
				add_found(&l->cell[plane][i], l->from + (i << GRANULE_BITS));
}

static void count_edges(const struct found *f, const struct rf_edge *e, size_t n)
{
	INVARIANT(rt_vec_reserve(&counted, n, sizeof(struct counted)));
	for (size_t i = 0; i < n; i++) {
		uint16_t *to = marks_node((uintptr_t)e[i].node, e[i].type);
		/* marks.c, 1: to a verified node or to one in the queue */
		INVARIANT(to && marks_is(to, e[i].type) && (*to & C_HASP) && (*to & (C_BLACK | C_DIRTY)));
		VEC_AT(counted, struct counted, counted.n++) = (struct counted){to, f->c};
		if (rt_types[e[i].type].shared && rt_types[f->type].shared) /* marks/graph.c: no way leads back */
			INVARIANT(marks_graph((uintptr_t)e[i].node, rt_types[e[i].type].plane)->rank >
				  marks_graph(f->node, rt_types[f->type].plane)->rank);
	}
}

/* The last record of a node that the barrier cannot watch; NULL: there is none. */
static const struct unstable *unstable_record(const struct found *f)
{
	for (size_t i = marks.unstable.n; i-- > 0;) {
		const struct unstable *u = &VEC_AT(marks.unstable, struct unstable, i);
		if (u->node == f->node && u->type == f->type)
			return u;
	}
	return NULL;
}

static void check_verified(const struct found *f)
{
	const struct rt_type *t = &rt_types[f->type];
	/* a store to any of it is told to the runtime; to a number that has changed already, it need not be */
	bool light = (*f->c & C_LIGHT) == C_LIGHT;
	INVARIANT(!t->watch_start || light || (*watch_byte(f->node) >> t->plane & 1));
	for (unsigned i = 0; i < t->n_granules; i++) {
		uint16_t *k = marks_cell(t->plane, f->node + ((uintptr_t)t->granule[i] << GRANULE_BITS));
		INVARIANT(k && *k == (C_INTERIOR | t->granule[i]));
		INVARIANT((light && t->granule[i] < 16 && (t->numbers >> t->granule[i] & 1)) ||
			  (*watch_byte(f->node + ((uintptr_t)t->granule[i] << GRANULE_BITS)) >> t->plane & 1));
	}
	if (rt_unstable(f->node)) {
		const struct unstable *u = unstable_record(f);
		INVARIANT(u && u->first + u->n <= marks.unstable_below.n);
		count_edges(f, &VEC_AT(marks.unstable_below, struct rf_edge, u->first), u->n);
		return;
	}
	INVARIANT(rt_vec_reserve(&edges, t->max_edges + 1, sizeof(struct rf_edge)));
	struct rf_edge *from = &VEC_AT(edges, struct rf_edge, 0), *to = marks_counted(f->node, f->type, f->c, from);
	INVARIANT(to != NULL || light);
	if (!to)
		return;
	count_edges(f, from, (size_t)(to - from));
}

static int by_target(const void *a, const void *b)
{
	const struct counted *x = a, *y = b;
	return (x->to > y->to) - (x->to < y->to);
}

static struct counted *edge_to(uint16_t *c)
{
	struct counted key = {c, NULL};
	return counted.n ? bsearch(&key, counted.at, counted.n, sizeof key, by_target) : NULL;
}

static size_t edges_to(uint16_t *c)
{
	size_t n = 0;
	for (size_t i = 0; i < counted.n; i++)
		n += VEC_AT(counted, struct counted, i).to == c;
	return n;
}

static size_t shared_count(const struct found *f)
{
	unsigned plane = rt_types[f->type].plane;
	return shadow_leaf(f->node)->graph[plane] ? marks_graph(f->node, plane)->count : 0;
}

static void check_edges(void)
{
	if (counted.n)
		qsort(counted.at, counted.n, sizeof(struct counted), by_target);
	for (size_t i = 1; i < counted.n; i++) /* marks.c, 2: one edge only */
		INVARIANT(VEC_AT(counted, struct counted, i - 1).to != VEC_AT(counted, struct counted, i).to ||
			  rt_types[*VEC_AT(counted, struct counted, i).to & C_TYPE].shared);
	for (size_t i = 0; i < nodes.n; i++) {
		const struct found *f = &VEC_AT(nodes, struct found, i);
		/* marks.c, 2: exactly when there is one */
		INVARIANT(!(*f->c & C_HASP) == !edge_to(f->c));
		if (rt_types[f->type].shared)
			INVARIANT(shared_count(f) == edges_to(f->c));
		/* marks.c, 3: the way up ends */
		size_t steps = 0;
		for (struct counted *e = edge_to(f->c); e; e = edge_to(e->from))
			INVARIANT(steps++ < nodes.n);
	}
}

/* Queue and logs have exactly the nodes whose cells say so. */
static void check_queue(void)
{
	size_t dirty = 0, below = 0;
	for (size_t i = 0; i < nodes.n; i++) {
		uint16_t c = *VEC_AT(nodes, struct found, i).c;
		dirty += (c & C_LIGHT) == C_DIRTY;
		below += (c & C_SNAP) != 0;
	}
	INVARIANT(dirty == marks.queue.n);
	for (size_t i = 0; i < marks.queue.n; i++) {
		const struct queued *q = &VEC_AT(marks.queue, struct queued, i);
		INVARIANT(q->c == marks_node(q->node, q->type) && marks_is(q->c, q->type));
		INVARIANT((*q->c & (C_DIRTY | C_BLACK)) == C_DIRTY && q->first + q->n <= marks.below.n);
	}
	INVARIANT(below <= marks.below.n);
	for (size_t i = 0; i < marks.below.n; i++) {
		struct rf_edge e = VEC_AT(marks.below, struct rf_edge, i);
		uint16_t *c = marks_node((uintptr_t)e.node, e.type);
		INVARIANT(c && marks_is(c, e.type) && (*c & C_SNAP));
	}
}

void marks_check(void)
{
	if (RT_GET(rt_marks_suspect) || rt_types_changed || !rf_shadow_planes)
		return;
	nodes.n = counted.n = 0;
	for (struct shadow_leaf *l = rt_leaves; l; l = l->next)
		for (unsigned p = 0; p < rf_shadow_planes; p++)
			find_nodes(p, l);
	for (size_t i = 0; i < nodes.n; i++) {
		const struct found *f = &VEC_AT(nodes, struct found, i);
		INVARIANT(f->type >= 1 && f->type <= rt_n_types && !rt_types[f->type].full);
		INVARIANT(f->c == marks_node(f->node, f->type));
		INVARIANT((*f->c & C_LIGHT) != C_LIGHT || marks.light.n);
		if (*f->c & C_BLACK)
			check_verified(f);
	}
	check_edges();
	check_queue();
}
#endif
