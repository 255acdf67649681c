/* SPDX-License-Identifier: MIT */
/* From C files with annotations to C with contracts. */
#ifndef CHECK_CONTRACTS_H
#define CHECK_CONTRACTS_H

#include "data/buf.h"
#include "data/strings.h"

struct macro_source; /* check/macros.h */

/* `refrain check compile`: checkers and wrappers (__wrap_F, for ld --wrap=F) of the annotations in files and side
 * files, as a C file that includes the files. functions gets the names of the wrapped functions (pointers into
 * memory that *keep owns, freed by the caller). */
enum rc contracts_compile(const struct strings *files, const struct strings *side, struct buf *out,
			  struct buf *functions, struct err *e);

/* `refrain check cc`: renames the definitions of annotated functions in a preprocessed text and adds wrappers under
 * their names, with the checkers they need, behind it. macros (NULL: there are none) tells what names in
 * annotations stand for. *changed is false, and out empty, when there is nothing to do. */
enum rc contracts_transform(const struct buf *text, const char *name, const struct strings *side,
			    const struct macro_source *macros, struct buf *out, bool *changed, struct err *e);

#endif
