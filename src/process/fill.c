/* SPDX-License-Identifier: MIT */
/* Filling scratch folders: see fill.h. Links are made last: no file is written through one. */
#include "process/fill.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Makes the folders that name's folders stand in. */
static enum rc make_parents(int root, const char *name, struct err *e)
{
	char part[PATH_MAX];
	for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(part, sizeof part, "%.*s", (int)(slash - name), name);
		if (mkdirat(root, part, 0700) != 0 && errno != EEXIST)
			return err_sys(e, RC_ENV, errno, "cannot make the folder '%s' for the test", part);
	}
	return RC_OK;
}

static enum rc write_file(int root, const char *name, unsigned mode, const struct buf *text, struct err *e)
{
	enum rc rc = make_parents(root, name, e);
	if (rc != RC_OK)
		return rc;
	int fd = openat(root, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(e, RC_ENV, errno, "cannot write '%s' for the test", name);
	/* cut after writing: the kernel keeps the pages of the text before */
	if (!write_all(fd, text->at, text->n) || ftruncate(fd, (off_t)text->n) != 0 || fchmod(fd, mode | 0600) != 0)
		rc = err_sys(e, RC_ENV, errno, "cannot write '%s' for the test", name);
	close(fd);
	return rc;
}

static enum rc make_link(int root, const struct fill_copy *c, struct err *e)
{
	enum rc rc = make_parents(root, c->name, e);
	if (rc == RC_OK && symlinkat(c->link, root, c->name) != 0)
		rc = err_sys(e, RC_ENV, errno, "cannot make the link '%s' for the test", c->name);
	return rc;
}

enum rc fill_folder(const struct fill *f, const char *dir, const struct buf *texts, const bool *absent, struct err *e)
{
	int root = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return err_sys(e, RC_ENV, errno, "cannot open the scratch folder '%s'", dir);
	enum rc rc = RC_OK;
	for (size_t i = 0; i < f->n_files && rc == RC_OK; i++) {
		if (!absent || !absent[i])
			rc = write_file(root, f->names[i], f->modes[i], &texts[i], e);
		else if (unlinkat(root, f->names[i], 0) != 0 && errno != ENOENT && errno != ENOTDIR)
			rc = err_sys(e, RC_ENV, errno, "cannot remove '%s' for the test", f->names[i]);
	}
	for (size_t i = 0; i < f->n_copies && rc == RC_OK; i++)
		if (!f->copy[i].link)
			rc = write_file(root, f->copy[i].name, f->copy[i].mode, f->copy[i].text, e);
	for (size_t i = 0; i < f->n_copies && rc == RC_OK; i++)
		if (f->copy[i].link)
			rc = make_link(root, &f->copy[i], e);
	close(root);
	return rc;
}

bool fill_flat(const struct fill *f)
{
	bool flat = !f->n_copies;
	for (size_t i = 0; i < f->n_files; i++)
		flat = flat && !strchr(f->names[i], '/');
	return flat;
}

bool fill_clean(const struct fill *f, const char *dir)
{
	struct stat st;
	size_t found = 0, others = 0;
	DIR *d = lstat(dir, &st) == 0 && S_ISDIR(st.st_mode) && (st.st_mode & 07777) == 0700 ? opendir(dir) : NULL;
	if (!d)
		return false;
	for (struct dirent *x; (x = readdir(d)) && !others;) {
		if (strcmp(x->d_name, ".") == 0 || strcmp(x->d_name, "..") == 0)
			continue;
		bool ours = false;
		for (size_t i = 0; i < f->n_files && !ours; i++)
			ours = strcmp(x->d_name, f->names[i]) == 0 &&
			       fstatat(dirfd(d), x->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
			       st.st_nlink == 1 && st.st_uid == geteuid() && (st.st_mode & 0600) == 0600;
		ours ? found++ : others++;
	}
	closedir(d);
	return !others && found == f->n_files;
}
