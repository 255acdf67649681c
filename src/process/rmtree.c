/* SPDX-License-Identifier: MIT */
/* Removing a folder with whatever a hostile program left in it (remove_tree in wire.h).
 *
 * No recursion and three descriptors at most, however deep the tree: a folder inside a folder that is not empty is
 * moved up to the top first, so every folder is emptied from a distance of one. Symbolic links are never followed. */
#include "process/wire.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Best effort: where it fails, the open or the move after it says why. */
static void make_ours(int at, const char *name)
{
	if (fchmodat(at, name, 0700, 0) != 0)
		return;
}

/* Opens a folder for listing, made ours to change if it was not. −1 when it is not a folder (or a link). */
static int open_folder(int at, const char *name)
{
	struct stat st;
	if (fstatat(at, name, &st, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISDIR(st.st_mode))
		return -1;
	if ((st.st_mode & 0700) != 0700)
		make_ours(at, name);
	return openat(at, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static bool dots(const char *name)
{
	return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

/* A folder may be moved to another parent only if it is writable itself. */
static bool move_up(int from, const char *name, int top, unsigned long *serial)
{
	char fresh[32];
	make_ours(from, name);
	do {
		snprintf(fresh, sizeof fresh, "%lu", (*serial)++);
		if (renameat(from, name, top, fresh) == 0)
			return true;
	} while (errno == EEXIST || errno == ENOTEMPTY || errno == ENOTDIR); /* the name is taken */
	return false;
}

/* Empties the folder `fd` of depth one, moving what is deeper to top. Returns how many entries went. */
static size_t empty_into(int fd, int top, unsigned long *serial)
{
	size_t went = 0;
	DIR *d = fdopendir(fd);
	if (!d) {
		close(fd);
		return 0;
	}
	struct dirent *e;
	while ((e = readdir(d))) {
		if (dots(e->d_name))
			continue;
		if (unlinkat(fd, e->d_name, 0) == 0 || unlinkat(fd, e->d_name, AT_REMOVEDIR) == 0)
			went++;
		else if ((errno == ENOTEMPTY || errno == EEXIST) && move_up(fd, e->d_name, top, serial))
			went++;
	}
	closedir(d);
	return went;
}

/* One pass over top's entries. Returns how many entries went anywhere below. */
static size_t pass(int top, unsigned long *serial)
{
	size_t went = 0;
	int copy = openat(top, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *d = copy < 0 ? NULL : fdopendir(copy);
	struct dirent *e;
	while (d && (e = readdir(d))) {
		if (dots(e->d_name))
			continue;
		if (unlinkat(top, e->d_name, 0) == 0 || unlinkat(top, e->d_name, AT_REMOVEDIR) == 0) {
			went++;
			continue;
		}
		int fd = open_folder(top, e->d_name);
		if (fd >= 0)
			went += empty_into(fd, top, serial);
		if (unlinkat(top, e->d_name, AT_REMOVEDIR) == 0)
			went++;
	}
	if (d)
		closedir(d);
	else if (copy >= 0)
		close(copy);
	return went;
}

bool remove_tree(int at, const char *name)
{
	if (unlinkat(at, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
		return true;
	int top = open_folder(at, name);
	if (top < 0)
		return false;
	unsigned long serial = 0;
	for (;;) {
		size_t went = pass(top, &serial);
		if (unlinkat(at, name, AT_REMOVEDIR) == 0) {
			close(top);
			return true;
		}
		if (!went) {
			close(top);
			return false;
		}
	}
}
