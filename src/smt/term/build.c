/* SPDX-License-Identifier: MIT */
/* The term builder: a loop over frames. Each frame is a list being read; its finished arguments wait on the value
 * stack. Local names are chains of bindings; a let-bound term with free bound variables is shifted when used deeper
 * than it was made. Macros are expanded in place with their parameters let-bound and the caller's bindings hidden. */
#include "smt/term/build.h"

#include "smt/term/literal.h"
#include "smt/term/print.h"

#include <string.h>

enum { F_APP, F_LET, F_BINDER, F_BANG, F_MACRO };
enum { MACRO_STEPS = 2000000 };

void builder_init(struct builder *b, struct scope *s)
{
	memset(b, 0, sizeof *b);
	b->scope = s;
}

void builder_release(struct builder *b)
{
	vec_release_all(&b->frame, &b->value, &b->binding, &b->names, &b->unused);
	buf_release(&b->scratch);
}

static const char *node_text(const struct sexpr *x, uint32_t i)
{
	return x->text + x->at[i].off;
}

static void bind(struct builder *b, uint32_t symbol, uint32_t term)
{
	struct symbol *y = &b->scope->symbol.at[symbol];
	vec_push(&b->binding, ((struct build_binding){symbol, y->local, term, b->depth, false}));
	y->local = (uint32_t)b->binding.n - 1;
}

static void unbind(struct builder *b, uint32_t keep)
{
	while (b->binding.n > keep) {
		struct build_binding k = vec_pop(&b->binding);
		b->scope->symbol.at[k.symbol].local = k.before;
		if (!k.used && k.term != TERM_NONE)
			vec_push(&b->unused, k.term);
	}
}

static struct build_frame *frame_push(struct builder *b, const struct sexpr *x, uint8_t kind, uint32_t cur,
				      uint32_t end)
{
	struct build_frame *f = vec_add(&b->frame);
	*f = (struct build_frame){.x = x,
				  .cur = cur,
				  .end = end,
				  .values = (uint32_t)b->value.n,
				  .bindings = (uint32_t)b->binding.n,
				  .barrier = b->barrier,
				  .kind = kind};
	return f;
}

/* The label of a symbol that is not declared: of a theory or of the context. One that can only be written in bars
 * keeps them, or |#x0f| and |(_ zero_extend 24)| would be what stands in them. */
static uint32_t theory_label(struct builder *b, enum label_kind kind, const struct sexpr *x, uint32_t node)
{
	const char *name = node_text(x, node);
	size_t len = x->at[node].len;
	if (sexpr_plain_symbol(name, len))
		return dag_label(b->scope->dag, kind, name, len, "", 0);
	buf_clear(&b->scratch);
	print_symbol(&b->scratch, name, len);
	return dag_label(b->scope->dag, kind, b->scratch.at, b->scratch.n, "", 0);
}

static enum rc push_symbol(struct builder *b, const struct sexpr *x, uint32_t node)
{
	struct scope *s = b->scope;
	struct dag *d = s->dag;
	const char *name = node_text(x, node);
	size_t len = x->at[node].len;
	uint32_t symbol = scope_symbol(s, name, len); /* may move the array */
	const struct symbol *y = &s->symbol.at[symbol];
	if (y->local != TERM_NONE && y->local >= b->barrier) {
		struct build_binding k = b->binding.at[y->local];
		b->binding.at[y->local].used = true;
		vec_push(&b->value, k.term == TERM_NONE ? dag_bound(d, b->depth - 1 - k.depth)
							: dag_shift(d, k.term, b->depth - k.depth));
		return RC_OK;
	}
	switch (y->decl) {
	case DECL_VAR:
	case DECL_TERM:
		vec_push(&b->value, y->value);
		return RC_OK;
	case DECL_NONE:
	case DECL_OWN:
		/* true, false, RNE, a constructor: a constant of a theory or of the context */
		vec_push(&b->value, dag_value(d, theory_label(b, LABEL_VALUE, x, node)));
		return RC_OK;
	default:
		return RC_NO; /* a function as a value */
	}
}

static enum rc push_atom(struct builder *b, const struct sexpr *x, uint32_t node)
{
	struct dag *d = b->scope->dag;
	uint32_t label;
	switch (x->at[node].kind) {
	case SEXPR_SYMBOL:
		return push_symbol(b, x, node);
	case SEXPR_HEX:
	case SEXPR_BINARY:
	case SEXPR_NUMERAL:
	case SEXPR_DECIMAL:
	case SEXPR_STRING:
		label = literal_label(d, x, node, &b->scratch);
		vec_push(&b->value, dag_value(d, label));
		return RC_OK;
	default:
		return RC_NO;
	}
}

/* (_ bv10 8), (_ +oo 8 24), (_ char #x41): constants */
static enum rc push_indexed(struct builder *b, const struct sexpr *x, uint32_t node)
{
	struct dag *d = b->scope->dag;
	uint32_t label = literal_indexed(d, x, node, &b->scratch);
	if (label == TERM_NONE) {
		buf_clear(&b->scratch);
		scope_node_text(x, node, &b->scratch);
		label = dag_label(d, LABEL_VALUE, b->scratch.at, b->scratch.n, "", 0);
	}
	vec_push(&b->value, dag_value(d, label));
	return RC_OK;
}

/* The text of (as NAME SORT) or (_ NAME INDEX…) as an operator, sort names resolved. */
static enum rc qualified_text(struct builder *b, const struct sexpr *x, uint32_t node)
{
	uint32_t end = x->at[node].next, sort;
	buf_clear(&b->scratch);
	if (sexpr_is_symbol(x, node + 1, "_")) {
		scope_node_text(x, node, &b->scratch);
		return RC_OK;
	}
	if (!sexpr_is_symbol(x, node + 1, "as") || node + 2 >= end || x->at[node + 2].next >= end ||
	    scope_sort(b->scope, x, x->at[node + 2].next, &sort) != RC_OK)
		return RC_NO;
	buf_str_add(&b->scratch, "(as ");
	scope_node_text(x, node + 2, &b->scratch);
	buf_printf(&b->scratch, " %s)", b->scope->dag->label.at[sort].text);
	return RC_OK;
}

static enum rc begin_binder(struct builder *b, const struct sexpr *x, uint32_t node)
{
	struct scope *s = b->scope;
	uint32_t vars = node + 2, end = x->at[node].next;
	if (vars >= end || x->at[vars].kind != SEXPR_LIST || x->at[vars].next >= end)
		return RC_NO;
	uint32_t body = x->at[vars].next;
	if (x->at[body].next != end || vars + 1 == x->at[vars].next)
		return RC_NO;
	struct build_frame *f = frame_push(b, x, F_BINDER, body, end);
	struct buf sorts = {0};
	uint32_t n = 0, sort;
	enum rc rc = RC_OK;
	for (uint32_t c = vars + 1; c < x->at[vars].next && rc == RC_OK; c = x->at[c].next, n++) {
		if (x->at[c].kind != SEXPR_LIST || x->at[c].next < c + 3 || x->at[c + 1].kind != SEXPR_SYMBOL ||
		    x->at[c + 2].next != x->at[c].next || scope_sort(s, x, c + 2, &sort) != RC_OK) {
			rc = RC_NO;
			break;
		}
		buf_add(&sorts, s->dag->label.at[sort].text, s->dag->label.at[sort].len + 1);
		bind(b, scope_symbol(s, node_text(x, c + 1), x->at[c + 1].len), TERM_NONE);
		b->depth++;
	}
	if (rc == RC_OK) {
		f->n = n;
		f->label =
			dag_label(s->dag, LABEL_BINDER, node_text(x, node + 1), x->at[node + 1].len, sorts.at, sorts.n);
	}
	buf_release(&sorts);
	return rc;
}

static enum rc begin_let(struct builder *b, const struct sexpr *x, uint32_t node)
{
	uint32_t list = node + 2, end = x->at[node].next;
	if (list >= end || x->at[list].kind != SEXPR_LIST || x->at[list].next >= end ||
	    x->at[x->at[list].next].next != end)
		return RC_NO;
	frame_push(b, x, F_LET, list + 1, x->at[list].next)->n = list;
	return RC_OK;
}

static enum rc begin_symbol_app(struct builder *b, const struct sexpr *x, uint32_t node)
{
	struct scope *s = b->scope;
	uint32_t head = node + 1, end = x->at[node].next, label;
	uint32_t symbol = scope_symbol(s, node_text(x, head), x->at[head].len); /* may move the array */
	const struct symbol *y = &s->symbol.at[symbol];
	if (head + 1 == end || (y->local != TERM_NONE && y->local >= b->barrier))
		return RC_NO;
	switch (y->decl) {
	case DECL_NONE:
	case DECL_OWN:
		label = theory_label(b, LABEL_OP, x, head);
		frame_push(b, x, F_APP, head + 1, end)->label = label;
		return RC_OK;
	case DECL_FUN:
		frame_push(b, x, F_APP, head + 1, end)->label = y->value;
		return RC_OK;
	case DECL_MACRO:
		frame_push(b, x, F_MACRO, head + 1, end)->label = y->value;
		return RC_OK;
	default:
		return RC_NO;
	}
}

static enum rc begin_list(struct builder *b, const struct sexpr *x, uint32_t node)
{
	uint32_t head = node + 1, end = x->at[node].next;
	if (head == end)
		return RC_NO;
	if (x->at[head].kind == SEXPR_LIST) {
		if (head + 1 == x->at[head].next || x->at[head].next == end || qualified_text(b, x, head) != RC_OK)
			return RC_NO;
		struct dag *d = b->scope->dag;
		uint32_t label = dag_label(d, LABEL_OP, b->scratch.at, b->scratch.n, "", 0);
		frame_push(b, x, F_APP, x->at[head].next, end)->label = label;
		return RC_OK;
	}
	if (x->at[head].kind != SEXPR_SYMBOL)
		return RC_NO;
	if (x->at[head].quoted)
		return begin_symbol_app(b, x, node);
	if (sexpr_is_symbol(x, head, "let"))
		return begin_let(b, x, node);
	if (sexpr_is_symbol(x, head, "forall") || sexpr_is_symbol(x, head, "exists"))
		return begin_binder(b, x, node);
	if (sexpr_is_symbol(x, head, "!")) {
		if (head + 1 == end)
			return RC_NO;
		frame_push(b, x, F_BANG, head + 1, end);
		return RC_OK;
	}
	if (sexpr_is_symbol(x, head, "_"))
		return push_indexed(b, x, node);
	if (sexpr_is_symbol(x, head, "as")) {
		if (qualified_text(b, x, node) != RC_OK)
			return RC_NO;
		struct dag *d = b->scope->dag;
		vec_push(&b->value, dag_value(d, dag_label(d, LABEL_VALUE, b->scratch.at, b->scratch.n, "", 0)));
		return RC_OK;
	}
	if (sexpr_is_symbol(x, head, "lambda") || sexpr_is_symbol(x, head, "match") ||
	    sexpr_is_symbol(x, head, "choice") || sexpr_is_symbol(x, head, "par"))
		return RC_NO;
	return begin_symbol_app(b, x, node);
}

static enum rc begin_term(struct builder *b, const struct sexpr *x, uint32_t node)
{
	if (b->in_macro && ++b->macro_steps > MACRO_STEPS)
		return RC_NO;
	return x->at[node].kind == SEXPR_LIST ? begin_list(b, x, node) : push_atom(b, x, node);
}

/* The frame is done: its values give way to its result. */
static void frame_end(struct builder *b, uint32_t result)
{
	struct build_frame f = vec_pop(&b->frame);
	unbind(b, f.bindings);
	b->barrier = f.barrier;
	b->value.n = f.values;
	vec_push(&b->value, result);
}

/* All bindings of one let take effect together, before its body. */
static void bind_let(struct builder *b, const struct build_frame *f)
{
	const struct sexpr *x = f->x;
	uint32_t i = f->values;
	for (uint32_t pair = f->n + 1; pair < f->end; pair = x->at[pair].next)
		bind(b, scope_symbol(b->scope, node_text(x, pair + 1), x->at[pair + 1].len), b->value.at[i++]);
}

static enum rc step_let(struct builder *b, struct build_frame *f)
{
	const struct sexpr *x = f->x;
	if (f->phase) {
		frame_end(b, vec_last(&b->value));
		return RC_OK;
	}
	if (f->cur < f->end) {
		uint32_t pair = f->cur;
		if (x->at[pair].kind != SEXPR_LIST || x->at[pair].next < pair + 3 ||
		    x->at[pair + 1].kind != SEXPR_SYMBOL || x->at[pair + 2].next != x->at[pair].next)
			return RC_NO;
		f->cur = x->at[pair].next;
		return begin_term(b, x, pair + 2);
	}
	f->phase = 1;
	bind_let(b, f);
	return begin_term(b, x, f->end);
}

static enum rc step_app(struct builder *b, struct build_frame *f)
{
	if (f->cur < f->end) {
		uint32_t node = f->cur;
		f->cur = f->x->at[node].next;
		return begin_term(b, f->x, node);
	}
	uint32_t n = (uint32_t)b->value.n - f->values;
	frame_end(b, dag_app(b->scope->dag, f->label, b->value.at + f->values, n));
	return RC_OK;
}

static enum rc step_binder(struct builder *b, struct build_frame *f)
{
	if (!f->phase) {
		f->phase = 1;
		return begin_term(b, f->x, f->cur);
	}
	b->depth -= f->n;
	frame_end(b, dag_binder(b->scope->dag, f->label, f->n, vec_last(&b->value)));
	return RC_OK;
}

static enum rc name_term(struct builder *b, const struct sexpr *x, uint32_t node, uint32_t term)
{
	if (x->at[node].kind != SEXPR_SYMBOL || b->scope->dag->term.at[term].loose)
		return RC_NO;
	uint32_t y = scope_symbol(b->scope, node_text(x, node), x->at[node].len);
	vec_push(&b->names, y);
	return scope_declare(b->scope, y, DECL_TERM, term);
}

static enum rc step_bang(struct builder *b, struct build_frame *f)
{
	const struct sexpr *x = f->x;
	if (!f->phase) {
		uint32_t node = f->cur;
		f->phase = 1;
		f->cur = x->at[node].next;
		return begin_term(b, x, node);
	}
	for (uint32_t a = f->cur; a < f->end; a = x->at[a].next)
		if (sexpr_is_keyword(x, a, ":named")) {
			if (a + 1 >= f->end || name_term(b, x, a + 1, vec_last(&b->value)) != RC_OK)
				return RC_NO;
		}
	/* anything but one :named NAME */
	b->attributes |= f->cur >= f->end || !sexpr_is_keyword(x, f->cur, ":named") || f->cur + 2 != f->end;
	frame_end(b, vec_last(&b->value));
	return RC_OK;
}

static enum rc step_macro(struct builder *b, struct build_frame *f)
{
	if (!f->phase && f->cur < f->end) {
		uint32_t node = f->cur;
		f->cur = f->x->at[node].next;
		return begin_term(b, f->x, node);
	}
	if (f->phase) {
		b->in_macro--;
		frame_end(b, vec_last(&b->value));
		return RC_OK;
	}
	const struct macro *m = &b->scope->macro.at[f->label];
	if (b->value.n - f->values != m->n_params)
		return RC_NO;
	f->phase = 1;
	b->in_macro++;
	uint32_t barrier = (uint32_t)b->binding.n, i = f->values;
	for (uint32_t c = m->params + 1; c < m->x.at[m->params].next; c = m->x.at[c].next)
		bind(b, scope_symbol(b->scope, node_text(&m->x, c + 1), m->x.at[c + 1].len), b->value.at[i++]);
	b->barrier = barrier;
	return begin_term(b, &m->x, m->body);
}

static enum rc (*const steps[])(struct builder *, struct build_frame *) = {
	[F_APP] = step_app, [F_LET] = step_let, [F_BINDER] = step_binder, [F_BANG] = step_bang, [F_MACRO] = step_macro,
};

enum rc builder_term(struct builder *b, const struct sexpr *x, uint32_t node, uint32_t *out)
{
	vec_clear(&b->frame);
	vec_clear(&b->value);
	vec_clear(&b->names);
	vec_clear(&b->unused);
	b->barrier = b->depth = b->in_macro = 0;
	b->macro_steps = 0;
	b->attributes = false;
	enum rc rc = begin_term(b, x, node);
	while (rc == RC_OK && b->frame.n) {
		struct build_frame *f = &vec_last(&b->frame);
		rc = b->scope->dag->budget ? steps[f->kind](b, f) : RC_NO;
	}
	unbind(b, 0);
	if (rc == RC_OK)
		*out = b->value.at[0];
	return rc;
}

/* Copies the command into a macro of the scope. */
static enum rc add_macro(struct builder *b, const struct sexpr *x, uint32_t params, uint32_t body, uint32_t *out)
{
	struct scope *s = b->scope;
	struct macro m = {.params = params, .body = body};
	for (uint32_t c = params + 1; c < x->at[params].next; c = x->at[c].next, m.n_params++) {
		uint32_t sort;
		if (x->at[c].kind != SEXPR_LIST || x->at[c].next < c + 3 || x->at[c + 1].kind != SEXPR_SYMBOL)
			return RC_NO;
		(void)scope_sort(s, x, c + 2, &sort); /* its label shows which sorts the script has */
	}
	m.x.text = arena_dup(&s->text, x->text, x->at[0].off + x->at[0].len);
	vec_reserve(&m.x, x->n);
	memcpy(m.x.at, x->at, x->n * sizeof *x->at);
	m.x.n = x->n;
	vec_push(&s->macro, m);
	*out = (uint32_t)s->macro.n - 1;
	return RC_OK;
}

static enum rc define(struct builder *b, const struct sexpr *x, bool constant)
{
	uint32_t end = x->at[0].next, value;
	if (end < 5 || x->at[2].kind != SEXPR_SYMBOL)
		return RC_NO;
	uint32_t params = constant ? TERM_NONE : 3, sort = constant ? 3 : x->at[3].next;
	if ((!constant && x->at[3].kind != SEXPR_LIST) || sort >= end || x->at[sort].next >= end)
		return RC_NO;
	uint32_t body = x->at[sort].next;
	if (x->at[body].next != end)
		return RC_NO;
	bool plain = constant || params + 1 == x->at[params].next;
	if ((plain ? builder_term(b, x, body, &value) : add_macro(b, x, params, body, &value)) != RC_OK)
		return RC_NO;
	uint32_t y = scope_symbol(b->scope, node_text(x, 2), x->at[2].len);
	return scope_declare(b->scope, y, plain ? DECL_TERM : DECL_MACRO, value);
}

enum rc builder_define_fun(struct builder *b, const struct sexpr *x, bool constant)
{
	enum rc rc = define(b, x, constant);
	if (rc != RC_OK)
		b->scope->uncacheable = true;
	return rc;
}
