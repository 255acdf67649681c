/* SPDX-License-Identifier: MIT */
/* From expressions to terms: let, macros and :named are dissolved, binders become de Bruijn indices, literals get one
 * spelling. An explicit stack of frames: the depth of the input costs memory, not stack. */
#ifndef SMT_TERM_BUILD_H
#define SMT_TERM_BUILD_H

#include "smt/term/scope.h"

struct build_binding {
	uint32_t symbol, before; /* the binding it hides */
	uint32_t term;           /* let: the term; TERM_NONE: a quantifier's variable */
	uint32_t depth;          /* binders around the binding */
	bool used;
};

struct build_frame {
	const struct sexpr *x;
	uint32_t cur, end; /* nodes still to do */
	uint32_t values;   /* where its values start */
	uint32_t bindings; /* where its bindings start */
	uint32_t barrier;  /* bindings before this one are out of sight */
	uint32_t label;    /* of the application or binder; the macro's number */
	uint32_t n;        /* how many variables it binds; the node of the list of bindings */
	uint8_t kind, phase;
};

struct builder {
	struct scope *scope;
	VEC(struct build_frame) frame;
	VEC(uint32_t) value;
	VEC(struct build_binding) binding;
	VEC(uint32_t) names;  /* symbols of :named terms met, in order */
	VEC(uint32_t) unused; /* terms that were given a local name nobody uses: they are in no other term */
	uint32_t barrier, depth, in_macro;
	uint64_t macro_steps; /* in the term built last; 0: no macro was met */
	bool attributes;      /* it has attributes besides :named */
	struct buf scratch;
};

void builder_init(struct builder *b, struct scope *s);
void builder_release(struct builder *b);

/* The term at node. RC_NO: something in it is of a form we do not follow (nothing was declared but what :named
 * attributes before it say). */
enum rc builder_term(struct builder *b, const struct sexpr *x, uint32_t node, uint32_t *out);

/* (define-fun NAME ((x S)…) S BODY); constant: (define-const NAME S BODY). RC_NO: not understood, and the scope's
 * uncacheable is set. */
enum rc builder_define_fun(struct builder *b, const struct sexpr *x, bool constant);

#endif
