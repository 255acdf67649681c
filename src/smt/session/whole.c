/* SPDX-License-Identifier: MIT */
/* Unsat answers to whole queries with quantifiers. What a solver proves of quantified formulas depends on its options
 * and patterns, and a part of such a query asked by itself may not end: the cores of verifiers' queries (Boogie, Dafny)
 * are often refused. The answer to the very same query is worth keeping all the same. A query is known by the SHA-256
 * of its canonical text, names and sorts included, so nothing is matched and nothing needs another proof: the solver
 * said unsat to exactly these formulas. What a store says of them cannot be tested by asking less than the whole query
 * again, so it is believed only when the user says so (trust_store). */
#include "smt/session/internal.h"

#include <string.h>

static uint64_t digest_hash(const struct digest256 *d)
{
	uint64_t h;
	memcpy(&h, d->byte, sizeof h);
	return h;
}

/* The digest of the current query; false when it cannot be written as text. */
static bool digest_query(struct smt_session *s, struct digest256 *out)
{
	const struct query *q = &s->script.reader.query;
	VEC(uint32_t) all = {0};
	for (uint32_t i = 0; i < q->conj.n; i++)
		vec_push(&all, i);
	struct core *c = core_new(q, all.at, all.n, CORE_NAMES, "");
	buf_clear(&s->scratch);
	bool ok = core_print(c, &s->printer, &s->scratch, false) == RC_OK;
	if (ok)
		*out = digest_sha256(buf_str(&s->scratch), s->scratch.n);
	core_free(c);
	vec_release(&all);
	return ok;
}

bool wholes_has(const struct wholes *w, const struct digest256 *d)
{
	uint32_t r;
	for (struct table_probe p = table_probe(&w->index, digest_hash(d));
	     (r = table_next(&w->index, &p)) != TABLE_NONE;)
		if (!memcmp(w->digest.at[r].byte, d->byte, sizeof d->byte))
			return true;
	return false;
}

void wholes_add(struct wholes *w, const struct digest256 *d)
{
	if (wholes_has(w, d))
		return;
	vec_push(&w->digest, *d);
	table_insert(&w->index, digest_hash(d), (uint32_t)w->digest.n - 1);
}

bool whole_known(struct smt_session *s)
{
	struct wholes *w = &s->learnt.wholes;
	const struct query *q = &s->script.reader.query;
	w->ready = (s->o.mode->flags & MODE_SAT) && q->quantified && q->conj.n && digest_query(s, &w->current);
	if (!w->ready)
		return false;
	if (wholes_has(w, &w->current))
		return true;
	if (!s->o.trust_store || !stored_has(s, 'w', &w->current))
		return false;
	wholes_add(w, &w->current);
	return true;
}

void whole_learn(struct smt_session *s)
{
	struct wholes *w = &s->learnt.wholes;
	if (!w->ready)
		return;
	wholes_add(w, &w->current);
	stored_add(s, 'w', &w->current);
}
