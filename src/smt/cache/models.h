/* SPDX-License-Identifier: MIT */
/* Sat answers, kept as models. A model is found by the query's exact key or by its key after renaming, and believed
 * only when every conjunct evaluates to true under it: the keys need not be trusted. */
#ifndef SMT_CACHE_MODELS_H
#define SMT_CACHE_MODELS_H

#include "smt/value/eval.h"
#include "smt/term/query.h"

struct models;

struct models *models_new(size_t max_bytes);
void models_free(struct models *m);

/* Keeps the model (define-fun commands, or a solver's list of them) for q. */
void models_add(struct models *m, const struct query *q, const char *text, size_t n, const char *origin);

/* MODELS_SORTED: in no term of q is a real taken for an integer, as z3 does by rounding it. */
enum { MODELS_EXACT = 1, MODELS_RENAMED = 2, MODELS_SORTED = 4 };
/* RC_OK: the model makes q true; models_eval then has the values, until the next look-up. *origin may be set NULL. */
enum rc models_lookup(struct models *m, const struct query *q, unsigned how, const char **origin);
/* After look-ups, of which the first was for MODELS_EXACT, found nothing: a model with q's key that cannot be evaluated
 * here, as assertions that hold q's variables at its values. Whether they agree with q is for a solver to say. RC_NO:
 * there is none. */
enum rc models_held(struct models *m, const struct query *q, struct buf *out, const char **origin);
struct eval *models_eval(struct models *m);
/* The same for values that somebody else has: RC_OK when they make q true. value gives that of a variable, made in mem;
 * false: it has none. */
enum rc models_believe(struct models *m, const struct query *q,
		       bool (*value)(void *user, uint32_t var, struct arena *mem, struct value *out), void *user);

/* The most bytes ever held. */
size_t models_peak_bytes(const struct models *m);

/* For stores: the newest entry as text, and an entry from such text (RC_NO when it is none). */
void models_newest_text(const struct models *m, struct buf *key, struct buf *out);
enum rc models_add_text(struct models *m, const char *text, size_t n);

/* Both indexes have every entry once; the bytes are those of the entries. */
void models_check(const struct models *m);

#endif
