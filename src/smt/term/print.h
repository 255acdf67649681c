/* SPDX-License-Identifier: MIT */
/* Terms as SMT-LIB text. Shared subterms become nested lets, so the text is as long as the DAG, except below binders,
 * where terms with bound variables are written out each time. */
#ifndef SMT_TERM_PRINT_H
#define SMT_TERM_PRINT_H

#include "smt/term/dag.h"

struct printer {
	VEC(uint32_t) refs;   /* per term: references from the root; scratch */
	VEC(uint32_t) shared; /* terms that get a let, ascending */
	VEC(uint32_t) touched, todo;
	VEC(uint64_t) frame;
	size_t max_bytes; /* of one text; 0: 64 MB */
};

void printer_release(struct printer *p);

/* A symbol, in bars when it needs them. */
void print_symbol(struct buf *out, const char *name, size_t n);
/* Appends the closed term. RC_NO when it would be longer than max_bytes; out then holds a part of it. */
enum rc print_term(struct printer *p, struct buf *out, const struct terms *t, uint32_t root);
/* (declare-fun …) for every variable and function that the roots use. */
void print_declarations(struct printer *p, struct buf *out, const struct terms *t, const uint32_t *roots, size_t n);

#endif
