/* SPDX-License-Identifier: MIT */
/* Counted sets of byte strings: see keyset.h. */
#include "reduce/cache/keyset.h"

#include "base/invariant.h"
#include "data/digest.h"

#include <stdlib.h>
#include <string.h>

void keyset_init(struct keyset *s, struct mem_counter *counter, bool account_only)
{
	*s = (struct keyset){.counter = counter, .account_only = account_only};
	s->table.counter = counter;
}

static bool key_is(const struct keyset *s, const struct key *k, const void *key, size_t len, const struct digest512 *d)
{
	if (k->len != len)
		return false;
	return s->account_only ? memcmp(k->at, d, sizeof *d) == 0 : len == 0 || memcmp(k->at, key, len) == 0;
}

bool keyset_has(const struct keyset *s, const void *key, size_t len)
{
	uint64_t hash = hash64(key, len);
	struct digest512 d;
	bool digested = false;
	uint32_t r;
	for (struct table_probe p = table_probe(&s->table, hash); (r = table_next(&s->table, &p)) != TABLE_NONE;) {
		if (s->account_only && !digested) {
			d = digest_sha512(key, len);
			digested = true;
		}
		if (key_is(s, &s->key[r], key, len, &d))
			return true;
	}
	return false;
}

static void resize_keys(struct keyset *s, size_t cap)
{
	s->key = mem_resize(s->counter, s->key, s->cap * sizeof *s->key, mem_mul(cap, sizeof *s->key));
	s->cap = cap;
}

static void *store_key(struct keyset *s, const void *key, size_t len)
{
	if (s->account_only) {
		struct digest512 d = digest_sha512(key, len);
		mem_count(s->counter, (long long)len);
		return mem_dup(&d, sizeof d);
	}
	void *at = mem_resize(s->counter, NULL, 0, len);
	if (len)
		memcpy(at, key, len);
	return at;
}

static void drop_key(struct keyset *s, struct key k)
{
	if (s->account_only) {
		mem_count(s->counter, -(long long)k.len);
		free(k.at);
	} else {
		mem_release(s->counter, k.at, k.len);
	}
}

void keyset_add(struct keyset *s, const void *key, size_t len)
{
	INVARIANT(!keyset_has(s, key, len));
	if (s->n == s->cap)
		resize_keys(s, s->cap + s->cap / 2 + 8);
	s->key[s->n] = (struct key){store_key(s, key, len), len};
	table_insert(&s->table, hash64(key, len), (uint32_t)s->n);
	s->n++;
}

void keyset_rebuild(struct keyset *s, keyset_change change, void *user)
{
	INVARIANT(!s->account_only);
	size_t n = s->n, kept = 0;
	table_release(&s->table);
	s->table.counter = s->counter;
	for (size_t i = 0; i < n; i++) {
		struct key old = s->key[i];
		const void *to;
		size_t to_len;
		if (change(user, old.at, old.len, &to, &to_len)) {
			/* the table points below i only: slot `kept` is free or is this one */
			struct key k = to == old.at ? old : (struct key){store_key(s, to, to_len), to_len};
			table_insert(&s->table, hash64(to, to_len), (uint32_t)kept);
			if (to != old.at)
				drop_key(s, old);
			s->key[kept++] = k;
		} else {
			drop_key(s, old);
		}
	}
	s->n = kept;
	if (s->cap > kept + kept / 2 + 8)
		resize_keys(s, kept + kept / 4 + 8);
}

void keyset_release(struct keyset *s)
{
	for (size_t i = 0; i < s->n; i++)
		drop_key(s, s->key[i]);
	mem_release(s->counter, s->key, s->cap * sizeof *s->key);
	table_release(&s->table);
	*s = (struct keyset){0};
}

#ifdef RF_INVARIANTS
static size_t cells_of(const struct table *t)
{
	return t->cell ? t->mask + 1 : 0;
}

void keyset_check(const struct keyset *s)
{
	INVARIANT(s->n <= s->cap && s->table.n == s->n);
	for (size_t i = 0; i < s->n && !s->account_only; i++) {
		uint32_t r;
		struct table_probe p = table_probe(&s->table, hash64(s->key[i].at, s->key[i].len));
		while ((r = table_next(&s->table, &p)) != TABLE_NONE && r != i)
			;
		INVARIANT(r == i);
	}
}

size_t keyset_bytes(const struct keyset *s)
{
	size_t sum = s->cap * sizeof *s->key + cells_of(&s->table) * sizeof *s->table.cell;
	for (size_t i = 0; i < s->n; i++)
		sum += s->key[i].len;
	return sum;
}
#endif
