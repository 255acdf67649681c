/* SPDX-License-Identifier: MIT */
/* Stop requests: see runner.h. A handler only sets flags and writes one byte to a pipe that every wait polls. The
 * second request does not return: it closes our side of the spawner's socket, which makes the spawner end everything,
 * waits briefly until that is done, and exits. */
#include "process/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define END_WAIT_MS 5000

static int wake[2] = {-1, -1};
static uint32_t ignored;
static volatile sig_atomic_t stopped, foreground, forward;
static volatile sig_atomic_t spawner = -1;

static void wake_up(void)
{
	int saved = errno;
	if (write(wake[1], "", 1) < 0)
		errno = 0; /* full: a wake-up is pending already */
	errno = saved;
}

static _Noreturn void end_at_once(int sig)
{
	int fd = spawner;
	if (fd >= 0) {
		char rest[256];
		shutdown(fd, SHUT_WR);
		struct pollfd p = {.fd = fd, .events = POLLIN};
		while (poll(&p, 1, END_WAIT_MS) > 0 && read(fd, rest, sizeof rest) > 0)
			;
	}
	_exit(128 + sig);
}

static void on_stop(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (foreground && (sig == SIGINT || sig == SIGQUIT)) {
		/* from the terminal the program got it too; one sent to us alone is passed on */
		if (info->si_code <= 0)
			forward = sig;
		wake_up();
		return;
	}
	if (stopped)
		end_at_once(sig);
	stopped = sig;
	wake_up();
}

static void handle(int sig)
{
	struct sigaction a = {.sa_sigaction = on_stop, .sa_flags = SA_SIGINFO};
	if (!(ignored >> sig & 1))
		sigaction(sig, &a, NULL);
}

enum rc signals_init(struct err *e)
{
	if (wake[0] >= 0)
		return RC_OK;
	if (pipe2(wake, O_CLOEXEC | O_NONBLOCK) != 0)
		return err_sys(e, RC_ENV, errno, "cannot make a pipe");
	static const int watched[] = {SIGINT, SIGQUIT, SIGTERM, SIGHUP};
	for (size_t i = 0; i < sizeof watched / sizeof *watched; i++) {
		struct sigaction a;
		if (sigaction(watched[i], NULL, &a) == 0 && !(a.sa_flags & SA_SIGINFO) && a.sa_handler == SIG_IGN)
			ignored |= 1u << watched[i];
	}
	return RC_OK;
}

uint32_t signals_ignored(void)
{
	return ignored;
}

int signals_wake_fd(void)
{
	return wake[0];
}

void signals_wake_clear(void)
{
	char bytes[64];
	while (read(wake[0], bytes, sizeof bytes) > 0)
		;
}

void signals_foreground(bool on)
{
	static struct sigaction before[2];
	static const int sigs[2] = {SIGINT, SIGQUIT};
	if (on)
		foreground = 1;
	for (int i = 0; i < 2; i++) {
		if (on) {
			sigaction(sigs[i], NULL, &before[i]);
			handle(sigs[i]);
		} else {
			sigaction(sigs[i], &before[i], NULL);
		}
	}
	if (!on)
		foreground = forward = 0;
}

int signals_take_forward(void)
{
	int sig = forward;
	forward = 0;
	return sig;
}

void signals_forget(const struct runner *r)
{
	if (spawner == r->sock)
		spawner = -1;
}

void runner_catch_signals(struct runner *r)
{
	spawner = r->sock;
	handle(SIGINT);
	handle(SIGTERM);
	handle(SIGHUP);
}

int runner_stopped(void)
{
	return stopped;
}
