/* SPDX-License-Identifier: MIT */
/* The table of caches and what they share: counting. See verdicts.h. */
#include "reduce/cache/verdicts.h"

#include "base/invariant.h"

#include <string.h>

static bool none_has(struct verdicts *c, const struct variant *v)
{
	(void)c, (void)v;
	return false;
}

static void none_add(struct verdicts *c, const struct variant *v)
{
	(void)c, (void)v;
}

static void none_release(struct verdicts *c)
{
	(void)c;
}

const struct verdicts_kind verdicts_none = {
	.name = "none",
	.summary = "no cache",
	.size = sizeof(struct verdicts),
	.has = none_has,
	.add = none_add,
	.release = none_release,
};

const struct verdicts_kind *const verdicts_kinds[] = {
	&verdicts_full, &verdicts_rcc, &verdicts_none, &verdicts_str,      &verdicts_zip,
	&verdicts_sha,  &verdicts_cc,  &verdicts_rstr, &verdicts_rcc_size, NULL,
};

const char *verdicts_name(size_t i)
{
	return verdicts_kinds[i] ? verdicts_kinds[i]->name : NULL;
}

const struct verdicts_kind *verdicts_find(const char *name)
{
	for (const struct verdicts_kind *const *k = verdicts_kinds; *k; k++)
		if (strcmp((*k)->name, name) == 0)
			return *k;
	return NULL;
}

struct verdicts *verdicts_new(const struct verdicts_kind *kind, const struct symbols *symbols, const uint32_t *input,
			      uint32_t n_input, bool account_only)
{
	struct verdicts *c = mem_zalloc(kind->size);
	c->kind = kind;
	c->symbols = symbols;
	c->input = mem_dup(input, mem_mul(n_input, sizeof *input));
	c->n_input = n_input;
	c->account_only = account_only;
	return c;
}

bool verdicts_has(struct verdicts *c, const struct variant *v)
{
	bool hit = c->kind->has(c, v);
	c->lookups++;
	c->hits += hit;
	c->byte_sum += (double)c->mem.now;
	return hit;
}

void verdicts_add(struct verdicts *c, const struct variant *v)
{
	c->kind->add(c, v);
	if (c->entries > c->peak_entries)
		c->peak_entries = c->entries;
}

void verdicts_note(struct verdicts *c, const struct variant *v)
{
	if (!c->kind->has(c, v))
		verdicts_add(c, v);
}

void verdicts_refresh(struct verdicts *c, const struct min_change *ch)
{
	if (c->kind->refresh)
		c->kind->refresh(c, ch);
}

struct verdicts_stats verdicts_stats(const struct verdicts *c)
{
	return (struct verdicts_stats){
		.lookups = c->lookups,
		.hits = c->hits,
		.entries = c->entries,
		.peak_entries = c->peak_entries,
		.bytes = c->mem.now,
		.peak_bytes = c->mem.peak,
		.avg_bytes = c->lookups ? c->byte_sum / (double)c->lookups : 0,
	};
}

void verdicts_free(struct verdicts *c)
{
	if (!c)
		return;
	c->kind->release(c);
	free((void *)c->input);
	free(c);
}

#ifdef RF_INVARIANTS
void verdicts_check(struct verdicts *c, const uint32_t *min, uint32_t n)
{
	INVARIANT(c->hits <= c->lookups);
	INVARIANT(c->entries <= c->peak_entries && c->mem.now <= c->mem.peak);
	if (c->kind->check)
		c->kind->check(c, min, n);
}
#endif
