/* SPDX-License-Identifier: MIT */
/* A file that appears under its name only when it is complete.
 *
 * Bytes go to a file without a name in the same folder (O_TMPFILE), so that a process that is killed leaves nothing
 * behind; where the file system or the lack of /proc does not allow that, to a temporary file beside it. newfile_commit
 * gives it the name. Pipes and devices are written directly. An existing file keeps its mode and, where we may set it,
 * its owner; a symbolic link is followed. */
#ifndef DATA_NEWFILE_H
#define DATA_NEWFILE_H

#include "data/err.h"

#include <stdbool.h>

struct newfile {
	int fd;       /* write here */
	char *path;   /* as the caller named it, for messages */
	char *target; /* links resolved; NULL: written directly */
	char *temp;   /* its name until the commit; NULL: it has none */
};

/* mode is used for a file that does not exist yet. On failure (RC_ENV) there is nothing to release. */
enum rc newfile_create(struct newfile *f, const char *path, unsigned mode, struct err *e);
/* Gives the file its name, after fsync if sync is set, and releases f. On failure nothing appears under the name. */
enum rc newfile_commit(struct newfile *f, bool sync, struct err *e);
/* Gives up and releases f. */
void newfile_abandon(struct newfile *f);

#endif
