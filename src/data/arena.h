/* SPDX-License-Identifier: MIT */
/* Memory for one unit of work (a parse, a query), given out piece by piece and freed whole.
 * All bits zero is an empty arena. Pieces never move. */
#ifndef DATA_ARENA_H
#define DATA_ARENA_H

#include "data/mem.h"

struct arena_chunk;

struct arena {
	struct arena_chunk *chunk; /* newest first */
	char *next, *end;
	struct mem_counter *counter; /* may be NULL */
};

/* 16-byte aligned, uninitialised. */
void *arena_alloc(struct arena *a, size_t n);
void *arena_zalloc(struct arena *a, size_t n);
void *arena_dup(struct arena *a, const void *p, size_t n);
char *arena_strndup(struct arena *a, const char *s, size_t n);
/* Empties the arena and keeps its largest chunk for the next unit of work. */
void arena_clear(struct arena *a);
void arena_release(struct arena *a);

#define arena_new(a, T) ((T *)arena_zalloc((a), sizeof(T)))
#define arena_array(a, T, n) ((T *)arena_alloc((a), mem_mul((n), sizeof(T))))

#endif
