/* SPDX-License-Identifier: MIT */
/* What is being reduced, and what a step of the reduction is.
 *
 * A *base* is one parse of all the files: their tokens, numbered 0 … n_tokens−1 through all files, each with a
 * symbol (equal symbols = equal tokens, in every base of a run). The *minimum* is the smallest interesting program
 * so far: the base without the tokens that were deleted since it was parsed. An *edit* is one candidate step: spans
 * of base tokens to delete (what is already gone may lie inside) and, rarely, tokens that get another text. When a
 * round of passes is over the minimum is printed, parsed again and becomes the next base; passes start afresh on
 * it.
 *
 * Passes speak in base tokens, because their trees do. The engine and the caches speak in *places*: positions 0 …
 * n−1 in the minimum; rank[] maps one to the other in constant time. */
#ifndef REDUCE_MODEL_VARIANT_H
#define REDUCE_MODEL_VARIANT_H

#include "data/buf.h"
#include "data/err.h"
#include "data/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct language;
struct syntax;

/* from … to−1, of base tokens or of places. */
struct span {
	uint32_t from, to;
};
/* Sorted, disjoint, not touching and not empty, unless said otherwise. */
struct spans {
	VEC_FIELDS(struct span);
};

/* Base token (or place) `token` gets the text of symbol `sym` (model_symbol makes one). */
struct rewrite {
	uint32_t token, sym;
};
struct rewrites {
	VEC_FIELDS(struct rewrite);
};

struct edit {
	struct spans remove;     /* in any order, may overlap, may cover deleted tokens */
	struct rewrites rewrite; /* of tokens that stay; at most one per token */
};

void edit_clear(struct edit *e);
void edit_release(struct edit *e);
/* Appends from … to−1; an empty span is left out. */
void edit_remove(struct edit *e, uint32_t from, uint32_t to);
void edit_rewrite(struct edit *e, uint32_t token, uint32_t sym);
/* Appends all of more. */
void edit_add(struct edit *e, const struct edit *more);
struct model;
/* The deletions that make n symbols of the minimum; false when they are no subsequence of it. */
bool edit_embed(struct edit *e, const struct model *m, const uint32_t *sym, uint32_t n);

struct base_file {
	const char *name;
	struct syntax *syntax; /* its tokens and tree; local token i is base token first + i; NULL in a bare model */
	bool tree;             /* it has a tree */
	const struct language *language, *coarse; /* it began as; it is when it is not read by characters */
	const struct language *finest;            /* its characters, or bytes */
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
	uint32_t *rank;            /* n_tokens + 1 of them: how many tokens of the minimum stand before base token i */
	uint32_t n;                /* tokens in the minimum = rank[n_tokens] */
	uint32_t *min;             /* its symbols */
	struct spans gone;         /* base tokens that are not in it */
	struct rewrites rewritten; /* base tokens in it that have another text than in the base, ascending */
	uint32_t *guard;  /* NULL, or n_tokens + 1: how many protected tokens (--keep) stand before base token i */
	uint64_t version; /* counts minima */
	struct symbols *symbols;
};

/* A bare model over given symbols (tests, in-process use): one file, no syntax, no symbol table. */
void model_init(struct model *m, const uint32_t *sym, uint32_t n);
/* The base's arrays are filled (file, sym, n_tokens); the minimum becomes the whole base. */
void model_reset_minimum(struct model *m);
/* Makes the minimum of a bare model its base. */
void model_compact(struct model *m);
void model_release(struct model *m);

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

/* What an edit makes of the minimum, in places: for the caches, the printer and the oracle. */
struct variant {
	const uint32_t *min; /* the minimum's symbols */
	uint32_t n_min;
	const struct span *gap; /* places left out */
	size_t n_gaps;
	uint32_t n;                    /* places kept */
	const struct rewrite *rewrite; /* of kept places, ascending */
	size_t n_rewrites;
};

/* An edit brought into order against one version of the minimum. */
struct step {
	struct spans gone;       /* base tokens missing from the variant, those of the minimum included */
	struct spans gaps;       /* places missing */
	struct rewrites rewrite; /* base tokens, ascending, those that change something */
	struct rewrites placed;  /* the same by place */
	uint32_t n;              /* tokens kept */
};

/* False when the edit changes nothing. */
bool step_make(struct step *s, const struct model *m, const struct edit *e);
void step_release(struct step *s);
/* Valid while s and the minimum are unchanged. */
struct variant step_variant(const struct step *s, const struct model *m);
/* The variant becomes the minimum. */
void model_apply(struct model *m, const struct step *s);

/* Whether two variants of the same minimum are the same text. Costs what is left out and the way to the first
 * difference. */
bool variant_same(const struct variant *a, const struct variant *b);
/* The symbols of v, written to out (v->n of them). */
void variant_symbols(const struct variant *v, uint32_t *out);

/* Walkers: the minimum, and a step made against it. */
#ifdef RF_INVARIANTS
void model_check(const struct model *m);
void step_check(const struct step *s, const struct model *m);
#else
#define model_check(m) ((void)(m))
#define step_check(s, m) ((void)(s), (void)(m))
#endif

#endif
