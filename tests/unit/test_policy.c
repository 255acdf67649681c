/* SPDX-License-Identifier: MIT */
/* Every policy against its naive reference, by both drivers, on random traces; and the contract of drop and evict. The
 * policy's own walker looks at its state on the way. */
#include <stddef.h>
#include <stdint.h>

#include "testing.h"
#include "base/policy.h"
#include "naive_policy.inc"

#include <stdio.h>

enum { MAX_KEYS = 400, MAX_REFS = 4000 };

static struct rng rng = {20261115};

/* Phases of loops, skewed draws and scans, so that every policy has something to decide. */
static size_t random_trace(uint64_t *t, uint32_t keys)
{
	size_t n = 0, want = 50 + rng_below(&rng, MAX_REFS - 50);
	while (n < want) {
		size_t len = 1 + rng_below(&rng, 4 * keys);
		uint32_t kind = rng_below(&rng, 4), base = rng_below(&rng, keys), span = 1 + rng_below(&rng, keys);
		for (size_t i = 0; i < len && n < want; i++) {
			uint64_t r = rng_below(&rng, span);
			t[n++] = (base + (kind == 0   ? i % span
					  : kind == 1 ? r
					  : kind == 2 ? r * rng_below(&rng, span) / span
						      : i)) %
				 keys;
		}
	}
	return n;
}

static void *state_new(const struct policy *p, uint32_t cap, uint64_t seed)
{
	size_t size = p->state_size(cap);
	if (!size)
		return NULL;
	void *st = calloc(1, size);
	assert_non_null(st);
	p->init(st, cap, seed);
	return st;
}

/* After every step of a small cache, now and then in a large one. */
static void walk(const struct policy *p, void *state, uint32_t cap, const bool *used)
{
	if (cap <= 64 || rng_below(&rng, 16) == 0)
		p->check(state, used);
}

/* A run-time cache with the plainest possible index. */
struct runtime {
	const struct policy *p;
	void *state;
	uint32_t cap;
	bool used[4096];
	uint64_t key[4096];
};

static long runtime_find(const struct runtime *c, uint64_t key)
{
	uint32_t from = 0, to = c->cap;
	if (c->p->flags & POLICY_PLACED) {
		from = c->p->place(c->state, key);
		to = from + c->p->ways;
	}
	for (uint32_t s = from; s < to; s++)
		if (c->used[s] && c->key[s] == key)
			return s;
	return -1;
}

static bool runtime_access(struct runtime *c, uint64_t key)
{
	long s = runtime_find(c, key);
	if (s >= 0) {
		c->p->hit(c->state, (uint32_t)s);
		walk(c->p, c->state, c->cap, c->used);
		return true;
	}
	uint32_t slot = c->p->admit(c->state, key);
	if (slot != POLICY_BYPASS) {
		assert_true(slot < c->cap);
		c->used[slot] = true;
		c->key[slot] = key;
	}
	walk(c->p, c->state, c->cap, c->used);
	return false;
}

static void fill_next(const uint64_t *t, size_t n, uint64_t *next)
{
	static uint64_t seen[MAX_KEYS];
	for (size_t i = 0; i < MAX_KEYS; i++)
		seen[i] = UINT64_MAX;
	for (size_t i = n; i-- > 0; seen[t[i]] = i)
		next[i] = seen[t[i]];
}

/* All references through run() in blocks of random length; missed[i] says which missed. */
static void run_blocks(const struct policy *p, uint64_t seed, const uint64_t *t, size_t n, uint32_t cap, bool *missed)
{
	static uint32_t id[MAX_REFS];
	static uint64_t next[MAX_REFS], size[MAX_REFS];
	static uint8_t said[MAX_REFS];
	fill_next(t, n, next);
	for (size_t i = 0; i < n; i++) {
		id[i] = (uint32_t)t[i];
		size[i] = 1 + t[i];
		said[i] = 0;
	}
	struct policy_sim s = {.state = calloc(1, p->sim_size(cap, false)), .near = rng_below(&rng, 2)};
	s.node = calloc(POLICY_FIRST_NODE + MAX_KEYS, p->node_size);
	assert_true(s.state && s.node);
	p->sim_init(s.state, cap, false, seed);
	struct policy_core *c = s.state;
	uint64_t bytes = 0;
	for (size_t i = 0; i < n;) {
		size_t len = rng_below(&rng, 3) ? 1 : 1 + rng_below(&rng, 100);
		len = len < n - i ? len : n - i;
		uint64_t before = c->misses;
		p->run(&s, &(struct policy_refs){.id = id + i,
						 .key = t + i,
						 .next = next + i,
						 .size = size + i,
						 .missed = said + i,
						 .n = len});
		uint64_t wanted = 0;
		for (size_t j = i; j < i + len; j++) {
			wanted += missed[j];
			bytes += missed[j] ? size[j] : 0;
		}
		if (c->misses - before != wanted)
			fail_msg("%s, size %u: run() has %lu misses in %zu…%zu, the reference %lu", p->name, cap,
				 (unsigned long)(c->misses - before), i, i + len, (unsigned long)wanted);
		i += len;
		if (cap <= 64 || rng_below(&rng, 16) == 0)
			p->sim_check(&s, POLICY_FIRST_NODE + MAX_KEYS);
	}
	assert_int_equal(c->miss_bytes, bytes);
	for (size_t i = 0; i < n; i++)
		assert_int_equal(said[i], missed[i]);
	free(s.state);
	free(s.node);
}

/* Of a policy without a naive reference here (tests/attack has its model): what the simulator says. */
static void run_once(const struct policy *p, uint64_t seed, const uint64_t *t, size_t n, uint32_t cap, bool *missed)
{
	static uint32_t id[MAX_REFS];
	uint8_t said[MAX_REFS] = {0};
	struct policy_sim s = {.state = calloc(1, p->sim_size(cap, false)),
			       .node = calloc(POLICY_FIRST_NODE + MAX_KEYS, p->node_size)};
	assert_true(s.state && s.node);
	p->sim_init(s.state, cap, false, seed);
	for (size_t i = 0; i < n; i++)
		id[i] = (uint32_t)t[i];
	p->run(&s, &(struct policy_refs){.id = id, .key = t, .missed = said, .n = n});
	for (size_t i = 0; i < n; i++)
		missed[i] = said[i];
	free(s.state);
	free(s.node);
}

static void check_policy(const struct policy *p)
{
	static uint64_t t[MAX_REFS];
	static bool missed[MAX_REFS];
	size_t total = 0, cases = 0;
	for (int round = 0; round < 120; round++) {
		uint32_t keys = 1 + (uint32_t)rng_below(&rng, round % 3 ? 40 : MAX_KEYS),
			 cap = 1 + (uint32_t)rng_below(&rng, keys + 2);
		cap = strcmp(p->name, "single") == 0 ? 1 : p->ways ? (cap + p->ways - 1) / p->ways * p->ways : cap;
		uint64_t seed = rng_next(&rng);
		size_t n = random_trace(t, keys);
		if (!p->sim_size(cap, false))
			continue;
		struct naive *m = naive_new(p->name, cap, seed, t, n);
		if (!m)
			run_once(p, seed, t, n, cap, missed);
		for (size_t i = 0; i < n; i++) {
			if (m)
				missed[i] = !naive_access(m, t[i]);
			total += missed[i];
		}
		naive_free(m);
		run_blocks(p, seed, t, n, cap, missed);
		cases++;
		if (p->flags & POLICY_FUTURE)
			continue;
		struct runtime *c = calloc(1, sizeof *c);
		assert_non_null(c);
		*c = (struct runtime){.p = p, .state = state_new(p, cap, seed), .cap = cap};
		for (size_t i = 0; i < n; i++)
			if (runtime_access(c, t[i]) == missed[i])
				fail_msg("%s, size %u: hit/admit differ from the reference at %zu", p->name, cap, i);
		free(c->state);
		free(c);
	}
	assert_true(cases > 5 && total > 0);
}

static void both_drivers_match_the_naive_references(void **unused)
{
	(void)unused;
	for (size_t i = 0; policies[i]; i++)
		check_policy(policies[i]);
}

/* drop at random: the dropped key misses next, slots in use never exceed cap, a full cache stays full */
static void drop_frees_a_slot(void **unused)
{
	(void)unused;
	for (size_t i = 0; policies[i]; i++) {
		const struct policy *p = policies[i];
		if (p->flags & POLICY_FUTURE)
			continue;
		for (uint32_t cap = 1; cap <= 64; cap = cap * 2 + (cap > 1)) {
			struct runtime *c = calloc(1, sizeof *c);
			assert_non_null(c);
			*c = (struct runtime){.p = p, .state = state_new(p, cap, 7), .cap = cap};
			for (int step = 0; c->state && step < 5000; step++) {
				uint64_t key = rng_below(&rng, 3 * cap);
				runtime_access(c, key);
				long s = runtime_find(c, key = rng_below(&rng, 3 * cap));
				if (s >= 0 && rng_below(&rng, 4) == 0) {
					p->drop(c->state, (uint32_t)s);
					c->used[s] = false;
					walk(p, c->state, cap, c->used);
					assert_false(runtime_access(c, key));
				}
				uint32_t in_use = 0;
				for (uint32_t q = 0; q < cap; q++)
					in_use += c->used[q];
				if (p->evict && in_use && rng_below(&rng, 5) == 0) {
					uint32_t v = p->evict(c->state);
					assert_true(v < cap && c->used[v]);
					c->used[v] = false;
					walk(p, c->state, cap, c->used);
				}
			}
			free(c->state);
			free(c);
		}
	}
}

/* two keys of the caller with one number: a ghost is revived, a block in a slot is not touched */
static void keys_with_the_same_number(void **unused)
{
	(void)unused;
	for (size_t i = 0; policies[i]; i++) {
		const struct policy *p = policies[i];
		enum { CAP = 7 };
		if (!(p->flags & POLICY_GHOSTS))
			continue;
		bool used[CAP] = {false};
		void *state = state_new(p, CAP, 3);
		for (int step = 0; step < 20000; step++) {
			uint32_t slot = (uint32_t)rng_below(&rng, CAP);
			if (used[slot] && rng_below(&rng, 2)) {
				p->hit(state, slot);
			} else {
				slot = p->admit(state, rng_below(&rng, 9));
				assert_true(slot < CAP);
				used[slot] = true;
			}
			p->check(state, used);
		}
		free(state);
	}
}

static void names_are_found_and_unique(void **unused)
{
	(void)unused;
	for (size_t i = 0; policies[i]; i++) {
		assert_ptr_equal(policy_find(policies[i]->name), policies[i]);
		assert_non_null(policies[i]->summary);
		assert_int_equal(policies[i]->sim_size(0, false), 0);
		assert_int_equal(policies[i]->sim_size(UINT32_MAX, false), 0);
		if (policies[i]->state_size) {
			assert_int_equal(policies[i]->state_size(0), 0);
			assert_int_equal(policies[i]->state_size(UINT32_MAX), 0);
		}
	}
	assert_null(policy_find("lr"));
	assert_null(policy_find("lruu"));
	assert_null(policy_find(""));
}

/* what a newcomer can check with pencil and paper */
static void known_sequences(void **unused)
{
	(void)unused;
	static const struct {
		const char *policy, *trace, *hits; /* one letter a reference, h = hit */
		uint32_t cap;
	} known[] = {
		{"lru", "abcabdacb", "---hh-h--", 3},
		{"fifo", "abcabdab", "---hh---", 3},
		{"clock", "abcadab", "---h-h-", 3},
		{"direct", "adgad", "-----", 3},
		{"single", "aabba", "-h-h-", 1},
		/* a has two uses, but c and d came later: evictions have aged it */
		{"gdsf", "aabcda", "-h----", 2},
		{"lfu", "aabcda", "-h---h", 2},
		{"lrfu", "aaabcab", "-hh--h-", 2},
	};
	for (size_t i = 0; i < ARRAY_LEN(known); i++) {
		struct runtime c = {.p = policy_find(known[i].policy), .cap = known[i].cap};
		c.state = state_new(c.p, c.cap, 0);
		char got[64] = "";
		for (size_t j = 0; known[i].trace[j]; j++)
			got[j] = runtime_access(&c, (uint64_t)(known[i].trace[j] - 'a')) ? 'h' : '-';
		assert_string_equal(got, known[i].hits);
		free(c.state);
	}
}

UNIT_TESTS(cmocka_unit_test(both_drivers_match_the_naive_references), cmocka_unit_test(drop_frees_a_slot),
	   cmocka_unit_test(keys_with_the_same_number), cmocka_unit_test(names_are_found_and_unique),
	   cmocka_unit_test(known_sequences))
