/* SPDX-License-Identifier: MIT */
/* How a name can vanish from a program: each place where it stands becomes a value if the grammar takes one there;
 * elsewhere the smallest thing around it that may go, goes (a declaration, a parameter, a statement, an element of a
 * list). What that is comes from the grammar, so it works alike in every language. */
#ifndef REDUCE_PASS_VANISH_H
#define REDUCE_PASS_VANISH_H

#include "reduce/model/forest.h"
#include "reduce/model/snippets.h"
#include "reduce/model/words.h"
#include "reduce/pass/proposals.h"

struct vanish {
	struct proposals *proposals;
	struct forest forest;
	struct words words;
	struct snippets *texts; /* per file */
};

/* How a pass begins that proposes what `look` does. */
void vanish_begin(struct proposals *p, void (*look)(struct vanish *v));

/* The smallest part around a node (itself included) that may go as far as the grammar says, `levels` larger ones
 * passed over; base tokens, with the comma of a list. False: there is none. */
bool vanish_around(const struct vanish *v, uint32_t node, unsigned levels, struct span *out);

/* The k-th value (0 …) that may stand in place of the word; NULL: none. */
const struct snippet *vanish_value(const struct vanish *v, const struct word_place *p, unsigned k, struct span *where);

/* Adds to the proposal at hand what makes a word vanish. value < 0: by deletion alone; else by the value of that
 * number where there is one (what the language has first, then the program's own literals). Places inside `except`
 * stay. False: a place can't go. */
bool vanish_word(const struct vanish *v, uint32_t word, int value, unsigned levels, struct span except);

/* Adds to the proposal at hand that a place gets another name. */
void vanish_become(const struct vanish *v, const struct word_place *p, const struct word *to);

/* The forest's number of a place's leaf. */
uint32_t vanish_leaf(const struct vanish *v, const struct word_place *p);

#endif
