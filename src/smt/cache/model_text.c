/* SPDX-License-Identifier: MIT */
/* Models as solvers print them. z3 writes a function as a chain (ite (= x!0 V) R (ite (and …) R … ELSE)) over
 * constants: each link is a point. A predicate may end in a formula instead: (= x!0 V), (or (= x!0 V) …),
 * (and (not (= x!0 V)) …), or one of these negated. A function of another form (over other functions, of terms) is
 * left out. */
#include "smt/cache/model_text.h"

#include "smt/term/print.h"
#include "smt/value/pack.h"

#include <string.h>

/* ---- one form for all */

static void copy_symbol(const struct sexpr *x, uint32_t node, struct buf *out)
{
	print_symbol(out, x->text + x->at[node].off, x->at[node].len);
}

/* The node of the last part of the list at i; 0: there is none. */
static uint32_t last_part(const struct sexpr *x, uint32_t i)
{
	uint32_t last = 0;
	for (uint32_t c = i + 1; c < x->at[i].next; c = x->at[c].next)
		last = c;
	return last;
}

/* (define-fun NAME ((NAME SORT)…) SORT BODY), where SORT may be several words; (declare-fun NAME () SORT). */
static void copy_definition(const struct sexpr *x, uint32_t i, struct buf *out)
{
	uint32_t name = i + 2, params = i + 3, body = last_part(x, i);
	bool defines = sexpr_is_symbol(x, i + 1, "define-fun");
	if ((!defines && !sexpr_is_symbol(x, i + 1, "declare-fun")) || params >= x->at[i].next ||
	    x->at[name].kind != SEXPR_SYMBOL || x->at[params].kind != SEXPR_LIST || body <= params)
		return;
	size_t before = out->n;
	buf_str_add(out, defines ? "(define-fun " : "(declare-fun ");
	copy_symbol(x, name, out);
	buf_str_add(out, " (");
	for (uint32_t p = params + 1; p < x->at[params].next; p = x->at[p].next) {
		if (x->at[p].kind != SEXPR_LIST || p + 1 >= x->at[p].next || x->at[p + 1].kind != SEXPR_SYMBOL) {
			out->n = before;
			return;
		}
		buf_char(out, '(');
		copy_symbol(x, p + 1, out);
		buf_str_add(out, " S)");
	}
	buf_str_add(out, ") S");
	if (defines) {
		size_t n;
		const char *text = sexpr_written(x, body, &n);
		buf_char(out, ' ');
		buf_add(out, text, n);
	}
	buf_str_add(out, ")\n");
}

void model_text_copy(struct sexpr *x, const char *text, size_t n, struct buf *out)
{
	struct sexpr_split sp = {.line = 1, .col = 1};
	while (sexpr_split_next(&sp, text, n, true) == SEXPR_FOUND) {
		if (sexpr_parse(x, text + sp.start, sp.at - sp.start, 1, 1, NULL) != RC_OK ||
		    x->at[0].kind != SEXPR_LIST)
			continue;
		bool one = x->n > 1 && x->at[1].kind == SEXPR_SYMBOL && !sexpr_is_symbol(x, 1, "model");
		if (one)
			copy_definition(x, 0, out);
		for (uint32_t i = 1; !one && i < x->at[0].next; i = x->at[i].next)
			if (x->at[i].kind == SEXPR_LIST && i + 1 < x->at[i].next)
				copy_definition(x, i, out);
	}
}

/* ---- values */

struct pack {
	struct reader *r;
	struct eval *values;
	struct buf points;
};

static bool pack_term(struct pack *p, const struct sexpr *x, uint32_t node, struct buf *out)
{
	uint32_t t;
	struct value v;
	if (builder_term(&p->r->builder, x, node, &t) != RC_OK)
		return false;
	struct terms view = dag_terms(&p->r->dag);
	eval_grow(p->values, &view, p->r->dag.term.n);
	return eval_term(p->values, t, &v) == RC_OK && pack_value(out, &v);
}

/* Is it the parameter? */
static bool is_name(const struct sexpr *x, uint32_t node, uint32_t param)
{
	return x->at[node].kind == SEXPR_SYMBOL && sexpr_is(x, node, x->text + x->at[param].off, x->at[param].len);
}

/* (= PARAMETER V) or (= V PARAMETER): the node of V; 0: it is of another form. */
static uint32_t equal_to(const struct sexpr *x, uint32_t node, uint32_t param)
{
	uint32_t a = node + 2, end = x->at[node].next;
	if (x->at[node].kind != SEXPR_LIST || a >= end || !sexpr_is_symbol(x, node + 1, "="))
		return 0;
	uint32_t b = x->at[a].next;
	if (b >= end || x->at[b].next != end)
		return 0;
	return is_name(x, a, param) ? b : is_name(x, b, param) ? a : 0;
}

/* Packs the arguments that the condition at node asks for, one for each parameter in their order. */
static bool pack_condition(struct pack *p, const struct macro *m, uint32_t node)
{
	const struct sexpr *x = &m->x;
	bool many = m->n_params > 1;
	if (many && (x->at[node].kind != SEXPR_LIST || !sexpr_is_symbol(x, node + 1, "and")))
		return false;
	uint32_t c = many ? node + 2 : node, end = x->at[node].next;
	for (uint32_t param = m->params + 1; param < x->at[m->params].next; param = x->at[param].next) {
		uint32_t v = c < end ? equal_to(x, c, param + 1) : 0;
		if (!v || !pack_term(p, x, v, &p->points))
			return false;
		c = x->at[c].next;
	}
	return c == end;
}

static bool applies(const struct sexpr *x, uint32_t node, const char *op)
{
	return x->at[node].kind == SEXPR_LIST && node + 2 < x->at[node].next && x->at[node + 1].kind == SEXPR_SYMBOL &&
	       sexpr_is(x, node + 1, op, strlen(op));
}

/* What stands under (not …) at node, however often; *holds turns with each. */
static uint32_t skip_not(const struct sexpr *x, uint32_t node, bool *holds)
{
	for (; applies(x, node, "not"); node += 2)
		*holds = !*holds;
	return node;
}

static bool pack_bool(struct buf *out, bool holds)
{
	return pack_value(out, &(struct value){.type = VALUE_BOOL, .u = holds});
}

/* The formula at node as points, counted in *n, and what holds everywhere else. */
static bool pack_formula(struct pack *p, const struct macro *m, uint32_t node, uint32_t *n, bool *otherwise)
{
	const struct sexpr *x = &m->x;
	bool holds = true, inner = true;
	node = skip_not(x, node, &holds);
	bool any = applies(x, node, "or"), all = applies(x, node, "and") && applies(x, node + 2, "not");
	uint32_t end = x->at[node].next;
	*otherwise = all ? holds : !holds;
	for (uint32_t part = any || all ? node + 2 : node; part < end; part = x->at[part].next, ++*n) {
		uint32_t condition = skip_not(x, part, &inner);
		if (inner == all || !pack_condition(p, m, condition))
			return false;
		pack_bool(&p->points, !*otherwise);
		inner = true;
	}
	return true;
}

static bool pack_function(struct pack *p, const struct symbol *y, struct buf *out)
{
	const struct macro *m = &p->r->scope.macro.at[y->value];
	const struct sexpr *x = &m->x;
	uint32_t node = m->body, n = 0;
	buf_clear(&p->points);
	for (; applies(x, node, "ite"); n++) {
		uint32_t end = x->at[node].next, when = node + 2, then = when < end ? x->at[when].next : end;
		uint32_t otherwise = then < end ? x->at[then].next : end;
		if (otherwise >= end || !pack_condition(p, m, when) || !pack_term(p, x, then, &p->points))
			return false;
		node = otherwise;
	}
	bool otherwise, constant = !applies(x, node, "=") && !applies(x, node, "not") && !applies(x, node, "or") &&
				   !applies(x, node, "and");
	if (!constant && !pack_formula(p, m, node, &n, &otherwise))
		return false;
	buf_add(out, y->name, y->len + 1);
	pack_u32(out, m->n_params);
	pack_u32(out, n);
	if (constant ? !pack_term(p, x, node, out) : !pack_bool(out, otherwise))
		return false;
	if (p->points.n)
		buf_add(out, p->points.at, p->points.n);
	return true;
}

static bool pack_names(struct pack *p, const struct buf *names, struct buf *out)
{
	struct reader *r = p->r;
	bool ok = true;
	for (size_t at = 0; at < names->n && ok; at += strlen(names->at + at) + 1) {
		const char *name = names->at + at;
		uint32_t symbol = scope_symbol(&r->scope, name, strlen(name)); /* may move them */
		const struct symbol *y = &r->scope.symbol.at[symbol];
		struct value v = {0};
		ok = (y->decl != DECL_TERM || eval_term(p->values, y->value, &v) == RC_OK) && pack_value(out, &v);
	}
	return ok;
}

bool model_text_pack(struct reader *r, struct eval *values, const struct buf *text, const struct buf *names,
		     struct buf *out)
{
	struct sexpr_split sp = {.line = 1, .col = 1};
	struct pack p = {.r = r, .values = values};
	struct buf functions = {0};
	uint32_t n = 0;
	reader_clear(r);
	while (sexpr_split_next(&sp, text->at, text->n, true) == SEXPR_FOUND)
		if (sexpr_parse(&r->x, text->at + sp.start, sp.at - sp.start, 1, 1, NULL) == RC_OK)
			(void)reader_command(r); /* a name without a value is found below */
	struct terms t = dag_terms(&r->dag);
	eval_begin(values, &t, r->dag.term.n);
	values->elements = true;
	for (size_t i = 0; i < r->scope.var.n; i++) /* what is declared is an element, and different from all others */
		eval_set(values, r->scope.var.at[i], (struct value){.type = VALUE_ELEMENT, .u = i});
	bool ok = pack_names(&p, names, out);
	for (size_t i = 0; i < r->scope.symbol.n && ok; i++) {
		struct symbol y = r->scope.symbol.at[i]; /* a copy: names met on the way may move them */
		size_t before = functions.n;
		if (y.decl != DECL_MACRO)
			continue;
		if (pack_function(&p, &y, &functions))
			n++;
		else
			functions.n = before;
	}
	pack_u32(out, n);
	if (functions.n)
		buf_add(out, functions.at, functions.n);
	buf_release(&functions);
	buf_release(&p.points);
	return ok;
}

uint32_t model_functions(const char **at)
{
	return unpack_u32(at);
}

void model_function_next(struct arena *mem, const char **at, struct model_function *f)
{
	f->name = *at;
	*at += strlen(*at) + 1;
	f->n_params = unpack_u32(at);
	f->n_points = unpack_u32(at);
	*at = unpack_value(mem, *at, &f->otherwise);
	f->points = *at;
}
