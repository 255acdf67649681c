/* SPDX-License-Identifier: MIT */
/* The pass "numbers": LLVM's values that have numbers get names. `%5` must stand between `%4` and `%6`, so none of them
 * can go alone; `%v5` can. One question for each file. The block at a function's entry has a number too, which stands
 * nowhere: where it is used, the block gets a label. */
#include "reduce/pass/pass.h"
#include "reduce/syntax/syntax.h"

#include "data/mem.h"

#include <stdio.h>
#include <string.h>

enum { LEAST = 8 };      /* numbers that are worth it */
enum { MAX_DIGITS = 9 }; /* of a number; a larger one is left alone */
enum { MAX_NUMBER = 99999 };

struct numbers {
	struct pass_state pass;
	size_t file; /* the next one */
};

struct kinds {
	uint16_t value, label, function;
};

/* The number of a value or label; false: it has a name, or is nothing of the kind. */
static bool number_of(const struct syntax *x, uint32_t token, const struct kinds *k, uint32_t *out)
{
	const struct syn_token *t = &x->token[token];
	uint16_t sym = x->node[t->node].sym;
	uint32_t from = sym == k->value, to = t->len - (sym == k->label);
	if ((sym != k->value && sym != k->label) || from >= to || to - from > MAX_DIGITS)
		return false;
	*out = 0;
	for (uint32_t i = from; i < to; i++) {
		char c = x->text[t->at + i];
		if (c < '0' || c > '9')
			return false;
		*out = *out * 10 + (uint32_t)(c - '0');
	}
	return *out <= MAX_NUMBER;
}

static bool is_text(const struct syntax *x, uint32_t token, const char *text)
{
	const struct syn_token *t = &x->token[token];
	return t->len == strlen(text) && memcmp(x->text + t->at, text, t->len) == 0;
}

/* Whether the token says what the number is: a label, `%5 =`, a parameter. */
static bool is_definition(const struct syntax *x, uint32_t token, uint32_t body, const struct kinds *k)
{
	return token < body || x->node[x->token[token].node].sym == k->label ||
	       (token + 1 < x->n_tokens && is_text(x, token + 1, "="));
}

/* The number of a function's entry block, if it is used: the one that is defined nowhere. */
static bool entry_of(const struct syntax *x, uint32_t function, uint32_t body, const bool *type, const struct kinds *k,
		     uint32_t *out)
{
	const struct syn_node *f = &x->node[function];
	bool *defined = mem_dup(type, MAX_NUMBER + 1), found = false;
	uint32_t number;
	for (uint32_t t = f->tok; t < f->tok + f->n_tok; t++)
		if (number_of(x, t, k, &number) && is_definition(x, t, body, k))
			defined[number] = true;
	for (uint32_t t = body; t < f->tok + f->n_tok && !found; t++)
		if (number_of(x, t, k, &number) && !defined[number]) {
			*out = number;
			found = true;
		}
	free(defined);
	return found;
}

static void label_entry(struct numbers *s, const struct base_file *f, uint32_t function, const bool *type,
			const struct kinds *k, struct edit *out)
{
	const struct syntax *x = f->syntax;
	const struct syn_node *n = &x->node[function];
	uint32_t body = n->tok, number;
	while (body < n->tok + n->n_tok && !is_text(x, body, "{"))
		body++;
	if (body == n->tok + n->n_tok || !entry_of(x, function, body, type, k, &number))
		return;
	char text[32];
	int len = snprintf(text, sizeof text, "{v%u:", (unsigned)number);
	edit_rewrite(out, f->first + body, model_symbol(s->pass.model, f->first + body, text, (size_t)len));
}

static void name_token(struct numbers *s, const struct base_file *f, uint32_t token, const struct kinds *k,
		       struct edit *out)
{
	const struct syn_token *t = &f->syntax->token[token];
	bool value = f->syntax->node[t->node].sym == k->value;
	char text[MAX_DIGITS + 3] = "%v";
	memcpy(text + 1 + value, f->syntax->text + t->at + value, t->len - value);
	text[value] = 'v';
	edit_rewrite(out, f->first + token, model_symbol(s->pass.model, f->first + token, text, t->len + 1));
}

static bool look_at_file(struct numbers *s, const struct base_file *f, struct edit *out)
{
	const struct syntax *x = f->syntax;
	const struct kinds k = {syntax_symbol(x->language, "local_var", true),
				syntax_symbol(x->language, "label", true),
				syntax_symbol(x->language, "fn_define", true)};
	bool *type = mem_zalloc(MAX_NUMBER + 1);
	uint32_t number, found = 0;
	for (uint32_t t = 0; t < x->n_tokens; t++)
		if (model_has(s->pass.model, f->first + t) && number_of(x, t, &k, &number)) {
			found++;
			name_token(s, f, t, &k, out);
		}
	for (uint32_t i = 0; i < x->n_nodes; i = x->node[i].sym == k.function ? x->node[i].end : i + 1)
		if (x->node[i].sym != k.function && x->node[i].n_tok && number_of(x, x->node[i].tok, &k, &number))
			type[number] = true;
	for (uint32_t i = 0; i < x->n_nodes && found >= LEAST; i++)
		if (x->node[i].sym == k.function)
			label_entry(s, f, i, type, &k, out);
	free(type);
	return found >= LEAST;
}

static enum made numbers_next(void *state, struct candidate *out, enum guess guess)
{
	struct numbers *s = state;
	const struct model *m = s->pass.model;
	(void)guess;
	while (s->file < m->n_files) {
		const struct base_file *f = &m->file[s->file++];
		if (f->tree && f->syntax->language->id == LANG_LLVM && look_at_file(s, f, &out->edit)) {
			out->class = CLASS_REPLACE;
			return MADE_ONE;
		}
		edit_clear(&out->edit);
	}
	return MADE_END;
}

static void numbers_begin(void *state)
{
	(void)state;
}

static const struct pass_frame frame = {sizeof(struct numbers), numbers_next, NULL, NULL, NULL};

const struct pass pass_numbers = {"numbers", "values with numbers get names (LLVM)", PASS_TREE | PASS_WHOLE,
				  numbers_begin, &frame};
