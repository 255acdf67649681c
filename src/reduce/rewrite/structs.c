/* SPDX-License-Identifier: MIT */
/* The pass "structs": `class` becomes `struct` and its labels `public:` and the like go, in one edit: each alone would
 * hide members or change nothing. C++ only. */
#include "reduce/pass/proposals.h"
#include "reduce/syntax/syntax.h"

#include <string.h>

static bool is_text(const struct syntax *x, uint32_t token, const char *text)
{
	return x->token[token].len == strlen(text) && memcmp(x->text + x->token[token].at, text, strlen(text)) == 0;
}

/* The labels among the children of a class's list of members. */
static void remove_labels(struct proposals *p, const struct base_file *f, uint32_t list, uint16_t label)
{
	const struct syntax *x = f->syntax;
	for (uint32_t c = syntax_first_child(x, list); c != SYNTAX_NONE; c = syntax_next_sibling(x, c)) {
		uint32_t from = x->node[c].tok, to = from + x->node[c].n_tok;
		if (x->node[c].sym != label || from == to)
			continue;
		if (to < x->n_tokens && is_text(x, to, ":"))
			to++;
		proposal_remove(p, f->first + from, f->first + to);
	}
}

static void look_at_file(struct proposals *p, const struct forest *forest, size_t number)
{
	const struct base_file *f = &p->pass.model->file[number];
	(void)forest;
	const struct syntax *x = f->syntax;
	uint16_t class = syntax_symbol(x->language, "class_specifier", true);
	uint16_t list = syntax_symbol(x->language, "field_declaration_list", true);
	uint16_t label = syntax_symbol(x->language, "access_specifier", true);
	if (class == SYNTAX_NO_SYMBOL || list == SYNTAX_NO_SYMBOL || label == SYNTAX_NO_SYMBOL)
		return;
	for (uint32_t n = 1; n < x->n_nodes; n++) {
		uint32_t at = f->first + x->node[n].tok;
		if (x->node[n].sym != class || !x->node[n].n_tok || !is_text(x, x->node[n].tok, "class"))
			continue;
		proposal_replace(p, (struct span){at, at + 1}, "struct", 6, 1);
		for (uint32_t c = syntax_first_child(x, n); c != SYNTAX_NONE; c = syntax_next_sibling(x, c))
			if (x->node[c].sym == list)
				remove_labels(p, f, c, label);
		proposal_end(p, at + 1);
	}
}

static void structs_begin(void *state)
{
	proposals_of_files(state, look_at_file);
}

const struct pass pass_structs = {"structs", "classes become structs without labels", PASS_TREE | PASS_FIXPOINT,
				  structs_begin, &proposals_frame};
