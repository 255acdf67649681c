/* SPDX-License-Identifier: MIT */
/* Random operations on graphs of `shared` nodes, with engine B's verdict compared after each against a checker that
 * knows nothing of the runtime. Used by the unit test (short) and bench/check (long), as check_random.h is.
 *
 * Types, all on one C type: `dag` (shared, may lead to a list of its own), `ord` (shared, with a relation to the
 * nodes below and a measure), `odd` and `even` (shared, one leads to the other), `list` (a tree type, below a dag)
 * and `top` (a tree type above dags). Most links go to later nodes, so that there is something that is right; the
 * others make cycles. Nodes are inserted between two, turned round, shared, taken out, freed and used again; some
 * are sentinels in static memory that are written without the barrier. */
#ifndef TESTS_CHECK_GRAPH_H
#define TESTS_CHECK_GRAPH_H

#include "base/bits.h"
#include "refrain/check.h"
#include "../../runtime/check/inside/watch.h"
#ifdef RF_INVARIANTS
#include "runtime/check/marks/marks.h"
#include "runtime/check/marks/measure.h"
#endif

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

struct vertex {
	struct vertex *a, *b;
	int val, tag;
	struct vertex *list;
	long unwatched;
};

enum { G_POOL = 28, G_STATICS = 2, G_NODES = G_POOL + G_STATICS };
enum { G_DAG, G_ORD, G_ODD, G_EVEN, G_LIST, G_TOP, G_TYPES };

struct graph {
	struct rng rng;
	struct vertex *pool;
	bool freed[G_POOL];
	uint64_t good, bad;
};

extern struct rf_type graph_types[G_TYPES];
static struct vertex graph_statics[G_STATICS];

static struct rf_edge *graph_edge(struct rf_edge *out, const void *p, int type)
{
	if (p)
		*out++ = (struct rf_edge){p, graph_types[type].id};
	return out;
}

static struct rf_edge *scan_dag(const void *p, struct rf_edge *out)
{
	const struct vertex *x = p;
	if (x->val < 0 || x->val > 20)
		return NULL;
	out = graph_edge(graph_edge(out, x->a, G_DAG), x->b, G_DAG);
	return x->tag == 2 ? graph_edge(out, x->list, G_LIST) : out;
}

static struct rf_edge *scan_ord(const void *p, struct rf_edge *out)
{
	const struct vertex *x = p;
	return graph_edge(graph_edge(out, x->a, G_ORD), x->b, G_ORD);
}

/* a->val <= val + 15, and b->val likewise; the measure is the height, at most 9 */
static int after_ord(const void *p, struct rf_below *below, rf_number *out, struct rf_why *why)
{
	const struct vertex *x = p;
	rf_number high = 0;
	(void)why;
	for (int i = 0; i < 2; i++) {
		const struct vertex *k = i ? x->b : x->a;
		const rf_number *m = k ? rf_below(below, k, graph_types[G_ORD].id) : NULL;
		if (k && (!m || k->val > x->val + 15))
			return 0;
		if (m && *m > high)
			high = *m;
	}
	out[0] = high + 1;
	return out[0] <= 9;
}

static struct rf_edge *scan_odd(const void *p, struct rf_edge *out)
{
	const struct vertex *x = p;
	return x->tag == 7 ? NULL : graph_edge(graph_edge(out, x->a, G_EVEN), x->b, G_ODD);
}

static struct rf_edge *scan_even(const void *p, struct rf_edge *out)
{
	const struct vertex *x = p;
	return x->val == 3 ? NULL : graph_edge(out, x->a, G_ODD);
}

static struct rf_edge *scan_glist(const void *p, struct rf_edge *out)
{
	return graph_edge(out, ((const struct vertex *)p)->list, G_LIST);
}

static struct rf_edge *scan_top(const void *p, struct rf_edge *out)
{
	const struct vertex *x = p;
	return graph_edge(graph_edge(out, x->list, G_TOP), x->a, G_DAG);
}

static void graph_explain(const void *p, struct rf_why *w)
{
	(void)p;
	(void)w;
}

#define G_SPAN(f)                                                                                                      \
	{                                                                                                              \
		offsetof(struct vertex, f), sizeof(((struct vertex *)0)->f),                                           \
			__builtin_classify_type(((struct vertex *)0)->f) == 1                                          \
	}
static const struct rf_span graph_spans[] = {G_SPAN(a), G_SPAN(b), G_SPAN(val), G_SPAN(tag), G_SPAN(list)};
static const struct rf_ref dag_refs[] = {{&graph_types[G_DAG], 0}, {&graph_types[G_LIST], 0}, {NULL, 0}};
static const struct rf_ref ord_refs[] = {{&graph_types[G_ORD], 0}, {NULL, 0}};
static const struct rf_ref odd_refs[] = {{&graph_types[G_EVEN], 0}, {&graph_types[G_ODD], 0}, {NULL, 0}};
static const struct rf_ref even_refs[] = {{&graph_types[G_ODD], 0}, {NULL, 0}};
static const struct rf_ref glist_refs[] = {{&graph_types[G_LIST], 0}, {NULL, 0}};
static const struct rf_ref top_refs[] = {{&graph_types[G_TOP], 0}, {&graph_types[G_DAG], 0}, {NULL, 0}};

#define G_ROW(n, fl, sc, rf, af, nm)                                                                                   \
	{                                                                                                              \
		.name = #n, .ctype = "struct vertex", .source = #n, .size = sizeof(struct vertex),                     \
		.align = _Alignof(struct vertex), .edges = 3, .flags = RF_TYPE_NULL | (fl),                            \
		.n_spans = ARRAY_LEN(graph_spans), .spans = graph_spans, .scan = sc, .explain = graph_explain,         \
		.refs = rf, .after = af, .n_measures = nm                                                              \
	}
struct rf_type graph_types[G_TYPES] = {
	[G_DAG] = G_ROW(dag, RF_TYPE_SHARED | RF_TYPE_GENERAL, scan_dag, dag_refs, NULL, 0),
	[G_ORD] = G_ROW(ord, RF_TYPE_SHARED | RF_TYPE_TRACKED, scan_ord, ord_refs, after_ord, 1),
	[G_ODD] = G_ROW(odd, RF_TYPE_SHARED | RF_TYPE_GENERAL, scan_odd, odd_refs, NULL, 0),
	[G_EVEN] = G_ROW(even, RF_TYPE_SHARED, scan_even, even_refs, NULL, 0),
	[G_LIST] = G_ROW(glist, RF_TYPE_GENERAL, scan_glist, glist_refs, NULL, 0),
	[G_TOP] = G_ROW(top, RF_TYPE_GENERAL, scan_top, top_refs, NULL, 0),
};

/* ---- the checker that is always right */

struct graph_ref {
	struct graph *g;
	uint8_t seen[G_NODES][G_TYPES]; /* 1 on the path, 2 done */
	int height[G_NODES];
};

static struct vertex *vertex_at(struct graph *g, unsigned i)
{
	return i < G_POOL ? &g->pool[i] : &graph_statics[i - G_POOL];
}

static int vertex_index(struct graph *g, const struct vertex *p)
{
	for (int i = 0; i < G_NODES; i++)
		if (vertex_at(g, (unsigned)i) == p)
			return i;
	return -1;
}

static bool graph_ref_node(struct graph_ref *r, const struct vertex *x, int type);

static bool graph_ref_ord(struct graph_ref *r, const struct vertex *x, int i)
{
	int high = 0;
	for (int k = 0; k < 2; k++) {
		const struct vertex *kid = k ? x->b : x->a;
		if (!kid)
			continue;
		if (!graph_ref_node(r, kid, G_ORD) || kid->val > x->val + 15)
			return false;
		int h = r->height[vertex_index(r->g, kid)];
		high = h > high ? h : high;
	}
	r->height[i] = high + 1;
	return high + 1 <= 9;
}

static bool graph_ref_edges(struct graph_ref *r, const struct vertex *x, int type, int i)
{
	switch (type) {
	case G_DAG:
		return x->val >= 0 && x->val <= 20 && graph_ref_node(r, x->a, G_DAG) &&
		       graph_ref_node(r, x->b, G_DAG) && (x->tag != 2 || graph_ref_node(r, x->list, G_LIST));
	case G_ORD:
		return graph_ref_ord(r, x, i);
	case G_ODD:
		return x->tag != 7 && graph_ref_node(r, x->a, G_EVEN) && graph_ref_node(r, x->b, G_ODD);
	case G_EVEN:
		return x->val != 3 && graph_ref_node(r, x->a, G_ODD);
	case G_LIST:
		return graph_ref_node(r, x->list, G_LIST);
	default:
		return graph_ref_node(r, x->list, G_TOP) && graph_ref_node(r, x->a, G_DAG);
	}
}

static bool graph_ref_node(struct graph_ref *r, const struct vertex *x, int type)
{
	if (!x)
		return true;
	int i = vertex_index(r->g, x);
	if (i < 0 || (i < G_POOL && r->g->freed[i]))
		return false;
	if (r->seen[i][type])
		return r->seen[i][type] == 2 && type < G_LIST;
	r->seen[i][type] = 1;
	if (!graph_ref_edges(r, x, type, i))
		return false;
	r->seen[i][type] = 2;
	return true;
}

static bool graph_compare(struct graph *g, const struct vertex *x, int type)
{
	static struct graph_ref r;
	memset(&r, 0, sizeof r);
	r.g = g;
	bool want = graph_ref_node(&r, x, type), got = rf_check(x, &graph_types[type]);
	want ? g->good++ : g->bad++;
	if (want == got)
		return true;
	fprintf(stderr, "# type %s: engine says %d, full walk %d, reference %d\n", graph_types[type].name, got,
		rf_check_full(x, &graph_types[type]), want);
	return false;
}

/* ---- operations */

static unsigned graph_rnd(struct graph *g, unsigned n)
{
	return (unsigned)rng_below(&g->rng, n);
}

/* As instrumented code stores; static nodes are written without the barrier now and then. */
static void graph_store(struct graph *g, void *at, const void *v, size_t n)
{
	bool mine = (char *)at >= (char *)g->pool && (char *)at < (char *)(g->pool + G_POOL);
	if ((mine || graph_rnd(g, 2)) && watch_any((uintptr_t)at, n) && memcmp(at, v, n) != 0)
		rf_touch(at, n);
	memcpy(at, v, n);
}

static void graph_link(struct graph *g, struct vertex **at, struct vertex *v)
{
	graph_store(g, at, &v, sizeof v);
}

static unsigned graph_live(struct graph *g)
{
	unsigned i;
	do
		i = graph_rnd(g, G_NODES);
	while (i < G_POOL && g->freed[i]);
	return i;
}

static struct vertex **graph_field(struct graph *g, struct vertex *x)
{
	unsigned k = graph_rnd(g, 7);
	return k < 3 ? &x->a : k < 6 ? &x->b : &x->list;
}

/* A later node mostly, a sentinel, or any at all. */
static struct vertex *graph_target(struct graph *g, unsigned from)
{
	unsigned k = graph_rnd(g, 40);
	if (k < 3)
		return vertex_at(g, G_POOL + graph_rnd(g, G_STATICS));
	if (k < 4)
		return vertex_at(g, graph_live(g));
	for (unsigned tries = 0; tries < 6; tries++) {
		unsigned i = graph_live(g);
		if (i > from)
			return vertex_at(g, i);
	}
	return NULL;
}

static void graph_reset(struct graph *g, unsigned i)
{
	struct vertex v = {.val = (int)graph_rnd(g, 16), .tag = (int)graph_rnd(g, 3)};
	if (i < G_POOL && graph_rnd(g, 2))
		v.a = graph_target(g, i);
	graph_store(g, vertex_at(g, i), &v, sizeof v);
}

static void graph_operate(struct graph *g)
{
	unsigned k = graph_rnd(g, 100), i = graph_live(g);
	struct vertex *x = vertex_at(g, i), **at = graph_field(g, x), *y = *at;
	int j = y ? vertex_index(g, y) : -1, v = (int)graph_rnd(g, 16);
	bool there = j >= 0 && (j >= G_POOL || !g->freed[j]);
	if (k < 34) {
		graph_link(g, at, graph_target(g, i));
	} else if (k < 44) { /* a node between the two */
		unsigned m = graph_live(g);
		graph_link(g, graph_rnd(g, 2) ? &vertex_at(g, m)->a : &vertex_at(g, m)->b, y);
		graph_link(g, at, vertex_at(g, m));
	} else if (k < 54 && there) { /* turned round */
		graph_link(g, at, y->b);
		graph_link(g, &y->b, x);
	} else if (k < 64) {
		graph_link(g, at, there ? y->a : NULL);
	} else if (k < 70) {
		graph_link(g, at, NULL);
	} else if (k < 76) {
		graph_store(g, &x->val, &v, sizeof v);
	} else if (k < 79) {
		v %= 4;
		graph_store(g, &x->tag, &v, sizeof v);
	} else if (k < 81) {
		v = graph_rnd(g, 3) ? 7 : 30;
		graph_store(g, graph_rnd(g, 2) ? &x->tag : &x->val, &v, sizeof v);
	} else if (k < 86 && i < G_POOL) {
		rf_freed(x, sizeof *x);
		g->freed[i] = true;
	} else if (k < 92) {
		i = graph_rnd(g, G_POOL);
		if (g->freed[i])
			rf_alloced(&g->pool[i], sizeof *x);
		g->freed[i] = false;
		graph_reset(g, i);
	} else if (k < 97) {
		graph_reset(g, i);
	} else {
		struct vertex copy = *vertex_at(g, graph_live(g));
		graph_store(g, x, &copy, sizeof copy);
	}
}

static void graph_start(struct graph *g)
{
	for (unsigned i = 0; i < G_POOL; i++) {
		if (g->freed[i])
			rf_alloced(&g->pool[i], sizeof *g->pool);
		g->freed[i] = false;
	}
	for (unsigned i = G_NODES; i-- > 0;)
		graph_reset(g, i);
	for (unsigned i = 0; i < G_POOL; i++)
		graph_link(g, &g->pool[i].b, graph_target(g, i));
}

static void graph_look_through(bool checked)
{
#ifdef RF_INVARIANTS
	marks_check();
	if (checked) /* nothing was written to unseen since */
		rt_measures_walk();
#else
	(void)checked;
#endif
}

/* The number of comparisons that agreed before the first that did not; n when all did. */
static uint64_t graph_run(uint64_t n, uint64_t seed, uint64_t *good, uint64_t *bad)
{
	struct graph g = {.rng = {seed}};
	size_t bytes = 1 << 16;
	char *map = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	g.pool = (struct vertex *)(void *)(map + 64);
	for (int i = 0; i < G_TYPES; i++)
		rf_type_register(&graph_types[i]);
	uint64_t k = 0;
	int type = G_DAG;
	for (; k < n; k++) {
		if (k % 400 == 0) {
			graph_start(&g);
			type = (int)graph_rnd(&g, G_TYPES);
		}
		for (unsigned ops = graph_rnd(&g, graph_rnd(&g, 6) ? 3 : 12); ops; ops--)
			graph_operate(&g);
		if (k % 100 == 0)
			graph_look_through(false);
		/* mostly one type and the same root */
		unsigned root = graph_rnd(&g, 3) ? 0 : graph_live(&g);
		if (root == 0 && g.freed[0])
			continue;
		if (!graph_compare(&g, vertex_at(&g, root), graph_rnd(&g, 4) ? type : (int)graph_rnd(&g, G_TYPES)))
			break;
		if (k % 100 == 50)
			graph_look_through(true);
	}
	rf_freed(map, bytes);
	rf_alloced(map, bytes);
	rf_mapped(map, bytes, 0);
	munmap(map, bytes);
	*good += g.good;
	*bad += g.bad;
	return k;
}

#endif
