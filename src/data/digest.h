/* SPDX-License-Identifier: MIT */
/* Digests. XXH3 locates (then full keys are compared); SHA-2 stands for a key that is not kept. */
#ifndef DATA_DIGEST_H
#define DATA_DIGEST_H

#include <stddef.h>
#include <stdint.h>

struct digest256 {
	unsigned char byte[32];
};
struct digest512 {
	unsigned char byte[64];
};

uint64_t hash64(const void *p, size_t n);
uint64_t hash64_seed(const void *p, size_t n, uint64_t seed);

struct digest256 digest_sha256(const void *p, size_t n);
struct digest512 digest_sha512(const void *p, size_t n);

/* SHA-256 over parts: each part's length goes in before its bytes, so ("ab","c") and ("a","bc") differ. */
struct digest_parts;
struct digest_parts *digest_parts_new(void);
void digest_parts_add(struct digest_parts *d, const void *p, size_t n);
void digest_parts_str(struct digest_parts *d, const char *s);
/* Ends and frees d. */
struct digest256 digest_parts_end(struct digest_parts *d);

/* Lower-case hexadecimal; out has room for 2n + 1. */
void digest_hex(const unsigned char *p, size_t n, char *out);

#endif
