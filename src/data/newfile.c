/* SPDX-License-Identifier: MIT */
/* Files that appear when they are complete: see newfile.h. A nameless file is linked to its name; linkat(2) replaces
 * nothing, so for an existing file it is linked to a temporary name that is then renamed. */
#include "data/newfile.h"

#include "data/mem.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static enum rc cannot_write(const struct newfile *f, int sys, struct err *e)
{
	return err_sys(e, RC_ENV, sys, "cannot write '%s'", f->path);
}

static void release(struct newfile *f)
{
	free(f->path);
	free(f->target);
	free(f->temp);
	*f = (struct newfile){.fd = -1};
}

/* The path by which linkat reaches a nameless file. */
static void proc_name(int fd, char *out, size_t size)
{
	snprintf(out, size, "/proc/self/fd/%d", fd);
}

static bool open_nameless(struct newfile *f)
{
	char name[64];
	char *folder = mem_strdup(f->target);
	char *slash = strrchr(folder, '/');
	if (slash)
		slash[slash == folder] = '\0';
	f->fd = open(slash ? folder : ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
	free(folder);
	if (f->fd < 0)
		return false;
	proc_name(f->fd, name, sizeof name);
	if (access(name, F_OK) == 0)
		return true;
	close(f->fd);
	return false;
}

/* Ownership can only be kept by root and is worth no error. */
static bool set_meta(const struct newfile *f, unsigned mode)
{
	struct stat st;
	if (stat(f->target, &st) == 0) {
		mode = st.st_mode & 07777;
		if (fchown(f->fd, st.st_uid, st.st_gid) != 0)
			errno = 0;
	}
	return fchmod(f->fd, (mode_t)mode) == 0;
}

enum rc newfile_create(struct newfile *f, const char *path, unsigned mode, struct err *e)
{
	struct stat st;
	*f = (struct newfile){.fd = -1, .path = mem_strdup(path)};
	if (stat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		/* renaming over a pipe or device would destroy it */
		f->fd = open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	} else {
		char *real = realpath(path, NULL);
		f->target = mem_strdup(real ? real : path);
		free(real);
		if (!open_nameless(f)) {
			f->temp = mem_printf("%s.XXXXXX", f->target);
			f->fd = mkostemp(f->temp, O_CLOEXEC);
		}
	}
	if (f->fd >= 0 && (!f->target || set_meta(f, mode)))
		return RC_OK;
	enum rc rc = cannot_write(f, errno, e);
	if (f->fd >= 0)
		newfile_abandon(f);
	else
		release(f);
	return rc;
}

static bool link_to(const struct newfile *f, const char *name)
{
	char from[64];
	proc_name(f->fd, from, sizeof from);
	return linkat(AT_FDCWD, from, AT_FDCWD, name, AT_SYMLINK_FOLLOW) == 0;
}

/* Gives a nameless file its name, or a temporary one when the name is taken. */
static bool name_it(struct newfile *f)
{
	if (link_to(f, f->target))
		return true;
	for (unsigned i = 0; errno == EEXIST && i < 1000; i++) {
		free(f->temp);
		f->temp = mem_printf("%s.%ld-%u", f->target, (long)getpid(), i);
		if (link_to(f, f->temp))
			return true;
	}
	free(f->temp);
	f->temp = NULL;
	return false;
}

enum rc newfile_commit(struct newfile *f, bool sync, struct err *e)
{
	bool ok = !sync || !f->target || fsync(f->fd) == 0;
	if (ok && f->target && !f->temp)
		ok = name_it(f);
	int sys = errno;
	if (close(f->fd) != 0 && ok) {
		ok = false;
		sys = errno;
	}
	if (ok && f->temp && rename(f->temp, f->target) != 0) {
		ok = false;
		sys = errno;
	}
	if (!ok && f->temp)
		unlink(f->temp);
	enum rc rc = ok ? RC_OK : cannot_write(f, sys, e);
	release(f);
	return rc;
}

void newfile_abandon(struct newfile *f)
{
	close(f->fd);
	if (f->temp)
		unlink(f->temp);
	release(f);
}
