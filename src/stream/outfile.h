/* SPDX-License-Identifier: MIT */
/* A file that appears under its name only when it is complete: bytes go to a temporary file beside it, which takes
 * the name when closed well. Pipes, devices and "-" (standard output) are written directly. An existing file keeps its
 * mode; a symbolic link is followed. */
#ifndef STREAM_OUTFILE_H
#define STREAM_OUTFILE_H

#include "data/err.h"

#include <stddef.h>

struct outfile;

enum rc outfile_create(struct outfile **out, const char *path, struct err *e);
/* Buffered; the first error is kept, outfile_close reports it. False once there is one. */
_Bool outfile_write(struct outfile *o, const void *p, size_t n);
/* Frees o in any case; on failure nothing appears under the name. */
enum rc outfile_close(struct outfile *o, struct err *e);
/* Gives up: removes the temporary file and frees o. o may be NULL. */
void outfile_abandon(struct outfile *o);

#endif
