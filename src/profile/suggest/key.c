/* SPDX-License-Identifier: MIT */
/* What a key is made of, for people; its steps, for code, are made in cases.c. */
#include "profile/suggest/key.h"

#include "profile/suggest/cases.h"

#include <stdlib.h>
#include <string.h>

static void list_part(struct key *k, const struct names *n, uint32_t node, enum key_kind kind, bool varies)
{
	struct key_part part = {.kind = kind, .name = mem_strdup(names_shown(n, node)), .varies = varies};
	vec_push(&k->in, part);
}

static void list_input(struct key *k, const struct names *n, uint32_t node)
{
	const struct vg_shape *s = &n->f->shape.at[node - 1].s;
	bool varies = s->varying || s->flags & VG_SHAPE_NULL;
	if (!s->calls || s->where == VG_WHERE_RESULT)
		return;
	if (!n->of[node].named) {
		k->nameless += varies;
		return;
	}
	if (s->parent && names_is_text(n, s->parent))
		return; /* the string as a whole is in the key */
	if (s->flags & VG_SHAPE_POINTER && names_has_children(n, node)) {
		if (s->flags & VG_SHAPE_NULL)
			list_part(k, n, node, KEY_IS_NULL, true);
		if (names_is_text(n, node))
			list_part(k, n, node, KEY_TEXT, true);
		return;
	}
	list_part(k, n, node, KEY_BYTES, varies || s->flags & (VG_SHAPE_POINTER | VG_SHAPE_CODE));
}

/* Static data of libc that calls change is out of the cache's reach. */
/* Is an address that the key does not have followed? */
static bool follows(const struct names *n)
{
	for (uint32_t i = 1; i <= n->f->shape.n; i++)
		if (n->f->shape.at[i - 1].s.flags & VG_SHAPE_POINTER && names_has_children(n, i))
			return true;
	return false;
}

/* What the close look saw of all calls that no key can have. NULL, or why there is no code. */
static char *bad_shape(const struct names *n)
{
	unsigned flags = n->f->shape.at[0].s.flags;
	const char *why = flags & VG_SHAPE_FULL ? "it touches too many places, or as many as its data has"
			  : flags & VG_SHAPE_HIDDEN
				  ? "the same input gave different outputs: it depends on state of libc"
			  : flags & VG_SHAPE_LEAVES ? "it leaves state with libc or for its thread that others read"
			  : flags & VG_SHAPE_ADDRESS && follows(n)
				  ? "the same data elsewhere gave different outputs: it depends on addresses"
			  : flags & VG_SHAPE_FENV ? "the program asks for the floating-point environment, or changes it"
						  : NULL;
	return why ? mem_strdup(why) : NULL;
}

static char *changes_system(const struct profile_function *f)
{
	for (size_t i = 0; i < f->globals.n; i++)
		if (f->globals.at[i].flags & VG_GLOBAL_SYSTEM && profile_changes(f, &f->globals.at[i])) {
			struct buf b = {0};
			buf_printf(&b, "it changes state of libc: %s", f->globals.at[i].name);
			char *text = mem_strdup(buf_str(&b));
			buf_release(&b);
			return text;
		}
	return NULL;
}

void key_make(struct key *k, const struct profile_function *f, struct types_function *t, double cheap)
{
	struct names n;
	*k = (struct key){0};
	names_make(&n, f, t);
	for (uint32_t i = 1; i <= f->shape.n; i++)
		list_input(k, &n, i);
	if (!f->shape.n)
		k->refusal = mem_strdup("its calls were not looked at closely");
	else if ((k->refusal = bad_shape(&n)) != NULL)
		;
	else if ((k->refusal = changes_system(f)) != NULL)
		;
	else if (t->variadic)
		k->refusal = mem_strdup("it takes a variable number of arguments");
	else if (t->returns_reference)
		k->refusal = mem_strdup("it returns a reference");
	else if (!f->rows.n)
		k->refusal = mem_strdup("its calls differ in too many ways");
	else
		cases_make(k, &n, cheap);
	names_release(&n);
}

static void release_part(struct key_part *p)
{
	free(p->address);
	free(p->name);
	free(p->source);
}

void key_release(struct key *k)
{
	for (size_t i = 0; i < k->in.n; i++)
		release_part(&k->in.at[i]);
	for (size_t i = 0; i < k->out.n; i++)
		release_part(&k->out.at[i]);
	for (size_t i = 0; i < k->step.n; i++) {
		struct key_step *s = &k->step.at[i];
		for (size_t j = 0; j < s->part.n; j++)
			release_part(&s->part.at[j]);
		for (size_t j = 0; j < s->branch.n; j++)
			vec_release(&s->branch.at[j].value);
		free(s->test_name);
		free(s->why);
		vec_release_all(&s->part, &s->branch, &s->result);
	}
	for (size_t i = 0; i < k->apart.n; i++)
		free(k->apart.at[i]);
	vec_release_all(&k->in, &k->out, &k->step, &k->apart);
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
	if (k->nameless)
		buf_printf(&b, "%s%u %s without a name", b.n ? ", " : "", k->nameless,
			   k->nameless == 1 ? "place" : "places");
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
			key_make(&k, f, &t, 0);
			f->key = key_text(&k);
			key_release(&k);
		}
		types_close(&types);
	}
}
