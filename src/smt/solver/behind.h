/* SPDX-License-Identifier: MIT */
/* The real solver behind ourselves. refrain may itself be what the name of a solver stands for: by a link, which is
 * seen by resolving it, or by a script that calls refrain, which is not. Programs are therefore told, in their
 * environment, which solvers have been started on the way to them, and these are passed over when one of them looks
 * for a solver. */
#ifndef SMT_SOLVER_BEHIND_H
#define SMT_SOLVER_BEHIND_H

#include "data/err.h"

#include <stdbool.h>

/* The first program of that name on PATH that is not refrain and was not started on the way to us; the caller frees
 * *path, which stays NULL for a name with a slash. RC_NO: there is none. RC_ENV: there are, but all of them lead back
 * to refrain. */
enum rc behind_find(const char *name, char **path, struct err *e);
/* Has refrain started us, as the solver that it asks? */
bool behind_started(void);
/* RC_ENV: this program or command was started on the way to us. */
enum rc behind_check(const char *program, struct err *e);
/* The setting that tells the program so; the caller frees it. */
char *behind_mark(const char *program);

#endif
