/* SPDX-License-Identifier: MIT */
/* The default cache: rcc with smaller entries and without its linear costs.
 *
 * An entry is the variant's leftmost embedding into the minimum (the paper's canonical form), written as the gaps
 * of that embedding: for each gap the distance from the end of the one before and its length, as varints; a gap
 * that reaches the end of the minimum has length 0. Entries lie back to back in one block of bytes, each after its
 * own length; the index over them is an open-addressing table of 4-byte offsets, at most 4/5 full, that keeps no
 * hashes (entries are hashed again when it grows). A deletion from 200,000 tokens costs 5–7 bytes and about 6 more
 * for the index.
 *
 * embed() makes such embeddings without touching what both programs have in common: while both walkers stand at the
 * same place of the old minimum they jump together to the next gap of either; only after a gap, until they meet
 * again, are tokens compared. So a lookup costs the gaps and the few tokens after each, not the program; and
 * refreshing the cache for a new minimum costs the same per entry. It ends early when the rest of the variant is
 * longer than the rest of the minimum.
 *
 * A variant with rewritten tokens has no embedding: such variants are kept aside by the SHA-256 of their symbols and
 * stay until the minimum has fewer tokens than they have. */
#include "base/invariant.h"
#include "data/digest.h"
#include "reduce/cache/keyset.h"
#include "reduce/cache/verdicts.h"

#include <string.h>
#include <wchar.h>

struct bytes {
	uint8_t *at;
	size_t n, cap;
};

struct full_cache {
	struct verdicts head;
	struct bytes pool;   /* entries: length, then that many bytes */
	uint32_t *cell;      /* offset into the pool + 1; 0: free */
	size_t n_cells, n;   /* n entries in the pool */
	struct keyset aside; /* rewritten variants: token count, digest */
	bool ready;
	struct spans gaps; /* scratch */
	VEC(uint8_t) key;
	VEC(uint32_t) tokens;
};

static struct full_cache *cache_of(struct verdicts *c)
{
	struct full_cache *t = (struct full_cache *)c;
	if (!t->ready) {
		keyset_init(&t->aside, &c->mem, false);
		t->ready = true;
	}
	return t;
}

/* One walker: program `base` without the spans, at base position `at`, which is its `done`-th token. */
struct walker {
	const struct span *gap;
	size_t n_gaps;
	uint32_t n; /* tokens in all */
	uint32_t at, done;
};

static void skip_gap(struct walker *w)
{
	if (w->n_gaps && w->gap->from == w->at) {
		w->at = w->gap->to;
		w->gap++;
		w->n_gaps--;
	}
}

static uint32_t next_stop(const struct walker *w, uint32_t end)
{
	return w->n_gaps ? w->gap->from : end;
}

static void add_gap(struct spans *out, uint32_t from, uint32_t to)
{
	if (out->n && vec_last(out).to == from)
		vec_last(out).to = to;
	else
		vec_push(out, ((struct span){from, to}));
}

/* The first place in from … to−1 that has the symbol, or to. Symbols are as wide as wchar_t, whose search is
 * vectorised. */
static uint32_t find(const uint32_t *base, uint32_t from, uint32_t to, uint32_t symbol)
{
	_Static_assert(sizeof(wchar_t) == sizeof *base, "wmemchr searches 4-byte units");
	if (from >= to)
		return to;
	const wchar_t *at = wmemchr((const wchar_t *)base + from, (wchar_t)symbol, to - from);
	return at ? (uint32_t)(at - (const wchar_t *)base) : to;
}

/* The leftmost embedding of a into b, both parts of base (n tokens): the places of b that it leaves out. False when
 * a is not a subsequence of b. */
static bool embed(const uint32_t *base, uint32_t n, struct walker a, struct walker b, struct spans *out)
{
	vec_clear(out);
	for (;;) {
		skip_gap(&a);
		skip_gap(&b);
		if (a.done == a.n) {
			if (b.done < b.n)
				add_gap(out, b.done, b.n);
			return true;
		}
		if (a.n - a.done > b.n - b.done)
			return false;
		if (a.at == b.at) {
			uint32_t stop_a = next_stop(&a, n), stop_b = next_stop(&b, n);
			uint32_t len = (stop_a < stop_b ? stop_a : stop_b) - a.at;
			a.at += len;
			a.done += len;
			b.at += len;
			b.done += len;
		} else if (base[a.at] == base[b.at]) {
			a.at++;
			a.done++;
			b.at++;
			b.done++;
		} else {
			/* up to the token wanted, or to where something else has to be looked at */
			uint32_t stop = next_stop(&b, n), wanted = base[a.at], at = b.at + 1;
			if (a.at > b.at && a.at < stop)
				stop = a.at;
			at = find(base, at, stop, wanted);
			add_gap(out, b.done, b.done + (at - b.at));
			b.done += at - b.at;
			b.at = at;
		}
	}
}

/* The leftmost embedding of plain p into plain min. */
static bool embed_plain(const uint32_t *p, uint32_t n, const uint32_t *min, uint32_t n_min, struct spans *out)
{
	vec_clear(out);
	uint32_t i = 0, at = 0;
	for (; i < n; at++) {
		if (n - i > n_min - at)
			return false;
		if (p[i] == min[at])
			i++;
		else
			add_gap(out, at, at + 1);
	}
	if (at < n_min)
		add_gap(out, at, n_min);
	return true;
}

static uint8_t *put_varint(uint8_t *p, uint32_t x)
{
	for (; x >= 128; x >>= 7)
		*p++ = (uint8_t)(x | 128);
	*p++ = (uint8_t)x;
	return p;
}

static const uint8_t *get_varint(const uint8_t *p, uint32_t *x)
{
	*x = 0;
	for (unsigned shift = 0;; shift += 7) {
		*x |= (uint32_t)(*p & 127) << shift;
		if (!(*p++ & 128))
			return p;
	}
}

enum { VARINT_MAX = 5 };

/* Writes the gaps as an entry's bytes, its length in front, to t->key. */
static void pack(struct full_cache *t, const struct spans *gaps, uint32_t n_min)
{
	vec_clear(&t->key);
	vec_reserve(&t->key, (gaps->n * 2 + 1) * VARINT_MAX);
	uint8_t *body = t->key.at + VARINT_MAX, *p = body;
	uint32_t end = 0;
	for (size_t i = 0; i < gaps->n; i++) {
		struct span g = gaps->at[i];
		p = put_varint(p, g.from - end);
		p = put_varint(p, g.to == n_min ? 0 : g.to - g.from);
		end = g.to;
	}
	size_t len = (size_t)(p - body);
	uint8_t *start = put_varint(t->key.at, (uint32_t)len);
	memmove(start, body, len);
	t->key.n = (size_t)(start - t->key.at) + len;
}

/* Reads the entry at p into gaps; returns the entry after it. */
static const uint8_t *unpack(const uint8_t *p, uint32_t n_min, struct spans *gaps, uint32_t *kept)
{
	uint32_t len;
	p = get_varint(p, &len);
	const uint8_t *end = p + len;
	uint32_t at = 0;
	vec_clear(gaps);
	*kept = n_min;
	while (p < end) {
		uint32_t skip, size;
		p = get_varint(p, &skip);
		p = get_varint(p, &size);
		struct span g = {at + skip, size ? at + skip + size : n_min};
		vec_push(gaps, g);
		*kept -= g.to - g.from;
		at = g.to;
	}
	return p;
}

static size_t entry_size(const uint8_t *p)
{
	uint32_t len;
	const uint8_t *body = get_varint(p, &len);
	return (size_t)(body - p) + len;
}

static size_t home(const struct full_cache *t, const uint8_t *entry, size_t size)
{
	return (size_t)(((unsigned __int128)hash64(entry, size) * t->n_cells) >> 64);
}

/* The cell that points to an equal entry, or the free one where it belongs. There is a free one. */
static size_t find_cell(const struct full_cache *t, const uint8_t *entry, size_t size)
{
	size_t at = home(t, entry, size);
	for (; t->cell[at]; at = at + 1 == t->n_cells ? 0 : at + 1) {
		const uint8_t *e = t->pool.at + t->cell[at] - 1;
		/* the first byte says the length: entries that differ in it are not compared further */
		if (e[0] == entry[0] && entry_size(e) == size && memcmp(e, entry, size) == 0)
			break;
	}
	return at;
}

static void set_cells(struct full_cache *t, size_t n_cells)
{
	mem_release(&t->head.mem, t->cell, t->n_cells * sizeof *t->cell);
	t->cell = NULL;
	t->n_cells = n_cells;
	if (!n_cells)
		return;
	t->cell = mem_resize(&t->head.mem, NULL, 0, mem_mul(n_cells, sizeof *t->cell));
	memset(t->cell, 0, n_cells * sizeof *t->cell);
	for (size_t at = 0; at < t->pool.n; at += entry_size(t->pool.at + at))
		t->cell[find_cell(t, t->pool.at + at, entry_size(t->pool.at + at))] = (uint32_t)at + 1;
}

static void set_pool(struct full_cache *t, size_t cap)
{
	t->pool.at = mem_resize(&t->head.mem, t->pool.at, t->pool.cap, cap);
	t->pool.cap = cap;
}

static void insert(struct full_cache *t)
{
	if (t->pool.n + t->key.n >= UINT32_MAX)
		return; /* four gigabytes of entries: the rest goes uncached */
	if (t->pool.n + t->key.n > t->pool.cap)
		set_pool(t, (t->pool.n + t->key.n) * 9 / 8 + 32);
	if ((t->n + 1) * 5 > t->n_cells * 4)
		set_cells(t, t->n_cells * 5 / 4 + 8);
	memcpy(t->pool.at + t->pool.n, t->key.at, t->key.n);
	t->cell[find_cell(t, t->key.at, t->key.n)] = (uint32_t)t->pool.n + 1;
	t->pool.n += t->key.n;
	t->n++;
}

static void make_key(struct full_cache *t, const struct variant *v)
{
	struct walker a = {v->gap, v->n_gaps, v->n, 0, 0}, b = {NULL, 0, v->n_min, 0, 0};
	embed(v->min, v->n_min, a, b, &t->gaps);
	pack(t, &t->gaps, v->n_min);
}

struct aside_key {
	uint32_t n;
	struct digest256 digest;
};

static struct aside_key make_aside(struct full_cache *t, const struct variant *v)
{
	vec_clear(&t->tokens);
	vec_reserve(&t->tokens, (size_t)v->n + 1);
	variant_symbols(v, t->tokens.at);
	return (struct aside_key){v->n, digest_sha256(t->tokens.at, v->n * sizeof *t->tokens.at)};
}

static bool full_has(struct verdicts *c, const struct variant *v)
{
	struct full_cache *t = cache_of(c);
	if (v->n_rewrites) {
		struct aside_key k = make_aside(t, v);
		return keyset_has(&t->aside, &k, sizeof k);
	}
	if (!t->n)
		return false;
	make_key(t, v);
	return t->cell[find_cell(t, t->key.at, t->key.n)] != 0;
}

static void full_add(struct verdicts *c, const struct variant *v)
{
	struct full_cache *t = cache_of(c);
	if (v->n_rewrites) {
		struct aside_key k = make_aside(t, v);
		keyset_add(&t->aside, &k, sizeof k);
	} else {
		make_key(t, v);
		insert(t);
	}
	c->entries = t->n + t->aside.n;
}

/* Re-encodes the entry at p against the new minimum into t->key; *next is the entry after it. */
static bool re_encode(struct full_cache *t, const struct min_change *ch, const uint8_t *p, const uint8_t **next)
{
	struct spans old = {0};
	uint32_t kept;
	bool fits;
	*next = unpack(p, ch->n_old, &old, &kept);
	if (kept >= ch->n_new) {
		fits = false;
	} else if (ch->related) {
		struct walker a = {old.at, old.n, kept, 0, 0}, b = {ch->gap, ch->n_gaps, ch->n_new, 0, 0};
		fits = embed(ch->old, ch->n_old, a, b, &t->gaps);
	} else {
		struct variant v = {ch->old, ch->n_old, old.at, old.n, kept, NULL, 0};
		vec_clear(&t->tokens);
		vec_reserve(&t->tokens, (size_t)kept + 1);
		variant_symbols(&v, t->tokens.at);
		fits = embed_plain(t->tokens.at, kept, ch->new, ch->n_new, &t->gaps);
	}
	vec_release(&old);
	if (fits)
		pack(t, &t->gaps, ch->n_new);
	return fits;
}

static bool aside_change(void *user, const void *key, size_t len, const void **to, size_t *to_len)
{
	const struct min_change *ch = user;
	*to = key;
	*to_len = len;
	return ((const struct aside_key *)key)->n <= ch->n_new;
}

static void full_refresh(struct verdicts *c, const struct min_change *ch)
{
	struct full_cache *t = cache_of(c);
	struct bytes old = t->pool;
	size_t n = 0, cells;
	set_cells(t, 0);
	t->pool = (struct bytes){0};
	for (size_t at = 0; at < old.n;) {
		const uint8_t *p = old.at + at, *next;
		bool fits = re_encode(t, ch, p, &next);
		at += (size_t)(next - p);
		if (!fits)
			continue;
		if (t->pool.n + t->key.n > t->pool.cap)
			set_pool(t, (t->pool.n + t->key.n) * 9 / 8 + 32);
		memcpy(t->pool.at + t->pool.n, t->key.at, t->key.n);
		t->pool.n += t->key.n;
		n++;
	}
	mem_release(&c->mem, old.at, old.cap);
	t->n = n;
	cells = n ? n * 3 / 2 + 8 : 0;
	set_cells(t, cells);
	if (t->aside.n)
		keyset_rebuild(&t->aside, aside_change, (void *)ch);
	c->entries = t->n + t->aside.n;
}

static void full_release(struct verdicts *c)
{
	struct full_cache *t = cache_of(c);
	set_cells(t, 0);
	mem_release(&c->mem, t->pool.at, t->pool.cap);
	t->pool = (struct bytes){0};
	keyset_release(&t->aside);
	vec_release_all(&t->gaps, &t->key, &t->tokens);
}

#ifdef RF_INVARIANTS
/* The entry at p: decodes to a proper subsequence of min, is its leftmost embedding, and is what its cell points to. */
static void check_entry(struct full_cache *t, const uint8_t *p, const uint32_t *min, uint32_t n_min)
{
	uint32_t kept, end = 0;
	unpack(p, n_min, &t->gaps, &kept);
	INVARIANT(kept < n_min);
	for (size_t i = 0; i < t->gaps.n; i++) {
		struct span g = t->gaps.at[i];
		INVARIANT(g.from < g.to && g.to <= n_min && (i == 0 || g.from > end));
		end = g.to;
	}
	struct variant v = {min, n_min, t->gaps.at, t->gaps.n, kept, NULL, 0};
	uint32_t *tokens = mem_alloc(((size_t)kept + 1) * sizeof *tokens);
	variant_symbols(&v, tokens);
	struct spans again = {0};
	INVARIANT(embed_plain(tokens, kept, min, n_min, &again) && again.n == t->gaps.n);
	INVARIANT(memcmp(again.at, t->gaps.at, again.n * sizeof *again.at) == 0);
	vec_release(&again);
	free(tokens);
	size_t at = find_cell(t, p, entry_size(p));
	INVARIANT(t->cell[at] == (uint32_t)(p - t->pool.at) + 1);
}

static void full_check(struct verdicts *c, const uint32_t *min, uint32_t n)
{
	struct full_cache *t = cache_of(c);
	size_t entries = 0, at = 0, used = 0;
	for (; at < t->pool.n; at += entry_size(t->pool.at + at), entries++)
		check_entry(t, t->pool.at + at, min, n);
	for (size_t i = 0; i < t->n_cells; i++)
		used += t->cell[i] != 0;
	INVARIANT(at == t->pool.n && entries == t->n && used == t->n && t->pool.n <= t->pool.cap);
	INVARIANT(t->n * 5 <= t->n_cells * 4);
	keyset_check(&t->aside);
	INVARIANT(c->entries == t->n + t->aside.n);
	INVARIANT(c->mem.now == t->pool.cap + t->n_cells * sizeof *t->cell + keyset_bytes(&t->aside));
}
#endif

const struct verdicts_kind verdicts_full = {
	.name = "full",
	.summary = "rcc with packed entries, cheap at any size (the default)",
	.size = sizeof(struct full_cache),
	.has = full_has,
	.add = full_add,
	.refresh = full_refresh,
	.release = full_release,
	.check = VERDICTS_CHECK(full_check),
};
