/* SPDX-License-Identifier: MIT */
/* `refrain reduce --ui`: see reduce_ui.h.
 *
 * The page is served by a process of its own, which shares nothing with the run but the log and a pipe: when the
 * pipe is closed the run has ended, however it did, and the page is served a little longer, so that a reader sees
 * the end. */
#include "cmd/reduce_ui.h"

#include "process/close_from.h"
#include "report/serve.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

/* The page asks for news every second. */
enum { LINGER_SECONDS = 3, LIFE_FD = 3, ADDRESS_FD };

static _Noreturn void serve_log(const char *log)
{
	struct serve *s;
	struct err e = ERR_INIT;
	struct strings logs = {0};
	struct itimerspec linger = {.it_value.tv_sec = LINGER_SECONDS};
	signal(SIGPIPE, SIG_IGN);
	setsid();
	close_from(ADDRESS_FD + 1);
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		dup2(null, fd);
	vec_push(&logs, log);
	if (serve_new(&s, &logs, 0, &e) != RC_OK)
		_exit(3);
	const char *address = serve_address(s);
	bool told = write_all(ADDRESS_FD, address, strlen(address));
	close(ADDRESS_FD);
	int later = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	if (told && serve_run(s, LIFE_FD, &e) == RC_OK && timerfd_settime(later, 0, &linger, NULL) == 0)
		serve_run(s, later, &e);
	_exit(0);
}

/* The ends that the server keeps get the numbers it knows. */
static _Noreturn void become_server(int life, int address, const char *log)
{
	int high_life = fcntl(life, F_DUPFD, ADDRESS_FD + 1), high_address = fcntl(address, F_DUPFD, ADDRESS_FD + 1);
	if (high_life < 0 || high_address < 0 || dup2(high_life, LIFE_FD) < 0 || dup2(high_address, ADDRESS_FD) < 0)
		_exit(3);
	serve_log(log);
}

static enum rc start_server(const char *log, struct buf *address, struct err *e)
{
	int life[2], told[2];
	if (pipe2(life, O_CLOEXEC) != 0)
		return err_sys(e, RC_ENV, errno, "cannot make a pipe");
	if (pipe2(told, O_CLOEXEC) != 0) {
		close(life[0]), close(life[1]);
		return err_sys(e, RC_ENV, errno, "cannot make a pipe");
	}
	pid_t pid = fork();
	if (pid == 0)
		become_server(life[0], told[1], log);
	close(life[0]), close(told[1]);
	enum rc rc = pid < 0 ? err_sys(e, RC_ENV, errno, "cannot start a process") : RC_OK;
	if (rc == RC_OK)
		rc = buf_read_fd(address, told[0], "the server of the page", 4096, e);
	if (rc == RC_OK && address->n == 0)
		rc = err_set(e, RC_ENV, "cannot serve the page on this machine");
	close(told[0]);
	/* the other end of life stays open for as long as this process lives */
	return rc;
}

enum rc reduce_ui(const struct invocation *inv, struct progress *p, const char *path, struct err *e)
{
	struct buf address = {0};
	if (progress_follow(p, path))
		return RC_OK;
	if (!inv->common.log)
		return err_set(e, RC_INPUT, "--ui needs a terminal, or --log FILE for a live page");
	enum rc rc = start_server(inv->common.log, &address, e);
	if (rc == RC_OK)
		progress_message(p, "the run is shown at %s", buf_str(&address));
	buf_release(&address);
	return rc;
}
