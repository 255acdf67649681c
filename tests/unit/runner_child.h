/* SPDX-License-Identifier: MIT */
/* Hostile programs for the runner's tests: the test program itself, started again as `PROG child KIND ARG…`.
 *
 * Whether somebody is still alive is asked of a FIFO, not of the clock or of pids: every process to be watched opens it
 * for writing and writes one byte; the test reads "end of file" only when the last of them is gone. */
#ifndef TESTS_RUNNER_CHILD_H
#define TESTS_RUNNER_CHILD_H

#include "testing.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Long enough for every test, and an end for what a broken runner leaves behind. */
static inline _Noreturn void for_ever(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	t.tv_sec += 150;
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
	_exit(89);
}

/* Signs in at the FIFO and keeps it open. */
static inline int sign_in(const char *fifo)
{
	int fd = open(fifo, O_WRONLY);
	if (fd < 0 || write(fd, "x", 1) != 1)
		_exit(99);
	return fd;
}

static inline void ignore_all(void)
{
	for (int s = 1; s < NSIG; s++)
		signal(s, SIG_IGN);
}

static inline int child_hold(char **a)
{
	ignore_all();
	sign_in(a[0]);
	for_ever();
}

/* A daemon: leaves by setsid and two forks; the first parent exits only when the daemon has signed in. */
static inline int child_daemon(char **a)
{
	int ready[2];
	if (pipe(ready) != 0)
		return 98;
	if (fork() == 0) {
		setsid();
		if (fork() == 0) {
			ignore_all();
			sign_in(a[0]);
			if (write(ready[1], "x", 1) != 1)
				_exit(97);
			for_ever();
		}
		_exit(0);
	}
	char c;
	close(ready[1]);
	return read(ready[0], &c, 1) == 1 ? 0 : 96;
}

/* A chain of N processes, each in a session of its own, each waiting for ever for the next. */
static inline int child_chain(char **a)
{
	for (int n = atoi(a[1]); n > 0; n--) {
		setsid();
		sign_in(a[0]);
		pid_t pid = fork();
		if (pid != 0) {
			ignore_all();
			for_ever();
		}
	}
	sign_in(a[0]);
	for_ever();
}

/* A fork storm: 2^N processes, each in a session of its own, each replacing itself by a child without pause (a bounded
 * number of times, should the runner fail, and because the dead keep their process ids until they are reaped, which a
 * busy machine does late); each one signs in. The program itself waits for ever. */
static inline int child_storm(char **a)
{
	int depth = atoi(a[1]), fd = sign_in(a[0]);
	ignore_all();
	if (fork() > 0)
		for_ever();
	for (int d = 0; d < depth; d++)
		if (fork() == 0)
			setsid();
	for (int i = 0; i < 500; i++) {
		pid_t pid = fork();
		if (pid > 0)
			_exit(0);
		if (pid < 0)
			usleep(1000);
		setsid();
		if (write(fd, "x", 1) != 1)
			_exit(99);
	}
	for_ever();
}

static inline int child_spew(char **a)
{
	(void)a;
	static char block[4096];
	memset(block, 'y', sizeof block);
	for (;;)
		if (write(1, block, sizeof block) < 0)
			return 95;
}

static inline int child_print(char **a)
{
	static char block[1000];
	long left = atol(a[0]);
	memset(block, 'z', sizeof block);
	while (left > 0) {
		ssize_t n = write(1, block, left < (long)sizeof block ? (size_t)left : sizeof block);
		if (n < 0)
			return 95;
		left -= n;
	}
	return 0;
}

static inline int child_fill(char **a)
{
	static char block[65536];
	int fd = open(a[0], O_WRONLY | O_CREAT | O_TRUNC, 0600);
	for (;;)
		if (write(fd, block, sizeof block) < 0)
			return 94;
}

static inline int child_hog(char **a)
{
	size_t n = (size_t)atol(a[0]) << 20;
	volatile char *p = malloc(n);
	for (size_t i = 0; p && i < n; i += 1024)
		p[i] = 1;
	return p ? 0 : 93;
}

/* N processes that hold some MB each until the last one is ready, and for ever. */
static inline int child_hogs(char **a)
{
	for (int n = atoi(a[1]); n > 0; n--)
		if (fork() == 0) {
			child_hog(a);
			for_ever();
		}
	for_ever();
}

static inline double cpu_now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static inline int child_spin(char **a)
{
	double s = atof(a[0]);
	while (cpu_now() < s)
		;
	return 0;
}

/* N processes one after the other that spin S seconds each, every one the child of one that is reaped. */
static inline int child_spins(char **a)
{
	for (int n = atoi(a[1]); n > 0; n--) {
		pid_t pid = fork();
		if (pid == 0)
			_exit(child_spin(a));
		waitpid(pid, NULL, 0);
	}
	return 0;
}

static inline int child_descriptors(char **a)
{
	(void)a;
	DIR *d = opendir("/proc/self/fd");
	struct dirent *e;
	while (d && (e = readdir(d)))
		if (e->d_name[0] != '.' && atoi(e->d_name) != dirfd(d))
			dprintf(1, "%s ", e->d_name);
	return 0;
}

static inline int child_signals(char **a)
{
	(void)a;
	FILE *f = fopen("/proc/self/status", "r");
	char line[256];
	while (f && fgets(line, sizeof line, f))
		if (!strncmp(line, "SigBlk", 6) || !strncmp(line, "SigIgn", 6))
			dprintf(1, "%s", line);
	return 0;
}

/* kill_parent SIG FIFO: signs in, then signals its guardian. */
static inline int child_kill_parent(char **a)
{
	ignore_all();
	sign_in(a[1]);
	kill(getppid(), atoi(a[0]));
	for_ever();
}

/* Leaves things in the folder that are hard to remove; a[0] is a file outside, a[1] how deep folders are nested. */
static inline int child_litter(char **a)
{
	int work = open(".", O_RDONLY | O_DIRECTORY);
	if (symlink(a[0], "link") != 0 || mkdir("locked", 0700) != 0 || symlink(a[0], "locked/link") != 0 ||
	    mkdir("locked/in", 0700) != 0 || mkdir("locked/in/er", 0700) != 0 || chmod("locked/in/er", 0) != 0 ||
	    chmod("locked/in", 0) != 0 || chmod("locked", 0) != 0 || mkdir("0", 0700) != 0 || mkdir("1", 0700) != 0 ||
	    close(open("1/0", O_CREAT | O_WRONLY, 0)) != 0)
		return 92;
	/* the folder of the file outside, by a link to it */
	char folder[PATH_MAX];
	snprintf(folder, sizeof folder, "%s", a[0]);
	*strrchr(folder, '/') = '\0';
	if (symlink(folder, "folder") != 0)
		return 92;
	for (int i = 0; i < atoi(a[1]); i++)
		if (mkdir("a-folder-in-a-folder", 0500 | 0200 * (i % 2 == 0)) != 0 ||
		    chdir("a-folder-in-a-folder") != 0 || (i % 2 && chmod(".", 0700) != 0))
			return 91;
	return fchmod(work, 0) == 0 ? 0 : 91;
}

/* ---- the other end of the FIFO */

struct leash {
	char path[PATH_MAX];
	int fd;
};

static inline void leash_open(struct leash *l)
{
	static unsigned n;
	const char *tmp = getenv("TMPDIR");
	snprintf(l->path, sizeof l->path, "%s/leash.%d.%u", tmp ? tmp : "/tmp", (int)getpid(), n++);
	assert_int_equal(mkfifo(l->path, 0600), 0);
	l->fd = open(l->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	assert_true(l->fd >= 0);
}

/* Waits (20 s at most) until n more processes have signed in. */
static inline bool leash_await(struct leash *l, size_t n)
{
	for (int i = 0; n && i < 2000; i++) {
		char c[256];
		struct pollfd p = {.fd = l->fd, .events = POLLIN};
		poll(&p, 1, 10);
		ssize_t got = read(l->fd, c, n < sizeof c ? n : sizeof c);
		if (got > 0)
			n -= (size_t)got;
		else
			usleep(1000);
	}
	return n == 0;
}

/* True if nobody holds it now; somebody must have signed in before. */
static inline bool leash_loose(struct leash *l)
{
	char c[256];
	ssize_t got;
	while ((got = read(l->fd, c, sizeof c)) > 0)
		;
	return got == 0;
}

/* Calls `holds` until it is true, for 15 s at most; once that was in vain the tests are red and waits are short. */
static inline bool wait_until(bool (*holds)(void *what), void *what)
{
	static int patience = 15000;
	for (int i = 0; i < patience; i++) {
		if (holds(what))
			return true;
		usleep(1000);
	}
	patience = 500;
	return false;
}

static inline bool leash_is_loose(void *l)
{
	return leash_loose(l);
}

/* Waits until nobody holds it. */
static inline bool leash_gone(struct leash *l)
{
	return wait_until(leash_is_loose, l);
}

static inline void leash_close(struct leash *l)
{
	close(l->fd);
	unlink(l->path);
}

static inline int child_main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int args;
		int (*run)(char **a);
	} kinds[] = {
		{"hold", 1, child_hold},       {"daemon", 1, child_daemon},
		{"chain", 2, child_chain},     {"storm", 2, child_storm},
		{"spew", 0, child_spew},       {"print", 1, child_print},
		{"fill", 1, child_fill},       {"hog", 1, child_hog},
		{"hogs", 2, child_hogs},       {"spin", 1, child_spin},
		{"spins", 2, child_spins},     {"descriptors", 0, child_descriptors},
		{"signals", 0, child_signals}, {"kill_parent", 2, child_kill_parent},
		{"litter", 2, child_litter},
	};
	for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if (strcmp(argv[2], kinds[i].name) == 0 && argc == 3 + kinds[i].args)
			_exit(kinds[i].run(argv + 3));
	_exit(90);
}

#endif
