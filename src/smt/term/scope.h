/* SPDX-License-Identifier: MIT */
/* What a script has declared: variables, functions, macros, sort names; undone by pop.
 *
 * Names that are declared nowhere are taken as symbols of a theory. Declarations whose meaning does not show in the
 * terms that use them (datatypes, recursive functions, the logic) are kept word for word in the context: a stored
 * answer is only ever used under the same context. */
#ifndef SMT_TERM_SCOPE_H
#define SMT_TERM_SCOPE_H

#include "smt/sexpr.h"
#include "smt/term/dag.h"

enum decl_kind {
	DECL_NONE,
	DECL_VAR,   /* value: the term */
	DECL_FUN,   /* value: the label */
	DECL_TERM,  /* a name for a closed term (define-fun without parameters, :named); value: the term */
	DECL_MACRO, /* value: number of the macro */
	DECL_OWN,   /* of a datatype or recursive: see own.h */
};

struct symbol {
	const char *name;
	uint32_t len;
	uint64_t hash;
	uint32_t local; /* newest binding of let or a quantifier, TERM_NONE: none */
	uint32_t value;
	uint8_t decl;
};

/* A define-fun with parameters: its own copy of the text, expanded at each use. */
struct macro {
	struct sexpr x;
	uint32_t params, body; /* nodes */
	uint32_t n_params;
};

struct sort_alias {
	uint32_t symbol, sort;
};

struct decl_undo {
	uint32_t symbol, value;
	uint8_t decl;
};

struct scope {
	struct dag *dag;
	VEC(struct symbol) symbol;
	struct table symbol_index;
	VEC(struct macro) macro;
	VEC(struct sort_alias) alias;
	VEC(struct decl_undo) undo;
	VEC(uint32_t) var; /* declared variables, in order: terms */
	struct buf context;
	struct arena text;
	bool uncacheable; /* something was declared in a way we do not follow: no caching until a reset */
};

struct scope_mark {
	size_t undo, macro, alias, var, context;
	struct dag_mark dag;
	bool uncacheable;
};

void scope_init(struct scope *s, struct dag *d);
void scope_release(struct scope *s);
/* As after a reset. The dag is cleared too. */
void scope_clear(struct scope *s);
struct scope_mark scope_mark(const struct scope *s);
void scope_cut(struct scope *s, struct scope_mark m);

uint32_t scope_symbol(struct scope *s, const char *name, size_t len);
/* Declares name; a second declaration of a name is RC_NO (overloading is not followed). */
enum rc scope_declare(struct scope *s, uint32_t symbol, enum decl_kind kind, uint32_t value);

/* The label of the sort at node; RC_NO when it is of a form we do not follow. */
enum rc scope_sort(struct scope *s, const struct sexpr *x, uint32_t node, uint32_t *out);

/* Whole commands; x is the command's expression. RC_NO: not understood, and uncacheable is set. */
/* (declare-fun NAME (SORT…) SORT); constant: (declare-const NAME SORT). */
enum rc scope_declare_fun(struct scope *s, const struct sexpr *x, bool constant);
enum rc scope_define_sort(struct scope *s, const struct sexpr *x);
/* Keeps the command's text in the context. */
void scope_note(struct scope *s, const struct sexpr *x);

/* The text of a subtree with single blanks, symbols quoted as they were. */
void scope_node_text(const struct sexpr *x, uint32_t node, struct buf *out);

#endif
