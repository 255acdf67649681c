/* SPDX-License-Identifier: MIT */
/* Inside of turns.c and the policies beside it. */
#ifndef TRACE_TURNS_INSIDE_H
#define TRACE_TURNS_INSIDE_H

#include "trace/turns/turns.h"

/* References ahead that what is known of a block is fetched. */
enum { TURNS_FAR = 16 };

/* What every state starts with. */
struct turns {
	const struct turns_kind *kind;
	struct turns_trace trace;
	unsigned n;
	uint64_t misses[TURNS_MOST], miss_bytes[TURNS_MOST];
};

struct turns_kind {
	const char *policy;
	uint32_t more; /* distinct blocks above which it is faster than the caches in step */
	bool by_place;
	/* How many of the sizes, which rise, go through the trace together. */
	unsigned (*together)(const uint64_t *size, size_t n);
	struct turns *(*make)(const struct turns_trace *t, const uint64_t *size, unsigned n, uint64_t seed);
	void (*run)(struct turns *s, const struct policy_refs *r);
	void (*release)(struct turns *s);
};

static inline void turns_missed(struct turns *s, unsigned i, const struct policy_refs *r, size_t k)
{
	s->misses[i]++;
	s->miss_bytes[i] += r->size ? r->size[k] : 0;
}

extern const struct turns_kind turns_gdsf, turns_lrfu, turns_wtinylfu, turns_awtinylfu;

#endif
