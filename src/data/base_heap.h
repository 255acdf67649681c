/* SPDX-License-Identifier: MIT */
/* The heap, for what in base/ takes its memory from a function (OLR, SAD, key maps). Never fails: see mem.h. */
#ifndef DATA_BASE_HEAP_H
#define DATA_BASE_HEAP_H

#include "base/keymap.h"

extern const struct base_alloc base_heap;

#endif
