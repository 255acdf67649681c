/* SPDX-License-Identifier: MIT */
/* Taking types apart. Types are numbered as they are met and taken apart in that order, so types that contain
 * pointers to
 * one another need no recursion; what nests by value nests at most MAX_NESTING deep, whatever the file says. */
#include "profile/debug/layout.h"

#include <dwarf.h>
#include <string.h>

enum { MAX_NESTING = 32, MAX_LEAVES = 1 << 16, POINTER_BYTES = 8 };

static uint32_t number_of(struct layouts *l, Dwarf_Die *type)
{
	const void *file = dwarf_cu_getdwarf(type->cu);
	uint64_t at = dwarf_dieoffset(type);
	for (size_t i = 0; i < l->type.n; i++)
		if (l->type.at[i].at == at && l->type.at[i].file == file)
			return (uint32_t)i + 1;
	struct layout_type *t = vec_add(&l->type);
	*t = (struct layout_type){.die = *type, .file = file, .at = at, .size = types_size(type)};
	return (uint32_t)l->type.n;
}

static bool is_char(Dwarf_Die *d)
{
	Dwarf_Attribute a;
	Dwarf_Word encoding = 0;
	return dwarf_tag(d) == DW_TAG_base_type && types_size(d) == 1 && dwarf_attr(d, DW_AT_encoding, &a) &&
	       dwarf_formudata(&a, &encoding) == 0 && encoding == DW_ATE_signed_char;
}

/* What a pointer type means. */
static struct layout_leaf pointer_leaf(struct layouts *l, Dwarf_Die *pointer, uint64_t offset)
{
	Dwarf_Die target;
	struct layout_leaf leaf = {LAYOUT_OPAQUE, offset, POINTER_BYTES, 0};
	if (!types_target(pointer, &target))
		return leaf;
	if (dwarf_tag(&target) == DW_TAG_subroutine_type)
		leaf.kind = LAYOUT_BYTES; /* code does not move */
	else if (is_char(&target))
		leaf.kind = LAYOUT_TEXT;
	else if (types_is_pointer(&target) || types_size(&target)) {
		leaf.kind = LAYOUT_POINTER;
		leaf.type = number_of(l, &target);
	}
	return leaf;
}

static void add_leaf(struct layout_type *t, struct layout_leaf leaf)
{
	struct layout_leaf *last = t->leaf.n ? &t->leaf.at[t->leaf.n - 1] : NULL;
	if (leaf.kind == LAYOUT_BYTES && last && last->kind == LAYOUT_BYTES && last->offset + last->size == leaf.offset)
		last->size += leaf.size;
	else if (t->leaf.n < MAX_LEAVES)
		vec_push(&t->leaf, leaf);
}

/* The layout is that of l's type number `to`: the array of types may move while it grows. */
struct expansion {
	struct layouts *l;
	uint32_t to;
	bool in_union;
};

static void add(const struct expansion *x, struct layout_leaf leaf)
{
	if (x->in_union && leaf.kind != LAYOUT_BYTES)
		leaf.kind = leaf.kind == LAYOUT_REST ? LAYOUT_REST : LAYOUT_MAYBE;
	add_leaf(&x->l->type.at[x->to - 1], leaf);
}

static void expand(const struct expansion *x, Dwarf_Die *type, uint64_t offset, int depth);

static bool attribute(Dwarf_Die *d, unsigned name, uint64_t *out)
{
	Dwarf_Attribute a;
	Dwarf_Word n;
	if (!dwarf_attr(d, name, &a) || dwarf_formudata(&a, &n) != 0)
		return false;
	*out = n;
	return true;
}

/* A bit field is the bytes it is in. */
static bool bit_field(Dwarf_Die *member, uint64_t *at, uint64_t *size)
{
	uint64_t bits, from = 0;
	if (!attribute(member, DW_AT_bit_size, &bits) || !bits)
		return false;
	if (!attribute(member, DW_AT_data_bit_offset, &from))
		from = 8 * *at;
	*at = from / 8;
	*size = (from + bits - 1) / 8 - *at + 1;
	return true;
}

static void expand_members(const struct expansion *x, Dwarf_Die *type, uint64_t offset, int depth)
{
	Dwarf_Die member, inner;
	if (dwarf_child(type, &member) != 0)
		return;
	do {
		int tag = dwarf_tag(&member);
		uint64_t at = 0, size;
		if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || dwarf_hasattr(&member, DW_AT_external) ||
		    dwarf_hasattr(&member, DW_AT_virtuality) || !types_of(&member, &inner))
			continue;
		attribute(&member, DW_AT_data_member_location, &at);
		if (bit_field(&member, &at, &size))
			add(x, (struct layout_leaf){LAYOUT_BYTES, offset + at, size, 0});
		else
			expand(x, &inner, offset + at, depth + 1);
	} while (dwarf_siblingof(&member, &member) == 0);
}

static void expand_array(const struct expansion *x, Dwarf_Die *array, uint64_t offset, int depth)
{
	Dwarf_Die element;
	uint64_t all = types_size(array), step;
	if (!types_of(array, &element) || !types_peel(&element) || !(step = types_size(&element)))
		return;
	if (!all) {
		add(x, (struct layout_leaf){LAYOUT_REST, offset, 0, 0});
		return;
	}
	bool plain = !types_is_pointer(&element) && !types_is_structure(&element) &&
		     dwarf_tag(&element) != DW_TAG_array_type;
	if (plain) {
		add(x, (struct layout_leaf){LAYOUT_BYTES, offset, all, 0});
		return;
	}
	for (uint64_t at = 0; at + step <= all && x->l->type.at[x->to - 1].leaf.n < MAX_LEAVES; at += step)
		expand(x, &element, offset + at, depth + 1);
}

static void expand(const struct expansion *x, Dwarf_Die *type, uint64_t offset, int depth)
{
	enum { X87_BYTES = 10 };
	Dwarf_Die d = *type;
	if (depth > MAX_NESTING || !types_peel(&d))
		return;
	int tag = dwarf_tag(&d);
	if (types_is_pointer(&d)) {
		add(x, pointer_leaf(x->l, &d, offset));
	} else if (tag == DW_TAG_union_type) {
		/* members lie over one another: what one calls a pointer, another may call a number */
		struct expansion inside = {x->l, x->to, true};
		expand_members(&inside, &d, offset, depth);
	} else if (types_is_structure(&d)) {
		expand_members(x, &d, offset, depth);
	} else if (tag == DW_TAG_array_type) {
		expand_array(x, &d, offset, depth);
	} else {
		uint64_t size = types_size(&d), encoding = 0;
		attribute(&d, DW_AT_encoding, &encoding);
		if (encoding == DW_ATE_float && size > X87_BYTES)
			size = X87_BYTES; /* the rest of a long double is padding */
		if (size)
			add(x, (struct layout_leaf){LAYOUT_BYTES, offset, size, 0});
	}
}

/* Bytes that some member of a union has a pointer in are looked at as that alone: an address is no value. */
static void trim(struct layout_type *t)
{
	size_t all = t->leaf.n;
	for (size_t m = 0; m < all; m++) {
		struct layout_leaf maybe = t->leaf.at[m];
		uint64_t end = maybe.offset + maybe.size;
		for (size_t i = 0; maybe.kind == LAYOUT_MAYBE && i < t->leaf.n; i++) {
			struct layout_leaf *b = &t->leaf.at[i];
			uint64_t b_end = b->offset + b->size;
			if (b->kind != LAYOUT_BYTES || b_end <= maybe.offset || b->offset >= end)
				continue;
			struct layout_leaf behind = {LAYOUT_BYTES, end, b_end > end ? b_end - end : 0, 0};
			b->size = maybe.offset > b->offset ? maybe.offset - b->offset : 0;
			if (behind.size)
				vec_push(&t->leaf, behind);
		}
	}
}

static void finish_types(struct layouts *l)
{
	for (; l->done < l->type.n; l->done++) {
		struct expansion x = {l, (uint32_t)l->done + 1, false};
		Dwarf_Die die = l->type.at[l->done].die;
		expand(&x, &die, 0, 0);
		trim(&l->type.at[l->done]);
	}
}

/* ---- functions */

/* The part of a value that begins at an offset, as it is in a register. */
static struct layout_leaf slot_leaf(struct layouts *l, Dwarf_Die *type, uint64_t offset, const struct signature_slot *s)
{
	struct layout_leaf leaf = {LAYOUT_BYTES, 0, s->size, 0};
	Dwarf_Die d = *type;
	if (!types_peel(&d))
		return leaf;
	if (types_is_pointer(&d))
		return pointer_leaf(l, &d, 0);
	if (types_by_reference(&d)) {
		leaf = (struct layout_leaf){LAYOUT_POINTER, 0, POINTER_BYTES, number_of(l, &d)};
	} else if (types_is_structure(&d)) {
		/* a small structure: a register may have one of its pointers */
		uint32_t n = number_of(l, &d);
		finish_types(l);
		const struct layout_type *t = &l->type.at[n - 1];
		for (size_t i = 0; i < t->leaf.n; i++)
			if (t->leaf.at[i].offset == offset && t->leaf.at[i].kind != LAYOUT_BYTES) {
				leaf = t->leaf.at[i];
				leaf.offset = 0;
			}
	}
	return leaf;
}

static void arguments(struct layouts *l, struct types_function *f, const struct signature *sig,
		      struct layout_signature *out)
{
	bool met[TYPES_PARAMETERS] = {false};
	uint64_t used[TYPES_PARAMETERS] = {0};
	for (unsigned i = 0; i < sig->n_args; i++) {
		out->arg[i] = (struct layout_leaf){.kind = LAYOUT_NONE};
		for (unsigned k = 0; k < f->n && sig->arg[i].name[0]; k++)
			if (strcmp(f->parameter[k].name, sig->arg[i].name) == 0) {
				out->arg[i] = slot_leaf(l, &f->parameter[k].type, used[k], &sig->arg[i]);
				used[k] += sig->arg[i].size;
				met[k] = true;
				break;
			}
	}
	/* what a clone is not passed is no input; what has no name or is on the stack cannot be followed */
	for (unsigned k = 0; k < f->n; k++)
		out->whole &= met[k] || sig->hidden;
	out->whole &= !f->variadic;
}

void layouts_function(struct layouts *l, struct types *t, const struct signature *sig, struct layout_signature *out)
{
	struct types_function f;
	*out = (struct layout_signature){.whole = true};
	if (!types_function(t, sig->entry, &f)) {
		out->whole = false;
		return;
	}
	arguments(l, &f, sig, out);
	Dwarf_Die type, d;
	bool returns = types_of(&f.die, &type);
	for (unsigned i = 0; i < sig->n_results; i++) {
		out->result[i] = (struct layout_leaf){LAYOUT_BYTES, 0, sig->result[i].size, 0};
		d = type;
		if (!returns || !types_peel(&d))
			continue;
		bool in_memory = sig->result[i].pointer && !types_is_pointer(&d);
		if (in_memory)
			out->result[i] = (struct layout_leaf){LAYOUT_INLINE, 0, POINTER_BYTES, number_of(l, &d)};
		else
			out->result[i] = slot_leaf(l, &type, 8u * i, &sig->result[i]);
	}
	finish_types(l);
}

void layouts_release(struct layouts *l)
{
	for (size_t i = 0; i < l->type.n; i++)
		vec_release(&l->type.at[i].leaf);
	vec_release(&l->type);
}
