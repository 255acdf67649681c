/* SPDX-License-Identifier: MIT */
/* Which cache to suggest, what it would save, and whether it is safe. */
#include "profile/profile.h"

#include <stdio.h>
#include <string.h>

/* What a look-up costs, in instructions: a fixed part, the key's bytes hashed and compared, and on a hit the
 * result's bytes copied. Measured on <refrain/memo.h>: see bench/profile. */
#define LOOKUP_FIXED 30.0
#define LOOKUP_PER_KEY_BYTE 0.75
#define LOOKUP_PER_RESULT_BYTE 0.25

static double ratio(uint64_t part, uint64_t of)
{
	return of ? (double)part / (double)of : 0;
}

static bool has_instance(const struct profile_function *f)
{
	for (unsigned i = 0; i < f->sig->n_args; i++)
		if (f->sig->arg[i].pointer)
			return true;
	return false;
}

/* Simplest first, as the paper's Table 1 lists them. */
static const struct cache_result *suggest(const struct profile_options *o, struct profile_function *f)
{
	const struct caches *c = &f->caches;
	const struct {
		const struct cache_result *r;
		const char *size, *scope;
		bool instance;
	} rows[] = {
		{&c->single_global, "single", "global", false},
		{&c->single_instance, "single", "instance", true},
		{&c->multi_global, "multi", "global", false},
		{&c->multi_instance, "multi", "instance", true},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if ((rows[i].instance && !has_instance(f)) || ratio(rows[i].r->hits, c->calls) < o->min_hit_ratio)
			continue;
		f->size = rows[i].size;
		f->scope = rows[i].scope;
		f->entries = rows[i].r == &c->multi_global ? c->lru_enough : rows[i].r->entries;
		return rows[i].r;
	}
	return NULL;
}

void profile_judge(struct profile *p, const struct profile_options *o, struct profile_function *f)
{
	(void)p;
	caches_simulate(&f->seen, &f->caches);
	const struct cache_result *r = suggest(o, f);
	if (!r) {
		f->status = f->caches.conflicts ? STATUS_CONFLICTS : STATUS_INPUTS;
		f->hit_ratio = ratio(f->caches.multi_global.hits, f->caches.calls);
		return;
	}
	f->hit_ratio = ratio(r->hits, f->caches.calls);
	double outer = 0;
	for (size_t i = 0; i < f->seen.call.n; i++)
		if (!f->seen.call.at[i].nested)
			outer += f->seen.call.at[i].cost;
	double key = ratio(f->seen.in_bytes, f->seen.seen), result = ratio(f->seen.out_bytes, f->seen.seen);
	double cost = (double)f->caches.calls * (LOOKUP_FIXED + LOOKUP_PER_KEY_BYTE * key) +
		      (double)r->hits * LOOKUP_PER_RESULT_BYTE * result;
	double net = (double)r->saved - cost;
	f->saved_share = outer > 0 && net > 0 ? f->time_share * net / outer : 0;
}

/* ---- safety, in words */

static void list_globals(const struct profile_function *f, unsigned flag, unsigned without, struct buf *b)
{
	unsigned n = 0;
	for (size_t i = 0; i < f->globals.n; i++) {
		const struct profile_global *g = &f->globals.at[i];
		if (!(g->flags & flag) || (g->flags & without))
			continue;
		if (n++ == 6) {
			buf_str_add(b, ", …");
			return;
		}
		buf_printf(b, "%s%s", n > 1 ? ", " : " ", g->name);
	}
}

static unsigned count_globals(const struct profile_function *f, unsigned flag, unsigned without)
{
	unsigned n = 0;
	for (size_t i = 0; i < f->globals.n; i++)
		n += (f->globals.at[i].flags & flag) && !(f->globals.at[i].flags & without);
	return n;
}

static void say(struct buf *b, const char *text)
{
	if (b->n)
		buf_str_add(b, "; ");
	buf_str_add(b, text);
}

char *profile_verdict(const struct profile_function *f)
{
	const struct calls *c = &f->seen;
	struct buf b = {0};
	if (c->sys && c->sys == c->seen) {
		say(&b, "does I/O (system calls), do not memoize");
	} else if (c->sys) {
		say(&b, "does I/O (system calls) in ");
		buf_printf(&b, "%llu of %llu calls, do not memoize these", (unsigned long long)c->sys,
			   (unsigned long long)c->seen);
	}
	if (c->freed)
		say(&b, "frees memory from before the call, do not memoize");
	if (c->unwound)
		say(&b, "sometimes left by longjmp or an exception");
	if (count_globals(f, VG_GLOBAL_CHANGED, 0)) {
		say(&b, "changes globals");
		list_globals(f, VG_GLOBAL_CHANGED, 0, &b);
	}
	if (c->outside)
		say(&b, "fills memory it was given, memoize that too");
	if (c->alloc)
		say(&b, "returns new memory, share or copy it");
	if (count_globals(f, VG_GLOBAL_READ, VG_GLOBAL_CHANGED)) {
		say(&b, "depends on globals");
		list_globals(f, VG_GLOBAL_READ, VG_GLOBAL_CHANGED, &b);
	}
	if (f->caches.conflicts)
		say(&b, "gave different outputs for the same input");
	if (c->threads & (c->threads - 1))
		say(&b, "is called by several threads");
	if (c->cut)
		say(&b, "was not seen completely");
	if (!b.n)
		say(&b, "pure on this run");
	char *text = mem_strdup(buf_str(&b));
	buf_release(&b);
	return text;
}
