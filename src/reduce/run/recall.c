/* SPDX-License-Identifier: MIT */
/* Verdicts by text: see recall.h. Texts are located by a fast hash and told apart by SHA-256, which is also the
 * ledger's key; it is made only when the hash is known, when a ledger is asked, or when there is a verdict to keep.
 * What a server says is believed when it is "no"; a "yes" is tested again before it becomes a minimum, so that
 * whatever the server holds, every minimum was tested by this user. */
#include "reduce/run/recall.h"

#include "base/invariant.h"

#include <string.h>

void text_query_init(struct text_query *q, size_t n_texts)
{
	*q = (struct text_query){.n = n_texts, .texts = mem_zalloc(mem_mul(n_texts, sizeof *q->texts))};
}

void text_query_release(struct text_query *q)
{
	for (size_t i = 0; i < q->n; i++)
		buf_release(&q->texts[i]);
	free(q->texts);
	*q = (struct text_query){0};
}

void text_query_clear(struct text_query *q)
{
	for (size_t i = 0; i < q->n; i++)
		buf_clear(&q->texts[i]);
	q->have_hash = q->have_key = false;
}

const struct digest256 *text_query_key(struct text_query *q)
{
	if (!q->have_key)
		q->key = ledger_key(q->texts, q->n);
	q->have_key = true;
	return &q->key;
}

uint64_t text_query_hash(struct text_query *q)
{
	if (q->have_hash)
		return q->hash;
	q->hash = 0;
	for (size_t i = 0; i < q->n; i++)
		q->hash = hash64_seed(buf_str(&q->texts[i]), q->texts[i].n, q->hash + i);
	q->have_hash = true;
	return q->hash;
}

static struct recalled *find(struct recall *r, struct text_query *q)
{
	uint32_t i;
	for (struct table_probe p = table_probe(&r->index, text_query_hash(q));
	     (i = table_next(&r->index, &p)) != TABLE_NONE;)
		if (memcmp(&r->text.at[i].key, text_query_key(q), sizeof q->key) == 0)
			return &r->text.at[i];
	return NULL;
}

static void remember(struct recall *r, struct text_query *q, bool interesting)
{
	struct recalled *known = find(r, q);
	if (known) {
		known->interesting = interesting;
	} else if (!r->off) {
		vec_push(&r->text, ((struct recalled){*text_query_key(q), interesting}));
		table_insert(&r->index, text_query_hash(q), (uint32_t)(r->text.n - 1));
	}
	INVARIANT(r->text.n == r->index.n);
}

/* What has a grammar in which white space is a token may print more than it was read from; without this a minimum
 * could be followed by one that was there before, for ever. */
static bool was_minimum(const struct recall *r, struct text_query *q)
{
	uint32_t i;
	uint64_t hash = text_query_hash(q);
	for (struct table_probe p = table_probe(&r->minima, hash); (i = table_next(&r->minima, &p)) != TABLE_NONE;)
		if (r->minimum.at[i] == hash)
			return true;
	return false;
}

void recall_minimum(struct recall *r, struct text_query *q)
{
	if (was_minimum(r, q))
		return;
	table_insert(&r->minima, text_query_hash(q), (uint32_t)r->minimum.n);
	vec_push(&r->minimum, text_query_hash(q));
}

bool recall_find(struct recall *r, struct text_query *q, bool *interesting)
{
	if (was_minimum(r, q)) {
		r->hits++;
		*interesting = false;
		return true;
	}
	const struct recalled *known = find(r, q);
	if (known) {
		r->hits++;
		*interesting = known->interesting;
		return true;
	}
	if (!r->ledger || !ledger_shared(r->ledger) || !ledger_get(r->ledger, text_query_key(q), interesting))
		return false;
	/* somebody else's "no" can only cost size, a "yes" would become the result */
	if (*interesting && !ledger_own(r->ledger))
		return false;
	r->store_hits++;
	remember(r, q, *interesting);
	return true;
}

void recall_note(struct recall *r, struct text_query *q, bool interesting)
{
	remember(r, q, interesting);
	if (r->ledger)
		ledger_put(r->ledger, text_query_key(q), interesting);
}

void recall_release(struct recall *r)
{
	vec_release_all(&r->text, &r->minimum);
	table_release(&r->index);
	table_release(&r->minima);
}
