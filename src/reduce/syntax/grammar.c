/* SPDX-License-Identifier: MIT */
/* Grammars at run time: tree-sitter's symbol numbers for the names in the generated tables, and the automata of rules
 * as they are needed. A grammar is made on the first use of its language and lives until the process ends. */
#include "reduce/syntax/grammar.h"

#include "data/digest.h"
#include "data/mem.h"

#include <string.h>
#include <tree_sitter/api.h>

static struct grammar *grammars[N_LANGUAGES];

/* Whether rule r may be the one behind a symbol that the parser calls `name`: it is called so, or is shown so and has
 * no symbol under its own name. */
static bool may_be_called(const struct grammar *g, size_t r, const char *name)
{
	const struct grammar_table *t = g->table;
	if (!strcmp(t->rules[r].name, name))
		return true;
	for (const struct rule_alias *a = t->aliases; a->rule != UINT16_MAX; a++) {
		if (a->rule != r || strcmp(t->names[a->name].text, name))
			continue;
		for (uint16_t i = 0; i < g->n_symbols; i++)
			if (!strcmp(ts_language_symbol_name(g->ts, i), t->rules[r].name))
				return false;
		return true;
	}
	return false;
}

/* Symbols are numbered in the order of the rules, so of several with one name the first belongs to the first rule. */
static void find_rules(struct grammar *g)
{
	g->rule_of = mem_alloc(mem_mul(g->n_symbols, sizeof *g->rule_of));
	for (uint16_t i = 0; i < g->n_symbols; i++) {
		const char *name = ts_language_symbol_name(g->ts, i);
		g->rule_of[i] = GRAMMAR_NO_RULE;
		/* an anonymous token may be spelt like a rule ("default") */
		if (ts_language_symbol_type(g->ts, i) == TSSymbolTypeAnonymous)
			continue;
		size_t from = 0;
		for (uint16_t j = i; j-- > 0;) {
			if (g->rule_of[j] != GRAMMAR_NO_RULE && !strcmp(ts_language_symbol_name(g->ts, j), name)) {
				from = g->rule_of[j] + 1u;
				break;
			}
		}
		for (size_t r = from; r < g->table->n_rules && g->rule_of[i] == GRAMMAR_NO_RULE; r++)
			if (may_be_called(g, r, name))
				g->rule_of[i] = (uint16_t)r;
	}
}

static struct grammar *grammar_new(const struct grammar_table *t)
{
	struct grammar *g = mem_zalloc(sizeof *g);
	g->table = t;
	g->ts = t->language();
	g->n_symbols = (uint16_t)ts_language_symbol_count(g->ts);
	g->n_letters = (uint16_t)(g->n_symbols + t->n_rules);
	find_rules(g);
	g->symbol_of = mem_alloc(mem_mul(t->n_names, sizeof *g->symbol_of));
	for (size_t i = 0; i < t->n_names; i++) {
		const struct rule_name *n = &t->names[i];
		g->symbol_of[i] = grammar_symbol(g, n->text, n->named);
	}
	g->rule = mem_zalloc(mem_mul(t->n_rules, sizeof(struct automaton *)));
	g->class_of = mem_zalloc(mem_mul(t->n_rules, sizeof *g->class_of));
	return g;
}

struct grammar *grammar_get(const struct language *lang)
{
	if (!lang->grammar)
		return NULL;
	for (size_t i = 0; !grammars[lang->id] && grammar_tables[i]; i++)
		if (!strcmp(grammar_tables[i]->name, lang->grammar))
			grammars[lang->id] = grammar_new(grammar_tables[i]);
	return grammars[lang->id];
}

uint16_t grammar_symbol(struct grammar *g, const char *name, bool named)
{
	size_t len = strlen(name);
	uint64_t hash = hash64_seed(name, len, named);
	uint32_t i;
	for (struct table_probe p = table_probe(&g->known_index, hash);
	     (i = table_next(&g->known_index, &p)) != TABLE_NONE;)
		if (g->known.at[i].named == named && strcmp(g->known.at[i].name, name) == 0)
			return g->known.at[i].sym;
	TSSymbol s = ts_language_symbol_for_name(g->ts, name, (uint32_t)len, named);
	table_insert(&g->known_index, hash, (uint32_t)g->known.n);
	vec_push(&g->known, ((struct known_symbol){mem_strndup(name, len), named, s ? s : SYNTAX_NO_SYMBOL}));
	return vec_last(&g->known).sym;
}

uint16_t grammar_letter(const struct grammar *g, uint16_t sym, uint16_t made_by)
{
	uint16_t r = made_by < g->n_symbols ? g->rule_of[made_by] : GRAMMAR_NO_RULE;
	return r == GRAMMAR_NO_RULE || g->table->rules[r].token ? sym : (uint16_t)(g->n_symbols + r);
}

struct automaton *grammar_automaton(struct grammar *g, uint16_t rule)
{
	if (rule >= g->table->n_rules)
		return NULL;
	if (!g->rule[rule])
		g->rule[rule] = automaton_new(g, rule);
	return g->rule[rule];
}
