/* SPDX-License-Identifier: MIT */
/* A value is its type and width and then its bytes, the least significant first; an array is the type and width of its
 * indices, its constant part, the number of its writes and then the writes, the oldest first. A number's width is its
 * denominator, which it has with it in an array too. What is read here was written
 * here, so nothing is checked. */
#include "smt/value/pack.h"

#include "data/vec.h"

#include <string.h>

static size_t scalar_bytes(uint8_t type, uint32_t width)
{
	if (type == VALUE_NUMBER || type == VALUE_ELEMENT)
		return 8;
	return width ? (width + 7) / 8 : 1; /* a boolean has no width */
}

static bool is_wide(uint8_t type, uint32_t width)
{
	return type == VALUE_BITS && width > 64;
}

static void add_scalar(struct buf *out, const struct value *v)
{
	const void *bytes = is_wide(v->type, v->width) ? (const void *)v->limbs : &v->u;
	if (v->type == VALUE_NUMBER)
		pack_u32(out, v->width);
	buf_add(out, bytes, scalar_bytes(v->type, v->width));
}

static struct value take_scalar(struct arena *mem, const char **at, uint8_t type, uint32_t width)
{
	struct value v = {.type = type, .width = type == VALUE_NUMBER ? unpack_u32(at) : width};
	size_t n = scalar_bytes(type, width);
	if (is_wide(type, width)) {
		uint64_t *limbs = arena_zalloc(mem, value_limbs(width) * sizeof *limbs);
		memcpy(limbs, *at, n);
		v.limbs = limbs;
	} else {
		memcpy(&v.u, *at, n);
	}
	*at += n;
	return v;
}

static bool same_sort(const struct value *a, const struct value *b)
{
	return a->type == b->type && (a->width == b->width || a->type == VALUE_NUMBER);
}

static bool pack_array(struct buf *out, const struct array_value *a)
{
	const struct value *elem = &a->bottom->elem;
	VEC(const struct array_value *) writes = {0};
	bool ok = a->length <= UINT32_MAX && elem->type != VALUE_ARRAY;
	for (const struct array_value *w = a; w->base && ok; w = w->base) {
		vec_push(&writes, w);
		ok = same_sort(&w->elem, elem) && same_sort(&w->index, &a->index) && w->index.type != VALUE_ARRAY;
	}
	if (ok) {
		buf_char(out, VALUE_ARRAY);
		buf_char(out, (char)(a->base ? a->index.type : VALUE_NONE));
		pack_u32(out, a->base ? a->index.width : 0);
		buf_char(out, (char)elem->type);
		pack_u32(out, elem->width);
		add_scalar(out, elem);
		pack_u32(out, (uint32_t)writes.n);
	}
	while (ok && writes.n) {
		const struct array_value *w = vec_pop(&writes);
		add_scalar(out, &w->index);
		add_scalar(out, &w->elem);
	}
	vec_release(&writes);
	return ok;
}

bool pack_value(struct buf *out, const struct value *v)
{
	if (v->type == VALUE_ARRAY)
		return pack_array(out, v->array);
	buf_char(out, (char)v->type);
	if (v->type != VALUE_NONE) {
		pack_u32(out, v->width);
		add_scalar(out, v);
	}
	return true;
}

static const char *unpack_array(struct arena *mem, const char *at, struct value *out)
{
	uint8_t index_type = (uint8_t)*at++;
	uint32_t index_width = unpack_u32(&at);
	uint8_t type = (uint8_t)*at++;
	uint32_t width = unpack_u32(&at);
	struct value elem = take_scalar(mem, &at, type, width);
	*out = value_const_array(mem, &elem);
	for (uint32_t n = unpack_u32(&at); n > 0; n--) {
		struct value index = take_scalar(mem, &at, index_type, index_width);
		elem = take_scalar(mem, &at, type, width);
		*out = value_store(mem, out->array, &index, &elem);
	}
	return at;
}

const char *unpack_value(struct arena *mem, const char *at, struct value *out)
{
	uint8_t type = (uint8_t)*at++;
	if (type == VALUE_ARRAY)
		return unpack_array(mem, at, out);
	*out = (struct value){.type = type};
	if (type != VALUE_NONE) {
		uint32_t width = unpack_u32(&at);
		*out = take_scalar(mem, &at, type, width);
	}
	return at;
}
