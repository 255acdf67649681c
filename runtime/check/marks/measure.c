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
 * that took the node over, or let it go, was itself stored to. A `shared` node to which several lead has the link MANY:
 * where its record changes, all are made again. A node that is no longer verified when the queue of
 * the marks is empty has no verified parent (invariant 1 of marks.c), so that nothing relies on its record. */
#include "runtime/check/marks/marks.h"
#include "runtime/check/marks/measure.h"

#include "base/invariant.h"

#include <string.h>

enum state { STATE_NONE, STATE_VALID, STATE_CHANGED };

/* In `records`, by its place there in units of 16 bytes; its measures stand behind it. Place 0 is never used. */
struct record {
	uintptr_t node;
	uint32_t type;
	uint32_t above; /* place of the record of the node above; 0: none */
	uint32_t next;  /* of another type on the same node; 0: none */
	uint8_t state;
	bool again; /* in rt_changes because the record of a node below changed */
	bool ok;
	rf_number measure[];
};
enum { UNIT = 16 };
#define MANY UINT32_MAX /* above: there are several, or were when it was last looked at */

static struct rt_vec records;    /* UNIT bytes each: struct record with its measures, and so on */
static struct rt_vec stack;      /* struct rf_edge: nodes whose record is being made */
static struct rt_vec edges;      /* struct rf_edge: of one node */
static struct rt_vec kids;       /* uint32_t: the records of the nodes they lead to */
static size_t n_edges;           /* in `edges`, while a record is made */
static size_t n_records, n_dead; /* dead: of nodes that are no longer verified */
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

/* ---- the table: the shadow has the place of the first record of each node */

static inline struct record *record_at(uint32_t place)
{
	return (struct record *)(void *)(records.at + (size_t)place * UNIT);
}

static inline uint32_t place_of(const struct record *r)
{
	return (uint32_t)((size_t)((const char *)r - records.at) / UNIT);
}

static inline uint32_t units(uint32_t type)
{
	return (uint32_t)(sizeof(struct record) / UNIT) + rt_desc(type)->n_measures;
}

void rt_measures_drop(void)
{
	for (size_t i = 1; i < records.n;) {
		const struct record *r = record_at((uint32_t)i);
		shadow_leaf(r->node)->record[shadow_index(r->node)] = 0;
		i += units(r->type);
	}
	n_records = n_dead = records.n = 0;
	rt_changes.nodes.n = 0;
	rt_changes.watched = rt_changes.lost = false;
}

static inline struct record *find(uintptr_t node, uint32_t type)
{
	struct shadow_leaf *l = shadow_leaf(node);
	uint32_t place = l ? l->record[shadow_index(node)] : 0;
	while (place && UNLIKELY(record_at(place)->type != type || record_at(place)->node != node))
		place = record_at(place)->next;
	return place ? record_at(place) : NULL;
}

/* Nodes of marks are aligned to granules and have a leaf. */
static struct record *find_or_make(uintptr_t node, uint32_t type)
{
	struct record *r = find(node, type);
	if (r)
		return r;
	uint32_t n = units(type), *first = &shadow_leaf(node)->record[shadow_index(node)];
	if (records.n > UINT32_MAX - n - 1 || !rt_vec_reserve(&records, n + 1, UNIT))
		return NULL;
	records.n += !records.n;
	r = record_at((uint32_t)records.n);
	*r = (struct record){.node = node, .type = type, .next = *first};
	set_numbers(r->measure, NULL, rt_desc(type)->n_measures);
	*first = (uint32_t)records.n;
	records.n += n;
	n_records++;
	rt_changes.watched = true;
	return r;
}

const rf_number *rf_below_other(struct rf_below *b, const void *node, uint32_t type)
{
	if (b->full)
		return rt_full_measures(node, type);
	for (uint32_t i = 0; i < b->n; i++)
		if (b->kid[i].node == node && b->kid[i].type == type)
			return b->kid[i].measures;
	struct record *r = find((uintptr_t)node, type);
	if (!r || r->state != STATE_VALID)
		return NULL;
	for (size_t i = 0; i < n_edges; i++)
		if (VEC_AT(edges, struct rf_edge, i).node == node && VEC_AT(edges, struct rf_edge, i).type == type)
			return r->measure;
	return NULL;
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
	n_edges = to ? (size_t)(keep - from) : 0;
	return (long)n_edges;
}

/* The node above is looked at again, once, unless it will be anyway. There is room in rt_changes. */
static void tell_above(const struct record *r)
{
	if (r->above == MANY) {
		rt_changes.lost = true;
		return;
	}
	struct record *a = record_at(r->above);
	if (a->state != STATE_VALID || a->again)
		return;
	a->again = true;
	VEC_AT(rt_changes.nodes, struct rf_edge, rt_changes.nodes.n++) =
		(struct rf_edge){(const void *)a->node, a->type};
}

/* Is there one edge only to the node? */
static inline bool leads_alone(const struct record *k)
{
	const struct rt_type *t = &rt_types[k->type];
	return LIKELY(!t->shared) || marks_graph(k->node, t->plane)->count == 1;
}

/* All records of `kids` are VALID: makes the node's own, and says so to the node above if it changes. */
static bool compute(struct rf_edge y)
{
	enum { FEW = 16 };
	rf_number few[FEW];
	const struct rf_type *d = rt_desc(y.type);
	struct rf_below b;
	struct record *r = find_or_make((uintptr_t)y.node, y.type);
	if (!r || d->n_measures > FEW || !rt_vec_reserve(&rt_changes.nodes, 1, sizeof(struct rf_edge)))
		return false;
	bool ok = true, known = r->state != STATE_NONE, stored_to = r->state == STATE_CHANGED;
	uint32_t own = place_of(r);
	b.node = (uintptr_t)y.node;
	b.type = y.type;
	b.full = false;
	b.n = 0;
	for (size_t i = 0; i < kids.n; i++) {
		uint32_t place = VEC_AT(kids, uint32_t, i);
		struct record *k = record_at(place);
		INVARIANT(k->state == STATE_VALID);
		if (b.n < ARRAY_LEN(b.kid))
			b.kid[b.n++] = (struct rf_below_kid){(const void *)k->node, k->measure, k->type};
		k->above = leads_alone(k) ? own : MANY;
		ok &= k->ok;
	}
	ok = ok && (!d->after || d->after(y.node, &b, few, NULL));
	if (UNLIKELY(!ok) || UNLIKELY(!d->after))
		set_numbers(few, NULL, d->n_measures);
	rt_stats.nodes++;
	bool same = known && r->ok == ok;
	for (uint32_t i = 0; same && i < d->n_measures; i++)
		same = r->measure[i] == few[i];
	if (!same)
		set_numbers(r->measure, few, d->n_measures);
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
		struct record *done = stack.n > 1 && rt_types[y.type].shared ? find((uintptr_t)y.node, y.type) : NULL;
		if (done && done->state == STATE_VALID) { /* another node above it came first */
			stack.n--;
			continue;
		}
		long n = measured_edges(y);
		kids.n = 0;
		if (n < 0 || !rt_vec_reserve(&stack, (size_t)n, sizeof y) ||
		    !rt_vec_reserve(&kids, (size_t)n, sizeof(uint32_t)))
			return false;
		for (long i = 0; i < n; i++) {
			struct rf_edge e = VEC_AT(edges, struct rf_edge, i);
			struct record *r = find((uintptr_t)e.node, e.type);
			if (LIKELY(r != NULL) && LIKELY(r->state == STATE_VALID))
				VEC_AT(kids, uint32_t, kids.n++) = place_of(r);
			else
				VEC_AT(stack, struct rf_edge, stack.n++) = e;
		}
		if (kids.n != (size_t)n)
			continue;
		stack.n--;
		if (!compute(y))
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
	if (UNLIKELY(rt_changes.lost)) /* of a node with several above */
		rt_measures_drop();
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
	const rf_number *all = remembered                                               ? r->measure
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
	for (size_t i = 1; !rt_changes.nodes.n && !marks.queue.n && i < records.n;) {
		struct record *r = record_at((uint32_t)i);
		i += units(r->type);
		if (r->state != STATE_VALID)
			continue;
		INVARIANT(rt_marks_is_verified(r->node, r->type));
		long n = measured_edges((struct rf_edge){(const void *)r->node, r->type});
		for (long j = 0; j < n; j++) {
			struct rf_edge e = VEC_AT(edges, struct rf_edge, j);
			struct record *k = find((uintptr_t)e.node, e.type);
			INVARIANT(k && k->state == STATE_VALID && (k->above == place_of(r) || k->above == MANY));
			INVARIANT(k->above != MANY || rt_types[k->type].shared);
			INVARIANT(!r->ok || k->ok);
		}
	}
}
#endif
