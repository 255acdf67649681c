/* SPDX-License-Identifier: MIT */
/* The suggested cache as a patch of the program's source, on <refrain/memo.h>. */
#ifndef PROFILE_SUGGEST_H
#define PROFILE_SUGGEST_H

#include "profile/suggest/key.h"

struct suggestion {
	char *file;         /* the source file, as debug information has it */
	struct buf changed; /* its new content */
	struct buf patch;   /* unified diff, names as given to suggest_make */
	struct key key;
};

/* RC_NO when no code can be written for this function: the reason is in e. root: the folder that names in the patch are
 * relative to. */
enum rc suggest_make(struct suggestion *s, const struct profile *p, const struct profile_function *f, const char *root,
		     struct err *e);
void suggest_release(struct suggestion *s);

#endif
