/* SPDX-License-Identifier: MIT */
/* The shortest texts of each kind of node: what something larger may become.
 *
 * They come from the program itself and from the language's *seed*, a tiny program that has the usual smallest
 * expressions, statements and types (snippets.c has the table). Both are parsed alike, so which text may stand where is
 * the grammar's answer, and a language without a seed works from its own programs. */
#ifndef REDUCE_MODEL_SNIPPETS_H
#define REDUCE_MODEL_SNIPPETS_H

#include "data/arena.h"
#include "reduce/model/variant.h"

enum snippet_sort { SNIPPET_OTHER, SNIPPET_NUMBER, SNIPPET_STRING };

struct snippet {
	const char *text;
	uint32_t len, tokens;
	uint16_t letter; /* what it is in the rule of a parent: see shapes in syntax.h */
	uint8_t sort; /* enum snippet_sort: grammars that call both a number and a string `literal` have some of each */
	bool seed;
};

/* The shortest first. */
struct snippets {
	VEC_FIELDS(struct snippet);
	struct arena arena;
};

void snippets_init(struct snippets *s, const struct syntax *x);
void snippets_release(struct snippets *s);

#endif
