/* SPDX-License-Identifier: MIT */
/* Token texts, each once: equal symbol = same class and same text. The class is the number of the file, doubled,
 * plus one for a token whose new line before it has a meaning. Numbers are given in order of first sight and never
 * change during a run, so caches survive a new parse. */
#ifndef REDUCE_MODEL_SYMBOLS_H
#define REDUCE_MODEL_SYMBOLS_H

#include "data/arena.h"
#include "data/table.h"
#include "data/vec.h"

#include <stdbool.h>
#include <stdint.h>

struct symbol {
	const char *text;
	uint32_t len;
	uint32_t class;
	bool special; /* not of class 0, or the text has a byte 00 or 01 */
};

struct symbols {
	VEC_FIELDS(struct symbol);
	struct table table;
	struct arena arena;
};

uint32_t symbols_add(struct symbols *s, uint32_t class, const char *text, size_t len);
void symbols_release(struct symbols *s);

#endif
