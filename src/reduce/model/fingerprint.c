/* SPDX-License-Identifier: MIT */
/* Fingerprints: see fingerprint.h. With s_i the symbol at place i (plus one) and B the base, a text of n symbols
 * has the number Σ s_i · B^(n−1−i); sum[i] is that of the first i symbols of the minimum. A run of places from
 * … to−1 has sum[to] − sum[from] · B^(to−from), and runs are put together as digits are. */
#include "reduce/model/fingerprint.h"

#define PRIME ((UINT64_C(1) << 61) - 1)
#define BASE UINT64_C(1318699352941718843)

static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t s = a + b;
	return s >= PRIME ? s - PRIME : s;
}

static uint64_t mul(uint64_t a, uint64_t b)
{
	unsigned __int128 p = (unsigned __int128)a * b;
	return add((uint64_t)p & PRIME, (uint64_t)(p >> 61));
}

static uint64_t power(struct fingerprint *f, size_t k)
{
	if (!f->power.n)
		vec_push(&f->power, 1);
	while (f->power.n <= k) {
		uint64_t next = mul(vec_last(&f->power), BASE);
		vec_push(&f->power, next);
	}
	return f->power.at[k];
}

static void add_up(struct fingerprint *f, const struct model *m)
{
	uint64_t sum = 0;
	if (f->version == m->version + 1)
		return;
	f->version = m->version + 1;
	vec_clear(&f->sum);
	vec_push(&f->sum, 0);
	for (uint32_t i = 0; i < m->n; i++) {
		sum = add(mul(sum, BASE), (uint64_t)m->min[i] + 1);
		vec_push(&f->sum, sum);
	}
}

uint64_t fingerprint_of(struct fingerprint *f, const struct model *m, const struct variant *v)
{
	add_up(f, m);
	uint64_t h = 0;
	uint32_t at = 0, done = 0;
	size_t r = 0;
	for (size_t i = 0; i <= v->n_gaps; i++) {
		uint32_t end = i < v->n_gaps ? v->gap[i].from : v->n_min;
		uint64_t shift = power(f, end - at);
		h = add(mul(h, shift), add(f->sum.at[end], PRIME - mul(f->sum.at[at], shift)));
		done += end - at;
		/* what a rewrite changes, as a digit of the text so far */
		for (; r < v->n_rewrites && v->rewrite[r].token < end; r++) {
			uint32_t place = v->rewrite[r].token;
			uint64_t change = add((uint64_t)v->rewrite[r].sym, PRIME - v->min[place]);
			h = add(h, mul(change, power(f, end - 1 - place)));
		}
		at = i < v->n_gaps ? v->gap[i].to : end;
	}
	return add(mul(h, BASE), done + UINT64_C(1));
}

void fingerprint_release(struct fingerprint *f)
{
	vec_release_all(&f->sum, &f->power);
}
