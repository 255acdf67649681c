/* SPDX-License-Identifier: MIT */
/* The steps of a key: what decides which places a call reads. */
#ifndef PROFILE_CASES_H
#define PROFILE_CASES_H

#include "profile/suggest/key.h"
#include "profile/names.h"

/* Fills step, out and the sizes of k, or its refusal. */
void cases_make(struct key *k, const struct names *n, double cheap);

#endif
