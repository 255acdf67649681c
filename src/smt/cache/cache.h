/* SPDX-License-Identifier: MIT */
/* The unsat caches. All six are one store of cores with different rules for what a core is and when it matches:
 * a row of cache_modes[]; to add one is to add a row.
 *
 * Look-up: the query's clause keys lead to the cores filed under one of their own keys (never a scan over all cores);
 * then 1024-bit Bloom filters, then footprints (sets of keys) are compared; then the matcher decides. */
#ifndef SMT_CACHE_CACHE_H
#define SMT_CACHE_CACHE_H

#include "smt/cache/match.h"

enum {
	MODE_UNSAT = 1,   /* reuses unsat answers */
	MODE_WHOLE = 2,   /* a core is the whole query, and must be the whole of the other */
	MODE_NAMES = 4,   /* same names */
	MODE_CANON = 8,   /* after renaming in order of appearance */
	MODE_SCALAR = 16, /* constant reads as variables */
	MODE_SAT = 32,    /* reuses sat answers, by their models */
	MODE_STAGES = 64, /* the stages in front of the solver (smt/decide) */
};

struct cache_mode {
	const char *name, *summary;
	unsigned flags;
};

extern const struct cache_mode cache_modes[]; /* ended by a NULL name */
const struct cache_mode *cache_mode_find(const char *name);
const char *cache_mode_name(size_t i); /* NULL after the last */

struct cache_options {
	unsigned match;         /* MATCH_O1 | … switched on */
	uint64_t max_steps;     /* per look-up; 0: no limit */
	size_t max_bytes;       /* of one look-up's tables; 0: no limit */
	size_t max_cores_bytes; /* the least recently used cores go above this; 0: no limit */
	bool canonize;          /* rename before anything else, also where the mode does not need it */
};

extern const struct cache_options cache_defaults;

struct cache_hit {
	struct core *core;
	const uint32_t *value; /* per variable of the core: 1 + place in query->atom; valid until the next look-up */
	const struct query *query; /* in whose terms: the renamed one under MODE_CANON */
};

struct cache_stats {
	uint64_t tests; /* cores that the matcher was asked about */
	uint64_t gave_up, evicted;
	size_t bytes, peak_bytes, lookup_peak_bytes;
};

struct cache;
struct cache *cache_new(const struct cache_mode *mode, const struct cache_options *o);
void cache_free(struct cache *c);

/* No later look-up takes more matching steps than that, or than the options say. */
void cache_limit_steps(struct cache *c, uint64_t steps);
/* RC_OK and the hit, or RC_NO. Refused cores are passed over. */
enum rc cache_lookup(struct cache *c, const struct query *q, struct cache_hit *hit);
/* Remembers that the conjuncts conj (places in q->conj) are unsat together. proved: the solver said so of them
 * alone. NULL when this mode keeps nothing. The core stays the cache's. */
struct core *cache_add(struct cache *c, const struct query *q, const uint32_t *conj, size_t n, bool proved,
		       const char *origin);
/* The solver did not confirm it: it is never used again. */
void cache_refuse(struct core *core);

struct cache_stats cache_stats(const struct cache *c);

/* Every live core is in the index once, under the key of its index_clause; the bytes are those of the live cores. */
void cache_check(const struct cache *c);

#endif
