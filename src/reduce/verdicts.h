/* Caches of failed variants, behind one interface: one row each.
 *
 * A cache knows the minimum (its symbols, in order) and is asked about variants of it, given as the sorted, disjoint,
 * non-empty and non-touching spans of places that a variant leaves out. Only variants that failed are added, so an answer
 * is "known to fail" or "not known". When the minimum changes the cache is told which places of the old one stayed; all
 * variants ever asked for afterwards are subsequences of the new minimum, so what is no subsequence may be dropped.
 * A minimum that is no subsequence of the old one (a rewrite) is announced with verdicts_rebase.
 *
 * All memory of a cache, containers included, is counted in its mem_counter. */
#ifndef REDUCE_VERDICTS_H
#define REDUCE_VERDICTS_H

#include "reduce/variant.h"

#include "core/mem.h"

/* A variant of the minimum, for the caches. */
struct variant {
	const uint32_t *min; /* the minimum's symbols */
	uint32_t n_min;
	const struct span *gap; /* places left out */
	size_t n_gaps;
	uint32_t n; /* places kept */
};

struct verdicts;

struct verdicts_kind {
	const char *name;
	const char *summary;
	struct verdicts *(*new)(const struct symbols *symbols, const uint32_t *input, uint32_t n_input, bool account_only);
	bool (*has)(struct verdicts *c, const struct variant *v);
	void (*add)(struct verdicts *c, const struct variant *v); /* v is not in it */
	/* The minimum v->min lost v's gaps: the new minimum. NULL: nothing to do. */
	void (*refresh)(struct verdicts *c, const struct variant *v);
	void (*free)(struct verdicts *c);
};

struct verdicts_stats {
	uint64_t lookups, hits, entries, peak_entries;
	size_t bytes, peak_bytes;
	double avg_bytes; /* over lookups */
};

extern const struct verdicts_kind *const verdicts_kinds[]; /* NULL-ended; the first is the default */
const struct verdicts_kind *verdicts_find(const char *name);

#endif
