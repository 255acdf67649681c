/* SPDX-License-Identifier: MIT */
/* Which files the libraries of a link stand for. */
#ifndef CHECK_CC_LIBRARIES_H
#define CHECK_CC_LIBRARIES_H

#include "check/cc_args.h"

/* Appends the files that -lNAME, -l:FILE and the words of -Wl,… and -Xlinker stand for, without the C library, libm
 * and the compiler's own: what their functions write to is known. `compiler` is asked for what the folders of -L
 * do not have. The names belong to `owned`, whose strings the caller frees. */
void cc_libraries_find(const struct cc_args *a, const char *compiler, struct strings *files, struct strings *owned);

#endif
