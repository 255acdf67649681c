/* SPDX-License-Identifier: MIT */
/* Names, numbered 0, 1, 2 … in order of first sight. All bits zero is an empty list. */
#ifndef REDUCE_MODEL_NAMES_H
#define REDUCE_MODEL_NAMES_H

#include "data/arena.h"
#include "data/digest.h"
#include "data/table.h"
#include "data/vec.h"

#include <string.h>

#define NAMES_NONE UINT32_MAX

struct name {
	const char *text;
	size_t len;
};

struct names {
	VEC_FIELDS(struct name);
	struct table table;
	struct arena arena;
};

static inline uint32_t names_find(const struct names *s, const char *text, size_t len)
{
	uint32_t r;
	for (struct table_probe p = table_probe(&s->table, hash64(text, len));
	     (r = table_next(&s->table, &p)) != TABLE_NONE;)
		if (s->at[r].len == len && memcmp(s->at[r].text, text, len) == 0)
			return r;
	return NAMES_NONE;
}

static inline uint32_t names_add(struct names *s, const char *text, size_t len)
{
	uint32_t r = names_find(s, text, len);
	if (r != NAMES_NONE)
		return r;
	vec_push(s, ((struct name){arena_strndup(&s->arena, text, len), len}));
	table_insert(&s->table, hash64(text, len), (uint32_t)s->n - 1);
	return (uint32_t)s->n - 1;
}

static inline uint32_t names_count(const struct names *s)
{
	return (uint32_t)s->n;
}

static inline void names_release(struct names *s)
{
	vec_release(s);
	table_release(&s->table);
	arena_release(&s->arena);
}

#endif
