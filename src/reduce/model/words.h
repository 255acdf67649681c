/* SPDX-License-Identifier: MIT */
/* The names of a base: identifiers by their text, through all files, with the places where they stand. Keywords and
 * literals are not names. There are no scopes: two variables of one name are one word, and so are `%x` and `x:`. */
#ifndef REDUCE_MODEL_WORDS_H
#define REDUCE_MODEL_WORDS_H

#include "reduce/model/variant.h"

struct word {
	const char *text;
	uint32_t len;
	uint32_t first, n; /* in place[] */
	uint16_t kind;     /* what the grammar calls it where it stands first */
};

struct word_place {
	uint32_t token; /* base token */
	uint32_t node;  /* its leaf, in the file's syntax */
	uint32_t file;
	uint16_t kind;
	uint8_t before, after; /* bytes of the token around the name: `%`x, x`:` */
	bool import;           /* the last part of the path that is imported: it can go, but not change */
};

/* Words in the order in which they come, places in text order. */
struct words {
	VEC_FIELDS(struct word);
	VEC(struct word_place) place;
};

void words_init(struct words *w, const struct model *m);
/* The text (for the caller to free) and the symbol of a place whose name becomes another. */
char *words_text(const struct model *m, const struct word_place *p, const char *name, size_t len, size_t *out_len);
uint32_t words_symbol(struct model *m, const struct word_place *p, const char *name, size_t len);
void words_release(struct words *w);

#endif
