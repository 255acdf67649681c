/* SPDX-License-Identifier: MIT */
/* The spawner: a small process forked before refrain grows, from which guardians are forked cheaply and which outlives
 * refrain by just as long as cleaning up takes.
 *
 * It is a sub-reaper: what a killed guardian leaves behind becomes its child and is killed. When refrain goes, in
 * whatever way, the socket closes (or PARENT_DIED comes, should a child of refrain hold a copy of it): then everything
 * below is killed and the private folder with all scratch folders removed. It has a process group of its own, so
 * signals from the terminal or to refrain's group do not reach it, but stays in the session, so that a foreground
 * program can use the terminal. It makes the private folder itself: there is no moment in which the folder exists and
 * nobody would remove it. */
#include "process/wire.h"
#include "process/close_from.h"
#include "process/guardian_tree.h"
#include "data/mem.h"
#include "data/vec.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static VEC(pid_t) guardians;
static VEC(pid_t) gone; /* reaped guardians that refrain has not been told of */
static char root[PATH_MAX];
static sigset_t wait_mask;
static volatile sig_atomic_t parent_died;
static bool sandboxed; /* guardians are */

static void on_signal(int sig)
{
	if (sig == PARENT_DIED)
		parent_died = 1;
}

static _Noreturn void on_oom(size_t wanted)
{
	(void)wanted;
	_exit(1);
}

static void reaped(void *user, pid_t pid, int status, const struct rusage *ru)
{
	(void)user, (void)status, (void)ru;
	for (size_t i = 0; i < guardians.n; i++) {
		if (guardians.at[i] != pid)
			continue;
		vec_remove(&guardians, i);
		vec_push(&gone, pid);
		return;
	}
}

static _Noreturn void clean_up(void)
{
	tree_kill(NULL, 0, reaped, NULL);
	if (*root)
		remove_tree(AT_FDCWD, root);
	_exit(0);
}

/* Descriptors: 0 and 1 are the null device, 2 stays (a sanitizer's report is worth seeing), the socket becomes 3. */
static void set_files(int sock)
{
	int null = open("/dev/null", O_RDWR);
	dup2(null, 0);
	dup2(null, 1);
	dup2(sock, 3);
	close_from(4);
	fcntl(3, F_SETFD, FD_CLOEXEC);
}

static void set_signals(void)
{
	/* by the system call: the library does not touch 32 and 33, and posix_spawn leaves them ignored */
	static const unsigned long kernel_default[8];
	for (int s = 1; s < NSIG; s++)
		syscall(SYS_rt_sigaction, s, kernel_default, NULL, NSIG / 8);
	tree_signals(on_signal, &wait_mask);
}

static void make_root(int sock)
{
	const char *base = getenv("TMPDIR");
	char path[PATH_MAX];
	struct wire_head h = {.type = WIRE_ROOT};
	int n = -1;
	if (!realpath(base && *base ? base : "/tmp", path))
		h.value = errno;
	else if ((n = snprintf(root, sizeof root, "%s/refrain-XXXXXX", path)) >= (int)sizeof root - 64)
		h.value = ENAMETOOLONG;
	else if (!mkdtemp(root))
		h.value = errno;
	if (h.value)
		*root = '\0';
	else
		h.len = strlen(root) + 1;
	if (wire_send(sock, &h, root, NULL, 0) != 0 || h.value)
		clean_up();
}

static void fork_guardian(int sock, int guardian_sock)
{
	pid_t self = getpid();
	pid_t pid = fork();
	if (pid == 0) {
		/* the copy of the spawner's socket would hide refrain's death from the spawner's peer */
		close(sock);
		if (sandboxed && sandbox_enter(root) != 0)
			_exit(1);
		guardian_main(guardian_sock, self);
	}
	struct wire_head h = {.type = WIRE_FORKED, .value = pid < 0 ? -errno : pid};
	close(guardian_sock);
	if (pid > 0)
		vec_push(&guardians, pid);
	if (wire_send(sock, &h, NULL, NULL, 0) != 0)
		clean_up();
}

/* Tries the sandbox in a child, so that the spawner stays outside. */
static void begin_sandbox(int sock)
{
	pid_t pid = fork();
	if (pid == 0)
		_exit(sandbox_enter(root));
	int status = 0;
	pid_t got = -1;
	while (pid > 0 && (got = waitpid(pid, &status, 0)) < 0 && errno == EINTR)
		;
	struct wire_head h = {.type = WIRE_SANDBOX};
	h.value = got < 0 ? errno : WIFEXITED(status) ? WEXITSTATUS(status) : EPERM;
	sandboxed = h.value == 0;
	if (wire_send(sock, &h, NULL, NULL, 0) != 0)
		clean_up();
}

/* A stopped guardian would enforce no limit, so a SIGSTOP sent to it is undone. */
static void wake_stopped(void)
{
	for (;;) {
		siginfo_t info = {0};
		if (waitid(P_ALL, 0, &info, WSTOPPED | WNOHANG) != 0 || info.si_pid == 0)
			return;
		kill(info.si_pid, SIGCONT);
	}
}

static void look_after_guardians(int sock)
{
	wake_stopped();
	tree_reap(reaped, NULL);
	if (!gone.n)
		return;
	tree_kill(guardians.at, guardians.n, reaped, NULL);
	for (size_t i = 0; i < gone.n; i++) {
		struct wire_head h = {.type = WIRE_GONE, .value = gone.at[i]};
		if (wire_send(sock, &h, NULL, NULL, 0) != 0)
			clean_up();
	}
	gone.n = 0;
}

void spawner_main(int sock, pid_t parent)
{
	prctl(PR_SET_NAME, "rf-spawner");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_PDEATHSIG, PARENT_DIED);
	setpgid(0, 0);
	set_signals();
	set_files(sock);
	sock = 3;
	mem_set_oom(on_oom);
	if (getppid() != parent)
		_exit(1);
	make_root(sock);
	for (;;) {
		look_after_guardians(sock);
		struct pollfd p = {.fd = sock, .events = POLLIN};
		int n = ppoll(&p, 1, NULL, &wait_mask);
		if (parent_died && getppid() != parent)
			clean_up();
		if (n <= 0)
			continue;
		struct wire_head h;
		int fd;
		size_t n_fds = 1;
		if (wire_recv_head(sock, &h, &fd, &n_fds) != 0)
			clean_up();
		if (h.type == WIRE_FORK && n_fds == 1)
			fork_guardian(sock, fd);
		else if (h.type == WIRE_SANDBOX)
			begin_sandbox(sock);
	}
}
