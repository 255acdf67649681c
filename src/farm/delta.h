/* SPDX-License-Identifier: MIT */
/* The files of one test as texts, whole or as a difference against texts that both sides have. A variant of a large
 * program differs from it in few places: the difference is tens of bytes. docs/protocol.md has the encoding. */
#ifndef FARM_DELTA_H
#define FARM_DELTA_H

#include "data/buf.h"

#include <stdbool.h>

struct texts {
	struct buf *text; /* n of them */
	bool *absent;
	size_t n;
};

void texts_init(struct texts *t, size_t n);
void texts_release(struct texts *t);
void texts_copy(struct texts *t, const struct buf *text, const bool *absent); /* absent NULL: none is */

/* Whole. Reading: RC_INPUT for what is not well formed, has another number of files or is larger than `most` bytes. */
void texts_write(struct buf *out, const struct texts *t);
enum rc texts_read(struct texts *t, const void *bytes, size_t n, size_t most, struct err *e);

/* Appends what makes `text` of base. */
void delta_write(struct buf *out, const struct texts *base, const struct buf *text, const bool *absent);
/* Makes t of base and a difference, with the same bounds as texts_read. */
enum rc delta_read(struct texts *t, const struct texts *base, const void *bytes, size_t n, size_t most, struct err *e);

#endif
