/* SPDX-License-Identifier: MIT */
/* What the test said about texts, in this run (memory) and in earlier ones (the ledger).
 *
 * The engine's cache knows variants by their tokens; here they are known by the bytes that were tested. The two differ
 * where line breaks have a meaning: after a new parse other tokens may print the same text. */
#ifndef REDUCE_RUN_RECALL_H
#define REDUCE_RUN_RECALL_H

#include "data/table.h"
#include "data/vec.h"
#include "reduce/run/ledger.h"

/* The texts of one variant and their digests, made when they are first needed. */
struct text_query {
	struct buf *texts;
	size_t n;
	uint64_t hash;
	struct digest256 key;
	bool have_hash, have_key;
};

void text_query_init(struct text_query *q, size_t n_texts);
void text_query_release(struct text_query *q);
/* Empties the texts, to be filled anew before anything is asked about them. */
void text_query_clear(struct text_query *q);
const struct digest256 *text_query_key(struct text_query *q);
uint64_t text_query_hash(struct text_query *q);

struct recalled {
	struct digest256 key;
	bool interesting;
};

struct recall {
	struct {
		VEC_FIELDS(struct recalled);
	} text;
	struct table index; /* of text, by the texts' hash */
	struct {
		VEC_FIELDS(uint64_t);
	} minimum;             /* hashes of the texts of all minima */
	struct table minima;   /* of minimum */
	struct ledger *ledger; /* NULL: none; the caller's to close */
	bool off;              /* remember nothing in memory (--cache=none) */
	uint64_t hits, store_hits;
};

/* Whether there is a verdict on the query's texts. What the ledger knows is remembered from then on. An old minimum is
 * answered with "no". */
bool recall_find(struct recall *r, struct text_query *q, bool *interesting);
/* The test's verdict; a later one on the same texts replaces it. */
void recall_note(struct recall *r, struct text_query *q, bool interesting);
/* These texts are the minimum now: they never become it again, whatever the test says of them. */
void recall_minimum(struct recall *r, struct text_query *q);
void recall_release(struct recall *r);

#endif
