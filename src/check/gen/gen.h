/* SPDX-License-Identifier: MIT */
/* C from annotations: a specialised checker for each instance of a regular type and a wrapper for each function. */
#ifndef CHECK_GEN_H
#define CHECK_GEN_H

#include "check/source/annot.h"
#include "check/source/csource.h"

/* What was found out about an instance while its functions were written. */
struct instance_notes {
	struct buf flags; /* C constants that are or-ed into the descriptor's flags, each followed by " | " */
	struct buf spans; /* fields that the nodes above read, each "{offset, size}, " */
	struct buf read;  /* the same as names: part of what identifies the type */
	bool after;       /* has relations to other nodes, or measures, or contains by value what has them */
	bool dynamic;     /* the number of edges is not bounded by the C type */
};

/* A regular type with its parameters filled in. */
struct instance {
	const struct regtype *reg;
	struct type_expr **args; /* closed: without parameters */
	const char *text;        /* "list(int(0..9))" */
	struct instance_notes *notes;
};

struct gen {
	struct annot_set *set;
	VEC(struct instance) instances;
	struct buf code; /* functions; gen_types writes the declarations that go before them */
	struct err *e;
	bool exported;               /* each type gets the public name rf_type_NAME */
	bool weak;                   /* … in every file that uses it */
	const struct csource *files; /* where the C types are defined */
	size_t n_files;
};

void gen_init(struct gen *g, struct annot_set *set, struct err *e);
void gen_release(struct gen *g);

/* The number of a type's instance, made when first asked for; gen_types makes those it refers to. −1: error. */
long gen_instance(struct gen *g, const struct type_expr *closed);
/* t with its parameters filled in; args: of the regtype in which it was written. */
struct type_expr *gen_close(struct gen *g, struct type_expr *t, struct type_expr *const *args);
/* Calls learn for each field that leads to another instance, until it says true (something new) of none. */
void gen_spread(struct gen *g, bool (*learn)(struct instance *in, const struct field *f, const struct instance *to));
/* Writes the checkers of all instances. */
enum rc gen_types(struct gen *g, struct buf *out);

/* Appends the wrapper of a function to g->code: all its predicates together, after the paper's Example 1. real and
 * wrapper are the names of the function itself and of the wrapper. */
enum rc gen_wrapper(struct gen *g, const char *function, const struct cfunction *f, const char *real,
		    const char *wrapper);

/* "int f(char * rf_a0, int rf_a1)": the parameters named by param and a number; NULL: without names. */
void gen_prototype(struct buf *b, const struct cfunction *f, const char *name, const char *param);

/* A C string literal. */
void gen_string(struct buf *b, const char *s);
/* What follows belongs to a place of the user's file: the C compiler's messages point there. gen_nowhere ends that. */
void gen_at(struct buf *b, struct place at);
void gen_nowhere(struct buf *b);

/* What the C source says about a field of the type; MEMBER_UNKNOWN without its definition. */
enum cmember gen_member(const struct gen *g, const char *ctype, const char *path);

/* ---- expressions (expr.c) */

/* Where an expression stands: in a regular type (in and arm, the names are fields) or in a predicate (term). */
struct gen_scope {
	struct gen *g;
	const struct instance *in;
	const struct arm *arm; /* whose fields are edges; NULL: those of any arm, in a measure */
	bool after;            /* nodes below were looked at: their fields and measures may be read */
	void *arg;             /* predicates: the term as C into value, what must be readable into valid */
	enum rc (*term)(void *arg, const struct expr *x, struct buf *value, struct buf *valid);
	struct buf present; /* pointers that must not be NULL for it to mean something: "a && b", or empty */
	struct buf valid;   /* what must hold for it to be evaluated at all */
};

void gen_scope_release(struct gen_scope *s);
/* The expression as C. Uses a variable rf_bad of the surrounding code, set when it has no value. */
enum rc gen_expr(struct gen_scope *s, const struct expr *x, struct buf *out);
/* The fields of the node itself that it reads, as spans. */
void gen_expr_spans(const struct gen *g, const struct regtype *r, const struct expr *x, struct buf *out);
void gen_span(const struct gen *g, const struct regtype *r, const char *path, bool number, struct buf *out);
/* Does it read other nodes? */
bool gen_reads_others(const struct expr *x);

/* v is in one of the ranges, as a C condition. s: for bounds that are fields. */
enum rc gen_ranges_test(struct gen_scope *s, struct buf *b, const char *v, const struct int_range *r, size_t n);
/* "0 or 1", "3..5, 7 or 9" */
void gen_ranges_text(struct buf *b, const struct int_range *r, size_t n, bool integers);

/* ---- the fields of a type (fields.c) */

enum what { SCAN, EXPLAIN, COUNT };

enum rc gen_field(struct gen *g, const struct instance *in, const struct arm *arm, const struct field *f,
		  enum what what, struct buf *b);
/* Spans, references and the bound on edges of one field. */
enum rc gen_field_tables(struct gen *g, const struct instance *in, const struct field *f, struct buf *spans,
			 struct buf *refs, struct buf *edges);
/* "the field is a pointer": a C constant, or "1" for a flexible array member. of: "rf_x" or "((T *)0)". */
void gen_outside(const struct gen *g, const struct regtype *r, const struct field *f, const char *of, struct buf *b);

/* ---- what depends on the nodes below (after.c) */

/* Sets notes->after and notes->flags of all instances; to be called when no instance is added any more. */
void gen_after_notes(struct gen *g);
enum rc gen_after(struct gen *g, size_t k, struct buf *b);
/* The measures of a regular type. */
size_t gen_measures(const struct gen *g, const struct regtype *r);

#endif
