/* SPDX-License-Identifier: MIT */
/* A fast hash of a short block of bytes for code that may not link xxHash (runtime/, memo). It locates only: callers
 * compare full keys. The same bytes give the same number in every run and process. */
#ifndef BASE_HASHBYTES_H
#define BASE_HASHBYTES_H

#include "base/bits.h"

static inline uint64_t hash_fold(uint64_t a, uint64_t b)
{
	unsigned __int128 p = (unsigned __int128)(a ^ 0x9e3779b97f4a7c15u) * (b ^ 0xe7037ed1a0b428dbu);
	return (uint64_t)p ^ (uint64_t)(p >> 64);
}

static inline uint64_t hash_load(const unsigned char *p, size_t n)
{
	uint64_t v = 0;
	__builtin_memcpy(&v, p, n);
	return v;
}

/* Multiplies pairs of words to 128 bits and folds the halves. */
static inline uint64_t hash_bytes(const void *bytes, size_t n)
{
	const unsigned char *p = bytes;
	uint64_t h = n;
	for (; n >= 16; n -= 16, p += 16)
		h = hash_fold(hash_load(p, 8) ^ h, hash_load(p + 8, 8));
	if (n >= 8) {
		h = hash_fold(hash_load(p, 8) ^ h, 0x8ebc6af09c88c6e3u);
		p += 8;
		n -= 8;
	}
	if (n) {
		uint64_t v = 0;
		for (size_t i = 0; i < n; i++)
			v |= (uint64_t)p[i] << (8 * i);
		h = hash_fold(v ^ h, 0x589965cc75374cc3u);
	}
	return h;
}

#endif
