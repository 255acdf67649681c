/* SPDX-License-Identifier: MIT */
/* Passes: each is one row of a table, a generator of candidate edits.
 *
 * A pass is written as if there were one processor and no cache:
 *
 *	state = start(model); while (next(state, edit)) result(state, is the edited minimum interesting?); free(state);
 *
 * result() is called exactly once after each next(), before the following next(). On success the model already has
 * the new minimum. The engine runs several states at once for −jN: it clones the state, tells the clone "failed"
 * before the test is over and asks it for the next candidate; clones that guessed wrong are freed. So a state must
 * hold all that changes, clone() must copy it whole (what never changes after start may be shared by reference
 * counting), and next() and result() must depend on nothing but the state and the model.
 *
 * Rules the engine keeps:
 *  - a candidate that deletes nothing that is still there and rewrites nothing is answered "success" without a test.
 *    With −jN more tokens may be gone than this state asked for (a merged success); a pass therefore never assumes
 *    that a token it did not delete is still there, and looks at model_has/model_count where it matters;
 *  - a candidate that deletes a token protected by --keep is answered "failed" without a test;
 *  - the same variant is never tested twice (run/known.c).
 * Rules a pass keeps: every run ends (each success shrinks the work left), candidates are made in a fixed order, and
 * a candidate is syntactically plausible as far as the pass promises so: the engine does not look at syntax.
 *
 * To add a pass: write pass/NAME.c, declare its row below and put it in pass_rows[] (registry.c); to use it in an
 * algorithm put its name into algorithms[] there. */
#ifndef REDUCE_PASS_PASS_H
#define REDUCE_PASS_PASS_H

#include "reduce/model/variant.h"

enum {
	PASS_FIXPOINT = 1, /* run again on a new parse of the minimum until a run finds nothing */
	PASS_TREE = 2,     /* needs a syntax tree: skipped when no file has one */
};

struct pass {
	const char *name;
	const char *summary; /* one line, for --list-passes */
	unsigned flags;
	void *(*start)(struct model *m, uint64_t seed);
	bool (*next)(void *state,
		     struct edit *out); /* out is empty; false: no more candidates, and so it stays until a success */
	void (*result)(void *state, bool success);
	void *(*clone)(const void *state);
	void (*free)(void *state);
};

/* A sequence of passes; loop: start again from the first until a whole turn finds nothing. */
struct algorithm {
	const char *name;
	const char *summary;
	const char *const *passes; /* NULL-ended */
	bool loop;
};

extern const struct pass *const pass_rows[];       /* NULL-ended */
extern const struct algorithm *const algorithms[]; /* NULL-ended; the first is the default */
/* Names of the rows, NULL after the last. */
const char *pass_name(size_t i);
const char *algorithm_name(size_t i);

const struct pass *pass_find(const char *name);
const struct algorithm *algorithm_find(const char *name);

extern const struct pass pass_perses, pass_tokens, pass_lines, pass_brackets, pass_chars, pass_stubs, pass_windows,
	pass_hdd, pass_ddmin;

#endif
