/* SPDX-License-Identifier: MIT */
/* Texts that were asked about in this run, by fingerprint, whatever minimum they were made for: with several jobs the
 * same text can be made twice before the first one is decided, or when its verdict came too late for the cache. */
#ifndef REDUCE_RUN_ASKED_H
#define REDUCE_RUN_ASKED_H

#include "data/table.h"
#include "data/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum asked { ASKED_NEVER, ASKED_RUNNING, ASKED_NO, ASKED_YES };

struct asked_text {
	uint64_t text;
	enum asked what;
};

struct asked_texts {
	VEC_FIELDS(struct asked_text);
	struct table index;
	bool forget; /* verdicts are not remembered (--cache=none): only what runs */
};

enum asked asked_find(const struct asked_texts *a, uint64_t text);
/* ASKED_NEVER: its test was cancelled. */
void asked_set(struct asked_texts *a, uint64_t text, enum asked what);
void asked_release(struct asked_texts *a);

#endif
