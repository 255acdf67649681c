/* SPDX-License-Identifier: MIT */
/* The parser: one statement after the other into a struct annot_set. Nesting (type arguments, parentheses) is
 * bounded, as is the number of nodes, so hostile input ends in an error. `;` is both the end of a statement and
 * "or" in formulas: it ends the statement when the text ends or one of the language's keywords follows. */
#include "check/annot_lex.h"

#include <stdio.h>
#include <string.h>

enum { MAX_NESTING = 64, MAX_NODES = 200000 };

struct parser {
	struct annot_set *set;
	struct lexer lx;
	struct token tok, ahead;
	struct err *e;
	enum rc rc;
	unsigned nesting;
};

enum rc annot_fail(struct err *e, struct place at, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	va_start(ap, fmt);
	vsnprintf(text, sizeof text, fmt, ap);
	va_end(ap);
	return err_at(e, RC_INPUT, at.file, at.line, at.col, "%s", text);
}

static void next(struct parser *p)
{
	p->tok = p->ahead;
	p->ahead = lex_next(&p->lx);
}

static bool failed(const struct parser *p)
{
	return p->rc != RC_OK;
}

static void fail(struct parser *p, const char *what)
{
	if (failed(p))
		return;
	if (p->tok.kind == TOK_END)
		p->rc = annot_fail(p->e, p->tok.at, "%s, but the annotation ends here", what);
	else
		p->rc = annot_fail(p->e, p->tok.at, "%s, not '%.*s'", what, (int)(p->tok.n > 40 ? 40 : p->tok.n),
				   p->tok.s);
}

static bool at(const struct parser *p, const char *text)
{
	return !failed(p) && token_is(&p->tok, text);
}

static bool take(struct parser *p, const char *text)
{
	if (!at(p, text))
		return false;
	next(p);
	return true;
}

static void want(struct parser *p, const char *text)
{
	char what[40];
	if (take(p, text))
		return;
	snprintf(what, sizeof what, "expected '%s'", text);
	fail(p, what);
}

static void *node(struct parser *p, size_t size)
{
	if (++p->set->n_nodes > MAX_NODES && !failed(p))
		p->rc = annot_fail(p->e, p->tok.at, "the annotations are too long");
	return arena_zalloc(&p->set->arena, size);
}

/* Room for one more element in an array of the arena, which doubles when its size is a power of two. */
static void *grown(struct parser *p, void *old, size_t n, size_t size)
{
	if (n && (n & (n - 1)))
		return old;
	void *at = node(p, size * (n ? n * 2 : 1));
	if (n)
		memcpy(at, old, size * n);
	return at;
}
#define PUSH(p, arr, n, x) ((arr) = grown((p), (arr), (n), sizeof *(arr)), (arr)[(n)++] = (x))

static const char *copy(struct parser *p, const char *s, size_t n)
{
	return arena_strndup(&p->set->arena, s, n);
}

static const char *name(struct parser *p, const char *what)
{
	if (failed(p) || p->tok.kind != TOK_NAME) {
		fail(p, what);
		return "";
	}
	const char *s = copy(p, p->tok.s, p->tok.n);
	next(p);
	return s;
}

static bool keyword(const struct token *t)
{
	return token_is(t, "regtype") || token_is(t, "pred") || token_is(t, "prop") || token_is(t, "measure");
}

/* The text in [from, to), blanks squeezed. */
static const char *source(struct parser *p, const char *from, const char *to)
{
	struct buf b = {0};
	for (const char *s = from; s < to; s++) {
		bool blank = *s == ' ' || *s == '\t' || *s == '\n' || *s == '\r' || *s == '@';
		if (blank && (!b.n || b.at[b.n - 1] == ' '))
			continue;
		buf_char(&b, blank ? ' ' : *s);
	}
	while (b.n && b.at[b.n - 1] == ' ')
		b.n--;
	const char *s = copy(p, b.at ? b.at : "", b.n);
	buf_release(&b);
	return s;
}

/* A C constant: a number, perhaps negative, or the name of one. */
static const char *constant(struct parser *p)
{
	bool minus = take(p, "-");
	if (failed(p) || (p->tok.kind != TOK_NUMBER && (minus || p->tok.kind != TOK_NAME))) {
		fail(p, "expected a number or the name of a constant");
		return "";
	}
	struct buf b = {0};
	buf_printf(&b, "%s%.*s", minus ? "-" : "", (int)p->tok.n, p->tok.s);
	const char *s = copy(p, b.at, b.n);
	buf_release(&b);
	next(p);
	return s;
}

static struct int_range range(struct parser *p)
{
	struct int_range r = {constant(p), NULL};
	if (take(p, ".."))
		r.hi = constant(p);
	return r;
}

static bool nest(struct parser *p)
{
	if (++p->nesting <= MAX_NESTING)
		return true;
	if (!failed(p))
		p->rc = annot_fail(p->e, p->tok.at, "more than %d levels of nesting", MAX_NESTING);
	return false;
}

static struct type_expr *type_expr(struct parser *p);

static void type_args(struct parser *p, struct type_expr *t)
{
	if (nest(p))
		do {
			struct type_expr *a = type_expr(p);
			PUSH(p, t->args, t->n_args, a);
		} while (take(p, ","));
	p->nesting--;
	want(p, ")");
}

/* The name was read; its arguments are next, if it has any. */
static struct type_expr *type_named(struct parser *p, const char *nm, struct place where, bool args)
{
	struct type_expr *t = node(p, sizeof *t);
	t->name = nm;
	t->at = where;
	t->kind = strcmp(nm, "any") == 0       ? TYPE_ANY
		  : strcmp(nm, "null") == 0    ? TYPE_NULL
		  : strcmp(nm, "nonnull") == 0 ? TYPE_NONNULL
		  : strcmp(nm, "int") == 0     ? TYPE_INT
					       : TYPE_REG;
	if (!args || !take(p, "("))
		return t;
	if (t->kind == TYPE_INT) {
		do {
			struct int_range r = range(p);
			PUSH(p, t->ranges, t->n_ranges, r);
		} while (take(p, "|"));
		want(p, ")");
	} else if (t->kind != TYPE_REG) {
		fail(p, "this type takes no arguments: expected ','");
	} else {
		type_args(p, t);
	}
	return t;
}

static struct type_expr *type_expr(struct parser *p)
{
	struct place where = p->tok.at;
	return type_named(p, name(p, "expected a type"), where, true);
}

/* ---- regtype */

static const char *ctype(struct parser *p)
{
	const char *from = p->tok.s, *to = from;
	if (at(p, "struct") || at(p, "union"))
		next(p);
	if (p->tok.kind == TOK_NAME)
		to = p->tok.s + p->tok.n;
	name(p, "expected the name of a C type");
	return source(p, from, to);
}

static void field(struct parser *p, struct field *f)
{
	*f = (struct field){.at = p->tok.at};
	struct buf b = {0};
	buf_str_add(&b, name(p, "expected the name of a field"));
	while (!failed(p)) {
		if (take(p, ".")) {
			buf_printf(&b, ".%s", name(p, "expected the name of a field"));
		} else if (take(p, "[")) {
			f->lo = constant(p);
			if (take(p, "..")) {
				if (at(p, "this")) {
					next(p);
					want(p, ".");
					f->hi_is_field = true;
					f->hi = name(p, "expected the name of a field");
				} else {
					f->hi = constant(p);
				}
			}
			want(p, "]");
			if (at(p, ".") || at(p, "["))
				fail(p, "an array may only be the last part of a field");
			if (!f->hi) {
				buf_printf(&b, "[%s]", f->lo);
				f->lo = NULL;
			}
		} else {
			break;
		}
	}
	f->path = copy(p, b.at ? b.at : "", b.n);
	buf_release(&b);
	want(p, ":");
	if (!failed(p))
		f->type = type_expr(p);
}

static void fields(struct parser *p, struct arm *a)
{
	a->at = p->tok.at;
	want(p, "{");
	while (!failed(p) && !at(p, "}")) {
		struct field f;
		field(p, &f);
		PUSH(p, a->fields, a->n_fields, f);
		if (!take(p, ","))
			break;
	}
	want(p, "}");
}

static void case_body(struct parser *p, struct regtype *r)
{
	r->tag_at = p->tok.at;
	struct buf b = {0};
	buf_str_add(&b, name(p, "expected the field that tells the cases apart"));
	while (take(p, "."))
		buf_printf(&b, ".%s", name(p, "expected the name of a field"));
	r->tag = copy(p, b.at ? b.at : "", b.n);
	buf_release(&b);
	if (take(p, "&"))
		r->mask = constant(p);
	want(p, "{");
	while (!failed(p) && !at(p, "}")) {
		struct arm a = {.at = p->tok.at};
		if (!take(p, "default"))
			do {
				struct int_range t = range(p);
				PUSH(p, a.tags, a.n_tags, t);
			} while (take(p, "|"));
		want(p, ":");
		struct place where = a.at;
		if (!failed(p))
			fields(p, &a);
		a.at = where;
		PUSH(p, r->arms, r->n_arms, a);
		if (!take(p, ","))
			break;
	}
	if (!failed(p) && !r->n_arms)
		fail(p, "expected a case");
	want(p, "}");
}

static void body(struct parser *p, struct regtype *r)
{
	bool have = false;
	do {
		if (at(p, "null")) {
			if (r->nullable)
				fail(p, "the cases overlap: 'null' is given twice");
			r->nullable = true;
			next(p);
			continue;
		}
		if (have) {
			fail(p, "the cases overlap: expected one struct or one 'case FIELD { … }'");
			return;
		}
		have = true;
		if (take(p, "case")) {
			case_body(p, r);
		} else {
			struct arm a = {0};
			fields(p, &a);
			PUSH(p, r->arms, r->n_arms, a);
		}
	} while (take(p, "|"));
	if (!have)
		fail(p, "expected '{' or 'case'");
}

static void regtype(struct parser *p, const char *from)
{
	struct regtype *r = node(p, sizeof *r);
	if (at(p, "shared") && p->ahead.kind == TOK_NAME) {
		r->shared = true;
		next(p);
	}
	r->at = p->tok.at;
	r->name = name(p, "expected the name of the type");
	if (take(p, "(")) {
		do {
			const char *s = name(p, "expected the name of a parameter");
			PUSH(p, r->params, r->n_params, s);
		} while (take(p, ","));
		want(p, ")");
	}
	want(p, ":");
	if (failed(p))
		return;
	r->ctype = ctype(p);
	want(p, "=");
	if (!failed(p))
		body(p, r);
	r->source = source(p, from, p->tok.s);
	if (failed(p))
		return;
	*p->set->regtypes_end = r;
	p->set->regtypes_end = &r->next;
}

static void prop(struct parser *p)
{
	struct prop *r = node(p, sizeof *r);
	r->at = p->tok.at;
	r->name = name(p, "expected the name of a C function");
	want(p, "(");
	const char *from = p->tok.s, *to = from;
	while (!failed(p) && !at(p, ")") && p->tok.kind != TOK_END) {
		if (p->tok.kind != TOK_NAME && !at(p, "*"))
			fail(p, "expected a C type");
		to = p->tok.s + p->tok.n;
		next(p);
	}
	r->ctype = source(p, from, to);
	want(p, ")");
	r->local = take(p, "local");
	if (failed(p))
		return;
	*p->set->props_end = r;
	p->set->props_end = &r->next;
}

/* ---- pred */

static void term(struct parser *p, struct term *t, bool constants)
{
	const char *from = p->tok.s, *to;
	*t = (struct term){.at = p->tok.at, .base = "", .path = "", .text = ""};
	if (constants && (at(p, "-") || p->tok.kind == TOK_NUMBER)) {
		t->base = t->text = constant(p);
		return;
	}
	while (take(p, "*"))
		t->stars++;
	to = p->tok.s + p->tok.n;
	t->base = name(p, "expected an argument");
	const char *path = p->tok.s;
	while (at(p, "->") || at(p, ".") || at(p, "[")) {
		bool index = at(p, "[");
		next(p);
		to = p->tok.s + p->tok.n;
		if (!index) {
			name(p, "expected the name of a field");
			continue;
		}
		constant(p);
		to = p->tok.s + p->tok.n;
		want(p, "]");
	}
	if (failed(p))
		return;
	t->path = path < to ? source(p, path, to) : "";
	t->text = source(p, from, to);
}

/* NAME(…)(…): is the group in parentheses that begins here followed by another? Then it holds type arguments. */
static bool group_then_group(const struct parser *p)
{
	struct lexer lx = p->lx;
	unsigned depth = 1;
	for (;;) {
		struct token t = lex_next(&lx);
		if (t.kind == TOK_END)
			return false;
		depth += token_is(&t, "(");
		if (token_is(&t, ")") && --depth == 0) {
			t = lex_next(&lx);
			return token_is(&t, "(");
		}
	}
}

static const char *const compare_ops[] = {"==", "!=", "<=", ">=", "<", ">"};

static struct formula *literal(struct parser *p)
{
	struct formula *f = node(p, sizeof *f);
	struct literal *l = f->literal = node(p, sizeof *l);
	const char *from = p->tok.s, *to = from;
	f->kind = F_LITERAL;
	l->at = p->tok.at;
	if (at(p, "true") && !token_is(&p->ahead, "(")) {
		next(p);
		l->kind = LIT_TRUE;
		l->text = "true";
		return f;
	}
	if (p->tok.kind == TOK_NAME && token_is(&p->ahead, "(")) {
		l->kind = LIT_TYPE;
		bool args = group_then_group(p);
		const char *nm = name(p, "");
		l->type = type_named(p, nm, l->at, args);
		want(p, "(");
		term(p, &l->term, false);
		to = p->tok.s + p->tok.n;
		want(p, ")");
	} else {
		l->kind = LIT_COMPARE;
		term(p, &l->term, false);
		for (size_t i = 0; i < sizeof compare_ops / sizeof *compare_ops && !l->op; i++)
			if (take(p, compare_ops[i]))
				l->op = compare_ops[i];
		if (!l->op)
			fail(p, "expected a comparison or TYPE(ARGUMENT)");
		const char *before = p->tok.s;
		term(p, &l->right, true);
		to = before + strlen(l->right.text ? l->right.text : "");
	}
	l->text = failed(p) ? "" : source(p, from, to);
	return f;
}

static struct formula *formula(struct parser *p);

static struct formula *conjunction(struct parser *p)
{
	struct formula *f = node(p, sizeof *f);
	f->kind = F_AND;
	do {
		struct formula *k;
		if (take(p, "(")) {
			k = nest(p) ? formula(p) : f;
			p->nesting--;
			want(p, ")");
		} else {
			k = literal(p);
		}
		PUSH(p, f->kids, f->n_kids, k);
	} while (take(p, ","));
	return f->n_kids == 1 ? f->kids[0] : f;
}

static struct formula *formula(struct parser *p)
{
	struct formula *f = node(p, sizeof *f);
	f->kind = F_OR;
	for (;;) {
		struct formula *k = conjunction(p);
		PUSH(p, f->kids, f->n_kids, k);
		if (!at(p, ";") || keyword(&p->ahead) || p->ahead.kind == TOK_END)
			break;
		next(p);
	}
	return f->n_kids == 1 ? f->kids[0] : f;
}

static void pred(struct parser *p, const char *from)
{
	struct pred *r = node(p, sizeof *r);
	r->at = p->tok.at;
	r->function = name(p, "expected the name of a function");
	want(p, "(");
	if (!at(p, ")"))
		do {
			const char *s = name(p, "expected the name of an argument");
			for (size_t i = 0; i < r->n_args; i++)
				if (!failed(p) && strcmp(r->args[i], s) == 0)
					p->rc = annot_fail(p->e, r->at, "argument '%s' is named twice", s);
			PUSH(p, r->args, r->n_args, s);
		} while (take(p, ","));
	want(p, ")");
	if (take(p, ":"))
		r->pre = formula(p);
	if (take(p, "=>"))
		r->post = formula(p);
	if (!failed(p) && !r->pre && !r->post)
		fail(p, "expected ':' and a precondition, or '=>' and a postcondition");
	if (failed(p))
		return;
	r->text = source(p, from, p->tok.s);
	*p->set->preds_end = r;
	p->set->preds_end = &r->next;
}

void annot_init(struct annot_set *s)
{
	*s = (struct annot_set){0};
	s->regtypes_end = &s->regtypes;
	s->props_end = &s->props;
	s->preds_end = &s->preds;
}

void annot_release(struct annot_set *s)
{
	arena_release(&s->arena);
}

bool annot_is_ours(const char *text, size_t n)
{
	struct lexer lx = {text, text + n, {0}};
	struct token t = lex_next(&lx);
	return keyword(&t);
}

enum rc annot_parse(struct annot_set *s, const char *text, size_t n, struct place where, struct err *e)
{
	struct parser p = {.set = s, .lx = {text, text + n, where}, .e = e};
	next(&p);
	next(&p);
	while (!failed(&p) && p.tok.kind != TOK_END) {
		const char *from = p.tok.s;
		if (take(&p, "regtype"))
			regtype(&p, from);
		else if (take(&p, "prop"))
			prop(&p);
		else if (take(&p, "pred"))
			pred(&p, from);
		else if (at(&p, "measure"))
			p.rc = annot_fail(e, p.tok.at, "measures are not supported by this version");
		else
			fail(&p, "expected 'regtype', 'prop' or 'pred'");
		want(&p, ";");
	}
	return p.rc;
}
