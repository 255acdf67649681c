/* SPDX-License-Identifier: MIT */
/* Digests: thin covers over xxHash and libcrypto. See digest.h. */
#include "data/digest.h"

#include "data/mem.h"

#include <openssl/evp.h>
#include <openssl/sha.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

uint64_t hash64(const void *p, size_t n)
{
	return XXH3_64bits(p, n);
}

uint64_t hash64_seed(const void *p, size_t n, uint64_t seed)
{
	return XXH3_64bits_withSeed(p, n, seed);
}

struct digest256 digest_sha256(const void *p, size_t n)
{
	struct digest256 d;
	SHA256(p, n, d.byte);
	return d;
}

struct digest512 digest_sha512(const void *p, size_t n)
{
	struct digest512 d;
	SHA512(p, n, d.byte);
	return d;
}

struct digest_parts {
	EVP_MD_CTX *ctx;
};

struct digest_parts *digest_parts_new(void)
{
	struct digest_parts *d = mem_alloc(sizeof *d);
	d->ctx = EVP_MD_CTX_new();
	if (!d->ctx || EVP_DigestInit_ex(d->ctx, EVP_sha256(), NULL) != 1)
		mem_oom(0);
	return d;
}

void digest_parts_add(struct digest_parts *d, const void *p, size_t n)
{
	unsigned char len[8];
	for (int i = 0; i < 8; i++)
		len[i] = (unsigned char)((uint64_t)n >> (8 * i));
	if (EVP_DigestUpdate(d->ctx, len, sizeof len) != 1 || EVP_DigestUpdate(d->ctx, p, n) != 1)
		mem_oom(0);
}

void digest_parts_str(struct digest_parts *d, const char *s)
{
	digest_parts_add(d, s, strlen(s));
}

struct digest256 digest_parts_end(struct digest_parts *d)
{
	struct digest256 out;
	if (EVP_DigestFinal_ex(d->ctx, out.byte, NULL) != 1)
		mem_oom(0);
	EVP_MD_CTX_free(d->ctx);
	free(d);
	return out;
}

void digest_hex(const unsigned char *p, size_t n, char *out)
{
	static const char hex[] = "0123456789abcdef";
	for (size_t i = 0; i < n; i++) {
		out[2 * i] = hex[p[i] >> 4];
		out[2 * i + 1] = hex[p[i] & 15];
	}
	out[2 * n] = '\0';
}
