/* SPDX-License-Identifier: MIT */
/* The unsat caches: see cache.h. Invariant: every live core is in the index exactly once, under the key of its
 * index_clause; when it was added that was the key with the fewest cores. */
#include "smt/cache/cache.h"

#include "base/invariant.h"
#include "smt/term/canon.h"

#include <string.h>

const struct cache_mode cache_modes[] = {
	{"full", "cache-a-lot, array cells as variables, sat answers by their models, and the stages before the solver",
	 MODE_UNSAT | MODE_SCALAR | MODE_SAT | MODE_STAGES},
	{"cache-a-lot", "unsat cores under every substitution of variables", MODE_UNSAT},
	{"utopia", "unsat cores after renaming variables in order of appearance", MODE_UNSAT | MODE_NAMES | MODE_CANON},
	{"subset", "unsat cores with the same variable names", MODE_UNSAT | MODE_NAMES},
	{"exact", "the same query again", MODE_UNSAT | MODE_NAMES | MODE_WHOLE},
	{"none", "ask the solver every time", 0},
	{NULL, NULL, 0},
};

const struct cache_options cache_defaults = {
	.match = MATCH_ALL, .max_steps = 100000, .max_bytes = (size_t)64 << 20, .max_cores_bytes = (size_t)1 << 30};

const char *cache_mode_name(size_t i)
{
	return cache_modes[i].name;
}

const struct cache_mode *cache_mode_find(const char *name)
{
	for (const struct cache_mode *m = cache_modes; m->name; m++)
		if (!strcmp(m->name, name))
			return m;
	return NULL;
}

struct cache {
	const struct cache_mode *mode;
	struct cache_options o;
	uint64_t max_steps; /* of a look-up; 0: no limit */
	struct match match;
	VEC(struct core *) core; /* oldest first */
	struct table index;
	struct query_index keys;
	struct canon canon;
	VEC(struct core *) candidate;
	uint64_t clock, added;
	struct cache_stats stats;
};

struct cache *cache_new(const struct cache_mode *mode, const struct cache_options *o)
{
	struct cache *c = mem_zalloc(sizeof *c);
	c->mode = mode;
	c->o = *o;
	c->max_steps = o->max_steps;
	c->match.flags = o->match | (mode->flags & MODE_NAMES ? MATCH_NAMES : 0) |
			 (mode->flags & MODE_SCALAR ? MATCH_SCALAR : 0);
	c->match.max_bytes = o->max_bytes;
	canon_init(&c->canon);
	return c;
}

void cache_free(struct cache *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->core.n; i++)
		core_free(c->core.at[i]);
	table_release(&c->index);
	query_index_release(&c->keys);
	vec_release_all(&c->core, &c->candidate);
	match_release(&c->match);
	canon_release(&c->canon);
	free(c);
}

struct cache_stats cache_stats(const struct cache *c)
{
	struct cache_stats s = c->stats;
	s.bytes += (c->index.cell ? (c->index.mask + 1) * sizeof(struct cell) : 0) + c->core.cap * sizeof *c->core.at;
	if (s.bytes > s.peak_bytes)
		s.peak_bytes = s.bytes;
	s.lookup_peak_bytes = c->match.peak_bytes;
	return s;
}

static unsigned key_kinds(const struct cache *c)
{
	if (c->mode->flags & MODE_NAMES)
		return 1u << KEY_NAMED;
	return c->mode->flags & MODE_SCALAR ? 1u << KEY_SHAPE | 1u << KEY_SCALAR : 1u << KEY_SHAPE;
}

static bool footprint_inside(const struct core *k, const struct query_index *keys)
{
	for (uint32_t i = 0; i < k->n_clauses; i++)
		if (query_index_find(keys, k->clause[i].key) == TERM_NONE)
			return false;
	return true;
}

/* Proved cores first, because the others cost a question; then used ones, then younger ones: hits come in runs. */
static int by_use(const void *a, const void *b)
{
	const struct core *x = *(struct core *const *)a, *y = *(struct core *const *)b;
	if (x->proved != y->proved)
		return x->proved ? -1 : 1;
	if (x->uses != y->uses)
		return x->uses > y->uses ? -1 : 1;
	return x->number > y->number ? -1 : x->number < y->number;
}

static void select_candidates(struct cache *c, const struct query *q)
{
	uint64_t bloom[BLOOM_WORDS] = {0};
	const struct query_index *keys = &c->keys;
	vec_clear(&c->candidate);
	for (size_t i = 0; i <= keys->mask; i++)
		if (keys->cell.at[i].first != TERM_NONE)
			bloom_add(bloom, keys->cell.at[i].key);
	for (size_t i = 0; i <= keys->mask; i++) {
		if (keys->cell.at[i].first == TERM_NONE)
			continue;
		uint64_t key = keys->cell.at[i].key;
		uint32_t r;
		for (struct table_probe p = table_probe(&c->index, key);
		     (r = table_next(&c->index, &p)) != TABLE_NONE;) {
			struct core *k = c->core.at[r];
			if (k->refused || k->clause[k->index_clause].key != key || !bloom_inside(k->bloom, bloom))
				continue;
			if ((c->mode->flags & MODE_WHOLE) && k->n_clauses != q->conj.n)
				continue;
			if (footprint_inside(k, keys))
				vec_push(&c->candidate, k);
		}
	}
	if (c->candidate.n > 1)
		qsort(c->candidate.at, c->candidate.n, sizeof *c->candidate.at, by_use);
}

void cache_limit_steps(struct cache *c, uint64_t steps)
{
	c->max_steps = c->o.max_steps && c->o.max_steps < steps ? c->o.max_steps : steps;
}

enum rc cache_lookup(struct cache *c, const struct query *q, struct cache_hit *hit)
{
	if (!(c->mode->flags & MODE_UNSAT))
		return RC_NO;
	if (!c->core.n || !q->conj.n)
		return RC_NO;
	if ((c->mode->flags & MODE_CANON) || c->o.canonize)
		q = canon_query(&c->canon, q);
	query_index_build(&c->keys, q, key_kinds(c));
	select_candidates(c, q);
	c->match.steps = 0;
	c->match.max_steps = c->max_steps;
	for (size_t i = 0; i < c->candidate.n; i++) {
		struct core *k = c->candidate.at[i];
		c->stats.tests++;
		enum rc rc = match_core(&c->match, k, q, &c->keys);
		if (rc == RC_OK) {
			k->uses++;
			k->last_use = ++c->clock;
			*hit = (struct cache_hit){k, c->match.value.at, q};
			return RC_OK;
		}
		if (c->match.gave_up) {
			c->stats.gave_up++;
			if (c->max_steps && c->match.steps > c->max_steps)
				break;
		}
	}
	return RC_NO;
}

static size_t filed_under(const struct cache *c, uint64_t key)
{
	size_t n = 0;
	uint32_t r;
	for (struct table_probe p = table_probe(&c->index, key);
	     n < 1000 && (r = table_next(&c->index, &p)) != TABLE_NONE;)
		n++;
	return n;
}

/* The key that fewest cores are filed under; among equals the largest clause, which fewest queries have. */
static void choose_index_clause(const struct cache *c, struct core *k)
{
	size_t best = SIZE_MAX;
	for (uint32_t i = 0; i < k->n_clauses && best; i++) {
		size_t n = filed_under(c, k->clause[i].key);
		if (n < best) {
			best = n;
			k->index_clause = i;
		}
	}
}

static int by_age(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return x < y ? -1 : x > y;
}

/* Above the limit the least recently used eighth goes at once, so that the scan is paid rarely. */
static void evict(struct cache *c)
{
	VEC(uint64_t) ages = {0};
	for (size_t i = 0; i < c->core.n; i++)
		vec_push(&ages, c->core.at[i]->last_use);
	qsort(ages.at, ages.n, sizeof *ages.at, by_age);
	uint64_t cut = ages.at[ages.n / 8];
	size_t all = c->core.n;
	vec_release(&ages);
	vec_clear(&c->core);
	table_clear(&c->index);
	for (size_t i = 0; i < all; i++) {
		struct core *k = c->core.at[i];
		if (k->last_use <= cut && i + 1 < all) { /* the newest stays */
			c->stats.bytes -= k->bytes;
			c->stats.evicted++;
			core_free(k);
			continue;
		}
		vec_push(&c->core, k);
		table_insert(&c->index, k->clause[k->index_clause].key, (uint32_t)c->core.n - 1);
	}
	/* what is left was used later than anything that went */
	for (size_t i = 0; i + 1 < c->core.n; i++)
		INVARIANT(c->core.at[i]->last_use > cut);
}

struct core *cache_add(struct cache *c, const struct query *q, const uint32_t *conj, size_t n, bool proved,
		       const char *origin)
{
	if (!(c->mode->flags & MODE_UNSAT) || !n)
		return NULL;
	unsigned flags =
		(c->mode->flags & MODE_NAMES ? CORE_NAMES : 0) | (c->mode->flags & MODE_SCALAR ? CORE_SCALAR : 0);
	VEC(uint32_t) all = {0};
	if (c->mode->flags & MODE_WHOLE) {
		for (size_t i = 0; i < q->conj.n; i++)
			vec_push(&all, (uint32_t)i);
		conj = all.at;
		n = all.n;
	}
	if ((c->mode->flags & MODE_CANON) || c->o.canonize)
		q = canon_query(&c->canon, q);
	struct core *k = core_new(q, conj, n, flags, origin);
	vec_release(&all);
	k->proved = proved;
	k->number = ++c->added;
	k->last_use = ++c->clock;
	choose_index_clause(c, k);
	vec_push(&c->core, k);
	table_insert(&c->index, k->clause[k->index_clause].key, (uint32_t)c->core.n - 1);
	c->stats.bytes += k->bytes;
	if (c->stats.bytes > c->stats.peak_bytes)
		c->stats.peak_bytes = c->stats.bytes;
	if (c->o.max_cores_bytes && c->stats.bytes > c->o.max_cores_bytes && c->core.n > 1)
		evict(c);
	return k;
}

void cache_refuse(struct core *core)
{
	core->refused = true;
}

#ifdef RF_INVARIANTS
void cache_check(const struct cache *c)
{
	size_t bytes = 0;
	uint64_t before = 0;
	for (uint32_t i = 0; i < c->core.n; i++) {
		const struct core *k = c->core.at[i];
		size_t filed = 0;
		uint32_t r;
		core_check(k);
		for (struct table_probe p = table_probe(&c->index, k->clause[k->index_clause].key);
		     (r = table_next(&c->index, &p)) != TABLE_NONE;)
			filed += r == i;
		INVARIANT(filed == 1 && k->number > before && k->last_use <= c->clock);
		before = k->number;
		bytes += k->bytes;
	}
	INVARIANT(before <= c->added && c->index.n == c->core.n);
	INVARIANT(bytes == c->stats.bytes && c->stats.peak_bytes >= bytes);
}
#endif
