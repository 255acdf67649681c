/* SPDX-License-Identifier: MIT */
/* A compiler's command line, as far as a wrapper needs to understand it. */
#ifndef CHECK_CC_ARGS_H
#define CHECK_CC_ARGS_H

#include "data/buf.h"
#include "data/strings.h"

enum cc_stage { CC_LINK, CC_OBJECT, CC_ASSEMBLY, CC_OTHER /* -E, -M, -fsyntax-only: passed through */ };
enum cc_role { CC_OPTION, CC_VALUE /* of the option before it */, CC_C, CC_PREPROCESSED, CC_INPUT };

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
	size_t n_c, n_inputs;
	const char *refused; /* an option that cannot be combined with the barrier */
};

enum rc cc_args_read(struct cc_args *a, const char *const *argv, int n, struct err *e);
void cc_args_release(struct cc_args *a);
/* Does the option concern dependencies (-MD, -MF …)? */
bool cc_is_dep(const char *s);

#endif
