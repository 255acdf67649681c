/* SPDX-License-Identifier: MIT */
/* For what is not about a script (its version, its help, its statistics), and where another refrain asks, refrain
 * becomes the solver. */
#include "smt/session/session.h"
#include "smt/solver/behind.h"

#include <errno.h>
#include <signal.h>
#include <unistd.h>

bool smt_started_by_refrain(void)
{
	return behind_started();
}

enum rc smt_become_solver(const char *solver, const struct strings *words, struct err *e)
{
	struct strings argv = {0};
	char *path = NULL;
	enum rc rc = behind_find(solver, &path, e);
	if (rc == RC_NO)
		rc = err_set(e, RC_ENV, "solver '%s' is not installed", solver);
	if (rc == RC_OK) {
		vec_push(&argv, path ? path : solver);
		for (size_t i = 0; i < words->n; i++)
			vec_push(&argv, words->at[i]);
		vec_push(&argv, NULL);
		putenv(behind_mark(argv.at[0]));
		/* as we were started: see main.c */
		signal(SIGPIPE, SIG_DFL);
		signal(SIGXFSZ, SIG_DFL);
		execv(argv.at[0], (char **)argv.at);
		rc = err_sys(e, RC_ENV, errno, "cannot run '%s'", argv.at[0]);
	}
	vec_release(&argv);
	free(path);
	return rc;
}
