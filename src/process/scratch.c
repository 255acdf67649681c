/* SPDX-License-Identifier: MIT */
/* Scratch folders. Entry N of the private folder holds `work`, which the caller gets, and beside it the TMPDIRs of the
 * jobs that run in it, so that a test finds nothing in its folder but what it was given. A TMPDIR that a job left as it
 * was made serves the next job of the entry: to make and remove one for each costs as much as writing the input. */
#include "process/internal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* Spare TMPDIRs directly in the folder; NULL when there is none. */
static char *take_spare(struct runner *r, const char *folder, size_t n)
{
	for (size_t i = 0; i < r->spare_tmp.n; i++) {
		char *p = r->spare_tmp.at[i];
		if (strncmp(p, folder, n) != 0 || p[n] != '/' || strchr(p + n + 1, '/'))
			continue;
		vec_remove(&r->spare_tmp, i);
		return p;
	}
	return NULL;
}

static void forget_spares(struct runner *r, const char *folder, size_t n)
{
	for (char *p; (p = take_spare(r, folder, n));)
		free(p);
}

void runner_scratch_remove(struct runner *r, const char *path)
{
	char entry[4096];
	size_t n = entry_len(r, path);
	if (!n || n >= sizeof entry)
		return;
	memcpy(entry, path, n);
	entry[n] = '\0';
	forget_spares(r, entry, n);
	remove_tree(AT_FDCWD, entry);
}

enum rc runner_tmp(struct runner *r, struct job *j, const char *dir, struct err *e)
{
	size_t n = dir ? entry_len(r, dir) : 0;
	const char *folder = n ? dir : r->root;
	n = n ? n : strlen(r->root);
	if ((j->tmp = take_spare(r, folder, n)))
		return RC_OK;
	j->tmp = mem_printf("%.*s/tmp%u", (int)n, folder, j->seq);
	if (mkdir(j->tmp, 0700) == 0)
		return RC_OK;
	err_sys(e, RC_ENV, errno, "cannot make the folder '%s'", j->tmp);
	free(j->tmp);
	j->tmp = NULL;
	return RC_ENV;
}

/* Whether the folder is as runner_tmp made it. */
static bool untouched(const char *path)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	DIR *d = fd >= 0 ? fdopendir(fd) : NULL;
	if (!d) {
		if (fd >= 0)
			close(fd);
		return false;
	}
	size_t n = 0;
	while (n <= 2 && readdir(d))
		n++;
	bool same = n == 2 && fstat(fd, &st) == 0 && (st.st_mode & 07777) == 0700 && st.st_uid == geteuid();
	closedir(d);
	return same;
}

void runner_tmp_done(struct runner *r, struct job *j)
{
	if (!j->tmp)
		return;
	if (untouched(j->tmp)) {
		vec_push(&r->spare_tmp, j->tmp);
	} else {
		remove_tree(AT_FDCWD, j->tmp);
		free(j->tmp);
	}
	j->tmp = NULL;
}
