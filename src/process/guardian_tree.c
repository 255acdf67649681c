/* SPDX-License-Identifier: MIT */
/* Walking, measuring and killing the process tree below us: see guardian_tree.h.
 *
 * Children are listed by the kernel in /proc/PID/task/TID/children; on a kernel without it every /proc/PID/stat is
 * read. Either list may miss a process that forks or exits meanwhile, so killing is repeated until wait4 says that no
 * child is left. A round signals the whole tree, not only direct children: that keeps ahead of a process that
 * forks without end, and one fork cannot outrun SIGKILL (a process with a pending one makes no child).
 * Tables have a fixed size: a process that does not fit is reached in a later round, at the latest as our own child. */
#include "process/guardian_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_TREE 1024
#define MAX_PIDFDS 256

struct member {
	pid_t pid;
	int pidfd; /* −1: a direct child */
};
static struct member tree[MAX_TREE];
static pid_t kids[MAX_TREE];

struct stat_line {
	pid_t ppid;
	double cpu_s;
};

/* Reads /proc/PID/stat; the name in it may hold spaces and parentheses, so the last ')' counts. */
static bool read_stat(pid_t pid, struct stat_line *s)
{
	char path[64], text[1024];
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	ssize_t n = read(fd, text, sizeof text - 1);
	close(fd);
	if (n <= 0)
		return false;
	text[n] = '\0';
	const char *p = strrchr(text, ')');
	int ppid;
	unsigned long ut, st;
	long cut, cst;
	static const char fields[] = " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu %ld %ld";
	if (!p || sscanf(p + 1, fields, &ppid, &ut, &st, &cut, &cst) != 5)
		return false;
	s->ppid = ppid;
	s->cpu_s = (double)(ut + st + (unsigned long)cut + (unsigned long)cst) / (double)sysconf(_SC_CLK_TCK);
	return true;
}

static uint64_t read_rss(pid_t pid)
{
	char path[64], text[256];
	snprintf(path, sizeof path, "/proc/%d/statm", (int)pid);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 0;
	ssize_t n = read(fd, text, sizeof text - 1);
	close(fd);
	if (n <= 0)
		return 0;
	text[n] = '\0';
	unsigned long long resident;
	if (sscanf(text, "%*u %llu", &resident) != 1)
		return 0;
	return resident * (uint64_t)sysconf(_SC_PAGESIZE);
}

/* Adds the pids in one children file; false if there is no such file. */
static bool read_children(const char *path, size_t *n)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	FILE *f = fdopen(fd, "r");
	if (!f) {
		close(fd);
		return true;
	}
	int pid;
	while (*n < MAX_TREE && fscanf(f, "%d", &pid) == 1)
		kids[(*n)++] = pid;
	fclose(f);
	return true;
}

/* The slow way, for kernels without children files. */
static size_t scan_children(pid_t parent)
{
	size_t n = 0;
	DIR *d = opendir("/proc");
	struct dirent *e;
	while (d && n < MAX_TREE && (e = readdir(d))) {
		char *end;
		long pid = strtol(e->d_name, &end, 10);
		struct stat_line s;
		if (*end == '\0' && pid > 0 && read_stat((pid_t)pid, &s) && s.ppid == parent)
			kids[n++] = (pid_t)pid;
	}
	if (d)
		closedir(d);
	return n;
}

static int children_files = -1; /* are there children files? */

void tree_scan_always(bool on)
{
	children_files = on ? 0 : -1;
}

static bool have_children_files(void)
{
	if (children_files < 0) {
		char path[64];
		snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
		children_files = access(path, R_OK) == 0;
	}
	return children_files;
}

/* Lists the children of a process, of all its threads, into kids. */
static size_t list_children(pid_t parent)
{
	if (!have_children_files())
		return scan_children(parent);
	char path[320];
	size_t n = 0;
	snprintf(path, sizeof path, "/proc/%d/task", (int)parent);
	DIR *d = opendir(path);
	struct dirent *e;
	while (d && (e = readdir(d))) {
		if (e->d_name[0] == '.')
			continue;
		snprintf(path, sizeof path, "/proc/%d/task/%s/children", (int)parent, e->d_name);
		read_children(path, &n);
	}
	if (d)
		closedir(d);
	return n;
}

static int pidfd_of(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

static int pidfd_signal(int fd, int sig)
{
	return (int)syscall(SYS_pidfd_send_signal, fd, sig, NULL, 0);
}

static bool listed(pid_t pid, const pid_t *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i] == pid)
			return true;
	return false;
}

/* A pidfd of pid, sure to be a child of parent; −1 otherwise. The parent's pid must be pinned (a direct child, or
 * its own pidfd still answers after the look at the child). */
static int pin_child(pid_t pid, const struct member *parent)
{
	struct stat_line s;
	int fd = pidfd_of(pid);
	if (fd < 0)
		return -1;
	if (read_stat(pid, &s) && s.ppid == parent->pid && (parent->pidfd < 0 || pidfd_signal(parent->pidfd, 0) == 0))
		return fd;
	close(fd);
	return -1;
}

/* One round: signals every process below us with SIGKILL. Counts direct children found and those that could not be
 * signalled. */
static void kill_round(const pid_t *spare, size_t n_spare, size_t *met, size_t *refused)
{
	size_t n = 0, fds = 0;
	size_t got = list_children(getpid());
	for (size_t i = 0; i < got; i++)
		if (!listed(kids[i], spare, n_spare))
			tree[n++] = (struct member){kids[i], -1};
	*met = n;
	*refused = 0;
	for (size_t i = 0; i < n; i++) {
		got = list_children(tree[i].pid);
		for (size_t k = 0; k < got && n < MAX_TREE && fds < MAX_PIDFDS; k++) {
			int fd = pin_child(kids[k], &tree[i]);
			if (fd < 0)
				continue;
			tree[n++] = (struct member){kids[k], fd};
			fds++;
		}
		if (tree[i].pidfd < 0) {
			if (kill(tree[i].pid, SIGKILL) != 0 && errno == EPERM)
				++*refused;
		} else {
			pidfd_signal(tree[i].pidfd, SIGKILL);
		}
	}
	for (size_t i = 0; i < n; i++)
		if (tree[i].pidfd >= 0)
			close(tree[i].pidfd);
}

bool tree_reap(tree_reaped_fn reaped, void *user)
{
	for (;;) {
		int status;
		struct rusage ru;
		pid_t pid = wait4(-1, &status, WNOHANG, &ru);
		if (pid > 0) {
			reaped(user, pid, status, &ru);
			continue;
		}
		if (pid < 0 && errno == EINTR)
			continue;
		return pid == 0;
	}
}

bool tree_kill(const pid_t *spare, size_t n_spare, tree_reaped_fn reaped, void *user)
{
	sigset_t chld;
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	int quiet = 0;
	while (tree_reap(reaped, user)) {
		size_t met, refused;
		kill_round(spare, n_spare, &met, &refused);
		if (met && met == refused)
			return false;
		/* an empty list may have missed a child: believe it the third time only */
		quiet = met ? 0 : quiet + 1;
		if (n_spare && quiet == 3)
			return true;
		struct timespec nap = {.tv_nsec = 1000000};
		sigtimedwait(&chld, NULL, &nap);
	}
	return true;
}

void tree_signals(void (*handler)(int), sigset_t *wait_mask)
{
	struct sigaction a = {.sa_handler = handler};
	sigaction(PARENT_DIED, &a, NULL);
	sigaction(SIGCHLD, &a, NULL);
	sigset_t all;
	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	*wait_mask = all;
	sigdelset(wait_mask, SIGCHLD);
	sigdelset(wait_mask, PARENT_DIED);
}

void tree_signal(int sig)
{
	size_t n = list_children(getpid());
	for (size_t i = 0; i < n; i++)
		kill(kids[i], sig);
}

struct tree_usage tree_measure(void)
{
	struct tree_usage u = {0};
	size_t n = list_children(getpid());
	for (size_t i = 0; i < n; i++)
		tree[i] = (struct member){kids[i], -1};
	for (size_t i = 0; i < n; i++) {
		struct stat_line s;
		if (read_stat(tree[i].pid, &s))
			u.cpu_s += s.cpu_s;
		u.rss += read_rss(tree[i].pid);
		size_t got = list_children(tree[i].pid);
		for (size_t k = 0; k < got && n < MAX_TREE; k++)
			tree[n++] = (struct member){kids[k], -1};
	}
	return u;
}
