/* SPDX-License-Identifier: MIT */
/* See base_heap.h. */
#include "data/base_heap.h"

#include "data/bigmem.h"

static void *resize(void *user, void *p, size_t old, size_t n)
{
	(void)user;
	if (n)
		return bigmem_grow(p, old, n);
	bigmem_free(p, old);
	return NULL;
}

const struct base_alloc base_heap = {resize, NULL};
