/* SPDX-License-Identifier: MIT */
/* Co-processes and foreground programs: see runner.h. */
#include "process/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

/* ---- co-processes */

static enum rc start_failed(struct job *j, struct err *e)
{
	runner_await(j->r, j, -1, -1);
	if (job_failure(j, e) == RC_OK)
		err_set(e, RC_ENV, "cannot start '%s'", j->name);
	job_free(j);
	return RC_ENV;
}

enum rc proc_start(struct runner *r, const struct run_spec *spec, struct proc *out, struct err *e)
{
	int in[2], ans[2];
	if (pipe2(in, O_CLOEXEC) != 0)
		return err_sys(e, RC_ENV, errno, "cannot make a pipe");
	if (pipe2(ans, O_CLOEXEC) != 0) {
		int sys = errno;
		close(in[0]);
		close(in[1]);
		return err_sys(e, RC_ENV, sys, "cannot make a pipe");
	}
	struct start s = {
		.kind = KIND_PROC,
		.flags = START_IN | START_OUT | START_TELL,
		.fds = {in[0], ans[1]},
		.n_fds = 2,
	};
	if (spec->keep_output)
		s.flags |= START_COLLECT_ERR | START_KEEP;
	else if (fcntl(STDERR_FILENO, F_GETFD) >= 0) {
		s.flags |= START_ERR;
		s.fds[s.n_fds++] = STDERR_FILENO;
	}
	struct run_spec mine = *spec;
	mine.limits.wall_s = 0;
	struct job *j;
	enum rc rc = runner_start(r, &mine, &s, &j, e);
	close(in[0]);
	close(ans[1]);
	if (rc == RC_OK) {
		pid_t pid = runner_await_start(r, j);
		if (pid > 0) {
			*out = (struct proc){.in = in[1], .out = ans[0], .pid = pid, .job = j};
			return RC_OK;
		}
		rc = start_failed(j, e);
	}
	close(in[1]);
	close(ans[0]);
	return rc;
}

static void take_result(struct job *j, struct run_result *result)
{
	if (result) {
		*result = j->result;
		j->result.output = NULL;
	}
	job_free(j);
}

void proc_finish(struct runner *r, struct proc *p, double seconds, struct run_result *result)
{
	if (p->in >= 0)
		close(p->in);
	p->in = -1;
	if (seconds <= 0 || !runner_await(r, p->job, seconds, p->out)) {
		job_cancel(p->job);
		runner_await(r, p->job, -1, -1);
	}
	if (p->out >= 0)
		close(p->out);
	p->out = -1;
	take_result(p->job, result);
	p->job = NULL;
}

void proc_kill(struct runner *r, struct proc *p, struct run_result *result)
{
	job_cancel(p->job);
	proc_finish(r, p, 0, result);
}

/* ---- foreground */

/* The terminal as it was, to be put back when a program was killed that had changed it. */
struct terminal {
	int fd; /* −1: there is none, or it is not ours */
	struct termios modes;
};

static struct terminal terminal_save(void)
{
	struct terminal t = {.fd = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY)};
	if (t.fd >= 0 && (tcgetpgrp(t.fd) != getpgrp() || tcgetattr(t.fd, &t.modes) != 0)) {
		close(t.fd);
		t.fd = -1;
	}
	return t;
}

static void terminal_restore(struct terminal *t, bool killed)
{
	if (t->fd < 0)
		return;
	sigset_t ttou, before;
	sigemptyset(&ttou);
	sigaddset(&ttou, SIGTTOU);
	sigprocmask(SIG_BLOCK, &ttou, &before);
	if (tcgetpgrp(t->fd) != getpgrp())
		tcsetpgrp(t->fd, getpgrp());
	if (killed)
		tcsetattr(t->fd, TCSADRAIN, &t->modes);
	sigprocmask(SIG_SETMASK, &before, NULL);
	close(t->fd);
}

static enum rc start_foreground(struct runner *r, const struct foreground *f, struct job **out, struct err *e)
{
	struct start s = {
		.kind = KIND_FOREGROUND,
		.flags = START_FOREGROUND | START_TELL,
		.pgid = getpgrp(),
		.ignored = signals_ignored(),
		.extra_to = f->extra_fds,
		.n_extra = f->n_extra,
	};
	static const unsigned flag[3] = {START_IN, START_OUT, START_ERR};
	if (f->n_extra > WIRE_MAX_FDS - 3)
		return err_set(e, RC_BUG, "too many descriptors for one program");
	for (int i = 0; i < 3; i++) {
		int fd = i == STDOUT_FILENO && f->stdout_to_stderr ? STDERR_FILENO : i;
		if (fcntl(fd, F_GETFD) < 0)
			continue; /* closed here: an empty one there */
		s.flags |= flag[i];
		s.fds[s.n_fds++] = fd;
	}
	for (size_t i = 0; i < f->n_extra; i++) {
		if (f->extra_fds[i] < 3)
			return err_set(e, RC_BUG, "an extra descriptor has a standard number");
		s.fds[s.n_fds++] = f->extra_fds[i];
	}
	return runner_start(r, &f->spec, &s, out, e);
}

static void watch_foreground(struct runner *r, struct job *j, const struct foreground *f)
{
	int watch = f->on_readable ? f->watch_fd : -1;
	bool asked = false;
	while (!j->over && !(r->dead && j->g->eof)) {
		int sig = signals_take_forward();
		if (sig)
			job_message(j, WIRE_SIGNAL, sig);
		if (runner_stopped() && !asked)
			job_cancel(j);
		asked = asked || runner_stopped();
		bool ready = false, woken = false;
		runner_poll(r, j, -1, watch, &ready, &woken);
		if (ready && !f->on_readable(f->spec.user))
			watch = -1;
	}
	runner_await(r, j, -1, -1);
}

enum rc runner_foreground(struct runner *r, const struct foreground *f, struct run_result *result, struct err *e)
{
	struct job *j;
	struct terminal t = terminal_save();
	signals_foreground(true);
	enum rc rc = start_foreground(r, f, &j, e);
	if (rc == RC_OK && runner_await_start(r, j) <= 0)
		rc = start_failed(j, e);
	if (rc == RC_OK) {
		watch_foreground(r, j, f);
		if (r->dead)
			rc = err_set(e, RC_ENV, "the process spawner was killed");
	} else {
		j = NULL;
	}
	signals_foreground(false);
	terminal_restore(&t, j && j->result.end != RUN_EXITED);
	if (j)
		take_result(j, rc == RC_OK ? result : NULL);
	return rc;
}
