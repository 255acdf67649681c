/* SPDX-License-Identifier: MIT */
/* Interned token texts: see symbols.h. */
#include "reduce/model/symbols.h"

#include "data/digest.h"

#include <string.h>

uint32_t symbols_add(struct symbols *s, uint32_t class, const char *text, size_t len)
{
	uint64_t hash = hash64_seed(text, len, class);
	uint32_t r;
	for (struct table_probe p = table_probe(&s->table, hash); (r = table_next(&s->table, &p)) != TABLE_NONE;) {
		const struct symbol *y = &s->at[r];
		if (y->class == class && y->len == len && (len == 0 || memcmp(y->text, text, len) == 0))
			return r;
	}
	struct symbol *y = vec_add(s);
	*y = (struct symbol){arena_strndup(&s->arena, text, len), (uint32_t)len, class,
			     class || (len && (memchr(text, 0, len) || memchr(text, 1, len)))};
	table_insert(&s->table, hash, (uint32_t)(s->n - 1));
	return (uint32_t)(s->n - 1);
}

void symbols_release(struct symbols *s)
{
	vec_release(s);
	table_release(&s->table);
	arena_release(&s->arena);
}
