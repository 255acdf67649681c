/* SPDX-License-Identifier: MIT */
/* Numbers in 1–10 bytes, seven bits each, low bits first; differences as zigzag. Freestanding. */
#ifndef BASE_VARINT_H
#define BASE_VARINT_H

#include "base/bits.h"

enum { VARINT_MAX = 10 };

/* Returns the bytes written; out has room for VARINT_MAX. */
static inline size_t varint_put(unsigned char *out, uint64_t v)
{
	size_t n = 0;
	for (; v >= 0x80; v >>= 7)
		out[n++] = (unsigned char)(v | 0x80);
	out[n++] = (unsigned char)v;
	return n;
}

/* Returns the bytes read, 0 when p[0 … n) holds no whole number or one that exceeds 64 bits. */
static inline size_t varint_get(const unsigned char *p, size_t n, uint64_t *out)
{
	uint64_t v = 0;
	for (size_t i = 0; i < n && i < VARINT_MAX; i++) {
		v |= (uint64_t)(p[i] & 0x7f) << (7 * i);
		if (p[i] < 0x80) {
			*out = v;
			return i == VARINT_MAX - 1 && p[i] > 1 ? 0 : i + 1;
		}
	}
	return 0;
}

/* The difference b − a (modulo 2^64), small ones of either sign as small numbers. */
static inline uint64_t zigzag_diff(uint64_t a, uint64_t b)
{
	uint64_t d = b - a;
	return (d << 1) ^ (0 - (d >> 63));
}

static inline uint64_t zigzag_apply(uint64_t a, uint64_t z)
{
	return a + ((z >> 1) ^ (0 - (z & 1)));
}

/* Little-endian integers in files. */
static inline void put_le32(unsigned char *p, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		p[i] = (unsigned char)(v >> (8 * i));
}

static inline void put_le64(unsigned char *p, uint64_t v)
{
	for (int i = 0; i < 8; i++)
		p[i] = (unsigned char)(v >> (8 * i));
}

static inline uint32_t get_le32(const unsigned char *p)
{
	return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static inline uint64_t get_le64(const unsigned char *p)
{
	return (uint64_t)get_le32(p) | (uint64_t)get_le32(p + 4) << 32;
}

#endif
