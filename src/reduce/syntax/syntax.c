/* SPDX-License-Identifier: MIT */
/* Parsing a text into a struct syntax, and looking at it. */
#include "reduce/syntax/internal.h"

#include "reduce/syntax/grammar.h"

#include <string.h>
#include <tree_sitter/api.h>

enum rc syntax_parse(struct syntax **out, const struct language *lang, const char *text, size_t n, struct err *e)
{
	*out = NULL;
	if (n >= UINT32_MAX)
		return err_set(e, RC_INPUT, "the file is too large: %zu bytes", n);
	struct syntax_full *f = mem_zalloc(sizeof *f);
	f->text = mem_strndup(text, n);
	if (lang->grammar && n > SYNTAX_MAX_BYTES)
		lang = &languages[LANG_LINES];
	f->s.language = lang;
	f->s.text = f->text;
	f->s.n_text = n;
	if (lang->id == LANG_LINES)
		build_lines(f);
	else if (lang->id == LANG_CHARS)
		build_chars(f);
	else if (!build_tree(f))
		build_lines_and_words(f);
	build_layout(f);
	f->s.token = f->tokens.at;
	f->s.n_tokens = (uint32_t)f->tokens.n;
	f->s.node = f->nodes.at;
	f->s.n_nodes = (uint32_t)f->nodes.n;
	for (uint32_t i = 0; i < f->s.n_nodes; i++)
		f->s.n_errors += (f->nodes.at[i].flags & NODE_ERROR) != 0;
	*out = &f->s;
	return RC_OK;
}

void syntax_free(struct syntax *s)
{
	struct syntax_full *f = (struct syntax_full *)s;
	if (!f)
		return;
	vec_release(&f->tokens);
	vec_release(&f->nodes);
	vec_release(&f->blocks);
	free(f->block_of);
	free(f->text);
	free(f);
}

const char *syntax_symbol_name(const struct language *lang, uint16_t sym)
{
	const struct grammar *g = grammar_get(lang);
	if (g && sym >= g->n_symbols && sym < g->n_letters)
		return g->table->rules[sym - g->n_symbols].name;
	const char *name = g && sym < g->n_symbols ? ts_language_symbol_name(g->ts, sym) : NULL;
	return name ? name : "raw";
}

const char *syntax_name(const struct syntax *s, uint32_t node)
{
	if (s->node[node].flags & NODE_ERROR && s->node[node].sym == SYNTAX_NO_SYMBOL)
		return "ERROR";
	return syntax_symbol_name(s->language, s->node[node].sym);
}

uint16_t syntax_symbol(const struct language *lang, const char *name, bool named)
{
	const struct grammar *g = grammar_get(lang);
	TSSymbol s = g ? ts_language_symbol_for_name(g->ts, name, (uint32_t)strlen(name), named) : 0;
	return s ? s : SYNTAX_NO_SYMBOL;
}

const char *syntax_field_name(const struct syntax *s, uint32_t node)
{
	const struct grammar *g = grammar_get(s->language);
	return g && s->node[node].field ? ts_language_field_name_for_id(g->ts, s->node[node].field) : NULL;
}

uint32_t syntax_first_child(const struct syntax *s, uint32_t node)
{
	return node + 1 < s->node[node].end ? node + 1 : SYNTAX_NONE;
}

uint32_t syntax_next_sibling(const struct syntax *s, uint32_t node)
{
	uint32_t parent = s->node[node].parent, next = s->node[node].end;
	return parent != SYNTAX_NONE && next < s->node[parent].end ? next : SYNTAX_NONE;
}

uint32_t syntax_child_by_field(const struct syntax *s, uint32_t node, const char *field)
{
	const struct grammar *g = grammar_get(s->language);
	TSFieldId id = g ? ts_language_field_id_for_name(g->ts, field, (uint32_t)strlen(field)) : 0;
	if (!id)
		return SYNTAX_NONE;
	uint32_t c = syntax_first_child(s, node);
	while (c != SYNTAX_NONE && s->node[c].field != id)
		c = syntax_next_sibling(s, c);
	return c;
}

uint32_t syntax_begin(const struct syntax *s, uint32_t node)
{
	uint32_t tok = s->node[node].tok;
	return tok < s->n_tokens ? s->token[tok].at : (uint32_t)s->n_text;
}

uint32_t syntax_end(const struct syntax *s, uint32_t node)
{
	const struct syn_node *n = &s->node[node];
	if (!n->n_tok)
		return syntax_begin(s, node);
	const struct syn_token *last = &s->token[n->tok + n->n_tok - 1];
	return last->at + last->len;
}
