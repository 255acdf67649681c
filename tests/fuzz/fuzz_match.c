/* SPDX-License-Identifier: MIT */
/* Two scripts, split by a byte 1: every way of matching the first's clauses in the second gives the same answer, a
 * query always matches itself, and a cache that knows less never finds more. */
#include "smt/cache/cache.h"

#include "../unit/smt_load.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const char declarations[] = "(declare-fun x () Int)(declare-fun y () Int)(declare-fun z () Int)(declare-fun a "
				   "() (_ BitVec 8))(declare-fun b () (_ BitVec 8))"
				   "(declare-fun m () (Array (_ BitVec 8) (_ BitVec 8)))(declare-fun n () (Array (_ "
				   "BitVec 8) (_ BitVec 8)))(declare-fun f (Int) Int)";

static bool load(struct reader *l, const char *text, size_t n)
{
	struct buf b = {0};
	buf_str_add(&b, declarations);
	buf_add(&b, text, n);
	reader_init(l);
	l->dag.budget = 20000;
	bool ok = !memchr(text, 0, n) && smt_load(l, b.at) && l->query.conj.n && l->query.conj.n < 40;
	buf_release(&b);
	return ok;
}

/* 1, 0, or −1 when the budget ended it */
static int matches(const char *mode, unsigned flags, const struct query *core, const struct query *q)
{
	struct cache_options o = {.match = flags, .max_steps = 20000, .max_bytes = 1 << 20};
	struct cache *c = cache_new(cache_mode_find(mode), &o);
	struct cache_hit hit;
	VEC(uint32_t) all = {0};
	for (uint32_t i = 0; i < core->conj.n; i++)
		vec_push(&all, i);
	cache_add(c, core, all.at, all.n, true, "");
	int r = cache_lookup(c, q, &hit) == RC_OK ? 1 : cache_stats(c).gave_up ? -1 : 0;
	cache_free(c);
	vec_release(&all);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *cut = size ? memchr(data, 1, size) : NULL;
	struct reader core, query;
	if (!cut || size > 4096)
		return 0;
	bool ok = load(&core, (const char *)data, (size_t)(cut - data));
	ok &= load(&query, (const char *)cut + 1, size - (size_t)(cut - data) - 1);
	if (ok) {
		int full = matches("full", MATCH_ALL, &core.query, &query.query);
		int subst = matches("cache-a-lot", MATCH_ALL, &core.query, &query.query);
		for (unsigned m = 0; m < MATCH_ALL; m++) {
			int r = matches("cache-a-lot", m, &core.query, &query.query);
			if (r >= 0 && subst >= 0 && r != subst)
				abort();
		}
		if (subst == 1 && full == 0)
			abort();
		if ((matches("subset", MATCH_ALL, &core.query, &query.query) == 1 ||
		     matches("utopia", MATCH_ALL, &core.query, &query.query) == 1) &&
		    subst == 0)
			abort();
		if (matches("full", MATCH_ALL, &query.query, &query.query) == 0)
			abort();
	}
	reader_release(&core);
	reader_release(&query);
	return 0;
}
