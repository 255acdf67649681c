/* SPDX-License-Identifier: MIT */
/* From C files with annotations to C with contracts. */
#ifndef CHECK_CONTRACTS_H
#define CHECK_CONTRACTS_H

#include "data/buf.h"
#include "data/strings.h"

struct macro_source; /* check/macros.h */

/* `refrain check compile`: checkers and wrappers (__wrap_F, for ld --wrap=F) of the annotations in files and side
 * files, as a C file that includes the files. functions gets the names of the wrapped functions, with a
 * blank between two. */
enum rc contracts_compile(const struct strings *files, const struct strings *side, struct buf *out,
			  struct buf *functions, struct err *e);

/* A preprocessed C text. */
struct transform_input {
	const struct buf *text;
	const char *name;                  /* of the file, for messages */
	const struct strings *side;        /* side files; NULL: none */
	const struct macro_source *macros; /* what names in annotations stand for; NULL: no macros */
};

/* `refrain check cc`: renames the definitions of annotated functions in the text and adds wrappers under their names
 * and the checkers they need after it. *changed is false, and out empty, when there is nothing to do. */
enum rc contracts_transform(const struct transform_input *in, struct buf *out, bool *changed, struct err *e);

/* The functions that side files have contracts for: PLACE and NAME by turns, which the caller frees. */
enum rc contracts_promised(const struct strings *side, struct strings *out, struct err *e);

/* A preprocessed C++ text: an error if it has contracts, which would not be checked. */
enum rc contracts_refuse_cxx(const struct buf *text, const char *name, struct err *e);

#endif
