/* See base_heap.h. */
#include "core/base_heap.h"

#include "core/mem.h"

#include <stdlib.h>

static void *resize(void *user, void *p, size_t old, size_t n)
{
	(void)user, (void)old;
	if (n)
		return mem_realloc(p, n);
	free(p);
	return NULL;
}

const struct base_alloc base_heap = {resize, NULL};
