/* SPDX-License-Identifier: MIT */
/* Building the flat arrays: nodes in preorder, tokens in text order; and the scan of raw text. What tree-sitter
 * leaves out between its leaves goes through build_raw, so no byte but white space
 * is ever lost. */
#include "reduce/syntax/internal.h"

#include <string.h>

static bool is_space(char c)
{
	return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_word(char c)
{
	unsigned char u = (unsigned char)c;
	return u >= 0x80 || (u >= '0' && u <= '9') || ((u | 32) >= 'a' && (u | 32) <= 'z') || u == '_' || u == '$';
}

uint32_t build_open(struct syntax_full *f, uint32_t parent, uint16_t sym, uint16_t rule, uint8_t flags)
{
	struct syn_node n = {.parent = parent,
			     .tok = (uint32_t)f->tokens.n,
			     .sym = sym,
			     .letter = sym,
			     .rule = rule,
			     .flags = flags};
	if (parent != SYNTAX_NONE) {
		uint16_t d = f->nodes.at[parent].depth;
		n.depth = d < UINT16_MAX ? (uint16_t)(d + 1) : d;
	}
	vec_push(&f->nodes, n);
	return (uint32_t)(f->nodes.n - 1);
}

void build_close(struct syntax_full *f, uint32_t node)
{
	struct syn_node *n = &f->nodes.at[node];
	n->end = (uint32_t)f->nodes.n;
	n->n_tok = (uint32_t)f->tokens.n - n->tok;
}

void build_leaf(struct syntax_full *f, uint32_t parent, const struct leaf *l)
{
	uint32_t node = build_open(f, parent, l->sym, UINT16_MAX, l->node_flags | NODE_LEAF);
	uint8_t flags = l->token_flags;
	char first = f->text[l->at];
	if (is_word(first) && !(flags & (TOKEN_COMMENT | TOKEN_LITERAL)))
		flags |= first >= '0' && first <= '9' ? TOKEN_LITERAL : TOKEN_WORD;
	if (l->len == 1 && first == '\n')
		flags |= TOKEN_LAYOUT;
	vec_push(&f->tokens, ((struct syn_token){.at = l->at, .len = l->len, .node = node, .flags = flags}));
	build_close(f, node);
}

uint32_t build_raw_end(const char *t, uint32_t at, uint32_t to)
{
	uint32_t i = at + 1;
	if (t[at] == '"' || t[at] == '\'' || t[at] == '`') {
		while (i < to && t[i] != '\n' && t[i] != t[at])
			i += t[i] == '\\' && i + 1 < to ? 2 : 1;
		return i < to && t[i] == t[at] ? i + 1 : at + 1;
	}
	if (is_word(t[at]))
		while (i < to && is_word(t[i]))
			i++;
	return i;
}

void build_raw(struct syntax_full *f, uint32_t parent, uint32_t from, uint32_t to)
{
	const char *t = f->text;
	for (uint32_t i = from; i < to;) {
		/* a backslash before the end of a line joins lines: white space */
		if (is_space(t[i]) || (t[i] == '\\' && i + 1 < to && (t[i + 1] == '\n' || t[i + 1] == '\r'))) {
			i++;
			continue;
		}
		uint32_t end = build_raw_end(t, i, to);
		bool quoted = end - i > 1 && !is_word(t[i]);
		struct leaf l = {SYNTAX_NO_SYMBOL, NODE_EXTRA, quoted ? TOKEN_LITERAL : 0, i, end - i};
		build_leaf(f, parent, &l);
		i = end;
	}
}

static uint32_t line_end(const struct syntax_full *f, uint32_t at)
{
	const char *nl = memchr(f->text + at, '\n', f->s.n_text - at);
	return nl ? (uint32_t)(nl - f->text) + 1 : (uint32_t)f->s.n_text;
}

void build_lines_and_words(struct syntax_full *f)
{
	uint32_t root = build_open(f, SYNTAX_NONE, SYNTAX_NO_SYMBOL, UINT16_MAX, NODE_ERROR | NODE_BROKEN);
	for (uint32_t i = 0, end; i < f->s.n_text; i = end) {
		end = line_end(f, i);
		uint32_t line = build_open(f, root, SYNTAX_NO_SYMBOL, UINT16_MAX, NODE_ERROR | NODE_BROKEN);
		build_raw(f, line, i, end);
		build_close(f, line);
	}
	build_close(f, root);
}

/* ---- layout */

/* One past the end of the directive at `at`: lines joined by a backslash are one. The new line itself belongs to it. */
static uint32_t directive_end(const struct syntax_full *f, uint32_t at)
{
	for (uint32_t end = line_end(f, at);; end = line_end(f, end)) {
		uint32_t i = end;
		while (i > at && (f->text[i - 1] == '\n' || f->text[i - 1] == '\r'))
			i--;
		if (i == at || f->text[i - 1] != '\\' || end == f->s.n_text)
			return end;
	}
}

static bool starts_line(const struct syntax_full *f, uint32_t at)
{
	while (at && (f->text[at - 1] == ' ' || f->text[at - 1] == '\t'))
		at--;
	return !at || f->text[at - 1] == '\n';
}

static void mark_directives(struct syntax_full *f)
{
	uint32_t line = 0, end = 0;
	for (size_t i = 0; i < f->tokens.n; i++) {
		struct syn_token *t = &f->tokens.at[i];
		if (t->at < end) {
			t->line = line;
			/* a comment may lead the directive over the end of its line */
			if (t->at + t->len > end)
				end = directive_end(f, t->at + t->len);
		} else if (f->text[t->at] == '#' && starts_line(f, t->at)) {
			t->line = ++line;
			t->flags |= TOKEN_LINE_START;
			end = directive_end(f, t->at);
			if (t->at + t->len > end)
				end = directive_end(f, t->at + t->len - 1);
		}
	}
}

static bool gap_has_newline(const struct syntax_full *f, size_t token)
{
	const struct syn_token *a = &f->tokens.at[token - 1], *b = a + 1;
	for (uint32_t i = a->at + a->len; i < b->at; i++)
		if (f->text[i] == '\n' && !(i && f->text[i - 1] == '\\'))
			return true;
	return false;
}

static void mark_logical_lines(struct syntax_full *f)
{
	uint32_t line = 1;
	uint64_t open = 0;
	for (size_t i = 0; i < f->tokens.n; i++) {
		struct syn_token *t = &f->tokens.at[i];
		if (i && !open && gap_has_newline(f, i)) {
			t->flags |= TOKEN_LINE_START;
			line++;
		}
		t->line = line;
		char c = t->len == 1 ? f->text[t->at] : 0;
		if (c == '(' || c == '[' || c == '{')
			open++;
		else if (open && (c == ')' || c == ']' || c == '}'))
			open--;
	}
}

/* The colon a block stands behind. */
static uint32_t colon_before(const struct syntax_full *f, uint32_t block)
{
	uint32_t parent = f->nodes.at[block].parent, colon = SYNTAX_NONE;
	for (uint32_t c = parent + 1; c < block; c = f->nodes.at[c].end) {
		const struct syn_node *n = &f->nodes.at[c];
		if (n->flags & NODE_LEAF && f->tokens.at[n->tok].len == 1 && f->text[f->tokens.at[n->tok].at] == ':')
			colon = n->tok;
	}
	return colon;
}

static void mark_blocks(struct syntax_full *f)
{
	uint16_t block = syntax_symbol(f->s.language, "block", true);
	f->block_of = mem_alloc(mem_mul(f->tokens.n, sizeof *f->block_of));
	for (size_t i = 0; i < f->tokens.n; i++)
		f->block_of[i] = SYNTAX_NONE;
	for (uint32_t i = 1; i < f->nodes.n; i++) {
		const struct syn_node *n = &f->nodes.at[i];
		if (n->sym != block || !n->n_tok)
			continue;
		uint32_t id = (uint32_t)f->blocks.n;
		vec_push(&f->blocks, ((struct syn_block){f->block_of[n->tok], colon_before(f, i)}));
		for (uint32_t t = n->tok; t < n->tok + n->n_tok; t++)
			f->block_of[t] = id;
	}
}

/* A line's indentation as Python counts it. */
static uint32_t column_of(const struct syntax_full *f, uint32_t at)
{
	uint32_t column = 0, from = at;
	while (from && f->text[from - 1] != '\n')
		from--;
	for (; from < at && (f->text[from] == ' ' || f->text[from] == '\t' || f->text[from] == '\f'); from++)
		column = f->text[from] == '\t' ? column / 8 * 8 + 8 : f->text[from] == '\f' ? 0 : column + 1;
	return column;
}

struct level {
	uint32_t column, block;
};

/* Whether the blocks are those of the indentation: lines that stand equally deep are in one block, deeper ones in one
 * inside. Where the text does not parse they may not be. */
static bool blocks_fit(const struct syntax_full *f)
{
	struct vec_of_levels {
		struct level *at;
		size_t n, cap;
	} open = {0};
	bool fit = true;
	for (size_t i = 0; i < f->tokens.n && fit; i++) {
		const struct syn_token *t = &f->tokens.at[i];
		if ((i && !(t->flags & TOKEN_LINE_START)) || t->flags & TOKEN_COMMENT)
			continue;
		const struct level l = {column_of(f, t->at), f->block_of[i]};
		while (open.n && vec_last(&open).column > l.column)
			open.n--;
		if (open.n && vec_last(&open).column == l.column) {
			fit = vec_last(&open).block == l.block;
			continue;
		}
		uint32_t outer = open.n ? vec_last(&open).block : SYNTAX_NONE;
		fit = open.n ? l.block != SYNTAX_NONE && f->blocks.at[l.block].parent == outer : l.block == outer;
		vec_push(&open, l);
	}
	vec_release(&open);
	return fit;
}

static void mark_lines(struct syntax_full *f, uint8_t flags)
{
	for (size_t i = 1; i < f->tokens.n; i++)
		if ((f->tokens.at[i].flags & flags) == flags && gap_has_newline(f, i))
			f->tokens.at[i].flags |= TOKEN_LINE_START;
}

void build_layout(struct syntax_full *f)
{
	const struct language_traits *t = &language_traits[f->s.language->id];
	if (t->directives)
		mark_directives(f);
	if (t->newline == NEWLINE_STATEMENT)
		mark_lines(f, TOKEN_STATEMENT);
	if (t->newline == NEWLINE_INDENTED)
		mark_lines(f, 0);
	if (t->newline == NEWLINE_LAYOUT && f->nodes.n && f->s.language->grammar) {
		mark_logical_lines(f);
		mark_blocks(f);
		if (!blocks_fit(f)) {
			free(f->block_of);
			f->block_of = NULL;
		}
	}
}
