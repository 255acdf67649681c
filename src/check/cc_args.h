/* SPDX-License-Identifier: MIT */
/* A compiler's command line, as far as a wrapper needs to understand it. */
#ifndef CHECK_CC_ARGS_H
#define CHECK_CC_ARGS_H

#include "data/buf.h"
#include "data/strings.h"

enum cc_stage { CC_LINK, CC_OBJECT, CC_ASSEMBLY, CC_OTHER /* -E, -M, -fsyntax-only: passed through */ };
/* CC_C … CC_CXX are compiled with the barrier, and only the first two may have contracts. */
enum cc_role { CC_OPTION, CC_VALUE /* of the option before it */, CC_C, CC_PREPROCESSED, CC_CXX, CC_INPUT };

struct cc_word {
	const char *s;
	enum cc_role role;
};

struct cc_args {
	VEC(struct cc_word) words;
	struct strings owned; /* words of response files */
	enum cc_stage stage;
	const char *output;                /* NULL: the default */
	const char *dep_file, *dep_target; /* -MF, -MT or -MQ */
	bool deps;                         /* -MD or -MMD */
	bool shared, relocatable, no_libs, is_static;
	size_t n_c, n_inputs; /* n_c: those that are compiled with the barrier */
	const char *refused;  /* an option that cannot be combined with the barrier */
};

enum rc cc_args_read(struct cc_args *a, const char *const *argv, int n, struct err *e);
void cc_args_release(struct cc_args *a);
/* Is it compiled with the barrier? */
static inline bool cc_is_source(enum cc_role r)
{
	return r == CC_C || r == CC_PREPROCESSED || r == CC_CXX;
}
/* Does the option concern dependencies (-MD, -MF …)? */
bool cc_is_dep(const char *s);

#endif
