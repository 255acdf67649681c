/* SPDX-License-Identifier: MIT */
#ifndef CHECK_SOURCE_HIDDEN_H
#define CHECK_SOURCE_HIDDEN_H

#include "check/source/annot.h"

/* An error if a macro's definition in the text of a file, not preprocessed, has an annotation in it. */
enum rc annot_in_macros(const char *text, size_t n, const char *file, struct err *e);

#endif
