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

enum type_kind {
	TYPE_ANY,
	TYPE_NULL,
	TYPE_NONNULL,
	TYPE_INT,
	TYPE_DOUBLE,
	TYPE_STRING,
	TYPE_FUNCTION,
	TYPE_PROP,
	TYPE_PARAM,
	TYPE_REG,
};

struct int_range {
	const char *lo, *hi;            /* as written; hi NULL: just lo; "": open on this side */
	struct expr *lo_expr, *hi_expr; /* where it is more than a constant */
};

struct type_expr {
	enum type_kind kind;
	struct place at;
	const char *name;
	struct type_expr **args;
	size_t n_args;
	struct int_range *ranges; /* TYPE_INT, DOUBLE, STRING (its length), FUNCTION (names); none: any */
	size_t n_ranges;
	struct regtype *reg; /* TYPE_REG, after resolving */
	struct prop *prop;   /* TYPE_PROP */
	bool optional;       /* null | TYPE */
	size_t param;        /* TYPE_PARAM: its number */
};

enum field_kind { FIELD_PLAIN, FIELD_ARRAY, FIELD_MASKED, FIELD_CONTAINER, FIELD_RING, FIELD_RELATION };

struct field {
	enum field_kind kind;
	const char *path;     /* "u.add.l"; "this" is the node itself */
	struct expr *lo, *hi; /* FIELD_ARRAY: the elements */
	bool exclusive;       /* without hi */
	struct expr *mask;    /* FIELD_MASKED: the bits of the pointer */
	const char *member;   /* FIELD_CONTAINER, FIELD_RING: where the link lies in a node */
	struct expr *relation;
	struct type_expr *type; /* NULL: a relation */
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
	bool ring;              /* leads back to where it was entered */
	const char *tag, *mask; /* of a case; NULL: one arm without a tag */
	struct arm *arms;
	size_t n_arms;
	const char *source; /* the definition as written, blanks squeezed */
	struct place at, tag_at;
	const struct expr *unsure; /* a name that may be a field, where the definition of ctype was not found */
	struct regtype *next;
};

struct prop {
	const char *name, *ctype;
	bool local;
	struct place at;
	struct prop *next;
};

/* ---- expressions */

/* *t, t->root, q.head: stars before a name with a path after it */
struct term {
	unsigned stars;
	const char *base; /* an argument, "result", a field, "this", or any C constant */
	const char *path; /* "" or "->a.b" as written */
	const char *text; /* as written */
	struct place at;
};

enum expr_kind { E_NUMBER, E_PATH, E_MEASURE, E_OLD, E_UNARY, E_BINARY, E_COND, E_CALL };

struct expr {
	enum expr_kind kind;
	const char *op; /* an operator, a function, a number as written, or the name of a measure */
	struct expr *kid[3];
	struct term term; /* E_PATH, and what a measure is of */
	bool compares;    /* E_BINARY: == != < <= > >= */
	bool constant;    /* E_PATH: the name of a C constant, after resolving */
	const char *text; /* as written */
	struct place at;
};

struct measure {
	const char *name, *type;
	struct expr *null_value; /* of NULL; NULL: 0 */
	struct expr *value;
	struct regtype *reg; /* after resolving */
	unsigned index;      /* among those of its type */
	const char *text;
	struct place at;
	struct measure *next;
};

/* ---- predicates */

enum literal_kind { LIT_TRUE, LIT_TYPE, LIT_COMPARE };

struct literal {
	enum literal_kind kind;
	struct type_expr *type;
	struct term term;  /* LIT_TYPE */
	struct expr *expr; /* LIT_COMPARE */
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
	const char *unit; /* the only C file it is about; NULL: any */
	bool side;        /* from a side file: about the whole program */
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
	struct measure *measures, **measures_end;
	struct pred *preds, **preds_end;
	size_t n_nodes; /* budget on hostile input */
};

void annot_init(struct annot_set *s);
void annot_release(struct annot_set *s);

/* Reads statements from text[0 … n−1], which begins at `at`. Does not resolve names. */
enum rc annot_parse(struct annot_set *s, const char *text, size_t n, struct place at, struct err *e);
/* Is a comment ours: is its first word a keyword of the language? */
bool annot_is_ours(const char *text, size_t n);
/* A comment that is not ours but looks as if it was meant to be (`regtyp t : struct s = …`): an error. */
enum rc annot_near_miss(const char *text, size_t n, struct place at, struct err *e);
/* Is it true or false, rather than a number? */
bool annot_is_condition(const struct expr *x);

/* Whether a name is a field of a C type: 1, 0, or −1 without its definition. */
struct members {
	int (*is_member)(const void *arg, const char *ctype, const char *name);
	const void *arg;
	bool exact; /* the text is preprocessed: what is not found is not there */
};

/* After everything was read: names, arities, overlapping cases, duplicates. Definitions with the same text
 * (a header read twice) count once. */
enum rc annot_resolve(struct annot_set *s, const struct members *members, struct err *e);

/* The error at a name that may be a field of a C type without a definition. */
enum rc annot_unsure(struct err *e, const struct regtype *r, const struct expr *x);

/* An error at a place. */
enum rc annot_fail(struct err *e, struct place at, const char *fmt, ...) PRINTF_LIKE(3, 4);

#endif
