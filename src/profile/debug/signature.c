/* SPDX-License-Identifier: MIT */
/* Reading signatures with libdw. Recursion over the debug information is bounded: types nest at most MAX_NESTING deep
 * and blocks of a function MAX_BLOCKS, whatever the file says. */
#include "profile/debug/signature.h"

#include "profile/debug/clones.h"
#include "profile/debug/debugfile.h"
#include "profile/debug/types.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_NESTING = 32, MAX_BLOCKS = 64 };

/* One eightbyte of a value, as the calling convention sees it. */
enum kind { KIND_NONE, KIND_INTEGER, KIND_SSE, KIND_MEMORY };

struct reader {
	struct signatures *out;
	struct clones clones;
	bool files; /* the unit at hand has a table of source files */
};

/* Is the pointer type d one to an object, rather than to text or a number? */
static bool points_to_object(Dwarf_Die *d)
{
	Dwarf_Die target;
	if (!types_of(d, &target))
		return true; /* void: a handle */
	return !types_peel(&target) || types_is_structure(&target);
}

/* Does the type have a pointer to an object at this offset? A small structure passed by value may carry the object. */
static bool object_at(Dwarf_Die *type, uint64_t offset, int depth)
{
	Dwarf_Die d = *type, member, inner;
	if (depth > MAX_NESTING || !types_peel(&d))
		return false;
	if (types_is_pointer(&d))
		return offset == 0 && points_to_object(&d);
	int tag = dwarf_tag(&d);
	if ((tag != DW_TAG_structure_type && tag != DW_TAG_class_type && tag != DW_TAG_union_type) ||
	    dwarf_child(&d, &member) != 0)
		return false;
	do {
		Dwarf_Attribute a;
		Dwarf_Word at = 0;
		if (dwarf_tag(&member) != DW_TAG_member || dwarf_hasattr(&member, DW_AT_external))
			continue;
		if (dwarf_attr(&member, DW_AT_data_member_location, &a))
			dwarf_formudata(&a, &at);
		if (at <= offset && types_of(&member, &inner) && object_at(&inner, offset - at, depth + 1))
			return true;
	} while (dwarf_siblingof(&member, &member) == 0);
	return false;
}

static enum kind join(enum kind a, enum kind b)
{
	if (a == KIND_MEMORY || b == KIND_MEMORY)
		return KIND_MEMORY;
	if (a == KIND_INTEGER || b == KIND_INTEGER)
		return KIND_INTEGER;
	return a == KIND_NONE ? b : a;
}

static enum kind base_kind(Dwarf_Die *d)
{
	Dwarf_Attribute a;
	Dwarf_Word encoding = 0;
	if (dwarf_attr(d, DW_AT_encoding, &a))
		dwarf_formudata(&a, &encoding);
	if (encoding == DW_ATE_float || encoding == DW_ATE_complex_float)
		return types_size(d) > 8 && encoding == DW_ATE_float ? KIND_MEMORY : KIND_SSE; /* long double: x87 */
	return KIND_INTEGER;
}

/* Folds the type at offset into the kinds of the two eightbytes. */
static void classify(Dwarf_Die *type, uint64_t offset, int depth, enum kind k[2])
{
	Dwarf_Die d = *type, member, inner;
	if (depth > MAX_NESTING || offset >= 16 || !types_peel(&d))
		return;
	switch (dwarf_tag(&d)) {
	case DW_TAG_structure_type:
	case DW_TAG_class_type:
	case DW_TAG_union_type:
		if (dwarf_child(&d, &member) != 0)
			return;
		do {
			if (dwarf_tag(&member) != DW_TAG_member && dwarf_tag(&member) != DW_TAG_inheritance)
				continue;
			Dwarf_Attribute a;
			Dwarf_Word at = 0;
			if (dwarf_hasattr(&member, DW_AT_external))
				continue;
			if (dwarf_attr(&member, DW_AT_data_member_location, &a))
				dwarf_formudata(&a, &at);
			if (types_of(&member, &inner))
				classify(&inner, offset + at, depth + 1, k);
		} while (dwarf_siblingof(&member, &member) == 0);
		return;
	case DW_TAG_array_type: {
		uint64_t all = types_size(&d);
		if (!types_of(&d, &inner))
			return;
		Dwarf_Die element = inner;
		uint64_t step = types_peel(&element) ? types_size(&element) : 0;
		for (uint64_t at = 0; step && at < all && offset + at < 16; at += step)
			classify(&inner, offset + at, depth + 1, k);
		return;
	}
	default: {
		enum kind mine = dwarf_tag(&d) == DW_TAG_base_type ? base_kind(&d) : KIND_INTEGER;
		k[offset / 8] = join(k[offset / 8], mine);
		if (types_size(&d) > 8 && offset == 0)
			k[1] = join(k[1], mine);
		return;
	}
	}
}

/* The eightbytes of a type and its size; k[0] KIND_MEMORY when it does not travel in registers. */
static uint64_t kinds_of(Dwarf_Die *type, enum kind k[2])
{
	k[0] = k[1] = KIND_NONE;
	Dwarf_Die d = *type;
	if (!types_peel(&d))
		return 0;
	if (types_by_reference(&d)) {
		k[0] = KIND_INTEGER;
		return 8;
	}
	uint64_t n = types_is_pointer(&d) ? 8 : types_size(&d);
	if (n > 16) {
		k[0] = KIND_MEMORY;
		return n;
	}
	classify(&d, 0, 0, k);
	if (k[0] == KIND_MEMORY || k[1] == KIND_MEMORY)
		k[0] = KIND_MEMORY;
	return n;
}

/* What a slot carries besides its bits. */
struct carries {
	bool pointer, object;
	const char *name;
};

static void add_slot(struct signature *f, bool result, unsigned reg, uint64_t size, struct carries c)
{
	unsigned *n = result ? &f->n_results : &f->n_args;
	struct signature_slot *s = result ? f->result : f->arg;
	if (*n == SIGNATURE_SLOTS) {
		f->usable = false;
		return;
	}
	s[(*n)++] = (struct signature_slot){.reg = (uint8_t)reg,
					    .size = (uint8_t)(size > 8 ? 8
							      : size   ? size
								       : 8),
					    .pointer = c.pointer,
					    .object = c.object,
					    .name = c.name};
}

/* ---- the calling convention */

struct convention {
	unsigned integers, vectors;
};

static void by_convention(struct signature *f, struct convention *c, Dwarf_Die *type, const char *name)
{
	static const uint8_t integer_reg[] = {5, 4, 1, 2, 8, 9};
	enum kind k[2];
	uint64_t n = kinds_of(type, k);
	Dwarf_Die d = *type;
	bool pointer = types_peel(&d) && types_is_pointer(&d);
	unsigned integers = (k[0] == KIND_INTEGER) + (k[1] == KIND_INTEGER),
		 vectors = (k[0] == KIND_SSE) + (k[1] == KIND_SSE);
	if (k[0] == KIND_MEMORY || k[0] == KIND_NONE || c->integers + integers > 6 || c->vectors + vectors > 8)
		return; /* on the stack: read as memory */
	for (int i = 0; i < 2; i++) {
		uint64_t left = n > 8u * (unsigned)i ? n - 8u * (unsigned)i : 0;
		if (k[i] == KIND_INTEGER)
			add_slot(f, false, integer_reg[c->integers++], left,
				 (struct carries){pointer, object_at(type, 8u * (unsigned)i, 0), name});
		else if (k[i] == KIND_SSE)
			add_slot(f, false, SIGNATURE_XMM0 + c->vectors++, left, (struct carries){.name = name});
	}
}

static void result_of(struct signature *f, struct convention *c, Dwarf_Die *type)
{
	enum kind k[2];
	uint64_t n = kinds_of(type, k);
	Dwarf_Die d = *type;
	if (!types_peel(&d))
		return;
	bool pointer = types_is_pointer(&d);
	if (k[0] == KIND_MEMORY || types_by_reference(&d)) {
		if (dwarf_tag(&d) == DW_TAG_base_type) { /* long double, in the x87 stack */
			f->usable = false;
			return;
		}
		add_slot(f, false, 5, 8, (struct carries){.pointer = true, .name = ""});
		c->integers++;
		add_slot(f, true, 0, 8, (struct carries){.pointer = true, .name = ""});
		return;
	}
	unsigned integers = 0, vectors = 0;
	for (int i = 0; i < 2; i++) {
		uint64_t left = n > 8u * (unsigned)i ? n - 8u * (unsigned)i : 0;
		if (k[i] == KIND_INTEGER)
			add_slot(f, true, integers++ ? 1 : 0, left, (struct carries){.pointer = pointer, .name = ""});
		else if (k[i] == KIND_SSE)
			add_slot(f, true, SIGNATURE_XMM0 + vectors++, left, (struct carries){.name = ""});
	}
}

/* ---- entry locations */

/* The registers a parameter is in at entry; false when the information does not say (then the convention does). */
static bool by_location(struct signature *f, Dwarf_Die *param, Dwarf_Addr entry, Dwarf_Die *type, const char *name,
			bool *absent)
{
	Dwarf_Attribute a;
	Dwarf_Op *op;
	size_t n;
	*absent = false;
	if (!dwarf_attr_integrate(param, DW_AT_location, &a)) {
		*absent = true;
		return false;
	}
	Dwarf_Die d = *type;
	bool known = types_peel(&d), pointer = known && types_is_pointer(&d);
	uint64_t size = pointer ? 8 : known ? types_size(&d) : 8;
	if (dwarf_getlocation_addr(&a, entry, &op, &n, 1) <= 0 || n == 0) {
		*absent = true; /* a list that does not cover the entry: the value is not passed */
		return false;
	}
	bool found = false;
	uint64_t at = 0;
	for (size_t i = 0; i < n; i++) {
		unsigned reg;
		if (op[i].atom >= DW_OP_reg0 && op[i].atom <= DW_OP_reg31)
			reg = op[i].atom - DW_OP_reg0;
		else if (op[i].atom == DW_OP_regx)
			reg = (unsigned)op[i].number;
		else if (op[i].atom == DW_OP_piece)
			continue;
		else
			return found;
		uint64_t piece = i + 1 < n && op[i + 1].atom == DW_OP_piece ? op[i + 1].number : size;
		if (reg > 15 && (reg < SIGNATURE_XMM0 || reg > SIGNATURE_XMM0 + 7))
			return found;
		add_slot(f, false, reg, piece, (struct carries){pointer, object_at(type, at, 0), name});
		at += piece;
		found = true;
	}
	return found;
}

/* ---- functions */

static const char *keep(struct reader *r, const char *s)
{
	return s ? arena_strndup(&r->out->arena, s, strlen(s)) : "";
}

/* libdw ends the program when it is asked for the file of something in a split unit whose table it has not read. */
static const char *source_file(struct reader *r, Dwarf_Die *die)
{
	return keep(r, r->files ? dwarf_decl_file(die) : NULL);
}

static void read_parameters(struct reader *r, Dwarf_Die *die, struct signature *f, bool clone)
{
	struct convention c = {0};
	Dwarf_Die type, child;
	if (types_of(die, &type))
		result_of(f, &c, &type);
	if (dwarf_child(die, &child) != 0)
		return;
	do {
		/* what else was passed is in registers, as many of them as the caller knows */
		if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
			f->usable = false;
		if (dwarf_tag(&child) != DW_TAG_formal_parameter || !types_of(&child, &type))
			continue;
		const char *name = keep(r, dwarf_diename(&child));
		bool absent;
		unsigned before = f->n_args;
		if (by_location(f, &child, f->entry, &type, name, &absent)) {
			/* keep the convention's count in step for parameters without a location */
			for (unsigned i = before; i < f->n_args; i++)
				if (f->arg[i].reg >= SIGNATURE_XMM0)
					c.vectors++;
				else
					c.integers++;
		} else if (!clone) {
			by_convention(f, &c, &type, name);
		} else {
			f->hidden = true;
		}
	} while (dwarf_siblingof(&child, &child) == 0);
}

/* Bytes of code of a function or of an inlined copy. */
static uint64_t code_bytes(Dwarf_Die *die)
{
	Dwarf_Addr base, low, high;
	uint64_t n = 0;
	for (ptrdiff_t at = 0; (at = dwarf_ranges(die, at, &base, &low, &high)) > 0;)
		n += high - low;
	return n;
}

/* Inlined copies below a function with code. */
static void read_inlined(struct reader *r, Dwarf_Die *die, uint64_t entry, int depth)
{
	Dwarf_Die child;
	if (depth > MAX_BLOCKS || dwarf_child(die, &child) != 0)
		return;
	do {
		int tag = dwarf_tag(&child);
		if (tag == DW_TAG_inlined_subroutine) {
			struct signature_inlined i = {.inside = entry,
						      .name = keep(r, dwarf_diename(&child)),
						      .file = source_file(r, &child),
						      .bytes = code_bytes(&child)};
			int line = 0;
			if (dwarf_decl_line(&child, &line) == 0)
				i.line = (unsigned)line;
			if (i.name[0])
				vec_push(&r->out->inlined, i);
		}
		if (tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block)
			read_inlined(r, &child, entry, depth + 1);
	} while (dwarf_siblingof(&child, &child) == 0);
}

static int read_function(Dwarf_Die *die, void *user)
{
	struct reader *r = user;
	Dwarf_Addr entry, base, end;
	/* a function in several pieces has ranges; the first is where it begins */
	if (dwarf_entrypc(die, &entry) != 0 && dwarf_ranges(die, 0, &base, &entry, &end) <= 0)
		return DWARF_CB_OK;
	if (!entry)
		return DWARF_CB_OK;
	struct signature f = {.entry = entry,
			      .name = keep(r, dwarf_diename(die)),
			      .file = source_file(r, die),
			      .usable = true,
			      .bytes = code_bytes(die)};
	int line = 0;
	if (dwarf_decl_line(die, &line) == 0)
		f.line = (unsigned)line;
	Dwarf_Attribute a;
	/* of a clone only what has a location is passed */
	bool clone = clones_has(&r->clones, entry, dwarf_attr(die, DW_AT_abstract_origin, &a) != NULL);
	read_parameters(r, die, &f, clone);
	vec_push(&r->out->fn, f);
	read_inlined(r, die, entry, 0);
	return DWARF_CB_OK;
}

static int by_entry(const void *a, const void *b)
{
	const struct signature *x = a, *y = b;
	return x->entry < y->entry ? -1 : x->entry > y->entry;
}

enum rc signatures_read(struct signatures *s, const char *path, struct err *e)
{
	memset(s, 0, sizeof *s);
	int fd;
	if (access(path, R_OK) != 0)
		return err_sys(e, RC_ENV, errno, "cannot open '%s'", path);
	Dwarf *dw = debugfile_open(path, &fd);
	if (dw) {
		struct reader r = {.out = s};
		Dwarf_CU *cu = NULL;
		Dwarf_Die unit, sub;
		clones_read(&r.clones, dwarf_getelf(dw));
		/* with -gsplit-dwarf the unit is a skeleton and the functions are in the other file */
		while (dwarf_get_units(dw, cu, &cu, NULL, NULL, &unit, &sub) == 0) {
			Dwarf_Die *full = dwarf_tag(&sub) == DW_TAG_compile_unit ? &sub : &unit;
			Dwarf_Files *files;
			size_t n;
			s->debug_info = true;
			r.files = dwarf_getsrcfiles(full, &files, &n) == 0;
			dwarf_getfuncs(full, read_function, &r, 0);
		}
		clones_release(&r.clones);
		debugfile_close(dw, fd);
	}
	if (s->fn.n)
		qsort(s->fn.at, s->fn.n, sizeof *s->fn.at, by_entry);
	return RC_OK;
}

const struct signature *signatures_find(const struct signatures *s, uint64_t entry)
{
	struct signature key = {.entry = entry};
	return s->fn.n ? bsearch(&key, s->fn.at, s->fn.n, sizeof key, by_entry) : NULL;
}

void signatures_release(struct signatures *s)
{
	arena_release(&s->arena);
	vec_release_all(&s->fn, &s->inlined);
}
