/* SPDX-License-Identifier: MIT */
/* What a failed test printed, read as a compiler's errors: where each stands in the tested text, and the names it
 * quotes. Passes use it as a hint (`--read-errors`): what is named was needed, what stands there needed something. A
 * hint that is wrong or missing costs questions, never the result.
 *
 * Read are the usual forms: `file:line:column: error: …` (gcc, clang, go, javac, zig, swift, kotlin …),
 * `file(line,column): error …` (tsc, C#), rustc's `error: …` with `--> file:line:column` below it, undefined
 * references of a linker, and `…Error: …` of interpreters. Any text may come in: reading is bounded. */
#ifndef REDUCE_MODEL_COMPLAINTS_H
#define REDUCE_MODEL_COMPLAINTS_H

#include "data/arena.h"
#include "reduce/model/names.h"
#include "reduce/model/variant.h"

#define COMPLAINT_NOWHERE UINT32_MAX

struct complaint {
	struct name path;      /* as printed; empty: none */
	uint32_t line, column; /* from 1; 0: not said */
	uint32_t token;        /* complaints_place: base token, or COMPLAINT_NOWHERE */
	uint32_t word, n_words;
	uint64_t message; /* hash of its text, without the place */
};

struct complaints {
	VEC_FIELDS(struct complaint);
	VEC(struct name) words;
	struct arena arena;
};

/* NULL when there are none. */
struct complaints *complaints_read(const char *text, size_t n);
void complaints_free(struct complaints *c);
/* Takes out those whose message is in usual (may be NULL): what is said about an interesting text too is no reason. */
void complaints_except(struct complaints *c, const struct complaints *usual);
/* Finds the base tokens, in the text that the step makes of m's files. Line markers of a preprocessor are obeyed. */
void complaints_place(struct complaints *c, const struct model *m, const struct step *s);

#endif
