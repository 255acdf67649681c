/* SPDX-License-Identifier: MIT */
/* The kernel's file of a process's memory: who has it open writes where no barrier is. A file that may be it (by its
 * name, through a link, by a name that is relative to who knows what) makes everything suspect; the next check asks the
 * kernel which files are open, and if that one is, every check from then on walks its value in full.
 *
 * A child may write to the memory of its parent, too (through that file, as a debugger or by process_vm_writev). It
 * says so in a list that they share. */
#include "runtime/check/inside/rt.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

bool rt_files_suspect;
static struct rt_family alone;
struct rt_family *rt_family = &alone;
uint32_t rt_family_seen;

void rt_file_opened(void)
{
	RT_SET(rt_files_suspect, true);
	rt_everything();
}

static bool named_mem(const char *path)
{
	const char *end = strrchr(path, '/');
	return strcmp(end ? end + 1 : path, "mem") == 0;
}

/* ---- processes that write to one another's memory */

/* Before the first child: the page is shared with all of them. */
void rt_family_start(void)
{
	void *p = mmap(NULL, sizeof *rt_family, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p != MAP_FAILED)
		rt_family = p;
}

void rt_family_writes(pid_t to)
{
	uint32_t i = __atomic_fetch_add(&rt_family->n, 1, __ATOMIC_ACQ_REL);
	if (i < ARRAY_LEN(rt_family->to))
		__atomic_store_n(&rt_family->to[i], to ? to : -1, __ATOMIC_RELEASE);
	rt_everything();
}

bool rt_family_look(void)
{
	uint32_t n = __atomic_load_n(&rt_family->n, __ATOMIC_ACQUIRE);
	bool here = n > ARRAY_LEN(rt_family->to);
	for (uint32_t i = rt_family_seen; i < n && !here; i++) {
		pid_t to = __atomic_load_n(&rt_family->to[i], __ATOMIC_ACQUIRE); /* 0: not yet known */
		here = to <= 0 || to == getpid();
	}
	rt_family_seen = n;
	return here;
}

void rf_process(const void *pid)
{
	rt_everything();
	if ((pid_t)(uintptr_t)pid != getpid())
		rt_family_writes((pid_t)(uintptr_t)pid);
}

/* A file that was opened for writing may be the memory of this process, or of the one that started it. */
void rf_opened(int fd)
{
	char link[40], target[64];
	int keep = errno, flags = fd < 0 ? -1 : fcntl(fd, F_GETFL);
	if (flags >= 0 && (flags & O_ACCMODE) != O_RDONLY) {
		snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
		ssize_t k = readlink(link, target, sizeof target - 1);
		target[k > 0 ? k : 0] = '\0';
		if (named_mem(target))
			rt_family_writes(strncmp(target, "/proc/", 6) == 0 ? (pid_t)strtol(target + 6, NULL, 10) : 0);
	}
	errno = keep;
}

/* ---- names */

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
	RT_SET(rt_files_suspect, false);
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
