/* SPDX-License-Identifier: MIT */
/* Passes: each is one row of a table, a generator of candidate edits.
 *
 * A pass proposes candidates; the engine tests them, several at a time, and tells the pass the outcome of each, in any
 * order:
 *
 *	state = pass_start(pass, model);
 *	while (pass_next(pass, state, candidate, guess) …)
 *		… pass_tell(pass, state, candidate, is the edited minimum interesting?) …
 *	pass_free(pass, state);
 *
 * With one job each result follows its next() at once, and a pass is an ordinary sequential algorithm: that order is
 * the pass's definition. With more jobs next() is called while candidates are undecided. A pass then goes on with what
 * does not depend on them (the rest of a sweep, another node, another word). Where it would have to know, it returns
 * MADE_NONE; asked with `guess` (workers would be idle) it goes on as if all that is undecided failed. A success that
 * it guessed wrong is told later like any other, and the pass leaves out what is gone.
 *
 * Rules the engine keeps:
 *  - result() is called exactly once per candidate, unless the state is freed before; on success the model already has
 *    the new minimum, which may lack more than this candidate deleted (successes are merged): a pass never assumes that
 *    a token it did not delete is still there, and looks at model_has/model_count where it matters;
 *  - a candidate that deletes nothing that is still there and rewrites nothing is answered "success" without a test;
 *  - a candidate that deletes a token protected by --keep is answered "failed" without a test;
 *  - the same variant is never tested twice (run/known.c).
 * Rules a pass keeps: every run ends (each success shrinks the work left), candidates are made in a fixed order that
 * depends on nothing but the calls and the model, and a candidate is syntactically plausible as far as the pass
 * promises so: the engine does not look at syntax.
 *
 * To add a pass: write pass/NAME.c, declare its row below and put it in pass_rows[] (registry.c); to use it in an
 * algorithm put its name into algorithms[] there. */
#ifndef REDUCE_PASS_PASS_H
#define REDUCE_PASS_PASS_H

#include "reduce/model/variant.h"

struct complaints;

enum {
	PASS_FIXPOINT = 1, /* run again on a new parse of the minimum until a run finds nothing */
	PASS_TREE = 2,     /* needs a syntax tree: skipped when no file has one */
	PASS_WHOLE = 4,    /* a search in which each answer decides the next question: it is never left half-way */
	PASS_READS = 8,    /* looks at what a failed test complained about (candidate.said) */
};

/* Kinds of candidates of one pass, each of which succeeds about equally often: the engine learns how often. */
enum { CLASS_ONE, CLASS_SOME, CLASS_MANY, CLASS_REPLACE, PASS_CLASSES };

struct candidate {
	struct edit edit;
	unsigned class;
	uint32_t group; /* ≠ 0: alternatives to one another; when one succeeds the others are not asked any more */
	/* the pass's own, to know it again */
	uint32_t task, part, from, to;
	/* with PASS_READS, when result() is called: what the test printed about it, by tokens of this base; NULL:
	 * nothing, or it was not tested now */
	const struct complaints *said;
};

/* How far a pass may go on as if all that is undecided failed. */
enum guess {
	GUESS_NOTHING,
	GUESS_SWEEP, /* to what is a part of it: the next sweep, in smaller chunks */
	GUESS_STAGE, /* to anything */
};

enum made {
	MADE_ONE,
	MADE_NONE, /* nothing before something is decided, or without a guess */
	MADE_END,  /* nothing any more; pass_next() says so only when nothing is undecided */
};

/* What the state of every pass begins with. */
struct pass_state {
	struct model *model;
	uint32_t open; /* candidates undecided: counted by pass_next() and pass_tell() */
};

/* How a pass works. Passes that differ only in what they begin with share one. */
struct pass_frame {
	size_t size;                                                             /* of the state */
	enum made (*next)(void *state, struct candidate *out, enum guess guess); /* out is empty */
	void (*result)(void *state, const struct candidate *c, bool success);    /* may be NULL */
	void (*release)(void *state);                                            /* what the state owns; may be NULL */
	/* Whether an undecided candidate may still matter; if not it is told as failed and its test is given up. May be
	 * NULL: each does. Asked after results; with one job nothing is undecided then. */
	bool (*wanted)(const void *state, const struct candidate *c);
};

struct pass {
	const char *name;
	const char *summary; /* one line, for --list-passes */
	unsigned flags;
	void (*begin)(void *state); /* all of it but the struct pass_state is zero */
	const struct pass_frame *frame;
};

void *pass_start(const struct pass *p, struct model *m);
enum made pass_next(const struct pass *p, void *state, struct candidate *out, enum guess guess);
void pass_tell(const struct pass *p, void *state, const struct candidate *c, bool success);
void pass_free(const struct pass *p, void *state);

/* A chunk of that many elements. */
static inline unsigned class_of_size(uint32_t n)
{
	return n < 2 ? CLASS_ONE : n < 8 ? CLASS_SOME : CLASS_MANY;
}

/* A sequence of passes; loop: start again from the first until a whole turn finds nothing. */
struct algorithm {
	const char *name;
	const char *summary;
	const char *const *passes; /* NULL-ended */
	bool loop;
	const char *const *by_chars; /* then, over the characters of what is small; NULL: nothing */
	const char *const *last;     /* then, if that found something, over tokens again: these */
};

extern const struct pass *const pass_rows[];       /* NULL-ended */
extern const struct algorithm *const algorithms[]; /* NULL-ended; the first is the default */
/* Names of the rows, NULL after the last. */
const char *pass_name(size_t i);
const char *algorithm_name(size_t i);

const struct pass *pass_find(const char *name);
const struct algorithm *algorithm_find(const char *name);

extern const struct pass pass_perses, pass_tokens, pass_lines, pass_brackets, pass_chars, pass_stubs, pass_windows,
	pass_hdd, pass_ddmin, pass_wash, pass_bodies, pass_sweep, pass_coupled, pass_simpler, pass_names, pass_result,
	pass_together, pass_inline, pass_params, pass_merge, pass_rename, pass_blanks, pass_structs, pass_pieces,
	pass_alike, pass_opposite, pass_unite, pass_numbers, pass_values;

#endif
