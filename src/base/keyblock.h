/* SPDX-License-Identifier: MIT */
/* A block of keys as bytes: caches are asked for the same keys again and again, so most keys are one byte that says how
 * far back the same key was. Freestanding: the recorder inside an observed program encodes, everyone decodes.
 *
 *	0 … 175        the key 1 … 176 places before
 *	176 … 207, x   the key 177 … 8368 places before
 *	208 … 239      the last key (0 at first) plus a difference of zigzag value 1 … 32
 *	240 … 247      the same, a difference of 1 … 8 bytes that follow, low ones first
 *
 * Blocks do not depend on one another. The encoder remembers where in the block it saw a key, by a hash of it; an
 * entry left from another block does no harm, because the key at that place is compared. */
#ifndef BASE_KEYBLOCK_H
#define BASE_KEYBLOCK_H

#include "base/varint.h"

enum { KEYBLOCK_KEYS = 8192, KEYBLOCK_NEAR = 176, KEYBLOCK_FAR = 32, KEYBLOCK_STEPS = 32, KEYBLOCK_SLOT_BITS = 12 };
enum { KEYBLOCK_BYTES = KEYBLOCK_KEYS * 9 + 8 }; /* most bytes of a block, with the encoder's slack */

struct keyblock_encoder { /* need not be initialised */
	uint16_t last[1 << KEYBLOCK_SLOT_BITS];
};

/* n is at most KEYBLOCK_KEYS, out has room for KEYBLOCK_BYTES; returns the bytes used. */
static inline size_t keyblock_encode(struct keyblock_encoder *enc, const uint64_t *keys, size_t n, unsigned char *out)
{
	enum { FAR = KEYBLOCK_NEAR, STEP = FAR + KEYBLOCK_FAR, LITERAL = STEP + KEYBLOCK_STEPS };
	unsigned char *p = out;
	uint64_t before = 0;
	for (size_t i = 0; i < n; i++) {
		uint64_t key = keys[i];
		/* two places that alternate (code and data) are so common that hashing them costs more than it finds */
		if (i >= 2 && keys[i - 2] == key) {
			*p++ = 1;
			before = key;
			continue;
		}
		uint16_t *slot = &enc->last[key * 0x9e3779b97f4a7c15u >> (64 - KEYBLOCK_SLOT_BITS)];
		size_t j = *slot;
		*slot = (uint16_t)i;
		if (j < i && keys[j] == key) {
			size_t back = i - j - 1;
			if (back >= KEYBLOCK_NEAR) {
				back -= KEYBLOCK_NEAR;
				*p++ = (unsigned char)(FAR + (back >> 8));
			}
			*p++ = (unsigned char)back;
		} else {
			uint64_t z = zigzag_diff(before, key);
			if (z - 1 < KEYBLOCK_STEPS) {
				*p++ = (unsigned char)(STEP + z - 1);
			} else {
				unsigned bytes = z ? (71 - (unsigned)__builtin_clzll(z)) / 8 : 1;
				*p = (unsigned char)(LITERAL + bytes - 1);
				put_le64(p + 1, z);
				p += 1 + bytes;
			}
		}
		before = key;
	}
	return (size_t)(p - out);
}

/* n keys; returns the bytes used, 0 when p[0 … len) does not hold them. */
static inline size_t keyblock_decode(const unsigned char *p, size_t len, uint64_t *keys, size_t n)
{
	enum { FAR = KEYBLOCK_NEAR, STEP = FAR + KEYBLOCK_FAR, LITERAL = STEP + KEYBLOCK_STEPS };
	size_t at = 0;
	uint64_t before = 0;
	for (size_t i = 0; i < n; i++) {
		if (at >= len)
			return 0;
		size_t b = p[at++];
		if (b < STEP) {
			if (b >= FAR) {
				if (at >= len)
					return 0;
				b = KEYBLOCK_NEAR + ((b - FAR) << 8 | p[at++]);
			}
			if (b >= i)
				return 0;
			before = keys[i - b - 1];
		} else {
			uint64_t z = b - STEP + 1;
			if (b >= LITERAL) {
				size_t bytes = b - LITERAL + 1;
				if (bytes > 8 || len - at < bytes)
					return 0;
				z = 0;
				for (size_t k = 0; k < bytes; k++)
					z |= (uint64_t)p[at + k] << (8 * k);
				at += bytes;
			}
			before = zigzag_apply(before, z);
		}
		keys[i] = before;
	}
	return at;
}

#endif
