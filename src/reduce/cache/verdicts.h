/* SPDX-License-Identifier: MIT */
/* Caches of failed variants, behind one interface: one row each.
 *
 * A cache knows the minimum (its symbols, in order) and is asked about variants of it (struct variant). Only variants
 * that failed are added, so an answer is "known to fail" or "not known". When the minimum changes the cache is told the
 * old and the new one; all deletion variants asked for afterwards are subsequences of the new minimum, so what is no
 * subsequence of it may be dropped.
 *
 * All memory of a cache, containers included, is counted by its mem_counter; scratch space of a single call is not.
 *
 * To add a cache: write cache/NAME.c with a struct verdicts_kind and put it in verdicts_kinds[] (verdicts.c). */
#ifndef REDUCE_CACHE_VERDICTS_H
#define REDUCE_CACHE_VERDICTS_H

#include "data/mem.h"
#include "reduce/model/variant.h"

/* From one minimum to the next. related: the new one is the old one without the gaps. */
struct min_change {
	const uint32_t *old, *new;
	uint32_t n_old, n_new;
	bool related;
	const struct span *gap;
	size_t n_gaps;
};

struct verdicts_stats {
	uint64_t lookups, hits, entries, peak_entries;
	size_t bytes, peak_bytes;
	double avg_bytes; /* over the lookups */
};

struct verdicts_kind;

/* The common head of every cache; read-only for its users. */
struct verdicts {
	const struct verdicts_kind *kind;
	const struct symbols *symbols;
	const uint32_t *input; /* the program the reduction began with (a copy) */
	uint32_t n_input;
	bool account_only;
	struct mem_counter mem;
	uint64_t entries, peak_entries, lookups, hits;
	double byte_sum;
};

struct verdicts_kind {
	const char *name;
	const char *summary;
	size_t size; /* of the cache's struct, which starts with struct verdicts; zeros are an empty cache */
	bool (*has)(struct verdicts *c, const struct variant *v);
	void (*add)(struct verdicts *c, const struct variant *v);         /* v is not in it; keeps c->entries right */
	void (*refresh)(struct verdicts *c, const struct min_change *ch); /* NULL: nothing to do */
	void (*release)(struct verdicts *c);
	/* For verdicts_check; NULL: nothing to walk. */
	void (*check)(struct verdicts *c, const uint32_t *min, uint32_t n);
};

extern const struct verdicts_kind *const verdicts_kinds[]; /* NULL-ended; the first is the default */
extern const struct verdicts_kind verdicts_full, verdicts_rcc, verdicts_none, verdicts_str, verdicts_zip, verdicts_sha,
	verdicts_cc, verdicts_rstr, verdicts_rcc_size;
const struct verdicts_kind *verdicts_find(const char *name);
const char *verdicts_name(size_t i); /* NULL after the last */

/* symbols must outlive the cache. account_only: str and zip count the bytes of their keys without keeping them (a
 * digest stands for the key). */
struct verdicts *verdicts_new(const struct verdicts_kind *kind, const struct symbols *symbols, const uint32_t *input,
			      uint32_t n_input, bool account_only);
bool verdicts_has(struct verdicts *c, const struct variant *v);
void verdicts_add(struct verdicts *c, const struct variant *v);
/* Adds v unless it is there; no lookup is counted. */
void verdicts_note(struct verdicts *c, const struct variant *v);
void verdicts_refresh(struct verdicts *c, const struct min_change *ch);
struct verdicts_stats verdicts_stats(const struct verdicts *c);
void verdicts_free(struct verdicts *c);

/* A row's check function, which exists only where invariants are on. */
#ifdef RF_INVARIANTS
#define VERDICTS_CHECK(f) (f)
/* Walks the cache of a run whose minimum is min. */
void verdicts_check(struct verdicts *c, const uint32_t *min, uint32_t n);
#else
#define VERDICTS_CHECK(f) NULL
#define verdicts_check(c, min, n) ((void)(c), (void)(min), (void)(n))
#endif

#endif
