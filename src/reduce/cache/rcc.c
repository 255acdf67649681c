/* SPDX-License-Identifier: MIT */
/* The paper's compact caches: the key is the compact encoding of the variant as 4-byte integers.
 *
 * rcc (Algorithms 3 and 4) encodes against the minimum and re-encodes every entry when the minimum changes,
 * dropping what is not a proper subsequence of the new one. cc encodes against the input and never drops. rcc-size
 * (Algorithm 5) cannot encode against a minimum that an entry need not be a subsequence of; it encodes against the
 * input, keeps the number of tokens in front, and drops entries that are not smaller than the new minimum.
 *
 * A variant that has no encoding (a rewritten token) is a miss and is not added, as in the paper. */
#include "base/invariant.h"
#include "reduce/cache/compact.h"
#include "reduce/cache/keyset.h"
#include "reduce/cache/verdicts.h"

#include <string.h>

struct compact_cache {
	struct verdicts head;
	struct keyset set;
	bool ready;
	struct encoding key;
	VEC(uint32_t) tokens;
};

static struct compact_cache *cache_of(struct verdicts *c)
{
	struct compact_cache *t = (struct compact_cache *)c;
	if (!t->ready) {
		keyset_init(&t->set, &c->mem, false);
		t->ready = true;
	}
	return t;
}

static const uint32_t *tokens_of(struct compact_cache *t, const struct variant *v)
{
	vec_clear(&t->tokens);
	vec_reserve(&t->tokens, (size_t)v->n + 1);
	variant_symbols(v, t->tokens.at);
	return t->tokens.at;
}

/* Fills t->key; false: no encoding. */
typedef bool (*make_key)(struct compact_cache *t, const struct variant *v);

static bool key_in_minimum(struct compact_cache *t, const struct variant *v)
{
	return compact_encode(v->min, v->n_min, tokens_of(t, v), v->n, &t->key);
}

static bool key_in_input(struct compact_cache *t, const struct variant *v)
{
	return compact_encode(t->head.input, t->head.n_input, tokens_of(t, v), v->n, &t->key);
}

static bool key_with_size(struct compact_cache *t, const struct variant *v)
{
	if (!key_in_input(t, v))
		return false;
	vec_push(&t->key, 0);
	for (size_t i = t->key.n - 1; i > 0; i--)
		t->key.at[i] = t->key.at[i - 1];
	t->key.at[0] = v->n;
	return true;
}

static bool has(struct verdicts *c, const struct variant *v, make_key make)
{
	struct compact_cache *t = cache_of(c);
	return make(t, v) && keyset_has(&t->set, t->key.at, t->key.n * sizeof *t->key.at);
}

static void add(struct verdicts *c, const struct variant *v, make_key make)
{
	struct compact_cache *t = cache_of(c);
	if (make(t, v))
		keyset_add(&t->set, t->key.at, t->key.n * sizeof *t->key.at);
	c->entries = t->set.n;
}

static bool rcc_has(struct verdicts *c, const struct variant *v)
{
	return has(c, v, key_in_minimum);
}

static void rcc_add(struct verdicts *c, const struct variant *v)
{
	add(c, v, key_in_minimum);
}

static bool cc_has(struct verdicts *c, const struct variant *v)
{
	return has(c, v, key_in_input);
}

static void cc_add(struct verdicts *c, const struct variant *v)
{
	add(c, v, key_in_input);
}

static bool size_has(struct verdicts *c, const struct variant *v)
{
	return has(c, v, key_with_size);
}

static void size_add(struct verdicts *c, const struct variant *v)
{
	add(c, v, key_with_size);
}

struct refresh {
	struct compact_cache *cache;
	const struct min_change *ch;
};

/* Algorithm 3, lines 19–21, with line 20 read as "p' is not a proper subsequence of min". */
static bool rcc_change(void *user, const void *key, size_t len, const void **to, size_t *to_len)
{
	const struct refresh *r = user;
	struct compact_cache *t = r->cache;
	vec_clear(&t->tokens);
	vec_reserve(&t->tokens, (size_t)r->ch->n_old + 1);
	uint32_t n = compact_decode(r->ch->old, key, len / sizeof(uint32_t), t->tokens.at);
	if (n >= r->ch->n_new || !compact_encode(r->ch->new, r->ch->n_new, t->tokens.at, n, &t->key))
		return false;
	*to = t->key.at;
	*to_len = t->key.n * sizeof *t->key.at;
	return true;
}

static bool size_change(void *user, const void *key, size_t len, const void **to, size_t *to_len)
{
	const struct refresh *r = user;
	*to = key;
	*to_len = len;
	return *(const uint32_t *)key < r->ch->n_new;
}

static void rcc_refresh(struct verdicts *c, const struct min_change *ch)
{
	struct compact_cache *t = cache_of(c);
	struct refresh r = {t, ch};
	keyset_rebuild(&t->set, rcc_change, &r);
	c->entries = t->set.n;
}

static void size_refresh(struct verdicts *c, const struct min_change *ch)
{
	struct compact_cache *t = cache_of(c);
	struct refresh r = {t, ch};
	keyset_rebuild(&t->set, size_change, &r);
	c->entries = t->set.n;
}

static void compact_release(struct verdicts *c)
{
	struct compact_cache *t = cache_of(c);
	keyset_release(&t->set);
	vec_release_all(&t->key, &t->tokens);
}

#ifdef RF_INVARIANTS
/* Every key is the encoding of a subsequence of the program, after `head` integers in front. */
static void check_keys(struct compact_cache *t, const uint32_t *program, uint32_t n, size_t head)
{
	struct encoding again = {0};
	for (size_t i = 0; i < t->set.n; i++) {
		const uint32_t *key = t->set.key[i].at;
		size_t len = t->set.key[i].len / sizeof *key;
		INVARIANT(len >= head && (len - head) % 2 == 0 && (len == head || key[len - 1] <= n + 1));
		vec_clear(&t->tokens);
		vec_reserve(&t->tokens, (size_t)n + 1);
		uint32_t kept = compact_decode(program, key + head, len - head, t->tokens.at);
		INVARIANT(!head || key[0] == kept);
		INVARIANT(compact_encode(program, n, t->tokens.at, kept, &again) && again.n == len - head);
		INVARIANT(again.n == 0 || memcmp(again.at, key + head, again.n * sizeof *key) == 0);
	}
	vec_release(&again);
	keyset_check(&t->set);
	INVARIANT(t->head.entries == t->set.n && t->head.mem.now == keyset_bytes(&t->set));
}

static void rcc_check(struct verdicts *c, const uint32_t *min, uint32_t n)
{
	check_keys(cache_of(c), min, n, 0);
}

static void cc_check(struct verdicts *c, const uint32_t *min, uint32_t n)
{
	(void)min, (void)n;
	check_keys(cache_of(c), c->input, c->n_input, 0);
}

static void size_check(struct verdicts *c, const uint32_t *min, uint32_t n)
{
	(void)min, (void)n;
	check_keys(cache_of(c), c->input, c->n_input, 1);
}
#endif

const struct verdicts_kind verdicts_cc = {
	.name = "cc",
	.summary = "compact encoding against the input",
	.size = sizeof(struct compact_cache),
	.has = cc_has,
	.add = cc_add,
	.release = compact_release,
	.check = VERDICTS_CHECK(cc_check),
};
const struct verdicts_kind verdicts_rcc = {
	.name = "rcc",
	.summary = "compact encoding against the minimum, refreshed (the paper's)",
	.size = sizeof(struct compact_cache),
	.has = rcc_has,
	.add = rcc_add,
	.refresh = rcc_refresh,
	.release = compact_release,
	.check = VERDICTS_CHECK(rcc_check),
};
const struct verdicts_kind verdicts_rcc_size = {
	.name = "rcc-size",
	.summary = "compact encoding, refreshed by size alone",
	.size = sizeof(struct compact_cache),
	.has = size_has,
	.add = size_add,
	.refresh = size_refresh,
	.release = compact_release,
	.check = VERDICTS_CHECK(size_check),
};
