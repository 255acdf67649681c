/* SPDX-License-Identifier: MIT */
/* Naive reference policies for tests: the textbook written down with arrays that are searched and shifted, sharing
 * no code with src/base. access() returns true for a hit. */
#ifndef TESTS_NAIVE_POLICY_H
#define TESTS_NAIVE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct naive;
struct naive *naive_new(const char *policy, uint32_t cap, uint64_t seed, const uint64_t *trace, size_t n);
bool naive_access(struct naive *m, uint64_t key);
void naive_free(struct naive *m);

#endif
