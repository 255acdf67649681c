/* SPDX-License-Identifier: MIT */
/* `refrain reduce --ui`: the whole terminal, or a live page. */
#ifndef CMD_REDUCE_UI_H
#define CMD_REDUCE_UI_H

#include "cmd/commands.h"
#include "cli/progress.h"

/* On a terminal p fills it, with the file at path below. Elsewhere the page of `refrain report --serve` follows the
 * run's log, and its address is printed on standard error: RC_INPUT without --log. */
enum rc reduce_ui(const struct invocation *inv, struct progress *p, const char *path, struct err *e);

#endif
