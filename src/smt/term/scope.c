/* SPDX-License-Identifier: MIT */
/* Declarations of a script. Symbols are interned once; what a symbol stands for changes through an undo log, so a pop
 * restores it in the order it was changed. */
#include "smt/term/scope.h"

#include "base/invariant.h"
#include "data/digest.h"

#include <string.h>

enum { SORT_DEPTH = 100 };

void scope_init(struct scope *s, struct dag *d)
{
	memset(s, 0, sizeof *s);
	s->dag = d;
}

static void drop_macros(struct scope *s, size_t keep)
{
	while (s->macro.n > keep)
		sexpr_release(&vec_pop(&s->macro).x);
}

void scope_release(struct scope *s)
{
	drop_macros(s, 0);
	vec_release(&s->symbol);
	table_release(&s->symbol_index);
	vec_release_all(&s->macro, &s->alias, &s->undo, &s->var, &s->context);
	arena_release(&s->text);
}

void scope_clear(struct scope *s)
{
	drop_macros(s, 0);
	vec_clear(&s->symbol);
	table_clear(&s->symbol_index);
	vec_clear_all(&s->alias, &s->undo, &s->var);
	buf_clear(&s->context);
	arena_clear(&s->text);
	s->uncacheable = false;
	dag_clear(s->dag);
}

struct scope_mark scope_mark(const struct scope *s)
{
	return (struct scope_mark){s->undo.n,    s->macro.n,       s->alias.n,    s->var.n,
				   s->context.n, dag_mark(s->dag), s->uncacheable};
}

void scope_cut(struct scope *s, struct scope_mark m)
{
	INVARIANT(m.undo <= s->undo.n && m.macro <= s->macro.n && m.alias <= s->alias.n);
	INVARIANT(m.var <= s->var.n && m.context <= s->context.n);
	while (s->undo.n > m.undo) {
		struct decl_undo u = vec_pop(&s->undo);
		s->symbol.at[u.symbol].decl = u.decl;
		s->symbol.at[u.symbol].value = u.value;
	}
	drop_macros(s, m.macro);
	s->alias.n = m.alias;
	s->var.n = m.var;
	s->context.n = m.context;
	if (s->context.at)
		s->context.at[m.context] = 0;
	s->uncacheable = m.uncacheable;
	dag_cut(s->dag, m.dag);
}

uint32_t scope_symbol(struct scope *s, const char *name, size_t len)
{
	uint64_t hash = hash64(name, len);
	uint32_t r;
	for (struct table_probe p = table_probe(&s->symbol_index, hash);
	     (r = table_next(&s->symbol_index, &p)) != TABLE_NONE;) {
		const struct symbol *o = &s->symbol.at[r];
		if (o->hash == hash && o->len == len && !memcmp(o->name, name, len))
			return r;
	}
	vec_push(&s->symbol, ((struct symbol){.name = arena_strndup(&s->text, name, len),
					      .len = (uint32_t)len,
					      .hash = hash,
					      .local = TERM_NONE}));
	table_insert(&s->symbol_index, hash, (uint32_t)s->symbol.n - 1);
	return (uint32_t)s->symbol.n - 1;
}

enum rc scope_declare(struct scope *s, uint32_t symbol, enum decl_kind kind, uint32_t value)
{
	struct symbol *y = &s->symbol.at[symbol];
	if (y->decl != DECL_NONE) {
		s->uncacheable = true;
		return RC_NO;
	}
	vec_push(&s->undo, ((struct decl_undo){symbol, y->value, y->decl}));
	y->decl = (uint8_t)kind;
	y->value = value;
	if (kind == DECL_VAR)
		vec_push(&s->var, value);
	return RC_OK;
}

static void atom_text(const struct sexpr *x, const struct sexpr_node *n, struct buf *out)
{
	const char *wrap = n->quoted ? "|" : n->kind == SEXPR_STRING ? "\"" : "";
	buf_str_add(out, wrap);
	buf_add(out, x->text + n->off, n->len);
	buf_str_add(out, wrap);
}

void scope_node_text(const struct sexpr *x, uint32_t node, struct buf *out)
{
	VEC(uint32_t) open = {0};
	bool blank = false;
	for (uint32_t i = node; i < x->at[node].next; i++) {
		while (open.n && i >= vec_last(&open)) {
			buf_char(out, ')');
			(void)vec_pop(&open);
			blank = true;
		}
		if (blank)
			buf_char(out, ' ');
		blank = true;
		if (x->at[i].kind == SEXPR_LIST) {
			buf_char(out, '(');
			vec_push(&open, x->at[i].next);
			blank = false;
		} else {
			atom_text(x, &x->at[i], out);
		}
	}
	while (open.n) {
		buf_char(out, ')');
		(void)vec_pop(&open);
	}
	vec_release(&open);
}

static enum rc sort_at(struct scope *s, const struct sexpr *x, uint32_t node, unsigned depth, uint32_t *out);

/* The label of a sort's name: its text as it is written, bars included where it needs them. */
static uint32_t sort_label(struct scope *s, const struct sexpr *x, uint32_t node)
{
	struct buf b = {0};
	atom_text(x, &x->at[node], &b);
	uint32_t label = dag_label(s->dag, LABEL_SORT, b.at, b.n, "", 0);
	buf_release(&b);
	return label;
}

static enum rc sort_symbol(struct scope *s, const struct sexpr *x, uint32_t node, uint32_t *out)
{
	const char *name = x->text + x->at[node].off;
	size_t len = x->at[node].len;
	if (s->alias.n) {
		uint32_t y = scope_symbol(s, name, len);
		for (size_t i = s->alias.n; i-- > 0;)
			if (s->alias.at[i].symbol == y) {
				*out = s->alias.at[i].sort;
				return RC_OK;
			}
	}
	*out = sort_label(s, x, node);
	return RC_OK;
}

static bool small_number(const struct sexpr *x, uint32_t node, uint32_t *out)
{
	if (x->at[node].kind != SEXPR_NUMERAL || x->at[node].len > 9)
		return false;
	*out = 0;
	for (uint32_t i = 0; i < x->at[node].len; i++)
		*out = *out * 10 + (uint32_t)(x->text[x->at[node].off + i] - '0');
	return true;
}

static enum rc sort_list(struct scope *s, const struct sexpr *x, uint32_t node, unsigned depth, uint32_t *out)
{
	uint32_t head = node + 1, end = x->at[node].next;
	if (head >= end || x->at[head].kind != SEXPR_SYMBOL)
		return RC_NO;
	uint32_t first = x->at[head].next;
	if (sexpr_is_symbol(x, head, "_")) {
		uint32_t width;
		if (first < end && sexpr_is_symbol(x, first, "BitVec") && first + 2 == end &&
		    small_number(x, first + 1, &width) && width) {
			*out = dag_sort_bv(s->dag, width);
			return RC_OK;
		}
		struct buf b = {0};
		scope_node_text(x, node, &b);
		*out = dag_label(s->dag, LABEL_SORT, b.at, b.n, "", 0);
		buf_release(&b);
		return RC_OK;
	}
	uint32_t part[8], n = 0;
	for (uint32_t c = first; c < end; c = x->at[c].next) {
		if (n == ARRAY_LEN(part) || sort_at(s, x, c, depth + 1, &part[n]) != RC_OK)
			return RC_NO;
		n++;
	}
	if (n == 2 && sexpr_is_symbol(x, head, "Array")) {
		*out = dag_sort_array(s->dag, part[0], part[1]);
		return RC_OK;
	}
	struct buf b = {0};
	buf_char(&b, '(');
	atom_text(x, &x->at[head], &b);
	for (uint32_t i = 0; i < n; i++) {
		buf_char(&b, ' ');
		buf_add(&b, s->dag->label.at[part[i]].text, s->dag->label.at[part[i]].len);
	}
	buf_char(&b, ')');
	*out = dag_label(s->dag, LABEL_SORT, b.at, b.n, "", 0);
	buf_release(&b);
	return RC_OK;
}

/* Sorts nest by what their author wrote; beyond SORT_DEPTH they are not followed, which bounds the recursion. */
static enum rc sort_at(struct scope *s, const struct sexpr *x, uint32_t node, unsigned depth, uint32_t *out)
{
	if (depth > SORT_DEPTH)
		return RC_NO;
	if (x->at[node].kind == SEXPR_SYMBOL)
		return sort_symbol(s, x, node, out);
	return x->at[node].kind == SEXPR_LIST ? sort_list(s, x, node, depth, out) : RC_NO;
}

enum rc scope_sort(struct scope *s, const struct sexpr *x, uint32_t node, uint32_t *out)
{
	return sort_at(s, x, node, 0, out);
}

enum rc scope_declare_fun(struct scope *s, const struct sexpr *x, bool constant)
{
	uint32_t end = x->at[0].next, name = 2, sorts = TERM_NONE, result;
	bool uncacheable = s->uncacheable;
	s->uncacheable = true; /* until it has been understood */
	if (name >= end || x->at[name].kind != SEXPR_SYMBOL)
		return RC_NO;
	uint32_t next = x->at[name].next;
	if (!constant) {
		sorts = next;
		if (sorts >= end || x->at[sorts].kind != SEXPR_LIST)
			return RC_NO;
		next = x->at[sorts].next;
	}
	if (next >= end || x->at[next].next != end || scope_sort(s, x, next, &result) != RC_OK)
		return RC_NO;
	uint32_t y = scope_symbol(s, x->text + x->at[name].off, x->at[name].len);
	const char *text = s->symbol.at[y].name;
	size_t len = s->symbol.at[y].len;
	if (sorts == TERM_NONE || sorts + 1 == x->at[sorts].next) {
		uint32_t v = dag_var(s->dag, dag_label(s->dag, LABEL_VAR, text, len, "", 0), result);
		s->uncacheable = uncacheable;
		return scope_declare(s, y, DECL_VAR, v);
	}
	struct buf rank = {0};
	for (uint32_t c = sorts + 1; c < x->at[sorts].next; c = x->at[c].next) {
		uint32_t a;
		if (scope_sort(s, x, c, &a) != RC_OK) {
			buf_release(&rank);
			return RC_NO;
		}
		buf_add(&rank, s->dag->label.at[a].text, s->dag->label.at[a].len + 1);
	}
	buf_add(&rank, s->dag->label.at[result].text, s->dag->label.at[result].len);
	uint32_t label = dag_label(s->dag, LABEL_FUN, text, len, rank.at, rank.n);
	buf_release(&rank);
	s->uncacheable = uncacheable;
	return scope_declare(s, y, DECL_FUN, label);
}

/* (define-sort NAME () SORT); with parameters it is not followed */
enum rc scope_define_sort(struct scope *s, const struct sexpr *x)
{
	uint32_t end = x->at[0].next, sort;
	scope_note(s, x);
	if (end < 5 || x->at[2].kind != SEXPR_SYMBOL || x->at[3].kind != SEXPR_LIST || x->at[3].next != 4 ||
	    x->at[4].next != end || scope_sort(s, x, 4, &sort) != RC_OK) {
		s->uncacheable = true;
		return RC_NO;
	}
	/* a name that stood for a sort before would mean two things in one context */
	size_t labels = s->dag->label.n;
	sort_label(s, x, 2);
	if (s->dag->label.n == labels) {
		s->uncacheable = true;
		return RC_NO;
	}
	uint32_t y = scope_symbol(s, x->text + x->at[2].off, x->at[2].len);
	vec_push(&s->alias, ((struct sort_alias){y, sort}));
	return RC_OK;
}

void scope_note(struct scope *s, const struct sexpr *x)
{
	scope_node_text(x, 0, &s->context);
	buf_char(&s->context, '\n');
}
