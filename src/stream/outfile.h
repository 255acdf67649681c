/* SPDX-License-Identifier: MIT */
/* Buffered writing to a file that appears under its name only when it is complete (data/newfile.h), or to standard
 * output ("-"). The first failed write is kept and ends the writing; outfile_close reports it. */
#ifndef STREAM_OUTFILE_H
#define STREAM_OUTFILE_H

#include "data/err.h"

#include <stdbool.h>
#include <stddef.h>

struct outfile;

enum rc outfile_create(struct outfile **out, const char *path, struct err *e);
/* False once a write has failed. */
bool outfile_write(struct outfile *o, const void *p, size_t n);
/* Frees o in any case; on failure nothing appears under the name. */
enum rc outfile_close(struct outfile *o, struct err *e);
/* Gives up and frees o. o may be NULL. */
void outfile_abandon(struct outfile *o);

#endif
