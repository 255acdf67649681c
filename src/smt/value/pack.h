/* SPDX-License-Identifier: MIT */
/* Values as bytes: a fifth of what they take as text, and read back without parsing. */
#ifndef SMT_TERM_PACK_H
#define SMT_TERM_PACK_H

#include "smt/value/value.h"

/* Appends the value; VALUE_NONE is a value too. False, and nothing appended: an array whose cells are not all of
 * one sort. */
bool pack_value(struct buf *out, const struct value *v);
/* Reads what pack_value wrote; arrays and wide values are made in mem. Returns the place behind it. */
const char *unpack_value(struct arena *mem, const char *at, struct value *out);

#endif
