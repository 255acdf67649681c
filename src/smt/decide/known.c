/* SPDX-License-Identifier: MIT */
/* Answers by their set of conjuncts: see known.h. Everything is appended; the owner releases it whole when it has grown
 * too large. */
#include "smt/decide/known.h"

#include "base/invariant.h"

#include <string.h>

/* Postings looked at for one query, from the newest nodes down: what is old is in most answers and tells them apart
 * least. Per node the latest ones. */
enum { MAX_POSTINGS = 4096, MAX_NODE_POSTINGS = 256 };

void known_release(struct known *k)
{
	vec_release_all(&k->answer, &k->keys, &k->cells, &k->sat, &k->posting, &k->head, &k->score, &k->touched);
	table_release(&k->index);
}

size_t known_bytes(const struct known *k)
{
	return k->answer.cap * sizeof *k->answer.at + k->cells.cap * sizeof *k->cells.at +
	       (k->keys.cap + k->sat.cap + k->head.cap + k->score.cap) * sizeof(uint32_t) +
	       k->posting.cap * sizeof *k->posting.at + (k->index.cell ? (k->index.mask + 1) * sizeof(struct cell) : 0);
}

uint32_t known_find(const struct known *k, const uint32_t *key, size_t n, uint64_t hash)
{
	uint32_t r;
	for (struct table_probe p = table_probe(&k->index, hash); (r = table_next(&k->index, &p)) != TABLE_NONE;) {
		const struct known_answer *a = &k->answer.at[r];
		if (a->hash == hash && a->n_key == n && (!n || !memcmp(k->keys.at + a->key, key, n * sizeof *key)))
			return r;
	}
	return KNOWN_NONE;
}

static void post(struct known *k, uint32_t node, uint32_t answer)
{
	if (k->head.n <= node) {
		size_t more = node + 1 - k->head.n;
		vec_reserve(&k->head, more);
		memset(k->head.at + k->head.n, 0, more * sizeof *k->head.at);
		k->head.n = (size_t)node + 1;
	}
	vec_push(&k->posting, ((struct known_posting){answer, k->head.at[node]}));
	k->head.at[node] = (uint32_t)k->posting.n;
}

void known_add(struct known *k, const uint32_t *key, size_t n, uint64_t hash, bool sat, const struct known_cell *cells,
	       size_t n_cells)
{
	uint32_t r = (uint32_t)k->answer.n;
	INVARIANT(known_find(k, key, n, hash) == KNOWN_NONE);
	vec_push(&k->answer, ((struct known_answer){hash, k->keys.n, k->cells.n, (uint32_t)n, (uint32_t)n_cells, sat}));
	vec_push(&k->score, 0);
	vec_reserve(&k->keys, n);
	vec_reserve(&k->cells, n_cells);
	for (size_t i = 0; i < n; i++)
		k->keys.at[k->keys.n++] = key[i];
	for (size_t i = 0; i < n_cells; i++)
		k->cells.at[k->cells.n++] = cells[i];
	table_insert(&k->index, hash, r);
	if (!sat)
		return;
	vec_push(&k->sat, r);
	for (size_t i = 0; i < n; i++)
		post(k, key[i], r);
}

/* Gives the answers that share nodes with the key their scores. */
static void score(struct known *k, const uint32_t *key, size_t n)
{
	size_t looked = 0;
	vec_clear(&k->touched);
	for (size_t i = n; i-- > 0 && looked < MAX_POSTINGS;) {
		uint32_t at = key[i] < k->head.n ? k->head.at[key[i]] : 0;
		for (size_t m = 0; at && m < MAX_NODE_POSTINGS; m++, looked++, at = k->posting.at[at - 1].next) {
			uint32_t answer = k->posting.at[at - 1].answer;
			if (!k->score.at[answer]++)
				vec_push(&k->touched, answer);
		}
	}
}

size_t known_nearest(struct known *k, const uint32_t *key, size_t n, uint32_t out[KNOWN_NEAREST])
{
	size_t found = 0;
	score(k, key, n);
	for (size_t i = 0; i < k->touched.n; i++) {
		uint32_t r = k->touched.at[i], s = k->score.at[r];
		size_t at = found;
		while (at && (k->score.at[out[at - 1]] < s || (k->score.at[out[at - 1]] == s && out[at - 1] < r)))
			at--;
		if (at == KNOWN_NEAREST)
			continue;
		size_t last = found < KNOWN_NEAREST ? found++ : KNOWN_NEAREST - 1;
		memmove(out + at + 1, out + at, (last - at) * sizeof *out);
		out[at] = r;
	}
	for (size_t i = 0; i < k->touched.n; i++)
		k->score.at[k->touched.at[i]] = 0;
	return found;
}

#ifdef RF_INVARIANTS
static bool has_node(const struct known *k, const struct known_answer *a, uint32_t node)
{
	for (uint32_t i = 0; i < a->n_key; i++)
		if (k->keys.at[a->key + i] == node)
			return true;
	return false;
}

void known_check(const struct known *k)
{
	for (uint32_t r = 0; r < k->answer.n; r++) {
		const struct known_answer *a = &k->answer.at[r];
		for (uint32_t i = 1; i < a->n_key; i++)
			INVARIANT(k->keys.at[a->key + i - 1] < k->keys.at[a->key + i]);
		INVARIANT(known_find(k, vec_from(&k->keys, a->key), a->n_key, a->hash) == r);
		INVARIANT(!k->score.at[r]);
	}
	for (uint32_t node = 0; node < k->head.n; node++)
		for (uint32_t at = k->head.at[node]; at; at = k->posting.at[at - 1].next) {
			const struct known_answer *a = &k->answer.at[k->posting.at[at - 1].answer];
			INVARIANT(a->sat && has_node(k, a, node));
		}
	INVARIANT(k->index.n == k->answer.n);
}
#endif
