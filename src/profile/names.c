/* SPDX-License-Identifier: MIT */
/* From places to expressions. A place hangs on a pointer: the expression of what holds the pointer, an arrow, and the
 * member at that distance; where the types do not say which member it is, the pointer and the distance in bytes. */
#include "profile/names.h"

#include <stdlib.h>
#include <string.h>

static const struct vg_shape *shape_of(const struct names *n, uint32_t node)
{
	return &n->f->shape.at[node - 1].s;
}

static unsigned low_bit(unsigned bits)
{
	return bits ? (unsigned)__builtin_ctz(bits) : 0;
}

unsigned names_first_byte(const struct names *n, uint32_t node)
{
	return n->of[node].is_parameter ? 0 : low_bit(shape_of(n, node)->read | shape_of(n, node)->written);
}

unsigned names_bytes(const struct names *n, uint32_t node, bool written)
{
	const struct vg_shape *s = shape_of(n, node);
	if (n->of[node].is_parameter)
		return n->f->sig->arg[s->offset].size;
	unsigned bits = written ? s->written : s->read;
	return bits ? 32 - (unsigned)__builtin_clz(bits) - names_first_byte(n, node) : 0;
}

bool names_has_children(const struct names *n, uint32_t node)
{
	for (size_t i = 0; i < n->f->shape.n; i++)
		if (n->f->shape.at[i].s.parent == node)
			return true;
	return false;
}

/* The parameter that the slot belongs to, and where in it the slot begins. */
static int parameter_of(const struct names *m, unsigned slot, uint64_t *offset)
{
	const struct signature *s = m->f->sig;
	*offset = 0;
	for (unsigned i = 0; i < slot; i++)
		if (s->arg[i].name[0] && strcmp(s->arg[i].name, s->arg[slot].name) == 0)
			*offset += 8;
	for (unsigned i = 0; i < m->t->n; i++)
		if (strcmp(m->t->parameter[i].name, s->arg[slot].name) == 0 && s->arg[slot].name[0])
			return (int)i;
	return -1;
}

/* Eight bytes may hold several members, or elements: all that were touched are shown, unless they are many. held is
 * what comes before a member's name, arrow says how; base is where the 8 bytes begin, bits which of them count. */
static void show_members(struct named *n, const char *held, bool arrow, Dwarf_Die *whole, int64_t base, unsigned bits)
{
	enum { MOST = 4 };
	struct buf all = {0};
	uint64_t size = types_size(whole);
	unsigned count = 0;
	for (unsigned k = 0; k < 8 && size; k++) {
		struct buf suffix = {0};
		Dwarf_Die type;
		uint64_t rest, at = (uint64_t)(base + (int64_t)k);
		if (!(bits >> k & 1) || base + (int64_t)k < 0)
			continue;
		types_member(whole, at % size, &suffix, &type, &rest);
		if (rest == 0) {
			const char *member = buf_str(&suffix);
			buf_printf(&all, "%s%s", count++ ? ", " : "", held);
			if (at / size || (arrow && member[0] == '['))
				buf_printf(&all, "[%llu]%s", (unsigned long long)(at / size), member);
			else if (arrow && member[0] == '.')
				buf_printf(&all, "->%s", member + 1);
			else
				buf_str_add(&all, arrow && !member[0] ? "[0]" : member);
		}
		buf_release(&suffix);
	}
	if (count > 1 && count <= MOST) {
		buf_clear(&n->shown);
		buf_str_add(&n->shown, buf_str(&all));
	}
	buf_release(&all);
}

/* A member by its distance: its name may be private. Whatever type it has, rf_pointer may read it. */
static void name_by_bytes(const struct profile_place *p, struct named *n)
{
	buf_clear(&n->text);
	buf_printf(&n->text, "*(%s)(%s)",
		   p->s.flags & VG_SHAPE_POINTER ? "const rf_pointer *" : "const unsigned char *",
		   buf_str(&n->address));
}

static void name_argument(const struct names *m, const struct profile_place *p, struct named *n)
{
	uint64_t offset, rest;
	unsigned slot = (unsigned)p->s.offset;
	int i = slot < m->f->sig->n_args ? parameter_of(m, slot, &offset) : -1;
	if (i < 0)
		return;
	buf_str_add(&n->text, m->t->parameter[i].name);
	buf_printf(&n->address, "(const char *)&%s + %llu", m->t->parameter[i].name, (unsigned long long)offset);
	n->type = m->t->parameter[i].type;
	n->named = n->is_parameter = true;
	/* a large structure in a register is its address */
	n->is_address = types_is_reference(&n->type) ||
			(m->t->cplusplus &&
			 (types_by_reference(&n->type) || (types_is_structure(&n->type) && types_size(&n->type) > 16)));
	if (n->is_address) {
		buf_clear(&n->text);
		buf_printf(&n->text, "(&%s)", m->t->parameter[i].name);
		buf_str_add(&n->shown, m->t->parameter[i].name);
		n->typed = true;
	} else if (types_is_structure(&n->type)) {
		Dwarf_Die whole = n->type;
		types_member(&whole, offset, &n->text, &n->type, &rest);
		n->typed = rest == 0;
		show_members(n, m->t->parameter[i].name, false, &whole, (int64_t)offset,
			     (1u << m->f->sig->arg[slot].size) - 1);
		if (m->t->cplusplus) {
			if (!n->shown.n)
				buf_str_add(&n->shown, buf_str(&n->text));
			name_by_bytes(p, n);
		}
	} else {
		/* the second half of a complex or 16-byte number has no name */
		n->typed = types_size(&n->type) <= 8;
	}
}

static void name_global(const struct names *m, const struct profile_place *p, struct named *n)
{
	uint64_t rest;
	Dwarf_Die type;
	int64_t at = p->s.offset + (int64_t)low_bit(p->s.read | p->s.written);
	if (!p->symbol[0] || at < 0 || !types_variable(m->t, p->symbol, &type))
		return;
	buf_str_add(&n->text, p->symbol);
	buf_printf(&n->address, "(const char *)&%s + %lld", p->symbol, (long long)at);
	types_member(&type, (uint64_t)at, &n->text, &n->type, &rest);
	n->named = true;
	n->typed = rest == 0;
}

static void name_thread(const struct names *m, const struct profile_place *p, struct named *n)
{
	uint64_t at = (uint64_t)p->s.offset + low_bit(p->s.read | p->s.written), rest;
	Dwarf_Die type;
	const char *name = types_thread_variable(m->t, &at, &type);
	if (!name)
		return;
	buf_str_add(&n->text, name);
	buf_printf(&n->address, "(const char *)&%s + %llu", name, (unsigned long long)at);
	types_member(&type, at, &n->text, &n->type, &rest);
	n->named = true;
	n->typed = rest == 0;
}

static void name_errno(struct named *n)
{
	buf_str_add(&n->text, "errno");
	buf_str_add(&n->address, "(const char *)&errno");
	n->named = true;
}

/* What the value leads to. */
static bool target_of(const struct named *up, Dwarf_Die *target)
{
	Dwarf_Die type = up->type;
	if (!up->typed)
		return false;
	if (!up->is_address || types_is_reference(&type))
		return types_target(&type, target);
	*target = type;
	return types_peel(target);
}

static void name_below(const struct names *m, const struct profile_place *p, const struct named *up, struct named *n)
{
	Dwarf_Die target;
	int64_t at = p->s.offset + (int64_t)low_bit(p->s.read | p->s.written);
	uint64_t rest, size;
	struct buf suffix = {0};
	if (!up->named)
		return;
	buf_str_add(&n->guard, buf_str(&up->guard));
	buf_printf(&n->address, "(const char *)%s + %lld", buf_str(&up->text), (long long)at);
	n->named = true;
	const char *held = buf_str(up->shown.n ? &up->shown : &up->text);
	if (at >= 0 && target_of(up, &target) && (size = types_size(&target)) != 0) {
		uint64_t index = (uint64_t)at / size;
		types_member(&target, (uint64_t)at % size, &suffix, &n->type, &rest);
		if (rest == 0) {
			if (index)
				buf_printf(&n->text, "%s[%llu]%s", held, (unsigned long long)index, buf_str(&suffix));
			else if (up->is_address && suffix.n)
				buf_printf(&n->text, "%s%s", held, buf_str(&suffix));
			else if (suffix.n && suffix.at[0] == '.')
				buf_printf(&n->text, "%s->%s", held, buf_str(&suffix) + 1);
			else
				buf_printf(&n->text, up->is_address ? "%s%s" : "(*%s)%s", held, buf_str(&suffix));
			n->typed = true;
		}
	}
	buf_release(&suffix);
	if (n->typed && !(p->s.flags & VG_SHAPE_POINTER))
		show_members(n, held, !up->is_address, &target, p->s.offset, p->s.read | p->s.written);
	if (n->typed && !m->t->cplusplus && !up->shown.n)
		return;
	if (n->shown.n)
		;
	else if (n->typed)
		buf_str_add(&n->shown, buf_str(&n->text));
	else
		buf_printf(&n->shown, "%s->+%lld", held, (long long)at);
	name_by_bytes(p, n);
}

void names_make(struct names *m, const struct profile_function *f, struct types_function *t)
{
	*m = (struct names){f, t, mem_zalloc(mem_mul(f->shape.n + 1, sizeof *m->of))};
	for (size_t i = 0; i < f->shape.n; i++) {
		const struct profile_place *p = &f->shape.at[i];
		struct named *n = &m->of[i + 1];
		if (p->s.where == VG_WHERE_ARG)
			name_argument(m, p, n);
		else if (p->s.where == VG_WHERE_BELOW && p->s.parent)
			name_below(m, p, &m->of[p->s.parent], n);
		else if (p->s.where == VG_WHERE_STATIC)
			name_global(m, p, n);
		else if (p->s.where == VG_WHERE_THREAD)
			name_thread(m, p, n);
		else if (p->s.where == VG_WHERE_ERRNO)
			name_errno(n);
		/* what hangs on a pointer that may be NULL is looked at only when it is not */
		if (n->named && (p->s.flags & VG_SHAPE_NULL))
			buf_printf(&n->guard, "%s%s", n->guard.n ? " && " : "", buf_str(&n->text));
	}
}

void names_release(struct names *n)
{
	for (size_t i = 0; i <= n->f->shape.n; i++) {
		buf_release(&n->of[i].text);
		buf_release(&n->of[i].address);
		buf_release(&n->of[i].shown);
		buf_release(&n->of[i].guard);
	}
	free(n->of);
}

bool names_is_text(const struct names *n, uint32_t node)
{
	unsigned flags = shape_of(n, node)->flags;
	if (!n->of[node].typed || !types_is_text(&n->of[node].type) || !(flags & VG_SHAPE_ENDS) ||
	    flags & VG_SHAPE_BEYOND)
		return false;
	for (size_t i = 0; i < n->f->shape.n; i++)
		if (n->f->shape.at[i].s.parent == node && n->f->shape.at[i].s.offset < -7)
			return false;
	return true;
}

unsigned names_text_bytes(const struct names *n, uint32_t node)
{
	int64_t most = 8;
	for (size_t i = 0; i < n->f->shape.n; i++)
		if (n->f->shape.at[i].s.parent == node && n->f->shape.at[i].s.offset + 8 > most)
			most = n->f->shape.at[i].s.offset + 8;
	return (unsigned)(most + most / 2 + 15) & ~15u;
}

bool names_inside(const struct names *n, uint32_t node)
{
	Dwarf_Die target;
	uint32_t up = shape_of(n, node)->parent;
	int64_t offset = shape_of(n, node)->offset;
	return up && target_of(&n->of[up], &target) && types_is_structure(&target) && offset >= 0 &&
	       (uint64_t)offset < types_size(&target);
}

void names_address(const struct names *n, uint32_t node, unsigned bytes, struct buf *out)
{
	struct named *x = &n->of[node];
	if (x->typed && !n->t->cplusplus && !x->shown.n && types_size(&x->type) >= bytes)
		buf_printf(out, "&%s", buf_str(&x->text));
	else
		buf_str_add(out, buf_str(&x->address));
}

const char *names_shown(const struct names *n, uint32_t node)
{
	return buf_str(n->of[node].shown.n ? &n->of[node].shown : &n->of[node].text);
}
