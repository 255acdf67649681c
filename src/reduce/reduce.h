/* The reducer: shrinks files while a test says "interesting", and asks about no variant twice.
 *
 * variant.h says what a program, a minimum and an edit are; pass.h what generates edits; verdicts.h what remembers. */
#ifndef REDUCE_REDUCE_H
#define REDUCE_REDUCE_H

#include "core/buf.h"
#include "core/err.h"
#include "reduce/pass.h"
#include "reduce/verdicts.h"

#include <stdbool.h>
#include <stdint.h>

struct runlog;
struct progress;
struct runner;

/* Where a candidate's verdict comes from when neither cache nor store knows it. One question at a time per slot;
 * slots are 0 … jobs−1. */
struct oracle {
	void *user;
	/* Starts a test of the printed files in that slot. Text is the oracle's to read until the answer. */
	enum rc (*start)(void *user, unsigned slot, const struct buf *texts, size_t n_texts, struct err *e);
	/* Waits until some slot has its answer, a key was pressed or the user wants to stop. *slot ≥ jobs: none. */
	enum rc (*wait)(void *user, unsigned *slot, bool *interesting, bool *verdict, struct err *e);
	/* The answer is no longer wanted; it must not come from wait any more. */
	void (*cancel)(void *user, unsigned slot);
	unsigned jobs;
};

#endif
