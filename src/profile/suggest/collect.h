/* SPDX-License-Identifier: MIT */
/* Putting places into the key. */
#ifndef PROFILE_COLLECT_H
#define PROFILE_COLLECT_H

#include "profile/suggest/discern.h"

/* So many inputs say that something is a pointer which other calls had a number in. */
enum { COLLECT_ENOUGH = 4 };

/* Puts a span, or for an output its length, into the key; false when what it takes is not there. */
bool collect_span(struct maker *m, uint32_t step, struct path *p, unsigned number);
bool is_read(const struct maker *m, uint32_t row, uint32_t node);
/* Does the row read what the pointer leads to? */
bool reads_text(const struct maker *m, uint32_t row, uint32_t node);
/* Adds those of the node's bytes that the key does not have yet. */
void collect_bytes(struct maker *m, uint32_t step, struct path *p, uint32_t node, unsigned bits);
/* Collects what all rows read. What waits for a decision (a value that is a pointer in some of them and a number in
 * others, bytes that only some of them read) is collected at the end. */
void collect(struct maker *m, uint32_t step, struct path *p, const struct rowset *rows, bool end);

#endif
