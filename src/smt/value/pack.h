/* SPDX-License-Identifier: MIT */
/* Values as bytes: a fifth of what they take as text, and read back without parsing. */
#ifndef SMT_TERM_PACK_H
#define SMT_TERM_PACK_H

#include "smt/value/value.h"

static inline void pack_u32(struct buf *out, uint32_t x)
{
	buf_add(out, (const char *)&x, sizeof x);
}

static inline uint32_t unpack_u32(const char **at)
{
	uint32_t x;
	__builtin_memcpy(&x, *at, sizeof x);
	*at += sizeof x;
	return x;
}

/* Appends the value; VALUE_NONE is a value too. False, and nothing appended: an array whose cells are not all of
 * one sort. */
bool pack_value(struct buf *out, const struct value *v);
/* Reads what pack_value wrote; arrays and wide values are made in mem. Returns the place behind it. */
const char *unpack_value(struct arena *mem, const char *at, struct value *out);

#endif
