/* SPDX-License-Identifier: MIT */
/* Sets of base tokens as spans in order: inclusion, overlap, and what becomes of them when the base is made anew. */
#ifndef REDUCE_MODEL_SPANS_H
#define REDUCE_MODEL_SPANS_H

#include "reduce/model/variant.h"

/* Appends s, which begins at or after the last one's start, joining the two when they touch. */
void spans_join(struct spans *v, struct span s);
/* Makes out the same set as in, which may be in any order and overlap. */
void spans_sort(struct spans *out, const struct spans *in);
void spans_copy(struct spans *out, const struct spans *in);
/* The rest is about sorted sets. */
bool spans_have(const struct spans *v, uint32_t i);
/* Whether each token of a is in b. */
bool spans_within(const struct spans *a, const struct spans *b);
/* How many tokens of the minimum are in a; in both a and b. */
uint32_t spans_weight(const struct spans *a, const struct model *m);
uint32_t spans_overlap(const struct spans *a, const struct spans *b, const struct model *m);
/* The base is made anew from the minimum: rank (of n tokens) is what the model's was before. What was gone goes. */
void spans_map(struct spans *v, const uint32_t *rank, uint32_t n);
void rewrites_map(struct rewrites *v, const uint32_t *rank);

#endif
