/* SPDX-License-Identifier: MIT */
/* Engine B, types that are `shared`: how many verified nodes lead to a node, and why there is no cycle.
 *
 * Each node of a `shared` type that is verified, in the queue or about to be verified has a count of the edges of
 * verified nodes to it (C_HASP is set while it is not 0) and a rank. Invariant: the rank of a verified `shared`
 * node is below that of every `shared` node it leads to, so that no cycle can be among them. A new node gets a rank
 * in the middle between the node above and those below. Where an edge does not go up, the node it leads to is
 * raised, and those below it as far as that is needed: the only way that ends at the node where it began is a
 * cycle.
 *
 * A node that nothing leads to, or only nodes of trees, may have any rank below those of its own. */
#include "runtime/check/marks/pass.h"

enum { GAP = 1 << 14 };
#define RANK_NONE (-((int64_t)1 << 39))
#define RANK_LAST ((int64_t)1 << 38)

struct raise {
	struct rf_edge to;
	int64_t rank; /* that it has at least */
};
static struct rt_vec todo; /* struct raise */

/* More nodes below one another than ranks can tell: such a value is walked in full. */
static enum outcome too_deep(void)
{
	pass.conflict = 0;
	return CONFLICT;
}

enum outcome marks_graph_place(struct rf_edge y, bool settled, const struct rf_edge *e, const struct rf_edge *end)
{
	struct graph_cell *g = marks_graph((uintptr_t)y.node, rt_types[y.type].plane);
	int64_t rank = g->rank, below = INT64_MAX;
	for (; e < end; e++) {
		const struct rt_type *t = &rt_types[e->type];
		uint16_t *c = t->shared && !((uintptr_t)e->node >> ADDRESS_BITS)
				      ? marks_cell(t->plane, (uintptr_t)e->node)
				      : NULL;
		if (!c || !marks_is(c, e->type) || !(*c & (C_BLACK | C_DIRTY | C_HASP)) || e->node == y.node)
			continue;
		int64_t r = marks_graph((uintptr_t)e->node, t->plane)->rank;
		if (r != RANK_NONE && r < below)
			below = r;
	}
	if (!g->count || rank == RANK_NONE) {
		rank = below == INT64_MAX ? 0 : below - GAP;
	} else if (!settled && below > rank) { /* its rank is the least it may have */
		int64_t half = (below - rank) / 2;
		rank += half < GAP ? half : GAP;
	}
	if (rank < -RANK_LAST || rank > RANK_LAST)
		return too_deep();
	g->rank = rank;
	return GOOD;
}

static bool later(struct rf_edge e, int64_t rank)
{
	if (!rt_vec_reserve(&todo, 1, sizeof(struct raise)))
		return false;
	VEC_AT(todo, struct raise, todo.n++) = (struct raise){e, rank};
	return true;
}

/* Gives e, which y is to lead to, a rank above y's. When that comes back to y the rest is done all the same: the ranks
 * of nodes that stay verified must be right. */
static enum outcome raise(struct rf_edge y, struct rf_edge e, int64_t least)
{
	bool cycle = false;
	todo.n = 0;
	if (!later(e, least))
		return NO_MEMORY;
	while (todo.n) {
		struct raise r = VEC_AT(todo, struct raise, --todo.n);
		const struct rt_type *t = &rt_types[r.to.type];
		uintptr_t a = (uintptr_t)r.to.node;
		struct graph_cell *g = marks_graph(a, t->plane);
		if (g->rank >= r.rank)
			continue;
		if (r.to.node == y.node && r.to.type == y.type) {
			cycle = true;
			continue;
		}
		if (r.rank > RANK_LAST)
			return too_deep();
		g->rank = r.rank;
		if (!(*marks_cell(t->plane, a) & C_BLACK)) /* its edges are not counted yet */
			continue;
		long n = marks_edges(a, r.to.type);
		if (n < 0)
			return DOUBT;
		for (long i = 0; i < n; i++) {
			struct rf_edge below = VEC_AT(marks.scratch, struct rf_edge, i);
			if (rt_types[below.type].shared && !later(below, r.rank + 1))
				return NO_MEMORY;
		}
	}
	return !cycle ? GOOD : pass.settling ? DOUBT : FAILS;
}

enum outcome marks_graph_count(struct rf_edge y, struct rf_edge e, uint16_t *c, bool known)
{
	struct graph_cell *g = marks_graph((uintptr_t)e.node, rt_types[e.type].plane);
	if (!known)
		*g = (struct graph_cell){RANK_NONE, 0};
	if (rt_types[y.type].shared) {
		int64_t least = marks_graph((uintptr_t)y.node, rt_types[y.type].plane)->rank + 1;
		enum outcome o = g->rank >= least ? GOOD : raise(y, e, least);
		if (o != GOOD)
			return o;
	}
	if (g->count != GRAPH_MANY)
		g->count++;
	*c |= C_HASP;
	return GOOD;
}
