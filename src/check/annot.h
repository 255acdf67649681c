/* SPDX-License-Identifier: MIT */
/* The annotation language: regular types, properties and predicates on C functions.
 *
 *	regtype [shared] NAME [(PARAM, …)] : CTYPE = [null |] BODY ;
 *	prop NAME (CTYPE) [local] ;
 *	pred FUNCTION (ARG, …) [: FORMULA] [=> FORMULA] ;
 *
 *	BODY     { FIELD : TYPE, … } or case FIELD [& MASK] { TAG | TAG … : { … }, … }
 *	FORMULA  literals with , (and) ; (or) ( )
 *
 * A literal is TYPE(TERM), or a comparison of terms. Everything keeps its place in the source, for messages. All memory
 * is in the arena of struct annot_set. */
#ifndef CHECK_ANNOT_H
#define CHECK_ANNOT_H

#include "data/arena.h"
#include "data/buf.h"
#include "data/err.h"

#include <stdbool.h>

struct place {
	const char *file;
	long line, col;
};

/* ---- types as written */

enum type_kind { TYPE_ANY, TYPE_NULL, TYPE_NONNULL, TYPE_INT, TYPE_PROP, TYPE_PARAM, TYPE_REG };

struct int_range {
	const char *lo, *hi; /* C constants as written; hi NULL: just lo */
};

struct type_expr {
	enum type_kind kind;
	struct place at;
	const char *name;
	struct type_expr **args;
	size_t n_args;
	struct int_range *ranges; /* TYPE_INT; none: any integer */
	size_t n_ranges;
	struct regtype *reg; /* TYPE_REG, after resolving */
	struct prop *prop;   /* TYPE_PROP */
	size_t param;        /* TYPE_PARAM: its number */
};

struct field {
	const char *path;    /* "u.add.l"; "this" is the node itself */
	const char *lo, *hi; /* elements of an array at the end of path; NULL: none */
	bool hi_is_field;    /* hi names a field of the same node (written this.NAME) */
	struct type_expr *type;
	struct place at;
};

struct arm {
	struct int_range *tags; /* none: default */
	size_t n_tags;
	struct field *fields;
	size_t n_fields;
	struct place at;
};

struct regtype {
	const char *name;
	const char **params;
	size_t n_params;
	const char *ctype;
	bool shared, nullable;
	const char *tag, *mask; /* of a case; NULL: one arm without a tag */
	struct arm *arms;
	size_t n_arms;
	const char *source; /* the definition as written, blanks squeezed */
	struct place at, tag_at;
	struct regtype *next;
};

struct prop {
	const char *name, *ctype;
	bool local;
	struct place at;
	struct prop *next;
};

/* ---- predicates */

/* *t, t->root, q.head: stars before a name with a path after it */
struct term {
	unsigned stars;
	const char *base; /* an argument, "result", or (in comparisons) any C constant */
	const char *path; /* "" or "->a.b" as written */
	const char *text; /* as written */
	struct place at;
};

enum literal_kind { LIT_TRUE, LIT_TYPE, LIT_COMPARE };

struct literal {
	enum literal_kind kind;
	struct type_expr *type;
	struct term term, right;
	const char *op;
	const char *text;
	struct place at;
};

enum formula_kind { F_LITERAL, F_AND, F_OR };

struct formula {
	enum formula_kind kind;
	struct literal *literal;
	struct formula **kids;
	size_t n_kids;
};

struct pred {
	const char *function;
	const char **args;
	size_t n_args;
	struct formula *pre, *post; /* NULL: none */
	const char *text;
	struct place at;
	struct pred *next;
};

struct annot_set {
	struct arena arena;
	struct regtype *regtypes, **regtypes_end;
	struct prop *props, **props_end;
	struct pred *preds, **preds_end;
	size_t n_nodes; /* budget on hostile input */
};

void annot_init(struct annot_set *s);
void annot_release(struct annot_set *s);

/* Reads statements from text[0 … n−1], which begins at `at`. Does not resolve names. */
enum rc annot_parse(struct annot_set *s, const char *text, size_t n, struct place at, struct err *e);
/* Is a comment ours: is its first word a keyword of the language? */
bool annot_is_ours(const char *text, size_t n);

/* After everything was read: names, arities, overlapping cases, duplicates. Definitions with the same text
 * (a header read twice) count once. */
enum rc annot_resolve(struct annot_set *s, struct err *e);

/* An error at a place. */
enum rc annot_fail(struct err *e, struct place at, const char *fmt, ...) PRINTF_LIKE(3, 4);

#endif
