/* SPDX-License-Identifier: MIT */
/* A live line, or block of lines, on standard error: only on a terminal (or --progress=always), at most ten times a
 * second, erased before anything else is printed. Text from outside is escaped by the caller through text_escape. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "data/err.h"

#include <stdbool.h>

struct progress;

/* mode: auto, always, never. */
struct progress *progress_new(const char *mode, bool quiet);
/* From now on the whole terminal is used: what is shown, and below it the file at path as it is now. False, and
 * nothing changes, where there is no terminal or nothing is to be shown. The terminal is put back by progress_hide,
 * for messages, and when this process dies. */
bool progress_follow(struct progress *p, const char *path);
/* True when a new picture is due: the caller then makes the lines (separated by \n) and shows them. */
bool progress_due(struct progress *p);
void progress_show(struct progress *p, const char *lines);
/* Erases the block, so that a message can be printed; the next show draws it again. */
void progress_hide(struct progress *p);
void progress_free(struct progress *p);

/* A message line on standard error ("refrain: …"), the block hidden around it. */
void progress_message(struct progress *p, const char *fmt, ...) PRINTF_LIKE(2, 3);

/* Whether to use colour on standard error: mode auto, always, never; NO_COLOR is obeyed. */
bool progress_color(const char *mode);

#endif
