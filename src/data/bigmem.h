/* SPDX-License-Identifier: MIT */
/* Large blocks that start as zeros and cost nothing until they are touched, on huge pages where the system gives them.
 * For tables that are hit at random: ordinary pages would spend more time in page walks than in the table. */
#ifndef DATA_BIGMEM_H
#define DATA_BIGMEM_H

#include "base/keymap.h"

#include <stddef.h>

/* Never NULL (out of memory calls the hook of mem.h). Pass the same n back. */
void *bigmem_alloc(size_t n);
/* Keeps the first old bytes; what follows is zero. */
void *bigmem_grow(void *p, size_t old, size_t n);
void bigmem_free(void *p, size_t n);

/* The same for what in base/ takes its memory from a function (OLR, SAD, key maps). */
extern const struct base_alloc base_heap;

#endif
