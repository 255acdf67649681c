/* SPDX-License-Identifier: MIT */
/* From files to a base and back: parsing, printing a variant, and parsing the minimum anew. */
#ifndef REDUCE_MODEL_LOAD_H
#define REDUCE_MODEL_LOAD_H

#include "data/buf.h"
#include "reduce/model/variant.h"

struct language;

struct source {
	const char *name; /* kept by reference */
	const char *text;
	size_t n;
	const struct language *language;
};

/* Parses the files; the minimum is the whole of them. The model must be all zeros; release with model_unload. */
enum rc model_load(struct model *m, const struct source *src, size_t n, struct err *e);
void model_unload(struct model *m);

/* Appends the text of one file of a variant. */
void model_print(const struct model *m, size_t file, const struct step *s, struct buf *out);
/* The same into an empty buffer, and where what stands in it: syntax_print_pieces, by the file's own tokens. */
struct syn_pieces;
void model_print_pieces(const struct model *m, size_t file, const struct step *s, struct buf *out,
			struct syn_pieces *pieces);
/* The same for the minimum. */
void model_print_minimum(const struct model *m, size_t file, struct buf *out);

/* Makes the minimum the base: prints and parses it (a bare model: drops what is gone). */
enum rc model_rebase(struct model *m, struct err *e);

/* How the files are read. */
enum grain {
	GRAIN_FINER,  /* those that are lines: as words */
	GRAIN_CHARS,  /* those that are worth it: by characters (language_by_chars) */
	GRAIN_COARSE, /* those that are read by characters: as before that */
};
/* Makes the minimum the base and reads the files by another grain. *changed: one of them was; else nothing happened.
 * Tokens of another grain have other symbols. */
enum rc model_regrain(struct model *m, enum grain to, bool *changed, struct err *e);
/* How many tokens the minimum of a file has in the language that it began as; comments are not counted. */
uint64_t model_file_tokens(const struct model *m, size_t file);

#endif
