/* SPDX-License-Identifier: MIT */
/* The policies of the library against models of the papers (trace_models.inc), over the same random traces, by blocks
 * and by bytes. A difference is made smaller, one reference at a time, and printed with the options that show it.
 *
 * Usage: trace_models SEED SECONDS TRACES (it ends when both are reached; 0 SECONDS: TRACES alone)
 *        trace_models trace SEED (prints one trace: key,size per line)
 *        trace_models misses POLICY SIZE blocks|bytes < trace (the model's misses) */
#include "trace/simulate/simulate.h"
#include "trace/simulate/windows.h"

#include "trace_models.inc"
#include "trace_models_counting.inc"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static const struct kind {
	const char *name;
	access_fn access;
	uint32_t ways; /* sizes are multiples of it; 0: any */
} kinds[] = {
	{"lru", lru, 0},
	{"mru", mru, 0},
	{"fifo", fifo, 0},
	{"clock", second_chance, 0},
	{"sieve", sieve, 0},
	{"random", at_random, 0},
	{"lfu", lfu, 0},
	{"slru", slru, 0},
	{"2q", two_q, 0},
	{"arc", arc, 0},
	{"lirs", lirs, 0},
	{"s3fifo", s3fifo, 0},
	{"opt", opt, 0},
	{"wtinylfu", tinylfu, 0},
	{"awtinylfu", tinylfu_adaptive, 0},
	{"gdsf", gdsf, 0},
	{"lrfu", lrfu, 0},
	{"single", single, 1},
	{"direct", direct, 1},
	{"assoc2", assoc2, 2},
	{"assoc4", assoc4, 4},
	{"assoc8", assoc8, 8},
	{"assoc16", assoc16, 16},
};

enum { KINDS = sizeof kinds / sizeof kinds[0] };

struct trace {
	struct ref at[MOST];
	int n;
	uint64_t seed;
};

/* Whether each reference missed; an object larger than the cache does, and nothing else happens. */
static void run_model(const struct kind *k, const struct trace *t, uint64_t cap, bool bytes, bool *missed)
{
	static struct model m;
	memset(&m, 0, sizeof m);
	m.cap = cap;
	m.seed = t->seed;
	m.hand = -1;
	m.bytes = bytes;
	for (int i = 0; i < t->n; i++) {
		struct ref r = {t->at[i].key, bytes ? t->at[i].size : 1};
		m.trace = t->at + i + 1;
		m.rest = t->n - i - 1;
		if (r.size > cap) { /* a hit, if it came when it was smaller; else nothing happens */
			static struct model before;
			before = m;
			missed[i] = true;
			r.size = 0;
			if (k->access(&m, r))
				missed[i] = false;
			else
				m = before;
			m.now += !missed[i];
			continue;
		}
		missed[i] = !k->access(&m, r);
		m.now++;
	}
}

/* Cut again for each run. */
static struct windows windows;
static struct windows_seen seen;

static bool run_library(const struct kind *k, const struct trace *t, uint64_t cap, bool bytes, uint8_t *missed)
{
	struct sim_spec spec = {.policy = policy_find(k->name), .size = cap, .by_bytes = bytes, .seed = t->seed};
	struct err e = ERR_INIT;
	struct sim *s;
	if (!spec.policy || sim_new(&s, &spec, &e))
		return false;
	uint32_t id[MOST];
	uint64_t key[MOST], next[MOST], size[MOST];
	for (int i = 0; i < t->n; i++) {
		int j = i + 1;
		while (j < t->n && t->at[j].key != t->at[i].key)
			j++;
		id[i] = t->at[i].key;
		key[i] = t->at[i].key;
		size[i] = t->at[i].size;
		next[i] = j < t->n ? (uint64_t)j : UINT64_MAX;
	}
	memset(missed, 0, MOST);
	/* two blocks, the second one in windows */
	size_t half = (size_t)t->n / 3;
	struct policy_refs first = {.id = id, .key = key, .next = next, .size = size, .missed = missed, .n = half};
	sim_run(s, &first, MOST);
	struct policy_refs rest = {.id = id + half,
				   .key = key + half,
				   .next = next + half,
				   .size = size + half,
				   .missed = missed + half,
				   .n = (size_t)t->n - half};
	if (sim_takes_windows(s))
		windows_cut(&windows, &seen, &rest, MOST);
	sim_run(s, &rest, MOST);
	uint64_t n = 0;
	for (int i = 0; i < t->n; i++)
		n += missed[i];
	bool counted = sim_misses(s).n == n;
	sim_free(s);
	return counted;
}

/* The first reference that differs; −1: none. */
static int difference(const struct kind *k, const struct trace *t, uint64_t cap, bool bytes)
{
	bool want[MOST];
	uint8_t got[MOST];
	run_model(k, t, cap, bytes, want);
	if (!run_library(k, t, cap, bytes, got))
		return 0;
	for (int i = 0; i < t->n; i++)
		if (want[i] != got[i])
			return i;
	return -1;
}

static uint64_t rng_state;

static uint32_t draw(uint32_t n)
{
	rng_state += 0x9e3779b97f4a7c15u;
	return (uint32_t)(scramble(rng_state) % n);
}

/* Hot sets, loops and scans; sizes of a key are mostly the same. */
static void make_trace(struct trace *t, uint64_t seed)
{
	rng_state = seed * 0x2545f4914f6cdd1du;
	uint32_t keys = 1 + draw(draw(3) ? 12 : 60), largest = 1 + draw(9), sizes = draw(4);
	t->seed = seed;
	t->n = 0;
	int want = 1 + (int)draw(draw(4) ? 60 : MOST - 1);
	while (t->n < want) {
		uint32_t base = draw(keys), span = 1 + draw(keys), len = 1 + draw(40), way = draw(4);
		for (uint32_t i = 0; i < len && t->n < want; i++) {
			uint32_t r = draw(span), at = way == 0 ? i : way == 1 ? r : way == 2 ? draw(r + 1) : i % span;
			struct ref *x = &t->at[t->n++];
			x->key = (base + at) % keys;
			x->size = scramble(seed ^ x->key) % (largest + 1);
			if (sizes == 0) /* never the same for long */
				x->size = draw(largest + 1);
			else if (sizes == 1)
				x->size = x->size ? x->size : 1;
		}
	}
}

static void shrink(const struct kind *k, struct trace *t, uint64_t cap, bool bytes)
{
	t->n = difference(k, t, cap, bytes) + 1;
	for (int i = 0; i < t->n;) {
		struct trace less = *t;
		for (int j = i; j + 1 < t->n; j++)
			less.at[j] = t->at[j + 1];
		less.n--;
		if (less.n && difference(k, &less, cap, bytes) >= 0)
			*t = less;
		else
			i++;
	}
}

static void report(const struct kind *k, struct trace *t, uint64_t cap, bool bytes)
{
	shrink(k, t, cap, bytes);
	printf("different at the last reference: --policy=%s --size=%llu%s --seed=%llu, key,size:", k->name,
	       (unsigned long long)cap, bytes ? " --bytes" : "", (unsigned long long)t->seed);
	for (int i = 0; i < t->n; i++)
		printf(" %u,%llu", t->at[i].key, (unsigned long long)t->at[i].size);
	printf("\n");
}

/* All policies over one trace, by blocks and by bytes, at a random size each. */
static int compare(const struct trace *t, uint64_t *comparisons)
{
	int different = 0;
	for (int i = 0; i < KINDS; i++) {
		for (int bytes = 0; bytes <= (kinds[i].ways == 0); bytes++) {
			uint64_t cap = 1 + draw(draw(2) ? 12 : bytes ? 200 : 40);
			if (kinds[i].ways)
				cap = kinds[i].access == single ? 1 : (1 + cap / kinds[i].ways) * kinds[i].ways;
			++*comparisons;
			if (difference(&kinds[i], t, cap, bytes) < 0)
				continue;
			struct trace smaller = *t;
			report(&kinds[i], &smaller, cap, bytes);
			different++;
		}
	}
	return different;
}

static int attack(uint64_t seed, long seconds, uint64_t traces)
{
	static struct trace t;
	uint64_t done = 0, comparisons = 0;
	int different = 0;
	time_t end = time(NULL) + seconds;
	for (int i = 0; policies[i]; i++) {
		bool known = false;
		for (int j = 0; j < KINDS; j++)
			known |= strcmp(kinds[j].name, policies[i]->name) == 0;
		if (!known) {
			printf("policy %s has no model\n", policies[i]->name);
			different++;
		}
	}
	while ((done < traces || time(NULL) < end) && different < 10) {
		make_trace(&t, seed + done++);
		different += compare(&t, &comparisons);
	}
	printf("%llu traces, %llu comparisons, %d differences\n", (unsigned long long)done,
	       (unsigned long long)comparisons, different);
	return different != 0;
}

static int print_trace(uint64_t seed)
{
	static struct trace t;
	make_trace(&t, seed);
	for (int i = 0; i < t.n; i++)
		printf("%u,%llu\n", t.at[i].key, (unsigned long long)t.at[i].size);
	return 0;
}

static int print_misses(const char *policy, uint64_t cap, bool bytes)
{
	static struct trace t;
	bool missed[MOST];
	unsigned long long size;
	t.seed = 1;
	while (t.n < MOST && scanf("%u,%llu", &t.at[t.n].key, &size) == 2)
		t.at[t.n++].size = size;
	for (int i = 0; i < KINDS; i++) {
		if (strcmp(kinds[i].name, policy) != 0)
			continue;
		int n = 0;
		run_model(&kinds[i], &t, cap, bytes, missed);
		for (int j = 0; j < t.n; j++)
			n += missed[j];
		printf("%d\n", n);
		return 0;
	}
	return 2;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "trace") == 0)
		return print_trace(strtoull(argv[2], NULL, 10));
	if (argc == 5 && strcmp(argv[1], "misses") == 0)
		return print_misses(argv[2], strtoull(argv[3], NULL, 10), strcmp(argv[4], "bytes") == 0);
	if (argc == 4)
		return attack(strtoull(argv[1], NULL, 10), atol(argv[2]), strtoull(argv[3], NULL, 10));
	return 2;
}
