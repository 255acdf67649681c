/* Scratch folders. Entry N of the private folder holds `work`, which the caller gets, and beside it the TMPDIRs of the
 * jobs that run in it, so that a test finds nothing in its folder but what it was given. */
#include "core/runner_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* The length of "ROOT/N" when path is a scratch folder of ours, else 0. */
static size_t entry_len(const struct runner *r, const char *path)
{
	size_t root = strlen(r->root);
	if (strncmp(path, r->root, root) != 0 || path[root] != '/')
		return 0;
	size_t digits = strspn(path + root + 1, "0123456789");
	if (!digits || strcmp(path + root + 1 + digits, "/work") != 0)
		return 0;
	return root + 1 + digits;
}

enum rc runner_scratch(struct runner *r, char *out, size_t size, struct err *e)
{
	unsigned long n = ++r->scratch;
	int len = snprintf(out, size, "%s/%lu/work", r->root, n);
	if (len < 0 || (size_t)len >= size)
		return err_set(e, RC_BUG, "no room for the name of a scratch folder");
	char *slash = out + len - strlen("/work");
	*slash = '\0';
	if (mkdir(out, 0700) != 0)
		return err_sys(e, RC_ENV, errno, "cannot make the folder '%s'", out);
	*slash = '/';
	if (mkdir(out, 0700) != 0) {
		err_sys(e, RC_ENV, errno, "cannot make the folder '%s'", out);
		*slash = '\0';
		remove_tree(AT_FDCWD, out);
		return RC_ENV;
	}
	return RC_OK;
}

void runner_scratch_remove(struct runner *r, const char *path)
{
	char entry[4096];
	size_t n = entry_len(r, path);
	if (!n || n >= sizeof entry)
		return;
	memcpy(entry, path, n);
	entry[n] = '\0';
	remove_tree(AT_FDCWD, entry);
}

enum rc runner_tmp(struct runner *r, struct job *j, const char *dir, struct err *e)
{
	size_t n = dir ? entry_len(r, dir) : 0;
	j->tmp = n ? mem_printf("%.*s/tmp%u", (int)n, dir, j->seq) : mem_printf("%s/tmp%u", r->root, j->seq);
	if (mkdir(j->tmp, 0700) == 0)
		return RC_OK;
	err_sys(e, RC_ENV, errno, "cannot make the folder '%s'", j->tmp);
	free(j->tmp);
	j->tmp = NULL;
	return RC_ENV;
}
