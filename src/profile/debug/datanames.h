/* SPDX-License-Identifier: MIT */
#ifndef PROFILE_DATANAMES_H
#define PROFILE_DATANAMES_H

#include "data/buf.h"

/* A variable's name for people: _ZN1A1bE is A::b. What is not understood stays as it is. */
void dataname_add(struct buf *out, const char *symbol);

#endif
