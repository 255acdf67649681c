/* SPDX-License-Identifier: MIT */
/* What depends on other nodes, remembered: relations to the nodes below and measures, on top of engine B's marks.
 *
 * A node of a type that is `measured` (it has relations or measures, or leads to such a type) has a record: whether
 * all relations from it down hold, its measures, and the node above. Invariant after each check, when no change waits:
 * a record that is VALID belongs to a verified node, and says what the type's `after` function gives for that node
 * from the VALID records below it, each of which names it as the node above.
 *
 * Marks tell of each verified node that a store un-verifies (rt_measures_touch). The next check computes the records
 * of those that were verified again, and goes up from a node to the one above only where the record changed. Nodes
 * without a VALID record below the value are computed on the way.
 *
 * Why going up by the record's own link is enough: a verified node has one verified parent at most, and a parent
 * that took the node over, or let it go, was itself stored to. A node that is no longer verified when the queue of
 * the marks is empty has no verified parent (invariant 1 of marks.c), so that nothing relies on its record. */
#include "marks.h"
#include "measure.h"

#include "base/invariant.h"

#include <string.h>

enum state { STATE_NONE, STATE_VALID, STATE_CHANGED };

struct record {
	uintptr_t node, above;
	uint32_t type, above_type;
	uint32_t first; /* its measures, in `values` */
	uint8_t state;
	bool again; /* in rt_changes because the record of a node below changed */
	bool ok;
};

static struct rt_vec table;                  /* a power of two of struct record */
static struct rt_vec values;                 /* rf_number */
static struct rt_vec stack;                  /* struct rf_edge: nodes whose record is being made */
static struct rt_vec edges;                  /* struct rf_edge: of one node */
static size_t table_mask, n_records, n_dead; /* dead: of nodes that are no longer verified */
struct rt_changes rt_changes;

/* Neither memset nor memcpy, by name or made from a loop: in a program they are the barrier's, which takes a write
 * from inside the runtime for one that it missed. from NULL: zeros. */
static void set_numbers(rf_number *to, const rf_number *from, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		to[i] = from ? from[i] : 0;
		__asm__ volatile("" ::: "memory");
	}
}

void rt_measures_drop(void)
{
	if (table.at && n_records)
		memset(table.at, 0, (table_mask + 1) * sizeof(struct record));
	n_records = n_dead = values.n = 0;
	rt_changes.nodes.n = 0;
	rt_changes.watched = rt_changes.lost = false;
}

/* ---- the table */

static struct record *place(uintptr_t node, uint32_t type)
{
	struct record *t = &VEC_AT(table, struct record, 0);
	size_t i = mix64(node ^ ((uint64_t)type << 48)) & table_mask;
	while (t[i].node && (t[i].node != node || t[i].type != type))
		i = (i + 1) & table_mask;
	return &t[i];
}

static struct record *find(uintptr_t node, uint32_t type)
{
	struct record *r = n_records ? place(node, type) : NULL;
	return r && r->node ? r : NULL;
}

static bool make_room(void)
{
	struct rt_vec old = table;
	size_t n = table.at ? table_mask + 1 : 0, want = n ? n * 2 : 1024;
	if (n && (n_records + 1) * 2 <= n)
		return true;
	table = (struct rt_vec){0};
	if (!rt_vec_reserve(&table, want, sizeof(struct record))) {
		table = old;
		return false;
	}
	table_mask = want - 1;
	for (size_t i = 0; i < n; i++) {
		struct record r = VEC_AT(old, struct record, i);
		if (r.node)
			*place(r.node, r.type) = r;
	}
	rt_vec_release(&old, sizeof(struct record));
	return true;
}

static struct record *find_or_make(uintptr_t node, uint32_t type)
{
	uint32_t n = rt_desc(type)->n_measures;
	if (!make_room())
		return NULL;
	struct record *r = place(node, type);
	if (r->node)
		return r;
	if (values.n > UINT32_MAX - n || !rt_vec_reserve(&values, n + 1, sizeof(rf_number)))
		return NULL;
	*r = (struct record){.node = node, .type = type, .first = (uint32_t)values.n};
	set_numbers(&VEC_AT(values, rf_number, values.n), NULL, n);
	values.n += n;
	n_records++;
	rt_changes.watched = true;
	return r;
}

const rf_number *rf_below(struct rf_below *b, const void *node, uint32_t type)
{
	if (b->full)
		return rt_full_measures(node, type);
	for (uint32_t i = 0; i < b->n; i++)
		if (b->kid[i].node == (uintptr_t)node && b->kid[i].type == type)
			return &VEC_AT(values, rf_number, b->kid[i].first);
	struct record *r = find((uintptr_t)node, type);
	bool below = r && r->state == STATE_VALID && r->above == b->node && r->above_type == b->type;
	return below ? &VEC_AT(values, rf_number, r->first) : NULL;
}

/* ---- computing */

/* The edges of a verified node to nodes that have records; −1: out of memory. */
static long measured_edges(struct rf_edge y)
{
	const struct rt_type *t = &rt_types[y.type];
	edges.n = 0;
	if (!rt_vec_reserve(&edges, t->max_edges + 1, sizeof(struct rf_edge)))
		return -1;
	struct rf_edge *from = &VEC_AT(edges, struct rf_edge, 0), *to = t->scan(y.node, from), *keep = from;
	for (struct rf_edge *e = from; to && e < to; e++)
		if (rt_types[e->type].measured)
			*keep++ = *e;
	return to ? keep - from : 0;
}

/* The node above is looked at again, once, unless it will be anyway. There is room in rt_changes. */
static void tell_above(const struct record *r)
{
	struct record *a = find(r->above, r->above_type);
	if (!a || a->state != STATE_VALID || a->again)
		return;
	a->again = true;
	VEC_AT(rt_changes.nodes, struct rf_edge, rt_changes.nodes.n++) =
		(struct rf_edge){(const void *)r->above, r->above_type};
}

/* All records below are VALID: makes the node's own, and says so to the node above if it rt_changes.nodes. */
static bool compute(struct rf_edge y, long n)
{
	enum { FEW = 16 };
	rf_number few[FEW];
	const struct rf_type *d = rt_desc(y.type);
	struct rf_below b = {.node = (uintptr_t)y.node, .type = y.type};
	struct record *r = find_or_make(b.node, y.type);
	if (!r || d->n_measures > FEW || !rt_vec_reserve(&rt_changes.nodes, 1, sizeof(struct rf_edge)))
		return false;
	bool ok = true, known = r->state != STATE_NONE, stored_to = r->state == STATE_CHANGED;
	for (long i = 0; i < n; i++) {
		struct rf_edge e = VEC_AT(edges, struct rf_edge, i);
		struct record *k = find((uintptr_t)e.node, e.type);
		INVARIANT(k && k->state == STATE_VALID);
		if (b.n < ARRAY_LEN(b.kid))
			b.kid[b.n++] = (struct rf_below_kid){k->node, k->type, k->first};
		k->above = b.node;
		k->above_type = y.type;
		ok &= k->ok;
	}
	set_numbers(few, NULL, d->n_measures);
	if (ok && d->after)
		ok = d->after(y.node, &b, few, NULL);
	rt_stats.nodes++;
	rf_number *own = &VEC_AT(values, rf_number, r->first);
	bool same = known && r->ok == ok && memcmp(own, few, d->n_measures * sizeof *own) == 0;
	set_numbers(own, few, d->n_measures);
	r->ok = ok;
	r->state = STATE_VALID;
	/* fields that the node above reads are no part of the record */
	if (known && r->above && (!same || (stored_to && (d->flags & RF_TYPE_TRACKED))))
		tell_above(r);
	return true;
}

/* Makes the record of a verified node and of those below that have none. */
static bool make(struct rf_edge root)
{
	stack.n = 0;
	if (!rt_vec_reserve(&stack, 1, sizeof root))
		return false;
	VEC_AT(stack, struct rf_edge, stack.n++) = root;
	while (stack.n) {
		struct rf_edge y = VEC_AT(stack, struct rf_edge, stack.n - 1);
		long n = measured_edges(y);
		if (n < 0 || !rt_vec_reserve(&stack, (size_t)n, sizeof y))
			return false;
		size_t before = stack.n;
		for (long i = 0; i < n; i++) {
			struct rf_edge e = VEC_AT(edges, struct rf_edge, i);
			struct record *r = find((uintptr_t)e.node, e.type);
			if (!r || r->state != STATE_VALID)
				VEC_AT(stack, struct rf_edge, stack.n++) = e;
		}
		if (stack.n != before)
			continue;
		stack.n--;
		if (!compute(y, n))
			return false;
	}
	return true;
}

/* The records of what changed since the last check. */
static bool settle(void)
{
	for (size_t i = 0; i < rt_changes.nodes.n; i++) {
		struct rf_edge e = VEC_AT(rt_changes.nodes, struct rf_edge, i);
		struct record *r = find((uintptr_t)e.node, e.type);
		if (r && r->state == STATE_VALID)
			r->state = STATE_CHANGED;
	}
	size_t marked = rt_changes.nodes.n;
	for (size_t i = 0; i < rt_changes.nodes.n; i++) { /* compute() adds to it */
		struct rf_edge e = VEC_AT(rt_changes.nodes, struct rf_edge, i);
		struct record *r = find((uintptr_t)e.node, e.type);
		if (!r || (r->state == STATE_VALID && !(i >= marked && r->again))) /* done on the way */
			continue;
		r->again = false;
		if (rt_marks_is_verified(r->node, r->type)) {
			if (!make(e))
				return false;
		} else {
			n_dead += r->state != STATE_NONE;
			r->state = STATE_NONE;
			r->above = 0;
		}
	}
	rt_changes.nodes.n = 0;
	return true;
}

static struct record *record_of(const void *p, unsigned type)
{
	struct rf_edge root = {p, type};
	if (rt_changes.lost || (n_dead > 4096 && n_dead * 2 > n_records))
		rt_measures_drop();
	if (!settle())
		return NULL;
	struct record *r = find((uintptr_t)p, type);
	if (!r || r->state != STATE_VALID) {
		if (!make(root))
			return NULL;
		r = find((uintptr_t)p, type);
	}
	return r;
}

bool rt_measures_known(const void *p, unsigned type)
{
	struct record *r = rt_changes.nodes.n || rt_changes.lost ? NULL : find((uintptr_t)p, type);
	return r && r->state == STATE_VALID && r->ok;
}

/* Marks have found the value's shape good. */
int rt_measures_check(const void *p, unsigned type)
{
	if (marks.queue.n || !rt_marks_is_verified((uintptr_t)p, type))
		return rt_full(p, type, true);
	struct record *r = record_of(p, type);
	if (r)
		return r->ok;
	rt_measures_drop();
	return rt_full(p, type, true);
}

rf_number rf_measure(const void *p, const struct rf_type *type, uint32_t index, int *bad)
{
	rf_number v = 0;
	if (!rf_literal(p, type) || !type->id || !rt_enter()) {
		*bad = 1;
		return 0;
	}
	struct record *r = find((uintptr_t)p, type->id);
	bool remembered = rt_config.engine == ENGINE_MARKS && !rt_changes.nodes.n && r && r->state == STATE_VALID &&
			  rt_marks_is_verified((uintptr_t)p, type->id);
	const rf_number *all = remembered ? &VEC_AT(values, rf_number, r->first)
			       : rt_full(p, type->id, rt_config.engine == ENGINE_MARKS) ? rt_full_measures(p, type->id)
											: NULL;
	if (all)
		v = all[index];
	else
		*bad = 1;
	rt_leave();
	return v;
}

#ifdef RF_INVARIANTS
void rt_measures_walk(void)
{
	for (size_t i = 0; table.at && !rt_changes.nodes.n && !marks.queue.n && i <= table_mask; i++) {
		struct record *r = &VEC_AT(table, struct record, i);
		if (!r->node || r->state != STATE_VALID)
			continue;
		INVARIANT(rt_marks_is_verified(r->node, r->type));
		long n = measured_edges((struct rf_edge){(const void *)r->node, r->type});
		for (long j = 0; j < n; j++) {
			struct rf_edge e = VEC_AT(edges, struct rf_edge, j);
			struct record *k = find((uintptr_t)e.node, e.type);
			INVARIANT(k && k->state == STATE_VALID && k->above == r->node && k->above_type == r->type);
			INVARIANT(!r->ok || k->ok);
		}
	}
}
#endif
