/* SPDX-License-Identifier: MIT */
/* Sizing a cache: feed the keys it is asked for, read how many it would miss.
 *
 *	rf_cache_sim *sim;
 *	rf_cache_sim_config config = {.policy = "arc", .size = 1000};
 *	if (rf_cache_sim_new(&sim, &config, &error) != RF_OK)
 *		return fail(error.text);
 *	rf_cache_sim_feed(sim, keys, NULL, n, NULL);  // as often as there are more
 *	printf("%g\n", (double)rf_cache_sim_misses(sim) / (double)rf_cache_sim_requests(sim));
 *	rf_cache_sim_free(sim);
 *
 * An rf_cache_sim is one cache of one size, under any policy. An rf_miss_curve gives the misses of LRU at every size in
 * one pass. Keys are any 64-bit numbers: block numbers, addresses, hashes. An object may be used by one thread at a
 * time. `refrain trace simulate` and `refrain trace mrc` count the same. */
#ifndef REFRAIN_TRACE_H
#define REFRAIN_TRACE_H

#include <refrain/refrain.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Name and one-line description of policy 0, 1, 2 …; NULL after the last. */
RF_API const char *rf_policy_name(size_t i);
RF_API const char *rf_policy_summary(size_t i);

typedef struct rf_cache_sim rf_cache_sim;

typedef struct rf_cache_sim_config {
	const char *policy; /* a name; NULL: "lru". "opt" needs the whole trace at once and is refused */
	uint64_t size;      /* in objects, or in bytes */
	bool by_bytes;      /* size is in bytes: objects are evicted until the new one fits */
	uint64_t seed;      /* of policies that draw random numbers */
} rf_cache_sim_config;

/* RF_INPUT when there is no such policy or it cannot have that size. */
RF_API rf_status rf_cache_sim_new(rf_cache_sim **out, const rf_cache_sim_config *config, rf_error *error);
/* n requests in order. sizes: bytes of each object, needed by a size in bytes; else NULL will do. On a
 * failure some of the requests may have been counted. */
RF_API rf_status rf_cache_sim_feed(rf_cache_sim *sim, const uint64_t *keys, const uint64_t *sizes, size_t n,
				   rf_error *error);
/* The same, and missed[i] is set to 1 when request i misses, else to 0. */
RF_API rf_status rf_cache_sim_look(rf_cache_sim *sim, const uint64_t *keys, const uint64_t *sizes, size_t n,
				   uint8_t *missed, rf_error *error);
RF_API uint64_t rf_cache_sim_requests(const rf_cache_sim *sim);
RF_API uint64_t rf_cache_sim_misses(const rf_cache_sim *sim);
/* Bytes of the missed objects; 0 when no sizes were given. */
RF_API uint64_t rf_cache_sim_miss_bytes(const rf_cache_sim *sim);
/* NULL is allowed. */
RF_API void rf_cache_sim_free(rf_cache_sim *sim);

typedef struct rf_miss_curve rf_miss_curve;

RF_API rf_miss_curve *rf_miss_curve_new(void);
/* From a sample of the keys: this share of them, or more while there are few, in memory that does not grow. RF_INPUT
 * when the rate is not above 0 and at most 1. */
RF_API rf_status rf_miss_curve_new_sampled(rf_miss_curve **out, double rate, rf_error *error);
/* RF_INPUT when there are more distinct keys than can be counted (2^30). */
RF_API rf_status rf_miss_curve_feed(rf_miss_curve *curve, const uint64_t *keys, size_t n, rf_error *error);
RF_API uint64_t rf_miss_curve_requests(const rf_miss_curve *curve);
/* For these, the first call after a feed adds up the whole curve; the others are fast. */
RF_API uint64_t rf_miss_curve_distinct(rf_miss_curve *curve);
/* Misses of an LRU cache of that many objects. */
RF_API uint64_t rf_miss_curve_misses(rf_miss_curve *curve, uint64_t size);
/* The smallest size that the curve knows: 1, or what the sample can tell apart; 0 when there is nothing yet. Smaller
 * sizes are given as if they missed always. */
RF_API uint64_t rf_miss_curve_smallest(rf_miss_curve *curve);
/* The standard error of a sampled curve's miss ratios, on average over the sizes; 0 for an exact one. */
RF_API double rf_miss_curve_error(rf_miss_curve *curve);
/* The smallest size from where no larger cache saves 1 % of the requests for every doubling; 0: nothing yet. */
RF_API uint64_t rf_miss_curve_knee(rf_miss_curve *curve);
/* NULL is allowed. */
RF_API void rf_miss_curve_free(rf_miss_curve *curve);

#ifdef __cplusplus
}
#endif

#endif
