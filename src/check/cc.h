/* SPDX-License-Identifier: MIT */
/* `refrain check cc`, also refrain-cc: a C compiler command that adds contracts and the write barrier by itself. */
#ifndef CHECK_CC_H
#define CHECK_CC_H

#include "data/err.h"
#include "data/strings.h"

/* args: the compiler's arguments, without its name. RF_CC names the real compiler (default cc), RF_CHECK_OPTIONS
 * may hold --contracts=FILE (side files; several) and --keep (leaves the transformed text beside the output as
 * OUT.rf.i). Appends warnings, which the caller frees. Returns
 * the exit code; on failure of our own, e is filled and the code is −1. */
int cc_main(const char *const *args, int n, struct strings *warnings, struct err *e);

#endif
