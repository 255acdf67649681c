/* SPDX-License-Identifier: MIT */
/* From places to expressions. A place hangs on a pointer: the expression of what holds the pointer, an arrow, and
 * the member
 * at that distance. A place that only some calls read may be read by the cache in all of them only if it is in the same
 * structure as one that is always read, or part of a string; anything else is refused rather than guessed. */
#include "profile/key.h"

#include <stdlib.h>
#include <string.h>

/* What is known of a node: an expression for its value. */
struct named {
	struct buf text;
	struct buf shown; /* for people */
	struct buf guard;
	Dwarf_Die type;
	bool typed, named, is_parameter;
};

struct maker {
	struct key *key;
	const struct profile_function *f;
	struct types_function *t;
	struct named *of; /* by node number */
};

static void refuse(struct maker *m, const char *fmt, const char *what)
{
	if (m->key->refusal)
		return;
	struct buf b = {0};
	buf_printf(&b, fmt, what);
	m->key->refusal = mem_strdup(buf_str(&b));
	buf_release(&b);
}

static unsigned low_bit(unsigned bits)
{
	return bits ? (unsigned)__builtin_ctz(bits) : 0;
}

static unsigned width(unsigned bits)
{
	return bits ? 32 - (unsigned)__builtin_clz(bits) - low_bit(bits) : 0;
}

static bool has_children(const struct profile_function *f, uint32_t node)
{
	for (size_t i = 0; i < f->shape.n; i++)
		if (f->shape.at[i].s.parent == node)
			return true;
	return false;
}

/* The parameter that the slot belongs to, and where in it the slot begins. */
static int parameter_of(const struct maker *m, unsigned slot, uint64_t *offset)
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

static void name_argument(struct maker *m, const struct profile_place *p, struct named *n)
{
	uint64_t offset, rest;
	unsigned slot = (unsigned)p->s.offset;
	int i = slot < m->f->sig->n_args ? parameter_of(m, slot, &offset) : -1;
	if (i < 0)
		return;
	buf_str_add(&n->text, m->t->parameter[i].name);
	n->type = m->t->parameter[i].type;
	n->named = n->is_parameter = true;
	if (types_is_structure(&n->type)) {
		Dwarf_Die whole = n->type;
		types_member(&whole, offset, &n->text, &n->type, &rest);
		n->typed = rest == 0;
	} else {
		n->typed = true;
	}
}

static void name_global(struct maker *m, const struct profile_place *p, struct named *n)
{
	uint64_t rest;
	Dwarf_Die type;
	if (!p->symbol[0] || !types_variable(m->t, p->symbol, &type) ||
	    p->s.offset + (int64_t)low_bit(p->s.read | p->s.written) < 0)
		return;
	buf_str_add(&n->text, p->symbol);
	types_member(&type, (uint64_t)p->s.offset + low_bit(p->s.read | p->s.written), &n->text, &n->type, &rest);
	n->named = true;
	n->typed = rest == 0;
}

static void name_below(const struct profile_place *p, const struct named *up, struct named *n)
{
	Dwarf_Die target;
	int64_t at = p->s.offset + (int64_t)low_bit(p->s.read | p->s.written);
	uint64_t rest, size;
	struct buf suffix = {0};
	if (!up->named)
		return;
	buf_str_add(&n->guard, buf_str(&up->guard));
	n->named = true;
	if (up->typed && at >= 0 && types_target((Dwarf_Die *)&up->type, &target) &&
	    (size = types_size(&target)) != 0) {
		uint64_t index = (uint64_t)at / size;
		types_member(&target, (uint64_t)at % size, &suffix, &n->type, &rest);
		if (rest == 0) {
			if (index)
				buf_printf(&n->text, "%s[%llu]%s", buf_str(&up->text), (unsigned long long)index,
					   buf_str(&suffix));
			else if (suffix.n && suffix.at[0] == '.')
				buf_printf(&n->text, "%s->%s", buf_str(&up->text), buf_str(&suffix) + 1);
			else
				buf_printf(&n->text, "(*%s)%s", buf_str(&up->text), buf_str(&suffix));
			n->typed = true;
		}
	}
	buf_release(&suffix);
	if (n->typed)
		buf_str_add(&n->shown, buf_str(&n->text));
	else
		buf_printf(&n->shown, "%s->+%lld", buf_str(up->shown.n ? &up->shown : &up->text), (long long)at);
	if (!n->typed)
		buf_printf(&n->text, "*((const unsigned char *)%s + %lld)", buf_str(&up->text), (long long)at);
}

static void name_nodes(struct maker *m)
{
	for (size_t i = 0; i < m->f->shape.n; i++) {
		const struct profile_place *p = &m->f->shape.at[i];
		struct named *n = &m->of[i + 1];
		if (p->s.where == VG_WHERE_ARG)
			name_argument(m, p, n);
		else if (p->s.where == VG_WHERE_BELOW && p->s.parent)
			name_below(p, &m->of[p->s.parent], n);
		else if (p->s.where == VG_WHERE_STATIC && !(p->s.flags & VG_SHAPE_SYSTEM))
			name_global(m, p, n);
		/* what hangs on a pointer that may be NULL is looked at only when it is not */
		if (n->named && (p->s.flags & VG_SHAPE_NULL))
			buf_printf(&n->guard, "%s%s", n->guard.n ? " && " : "", buf_str(&n->text));
	}
}

static void add(struct maker *m, bool out, enum key_kind kind, const struct named *n, const struct named *guard,
		unsigned bytes, bool varies)
{
	struct buf address = {0};
	buf_printf(&address, kind == KEY_BYTES ? "&%s" : "%s", buf_str(&n->text));
	struct key_part part = {.kind = kind,
				.address = mem_strdup(buf_str(&address)),
				.name = mem_strdup(buf_str(n->shown.n ? &n->shown : &n->text)),
				.guard = guard && guard->guard.n ? mem_strdup(buf_str(&guard->guard)) : NULL,
				.bytes = bytes,
				.varies = varies};
	buf_release(&address);
	if (out)
		vec_push(&m->key->out, part);
	else
		vec_push(&m->key->in, part);
}

/* The bytes below a char pointer, when they are read as a string is: from its begin, and never behind a NUL. */
static bool is_text(const struct maker *m, uint32_t node)
{
	const struct named *n = &m->of[node];
	unsigned flags = m->f->shape.at[node - 1].s.flags;
	if (!n->typed || !types_is_text((Dwarf_Die *)&n->type) || !(flags & VG_SHAPE_ENDS) || flags & VG_SHAPE_BEYOND)
		return false;
	for (size_t i = 0; i < m->f->shape.n; i++)
		if (m->f->shape.at[i].s.parent == node && m->f->shape.at[i].s.offset < -7)
			return false;
	return true;
}

/* Room for the longest string seen, and half of that again: a longer one is not cached. */
static unsigned text_bytes(const struct maker *m, uint32_t node)
{
	int64_t most = 8;
	for (size_t i = 0; i < m->f->shape.n; i++)
		if (m->f->shape.at[i].s.parent == node && m->f->shape.at[i].s.offset + 8 > most)
			most = m->f->shape.at[i].s.offset + 8;
	return (unsigned)(most + most / 2 + 15) & ~15u;
}

/* State of libc or of the thread, or something that hangs on it: RF_MEMO=verify says if the answer depends on it. */
static bool is_system_state(const struct profile_function *f, uint32_t node)
{
	while (f->shape.at[node - 1].s.parent)
		node = f->shape.at[node - 1].s.parent;
	const struct vg_shape *s = &f->shape.at[node - 1].s;
	return s->flags & VG_SHAPE_SYSTEM && (s->where == VG_WHERE_STATIC || s->where == VG_WHERE_MAPPED);
}

static void add_input(struct maker *m, uint32_t node)
{
	const struct profile_place *p = &m->f->shape.at[node - 1];
	const struct named *n = &m->of[node];
	const struct profile_place *up = p->s.parent ? &m->f->shape.at[p->s.parent - 1] : NULL;
	const struct named *guard = up ? &m->of[p->s.parent] : NULL;
	bool varies = p->s.varying || (p->s.flags & VG_SHAPE_NULL);
	if (!p->s.calls || p->s.where == VG_WHERE_RESULT)
		return;
	if (!n->named) {
		bool on_stack = p->s.where == VG_WHERE_BELOW && !p->s.parent;
		if (on_stack)
			refuse(m, "%s", "an argument is passed on the stack");
		else if (varies && !is_system_state(m->f, node))
			refuse(m, "it depends on %s, which has no name in its source file",
			       p->symbol[0] ? p->symbol : "memory that no argument leads to");
		return;
	}
	if (up && is_text(m, p->s.parent))
		return; /* the string as a whole is in the key */
	if (up && p->s.calls < up->s.calls) {
		Dwarf_Die target;
		bool inside = guard->typed && types_target((Dwarf_Die *)&guard->type, &target) &&
			      types_is_structure(&target) && p->s.offset >= 0 &&
			      (uint64_t)p->s.offset < types_size(&target);
		if (!inside || (p->s.flags & VG_SHAPE_POINTER && has_children(m->f, node)))
			refuse(m, "only some of its calls read %s", buf_str(&n->text));
	}
	if (p->s.flags & VG_SHAPE_POINTER && has_children(m->f, node)) {
		if (p->s.flags & VG_SHAPE_NULL)
			add(m, false, KEY_IS_NULL, n, guard, 1, true);
		if (p->s.flags & VG_SHAPE_VALUE)
			refuse(m, "%s is sometimes a pointer and sometimes a number", buf_str(&n->text));
		if (is_text(m, node))
			add(m, false, KEY_TEXT, n, n, text_bytes(m, node), true);
		return;
	}
	unsigned bytes = width(p->s.read);
	if (n->is_parameter)
		bytes = m->f->sig->arg[p->s.offset].size;
	add(m, false, KEY_BYTES, n, guard, bytes, varies || (p->s.flags & VG_SHAPE_POINTER));
}

static void add_output(struct maker *m, uint32_t node)
{
	const struct profile_place *p = &m->f->shape.at[node - 1];
	const struct named *n = &m->of[node];
	if (!p->s.writes)
		return;
	if (p->s.where == VG_WHERE_RESULT) {
		if (p->s.flags & VG_SHAPE_FRESH)
			refuse(m, "%s", "it returns new memory: whoever caches that must copy or share it");
		else if (p->s.flags & VG_SHAPE_VALUE)
			refuse(m, "%s", "it returns a pointer to memory that may go away");
		return;
	}
	if (!n->named && is_system_state(m->f, node))
		return;
	if (p->s.flags & VG_SHAPE_FRESH)
		refuse(m, "%s", "it leaves new memory behind");
	else if (p->s.where == VG_WHERE_STATIC)
		refuse(m, "it changes the global %s", p->symbol);
	else if (!n->named)
		refuse(m, "%s", "it writes to memory that no argument leads to");
	else if (p->s.flags & VG_SHAPE_STORES)
		refuse(m, "it stores a pointer in %s", buf_str(&n->text));
	else if (p->s.writes < p->s.all || p->s.flags & VG_SHAPE_SOMETIMES)
		refuse(m, "only some of its calls write %s", buf_str(&n->text));
	else
		add(m, true, KEY_BYTES, n, &m->of[p->s.parent], width(p->s.written), true);
}

void key_make(struct key *k, const struct profile_function *f, struct types_function *t)
{
	*k = (struct key){0};
	struct maker m = {k, f, t, mem_zalloc(mem_mul(f->shape.n + 1, sizeof *m.of))};
	if (!f->shape.n)
		refuse(&m, "%s", "its calls were not looked at closely");
	else if (f->shape.at[0].s.flags & VG_SHAPE_FULL)
		refuse(&m, "%s", "it touches too many places, or as many as its data has");
	if (t->variadic)
		refuse(&m, "%s", "it takes a variable number of arguments");
	name_nodes(&m);
	for (uint32_t i = 1; i <= f->shape.n; i++) {
		add_input(&m, i);
		add_output(&m, i);
	}
	for (size_t i = 0; i <= f->shape.n; i++) {
		buf_release(&m.of[i].text);
		buf_release(&m.of[i].shown);
		buf_release(&m.of[i].guard);
	}
	free(m.of);
}

static void release_part(struct key_part *p)
{
	free(p->address);
	free(p->name);
	free(p->guard);
}

void key_release(struct key *k)
{
	for (size_t i = 0; i < k->in.n; i++)
		release_part(&k->in.at[i]);
	for (size_t i = 0; i < k->out.n; i++)
		release_part(&k->out.at[i]);
	vec_release_all(&k->in, &k->out);
	free(k->refusal);
}

/* What varied, by name; what never changed is counted. */
char *key_text(const struct key *k)
{
	struct buf b = {0};
	enum { MOST = 8 };
	unsigned same = 0, shown = 0, left = 0;
	for (size_t i = 0; i < k->in.n; i++) {
		const struct key_part *p = &k->in.at[i];
		if (!p->varies) {
			same++;
			continue;
		}
		if (shown == MOST) {
			left++;
			continue;
		}
		shown++;
		buf_printf(&b, "%s%s%s", b.n ? ", " : "", p->name,
			   p->kind == KEY_TEXT      ? " (text)"
			   : p->kind == KEY_IS_NULL ? " (NULL or not)"
						    : "");
	}
	if (!b.n)
		buf_str_add(&b, "nothing that changed");
	if (left)
		buf_printf(&b, " and %u more", left);
	if (same)
		buf_printf(&b, "; %u that never changed", same);
	char *text = mem_strdup(buf_str(&b));
	buf_release(&b);
	return text;
}

void profile_name_keys(struct profile *p)
{
	for (size_t i = 0; i < p->n_ranking; i++) {
		struct profile_function *f = &p->fn.at[p->ranking[i]];
		struct types types;
		struct types_function t;
		if (!f->shape.n || !f->sig || f->shape.at[0].s.flags & VG_SHAPE_FULL || !types_open(&types, f->object))
			continue;
		if (types_function(&types, f->entry, &t)) {
			struct key k;
			key_make(&k, f, &t);
			f->key = key_text(&k);
			key_release(&k);
		}
		types_close(&types);
	}
}
