/* SPDX-License-Identifier: MIT */
/* See words.h. One paragraph a statement, in the order of the file; a line a field. */
#include "check/words.h"

#include "check/gen/gen.h"

#include <string.h>

static void ranges(struct buf *b, const struct type_expr *t)
{
	struct buf s = {0};
	gen_ranges_text(&s, t->ranges, t->n_ranges, t->kind != TYPE_DOUBLE);
	buf_add(b, buf_str(&s), s.n);
	buf_release(&s);
}

static void type_words(struct buf *b, const struct type_expr *t)
{
	if (t->optional)
		buf_str_add(b, "NULL or ");
	switch (t->kind) {
	case TYPE_ANY:
		buf_str_add(b, "anything");
		return;
	case TYPE_NULL:
		buf_str_add(b, "NULL");
		return;
	case TYPE_NONNULL:
		buf_str_add(b, "not NULL");
		return;
	case TYPE_INT:
	case TYPE_DOUBLE:
		buf_str_add(b, t->kind == TYPE_INT ? "an integer" : "a floating-point number");
		buf_str_add(b, t->n_ranges ? ", " : "");
		ranges(b, t);
		return;
	case TYPE_STRING:
		buf_str_add(b, "a string that ends in readable memory");
		buf_str_add(b, t->n_ranges ? ", its length " : "");
		ranges(b, t);
		return;
	case TYPE_FUNCTION:
		buf_str_add(b, "one of the functions ");
		ranges(b, t);
		return;
	case TYPE_PROP:
		buf_printf(b, "a value for which the C function %s() returns true", t->name);
		return;
	case TYPE_PARAM:
		buf_printf(b, "a %s (a parameter of the type)", t->name);
		return;
	case TYPE_REG:
		buf_printf(b, "of type %s", t->name);
		for (size_t i = 0; i < t->n_args; i++) {
			buf_str_add(b, i ? ", " : " with ");
			type_words(b, t->args[i]);
		}
	}
}

static void field_words(struct buf *b, const struct field *f)
{
	buf_str_add(b, "    - ");
	switch (f->kind) {
	case FIELD_RELATION:
		buf_printf(b, "%s%s\n", f->relation->text,
			   strstr(f->relation->text, "->") ? " (nothing is asked where a pointer on the way is NULL)"
							   : "");
		return;
	case FIELD_ARRAY:
		buf_printf(b, "%s[%s] to %s[%s]%s: each is ", f->path, f->lo->text, f->path, f->hi->text,
			   f->exclusive ? " (exclusive)" : "");
		break;
	case FIELD_MASKED:
		buf_printf(b, "%s, with only the bits %s, is a pointer ", f->path, f->mask->text);
		break;
	case FIELD_CONTAINER:
		buf_printf(b, "%s leads to the '%s' inside ", f->path, f->member);
		break;
	case FIELD_RING:
		buf_printf(b, "%s starts a ring back to its head; each link is the '%s' inside a node ", f->path,
			   f->member);
		break;
	case FIELD_PLAIN:
		buf_printf(b, "%s is ", strcmp(f->path, "this") == 0 ? "the node itself" : f->path);
	}
	type_words(b, f->type);
	buf_char(b, '\n');
}

static void arm_words(struct buf *b, const struct regtype *r, const struct arm *a)
{
	if (r->tag && a->n_tags) {
		struct buf s = {0};
		gen_ranges_text(&s, a->tags, a->n_tags, true);
		buf_printf(b, "  if %s%s%s is %s:\n", r->tag, r->mask ? " & " : "", r->mask ? r->mask : "",
			   buf_str(&s));
		buf_release(&s);
	} else if (r->tag) {
		buf_printf(b, "  for any other %s:\n", r->tag);
	}
	for (size_t i = 0; i < a->n_fields; i++)
		field_words(b, &a->fields[i]);
	if (!a->n_fields)
		buf_str_add(b, "    - nothing more is asked\n");
}

static void regtype_words(struct buf *b, const struct regtype *r)
{
	buf_printf(b, "%s:%ld: type %s", r->at.file, r->at.line, r->name);
	for (size_t i = 0; i < r->n_params; i++)
		buf_printf(b, "%s%s%s", i ? ", " : "(", r->params[i], i + 1 == r->n_params ? ")" : "");
	buf_printf(b, "\n  %s pointer to a %s", r->nullable ? "NULL, or a" : "a", r->ctype);
	buf_printf(b, " in readable memory that is not freed%s\n", r->tag || r->arms[0].n_fields ? ", where" : "");
	for (size_t i = 0; i < r->n_arms; i++)
		if (r->tag || r->arms[i].n_fields)
			arm_words(b, r, &r->arms[i]);
	if (r->ring)
		buf_str_add(b, "  following it leads back to the node where it was entered\n");
	else
		buf_printf(b, "  no node leads back to itself%s\n",
			   r->shared ? "; a node may be reached in several ways" : ", and none is reached twice");
}

static void formula_words(struct buf *b, const struct formula *f)
{
	if (f->kind == F_LITERAL) {
		const struct literal *l = f->literal;
		if (l->kind == LIT_TYPE) {
			buf_printf(b, "%s is ", l->term.text);
			type_words(b, l->type);
		} else {
			buf_str_add(b, l->text);
		}
		return;
	}
	for (size_t i = 0; i < f->n_kids; i++) {
		bool group = f->kids[i]->kind != F_LITERAL;
		buf_str_add(b, !i ? "" : f->kind == F_AND ? " and " : " or ");
		buf_str_add(b, group ? "(" : "");
		formula_words(b, f->kids[i]);
		buf_str_add(b, group ? ")" : "");
	}
}

static void pred_words(struct buf *b, const struct pred *p)
{
	buf_printf(b, "%s:%ld: function %s", p->at.file, p->at.line, p->function);
	if (p->unit)
		buf_printf(b, " of %s", p->unit);
	if (p->pre) {
		buf_str_add(b, "\n  at each call: ");
		formula_words(b, p->pre);
	}
	if (p->post) {
		buf_printf(b, "\n  when it returns%s: ", p->pre ? ", if that held" : "");
		formula_words(b, p->post);
	}
	buf_char(b, '\n');
}

static enum rc read_file(struct annot_set *set, struct csource *cs, const char *path, struct err *e)
{
	struct buf text = {0};
	enum rc rc = buf_read_file(&text, path, (size_t)256 << 20, e);
	/* positions and names point into the text: it lives as long as the set */
	const char *copy = rc == RC_OK ? arena_strndup(&set->arena, buf_str(&text), text.n) : "";
	if (rc == RC_OK && annot_is_ours(copy, text.n))
		rc = annot_parse(set, copy, text.n, (struct place){path, 1, 1}, e);
	else if (rc == RC_OK)
		rc = csource_read(cs, copy, text.n, path, set, e);
	buf_release(&text);
	return rc;
}

/* Nothing here depends on whether a name is a field or a constant. */
static int any_member(const void *arg, const char *ctype, const char *name)
{
	(void)arg, (void)ctype, (void)name;
	return 1;
}

enum rc words_explain(const struct strings *files, struct buf *out, struct err *e)
{
	struct annot_set set;
	annot_init(&set);
	struct csource *cs = mem_zalloc((files->n + 1) * sizeof *cs);
	enum rc rc = RC_OK;
	for (size_t i = 0; i < files->n && rc == RC_OK; i++)
		rc = read_file(&set, &cs[i], files->at[i], e);
	if (rc == RC_OK)
		rc = annot_resolve(&set, &(struct members){any_member, NULL, false}, e);
	if (rc == RC_OK && !set.preds && !set.regtypes)
		rc = err_set(e, RC_INPUT, "no annotations in %s%s", files->at[0], files->n > 1 ? ", …" : "");
	for (const struct regtype *r = set.regtypes; r && rc == RC_OK; r = r->next)
		regtype_words(out, r);
	for (const struct measure *m = set.measures; m && rc == RC_OK; m = m->next)
		buf_printf(out, "%s:%ld: measure %s of a %s\n  %s; of NULL %s\n", m->at.file, m->at.line, m->name,
			   m->type, m->value->text, m->null_value ? m->null_value->text : "0");
	for (const struct prop *p = set.props; p && rc == RC_OK; p = p->next)
		buf_printf(out, "%s:%ld: property %s(%s)\n  %s\n", p->at.file, p->at.line, p->name, p->ctype,
			   p->local ? "reads the value only: its answer is remembered"
				    : "may read anything: types that use it are walked at each check");
	for (const struct pred *p = set.preds; p && rc == RC_OK; p = p->next)
		pred_words(out, p);
	for (size_t i = 0; i < files->n; i++)
		csource_release(&cs[i]);
	free(cs);
	annot_release(&set);
	return rc;
}
