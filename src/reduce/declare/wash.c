/* SPDX-License-Identifier: MIT */
/* The pass "wash": what says nothing about the program goes at once: all comments; attributes and other text that
 * was hidden from the parser; Python's strings that are statements. What failed is halved a few times; the rest is for
 * the passes after it. */
#include "reduce/pass/halves.h"
#include "reduce/pass/pass.h"
#include "reduce/syntax/syntax.h"

#include "data/mem.h"

#include <string.h>

enum { MAX_QUESTIONS = 16 };
enum { COMMENTS, ATTRIBUTES, DOCSTRINGS, N_KINDS };

struct wash {
	struct pass_state pass;
	struct spans found[N_KINDS]; /* base tokens */
	struct halves halves;
};

/* In the languages that have them. */
static const char *const attribute_nodes[] = {"attribute_declaration", "attribute_specifier", "ms_declspec_modifier",
					      "metadata_attachment", "metadata_refs"};

static bool is_attribute(const struct syntax *x, uint32_t node, const uint16_t *sym)
{
	const struct syn_node *n = &x->node[node];
	/* hidden text that is neither one of the compiler's own words nor a marker is a part of a declaration */
	if (n->sym == SYNTAX_NO_SYMBOL)
		return n->flags & NODE_EXTRA && !(n->flags & (NODE_LEAF | NODE_ERROR)) &&
		       (strncmp(x->text + x->token[n->tok].at, "__", 2) == 0 || x->text[x->token[n->tok].at] == '#');
	for (size_t i = 0; i < sizeof attribute_nodes / sizeof *attribute_nodes; i++)
		if (n->sym == sym[i])
			return true;
	return false;
}

/* A string that is a statement, beside another one: a block may not be empty. */
static bool is_docstring(const struct syntax *x, uint32_t node, uint16_t statement)
{
	const struct syn_node *n = &x->node[node];
	if (n->sym != statement || n->n_tok != 1)
		return false;
	const struct syn_token *t = &x->token[n->tok];
	char last = x->text[t->at + t->len - 1];
	if (last != '"' && last != '\'')
		return false;
	uint32_t i = node;
	while ((i = syntax_next_sibling(x, i)) != SYNTAX_NONE)
		if (x->node[i].n_tok && !(x->token[x->node[i].tok].flags & TOKEN_COMMENT))
			return true;
	return false;
}

static void find_docstrings(struct wash *s, const struct base_file *f)
{
	const struct syntax *x = f->syntax;
	if (x->language->id != LANG_PYTHON)
		return;
	uint16_t statement = syntax_symbol(x->language, "expression_statement", true);
	for (uint32_t i = 0; i < x->n_nodes; i++)
		if (is_docstring(x, i, statement)) {
			uint32_t t = f->first + x->node[i].tok;
			vec_push(&s->found[DOCSTRINGS], ((struct span){t, t + 1}));
		}
}

static void find(struct wash *s, const struct base_file *f)
{
	const struct syntax *x = f->syntax;
	uint16_t sym[sizeof attribute_nodes / sizeof *attribute_nodes];
	for (size_t i = 0; i < sizeof sym / sizeof *sym; i++)
		sym[i] = syntax_symbol(x->language, attribute_nodes[i], true);
	for (uint32_t t = 0; t < x->n_tokens; t++)
		if (x->token[t].flags & TOKEN_COMMENT)
			vec_push(&s->found[COMMENTS], ((struct span){f->first + t, f->first + t + 1}));
	for (uint32_t i = 0; i < x->n_nodes; i++)
		if (x->node[i].n_tok && is_attribute(x, i, sym)) {
			uint32_t from = f->first + x->node[i].tok;
			vec_push(&s->found[ATTRIBUTES], ((struct span){from, from + x->node[i].n_tok}));
		}
}

static void start_kind(struct wash *s, unsigned kind)
{
	halves_start(&s->halves, kind, (uint32_t)s->found[kind].n);
	s->halves.limit = MAX_QUESTIONS;
}

static void wash_begin(void *state)
{
	struct wash *s = state;
	struct model *m = s->pass.model;
	for (size_t i = 0; i < m->n_files; i++)
		if (m->file[i].tree) {
			find(s, &m->file[i]);
			find_docstrings(s, &m->file[i]);
		}
	start_kind(s, COMMENTS);
}

static bool make_edit(const struct wash *s, struct edit *out)
{
	for (uint32_t i = s->halves.asked.from; i < s->halves.asked.to; i++) {
		struct span span = s->found[s->halves.stage].at[i];
		if (model_count(s->pass.model, span.from, span.to))
			edit_remove(out, span.from, span.to);
	}
	return out->remove.n > 0;
}

static enum made wash_next(void *state, struct candidate *out, enum guess guess)
{
	struct wash *s = state;
	for (;;) {
		enum made made = halves_next(&s->halves, guess);
		if (made == MADE_ONE && !make_edit(s, &out->edit)) {
			halves_skip(&s->halves);
		} else if (made == MADE_ONE) {
			return halves_ask(&s->halves, out);
		} else if (s->halves.stage + 1 < N_KINDS && (made == MADE_END || guess >= GUESS_STAGE)) {
			start_kind(s, s->halves.stage + 1);
		} else {
			return MADE_END;
		}
	}
}

static void wash_result(void *state, const struct candidate *c, bool success)
{
	struct wash *s = state;
	halves_result(&s->halves, c, success);
}

static bool wash_wanted(const void *state, const struct candidate *c)
{
	const struct wash *s = state;
	return halves_wanted(&s->halves, c);
}

static void wash_release(void *state)
{
	struct wash *s = state;
	for (size_t i = 0; i < N_KINDS; i++)
		vec_release(&s->found[i]);
	halves_release(&s->halves);
}

static const struct pass_frame frame = {sizeof(struct wash), wash_next, wash_result, wash_release, wash_wanted};

const struct pass pass_wash = {"wash", "comments, then attributes and docstrings, go at once", PASS_TREE | PASS_WHOLE,
			       wash_begin, &frame};
