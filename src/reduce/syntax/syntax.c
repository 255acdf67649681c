/* SPDX-License-Identifier: MIT */
/* Parsing a text into a struct syntax, and looking at it. */
#include "reduce/syntax/internal.h"

#include "reduce/syntax/grammar.h"

#include <string.h>
#include <tree_sitter/api.h>

static void build(struct syntax_full *f)
{
	switch (f->s.language->id) {
	case LANG_LINES:
		build_lines(f);
		break;
	case LANG_WORDS:
		build_words(f);
		break;
	case LANG_CHARS:
	case LANG_BYTES:
		build_chars(f);
		break;
	case LANG_SMTLIB:
	case LANG_LISP:
		build_lisp(f);
		break;
	default:
		if (!build_tree(f))
			build_lines_and_words(f);
	}
}

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
	build(f);
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
	vec_release_all(&f->tokens, &f->nodes, &f->blocks);
	free(f->block_of);
	free(f->text);
	free(f);
}

uint16_t syntax_symbol(const struct language *lang, const char *name, bool named)
{
	struct grammar *g = grammar_get(lang);
	return g ? grammar_symbol(g, name, named) : SYNTAX_NO_SYMBOL;
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
