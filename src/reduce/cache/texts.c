/* SPDX-License-Identifier: MIT */
/* Caches whose key is the text of the variant: str keeps it, zip keeps it compressed (zlib, best level), sha keeps its
 * SHA-512, rstr keeps it and forgets what is not a subsequence of a new minimum.
 *
 * The text is each token followed by a NUL (inside a token NUL is written 01 02, and 01 as
 * 01 01; a token of class c > 0 starts with 01 03, c and 01): two variants have the same text
 * exactly when they have the same tokens. */
#include "base/invariant.h"
#include "data/buf.h"
#include "data/digest.h"
#include "reduce/cache/keyset.h"
#include "reduce/model/symbols.h"
#include "reduce/cache/verdicts.h"

#include <string.h>
#include <zlib.h>

struct text_cache {
	struct verdicts head;
	struct keyset set;
	bool ready;
	struct buf text, packed; /* of the last variant asked about */
};

static struct text_cache *cache_of(struct verdicts *c)
{
	struct text_cache *t = (struct text_cache *)c;
	if (!t->ready) {
		keyset_init(&t->set, &c->mem, c->account_only);
		t->ready = true;
	}
	return t;
}

static void add_token(const struct symbol *y, struct buf *out)
{
	if (y->special) {
		if (y->class)
			buf_printf(out, "\1\3%u\1", y->class);
		for (uint32_t i = 0; i < y->len; i++) {
			if (y->text[i] == 0 || y->text[i] == 1)
				buf_char(out, 1);
			buf_char(out, y->text[i] ? y->text[i] : 2);
		}
		buf_char(out, 0);
	} else {
		buf_add(out, y->text, (size_t)y->len + 1); /* symbols are ended by NUL */
	}
}

static void make_text(const struct symbols *symbols, const struct variant *v, struct buf *out)
{
	buf_clear(out);
	uint32_t at = 0;
	size_t r = 0;
	for (size_t i = 0; i <= v->n_gaps; i++) {
		uint32_t end = i < v->n_gaps ? v->gap[i].from : v->n_min;
		for (; at < end; at++) {
			uint32_t sym = v->min[at];
			if (r < v->n_rewrites && v->rewrite[r].token == at)
				sym = v->rewrite[r++].sym;
			add_token(&symbols->at[sym], out);
		}
		if (i < v->n_gaps)
			at = v->gap[i].to;
	}
}

static bool str_has(struct verdicts *c, const struct variant *v)
{
	struct text_cache *t = cache_of(c);
	make_text(c->symbols, v, &t->text);
	return keyset_has(&t->set, t->text.at, t->text.n);
}

static void str_add(struct verdicts *c, const struct variant *v)
{
	struct text_cache *t = cache_of(c);
	make_text(c->symbols, v, &t->text);
	keyset_add(&t->set, t->text.at, t->text.n);
	c->entries = t->set.n;
}

static void text_release(struct verdicts *c)
{
	struct text_cache *t = cache_of(c);
	keyset_release(&t->set);
	buf_release(&t->text);
	buf_release(&t->packed);
}

static void pack(struct text_cache *t)
{
	uLongf room = compressBound(t->text.n);
	buf_clear(&t->packed);
	vec_reserve(&t->packed, room + 1);
	/* cannot fail: the room is compressBound's, and memory for its state is what mem_alloc would also miss */
	if (compress2((Bytef *)t->packed.at, &room, (const Bytef *)t->text.at, t->text.n, Z_BEST_COMPRESSION) != Z_OK)
		mem_oom(room);
	t->packed.n = room;
}

static bool zip_has(struct verdicts *c, const struct variant *v)
{
	struct text_cache *t = cache_of(c);
	make_text(c->symbols, v, &t->text);
	pack(t);
	return keyset_has(&t->set, t->packed.at, t->packed.n);
}

static void zip_add(struct verdicts *c, const struct variant *v)
{
	struct text_cache *t = cache_of(c);
	make_text(c->symbols, v, &t->text);
	pack(t);
	keyset_add(&t->set, t->packed.at, t->packed.n);
	c->entries = t->set.n;
}

static struct digest512 digest_of(struct verdicts *c, const struct variant *v)
{
	struct text_cache *t = cache_of(c);
	make_text(c->symbols, v, &t->text);
	t->set.account_only = false; /* the key is a digest already */
	return digest_sha512(t->text.at, t->text.n);
}

static bool sha_has(struct verdicts *c, const struct variant *v)
{
	struct digest512 d = digest_of(c, v);
	return keyset_has(&cache_of(c)->set, &d, sizeof d);
}

static void sha_add(struct verdicts *c, const struct variant *v)
{
	struct digest512 d = digest_of(c, v);
	keyset_add(&cache_of(c)->set, &d, sizeof d);
	c->entries = cache_of(c)->set.n;
}

struct rstr_filter {
	const struct symbols *symbols;
	const struct min_change *ch;
	struct buf token;
};

/* Whether the kept text is a subsequence of the new minimum: greedy, token by token. */
static bool rstr_keep(void *user, const void *key, size_t len, const void **to, size_t *to_len)
{
	struct rstr_filter *f = user;
	const char *s = key, *end = s + len;
	uint32_t at = 0, n = 0;
	for (; s < end; n++) {
		size_t own = 0; /* bytes of this token's text, its final NUL included */
		for (; at < f->ch->n_new; at++) {
			buf_clear(&f->token);
			add_token(&f->symbols->at[f->ch->new[at]], &f->token);
			if (f->token.n <= (size_t)(end - s) && memcmp(f->token.at, s, f->token.n) == 0) {
				own = f->token.n;
				break;
			}
		}
		if (!own)
			return false;
		s += own;
		at++;
	}
	*to = key;
	*to_len = len;
	return n < f->ch->n_new;
}

static void rstr_refresh(struct verdicts *c, const struct min_change *ch)
{
	struct text_cache *t = cache_of(c);
	struct rstr_filter f = {c->symbols, ch, {0}};
	keyset_rebuild(&t->set, rstr_keep, &f);
	buf_release(&f.token);
	c->entries = t->set.n;
}

static bool rstr_has(struct verdicts *c, const struct variant *v)
{
	cache_of(c)->set.account_only = false; /* what is only accounted for cannot be refreshed */
	return str_has(c, v);
}

static void rstr_add(struct verdicts *c, const struct variant *v)
{
	cache_of(c)->set.account_only = false;
	str_add(c, v);
}

#ifdef RF_INVARIANTS
static void text_check(struct verdicts *c, const uint32_t *min, uint32_t n)
{
	struct text_cache *t = cache_of(c);
	(void)min, (void)n;
	keyset_check(&t->set);
	INVARIANT(c->entries == t->set.n && c->mem.now == keyset_bytes(&t->set));
}
#endif

/* One row: they differ in the key and in whether they forget. */
#define TEXT_CACHE(NAME, SUMMARY, REFRESH)                                                                             \
	const struct verdicts_kind verdicts_##NAME = {                                                                 \
		.name = #NAME,                                                                                         \
		.summary = SUMMARY,                                                                                    \
		.size = sizeof(struct text_cache),                                                                     \
		.has = NAME##_has,                                                                                     \
		.add = NAME##_add,                                                                                     \
		.refresh = REFRESH,                                                                                    \
		.release = text_release,                                                                               \
		.check = VERDICTS_CHECK(text_check),                                                                   \
	}

TEXT_CACHE(str, "the text of each variant", NULL);
TEXT_CACHE(zip, "the text, compressed by zlib", NULL);
TEXT_CACHE(sha, "the SHA-512 of the text", NULL);
TEXT_CACHE(rstr, "the text, refreshed at each new minimum", rstr_refresh);
