/* SPDX-License-Identifier: MIT */
/* Each pass must read the same input. A file is rewound. A pipe or socket can be read once only: while the first pass
 * runs, a child of ours copies it into a pipe for the program and into a file without a name, which the next passes
 * read. The input is not read ahead to its end: it may have none, and the program may not want it. Terminals are left
 * alone. */
#include "profile/spool.h"

#include "data/buf.h"
#include "process/close_from.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int unnamed_file(void)
{
	const char *folder = getenv("TMPDIR");
	char path[PATH_MAX];
	if ((size_t)snprintf(path, sizeof path, "%s/refrain-input.XXXXXX", folder && folder[0] ? folder : "/tmp") >=
	    sizeof path)
		return -1;
	int fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

/* The child: from standard input to the file, then to the program. Ends when one of them does. */
static _Noreturn void relay(int file, int program)
{
	static char bytes[1 << 16];
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGPIPE, SIG_DFL);
	/* nothing of refrain's may be kept open by this process */
	if (dup2(program, 1) < 0 || dup2(file, 2) < 0)
		_exit(1);
	close_from(3);
	for (;;) {
		ssize_t n = read(0, bytes, sizeof bytes);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || !write_all(2, bytes, (size_t)n) || !write_all(1, bytes, (size_t)n))
			_exit(0);
	}
}

enum rc spool_begin(struct spool *s, struct err *e)
{
	struct stat st;
	int fd[2];
	*s = (struct spool){.start = lseek(0, 0, SEEK_CUR), .file = -1};
	if (s->start >= 0 || fstat(0, &st) != 0 || !(S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)))
		return RC_OK;
	s->file = unnamed_file();
	if (s->file < 0)
		return err_sys(e, RC_ENV, errno, "cannot create a file for standard input");
	if (pipe2(fd, O_CLOEXEC) != 0) {
		err_sys(e, RC_ENV, errno, "cannot create a pipe");
		close(s->file);
		s->file = -1;
		return RC_ENV;
	}
	s->relay = fork();
	if (s->relay == 0)
		relay(s->file, fd[1]);
	close(fd[1]);
	if (s->relay < 0 || dup2(fd[0], 0) < 0) {
		err_sys(e, RC_ENV, errno, "cannot copy standard input");
		close(fd[0]);
		spool_end(s);
		return RC_ENV;
	}
	close(fd[0]);
	return RC_OK;
}

void spool_end(struct spool *s)
{
	if (s->relay > 0) {
		kill(s->relay, SIGKILL);
		waitpid(s->relay, NULL, 0);
	}
	s->relay = 0;
	if (s->file < 0)
		return;
	if (dup2(s->file, 0) >= 0)
		s->start = 0;
	close(s->file);
	s->file = -1;
}

void spool_rewind(const struct spool *s)
{
	if (s->start >= 0)
		lseek(0, s->start, SEEK_SET);
}
