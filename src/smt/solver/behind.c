/* SPDX-License-Identifier: MIT */
/* The list of solvers on the way to us is text: each followed by a line feed. */
#include "smt/solver/behind.h"

#include "data/buf.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define VARIABLE "RF_SMT_BEHIND"

static bool on_the_way(const char *program)
{
	const char *list = getenv(VARIABLE);
	size_t n = strlen(program);
	for (const char *p = list; p && *p;) {
		size_t len = strcspn(p, "\n");
		if (len == n && !memcmp(p, program, n))
			return true;
		p += len + (p[len] == '\n');
	}
	return false;
}

static bool is_refrain(const char *file)
{
	char *there = realpath(file, NULL), *here = realpath("/proc/self/exe", NULL);
	bool same = there && here && !strcmp(there, here);
	free(there);
	free(here);
	return same;
}

enum rc behind_find(const char *name, char **path, struct err *e)
{
	const char *list = getenv("PATH");
	bool back = false;
	*path = NULL;
	if (strchr(name, '/')) {
		if (!is_refrain(name))
			return RC_OK;
		return err_set(e, RC_ENV, "the solver '%s' is refrain itself", name);
	}
	for (const char *p = list ? list : "/usr/bin:/bin"; *p;) {
		size_t n = strcspn(p, ":");
		char *file = mem_printf("%.*s/%s", (int)n, n ? p : ".", name);
		if (access(file, X_OK) == 0) {
			if (!is_refrain(file) && !on_the_way(file)) {
				*path = file;
				return RC_OK;
			}
			back = true;
		}
		free(file);
		p += n + (p[n] == ':');
	}
	if (!back)
		return RC_NO;
	return err_set(e, RC_ENV,
		       "every '%s' on PATH leads back to refrain; name the real one, as in --solver='/usr/bin/%s …'",
		       name, name);
}

bool behind_started(void)
{
	return getenv(VARIABLE) != NULL;
}

enum rc behind_check(const char *program, struct err *e)
{
	if (!on_the_way(program))
		return RC_OK;
	return err_set(e, RC_ENV, "the solver '%s' starts refrain again", program);
}

char *behind_mark(const char *program)
{
	const char *list = getenv(VARIABLE);
	struct buf b = {0};
	buf_printf(&b, VARIABLE "=%s", list ? list : "");
	/* a line feed would end the entry */
	for (const char *p = program; *p; p++)
		buf_char(&b, *p == '\n' ? ' ' : *p);
	buf_char(&b, '\n');
	return b.at;
}
