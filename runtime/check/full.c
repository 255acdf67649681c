/* SPDX-License-Identifier: MIT */
/* One full walk over a structure: the meaning of a type, with nothing remembered.
 *
 * Depth first with an explicit stack. A table of visited (node, type) pairs tells an edge back to a node whose walk is
 * not over (a cycle: no finite value, unless it closes a ring) from one to a finished node (sharing: refused in trees,
 * fine otherwise and not walked again), so the walk ends on every graph in linear time. Relations to other nodes and
 * measures are looked at when all nodes below were. The explaining walk is the same and asks each type for the names of
 * its fields. */
#include "runtime/check/marks/measure.h"

#include <stdio.h>
#include <string.h>

struct frame {
	const void *node;
	uint32_t type;
	uint32_t slot;      /* in the table */
	size_t first, next; /* its edges */
	size_t end;
};

struct visited {
	uintptr_t node;
	uint32_t type;
	uint32_t first; /* its measures, in `values` */
	uint32_t walk;  /* of which it is an entry; all others are free */
	uint32_t done;
};

static struct rt_vec frames, edges, table; /* table: a power of two of struct visited */
static struct rt_vec values;               /* rf_number: measures of nodes that are done */
static size_t table_mask, table_n;
static uint32_t this_walk; /* so that a table need not be cleared for each: most walks are short */
uintptr_t rt_full_fault_node;

static bool table_start(void)
{
	table_n = 0;
	if (!table.at) {
		table_mask = 1023;
		if (!rt_vec_reserve(&table, table_mask + 1, sizeof(struct visited)))
			return false;
	} else if (table_mask > 1u << 20) {
		rt_vec_release(&table, sizeof(struct visited));
		return table_start();
	}
	if (++this_walk == 0) {
		memset(table.at, 0, (table_mask + 1) * sizeof(struct visited));
		this_walk = 1;
	}
	return true;
}

static inline bool is_taken(const struct visited *v)
{
	return v->walk == this_walk;
}

static size_t table_find(uintptr_t node, uint32_t type)
{
	size_t i = mix64(node ^ ((uint64_t)type << 48)) & table_mask;
	struct visited *v = &VEC_AT(table, struct visited, 0);
	while (is_taken(&v[i]) && (v[i].node != node || v[i].type != type))
		i = (i + 1) & table_mask;
	return i;
}

static bool table_grow(void)
{
	struct rt_vec old = table;
	size_t n = table_mask + 1;
	table = (struct rt_vec){0};
	table_mask = table_mask * 4 + 3;
	if (!rt_vec_reserve(&table, table_mask + 1, sizeof(struct visited))) {
		table = old;
		return false;
	}
	for (size_t i = 0; i < n; i++) {
		struct visited v = VEC_AT(old, struct visited, i);
		if (is_taken(&v))
			VEC_AT(table, struct visited, table_find(v.node, v.type)) = v;
	}
	/* frames know their slots */
	for (size_t i = 0; i < frames.n; i++) {
		struct frame *f = &VEC_AT(frames, struct frame, i);
		f->slot = (uint32_t)table_find((uintptr_t)f->node, f->type);
	}
	rt_vec_release(&old, sizeof(struct visited));
	return true;
}

/* An edge back to where a ring was entered: the lowest of the frames of its type that lie on one another. */
static bool closes_ring(const void *node, unsigned type)
{
	size_t i = frames.n - 1;
	if (VEC_AT(frames, struct frame, i).type != type)
		return false;
	while (i && VEC_AT(frames, struct frame, i - 1).type == type)
		i--;
	return VEC_AT(frames, struct frame, i).node == node;
}

/* Steps onto a node: FAULT_NONE with a new frame, or with none if it was walked before and may be shared. −1:
 * memory. */
static int step(const void *node, unsigned type, bool tree)
{
	const struct rf_type *d = rt_desc(type);
	enum rt_fault f = rt_node_fault(node, &rt_types[type]);
	if (f != FAULT_NONE)
		return f;
	if (table_n * 2 > table_mask && !table_grow())
		return -1;
	size_t slot = table_find((uintptr_t)node, type);
	struct visited *v = &VEC_AT(table, struct visited, slot);
	if (is_taken(v) && !v->done && (d->flags & RF_TYPE_RING) && closes_ring(node, type))
		return FAULT_NONE;
	if (is_taken(v))
		return !v->done ? FAULT_CYCLE : tree && !(d->flags & RF_TYPE_SHARED) ? FAULT_SHARED : FAULT_NONE;
	rt_stats.nodes++;
	rt_rings_keep();
	size_t more = d->count ? d->count(node) : 0;
	if (!rt_vec_reserve(&edges, rt_types[type].max_edges + more + 1, sizeof(struct rf_edge)) ||
	    !rt_vec_reserve(&frames, 1, sizeof(struct frame))) {
		rt_rings_forget();
		return -1;
	}
	struct rf_edge *from = &VEC_AT(edges, struct rf_edge, edges.n), *to = d->scan(node, from);
	rt_rings_forget();
	if (!to)
		return FAULT_LOCAL;
	*v = (struct visited){.node = (uintptr_t)node, .type = type, .walk = this_walk};
	table_n++;
	VEC_AT(frames, struct frame, frames.n) =
		(struct frame){node, type, (uint32_t)slot, edges.n, edges.n, edges.n + (size_t)(to - from)};
	frames.n++;
	edges.n += (size_t)(to - from);
	return FAULT_NONE;
}

/* The nodes below are done: relations and measures of the last frame's node. */
static int leave(const struct frame *f)
{
	const struct rf_type *d = rt_desc(f->type);
	struct visited *v = &VEC_AT(table, struct visited, f->slot);
	if (d->after) {
		struct rf_below below; /* its table of nodes below is not used here, and would take long to clear */
		below.node = (uintptr_t)f->node;
		below.type = f->type;
		below.full = true;
		below.n = 0;
		if (values.n > UINT32_MAX - d->n_measures ||
		    !rt_vec_reserve(&values, d->n_measures + 1, sizeof(rf_number)))
			return -1;
		v->first = (uint32_t)values.n;
		values.n += d->n_measures;
		if (!d->after(f->node, &below, &VEC_AT(values, rf_number, v->first), NULL))
			return FAULT_RELATION;
	}
	v->done = 1;
	return FAULT_NONE;
}

const rf_number *rt_full_measures(const void *node, uint32_t type)
{
	struct visited *v = &VEC_AT(table, struct visited, table_find((uintptr_t)node, type));
	return is_taken(v) && v->done ? &VEC_AT(values, rf_number, v->first) : NULL;
}

/* Walks; leaves the frames as they are at the fault, whose edge is the last one taken. */
static int walk(const void *p, unsigned type, bool tree)
{
	rt_check_brk();
	frames.n = edges.n = values.n = 0;
	if (!table_start())
		return -1;
	int r = step(p, type, tree);
	while (r == FAULT_NONE && frames.n) {
		struct frame *f = &VEC_AT(frames, struct frame, frames.n - 1);
		if (f->next == f->end) {
			r = leave(f);
			if (r != FAULT_NONE)
				break;
			edges.n = f->first;
			frames.n--;
			continue;
		}
		struct rf_edge e = VEC_AT(edges, struct rf_edge, f->next++);
		r = step(e.node, e.type, tree);
	}
	return r;
}

int rt_full(const void *p, unsigned type, bool tree)
{
	const struct rf_type *d = rt_desc(type);
	if (!p)
		return (d->flags & RF_TYPE_NULL) != 0;
	rt_stats.full_passes++;
	int r = walk(p, type, tree);
	return r < 0 ? -1 : r == FAULT_NONE;
}

/* ---- explaining */

struct explainer {
	struct rf_why why;
	char *out;
	size_t size, n;
	long edge;  /* number of the edge to name, −1: none */
	bool named; /* text was written */
};

static void put(struct explainer *x, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void put(struct explainer *x, const char *fmt, ...)
{
	va_list ap;
	va_start(ap, fmt);
	int n = x->n < x->size ? vsnprintf(x->out + x->n, x->size - x->n, fmt, ap) : 0;
	va_end(ap);
	x->n = n > 0 && x->n + (size_t)n < x->size ? x->n + (size_t)n : n > 0 ? x->size - 1 : x->n;
}

static void put_field(struct explainer *x, const char *field, long index)
{
	if (index >= 0)
		put(x, "%s[%ld]", field, index);
	else
		put(x, "%s", field);
}

static void on_edge(struct rf_why *w, const char *field, long index, const void *node, uint32_t type)
{
	struct explainer *x = (struct explainer *)w;
	(void)node;
	(void)type;
	if (x->edge-- == 0 && !x->named) {
		x->named = true;
		put_field(x, field, index);
	}
}

static void on_bad(struct rf_why *w, const char *field, long index, const char *value, const char *expected)
{
	struct explainer *x = (struct explainer *)w;
	if (x->named || x->edge >= 0)
		return;
	x->named = true;
	put_field(x, field, index);
	if (*value)
		put(x, " = %s", value);
	put(x, ", expected %s", expected);
}

/* Which relation of the node does not hold. */
static void explain_after(struct explainer *x, const void *node, unsigned type)
{
	struct rf_below below = {.node = (uintptr_t)node, .type = type, .full = true};
	size_t n = rt_desc(type)->n_measures;
	x->edge = -1;
	x->named = false;
	if (rt_vec_reserve(&values, n + 1, sizeof(rf_number)))
		rt_desc(type)->after(node, &below, &VEC_AT(values, rf_number, values.n), &x->why);
}

static void explain_node(struct explainer *x, const void *node, unsigned type, long edge)
{
	x->edge = edge;
	x->named = false;
	rt_desc(type)->explain(node, &x->why);
	if (!x->named && edge < 0)
		put(x, " does not belong to %s", rt_desc(type)->name);
}

/* Long lists: the first and the last steps of the path. */
static void put_path(struct explainer *x, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct frame *f = &VEC_AT(frames, struct frame, i);
		if (n > 24 && i >= 8 && i < n - 8) {
			if (i == 8)
				put(x, " …(%zu more)… ", n - 16);
			continue;
		}
		explain_node(x, f->node, f->type, (long)(f->next - 1 - f->first));
	}
}

bool rt_full_explain(const void *p, unsigned type, bool tree, const char *term, char *out, size_t size)
{
	struct explainer x = {{on_edge, on_bad}, out, size, 0, 0, false};
	const struct rf_type *d = rt_desc(type);
	if (!p) {
		if (d->flags & RF_TYPE_NULL)
			return false;
		put(&x, "%s = NULL, expected %s", term, d->name);
		rt_full_fault_node = 0;
		return true;
	}
	int r = walk(p, type, tree);
	if (r <= 0)
		return false;
	const void *node = p;
	size_t steps = frames.n;
	if (r == FAULT_RELATION) {
		struct frame *f = &VEC_AT(frames, struct frame, --steps);
		node = f->node;
		type = f->type;
	} else if (frames.n) {
		struct frame *f = &VEC_AT(frames, struct frame, frames.n - 1);
		struct rf_edge e = VEC_AT(edges, struct rf_edge, f->next - 1);
		node = e.node;
		type = e.type;
	}
	rt_full_fault_node = (uintptr_t)node;
	put(&x, "%s", term);
	put_path(&x, steps);
	const char *name = rt_desc(type)->name;
	if (r == FAULT_LOCAL)
		explain_node(&x, node, type, -1);
	else if (r == FAULT_RELATION)
		explain_after(&x, node, type);
	else if (r == FAULT_WILD)
		put(&x, " = %p, which is not readable memory, expected %s", node, name);
	else if (r == FAULT_MISALIGNED)
		put(&x, " = %p, which is not aligned for %s", node, rt_desc(type)->ctype);
	else if (r == FAULT_FREED)
		put(&x, " = %p, which was freed, expected %s", node, name);
	else if (r == FAULT_SHARED)
		put(&x, " = %p, which is reached a second time, expected a tree of %s", node, name);
	else
		put(&x, " = %p, which leads back to itself, expected a finite %s", node, name);
	return true;
}

void rf_why_int(struct rf_why *w, const char *field, long index, long long value, const char *expected)
{
	char text[32];
	snprintf(text, sizeof text, "%lld", value);
	w->bad(w, field, index, text, expected);
}

void rf_why_ptr(struct rf_why *w, const char *field, long index, const void *value, const char *expected)
{
	char text[32];
	if (value)
		snprintf(text, sizeof text, "%p", value);
	else
		snprintf(text, sizeof text, "NULL");
	w->bad(w, field, index, text, expected);
}

void rf_why_double(struct rf_why *w, const char *field, long index, long double value, const char *expected)
{
	char text[48];
	snprintf(text, sizeof text, "%Lg", value);
	w->bad(w, field, index, text, expected);
}

void rf_why_relation(struct rf_why *w, const char *text, long double left, long double right, const char *op)
{
	char line[400];
	if (op)
		snprintf(line, sizeof line, "%.250s, which is %.17Lg %s %.17Lg", text, left, op, right);
	w->bad(w, "", -1, "", op ? line : text);
}
