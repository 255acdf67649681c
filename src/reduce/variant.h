/* What is being reduced, and what a step of the reduction is.
 *
 * A *base* is one parse of all the files: their tokens, numbered 0 … n_tokens−1 through all files, each with a symbol
 * (equal symbols = equal tokens, in every base of a run). The *minimum* is the smallest interesting program so far: the
 * base without the tokens that were deleted since it was parsed. An *edit* is one candidate step: spans of base tokens
 * to delete (what is already gone may lie inside) and, rarely, tokens that get another text. When a round of passes is
 * over the minimum is printed, parsed again and becomes the next base; passes start afresh on it.
 *
 * Passes speak in base tokens, because their trees do. The engine and the caches speak in *places*: positions 0 … n−1 in
 * the minimum; rank[] maps one to the other in constant time. */
#ifndef REDUCE_VARIANT_H
#define REDUCE_VARIANT_H

#include "core/buf.h"
#include "core/err.h"
#include "core/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct syntax;

/* from … to−1, of base tokens or of places. */
struct span {
	uint32_t from, to;
};
struct spans {
	VEC_FIELDS(struct span);
};

/* Base token `token` gets the text of symbol `sym` (model_symbol makes one). */
struct rewrite {
	uint32_t token, sym;
};
struct rewrites {
	VEC_FIELDS(struct rewrite);
};

struct edit {
	struct spans remove;     /* in any order, may overlap, may cover deleted tokens */
	struct rewrites rewrite; /* of tokens that stay; at most one a token */
};

void edit_clear(struct edit *e);
void edit_release(struct edit *e);
/* Appends from … to−1; an empty span is left out. */
void edit_remove(struct edit *e, uint32_t from, uint32_t to);
void edit_rewrite(struct edit *e, uint32_t token, uint32_t sym);
void edit_copy(struct edit *to, const struct edit *from);

struct base_file {
	const char *name;
	struct syntax *syntax; /* its tokens and tree; local token i is base token first + i */
	uint32_t first, n;
};

struct symbols;

struct model {
	/* the base */
	struct base_file *file;
	size_t n_files;
	uint32_t n_tokens;
	uint32_t *sym; /* of each base token, rewrites included */
	/* the minimum */
	uint32_t *rank; /* n_tokens + 1 of them: how many tokens of the minimum stand before base token i */
	uint32_t n;     /* tokens in the minimum = rank[n_tokens] */
	uint64_t epoch; /* counts bases */
	uint64_t version; /* counts minima */
	struct symbols *symbols;
};

/* Whether base token i is in the minimum; how many of from … to−1 are. */
static inline bool model_has(const struct model *m, uint32_t i)
{
	return m->rank[i + 1] != m->rank[i];
}
static inline uint32_t model_count(const struct model *m, uint32_t from, uint32_t to)
{
	return m->rank[to] - m->rank[from];
}
/* The current text of base token i. */
const char *model_text(const struct model *m, uint32_t i, size_t *len);
/* The symbol of that text as a token that may stand in place of base token i. */
uint32_t model_symbol(struct model *m, uint32_t i, const char *text, size_t len);

#endif
