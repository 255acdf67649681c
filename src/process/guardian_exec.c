/* SPDX-License-Identifier: MIT */
/* vfork and exec: see guardian_exec.h.
 *
 * The child shares our memory until its exec, so a failure is simply written to the struct launch; it changes nothing
 * else of ours. vfork because it is several times cheaper than fork, most of all under AddressSanitizer. */
#include "process/guardian_exec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static _Noreturn void fail(struct launch *l, enum start_stage stage)
{
	l->error = errno;
	l->stage = stage;
	_exit(127);
}

/* Lowers a limit; never raises it above our own. */
static void limit(struct launch *l, int what, uint64_t soft, uint64_t hard)
{
	struct rlimit r;
	if (getrlimit(what, &r) != 0)
		fail(l, STAGE_LIMITS);
	if (r.rlim_max == RLIM_INFINITY || hard < r.rlim_max)
		r.rlim_max = hard;
	r.rlim_cur = soft < r.rlim_max ? soft : r.rlim_max;
	if (setrlimit(what, &r) != 0)
		fail(l, STAGE_LIMITS);
}

static void set_limits(struct launch *l)
{
	const struct run_limits *m = l->limits;
	/* the guardian watches the CPU time of the tree; this is the kernel's brake for one process */
	if (m->cpu_s > 0 && m->cpu_s < 1e9) {
		uint64_t s = (uint64_t)ceil(m->cpu_s) + 1;
		limit(l, RLIMIT_CPU, s, s + 1);
	}
	if (m->file_bytes)
		limit(l, RLIMIT_FSIZE, m->file_bytes, m->file_bytes);
	if (m->files)
		limit(l, RLIMIT_NOFILE, m->files, m->files);
	if (!l->foreground)
		limit(l, RLIMIT_CORE, 0, 0);
}

static void set_files(struct launch *l)
{
	int moved[WIRE_MAX_FDS], base = 3;
	for (size_t i = 0; i < l->n_extra; i++)
		if (l->extra_to[i] >= base)
			base = l->extra_to[i] + 1;
	/* first out of the way of every target, then into place */
	for (size_t i = 0; i < l->n_extra; i++)
		if ((moved[i] = fcntl(l->extra_from[i], F_DUPFD_CLOEXEC, base)) < 0)
			fail(l, STAGE_FILES);
	for (int i = 0; i < 3; i++)
		if (dup2(l->fds[i], i) < 0)
			fail(l, STAGE_FILES);
	for (size_t i = 0; i < l->n_extra; i++)
		if (dup2(moved[i], l->extra_to[i]) < 0)
			fail(l, STAGE_FILES);
}

static void set_signals(const struct launch *l)
{
	for (int s = 1; s < 32; s++)
		if (l->ignored >> s & 1)
			signal(s, SIG_IGN);
	sigset_t none;
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Tries one path; comes back only if it cannot be run. */
static void try_exec(struct launch *l, const char *path)
{
	execve(path, l->argv, l->env);
	if (errno == ENOEXEC) {
		l->argv[-1] = (char *)(uintptr_t) "/bin/sh";
		l->argv[0] = (char *)(uintptr_t)path;
		execve("/bin/sh", l->argv - 1, l->env);
		errno = ENOEXEC;
	}
}

static const char *search_path(const struct launch *l)
{
	for (char **e = l->env; *e; e++)
		if (strncmp(*e, "PATH=", 5) == 0)
			return *e + 5;
	return "/usr/local/bin:/bin:/usr/bin";
}

static _Noreturn void run_program(struct launch *l)
{
	static char path[PATH_MAX];
	const char *name = l->argv[0];
	int worst = ENOENT;
	if (strchr(name, '/') || !*name) {
		try_exec(l, name);
		fail(l, STAGE_EXEC);
	}
	for (const char *p = search_path(l), *end;; p = end + 1) {
		end = strchrnul(p, ':');
		int n = snprintf(path, sizeof path, "%.*s%s%s", (int)(end - p), p, end > p ? "/" : "", name);
		if (n > 0 && (size_t)n < sizeof path) {
			try_exec(l, path);
			/* a file that is there but refuses is the better message than a folder without it */
			if (errno != EACCES && errno != ENOENT && errno != ENOTDIR)
				fail(l, STAGE_EXEC);
			if (errno == EACCES && access(path, F_OK) == 0)
				worst = EACCES;
		}
		if (!*end)
			break;
	}
	errno = worst;
	fail(l, STAGE_EXEC);
}

static _Noreturn __attribute__((noinline)) void child(struct launch *l)
{
	if (l->foreground)
		setpgid(0, l->pgid); /* refused when the group is gone: then the program stays in ours */
	else
		setsid();
	if (l->dir && chdir(l->dir) != 0)
		fail(l, STAGE_DIR);
	set_files(l);
	set_limits(l);
	set_signals(l);
	run_program(l);
}

pid_t launch_program(struct launch *l)
{
	l->error = 0;
	l->stage = STAGE_NONE;
	pid_t pid = vfork();
	if (pid == 0)
		child(l);
	if (pid < 0) {
		l->error = errno;
		l->stage = STAGE_FORK;
		return -1;
	}
	if (!l->error)
		return pid;
	/* reaped here: a program that never started has no verdict */
	int error = l->error;
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	errno = error;
	return -1;
}
