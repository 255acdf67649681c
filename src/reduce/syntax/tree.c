/* SPDX-License-Identifier: MIT */
/* From tree-sitter's tree to the flat arrays, with a cursor and a stack of our own: no recursion, no child by index.
 *
 * Literals and comments become one token. Inside an ERROR node children are grouped by line, so that a region that does
 * not parse can still lose whole lines at once. A parse that needs out of all proportion many steps or much memory is
 * given up: error recovery on hostile text can take long, and the plain scan always works. */
#include "reduce/syntax/grammar.h"
#include "reduce/syntax/internal.h"

#include <string.h>
#include <tree_sitter/api.h>

#define MIN_GROUPED 8 /* children of an ERROR node */
/* Memory that a parse may ask for. Programs need 12 to 45 bytes for each of their own; a gigabyte takes a second. */
#define PARSE_BYTES_EACH 128 /* for each byte of text, and */
#define PARSE_BYTES_MORE 768 /* for errors: that many, at most */
#define PARSE_BYTES_MOST (1u << 30)

enum { KIND_LITERAL = 1, KIND_COMMENT = 2, KIND_STATEMENT = 4 };

struct level {
	uint32_t node;
	uint32_t group; /* open group of an ERROR node's children, or SYNTAX_NONE */
	uint32_t row;   /* the group's */
	bool grouped;
};

struct walk {
	struct syntax_full *f;
	struct grammar *g;
	const uint8_t *kind; /* [n_symbols] */
	struct {
		VEC_FIELDS(struct level);
	} open;
	uint32_t pos;              /* all text before is in tokens */
	const struct masked *mask; /* NULL: the parser saw the text itself */
	size_t region;             /* the next masked one */
};

static uint8_t *kinds[N_LANGUAGES];

static bool ends_with(const char *s, const char *end)
{
	size_t n = strlen(s), m = strlen(end);
	return n >= m && !strcmp(s + n - m, end);
}

static const uint8_t *kinds_of(const struct language *lang, const struct grammar *g)
{
	static const char *const statements[] = {"statement", "declaration", "definition", "_item",
						 "_spec",     "_elem",       "_signature", "_clause",
						 "_case",     "_default",    NULL};
	if (kinds[lang->id])
		return kinds[lang->id];
	uint8_t *k = mem_zalloc(g->n_symbols);
	for (uint16_t i = 0; i < g->n_symbols; i++) {
		const char *name = ts_language_symbol_name(g->ts, i);
		if (ts_language_symbol_type(g->ts, i) != TSSymbolTypeRegular)
			continue;
		if (language_in_list(language_traits[lang->id].literals, name, strlen(name), false))
			k[i] = KIND_LITERAL;
		else if (ends_with(name, "comment") || !strcmp(name, "marginalia"))
			k[i] = KIND_COMMENT;
		for (size_t s = 0; statements[s]; s++)
			if (ends_with(name, statements[s]))
				k[i] |= KIND_STATEMENT;
	}
	return kinds[lang->id] = k;
}

static struct level *top(struct walk *w)
{
	return &vec_last(&w->open);
}

/* The node new children go under: a line's group inside an ERROR node. */
static uint32_t parent_for(struct walk *w, uint32_t row)
{
	if (!w->open.n)
		return SYNTAX_NONE;
	struct level *l = top(w);
	if (!l->grouped)
		return l->node;
	if (l->group != SYNTAX_NONE && l->row == row)
		return l->group;
	if (l->group != SYNTAX_NONE)
		build_close(w->f, l->group);
	l->group = build_open(w->f, l->node, SYNTAX_NO_SYMBOL, GRAMMAR_NO_RULE, NODE_ERROR | NODE_BROKEN);
	l->row = row;
	return l->group;
}

/* Text up to `to` that the parser did not see or want: a masked stretch is a node of its own, so that it can go
 * whole. */
static void add_gap(struct walk *w, uint32_t parent, uint32_t to)
{
	for (; w->mask && w->region < w->mask->regions.n; w->region++) {
		struct syn_run r = w->mask->regions.at[w->region];
		if (r.from >= to)
			break;
		if (r.from < w->pos)
			continue; /* inside a token */
		build_raw(w->f, parent, w->pos, r.from);
		uint32_t node = build_open(w->f, parent, SYNTAX_NO_SYMBOL, GRAMMAR_NO_RULE, NODE_EXTRA);
		w->pos = r.to < to ? r.to : to;
		build_raw(w->f, node, r.from, w->pos);
		build_close(w->f, node);
	}
	build_raw(w->f, parent, w->pos, to);
	w->pos = to;
}

static void add_token(struct walk *w, uint32_t parent, TSNode n, uint16_t sym, uint8_t kind, uint8_t flags)
{
	uint32_t from = ts_node_start_byte(n), to = ts_node_end_byte(n);
	const char *t = w->f->text;
	if (from < w->pos)
		from = w->pos;
	if (to > w->f->s.n_text)
		to = (uint32_t)w->f->s.n_text;
	uint8_t tf = kind & KIND_LITERAL ? TOKEN_LITERAL : 0;
	if (kind & KIND_COMMENT) {
		/* the new line after a line comment is white space to us */
		while (to > from && (t[to - 1] == '\n' || t[to - 1] == '\r'))
			to--;
		tf = TOKEN_COMMENT;
		if (to - from < 2 || (memcmp(t + to - 2, "*/", 2) && memcmp(t + to - 2, "->", 2)))
			tf |= TOKEN_LINE_END;
	}
	if (from >= to) {
		uint32_t node = build_open(w->f, parent, sym, GRAMMAR_NO_RULE, flags);
		build_close(w->f, node);
		return;
	}
	build_leaf(w->f, parent, &(struct leaf){sym, flags, tf, from, to - from});
	w->pos = to;
}

static uint8_t node_flags(TSNode n)
{
	return (uint8_t)((ts_node_is_extra(n) ? NODE_EXTRA : 0) | (ts_node_is_error(n) ? NODE_ERROR | NODE_EXTRA : 0) |
			 (ts_node_has_error(n) ? NODE_BROKEN : 0));
}

/* Returns whether the node has children to visit. */
static bool enter(struct walk *w, const TSTreeCursor *c)
{
	TSNode n = ts_tree_cursor_current_node(c);
	TSSymbol sym = ts_node_symbol(n), gsym = ts_node_grammar_symbol(n);
	uint8_t kind = sym < w->g->n_symbols ? w->kind[sym] : 0, flags = node_flags(n);
	uint32_t start = ts_node_start_byte(n), children = ts_node_child_count(n);
	uint32_t parent = parent_for(w, ts_node_start_point(n).row);
	if (w->f->nodes.n == 0)
		flags &= (uint8_t)~NODE_EXTRA;
	if (start > w->pos && parent != SYNTAX_NONE) {
		add_gap(w, parent, start);
	}
	uint32_t first = (uint32_t)w->f->nodes.n;
	if (ts_node_is_missing(n)) {
		flags |= NODE_ERROR | NODE_BROKEN;
		if (parent != SYNTAX_NONE)
			w->f->nodes.at[parent].flags |= NODE_ERROR;
	}
	bool leaf = parent != SYNTAX_NONE && (!children || kind & (KIND_LITERAL | KIND_COMMENT));
	if (leaf && !(children == 0 && ts_node_is_error(n))) {
		add_token(w, parent, n, sym, kind, flags);
	} else {
		uint16_t rule = gsym < w->g->n_symbols ? w->g->rule_of[gsym] : GRAMMAR_NO_RULE;
		uint32_t id = build_open(w->f, parent, sym, ts_node_is_error(n) ? GRAMMAR_NO_RULE : rule, flags);
		bool grouped = ts_node_is_error(n) && children >= MIN_GROUPED;
		vec_push(&w->open, ((struct level){id, SYNTAX_NONE, 0, grouped}));
		leaf = false;
	}
	w->f->nodes.at[first].letter = grammar_letter(w->g, sym, gsym);
	uint32_t tok = w->f->nodes.at[first].tok;
	if (kind & KIND_STATEMENT && leaf && tok < w->f->tokens.n)
		w->f->tokens.at[tok].flags |= TOKEN_STATEMENT;
	return !leaf;
}

static void leave(struct walk *w, TSNode n)
{
	struct level l = vec_pop(&w->open);
	uint32_t end = ts_node_end_byte(n);
	uint32_t at = l.group != SYNTAX_NONE ? l.group : l.node;
	if (end > w->f->s.n_text)
		end = (uint32_t)w->f->s.n_text;
	if (l.node == 0)
		end = (uint32_t)w->f->s.n_text; /* trailing text that the root does not cover */
	if (end > w->pos) {
		add_gap(w, at, end);
	}
	if (l.group != SYNTAX_NONE)
		build_close(w->f, l.group);
	build_close(w->f, l.node);
	struct syn_node *node = &w->f->nodes.at[l.node];
	if (node->n_tok && node->sym < w->g->n_symbols && w->kind[node->sym] & KIND_STATEMENT)
		w->f->tokens.at[node->tok].flags |= TOKEN_STATEMENT;
}

static void walk_tree(struct walk *w, TSNode root)
{
	TSTreeCursor c = ts_tree_cursor_new(root);
	for (bool more = true; more;) {
		if (enter(w, &c)) {
			if (ts_tree_cursor_goto_first_child(&c))
				continue;
			leave(w, ts_tree_cursor_current_node(&c));
		}
		while (!ts_tree_cursor_goto_next_sibling(&c)) {
			more = ts_tree_cursor_goto_parent(&c);
			if (!more)
				break;
			leave(w, ts_tree_cursor_current_node(&c));
		}
	}
	ts_tree_cursor_delete(&c);
}

/* ---- how long a parse may take */

/* Bytes that tree-sitter has asked for. Recovery from an error copies all that was skipped so far, at every step, so
 * steps alone do not say what a parse costs; these bytes do. */
static _Thread_local uint64_t asked_for;

static void *count_malloc(size_t n)
{
	asked_for += n;
	return mem_alloc(n);
}

static void *count_calloc(size_t n, size_t size)
{
	asked_for += mem_mul(n, size);
	return mem_zalloc(mem_mul(n, size));
}

static void *count_realloc(void *p, size_t n)
{
	asked_for += n;
	return mem_realloc(p, n);
}

struct budget {
	uint64_t used, max;
	uint64_t max_bytes; /* of asked_for */
	bool strict;        /* the first error is the end */
};

static bool over_budget(TSParseState *state)
{
	struct budget *b = state->payload;
	return ++b->used > b->max || asked_for > b->max_bytes || (b->strict && state->has_error);
}

uint64_t tree_bytes(void)
{
	return asked_for;
}

uint64_t tree_max_bytes(uint32_t n)
{
	uint64_t more = (uint64_t)n * PARSE_BYTES_MORE;
	return (16 << 20) + (uint64_t)n * PARSE_BYTES_EACH + (more < PARSE_BYTES_MOST ? more : PARSE_BYTES_MOST);
}

struct memory_text {
	const char *text;
	uint32_t n;
};

static const char *read_text(void *payload, uint32_t byte, TSPoint point, uint32_t *n)
{
	const struct memory_text *m = payload;
	(void)point;
	*n = byte < m->n ? m->n - byte : 0;
	return *n ? m->text + byte : "";
}

static TSTree *parse(const struct grammar *g, const char *text, uint32_t n, bool strict)
{
	ts_set_allocator(count_malloc, count_calloc, count_realloc, free);
	asked_for = 0;
	TSParser *p = ts_parser_new();
	/* the callback comes every hundred steps or so */
	struct budget b = {0, 20000 + (uint64_t)n / 2, tree_max_bytes(n), strict};
	struct memory_text m = {text, n};
	TSInput in = {.payload = &m, .read = read_text, .encoding = TSInputEncodingUTF8};
	TSParseOptions options = {.payload = &b, .progress_callback = over_budget};
	TSTree *t = ts_parser_set_language(p, g->ts) ? ts_parser_parse_with_options(p, NULL, in, options) : NULL;
	ts_parser_delete(p);
	return t;
}

/* How much of a tree did not parse. */
static size_t count_errors(TSTree *t)
{
	size_t n = 0;
	TSTreeCursor c = ts_tree_cursor_new(ts_tree_root_node(t));
	for (bool more = true; more;) {
		TSNode node = ts_tree_cursor_current_node(&c);
		n += ts_node_is_error(node) || ts_node_is_missing(node);
		if (ts_node_has_error(node) && ts_tree_cursor_goto_first_child(&c))
			continue;
		while (!ts_tree_cursor_goto_next_sibling(&c) && (more = ts_tree_cursor_goto_parent(&c)))
			;
	}
	ts_tree_cursor_delete(&c);
	return n;
}

/* Parses the masked text where that leaves fewer errors; the tree is then of that. */
static TSTree *parse_masked(const struct syntax_full *f, const struct grammar *g, TSTree *plain, struct masked *m)
{
	enum language_id id = f->s.language->id;
	if ((id != LANG_C && id != LANG_CPP) || !ts_node_has_error(ts_tree_root_node(plain)))
		return NULL;
	uint32_t n = (uint32_t)f->s.n_text;
	mask_text(m, f->text, n);
	TSTree *t = m->regions.n ? parse(g, m->text, n, false) : NULL;
	if (t && count_errors(t) < count_errors(plain))
		return t;
	if (t)
		ts_tree_delete(t);
	return NULL;
}

bool build_tree(struct syntax_full *f)
{
	struct grammar *g = grammar_get(f->s.language);
	TSTree *t = g ? parse(g, f->text, (uint32_t)f->s.n_text, false) : NULL;
	if (!t)
		return false;
	struct masked mask = {0};
	TSTree *masked = parse_masked(f, g, t, &mask);
	struct walk w = {.f = f, .g = g, .kind = kinds_of(f->s.language, g), .mask = masked ? &mask : NULL};
	walk_tree(&w, ts_tree_root_node(masked ? masked : t));
	vec_release(&w.open);
	mask_release(&mask);
	if (masked)
		ts_tree_delete(masked);
	ts_tree_delete(t);
	return true;
}

static bool parses_at_once(const struct grammar *g, const char *text, uint32_t n)
{
	TSTree *t = parse(g, text, n, true);
	bool fits = t && !ts_node_has_error(ts_tree_root_node(t));
	if (t)
		ts_tree_delete(t);
	return fits;
}

bool tree_fits(const struct language *l, const char *text, uint32_t n)
{
	struct grammar *g = grammar_get(l);
	if (!g)
		return false;
	bool fits = parses_at_once(g, text, n);
	if (fits || (l->id != LANG_C && l->id != LANG_CPP))
		return fits;
	struct masked m = {0};
	mask_text(&m, text, n);
	fits = m.regions.n && parses_at_once(g, m.text, n);
	mask_release(&m);
	return fits;
}
