/* SPDX-License-Identifier: MIT */
/* Caches that take turns (trace/turns) count what each of them counts alone: long random traces with phases, hot
 * blocks, loops and scans, so that ranks grow past all buckets, periods of sketches end, and queues grow. */
#include "testing.h"

#include "base/bits.h"
#include "data/mem.h"
#include "trace/simulate/simulate.h"
#include "trace/turns/turns.h"

#include <stdlib.h>

enum { REFS = 40000, KEYS = 3000 };

static struct rng rng = {161803};

struct input {
	uint32_t id[REFS];
	uint64_t size[REFS];
	uint32_t keys;
};

static void make_input(struct input *in)
{
	in->keys = 1 + (uint32_t)rng_below(&rng, rng_below(&rng, 2) ? KEYS : 200);
	for (size_t i = 0; i < REFS;) {
		uint64_t base = rng_below(&rng, in->keys), span = 1 + rng_below(&rng, in->keys);
		uint64_t kind = rng_below(&rng, 4), len = 1 + rng_below(&rng, 4000);
		for (uint64_t j = 0; j < len && i < REFS; j++, i++) {
			uint64_t r = rng_below(&rng, span);
			uint64_t at = kind == 0   ? j % span
				      : kind == 1 ? r
				      : kind == 2 ? r * r / span
						  : r * r / span * r / span;
			in->id[i] = (uint32_t)((base + at) % in->keys);
			in->size[i] = rng_below(&rng, 100);
		}
	}
}

static struct policy_refs part(const struct input *in, size_t from, size_t n)
{
	return (struct policy_refs){.id = in->id + from, .size = in->size + from, .n = n};
}

static void compare(const struct input *in, struct misses turn, const struct sim_spec *spec)
{
	struct sim *alone;
	struct err e = ERR_INIT;
	assert_int_equal(sim_new(&alone, spec, &e), RC_OK);
	struct policy_refs all = part(in, 0, REFS);
	sim_run(alone, &all, in->keys);
	struct misses expected = sim_misses(alone);
	if (turn.n != expected.n || turn.bytes != expected.bytes)
		fail_msg("%s at %lu: %lu misses in turn, %lu alone", spec->policy->name, (unsigned long)spec->size,
			 (unsigned long)turn.n, (unsigned long)expected.n);
	sim_free(alone);
}

static void one_turn(const struct input *in, const struct policy *p, const uint32_t *next)
{
	struct turns_trace t = {REFS, in->keys, in->id, next};
	uint64_t size[TURNS_MOST], largest = 2 + rng_below(&rng, in->keys + 20);
	for (unsigned i = 0; i < TURNS_MOST; i++)
		size[i] = 2 + (i ? size[i - 1] - 2 : rng_below(&rng, largest)) +
			  (i ? rng_below(&rng, 1 + largest / 8) : 0);
	unsigned n = turns_together(p, size, 1 + rng_below(&rng, TURNS_MOST));
	assert_in_range(n, 1, TURNS_MOST);
	struct turns *s = turns_new(p, size, n, &t, 9);
	for (size_t at = 0, len; at < REFS; at += len) {
		len = 1 + rng_below(&rng, 3000);
		len = len < REFS - at ? len : REFS - at;
		struct policy_refs r = part(in, at, len);
		turns_run(s, &r);
	}
	for (unsigned i = 0; i < n; i++)
		compare(in, turns_misses(s, i), &(struct sim_spec){.policy = p, .size = size[i], .seed = 9});
	turns_free(s);
}

static void in_turn_is_as_alone(void **unused)
{
	(void)unused;
	static const char *const names[] = {"gdsf", "lrfu", "wtinylfu", "awtinylfu"};
	static struct input in;
	for (int round = 0; round < 60; round++) {
		make_input(&in);
		uint32_t *next = turns_next(in.id, REFS, in.keys);
		for (size_t i = 0; i < ARRAY_LEN(names); i++)
			one_turn(&in, policy_find(names[i]), next);
		free(next);
	}
}

static void who_takes_turns(void **unused)
{
	(void)unused;
	uint32_t id[3] = {0, 1, 0}, *next = turns_next(id, 3, 2);
	assert_true(next[0] == 2 && next[1] == UINT32_MAX && next[2] == UINT32_MAX);
	struct turns_trace t = {3, 1u << 20, id, NULL}, with = {3, 1u << 20, id, next}, few = {3, 2, id, next};
	struct turns_trace much = {UINT64_C(1) << 32, 1u << 20, id, next}, unknown = {0};
	const struct policy *gdsf = policy_find("gdsf"), *tiny = policy_find("wtinylfu");
	assert_true(turns_can(gdsf, 100, false, &t));
	assert_false(turns_can(gdsf, 1, false, &t));     /* no others to share the trace with */
	assert_false(turns_can(gdsf, 100, true, &t));    /* ranks of blocks of any size */
	assert_false(turns_can(gdsf, 100, false, &few)); /* faster in step */
	assert_false(turns_can(gdsf, 100, false, &much));
	assert_false(turns_can(gdsf, 100, false, &unknown));
	assert_false(turns_can(policy_find("lru"), 100, false, &with));
	assert_true(turns_can(tiny, 100, false, &with) && !turns_can(tiny, 100, false, &t));
	assert_true(turns_by_place(tiny, 1u << 20) && !turns_by_place(tiny, 2) && !turns_by_place(gdsf, 1u << 20));
	free(next);
}

UNIT_TESTS(cmocka_unit_test(in_turn_is_as_alone), cmocka_unit_test(who_takes_turns))
