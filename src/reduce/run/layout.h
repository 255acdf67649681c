/* SPDX-License-Identifier: MIT */
/* Which files a run is about and where they stand in the scratch folder.
 *
 * One file stands there under its own name. With several operands, or a folder, the layout is kept: paths are relative
 * to the current folder if all operands are below it, else to the deepest folder that holds them all. A folder stands
 * for the files in it, in the order of their names; version control's folders, FILE.orig, FILE.refrain and the test
 * itself are left out. A symbolic link inside a folder is made again as it is if it leads to something inside; a copy
 * of a file outside stands in its place. */
#ifndef REDUCE_RUN_LAYOUT_H
#define REDUCE_RUN_LAYOUT_H

#include "data/buf.h"
#include "data/err.h"
#include "data/strings.h"

#include <stdbool.h>

struct layout_file {
	char *path; /* as given, or below the folder as given */
	char *name; /* in the scratch folder */
	bool link;  /* a symbolic link, made again as it is */
	bool copy;  /* stands beside the files that are reduced: --with, or a link that leads elsewhere */
	bool gone;  /* resumed: an earlier run dropped it, only its original is there */
};

struct layout {
	struct {
		VEC_FIELDS(struct layout_file);
	} file;
	bool kept;  /* names are paths */
	char *root; /* kept: what they are relative to */
};

struct layout_spec {
	const char *const *operand;
	size_t n;
	const struct strings *with; /* may be NULL */
	const char *test;           /* may be NULL */
	bool resume;
};

enum rc layout_make(struct layout *l, const struct layout_spec *spec, struct err *e);
void layout_release(struct layout *l);

#endif
