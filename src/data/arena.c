/* SPDX-License-Identifier: MIT */
/* Bump allocation in chunks that double up to 1 MB: see arena.h. */
#include "data/arena.h"

#include <string.h>

enum { FIRST_CHUNK = 4096, LARGEST_STEP = 1 << 20, ALIGN = 16 };

struct arena_chunk {
	struct arena_chunk *older;
	size_t size; /* of the whole block */
	_Alignas(ALIGN) char data[];
};

static void use_chunk(struct arena *a, struct arena_chunk *c)
{
	a->chunk = c;
	a->next = c->data;
	a->end = (char *)c + c->size;
}

static void grow(struct arena *a, size_t n)
{
	size_t size = a->chunk ? a->chunk->size * 2 : FIRST_CHUNK;
	if (size > LARGEST_STEP)
		size = LARGEST_STEP;
	size_t need = mem_add(n, sizeof(struct arena_chunk));
	if (size < need)
		size = need;
	struct arena_chunk *c = mem_resize(a->counter, NULL, 0, size);
	c->older = a->chunk;
	c->size = size;
	use_chunk(a, c);
}

void *arena_alloc(struct arena *a, size_t n)
{
	n = mem_add(n, ALIGN - 1) & ~(size_t)(ALIGN - 1);
	if (!a->chunk || (size_t)(a->end - a->next) < n)
		grow(a, n);
	void *p = a->next;
	a->next += n;
	return p;
}

void *arena_zalloc(struct arena *a, size_t n)
{
	return memset(arena_alloc(a, n), 0, n);
}

void *arena_dup(struct arena *a, const void *p, size_t n)
{
	void *q = arena_alloc(a, n);
	if (n)
		memcpy(q, p, n);
	return q;
}

char *arena_strndup(struct arena *a, const char *s, size_t n)
{
	char *q = arena_alloc(a, mem_add(n, 1));
	if (n)
		memcpy(q, s, n);
	q[n] = '\0';
	return q;
}

void arena_clear(struct arena *a)
{
	struct arena_chunk *keep = NULL;
	for (struct arena_chunk *c = a->chunk, *older; c; c = older) {
		older = c->older;
		if (!keep || c->size > keep->size) {
			struct arena_chunk *drop = keep;
			keep = c;
			c = drop;
		}
		if (c)
			mem_release(a->counter, c, c->size);
	}
	a->chunk = NULL;
	if (keep) {
		keep->older = NULL;
		use_chunk(a, keep);
	}
}

void arena_release(struct arena *a)
{
	for (struct arena_chunk *c = a->chunk, *older; c; c = older) {
		older = c->older;
		mem_release(a->counter, c, c->size);
	}
	a->chunk = NULL;
	a->next = a->end = NULL;
}
