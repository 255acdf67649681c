/* SPDX-License-Identifier: MIT */
/* Watching over the terminal: see guard.h. */
#include "cli/guard.h"

#include "data/buf.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

struct guard {
	int pipe; /* a byte says that all is well */
	pid_t pid;
};

/* Files that others wait to see closed must not stay open here. */
static void close_others(int keep)
{
	long most = sysconf(_SC_OPEN_MAX);
	for (int fd = STDERR_FILENO + 1; fd < (most > 0 && most < 4096 ? most : 4096); fd++)
		if (fd != keep)
			close(fd);
	close(STDIN_FILENO);
	close(STDOUT_FILENO);
}

static _Noreturn void watch(int pipe, const struct termios *before, const char *leave)
{
	static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE};
	char byte;
	ssize_t got;
	for (size_t i = 0; i < sizeof ignored / sizeof ignored[0]; i++)
		signal(ignored[i], SIG_IGN);
	setsid();
	close_others(pipe);
	do
		got = read(pipe, &byte, 1);
	while (got < 0 && errno == EINTR);
	if (got <= 0) {
		(void)!write_all(STDERR_FILENO, leave, strlen(leave));
		tcsetattr(STDERR_FILENO, TCSANOW, before);
	}
	_exit(0);
}

struct guard *guard_start(const char *leave)
{
	struct termios before;
	int pipe[2];
	if (tcgetattr(STDERR_FILENO, &before) != 0 || pipe2(pipe, O_CLOEXEC) != 0)
		return NULL;
	pid_t pid = fork();
	if (pid == 0)
		watch(pipe[0], &before, leave);
	close(pipe[0]);
	if (pid < 0) {
		close(pipe[1]);
		return NULL;
	}
	struct guard *g = mem_zalloc(sizeof *g);
	*g = (struct guard){pipe[1], pid};
	return g;
}

void guard_stop(struct guard *g)
{
	if (!g)
		return;
	(void)!write_all(g->pipe, "", 1);
	close(g->pipe);
	while (waitpid(g->pid, NULL, 0) < 0 && errno == EINTR)
		;
	free(g);
}
