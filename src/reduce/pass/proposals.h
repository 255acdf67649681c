/* SPDX-License-Identifier: MIT */
/* Rewriting passes as a list: a pass lists its edits of the base when it starts, the most promising first, and each is
 * asked about in turn. An edit that meets what another one changed in the meantime is left out: the pass runs again
 * on a new parse.
 *
 * Edits may put text in, so something must keep the passes from going round in circles. Every edit makes the program
 * smaller in this order: tokens, then bytes (`void` counts as shorter than any other word), then the text by its bytes
 * at the first place that differs. proposal_end() drops an edit that does not. */
#ifndef REDUCE_PASS_PROPOSALS_H
#define REDUCE_PASS_PROPOSALS_H

#include "reduce/model/forest.h"
#include "reduce/pass/pass.h"

struct proposal {
	struct edit edit;
	uint32_t gain;  /* tokens */
	uint32_t order; /* among equals */
	uint32_t group; /* as in struct candidate */
};

struct proposals {
	struct pass_state pass;
	uint32_t *before; /* the symbols of the base */
	VEC_FIELDS(struct proposal);
	size_t next;
	/* the edit that is being made */
	struct edit edit;
	VEC(uint32_t) extra; /* tokens beyond one of each text in edit.rewrite */
};

/* An edit is made by any number of these two, then proposal_end. Spans may overlap; what is removed stays removed. */
void proposal_remove(struct proposals *p, uint32_t from, uint32_t to);
/* The tokens from … to−1 (one at least) become a text of n_tokens tokens. */
void proposal_replace(struct proposals *p, struct span span, const char *text, size_t len, uint32_t n_tokens);
/* Keeps the edit if it makes the program smaller. group: alternatives of one another, 0: of none. */
bool proposal_end(struct proposals *p, uint32_t group);
/* Forgets the edit that is being made. */
void proposal_drop(struct proposals *p);

/* How such a pass begins; the base is the minimum. False: the program is too large to propose anything that takes a
 * look at all of it. */
bool proposals_init(struct proposals *p);
/* And when all is proposed: what gains most comes first, else in the order in which it was made. */
void proposals_sort(struct proposals *p);

/* Both, and what `look` proposes between them: */
typedef void proposals_look(struct proposals *p, const struct forest *f, size_t file);
/* For each file that has a tree; f is NULL. */
void proposals_of_files(struct proposals *p, proposals_look *look);
/* The same, with the forest, of programs that are small enough. */
void proposals_of_forest(struct proposals *p, proposals_look *look);

extern const struct pass_frame proposals_frame;

#endif
