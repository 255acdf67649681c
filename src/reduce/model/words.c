/* SPDX-License-Identifier: MIT */
/* The names of a base: see words.h. */
#include "reduce/model/words.h"

#include "reduce/model/names.h"
#include "reduce/syntax/syntax.h"

#include <string.h>

/* What grammars call a name. */
static const char *const kinds[] = {
	"identifier",
	"type_identifier",
	"field_identifier",
	"namespace_identifier",
	"package_identifier",
	"property_identifier",
	"shorthand_property_identifier",
	"shorthand_property_identifier_pattern",
	"statement_identifier",
	"simple_identifier",
	"label_name",
	"variable_name",
	"name",
	"constant",
	"word",
	"instance_variable",
	"class_variable",
	"global_variable",
	"simple_symbol",
	"variable",
	"constructor",
	"value_name",
	"value_pattern",
	"constructor_name",
	"type_constructor",
	"module_name",
	"field_name",
	"method_name",
	"local_var",
	"global_var",
	"label",
	"attr_ref",
	"metadata_ref",
};
enum { N_KINDS = sizeof kinds / sizeof *kinds };

struct places {
	VEC_FIELDS(uint32_t);
};

/* A language's symbols. */
struct kinds {
	uint16_t name[N_KINDS], import;
};

static bool is_name(const struct syntax *x, uint32_t token, const struct kinds *k)
{
	const struct syn_token *t = &x->token[token];
	if (t->flags & (TOKEN_LITERAL | TOKEN_COMMENT) || x->node[t->node].sym == SYNTAX_NO_SYMBOL)
		return false;
	for (size_t i = 0; i < N_KINDS; i++)
		if (x->node[t->node].sym == k->name[i])
			return true;
	return false;
}

static bool token_is(const struct syntax *x, uint32_t token, const char *text)
{
	return x->token[token].len == strlen(text) && memcmp(x->text + x->token[token].at, text, strlen(text)) == 0;
}

/* Lists in parentheses have no grammar to say what a name is: it is one if it is defined or declared somewhere,
 * `(declare-fun x`, `(define (x`. */
static void find_defined(const struct syntax *x, struct names *defined)
{
	if (!language_is_lists(x->language))
		return;
	for (uint32_t t = 1; t + 2 < x->n_tokens; t++) {
		const struct syn_token *head = &x->token[t];
		if (head->len < 3 || memcmp(x->text + head->at, "de", 2) != 0 || !token_is(x, t - 1, "("))
			continue;
		const struct syn_token *name = &x->token[t + 1 + token_is(x, t + 1, "(")];
		if (name->len)
			names_add(defined, x->text + name->at, name->len);
	}
}

static bool is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || (c & 0x80);
}

/* The name alone: what stands before it (`%`, `@@`, `:`) or after it (a label's `:`) is how this place writes it. */
static bool strip(const char **text, uint32_t *len, struct word_place *p)
{
	uint32_t from = 0, to = *len;
	while (from < to && strchr("%@$#!:", (*text)[from]))
		from++;
	while (to > from && (*text)[to - 1] == ':')
		to--;
	if (from == to || from > UINT8_MAX || *len - to > UINT8_MAX || !is_letter((*text)[from]))
		return false;
	p->before = (uint8_t)from;
	p->after = (uint8_t)(*len - to);
	*text += from;
	*len = to - from;
	return true;
}

/* Where an import's path is a string (Go), "a/b" brings b. */
static bool is_import(const struct syntax *x, uint32_t token, const struct kinds *k, const char **text, uint32_t *len)
{
	const struct syn_token *t = &x->token[token];
	uint32_t up = x->node[t->node].parent, to = t->len - 1, from = to;
	if (k->import == SYNTAX_NO_SYMBOL || !(t->flags & TOKEN_LITERAL) || up == SYNTAX_NONE || t->len < 3 ||
	    x->node[up].sym != k->import)
		return false;
	while (from > 1 && x->text[t->at + from - 1] != '/')
		from--;
	*text = x->text + t->at + from;
	*len = to - from;
	return true;
}

/* All names of a file, each with the number of its word in `of`. */
static void find(struct words *w, const struct model *m, uint32_t file, struct names *names, struct places *of)
{
	const struct syntax *x = m->file[file].syntax;
	struct kinds k = {.import = syntax_symbol(x->language, "import_spec", true)};
	for (size_t i = 0; i < N_KINDS; i++)
		k.name[i] = syntax_symbol(x->language, kinds[i], true);
	struct names defined = {0};
	find_defined(x, &defined);
	for (uint32_t t = 0; t < x->n_tokens; t++) {
		const char *text = x->text + x->token[t].at;
		uint32_t len = x->token[t].len, node = x->token[t].node;
		bool named = is_name(x, t, &k) || (defined.n && names_find(&defined, text, len) != NAMES_NONE);
		bool import = is_import(x, t, &k, &text, &len);
		struct word_place place = {.token = m->file[file].first + t,
					   .node = node,
					   .file = file,
					   .kind = x->node[node].sym,
					   .import = import};
		if ((!import && !(named && strip(&text, &len, &place))) || !model_has(m, place.token))
			continue;
		uint32_t number = names_add(names, text, len);
		vec_push(&w->place, place);
		vec_push(of, number);
		if (number == w->n)
			vec_push(w, ((struct word){text, len, 0, 0, x->node[node].sym}));
		w->at[number].n++;
	}
	names_release(&defined);
}

void words_init(struct words *w, const struct model *m)
{
	struct names names = {0};
	struct places of = {0}; /* the word of each place */
	*w = (struct words){0};
	for (size_t i = 0; i < m->n_files; i++)
		if (m->file[i].tree)
			find(w, m, (uint32_t)i, &names, &of);
	uint32_t at = 0;
	for (size_t i = 0; i < w->n; i++) {
		w->at[i].first = at;
		at += w->at[i].n;
		w->at[i].n = 0;
	}
	struct word_place *sorted = mem_alloc(mem_mul(w->place.n + 1, sizeof *sorted));
	for (size_t i = 0; i < of.n; i++) {
		struct word *x = &w->at[of.at[i]];
		sorted[x->first + x->n++] = w->place.at[i];
	}
	free(w->place.at);
	w->place.at = sorted;
	w->place.cap = w->place.n + 1;
	vec_release(&of);
	names_release(&names);
}

char *words_text(const struct model *m, const struct word_place *p, const char *name, size_t len, size_t *out_len)
{
	size_t all;
	const char *old = model_text(m, p->token, &all);
	char *new = mem_alloc(len + p->before + p->after + 1);
	memcpy(new, old, p->before);
	memcpy(new + p->before, name, len);
	memcpy(new + p->before + len, old + all - p->after, p->after);
	*out_len = len + p->before + p->after;
	return new;
}

uint32_t words_symbol(struct model *m, const struct word_place *p, const char *name, size_t len)
{
	size_t n;
	char *text = words_text(m, p, name, len, &n);
	uint32_t symbol = model_symbol(m, p->token, text, n);
	free(text);
	return symbol;
}

void words_release(struct words *w)
{
	vec_release(&w->place);
	vec_release(w);
}
