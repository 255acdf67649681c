/* Arrays as chains of writes, and equality of values. */
#include "smt/value.h"

#include <string.h>

bool value_equal_bits(const struct value *a, const struct value *b)
{
	if (a->type != b->type || a->width != b->width)
		return false;
	if (a->type == VALUE_BITS && a->width > 64)
		return !memcmp(a->limbs, b->limbs, value_limbs(a->width) * sizeof(uint64_t));
	return a->u == b->u;
}

struct value value_select(const struct array_value *a, const struct value *index)
{
	while (a->base) {
		if (value_equal_bits(&a->index, index))
			return a->elem;
		a = a->base;
	}
	return a->elem;
}

struct value value_const_array(struct arena *mem, const struct value *elem)
{
	struct array_value *a = arena_new(mem, struct array_value);
	a->elem = *elem;
	return (struct value){.type = VALUE_ARRAY, .array = a};
}

struct value value_store(struct arena *mem, const struct array_value *base, const struct value *index, const struct value *elem)
{
	struct array_value *a = arena_new(mem, struct array_value);
	a->base = base;
	a->index = *index;
	a->elem = *elem;
	a->length = base->length + 1;
	return (struct value){.type = VALUE_ARRAY, .array = a};
}

static const struct array_value *bottom(const struct array_value *a)
{
	while (a->base)
		a = a->base;
	return a;
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
	return value_equal_bits(&bottom(a)->elem, &bottom(b)->elem) ? 1 : -1;
}
