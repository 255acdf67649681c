/* SPDX-License-Identifier: MIT */
/* Caches simulated together count what each of them counts alone: all policies at many sizes over random traces, by
 * blocks and by bytes, with objects that keep their sizes and that do not. */
#include "testing.h"

#include "base/bits.h"
#include "data/mem.h"
#include "trace/lists/lists.h"
#include "trace/simulate/steps.h"
#include "trace/simulate/unit.h"
#include "trace/simulate/windows.h"

#include <string.h>

/* More sizes of OPT than OPTSIZES_MOST are simulated in another way. */
enum { REFS = 3000, KEYS = 300, SIZES = 90, MOST_SIZES = 260 };

static struct rng rng = {20261117};

struct input {
	uint32_t id[REFS];
	uint64_t key[REFS], next[REFS], size[REFS];
	uint64_t largest;
	bool change;
	size_t n;
};

static void make_input(struct input *in)
{
	uint64_t keys = 1 + rng_below(&rng, KEYS), largest = 1 + rng_below(&rng, 20), seen[KEYS];
	*in = (struct input){.change = rng_below(&rng, 3) == 0, .n = 1 + rng_below(&rng, REFS)};
	for (size_t i = 0; i < in->n;) {
		uint64_t base = rng_below(&rng, keys), span = 1 + rng_below(&rng, keys), kind = rng_below(&rng, 3);
		for (uint64_t j = 0, len = rng_below(&rng, 200); j < len && i < in->n; j++, i++) {
			uint64_t r = rng_below(&rng, span), at = kind == 0 ? j % span : kind == 1 ? r : r * r / span;
			in->id[i] = (uint32_t)((base + at) % keys);
			in->key[i] = in->id[i];
			in->size[i] = in->change ? rng_below(&rng, largest + 1) : mix64(in->id[i]) % (largest + 1);
			in->largest = in->size[i] > in->largest ? in->size[i] : in->largest;
		}
	}
	for (size_t k = 0; k < KEYS; k++)
		seen[k] = UINT64_MAX;
	for (size_t i = in->n; i-- > 0; seen[in->id[i]] = i)
		in->next[i] = seen[in->id[i]];
}

static struct policy_refs part(const struct input *in, size_t from, size_t n, bool sizes)
{
	return (struct policy_refs){.id = in->id + from,
				    .key = in->key + from,
				    .next = in->next + from,
				    .size = sizes ? in->size + from : NULL,
				    .n = n};
}

/* The counts of one cache alone; the first `warm` references are not counted. */
static void alone(const struct input *in, struct run_cache *c, size_t warm, bool sizes)
{
	struct err e = ERR_INIT;
	struct sim *s;
	assert_int_equal(sim_new(&s, &c->spec, &e), RC_OK);
	struct policy_refs first = part(in, 0, warm, sizes), rest = part(in, warm, in->n - warm, sizes);
	sim_run(s, &first, KEYS);
	struct misses before = sim_misses(s);
	sim_run(s, &rest, KEYS);
	c->misses = sim_misses(s).n - before.n;
	c->miss_bytes = sim_misses(s).bytes - before.bytes;
	sim_free(s);
}

static void together(const struct input *in, struct run_cache *c, size_t n, size_t warm, bool sizes)
{
	struct unit_facts f = {.whole = rng_below(&rng, 4) != 0,
			       .trace = {.references = in->n, .distinct = KEYS, .id = in->id},
			       .largest = in->largest,
			       .sizes_change = in->change};
	struct err e = ERR_INIT;
	unit_list units = {0};
	struct windows windows = {0};
	struct windows_seen seen = {0};
	assert_int_equal(units_plan(c, n, &f, 1 + (unsigned)rng_below(&rng, 3), &units, &e), RC_OK);
	for (size_t i = 0; i < units.n; i++) {
		for (size_t at = 0, len; at < in->n; at += len) {
			len = 1 + rng_below(&rng, 500);
			len = len < in->n - at ? len : in->n - at;
			len = at < warm && len > warm - at ? warm - at : len;
			if (at == warm)
				unit_reset_counts(units.at[i]);
			struct policy_refs r = part(in, at, len, sizes);
			if (unit_takes_windows(units.at[i]))
				windows_cut(&windows, &seen, &r, KEYS);
			unit_run(units.at[i], &r, KEYS);
		}
		unit_harvest(units.at[i], c);
		unit_free(units.at[i]);
	}
	vec_release(&units);
	windows_release(&windows);
	windows_seen_release(&seen);
}

static void compare(const struct input *in, const struct policy *p, bool bytes)
{
	struct run_cache c[MOST_SIZES];
	bool future = p->flags & POLICY_FUTURE;
	size_t n = 0, many = future && rng_below(&rng, 2) ? MOST_SIZES : SIZES,
	       want = rng_below(&rng, 2) ? many : 1 + rng_below(&rng, 6), warm = rng_below(&rng, 2) ? 0 : in->n / 3;
	bool sizes = bytes || rng_below(&rng, 2);
	uint64_t largest = rng_below(&rng, 2) ? KEYS + 20 : 20; /* all keys fit, or few */
	for (size_t i = 0; i < want; i++) {
		struct sim_spec spec = {.policy = p, .by_bytes = bytes, .seed = 5};
		spec.size = 1 + rng_below(&rng, bytes ? 20 * in->largest + 30 : largest);
		spec.size = p->ways ? spec.size * p->ways : spec.size;
		if (p->sim_size(spec.size, bytes))
			c[n++] = (struct run_cache){.spec = spec};
	}
	together(in, c, n, warm, sizes);
	for (size_t i = 0; i < n; i++) {
		struct run_cache want_c = c[i];
		alone(in, &want_c, warm, sizes);
		if (c[i].misses != want_c.misses || c[i].miss_bytes != want_c.miss_bytes)
			fail_msg("%s at %lu %s: %lu misses together, %lu alone", p->name, (unsigned long)c[i].spec.size,
				 bytes ? "bytes" : "blocks", (unsigned long)c[i].misses, (unsigned long)want_c.misses);
	}
}

static void together_is_as_alone(void **unused)
{
	(void)unused;
	static struct input in;
	for (int round = 0; round < 24; round++) {
		make_input(&in);
		for (size_t i = 0; policies[i]; i++)
			for (int bytes = 0; bytes < 2; bytes++)
				compare(&in, policies[i], bytes);
	}
}

static void bits_and_queues_agree(void **unused)
{
	(void)unused;
	static const char *const names[] = {"fifo", "clock", "sieve", "s3fifo", "lfu", "random"};
	static struct input in;
	for (int round = 0; round < 90; round++) {
		uint64_t size[STEPS_MOST];
		make_input(&in);
		unsigned n = 1 + (unsigned)rng_below(&rng, round % 4 ? STEPS_MOST : 8);
		bool bytes = rng_below(&rng, 2);
		for (unsigned i = 0; i < n; i++)
			size[i] = 1 + rng_below(&rng, bytes ? 300 : 60);
		const struct policy *p = policy_find(names[round % 6]);
		assert_true(steps_can(p, n > 1 ? n : 2));
		struct steps *s = steps_new(p, size, n, bytes, 3);
		for (size_t at = 0; at < in.n; at += 100) {
			struct policy_refs r = part(&in, at, in.n - at < 100 ? in.n - at : 100, bytes);
			steps_run(s, &r, KEYS);
			steps_check(s);
		}
		steps_free(s);
	}
	assert_false(steps_can(policy_find("lru"), 64));
	assert_false(steps_can(policy_find("lfu"), 1)); /* faster alone */
}

static void lists_agree(void **unused)
{
	(void)unused;
	static const char *const names[] = {"slru", "2q", "arc", "lirs", "wtinylfu", "awtinylfu"};
	static struct input in;
	for (int round = 0; round < 60; round++) {
		uint64_t size[LISTS_MOST];
		make_input(&in);
		unsigned n = 1 + (unsigned)rng_below(&rng, LISTS_MOST);
		for (unsigned i = 0; i < n; i++)
			size[i] = 1 + rng_below(&rng, 200);
		const struct policy *p = policy_find(names[round % 6]);
		assert_true(lists_can(p, LISTS_MOST, false, KEYS));
		struct lists *s = lists_new(p, size, n, 7);
		for (size_t at = 0; at < in.n; at += 100) {
			struct policy_refs r = part(&in, at, in.n - at < 100 ? in.n - at : 100, false);
			lists_run(s, &r, KEYS);
			lists_check(s);
		}
		lists_free(s);
	}
	assert_false(lists_can(policy_find("lru"), 64, false, KEYS));
	assert_false(lists_can(policy_find("arc"), 64, true, KEYS));
}

UNIT_TESTS(cmocka_unit_test(together_is_as_alone), cmocka_unit_test(bits_and_queues_agree),
	   cmocka_unit_test(lists_agree))
