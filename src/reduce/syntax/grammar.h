/* SPDX-License-Identifier: MIT */
/* Grammar rules as automata over visible children: the inside of the shapes of reduce/syntax/syntax.h.
 *
 * The generated tables (deps/gen_grammar.c) hold each rule as an expression whose letters say what a child is: the rule
 * it was made by, or the symbol of a token. On its first use a rule becomes a position automaton (Glushkov): one
 * position for each letter of the expression, where a choice between single symbols (a supertype) is one position with
 * a set of symbols. Sets of positions are numbered and their steps remembered, forwards and backwards, so a long list
 * costs one table look-up a child.
 *
 * F[i] = positions reachable after the first i children, B[i] = positions from which the children from i on lead to
 * the end. The children without a … b−1 match iff F[a] ∩ B[b] is not empty; child i may be replaced by a
 * sequence iff the step from F[i] over it meets B[i+1]. Lists are found with nothing but that test. */
#ifndef REDUCE_SYNTAX_GRAMMAR_H
#define REDUCE_SYNTAX_GRAMMAR_H

#include "reduce/syntax/syntax.h"

#include "data/table.h"
#include "data/vec.h"

typedef struct TSLanguage TSLanguage;

enum rule_op { OP_EMPTY, OP_SYM, OP_NODE, OP_RULE, OP_SEQ, OP_CHOICE, OP_STAR, OP_PLUS };

struct rule_name {
	const char *text;
	bool named;
};
struct rule_row {
	const char *name;
	uint32_t code; /* where its expression starts */
	bool token;
};

struct rule_alias {
	uint16_t rule, name; /* the rule is shown as names[name] somewhere; the last row is UINT16_MAX */
};

/* One row a grammar (grammar_tables.c). */
struct grammar_table {
	const char *name;
	const TSLanguage *(*language)(void);
	const struct rule_name *names;
	size_t n_names;
	const uint16_t *code;
	const struct rule_row *rules;
	size_t n_rules;
	const struct rule_alias *aliases;
};
extern const struct grammar_table *const grammar_tables[]; /* NULL-ended */

struct known_symbol {
	char *name;
	bool named;
	uint16_t sym;
};

struct grammar {
	const struct grammar_table *table;
	const TSLanguage *ts;
	uint16_t n_symbols;             /* tree-sitter's */
	uint16_t n_letters;             /* symbols of tokens, then rules */
	uint16_t *rule_of;              /* [n_symbols]: the rule with that name, or GRAMMAR_NO_RULE */
	uint16_t *symbol_of;            /* [n_names]: tree-sitter's public symbol */
	struct automaton **rule;        /* [n_rules], made when needed */
	int32_t *class_of;              /* [n_rules]: what a hidden rule is: see grammar.c */
	VEC(struct known_symbol) known; /* symbols that were asked for */
	struct table known_index;
};

#define GRAMMAR_NO_RULE UINT16_MAX

/* The language's grammar, made on first use and kept; NULL if it has none. */
struct grammar *grammar_get(const struct language *lang);
/* The symbol of a name, or SYNTAX_NO_SYMBOL. Kept, because the parser looks through all symbols for it. */
uint16_t grammar_symbol(struct grammar *g, const char *name, bool named);

/* One rule as an automaton; see automaton.c. */
struct automaton;
#define AUTOMATON_DEAD 0u /* the empty set of positions */
struct automaton *automaton_new(struct grammar *g, uint16_t rule);
uint32_t automaton_start(struct automaton *a);  /* forward state before the first child */
uint32_t automaton_finish(struct automaton *a); /* backward state after the last child */
uint32_t automaton_step(struct automaton *a, uint32_t state, uint16_t letter);
uint32_t automaton_step_back(struct automaton *a, uint32_t state, uint16_t letter);
/* Whether a forward and a backward state meet. */
bool automaton_meet(struct automaton *a, uint32_t forward, uint32_t backward);

/* The letter of a node with public symbol sym that was made by grammar symbol made_by. */
uint16_t grammar_letter(const struct grammar *g, uint16_t sym, uint16_t made_by);

/* The automaton of a rule, or NULL for GRAMMAR_NO_RULE. */
struct automaton *grammar_automaton(struct grammar *g, uint16_t rule);

#endif
