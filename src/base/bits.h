/* SPDX-License-Identifier: MIT */
/* Small freestanding helpers: integer mixing, powers of two, branch hints.
 * No libc calls: this header is also included by code that runs inside somebody else's process. */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define LIKELY(x) __builtin_expect(!!(x), 1)
#define UNLIKELY(x) __builtin_expect(!!(x), 0)
#define ARRAY_LEN(a) (sizeof(a) / sizeof((a)[0]))

/* A bijection of 64-bit integers that spreads every input bit over all output bits (splitmix64's finaliser). */
static inline uint64_t mix64(uint64_t x)
{
	x ^= x >> 30;
	x *= 0xbf58476d1ce4e5b9u;
	x ^= x >> 27;
	x *= 0x94d049bb133111ebu;
	return x ^ (x >> 31);
}

/* Folds one more value into a running, order-sensitive digest. */
static inline uint64_t mix64_pair(uint64_t seed, uint64_t x)
{
	return mix64(seed * 0x9e3779b97f4a7c15u + x);
}

/* The smallest power of two that is at least x; x must not exceed 2^63. */
static inline uint64_t ceil_pow2(uint64_t x)
{
	return x <= 1 ? 1 : (uint64_t)1 << (64 - __builtin_clzll(x - 1));
}

/* The cell of a table of 2^(64 − shift) where the search for a key starts. The key's high half is folded in before
 * the multiplication spreads it. */
static inline uint64_t home_cell(uint64_t key, unsigned shift)
{
	return ((key ^ (key >> 32)) * 0x9e3779b97f4a7c15u) >> shift;
}

/* A small seeded generator (splitmix64): equal seeds give equal streams on every machine. */
struct rng {
	uint64_t state;
};

static inline uint64_t rng_next(struct rng *r)
{
	r->state += 0x9e3779b97f4a7c15u;
	return mix64(r->state);
}

/* A number in 0 … n−1; n must not be 0. */
static inline uint64_t rng_below(struct rng *r, uint64_t n)
{
	return (uint64_t)(((unsigned __int128)rng_next(r) * n) >> 64);
}

#endif
