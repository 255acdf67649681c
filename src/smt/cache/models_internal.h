/* SPDX-License-Identifier: MIT */
/* What the files of models.h share. */
#ifndef SMT_CACHE_MODELS_INTERNAL_H
#define SMT_CACHE_MODELS_INTERNAL_H

#include "smt/cache/models.h"
#include "smt/term/reader.h"

#include <string.h>

struct entry {
	uint64_t exact, renamed;
	char *text; /* (define-fun …) commands, until they are packed */
	size_t n;
	char *packed; /* as model_text.h has it, from the first look on; NULL: not looked at, or not understood */
	bool unread;  /* looked at, and not understood: text stays */
	size_t packed_n;
	char *names; /* the query's variables in order of appearance, each ended by NUL */
	size_t names_n;
	char *origin;
};

struct models {
	VEC(struct entry) entry;
	struct table exact, renamed;
	size_t bytes, peak, max_bytes;
	struct u64s scratch;
	VEC(struct value) value; /* of the model being tried, in the order of its entry's names */
	/* the text being packed */
	struct reader reader;
	struct eval values;
	struct eval eval;   /* the query under the model */
	bool sorted;        /* MODELS_SORTED of this look-up */
	uint32_t undecided; /* 1 + the entry that could not be evaluated; 0: there was none */
	bool undecided_by_name;
	uint32_t declared; /* 1 + the label of a sort that the query's context declares; 0: none is known */
};

static inline size_t entry_bytes(const struct entry *e)
{
	return sizeof *e + e->n + e->packed_n + e->names_n + strlen(e->origin) + 1;
}

/* models_try.c. Does the entry's model make q true? UNDECIDED: that cannot be evaluated here. by_name: the model is of
 * a query with the same names, else of one with other names in the same order. */
enum outcome { HOLDS, FAILS, UNDECIDED };
enum outcome models_try(struct models *m, struct entry *e, const struct query *q, bool by_name);

#endif
