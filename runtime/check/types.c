/* SPDX-License-Identifier: MIT */
/* The types known to the runtime. Each translation unit with contracts registers its descriptors before main; a
 * type found in several files becomes one, so that a node verified through one is verified for all. Types on the
 * same C type get different planes of the shadow; a type that may not be marked (a condition that is not
 * node-local, or `shared` and on a cycle of types that are not all `shared`: ranks exclude cycles among those only)
 * is found here and is always walked in full. */
#include "runtime/check/inside/rt.h"

#include <dlfcn.h>
#include <string.h>

struct rt_type rt_types[MAX_TYPES + 1];
unsigned rt_n_types;
bool rt_types_changed;
uint32_t rt_most_edges;
static struct rt_vec granules; /* of all types; uint16_t */

static bool same(const char *a, const char *b)
{
	return a == b || strcmp(a, b) == 0;
}

/* The same but for the types they lead to? Not only in their text: its names may stand for other constants and
 * functions in another file, and a struct of the same name may be laid out in another way. */
static bool alike(const struct rf_type *a, const struct rf_type *b)
{
	uint32_t flags = (a->flags ^ b->flags) & ~(uint32_t)RF_TYPE_GENERAL; /* which is about the file */
	if (!same(a->name, b->name) || !same(a->ctype, b->ctype) || !same(a->source, b->source) || a->size != b->size ||
	    a->align != b->align || flags || a->edges != b->edges || a->n_spans != b->n_spans ||
	    a->n_constants != b->n_constants)
		return false;
	for (uint32_t i = 0; i < a->n_constants; i++)
		if (a->constants[i] != b->constants[i])
			return false;
	for (uint32_t i = 0; i < a->n_spans; i++)
		if (a->spans[i].offset != b->spans[i].offset || a->spans[i].size != b->spans[i].size ||
		    a->spans[i].number != b->spans[i].number)
			return false;
	return true;
}

struct pair {
	const struct rf_type *a, *b;
};

static bool add_pair(struct rt_vec *pairs, struct pair p)
{
	for (size_t i = 0; i < pairs->n; i++)
		if (VEC_AT(*pairs, struct pair, i).a == p.a && VEC_AT(*pairs, struct pair, i).b == p.b)
			return true;
	if (!rt_vec_reserve(pairs, 1, sizeof p))
		return false;
	VEC_AT(*pairs, struct pair, pairs->n++) = p;
	return true;
}

/* Do they mean the same, with all types that they lead to? */
static bool equal(const struct rf_type *a, const struct rf_type *b)
{
	static struct rt_vec pairs;
	pairs.n = 0;
	bool ok = add_pair(&pairs, (struct pair){a, b});
	for (size_t i = 0; ok && i < pairs.n; i++) {
		struct pair p = VEC_AT(pairs, struct pair, i);
		ok = alike(p.a, p.b);
		const struct rf_ref *x = p.a->refs, *y = p.b->refs;
		for (; ok && x && y && x->type && y->type; x++, y++)
			ok = x->embedded == y->embedded && add_pair(&pairs, (struct pair){x->type, y->type});
		ok = ok && (!x || !x->type) == (!y || !y->type);
	}
	return ok;
}

/* A library that is closed keeps its types: they may be those of other files too. */
static void keep_loaded(const struct rf_type *t)
{
	extern int dladdr(const void *, Dl_info *) __attribute__((weak));
	extern void *dlopen(const char *, int) __attribute__((weak));
	extern int dlclose(void *) __attribute__((weak));
	Dl_info i;
	if (!dladdr || !dlopen || !dlclose || !dladdr(t, &i) || !i.dli_fname)
		return;
	void *library = dlopen(i.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
	if (library)
		dlclose(library);
}

void rf_type_register(struct rf_type *t)
{
	bool inside = rt_enter(), first = false;
	if (rf_check_on)
		rf_shadow_used = 1;
	for (unsigned i = 1; i <= rt_n_types; i++) {
		if (equal(rt_types[i].desc, t)) {
			t->id = i;
			if (inside)
				rt_leave();
			return;
		}
	}
	/* id 0 has no entry: the type is checked by full walks through its descriptor */
	t->id = 0;
	if (rt_n_types < MAX_TYPES) {
		t->id = ++rt_n_types;
		rt_types[t->id] = (struct rt_type){.scan = t->scan,
						   .size = t->size,
						   .align = t->align,
						   .shared = (t->flags & RF_TYPE_SHARED) != 0,
						   .general = (t->flags & RF_TYPE_GENERAL) != 0,
						   .desc = t};
		rt_types_changed = first = true;
		rt_sites_update();
	}
	if (inside)
		rt_leave();
	if (first)
		keep_loaded(t);
}

/* Which granules hold bytes the conditions read. */
static bool list_granules(struct rt_type *t, struct rt_vec *seen)
{
	size_t n = t->desc->size > C_DISTANCE * 8u ? 0 : (t->desc->size + 7) >> GRANULE_BITS; /* 0: never marked */
	seen->n = 0;
	if (!rt_vec_reserve(seen, n + 1, 1) || !rt_vec_reserve(&granules, n, sizeof(uint16_t)))
		return false;
	memset(seen->at, 0, n);
	for (uint32_t i = 0; i < t->desc->n_spans; i++) {
		struct rf_span s = t->desc->spans[i];
		for (size_t g = s.offset >> GRANULE_BITS;
		     s.size && g <= (s.offset + s.size - 1) >> GRANULE_BITS && g < n; g++)
			seen->at[g] = 1;
	}
	/* where there is an edge, or may be one, the rest of the granule does not matter */
	for (uint32_t i = 0; i < t->desc->n_spans; i++) {
		struct rf_span s = t->desc->spans[i];
		for (size_t g = s.offset >> GRANULE_BITS;
		     s.size && !s.number && g <= (s.offset + s.size - 1) >> GRANULE_BITS && g < n; g++)
			seen->at[g] = 2;
	}
	t->numbers = 0;
	memset(t->number_mask, 0, sizeof t->number_mask);
	for (size_t g = 0; g < n && g < 16; g++)
		if (seen->at[g] == 1) {
			t->numbers |= (uint16_t)(1u << g);
			t->number_mask[g / 8] |= (uint64_t)1 << (8 * (g % 8));
		}
	t->watch_start = n && seen->at[0];
	t->words = 1;
	memset(t->cell_image, 0, sizeof t->cell_image);
	memset(t->watch_mask, 0, sizeof t->watch_mask);
	t->watch_mask[0] = t->watch_start;
	t->n_granules = 0;
	for (size_t g = 1; g < n; g++)
		if (seen->at[g]) {
			if (g < 16) {
				t->cell_image[g / 4] |= (uint64_t)(C_INTERIOR | g) << (16 * (g % 4));
				t->watch_mask[g / 8] |= (uint64_t)1 << (8 * (g % 8));
			}
			t->words = g >= 16 || !t->words ? 0 : (uint8_t)(g / 4 + 1);
			VEC_AT(granules, uint16_t, granules.n) = (uint16_t)g;
			granules.n++;
			t->n_granules++;
		}
	return true;
}

/* Is type `to` reachable from type `from`? */
static bool reaches(unsigned from, unsigned to)
{
	static uint8_t seen[MAX_TYPES + 1];
	static uint16_t work[MAX_TYPES + 1];
	unsigned n = 0;
	memset(seen, 0, sizeof seen);
	work[n++] = (uint16_t)from;
	while (n) {
		for (const struct rf_ref *r = rt_types[work[--n]].desc->refs; r && r->type; r++) {
			unsigned id = r->type->id;
			if (id == to)
				return true;
			if (id && !seen[id]) {
				seen[id] = 1;
				work[n++] = (uint16_t)id;
			}
		}
	}
	return false;
}

/* Is a `shared` type on a cycle of types with one that is not? */
static bool is_mixed(unsigned i)
{
	for (unsigned j = 1; j <= rt_n_types; j++)
		if (!rt_types[j].shared && reaches(i, j) && reaches(j, i))
			return true;
	return false;
}

/* Measures of a node count for the nodes above it. A node that several lead to has no one above to be told. */
static void find_measured(void)
{
	for (unsigned i = 1; i <= rt_n_types; i++) {
		const struct rf_type *d = rt_types[i].desc;
		rt_types[i].measured = d->after || (d->flags & RF_TYPE_TRACKED);
	}
	for (bool more = true; more;) {
		more = false;
		for (unsigned i = 1; i <= rt_n_types; i++)
			for (const struct rf_ref *r = rt_types[i].desc->refs; r && r->type && !rt_types[i].measured;
			     r++)
				if (rt_types[r->type->id].measured)
					rt_types[i].measured = more = true;
	}
}

static void find_full(void)
{
	for (unsigned i = 1; i <= rt_n_types; i++) {
		const struct rf_type *d = rt_types[i].desc;
		rt_types[i].full = (d->flags & RF_TYPE_FULL) || d->n_measures > 16 || d->size > C_DISTANCE * 8u ||
				   ((d->flags & RF_TYPE_SHARED) && is_mixed(i)) || rt_types[i].plane >= MAX_PLANES;
	}
	for (bool more = true; more;) {
		more = false;
		for (unsigned i = 1; i <= rt_n_types; i++)
			for (const struct rf_ref *r = rt_types[i].desc->refs; r && r->type && !rt_types[i].full; r++)
				if (r->type->id == 0 || rt_types[r->type->id].full)
					rt_types[i].full = more = true;
	}
}

/* Edges of types by value count for the node they lie in; that nesting has no cycles in C. */
static void count_edges(void)
{
	for (unsigned i = 1; i <= rt_n_types; i++)
		rt_types[i].max_edges = rt_types[i].desc->edges;
	for (unsigned round = 0; round < 16; round++)
		for (unsigned i = 1; i <= rt_n_types; i++) {
			uint64_t n = rt_types[i].desc->edges;
			for (const struct rf_ref *r = rt_types[i].desc->refs; r && r->type; r++)
				n += r->type->id ? (uint64_t)r->embedded * rt_types[r->type->id].max_edges : 0;
			rt_types[i].max_edges = n < 1u << 24 ? (uint32_t)n : 1u << 24;
		}
}

void rt_types_seal(void)
{
	struct rt_vec seen = {0};
	rt_types_changed = false;
	granules.n = 0;
	rt_most_edges = 0;
	unsigned planes = 0;
	for (unsigned i = 1; i <= rt_n_types; i++) {
		struct rt_type *t = &rt_types[i];
		t->plane = 0;
		t->alone = false;
		for (unsigned j = 1; j < i; j++)
			if (same(rt_types[j].desc->ctype, t->desc->ctype))
				t->plane++;
		if (!list_granules(t, &seen)) {
			rt_out_of_memory();
			break;
		}
	}
	find_measured();
	find_full();
	count_edges();
	/* the array may have moved while it grew */
	size_t at = 0;
	for (unsigned i = 1; i <= rt_n_types; i++) {
		rt_types[i].granule = (uint16_t *)(void *)granules.at + at;
		at += rt_types[i].n_granules;
		if (!rt_types[i].full && rt_types[i].max_edges > rt_most_edges)
			rt_most_edges = rt_types[i].max_edges;
		if (!rt_types[i].full && rt_types[i].plane + 1u > planes)
			planes = rt_types[i].plane + 1u;
	}
	RT_SET(rf_shadow_planes, planes);
	rt_vec_release(&seen, 1);
}

bool rt_type_replane(unsigned id)
{
	if (rf_shadow_planes == 0 || rf_shadow_planes >= MAX_PLANES || rt_types[id].alone)
		return false;
	rt_types[id].alone = true;
	rt_types[id].plane = (uint16_t)rf_shadow_planes;
	RT_SET(rf_shadow_planes, rf_shadow_planes + 1);
	return true;
}
