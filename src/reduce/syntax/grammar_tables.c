/* SPDX-License-Identifier: MIT */
/* The generated grammar tables, one row a grammar. To add a language: its npm package in deps/package.json, a word in
 * GRAMMARS (deps/module.mk), a row here and one in language.c. */
#include "reduce/syntax/grammar.h"

#include "base/bits.h"

#include "rules_c.h"
#include "rules_cpp.h"
#include "rules_go.h"
#include "rules_java.h"
#include "rules_javascript.h"
#include "rules_json.h"
#include "rules_python.h"
#include "rules_rust.h"
#include "rules_sql.h"
#include "rules_tsx.h"
#include "rules_typescript.h"

#define GRAMMARS(X) X(c) X(cpp) X(go) X(java) X(javascript) X(json) X(python) X(rust) X(sql) X(tsx) X(typescript)

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
