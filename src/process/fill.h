/* SPDX-License-Identifier: MIT */
/* What a test finds in its scratch folder: files whose texts differ from test to test, and copies that are always the
 * same. Used wherever tests are run: by reduce itself and by workers. */
#ifndef PROCESS_FILL_H
#define PROCESS_FILL_H

#include "data/buf.h"
#include "data/err.h"

#include <stdbool.h>

/* What stands beside the files, the same in each test. */
struct fill_copy {
	const char *name;
	const char *link; /* not NULL: a symbolic link to that */
	unsigned mode;
	const struct buf *text;
};

struct fill {
	const char *const *names; /* of the files in the folder, may have folders */
	const unsigned *modes;    /* their permissions */
	size_t n_files;
	const struct fill_copy *copy;
	size_t n_copies;
};

/* Writes the files and the copies. Absent files (NULL: none is) are not there afterwards, even if an earlier test that
 * the folder was filled for had them. */
enum rc fill_folder(const struct fill *f, const char *dir, const struct buf *texts, const bool *absent, struct err *e);

/* Whether a folder that was filled can be filled again: no copies, and none of the files in a folder of its own. */
bool fill_flat(const struct fill *f);
/* Whether the test left the folder with just our files in it, none of them replaced or linked elsewhere. */
bool fill_clean(const struct fill *f, const char *dir);

#endif
