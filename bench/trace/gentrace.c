/* SPDX-License-Identifier: MIT */
/* gentrace zipf N OBJECTS ALPHA SEED | gentrace new N: 64-bit keys on standard output. zipf: independent draws, rank r
 * with weight r^−ALPHA, ranks scattered over the keys 1 … OBJECTS. new: a stream of ever-new keys. */
#include "base/bits.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCK = 8192 };

static int write_all(const uint64_t *b, size_t n)
{
	return fwrite(b, sizeof *b, n, stdout) == n ? 0 : 3;
}

static int zipf(uint64_t n, uint64_t objects, double alpha, uint64_t seed)
{
	struct rng rng = {seed};
	double *sum = malloc(objects * sizeof *sum), total = 0;
	uint32_t *key = malloc(objects * sizeof *key);
	if (!sum || !key)
		return 3;
	for (uint64_t i = 0; i < objects; i++) {
		sum[i] = total += pow((double)i + 1, -alpha);
		key[i] = (uint32_t)i + 1;
	}
	for (uint64_t i = objects - 1; i > 0; i--) {
		uint64_t j = rng_below(&rng, i + 1);
		uint32_t k = key[i];
		key[i] = key[j];
		key[j] = k;
	}
	static uint64_t b[BLOCK];
	int rc = 0;
	for (uint64_t i = 0; i < n && !rc;) {
		size_t m = 0;
		for (; m < BLOCK && i < n; m++, i++) {
			double u = (double)(rng_next(&rng) >> 11) * 0x1p-53 * total;
			uint64_t lo = 0, hi = objects - 1;
			while (lo < hi) {
				uint64_t mid = (lo + hi) / 2;
				if (sum[mid] < u)
					lo = mid + 1;
				else
					hi = mid;
			}
			b[m] = key[lo];
		}
		rc = write_all(b, m);
	}
	free(sum);
	free(key);
	return rc;
}

static int new_keys(uint64_t n)
{
	static uint64_t b[BLOCK];
	int rc = 0;
	for (uint64_t i = 0; i < n && !rc;) {
		size_t m = 0;
		for (; m < BLOCK && i < n; m++, i++)
			b[m] = mix64(i);
		rc = write_all(b, m);
	}
	return rc;
}

int main(int argc, char **argv)
{
	if (argc == 6 && strcmp(argv[1], "zipf") == 0)
		return zipf(strtoull(argv[2], NULL, 10), strtoull(argv[3], NULL, 10), atof(argv[4]),
			    strtoull(argv[5], NULL, 10));
	if (argc == 3 && strcmp(argv[1], "new") == 0)
		return new_keys(strtoull(argv[2], NULL, 10));
	return 2;
}
