/* SPDX-License-Identifier: MIT */
/* The pass "inline": a variable, constant or alias goes and what it stands for takes its place. `x = value` in any
 * declaration gives x a meaning, and so do `typedef type x` and Go's `type x type`. In one edit the declaration goes
 * and each other place of the name becomes the value. */
#include "reduce/rewrite/vanish.h"
#include "reduce/syntax/syntax.h"

#include <string.h>

enum { MAX_VALUE = 24 }; /* tokens of a value */

struct meaning {
	uint32_t node;     /* of the declaration, in the forest */
	struct span value; /* base tokens */
	uint32_t name;     /* base token */
};

static uint32_t find_word(const struct vanish *v, uint32_t token)
{
	for (uint32_t i = 0; i < v->words.n; i++) {
		const struct word *w = &v->words.at[i];
		for (uint32_t k = w->first; k < w->first + w->n; k++)
			if (v->words.place.at[k].token == token)
				return i;
	}
	return UINT32_MAX;
}

/* The text of some tokens of one file, on one line; false: it is not one. */
static bool text_of(const struct vanish *v, struct span s, const char **text, size_t *len)
{
	const struct base_file *f = v->forest.model->file;
	while (s.from >= f->first + f->n)
		f++;
	const struct syntax *x = f->syntax;
	const struct syn_token *a = &x->token[s.from - f->first], *b = &x->token[s.to - 1 - f->first];
	*text = x->text + a->at;
	*len = b->at + b->len - a->at;
	return s.to - s.from <= MAX_VALUE && !memchr(*text, '\n', *len);
}

static void propose(struct vanish *v, const struct meaning *d)
{
	uint32_t word = find_word(v, d->name);
	const char *text;
	size_t len;
	struct span all;
	if (word == UINT32_MAX || !text_of(v, d->value, &text, &len) || !vanish_around(v, d->node, 0, &all))
		return;
	const struct word *w = &v->words.at[word];
	proposal_remove(v->proposals, all.from, all.to);
	for (uint32_t i = w->first; i < w->first + w->n; i++) {
		uint32_t t = v->words.place.at[i].token;
		if (t < all.from || t >= all.to)
			proposal_replace(v->proposals, (struct span){t, t + 1}, text, len, d->value.to - d->value.from);
	}
	proposal_end(v->proposals, d->name + 1);
}

static bool is_text(const struct model *m, uint32_t token, const char *text)
{
	size_t len;
	const char *s = model_text(m, token, &len);
	return len == strlen(text) && memcmp(s, text, len) == 0;
}

/* The first name among the tokens. */
static uint32_t first_name(const struct base_file *f, struct span s)
{
	for (uint32_t t = s.from; t < s.to; t++)
		if (f->syntax->token[t - f->first].flags & TOKEN_WORD)
			return t;
	return s.to;
}

/* `x = value` among the children of a node. */
static void find_assigned(struct vanish *v, const struct base_file *f, uint32_t node)
{
	struct children c;
	const struct model *m = v->forest.model;
	children_of(&v->forest, node, &c);
	for (uint32_t i = 1; i + 1 < c.n; i++) {
		struct span sign = forest_span(&v->forest, c.place[i]);
		if (sign.to != sign.from + 1 || !(is_text(m, sign.from, "=") || is_text(m, sign.from, ":=")))
			continue;
		struct span left = forest_span(&v->forest, c.place[i - 1]);
		struct meaning d = {node, forest_span(&v->forest, c.place[i + 1]), first_name(f, left)};
		if (d.name < left.to && d.value.from < d.value.to)
			propose(v, &d);
		break;
	}
	children_release(&c);
}

/* `typedef type x;` and `x type`. */
static void find_alias(struct vanish *v, const struct base_file *f, uint32_t node, bool name_last)
{
	struct span s = forest_span(&v->forest, node);
	struct meaning d = {.node = node};
	if (s.to - s.from < (name_last ? 4u : 2u))
		return;
	if (name_last) {
		d.name = s.to - 2; /* before the `;` */
		d.value = (struct span){s.from + 1, d.name};
	} else {
		d.name = s.from;
		d.value = (struct span){s.from + 1, s.to};
	}
	if (f->syntax->token[d.name - f->first].flags & TOKEN_WORD)
		propose(v, &d);
}

static void look_at_file(struct vanish *v, size_t file)
{
	const struct base_file *f = &v->forest.model->file[file];
	uint16_t typedefs = syntax_symbol(f->syntax->language, "type_definition", true);
	uint16_t specs = syntax_symbol(f->syntax->language, "type_spec", true);
	uint32_t root = forest_root(&v->forest, file);
	for (uint32_t n = 1; n < f->syntax->n_nodes; n++) {
		const struct syn_node *x = &f->syntax->node[n];
		if (x->flags & (NODE_LEAF | NODE_ERROR | NODE_EXTRA) || x->n_tok < 2)
			continue;
		if (typedefs != SYNTAX_NO_SYMBOL && x->sym == typedefs)
			find_alias(v, f, root + n, true);
		else if (specs != SYNTAX_NO_SYMBOL && x->sym == specs)
			find_alias(v, f, root + n, false);
		else
			find_assigned(v, f, root + n);
	}
}

static void look(struct vanish *v)
{
	for (size_t i = 0; i < v->forest.model->n_files; i++)
		if (v->forest.model->file[i].tree)
			look_at_file(v, i);
}

static void inline_begin(void *state)
{
	vanish_begin(state, look);
}

const struct pass pass_inline = {"inline", "variables, constants and aliases become what they stand for",
				 PASS_TREE | PASS_FIXPOINT, inline_begin, &proposals_frame};
