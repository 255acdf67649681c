/* SPDX-License-Identifier: MIT */
/* See turns.h: which policies there are, and what is counted. */
#include "data/mem.h"
#include "trace/turns/inside.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST = 4 };
/* Ranks of GDSF, up to twice the references, and places have 32 bits. */
#define MOST_REFERENCES (UINT32_MAX / 2)

static const struct turns_kind *const kinds[] = {&turns_gdsf, &turns_lrfu, &turns_wtinylfu, &turns_awtinylfu};

static const struct turns_kind *kind_of(const struct policy *p)
{
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (strcmp(kinds[i]->policy, p->name) == 0)
			return kinds[i];
	return NULL;
}

bool turns_by_place(const struct policy *p, uint32_t distinct)
{
	const struct turns_kind *kind = kind_of(p);
	return kind && kind->by_place && distinct > kind->more;
}

uint32_t *turns_next(const uint32_t *id, size_t n, uint32_t distinct)
{
	if (n >= MOST_REFERENCES)
		return NULL;
	uint32_t *next = mem_alloc(mem_mul(n + 1, sizeof *next)),
		 *seen = mem_alloc(mem_mul((size_t)distinct + 1, sizeof *seen));
	memset(seen, 0xff, distinct * sizeof *seen);
	for (size_t i = n; i-- > 0;) {
		next[i] = seen[id[i]];
		seen[id[i]] = (uint32_t)i;
	}
	free(seen);
	return next;
}

bool turns_can(const struct policy *p, size_t n, bool by_bytes, const struct turns_trace *t)
{
	const struct turns_kind *kind = kind_of(p);
	return kind && !by_bytes && n >= LEAST && t->references && t->references < MOST_REFERENCES &&
	       t->distinct > kind->more && (t->next || !kind->by_place);
}

unsigned turns_together(const struct policy *p, const uint64_t *size, size_t n)
{
	return kind_of(p)->together(size, n);
}

struct turns *turns_new(const struct policy *p, const uint64_t *size, unsigned n, const struct turns_trace *t,
			uint64_t seed)
{
	const struct turns_kind *kind = kind_of(p);
	struct turns *s = kind->make(t, size, n, seed);
	s->kind = kind;
	s->trace = *t;
	s->n = n;
	return s;
}

void turns_run(struct turns *s, const struct policy_refs *refs)
{
	s->kind->run(s, refs);
}

struct misses turns_misses(const struct turns *s, unsigned i)
{
	return (struct misses){s->misses[i], s->miss_bytes[i]};
}

void turns_free(struct turns *s)
{
	if (s)
		s->kind->release(s);
}
