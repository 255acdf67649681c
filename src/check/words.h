/* SPDX-License-Identifier: MIT */
/* Contracts in words, for `refrain check explain`. */
#ifndef CHECK_WORDS_H
#define CHECK_WORDS_H

#include "data/buf.h"
#include "data/strings.h"

/* What the annotations of the files mean, and how each type is checked, as text. */
enum rc words_explain(const struct strings *files, struct buf *out, struct err *e);

#endif
