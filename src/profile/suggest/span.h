/* SPDX-License-Identifier: MIT */
/* Data of which calls read, or write, more or fewer bytes: as many as another value says (a length, a number of
 * elements), or up to a NUL that ends a text inside a structure. */
#ifndef PROFILE_SPAN_H
#define PROFILE_SPAN_H

#include "profile/names.h"

#include <stdbool.h>

struct maker;

struct span {
	uint32_t pointer, length; /* nodes: what it hangs on, what says how long it is; length 0: a NUL does */
	unsigned from, extra;     /* bytes behind the pointer: it begins at from, and ends at extra + scale * length */
	unsigned scale, most;     /* most: the longest that has room */
	unsigned first, bytes;    /* of the length's 8 bytes, those it is made of */
	bool written;             /* an output */
};

enum { SPANS = 32 };

/* Finds them in the rows; what they cover is no place of its own from then on. */
void span_find(struct maker *m);
/* Does a row read it, or write it? One of length zero does. */
bool span_used(const struct maker *m, const struct span *s, uint32_t row);
/* The span that covers a node, as input or as output; NULL: none. */
const struct span *span_of(const struct maker *m, uint32_t node, bool written);
/* "size bytes", for people. */
void span_extent(const struct names *n, const struct span *s, struct buf *out);

#endif
