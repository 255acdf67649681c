/* SPDX-License-Identifier: MIT */
/* The cache as C source. */
#ifndef PROFILE_CODE_H
#define PROFILE_CODE_H

#include "profile/suggest/key.h"

/* What stands above the function: its table, and how to empty it. */
void code_table(struct buf *b, const struct profile_function *f);
/* What stands behind its opening brace. */
void code_body(struct buf *b, const struct profile *p, const struct profile_function *f, const struct types_function *t,
	       const struct key *k);

#endif
