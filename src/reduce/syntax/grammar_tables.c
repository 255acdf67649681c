/* SPDX-License-Identifier: MIT */
/* The generated grammar tables, one row a grammar. To add a language: its npm package in deps/package.json and
 * deps/dist-files.txt, a word in GRAMMARS (deps/module.mk) and a row in each of the two tables of language.c. */
#include "reduce/syntax/grammar.h"

#include "base/bits.h"

/* rules_NAME.h of each, and GRAMMARS(X): made by deps/module.mk */
#include "grammars.h"

#define X(name) const TSLanguage *tree_sitter_##name(void);
GRAMMARS(X)
#undef X

#define X(name)                                                                                                        \
	static const struct grammar_table table_##name = {                                                             \
		#name,        tree_sitter_##name,      name##_names,  ARRAY_LEN(name##_names), name##_code,            \
		name##_rules, ARRAY_LEN(name##_rules), name##_aliases};
GRAMMARS(X)
#undef X

const struct grammar_table *const grammar_tables[] = {
#define X(name) &table_##name,
	GRAMMARS(X)
#undef X
		NULL,
};
