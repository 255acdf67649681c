/* SPDX-License-Identifier: MIT */
/* A number for each text, made from its symbols: texts with different numbers differ. It is a polynomial over the
 * integers modulo 2^61 − 1, so the number of a variant follows from sums over the minimum in time proportional to its
 * gaps and rewrites, however long the program is. Two of ten thousand texts of a hundred thousand tokens agree by
 * chance once in about a million runs; whoever relies on the number must not be harmed by more than a candidate left
 * out. */
#ifndef REDUCE_MODEL_FINGERPRINT_H
#define REDUCE_MODEL_FINGERPRINT_H

#include "reduce/model/variant.h"

struct fingerprint {
	uint64_t version;  /* of the minimum that sum belongs to, plus 1 */
	VEC(uint64_t) sum; /* of the symbols before each place */
	VEC(uint64_t) power;
};

uint64_t fingerprint_of(struct fingerprint *f, const struct model *m, const struct variant *v);
void fingerprint_release(struct fingerprint *f);

#endif
