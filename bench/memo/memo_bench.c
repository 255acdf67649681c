/* SPDX-License-Identifier: MIT */
/* Nanoseconds per look-up of a 16-byte key in memo tables, beside an open-addressing table written by hand for just
 * this key (no order, no eviction, no limit) and std::unordered_map: median of five rounds of CPU time, all in one
 * run. */
#include "refrain/memo.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 5, LOOKUPS = 20000000 };

struct key {
	uint64_t a, b;
};

static struct key key_of(uint64_t i)
{
	return (struct key){i * 0x9e3779b97f4a7c15u, i};
}

/* ---- the table written by hand */

struct hand {
	struct {
		struct key key;
		uint64_t value;
		bool used;
	} * cell;
	uint64_t mask;
};

static uint64_t hand_home(const struct hand *h, struct key k)
{
	uint64_t x = (k.a ^ k.b * 0xe7037ed1a0b428dbu) * 0x9e3779b97f4a7c15u;
	return (x ^ x >> 32) & h->mask;
}

static void hand_put(struct hand *h, struct key k, uint64_t value)
{
	uint64_t at = hand_home(h, k);
	while (h->cell[at].used)
		at = (at + 1) & h->mask;
	h->cell[at].key = k;
	h->cell[at].value = value;
	h->cell[at].used = true;
}

static inline bool hand_get(const struct hand *h, struct key k, uint64_t *value)
{
	for (uint64_t at = hand_home(h, k); h->cell[at].used; at = (at + 1) & h->mask)
		if (h->cell[at].key.a == k.a && h->cell[at].key.b == k.b) {
			*value = h->cell[at].value;
			return true;
		}
	return false;
}

/* ---- unordered.cc */
void *unordered_new(uint64_t distinct);
uint64_t unordered_look_up(const void *p, uint64_t distinct, int n, uint64_t *sum);
void unordered_free(void *p);

/* ---- measuring */

static double cpu(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;
	return (x > y) - (x < y);
}

enum how { INLINE, LIBRARY, HAND, UNORDERED };

/* `distinct` keys in a scrambled order; returns nanoseconds per look-up */
#define LOOK_UP(expression)                                                                                            \
	do {                                                                                                           \
		for (int i = 0; i < LOOKUPS; i++) {                                                                    \
			x = x * 6364136223846793005u + 1442695040888963407u;                                           \
			struct key k = key_of(((x >> 32) * distinct) >> 32);                                           \
			if (expression)                                                                                \
				hits += 1, sum += value;                                                               \
		}                                                                                                      \
	} while (0)

static double one_round(enum how how, rf_memo *m, const struct hand *h, const void *u, uint64_t distinct, double *ratio)
{
	uint64_t x = 1, value = 0, hits = 0, sum = 0;
	double t = cpu();
	if (how == INLINE)
		LOOK_UP(RF_MEMO_GET(m, &k, &value));
	else if (how == LIBRARY)
		LOOK_UP(rf_memo_get(m, &k, &value));
	else if (how == HAND)
		LOOK_UP(hand_get(h, k, &value));
	else
		hits = unordered_look_up(u, distinct, LOOKUPS, &sum);
	t = cpu() - t;
	*ratio = (double)hits / LOOKUPS;
	if (sum == 1)
		puts("the sum is used");
	return t / LOOKUPS * 1e9;
}

static void measure(const char *what, enum how how, const rf_memo_config *config, uint64_t distinct)
{
	double ns[ROUNDS], ratio = 0;
	struct hand h = {.mask = 1};
	while (h.mask < distinct * 2)
		h.mask *= 2;
	h.cell = calloc(h.mask, sizeof *h.cell);
	h.mask--;
	rf_memo *m = config ? rf_memo_new(config) : NULL;
	void *u = how == UNORDERED ? unordered_new(distinct) : NULL;
	for (uint64_t i = 0; i < distinct; i++) {
		struct key k = key_of(i);
		if (how == HAND)
			hand_put(&h, k, i);
		else if (how != UNORDERED)
			rf_memo_put(m, &k, &i);
	}
	for (int round = 0; round < ROUNDS; round++)
		ns[round] = one_round(how, m, &h, u, distinct, &ratio);
	qsort(ns, ROUNDS, sizeof *ns, by_value);
	printf("%-38s %7.1f ns  (%.1f – %.1f)  hit ratio %.3f\n", what, ns[ROUNDS / 2], ns[0], ns[ROUNDS - 1], ratio);
	rf_memo_free(m);
	if (u)
		unordered_free(u);
	free(h.cell);
}

int main(void)
{
	rf_memo_config single = {.kind = RF_MEMO_SINGLE, .key_size = 16, .value_size = 8};
	rf_memo_config direct = {.kind = RF_MEMO_DIRECT, .entries = 64, .key_size = 16, .value_size = 8};
	rf_memo_config lru = {.kind = RF_MEMO_LRU, .entries = 64, .key_size = 16, .value_size = 8};
	rf_memo_config large = lru, large_direct = direct, roomy = direct, shared = lru, own = lru;
	roomy.entries = 4096;
	large.entries = large_direct.entries = 100000;
	shared.thread_safe = own.per_thread = true;
	measure("by hand, 64 keys", HAND, NULL, 64);
	measure("unordered_map, 64 keys", UNORDERED, NULL, 64);
	measure("single", INLINE, &single, 1);
	measure("single, library call", LIBRARY, &single, 1);
	measure("direct 64, 64 keys", INLINE, &direct, 64);
	measure("direct 4096, 64 keys", INLINE, &roomy, 64);
	measure("direct 64, library call", LIBRARY, &direct, 64);
	measure("LRU 64, all hits", INLINE, &lru, 64);
	measure("LRU 64, library call", LIBRARY, &lru, 64);
	measure("LRU 64, half of 128 keys", INLINE, &lru, 128);
	measure("LRU 64, thread_safe", LIBRARY, &shared, 64);
	measure("LRU 64, per_thread", LIBRARY, &own, 64);
	measure("by hand, 100000 keys", HAND, NULL, 100000);
	measure("unordered_map, 100000 keys", UNORDERED, NULL, 100000);
	measure("direct 100000, 100000 keys", INLINE, &large_direct, 100000);
	measure("LRU 100000, all hits", INLINE, &large, 100000);
	return 0;
}
