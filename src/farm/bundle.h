/* SPDX-License-Identifier: MIT */
/* A test with all it needs, as one string of bytes: the program or shell command, the names of the files it
 * looks at, and what stands beside them. Its name is the SHA-256 of the bytes. A bundle that is read is safe to
 * unpack: no name leads out of the folder, none is there twice, none stands below a link. */
#ifndef FARM_BUNDLE_H
#define FARM_BUNDLE_H

#include "process/fill.h"

struct bundle {
	char *command;      /* a shell command, or NULL and */
	struct buf program; /* the bytes of a program */
	struct fill fill;
	/* what fill points to */
	char **names;
	unsigned *modes;
	struct fill_copy *copies;
	struct buf *copy_texts;
};

/* Appends a bundle. */
void bundle_write(struct buf *out, const char *command, const struct buf *program, const struct fill *fill);
/* RC_INPUT for what is not well formed or not safe. Release it in any case. */
enum rc bundle_read(struct bundle *b, const void *bytes, size_t n, struct err *e);
void bundle_release(struct bundle *b);

#endif
