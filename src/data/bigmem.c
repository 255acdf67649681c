/* SPDX-License-Identifier: MIT */
/* See bigmem.h. Small blocks come from calloc: a mapping and a huge page each would be a waste. */
#include "data/bigmem.h"

#include "data/mem.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { HUGE = 2 << 20, SMALL = 1 << 17 };

static size_t rounded(size_t n)
{
	size_t unit = n >= HUGE ? HUGE : 4096;
	return mem_add(n, unit - 1) / unit * unit;
}

void *bigmem_alloc(size_t n)
{
	if (n < SMALL)
		return mem_zalloc(n);
	void *p = mmap(NULL, rounded(n), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED)
		mem_oom(n);
	if (n >= HUGE)
		madvise(p, rounded(n), MADV_HUGEPAGE); /* only advice: ordinary pages will do */
	return p;
}

void *bigmem_grow(void *p, size_t old, size_t n)
{
	if (old >= SMALL && n >= old) { /* the pages move, their contents need not */
		void *moved = mremap(p, rounded(old), rounded(n), MREMAP_MAYMOVE);
		if (moved == MAP_FAILED)
			mem_oom(n);
		if (n >= HUGE)
			madvise(moved, rounded(n), MADV_HUGEPAGE);
		return moved;
	}
	void *q = bigmem_alloc(n);
	if (old)
		memcpy(q, p, old);
	bigmem_free(p, old);
	return q;
}

void bigmem_free(void *p, size_t n)
{
	if (!p)
		return;
	if (n < SMALL)
		free(p);
	else
		munmap(p, rounded(n));
}

static void *resize(void *user, void *p, size_t old, size_t n)
{
	(void)user;
	if (n)
		return bigmem_grow(p, old, n);
	bigmem_free(p, old);
	return NULL;
}

const struct base_alloc base_heap = {resize, NULL};
