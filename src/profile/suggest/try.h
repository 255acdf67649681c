/* SPDX-License-Identifier: MIT */
/* Proving a suggestion: the source tree is copied, one copy gets the cache, both are built with the user's command, the
 * cache is verified on the profiled input and on a second one, and both programs are measured, alternately. The
 * user's own
 * tree is not touched. */
#ifndef PROFILE_TRY_H
#define PROFILE_TRY_H

#include "profile/suggest/suggest.h"

struct try_options {
	const char *source; /* folder */
	const char *build;  /* shell command, run in the copy of that folder */
	const char *patch;  /* a cache written by hand, applied in that folder instead of the suggested one; or NULL */
	const char *input2; /* other arguments and redirections of the program, shell text; NULL: none */
	unsigned runs;      /* of each program */
};

struct try_measure {
	bool done;
	double before_s, after_s;              /* mean CPU time */
	double saved, low, high;               /* share of the CPU time, and its 95 % interval */
	bool same_output;                      /* of the two programs */
	uint64_t gets, hits, conflicts, bytes; /* with RF_MEMO=verify */
};

struct try_result {
	const struct profile_function *f;
	double predicted; /* of the cache that was tried */
	char *refusal;    /* why it could not be tried, or NULL */
	struct try_measure input[2];
};

/* Tries one function. RC_OK also when there is a refusal; errors are those of the environment. progress may be NULL. */
enum rc try_function(struct runner *r, const struct profile *p, const struct profile_options *po,
		     const struct try_options *o, const struct profile_function *f, struct try_result *out,
		     struct err *e);
void try_release(struct try_result *t);

#endif
