/* SPDX-License-Identifier: MIT */
/* Arrays as chains of writes, and equality of values. */
#include "smt/value/value.h"

#include "base/bits.h"

#include <string.h>

bool value_equal_bits(const struct value *a, const struct value *b)
{
	if (a->type != b->type || a->width != b->width)
		return false;
	if (a->type == VALUE_BITS && a->width > 64)
		return !memcmp(a->limbs, b->limbs, value_limbs(a->width) * sizeof(uint64_t));
	return a->u == b->u;
}

/* ---- reading: a chain that is read often gets an index, after so many reads that both cost the same */

enum { SHORT_CHAIN = 16 };

struct array_index {
	struct arena *mem;
	size_t reads;                    /* so far, while there are no cells */
	const struct array_value **cell; /* hashed by index, the latest write of each; NULL: not made yet */
	size_t mask;
};

uint64_t value_hash_bits(const struct value *v)
{
	bool wide = v->type == VALUE_BITS && v->width > 64;
	uint64_t h = wide ? v->limbs[0] : v->u;
	for (size_t i = 1; wide && i < value_limbs(v->width); i++)
		h = mix64_pair(h, v->limbs[i]);
	return mix64(h);
}

/* The cell with this index, or the free one where it would go. */
static const struct array_value **find_cell(const struct array_index *x, const struct value *index)
{
	size_t k = value_hash_bits(index) & x->mask;
	while (x->cell[k] && !value_equal_bits(&x->cell[k]->index, index))
		k = (k + 1) & x->mask;
	return &x->cell[k];
}

static void make_index(struct array_index *x, const struct array_value *a)
{
	x->mask = ceil_pow2(2 * a->length) - 1;
	x->cell = arena_zalloc(x->mem, (x->mask + 1) * sizeof *x->cell);
	for (; a->base; a = a->base) {
		const struct array_value **c = find_cell(x, &a->index);
		if (!*c)
			*c = a;
	}
}

struct value value_select(const struct array_value *a, const struct value *index)
{
	struct array_index *x = a->reads;
	if (x && !x->cell && ++x->reads > a->length / SHORT_CHAIN)
		make_index(x, a);
	if (x && x->cell) {
		const struct array_value *c = *find_cell(x, index);
		return (c ? c : a->bottom)->elem;
	}
	while (a->base && !value_equal_bits(&a->index, index))
		a = a->base;
	return a->elem;
}

/* ---- making */

struct value value_const_array(struct arena *mem, const struct value *elem)
{
	struct array_value *a = arena_new(mem, struct array_value);
	a->elem = *elem;
	a->bottom = a;
	return (struct value){.type = VALUE_ARRAY, .array = a};
}

struct value value_store(struct arena *mem, const struct array_value *base, const struct value *index,
			 const struct value *elem)
{
	struct array_value *a = arena_new(mem, struct array_value);
	a->base = base;
	a->index = *index;
	a->elem = *elem;
	a->length = base->length + 1;
	a->bottom = base->bottom;
	if (a->length > SHORT_CHAIN) {
		a->reads = arena_new(mem, struct array_index);
		a->reads->mem = mem;
	}
	return (struct value){.type = VALUE_ARRAY, .array = a};
}

/* Cells that one of the chains writes. */
static bool writes_agree(const struct array_value *a, const struct array_value *b)
{
	for (const struct array_value *w = a; w->base; w = w->base) {
		struct value x = value_select(a, &w->index), y = value_select(b, &w->index);
		if (!value_equal_bits(&x, &y))
			return false;
	}
	return true;
}

int value_equal_arrays(const struct array_value *a, const struct array_value *b)
{
	if (a == b)
		return 1;
	if (a->length > 4096 || b->length > 4096)
		return -1;
	if (!writes_agree(a, b) || !writes_agree(b, a))
		return 0;
	return value_equal_bits(&a->bottom->elem, &b->bottom->elem) ? 1 : -1;
}
