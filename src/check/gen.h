/* SPDX-License-Identifier: MIT */
/* C from annotations: a specialised checker for each instance of a regular type and a wrapper for each function. */
#ifndef CHECK_GEN_H
#define CHECK_GEN_H

#include "check/annot.h"
#include "check/csource.h"

/* A regular type with its parameters filled in. */
struct instance {
	const struct regtype *reg;
	struct type_expr **args; /* closed: without parameters */
	const char *text;        /* "list(int(0..9))" */
};

struct gen {
	struct annot_set *set;
	VEC(struct instance) instances;
	struct buf code; /* functions; gen_types writes the declarations that go before them */
	struct err *e;
	bool exported; /* each type also gets the public name rf_type_NAME */
};

void gen_init(struct gen *g, struct annot_set *set, struct err *e);
void gen_release(struct gen *g);

/* The number of a type's instance, made when first asked for; gen_types makes those it refers to. −1: error. */
long gen_instance(struct gen *g, const struct type_expr *closed);
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
/* v is in one of the ranges, as a C condition. */
void gen_ranges_test(struct buf *b, const char *v, const struct int_range *r, size_t n);

#endif
