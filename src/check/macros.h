/* SPDX-License-Identifier: MIT */
/* Names in annotations that are macros of the user's program. The preprocessor expands nothing in comments, and
 * checkers are appended to preprocessed text, where no macro is left: the constants become enumerators there. */
#ifndef CHECK_MACROS_H
#define CHECK_MACROS_H

#include "check/gen/gen.h"
#include "data/buf.h"
#include "data/strings.h"

/* What the names stand for at the end of the user's file: one value per name, the name itself if it is not a macro.
 * The strings belong to the arena. */
struct macro_source {
	enum rc (*expand)(void *arg, const struct strings *names, struct arena *arena, struct strings *values,
			  struct err *e);
	void *arg;
};

/* Appends the declarations that the checkers and wrappers of g need. */
enum rc macros_declare(const struct gen *g, const struct macro_source *source, struct buf *out, struct err *e);

#endif
