/* SPDX-License-Identifier: MIT */
/* The parser: one statement after the other into a struct annot_set. Nesting (type arguments, parentheses) is
 * bounded, as is the number of nodes, so hostile input ends in an error. `;` is both the end of a statement and
 * "or" in formulas: it ends the statement when the text ends or one of the language's keywords follows. */
#include "check/source/parser.h"

#include <stdio.h>
#include <string.h>

static bool keyword(const struct token *t)
{
	return token_is(t, "regtype") || token_is(t, "pred") || token_is(t, "prop") || token_is(t, "measure");
}

static bool is_constant(const struct expr *x)
{
	if (x->kind == E_UNARY && strcmp(x->op, "-") == 0)
		x = x->kid[0];
	return x->kind == E_NUMBER ||
	       (x->kind == E_PATH && !x->term.stars && !*x->term.path && strcmp(x->term.base, "this") != 0);
}

static const char *bound(struct parser *p, struct expr **more)
{
	struct expr *x = parse_sum(p);
	*more = !parse_failed(p) && is_constant(x) ? NULL : x;
	return x->text;
}

/* 5, 1..9, 0.., ..9, 0..this.cap; constants only where the C compiler needs them (the tags of a case). */
static struct int_range range(struct parser *p, bool constants)
{
	struct int_range r = {.lo = ""};
	struct place where = p->tok.at;
	if (!parse_at(p, ".."))
		r.lo = bound(p, &r.lo_expr);
	if (parse_take(p, ".."))
		r.hi = parse_at(p, ")") || parse_at(p, "|") || parse_at(p, ":") ? "" : bound(p, &r.hi_expr);
	if (!parse_failed(p) && !*r.lo && r.hi && !*r.hi)
		p->rc = annot_fail(p->e, where, "expected a bound on one side of '..'");
	if (!parse_failed(p) && constants && (r.lo_expr || r.hi_expr || !*r.lo || (r.hi && !*r.hi)))
		p->rc = annot_fail(p->e, where, "expected a number or the name of a constant");
	return r;
}

static struct type_expr *type_expr(struct parser *p);

static void type_args(struct parser *p, struct type_expr *t)
{
	if (p->tok.kind == TOK_NUMBER && !parse_failed(p))
		p->rc = annot_fail(p->e, t->at, "unknown type '%s': only int, double and string have ranges", t->name);
	if (parse_nest(p))
		do {
			struct type_expr *a = type_expr(p);
			PUSH(p, t->args, t->n_args, a);
		} while (parse_take(p, ","));
	parse_unnest(p);
	parse_want(p, ")");
}

/* The name was read; its arguments are next, if it has any. */
static struct type_expr *type_named(struct parser *p, const char *nm, struct place where, bool args)
{
	struct type_expr *t = parse_node(p, sizeof *t);
	t->name = nm;
	t->at = where;
	static const struct {
		const char *name;
		enum type_kind kind;
	} words[] = {{"any", TYPE_ANY},       {"null", TYPE_NULL},     {"nonnull", TYPE_NONNULL},  {"int", TYPE_INT},
		     {"double", TYPE_DOUBLE}, {"string", TYPE_STRING}, {"function", TYPE_FUNCTION}};
	t->kind = TYPE_REG;
	for (size_t i = 0; i < sizeof words / sizeof *words; i++)
		if (strcmp(nm, words[i].name) == 0)
			t->kind = words[i].kind;
	if (t->kind == TYPE_FUNCTION && !(args && parse_at(p, "(")))
		parse_fail(p, "expected '(' and the names of functions");
	if (!args || !parse_take(p, "("))
		return t;
	if (t->kind >= TYPE_INT && t->kind <= TYPE_FUNCTION) {
		do {
			struct int_range r = t->kind == TYPE_FUNCTION
						     ? (struct int_range){.lo = parse_name(p, "expected a function")}
						     : range(p, false);
			PUSH(p, t->ranges, t->n_ranges, r);
		} while (parse_take(p, "|"));
		parse_want(p, ")");
	} else if (t->kind != TYPE_REG) {
		parse_fail(p, "this type takes no arguments: expected ','");
	} else {
		type_args(p, t);
	}
	return t;
}

static struct type_expr *type_expr(struct parser *p)
{
	struct place where = p->tok.at;
	bool optional = parse_at(p, "null") && token_is(&p->ahead, "|");
	if (optional) {
		parse_next(p);
		parse_next(p);
		where = p->tok.at;
	}
	struct type_expr *t = type_named(p, parse_name(p, "expected a type"), where, true);
	t->optional = optional;
	return t;
}

/* ---- regtype */

static const char *ctype(struct parser *p)
{
	const char *from = p->tok.s, *to = from;
	if (parse_at(p, "struct") || parse_at(p, "union"))
		parse_next(p);
	if (p->tok.kind == TOK_NAME)
		to = p->tok.s + p->tok.n;
	parse_name(p, "expected the name of a C type");
	return parse_source(p, from, to);
}

/* Is what begins here FIELD : TYPE? Otherwise it is a relation. */
static bool field_ahead(const struct parser *p)
{
	struct lexer lx = p->lx;
	struct token t = p->tok;
	unsigned depth = 0;
	for (unsigned i = 0; t.kind != TOK_END && t.kind != TOK_BAD; i++) {
		bool opens = token_is(&t, "(") || token_is(&t, "[") || token_is(&t, "{");
		bool closes = token_is(&t, ")") || token_is(&t, "]") || token_is(&t, "}");
		if (!depth && (token_is(&t, ":") || token_is(&t, "?")))
			return token_is(&t, ":");
		if (!depth && (closes || token_is(&t, ",") || token_is(&t, ";")))
			return false;
		depth = opens ? depth + 1 : depth - closes;
		t = i ? lex_next(&lx) : p->ahead;
	}
	return true; /* the parser says what is missing */
}

/* a.b[2]; the elements of an array, which may only come last, go to f. */
static const char *field_path(struct parser *p, struct field *f)
{
	struct buf b = {0};
	buf_str_add(&b, parse_name(p, "expected the name of a field"));
	while (!parse_failed(p)) {
		if (parse_take(p, ".")) {
			buf_printf(&b, ".%s", parse_name(p, "expected the name of a field"));
			continue;
		}
		if (!f || !parse_take(p, "["))
			break;
		struct expr *lo = parse_sum(p);
		if (!parse_take(p, "..")) {
			if (!is_constant(lo))
				parse_fail(p, "expected '..' after an index that is not a constant");
			buf_printf(&b, "[%s]", lo->text);
			parse_want(p, "]");
			continue;
		}
		f->kind = FIELD_ARRAY;
		f->lo = lo;
		f->hi = parse_sum(p);
		f->exclusive = parse_take(p, ")");
		if (!f->exclusive)
			parse_want(p, "]");
		if (parse_at(p, ".") || parse_at(p, "["))
			parse_fail(p, "an array may only be the last part of a field");
		break;
	}
	const char *s = parse_copy(p, b.at ? b.at : "", b.n);
	buf_release(&b);
	return s;
}

/* container(link.next), container(head.first, link), ring(head.next, link) */
static void linked(struct parser *p, struct field *f)
{
	f->kind = parse_at(p, "ring") ? FIELD_RING : FIELD_CONTAINER;
	parse_next(p);
	parse_want(p, "(");
	f->path = field_path(p, NULL);
	const char *dot = strrchr(f->path, '.');
	if (parse_take(p, ","))
		f->member = field_path(p, NULL);
	else if (f->kind == FIELD_RING || !dot)
		parse_fail(p, "expected ',' and the field of a node that it is linked by");
	else
		f->member = parse_copy(p, f->path, (size_t)(dot - f->path));
	if (!parse_failed(p) && f->kind == FIELD_RING && !dot)
		p->rc = annot_fail(p->e, f->at, "the ring's path is HEAD.NEXT: the head, and how it leads on");
	parse_want(p, ")");
}

static void field(struct parser *p, struct field *f)
{
	*f = (struct field){.at = p->tok.at, .path = ""};
	if (!field_ahead(p)) {
		f->kind = FIELD_RELATION;
		f->relation = parse_expr(p);
		if (!parse_failed(p) && !annot_is_condition(f->relation))
			parse_fail(p, "expected ':' and a type, or a comparison");
		return;
	}
	if ((parse_at(p, "container") || parse_at(p, "ring")) && token_is(&p->ahead, "(")) {
		linked(p, f);
	} else {
		f->path = field_path(p, f);
		if (f->kind == FIELD_PLAIN && parse_take(p, "&")) {
			f->kind = FIELD_MASKED;
			f->mask = parse_sum(p);
		}
	}
	parse_want(p, ":");
	if (!parse_failed(p))
		f->type = type_expr(p);
}

static void fields(struct parser *p, struct arm *a)
{
	a->at = p->tok.at;
	parse_want(p, "{");
	while (!parse_failed(p) && !parse_at(p, "}")) {
		struct field f;
		field(p, &f);
		PUSH(p, a->fields, a->n_fields, f);
		if (!parse_take(p, ","))
			break;
	}
	parse_want(p, "}");
}

static void case_body(struct parser *p, struct regtype *r)
{
	r->tag_at = p->tok.at;
	struct buf b = {0};
	buf_str_add(&b, parse_name(p, "expected the field that tells the cases apart"));
	while (parse_take(p, "."))
		buf_printf(&b, ".%s", parse_name(p, "expected the name of a field"));
	r->tag = parse_copy(p, b.at ? b.at : "", b.n);
	buf_release(&b);
	if (parse_take(p, "&"))
		r->mask = parse_constant(p);
	parse_want(p, "{");
	while (!parse_failed(p) && !parse_at(p, "}")) {
		struct arm a = {.at = p->tok.at};
		if (!parse_take(p, "default"))
			do {
				struct int_range t = range(p, true);
				PUSH(p, a.tags, a.n_tags, t);
			} while (parse_take(p, "|"));
		parse_want(p, ":");
		struct place where = a.at;
		if (!parse_failed(p))
			fields(p, &a);
		a.at = where;
		PUSH(p, r->arms, r->n_arms, a);
		if (!parse_take(p, ","))
			break;
	}
	if (!parse_failed(p) && !r->n_arms)
		parse_fail(p, "expected a case");
	parse_want(p, "}");
}

static void body(struct parser *p, struct regtype *r)
{
	bool have = false;
	do {
		if (parse_at(p, "null")) {
			if (r->nullable)
				parse_fail(p, "the cases overlap: 'null' is given twice");
			r->nullable = true;
			parse_next(p);
			continue;
		}
		if (have) {
			parse_fail(p, "the cases overlap: expected one struct or one 'case FIELD { … }'");
			return;
		}
		have = true;
		if (parse_take(p, "case")) {
			case_body(p, r);
		} else {
			struct arm a = {0};
			fields(p, &a);
			PUSH(p, r->arms, r->n_arms, a);
		}
	} while (parse_take(p, "|"));
	if (!have)
		parse_fail(p, "expected '{' or 'case'");
}

static void regtype(struct parser *p, const char *from)
{
	struct regtype *r = parse_node(p, sizeof *r);
	while ((parse_at(p, "shared") || parse_at(p, "ring")) && p->ahead.kind == TOK_NAME) {
		if (parse_at(p, "ring"))
			r->ring = true;
		else
			r->shared = true;
		parse_next(p);
	}

	r->at = p->tok.at;
	r->name = parse_name(p, "expected the name of the type");
	if (parse_take(p, "(")) {
		do {
			const char *s = parse_name(p, "expected the name of a parameter");
			PUSH(p, r->params, r->n_params, s);
		} while (parse_take(p, ","));
		parse_want(p, ")");
	}
	parse_want(p, ":");
	if (parse_failed(p))
		return;
	r->ctype = ctype(p);
	parse_want(p, "=");
	if (!parse_failed(p))
		body(p, r);
	r->source = parse_source(p, from, p->tok.s);
	if (parse_failed(p))
		return;
	*p->set->regtypes_end = r;
	p->set->regtypes_end = &r->next;
}

static void prop(struct parser *p)
{
	struct prop *r = parse_node(p, sizeof *r);
	r->at = p->tok.at;
	r->name = parse_name(p, "expected the name of a C function");
	parse_want(p, "(");
	const char *from = p->tok.s, *to = from;
	while (!parse_failed(p) && !parse_at(p, ")") && p->tok.kind != TOK_END) {
		if (p->tok.kind != TOK_NAME && !parse_at(p, "*"))
			parse_fail(p, "expected a C type");
		to = p->tok.s + p->tok.n;
		parse_next(p);
	}
	r->ctype = parse_source(p, from, to);
	parse_want(p, ")");
	r->local = parse_take(p, "local");
	if (parse_failed(p))
		return;
	*p->set->props_end = r;
	p->set->props_end = &r->next;
}

/* measure NAME(TYPE) = [null : EXPR |] EXPR */
static void measure(struct parser *p, const char *from)
{
	struct measure *m = parse_node(p, sizeof *m);
	m->at = p->tok.at;
	m->name = parse_name(p, "expected the name of a measure");
	parse_want(p, "(");
	m->type = parse_name(p, "expected the name of a regular type");
	parse_want(p, ")");
	parse_want(p, "=");
	if (parse_at(p, "null") && token_is(&p->ahead, ":")) {
		parse_next(p);
		parse_next(p);
		m->null_value = parse_sum(p);
		parse_want(p, "|");
	}
	m->value = parse_failed(p) ? NULL : parse_expr(p);
	if (parse_failed(p))
		return;
	m->text = parse_source(p, from, p->tok.s);
	*p->set->measures_end = m;
	p->set->measures_end = &m->next;
}

/* ---- pred */

/* The token after the group in parentheses that begins at (or right after) the current token, and after the next
 * group if another follows at once: NAME(…)(…). */
static struct token after_groups(const struct parser *p, bool *two)
{
	struct lexer lx = p->lx;
	struct token t = p->tok;
	unsigned depth = 0;
	bool read_ahead = false;
	*two = false;
	if (!token_is(&p->tok, "(") && !token_is(&p->ahead, "("))
		return t;
	for (;;) {
		if (t.kind == TOK_END)
			return t;
		depth += token_is(&t, "(");
		bool closed = token_is(&t, ")") && depth && --depth == 0;
		t = read_ahead ? lex_next(&lx) : p->ahead;
		read_ahead = true;
		if (!closed)
			continue;
		if (!token_is(&t, "(") || *two)
			return t;
		*two = true;
	}
}

static bool ends_literal(const struct token *t)
{
	return t->kind == TOK_END || token_is(t, ",") || token_is(t, ";") || token_is(t, ")") || token_is(t, "=>");
}

bool annot_is_condition(const struct expr *x)
{
	return (x->kind == E_BINARY && (x->compares || strcmp(x->op, "&&") == 0 || strcmp(x->op, "||") == 0)) ||
	       (x->kind == E_UNARY && strcmp(x->op, "!") == 0) ||
	       (x->kind == E_COND && annot_is_condition(x->kid[1]) && annot_is_condition(x->kid[2]));
}

static struct formula *literal(struct parser *p)
{
	struct formula *f = parse_node(p, sizeof *f);
	struct literal *l = f->literal = parse_node(p, sizeof *l);
	const char *from = p->tok.s;
	bool args = false;
	f->kind = F_LITERAL;
	l->at = p->tok.at;
	struct token after = after_groups(p, &args);
	if (parse_at(p, "true") && !token_is(&p->ahead, "(")) {
		parse_next(p);
		l->kind = LIT_TRUE;
		l->text = "true";
		return f;
	}
	if (p->tok.kind == TOK_NAME && token_is(&p->ahead, "(") && (args || ends_literal(&after))) {
		l->kind = LIT_TYPE;
		const char *nm = parse_name(p, "");
		l->type = type_named(p, nm, l->at, args);
		parse_want(p, "(");
		parse_term(p, &l->term);
		parse_want(p, ")");
	} else {
		l->kind = LIT_COMPARE;
		l->expr = parse_expr(p);
		if (!parse_failed(p) && !annot_is_condition(l->expr))
			parse_fail(p, "expected a comparison or TYPE(ARGUMENT)");
	}
	l->text = parse_failed(p) ? "" : parse_source(p, from, p->last.s + p->last.n);
	return f;
}

static struct formula *formula(struct parser *p);

static struct formula *conjunction(struct parser *p)
{
	struct formula *f = parse_node(p, sizeof *f);
	f->kind = F_AND;
	do {
		struct formula *k;
		bool two;
		struct token after = after_groups(p, &two);
		if (parse_at(p, "(") && ends_literal(&after)) {
			parse_next(p);
			k = parse_nest(p) ? formula(p) : f;
			parse_unnest(p);
			parse_want(p, ")");
		} else {
			k = literal(p);
		}
		PUSH(p, f->kids, f->n_kids, k);
	} while (parse_take(p, ","));
	return f->n_kids == 1 ? f->kids[0] : f;
}

static struct formula *formula(struct parser *p)
{
	struct formula *f = parse_node(p, sizeof *f);
	f->kind = F_OR;
	for (;;) {
		struct formula *k = conjunction(p);
		PUSH(p, f->kids, f->n_kids, k);
		if (!parse_at(p, ";") || keyword(&p->ahead) || p->ahead.kind == TOK_END)
			break;
		parse_next(p);
	}
	return f->n_kids == 1 ? f->kids[0] : f;
}

static void pred(struct parser *p, const char *from)
{
	struct pred *r = parse_node(p, sizeof *r);
	if (p->tok.kind == TOK_STRING) {
		r->unit = parse_copy(p, p->tok.s + 1, p->tok.n - 2);
		parse_next(p);
	}
	r->at = p->tok.at;
	r->function = parse_name(p, "expected the name of a function");
	parse_want(p, "(");
	if (!parse_at(p, ")"))
		do {
			struct place where = p->tok.at;
			const char *s = parse_name(p, "expected the name of an argument");
			if (!parse_failed(p) && strcmp(s, "result") == 0)
				p->rc = annot_fail(
					p->e, where,
					"'result' is what the function returns: call the argument something else");
			for (size_t i = 0; i < r->n_args; i++)
				if (!parse_failed(p) && strcmp(r->args[i], s) == 0)
					p->rc = annot_fail(p->e, r->at, "argument '%s' is named twice", s);
			PUSH(p, r->args, r->n_args, s);
		} while (parse_take(p, ","));
	parse_want(p, ")");
	if (parse_take(p, ":"))
		r->pre = formula(p);
	if (parse_take(p, "=>"))
		r->post = formula(p);
	if (!parse_failed(p) && !r->pre && !r->post)
		parse_fail(p, "expected ':' and a precondition, or '=>' and a postcondition");
	if (parse_failed(p))
		return;
	r->text = parse_source(p, from, p->tok.s);
	*p->set->preds_end = r;
	p->set->preds_end = &r->next;
}

void annot_init(struct annot_set *s)
{
	*s = (struct annot_set){0};
	s->regtypes_end = &s->regtypes;
	s->props_end = &s->props;
	s->measures_end = &s->measures;
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
	parse_next(&p);
	parse_next(&p);
	while (!parse_failed(&p) && p.tok.kind != TOK_END) {
		const char *from = p.tok.s;
		if (parse_take(&p, "regtype"))
			regtype(&p, from);
		else if (parse_take(&p, "prop"))
			prop(&p);
		else if (parse_take(&p, "pred"))
			pred(&p, from);
		else if (parse_take(&p, "measure"))
			measure(&p, from);
		else
			parse_fail(&p, "expected 'regtype', 'prop', 'measure' or 'pred'");
		parse_want(&p, ";");
	}
	return p.rc;
}
