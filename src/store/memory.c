/* SPDX-License-Identifier: MIT */
/* A store that lives as long as its process: see backend.h. Entries stand in the order of their first put; a
 * hash index finds them. */
#include "store/backend.h"

#include "base/invariant.h"
#include "data/table.h"

#include <stdlib.h>
#include <string.h>

struct entry {
	char *key, *value;
	size_t key_len, value_len;
};

struct memory {
	VEC(struct entry) entries;
	struct table index;
};

static enum rc memory_open(void **state, const char *place, const struct store_id *id, unsigned *flags, struct err *e)
{
	(void)id;
	(void)flags;
	if (*place)
		return err_set(e, RC_INPUT, "a store in memory has no name: 'memory:%s'", place);
	*state = mem_zalloc(sizeof(struct memory));
	return RC_OK;
}

static struct entry *find(struct memory *m, const void *key, size_t key_len)
{
	uint32_t r;
	uint64_t hash = hash64(key, key_len);
	for (struct table_probe p = table_probe(&m->index, hash); (r = table_next(&m->index, &p)) != TABLE_NONE;) {
		struct entry *x = &m->entries.at[r];
		if (x->key_len == key_len && (key_len == 0 || memcmp(x->key, key, key_len) == 0))
			return x;
	}
	return NULL;
}

#ifdef RF_INVARIANTS
/* Every entry is found by its own key, and the index holds nothing else. Each entry is looked at once per call. */
static void memory_check(struct memory *m)
{
	INVARIANT(m->index.n == m->entries.n);
	for (size_t i = 0; i < m->entries.n; i++)
		INVARIANT(find(m, m->entries.at[i].key, m->entries.at[i].key_len) == &m->entries.at[i]);
}

/* After 1, 2, 4, … puts of new keys, so that checking costs no more than putting. */
static void memory_check_now_and_then(struct memory *m)
{
	if ((m->entries.n & (m->entries.n - 1)) == 0)
		memory_check(m);
}
#else
#define memory_check(m) ((void)(m))
#define memory_check_now_and_then(m) ((void)(m))
#endif

static enum rc get(void *state, const void *key, size_t key_len, struct buf *out, uint64_t *damaged, struct err *e)
{
	(void)damaged;
	(void)e;
	const struct entry *x = find(state, key, key_len);
	if (!x)
		return RC_NO;
	buf_add(out, x->value, x->value_len);
	return RC_OK;
}

static enum rc put(void *state, const void *key, size_t key_len, const void *value, size_t value_len, struct err *e)
{
	struct memory *m = state;
	struct entry *x = find(m, key, key_len);
	if (x) {
		char *fresh = mem_dup(value, value_len);
		free(x->value);
		x->value = fresh;
		x->value_len = value_len;
		return RC_OK;
	}
	if (m->entries.n >= TABLE_NONE - 1)
		return err_set(e, RC_ENV, "the store in memory is full");
	table_insert(&m->index, hash64(key, key_len), (uint32_t)m->entries.n);
	vec_push(&m->entries, ((struct entry){mem_dup(key, key_len), mem_dup(value, value_len), key_len, value_len}));
	memory_check_now_and_then(m);
	return RC_OK;
}

static enum rc each(void *state, store_fn fn, void *user, uint64_t *damaged, struct err *e)
{
	struct memory *m = state;
	(void)damaged;
	(void)e;
	for (size_t i = 0, n = m->entries.n; i < n; i++) {
		/* fn may put: neither the array nor a value stays where it is */
		struct entry x = m->entries.at[i];
		char *value = mem_dup(x.value, x.value_len);
		bool more = fn(user, x.key, x.key_len, value, x.value_len);
		free(value);
		if (!more)
			break;
	}
	return RC_OK;
}

static void close_store(void *state)
{
	struct memory *m = state;
	memory_check(m);
	for (size_t i = 0; i < m->entries.n; i++) {
		free(m->entries.at[i].key);
		free(m->entries.at[i].value);
	}
	vec_release(&m->entries);
	table_release(&m->index);
	free(m);
}

const struct store_backend store_memory = {
	.scheme = "memory", .summary = "in this process only", .open = memory_open, STORE_OPERATIONS};
