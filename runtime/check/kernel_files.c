/* SPDX-License-Identifier: MIT */
/* The kernel's file of a process's memory: who has it open writes where no barrier is. A file that may be it (by its
 * name, through a link, by a name that is relative to who knows what) makes everything suspect; the next check asks the
 * kernel which files are open, and if that one is, every check from then on walks its value in full. */
#include "rt.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

bool rt_files_suspect;

void rt_file_opened(void)
{
	rt_files_suspect = true;
	rt_everything();
}

static bool named_mem(const char *path)
{
	const char *end = strrchr(path, '/');
	return strcmp(end ? end + 1 : path, "mem") == 0;
}

void rf_path(const void *path)
{
	struct stat s;
	int keep = errno;
	if (path && (named_mem(path) || (lstat(path, &s) == 0 && S_ISLNK(s.st_mode))))
		rt_file_opened();
	errno = keep;
}

void rf_path_at(const void *path)
{
	const char *s = path;
	if (s && *s != '/')
		rt_file_opened();
	else
		rf_path(path);
}

/* Without malloc, which would ask for us: straight from the kernel. */
bool rt_memory_is_open(void)
{
	char entries[2048] __attribute__((aligned(8))), target[256];
	int keep = errno, fd = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	bool found = fd < 0;
	rt_files_suspect = false;
	for (long n; !found && (n = syscall(SYS_getdents64, fd, entries, sizeof entries)) > 0;)
		for (long at = 0; at < n && !found;) {
			const struct dirent64 *d = (const void *)(entries + at);
			ssize_t k = readlinkat(fd, d->d_name, target, sizeof target - 1);
			target[k > 0 ? k : 0] = '\0';
			found = named_mem(target);
			at += d->d_reclen;
		}
	if (fd >= 0)
		close(fd);
	errno = keep;
	return found;
}
