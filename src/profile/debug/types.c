/* SPDX-License-Identifier: MIT */
/* Walking DWARF types. Depth is bounded, whatever the file says. */
#include "profile/debug/types.h"

#include "profile/debug/debugfile.h"

#include <dwarf.h>
#include <gelf.h>
#include <string.h>

enum { MAX_NESTING = 32 };

bool types_open(struct types *t, const char *path)
{
	t->dw = debugfile_open(path, &t->fd);
	return t->dw != NULL;
}

void types_close(struct types *t)
{
	if (t->dw)
		debugfile_close(t->dw, t->fd);
	t->dw = NULL;
}

bool types_of(Dwarf_Die *die, Dwarf_Die *out)
{
	Dwarf_Attribute a;
	return dwarf_attr_integrate(die, DW_AT_type, &a) && dwarf_formref_die(&a, out);
}

bool types_peel(Dwarf_Die *d)
{
	for (int i = 0; i < MAX_NESTING; i++) {
		int tag = dwarf_tag(d);
		if (tag != DW_TAG_typedef && tag != DW_TAG_const_type && tag != DW_TAG_volatile_type &&
		    tag != DW_TAG_restrict_type && tag != DW_TAG_atomic_type)
			return true;
		Dwarf_Die next;
		if (!types_of(d, &next))
			return false;
		*d = next;
	}
	return false;
}

uint64_t types_size(Dwarf_Die *type)
{
	Dwarf_Word n = 0;
	return dwarf_aggregate_size(type, &n) == 0 ? n : 0;
}

bool types_is_pointer(Dwarf_Die *d)
{
	int tag = dwarf_tag(d);
	return tag == DW_TAG_pointer_type || tag == DW_TAG_reference_type || tag == DW_TAG_rvalue_reference_type;
}

bool types_is_reference(Dwarf_Die *type)
{
	Dwarf_Die d = *type;
	return types_peel(&d) && types_is_pointer(&d) && dwarf_tag(&d) != DW_TAG_pointer_type;
}

bool types_target(Dwarf_Die *type, Dwarf_Die *out)
{
	Dwarf_Die d = *type;
	return types_peel(&d) && (types_is_pointer(&d) || dwarf_tag(&d) == DW_TAG_array_type) && types_of(&d, out) &&
	       types_peel(out);
}

bool types_is_text(Dwarf_Die *pointer)
{
	Dwarf_Die target;
	return types_target(pointer, &target) && dwarf_tag(&target) == DW_TAG_base_type && types_size(&target) == 1;
}

bool types_is_plain_text(Dwarf_Die *pointer)
{
	Dwarf_Die target = {0};
	const char *name = types_target(pointer, &target) ? dwarf_diename(&target) : NULL;
	return name && strcmp(name, "char") == 0;
}

bool types_is_structure(Dwarf_Die *type)
{
	Dwarf_Die d = *type;
	if (!types_peel(&d))
		return false;
	int tag = dwarf_tag(&d);
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type || tag == DW_TAG_union_type;
}

static bool member_at(Dwarf_Die *type, uint64_t offset, Dwarf_Die *member, uint64_t *at)
{
	Dwarf_Die m, inner;
	if (dwarf_child(type, &m) != 0)
		return false;
	do {
		Dwarf_Attribute a;
		Dwarf_Word start = 0;
		if ((dwarf_tag(&m) != DW_TAG_member && dwarf_tag(&m) != DW_TAG_inheritance) ||
		    dwarf_hasattr(&m, DW_AT_external) || !types_of(&m, &inner))
			continue;
		if (dwarf_attr(&m, DW_AT_data_member_location, &a))
			dwarf_formudata(&a, &start);
		else if (dwarf_hasattr(&m, DW_AT_data_bit_offset))
			continue; /* a bit field has no address */
		if (offset >= start && offset < start + types_size(&inner)) {
			*member = m;
			*at = start;
			return true;
		}
	} while (dwarf_siblingof(&m, &m) == 0);
	return false;
}

void types_member(Dwarf_Die *type, uint64_t offset, struct buf *suffix, Dwarf_Die *out, uint64_t *rest)
{
	*out = *type;
	*rest = offset;
	for (int i = 0; i < MAX_NESTING; i++) {
		Dwarf_Die d = *out, member, inner;
		uint64_t at;
		if (!types_peel(&d))
			return;
		if (dwarf_tag(&d) == DW_TAG_array_type && types_of(&d, &inner) && types_size(&inner)) {
			uint64_t step = types_size(&inner);
			buf_printf(suffix, "[%llu]", (unsigned long long)(*rest / step));
			*rest %= step;
			*out = inner;
		} else if (types_is_structure(&d) && member_at(&d, *rest, &member, &at) && types_of(&member, &inner)) {
			const char *name = dwarf_diename(&member);
			if (name && dwarf_tag(&member) == DW_TAG_member)
				buf_printf(suffix, ".%s", name);
			*rest -= at;
			*out = inner;
		} else {
			return;
		}
	}
}

bool types_variable(struct types_function *f, const char *name, Dwarf_Die *type)
{
	Dwarf_Die d;
	if (dwarf_child(&f->unit, &d) != 0)
		return false;
	do {
		const char *n = dwarf_tag(&d) == DW_TAG_variable ? dwarf_diename(&d) : NULL;
		if (n && strcmp(n, name) == 0 && types_of(&d, type))
			return true;
	} while (dwarf_siblingof(&d, &d) == 0);
	return false;
}

/* A library's distances are from the begin of its own segment. */
static bool is_program(struct types_function *f)
{
	Elf *elf = dwarf_getelf(dwarf_cu_getdwarf(f->unit.cu));
	size_t n = 0;
	GElf_Ehdr e;
	GElf_Phdr p;
	if (!elf || !gelf_getehdr(elf, &e) || elf_getphdrnum(elf, &n) != 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(elf, (int)i, &p) && p.p_type == PT_INTERP)
			return true;
	return e.e_type == ET_EXEC;
}

const char *types_thread_variable(struct types_function *f, uint64_t *at, Dwarf_Die *type)
{
	Dwarf_Die d;
	if (!is_program(f) || dwarf_child(&f->unit, &d) != 0)
		return NULL;
	do {
		Dwarf_Attribute a;
		Dwarf_Op *op;
		size_t n;
		if (dwarf_tag(&d) != DW_TAG_variable || !dwarf_attr(&d, DW_AT_location, &a) ||
		    dwarf_getlocation(&a, &op, &n) != 0 || n != 2 || !types_of(&d, type) ||
		    (op[1].atom != DW_OP_GNU_push_tls_address && op[1].atom != DW_OP_form_tls_address) ||
		    (op[0].atom != DW_OP_const8u && op[0].atom != DW_OP_const4u && op[0].atom != DW_OP_addr))
			continue;
		if (*at >= op[0].number && *at - op[0].number < types_size(type)) {
			*at -= op[0].number;
			return dwarf_diename(&d);
		}
	} while (dwarf_siblingof(&d, &d) == 0);
	return NULL;
}

static void read_parameters(struct types_function *f)
{
	Dwarf_Die child, type, origin = f->die;
	Dwarf_Attribute a;
	/* a clone's own list may lack some: the function as it was written has them all */
	for (int i = 0; i < MAX_NESTING && dwarf_attr(&origin, DW_AT_abstract_origin, &a); i++)
		if (!dwarf_formref_die(&a, &origin))
			break;
	f->returns = dwarf_attr_integrate(&origin, DW_AT_type, &a) != NULL;
	f->returns_reference = f->returns && types_of(&origin, &type) && types_is_reference(&type);
	if (dwarf_child(&origin, &child) != 0)
		return;
	do {
		if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
			f->variadic = true;
		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		const char *name = dwarf_diename(&child);
		if (f->n == TYPES_PARAMETERS || !types_of(&child, &type)) {
			f->variadic = true;
			continue;
		}
		bool artificial = dwarf_hasattr_integrate(&child, DW_AT_artificial);
		f->parameter[f->n].name = name ? name : "";
		f->parameter[f->n].type = type;
		f->parameter[f->n++].artificial = artificial;
	} while (dwarf_siblingof(&child, &child) == 0);
}

struct search {
	uint64_t entry;
	Dwarf_Die found;
	bool done;
};

static int is_it(Dwarf_Die *die, void *user)
{
	struct search *s = user;
	Dwarf_Addr entry, base, end;
	if (dwarf_entrypc(die, &entry) != 0 && dwarf_ranges(die, 0, &base, &entry, &end) <= 0)
		return DWARF_CB_OK;
	if (entry != s->entry)
		return DWARF_CB_OK;
	s->found = *die;
	s->done = true;
	return DWARF_CB_ABORT;
}

bool types_function(struct types *t, uint64_t entry, struct types_function *out)
{
	struct search s = {.entry = entry};
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit, sub;
	*out = (struct types_function){0};
	while (!s.done && dwarf_get_units(t->dw, cu, &cu, NULL, NULL, &unit, &sub) == 0) {
		out->unit = dwarf_tag(&sub) == DW_TAG_compile_unit ? sub : unit;
		dwarf_getfuncs(&out->unit, is_it, &s, 0);
	}
	if (!s.done)
		return false;
	out->die = s.found;
	int language = dwarf_srclang(&out->unit);
	out->cplusplus = language == DW_LANG_C_plus_plus || language == DW_LANG_C_plus_plus_11 ||
			 language == DW_LANG_C_plus_plus_14 || language == DW_LANG_C_plus_plus_03;
	read_parameters(out);
	return true;
}

/* ---- what C++ passes by address */

static bool has_flag(Dwarf_Die *d, unsigned name)
{
	Dwarf_Attribute a;
	bool flag = false;
	return dwarf_attr(d, name, &a) && dwarf_formflag(&a, &flag) == 0 && flag;
}

static uint64_t number_of(Dwarf_Die *d, unsigned name)
{
	Dwarf_Attribute a;
	Dwarf_Word n;
	return dwarf_attr_integrate(d, name, &a) && dwarf_formudata(&a, &n) == 0 ? n : 0;
}

/* Does the constructor take another object of the class, and nothing else? */
static bool copies(Dwarf_Die *constructor, Dwarf_Die *class)
{
	Dwarf_Die child, type;
	unsigned n = 0;
	bool same = false;
	if (dwarf_child(constructor, &child) != 0)
		return false;
	do {
		if (dwarf_tag(&child) != DW_TAG_formal_parameter || has_flag(&child, DW_AT_artificial))
			continue;
		n++;
		same = types_of(&child, &type) && types_peel(&type) && dwarf_tag(&type) != DW_TAG_pointer_type &&
		       types_target(&type, &type) && dwarf_dieoffset(&type) == dwarf_dieoffset(class);
	} while (dwarf_siblingof(&child, &child) == 0);
	return n == 1 && same;
}

/* A member function that is not the compiler's own. */
static bool is_written(Dwarf_Die *f)
{
	return !has_flag(f, DW_AT_artificial) && !has_flag(f, DW_AT_deleted) &&
	       number_of(f, DW_AT_defaulted) != DW_DEFAULTED_in_class;
}

static bool by_reference(Dwarf_Die *type, int depth)
{
	Dwarf_Die child, inner;
	const char *name = dwarf_diename(type);
	if (depth > MAX_NESTING || !types_is_structure(type))
		return false;
	if (number_of(type, DW_AT_calling_convention))
		return number_of(type, DW_AT_calling_convention) == DW_CC_pass_by_reference;
	if (dwarf_child(type, &child) != 0)
		return false;
	do {
		int tag = dwarf_tag(&child);
		const char *own = dwarf_diename(&child);
		if (tag == DW_TAG_subprogram && own && is_written(&child) &&
		    (own[0] == '~' || (name && strncmp(own, name, strcspn(name, "<")) == 0 && copies(&child, type))))
			return true;
		if ((tag == DW_TAG_member || tag == DW_TAG_inheritance) && !has_flag(&child, DW_AT_external) &&
		    types_of(&child, &inner) && types_peel(&inner) && by_reference(&inner, depth + 1))
			return true;
	} while (dwarf_siblingof(&child, &child) == 0);
	return false;
}

bool types_by_reference(Dwarf_Die *type)
{
	return by_reference(type, 0);
}
