/* SPDX-License-Identifier: MIT */
/* refrain's side of the runner: the spawner, the pool of guardians, starting and awaiting programs.
 *
 * A guardian is a socket; a program is started by one message to an idle guardian (a new one is asked of the spawner if
 * there is none) and ends with one message back. A guardian that dies is reported by the spawner once all it left
 * behind is dead too; only then its job is over, as killed by a signal: never a verdict. */
#include "process/internal.h"
#include "data/buf.h"

#include "data/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_IDLE 64

/* ---- opening and closing */

static enum rc receive_root(struct runner *r, struct err *e)
{
	struct wire_head h;
	char path[4096];
	int rc = wire_recv_head(r->sock, &h, NULL, NULL);
	if (rc == 0 && h.type == WIRE_ROOT && h.value) {
		const char *base = getenv("TMPDIR");
		return err_sys(e, RC_ENV, (int)h.value, "cannot make a folder in '%s'", base && *base ? base : "/tmp");
	}
	if (rc == 0 && (h.type != WIRE_ROOT || h.len > sizeof path))
		rc = EPROTO;
	if (rc == 0)
		rc = wire_recv(r->sock, path, h.len);
	if (rc != 0)
		return err_sys(e, RC_ENV, rc, "the process spawner does not answer");
	r->root = mem_strdup(path);
	return RC_OK;
}

/* If somebody started us with closed standard files, no socket of ours may get their numbers. */
static void open_standard_files(void)
{
	int fd = open("/dev/null", O_RDWR);
	while (fd >= 0 && fd < 3)
		fd = dup(fd);
	if (fd >= 0)
		close(fd);
}

enum rc runner_open(struct runner **out, struct err *e)
{
	int pair[2];
	open_standard_files();
	enum rc rc = signals_init(e);
	if (rc != RC_OK)
		return rc;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return err_sys(e, RC_ENV, errno, "cannot make a socket");
	pid_t self = getpid();
	pid_t pid = fork();
	if (pid == 0) {
		close(pair[0]);
		spawner_main(pair[1], self);
	}
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return err_sys(e, RC_ENV, errno, "cannot start a process");
	}
	struct runner *r = mem_zalloc(sizeof *r);
	r->pid = pid;
	r->sock = pair[0];
	rc = receive_root(r, e);
	if (rc == RC_OK)
		*out = r;
	else
		runner_close(r);
	return rc;
}

static void guardian_drop(struct runner *r, struct guardian *g)
{
	vec_drop(&r->guardians, g);
	shutdown(g->fd, SHUT_RDWR); /* a copy in a forked child must not keep it open */
	close(g->fd);
	free(g);
}

static void job_release(struct job *j)
{
	free(j->result.output);
	free(j->name);
	free(j->dir);
	free(j->tmp);
	free(j);
}

void runner_close(struct runner *r)
{
	if (!r)
		return;
	signals_forget(r);
	shutdown(r->sock, SHUT_RDWR);
	close(r->sock);
	while (r->guardians.n)
		guardian_drop(r, r->guardians.at[0]);
	kill(r->pid, SIGCONT); /* it may have been stopped */
	while (waitpid(r->pid, NULL, 0) < 0 && errno == EINTR)
		;
	/* the spawner has done it unless it was killed */
	if (r->root)
		remove_tree(AT_FDCWD, r->root);
	for (size_t i = 0; i < r->jobs.n; i++)
		job_release(r->jobs.at[i]);
	while (r->spare_tmp.n)
		free(vec_pop(&r->spare_tmp));
	vec_release_all(&r->spare_tmp, &r->jobs, &r->guardians);
	free(r->root);
	free(r);
}

/* ---- incoming messages */

static void job_over(struct job *j)
{
	j->over = true;
	j->g->job = NULL;
	j->g = NULL;
	runner_tmp_done(j->r, j);
}

static bool receive_result(struct guardian *g, const struct wire_head *h)
{
	struct wire_result w;
	struct job *j = g->job;
	if (!j || j->seq != h->seq || h->len < sizeof w || wire_recv(g->fd, &w, sizeof w) != 0)
		return false;
	if (w.output_len != h->len - sizeof w)
		return false;
	char *output = j->keep ? mem_zalloc(mem_add(w.output_len, 1)) : NULL;
	if (w.output_len && (!output || wire_recv(g->fd, output, w.output_len) != 0)) {
		free(output);
		return false;
	}
	j->stage = (enum start_stage)w.stage;
	j->result = (struct run_result){
		.end = (enum run_end)w.end,
		.code = w.code,
		.wall_s = w.wall_s,
		.user_s = w.user_s,
		.sys_s = w.sys_s,
		.peak_rss = w.peak_rss,
		.output = output,
		.output_len = w.output_len,
	};
	g->eof = w.last;
	job_over(j);
	return true;
}

static void hear_guardian(struct guardian *g, pid_t *started)
{
	struct wire_head h;
	if (wire_recv_head(g->fd, &h, NULL, NULL) != 0)
		g->eof = true;
	else if (h.type == WIRE_STARTED && !h.len && started)
		*started = (pid_t)h.value;
	else if (h.type != WIRE_RESULT || !receive_result(g, &h))
		g->eof = true;
}

/* A guardian is gone: its job ends with what it managed to say. */
static void guardian_lost(struct runner *r, struct guardian *g)
{
	pid_t ignored_pid;
	while (g->job && !g->eof)
		hear_guardian(g, &ignored_pid);
	if (g->job) {
		g->job->result = (struct run_result){.end = RUN_SIGNALLED, .code = SIGKILL};
		job_over(g->job);
	}
	guardian_drop(r, g);
}

static void hear_spawner(struct runner *r, struct wire_head *h)
{
	if (wire_recv_head(r->sock, h, NULL, NULL) != 0) {
		r->dead = true;
		return;
	}
	for (size_t i = 0; h->type == WIRE_GONE && i < r->guardians.n; i++) {
		if (r->guardians.at[i]->pid == h->value) {
			guardian_lost(r, r->guardians.at[i]);
			return;
		}
	}
}

/* ---- starting */

static enum rc spawner_dead(struct err *e)
{
	return err_set(e, RC_ENV, "the process spawner was killed");
}

static enum rc guardian_new(struct runner *r, struct guardian **out, struct err *e)
{
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		return err_sys(e, RC_ENV, errno, "cannot make a socket");
	struct wire_head h = {.type = WIRE_FORK};
	if (wire_send(r->sock, &h, NULL, &pair[1], 1) != 0)
		r->dead = true;
	close(pair[1]);
	do {
		h.type = 0;
		if (!r->dead)
			hear_spawner(r, &h);
	} while (!r->dead && h.type != WIRE_FORKED);
	if (r->dead || h.value < 0) {
		close(pair[0]);
		return r->dead ? spawner_dead(e) : err_sys(e, RC_ENV, (int)-h.value, "cannot start a process");
	}
	struct guardian *g = mem_zalloc(sizeof *g);
	g->pid = (pid_t)h.value;
	g->fd = pair[0];
	vec_push(&r->guardians, g);
	*out = g;
	return RC_OK;
}

static void add_strings(struct buf *b, const char *const *list, uint32_t *n)
{
	for (; list && *list; list++, ++*n)
		buf_add(b, *list, strlen(*list) + 1);
}

static void write_start(const struct job *j, const struct run_spec *spec, const struct start *s, struct buf *b)
{
	struct wire_start w = {
		.limits = spec->limits,
		.flags = s->flags,
		.n_extra = (uint32_t)s->n_extra,
		.pgid = s->pgid,
		.ignored = s->ignored,
	};
	if (spec->dir)
		w.flags |= START_DIR;
	buf_add(b, &w, sizeof w);
	for (size_t i = 0; i < s->n_extra; i++) {
		int32_t to = s->extra_to[i];
		buf_add(b, &to, sizeof to);
	}
	if (spec->dir)
		buf_add(b, spec->dir, strlen(spec->dir) + 1);
	add_strings(b, spec->argv, &w.argc);
	if (j->tmp) {
		buf_str_add(b, "TMPDIR=");
		buf_add(b, j->tmp, strlen(j->tmp) + 1);
		w.envc++;
	}
	add_strings(b, spec->env, &w.envc);
	memcpy(b->at, &w, sizeof w);
}

/* Sends the program to an idle guardian, or to a new one. */
static enum rc hand_over(struct runner *r, struct job *j, const struct buf *b, const struct start *s, struct err *e)
{
	struct wire_head h = {.type = WIRE_START, .seq = j->seq, .len = b->n};
	bool fresh = false;
	for (size_t i = r->guardians.n;;) {
		struct guardian *g = NULL;
		while (!g && i > 0)
			if (!r->guardians.at[--i]->job && !r->guardians.at[i]->eof)
				g = r->guardians.at[i];
		if (!g) {
			enum rc rc = guardian_new(r, &g, e);
			if (rc != RC_OK)
				return rc;
			fresh = true;
		}
		int rc = wire_send(g->fd, &h, b->at, s->fds, s->n_fds);
		if (rc == 0) {
			g->job = j;
			j->g = g;
			return RC_OK;
		}
		g->eof = true;
		if (rc != EPIPE || fresh)
			return err_sys(e, RC_ENV, rc, "cannot start '%s'", j->name);
	}
}

enum rc runner_start(struct runner *r, const struct run_spec *spec, const struct start *s, struct job **out,
		     struct err *e)
{
	if (!spec->argv || !spec->argv[0])
		return err_set(e, RC_BUG, "no program to start");
	if (r->dead)
		return spawner_dead(e);
	struct job *j = mem_zalloc(sizeof *j);
	j->r = r;
	j->seq = ++r->seq;
	j->kind = s->kind;
	j->keep = s->flags & START_KEEP;
	j->user = spec->user;
	j->name = mem_strdup(spec->argv[0]);
	j->dir = spec->dir ? mem_strdup(spec->dir) : NULL;
	enum rc rc = s->kind == KIND_JOB ? runner_tmp(r, j, spec->dir, e) : RC_OK;
	if (rc == RC_OK) {
		struct buf b = {0};
		write_start(j, spec, s, &b);
		rc = hand_over(r, j, &b, s, e);
		buf_release(&b);
	}
	if (rc != RC_OK) {
		runner_tmp_done(r, j);
		job_release(j);
		return rc;
	}
	vec_push(&r->jobs, j);
	*out = j;
	return RC_OK;
}

enum rc job_start(struct runner *r, const struct run_spec *spec, struct job **out, struct err *e)
{
	struct start s = {.kind = KIND_JOB};
	if (spec->keep_output || spec->limits.output_bytes)
		s.flags |= START_COLLECT_OUT | START_COLLECT_ERR;
	if (spec->keep_output)
		s.flags |= START_KEEP;
	enum rc rc = runner_start(r, spec, &s, out, e);
	if (rc == RC_OK)
		r->running++;
	return rc;
}

pid_t runner_await_start(struct runner *r, struct job *j)
{
	pid_t pid = -1;
	while (pid < 0 && !j->over) {
		struct pollfd p[2] = {{.fd = r->sock, .events = POLLIN}, {.fd = j->g->fd, .events = POLLIN}};
		struct wire_head h;
		if (j->g->eof)
			p[1].fd = -1;
		if (r->dead)
			return 0;
		if (poll(p, 2, -1) < 0)
			continue;
		if (p[1].revents)
			hear_guardian(j->g, &pid);
		else if (p[0].revents)
			hear_spawner(r, &h);
	}
	return pid < 0 ? 0 : pid;
}

/* ---- waiting */

static void trim_idle(struct runner *r)
{
	size_t idle = 0;
	for (size_t i = r->guardians.n; i-- > 0;)
		if (!r->guardians.at[i]->job && ++idle > MAX_IDLE)
			guardian_drop(r, r->guardians.at[i]);
}

void runner_poll(struct runner *r, struct job *only, double seconds, int fd, bool *fd_ready, bool *woken)
{
	VEC(struct pollfd) p = {0};
	VEC(struct guardian *) g = {0};
	vec_push(&p, ((struct pollfd){.fd = r->dead ? -1 : r->sock, .events = POLLIN}));
	vec_push(&p, ((struct pollfd){.fd = woken ? signals_wake_fd() : -1, .events = POLLIN}));
	vec_push(&p, ((struct pollfd){.fd = fd, .events = POLLIN}));
	size_t first = p.n;
	for (size_t i = 0; i < r->guardians.n; i++) {
		struct guardian *x = r->guardians.at[i];
		if (!x->job || x->eof || (only ? x->job != only : x->job->kind != KIND_JOB))
			continue;
		vec_push(&p, ((struct pollfd){.fd = x->fd, .events = POLLIN}));
		vec_push(&g, x);
	}
	struct timespec t = {0};
	if (seconds > 0) {
		t.tv_sec = seconds < 1e9 ? (time_t)seconds : 1000000000;
		t.tv_nsec = (long)((seconds - (double)t.tv_sec) * 1e9);
	}
	int n = ppoll(p.at, p.n, seconds < 0 ? NULL : &t, NULL);
	if (n > 0) {
		for (size_t i = 0; i < g.n; i++)
			if (p.at[first + i].revents)
				hear_guardian(g.at[i], NULL);
		if (p.at[0].revents) {
			struct wire_head h;
			hear_spawner(r, &h);
		}
		if (p.at[1].revents) {
			signals_wake_clear();
			*woken = true;
		}
		if (p.at[2].revents && fd_ready)
			*fd_ready = true;
	}
	vec_release_all(&p, &g);
}

static struct job *take_finished(struct runner *r)
{
	for (size_t i = 0; i < r->jobs.n; i++) {
		struct job *j = r->jobs.at[i];
		if (j->kind == KIND_JOB && j->over && !j->returned) {
			j->returned = true;
			r->running--;
			trim_idle(r);
			return j;
		}
	}
	return NULL;
}

enum rc runner_wait_fd(struct runner *r, double seconds, int fd, struct job **done, struct err *e)
{
	double until = seconds < 0 ? -1 : clock_seconds() + seconds;
	bool fd_ready = false, woken = false;
	for (;;) {
		*done = take_finished(r);
		if (*done || fd_ready || woken)
			return RC_OK;
		if (r->dead)
			return spawner_dead(e);
		if (seconds < 0 && fd < 0 && !r->running)
			return RC_OK;
		double left = seconds < 0 ? -1 : until - clock_seconds();
		if (seconds >= 0 && left <= 0) {
			/* once without waiting, for what is there already */
			runner_poll(r, NULL, 0, fd, &fd_ready, &woken);
			*done = take_finished(r);
			return RC_OK;
		}
		runner_poll(r, NULL, left, fd, &fd_ready, &woken);
	}
}

enum rc runner_wait(struct runner *r, double seconds, struct job **done, struct err *e)
{
	return runner_wait_fd(r, seconds, -1, done, e);
}

bool runner_await(struct runner *r, struct job *j, double seconds, int drain)
{
	double until = clock_seconds() + seconds;
	while (!j->over) {
		if (r->dead && j->g->eof) {
			guardian_lost(r, j->g);
			break;
		}
		double left = seconds < 0 ? -1 : until - clock_seconds();
		if (seconds >= 0 && left <= 0)
			return false;
		bool ready = false;
		runner_poll(r, j, left, drain, &ready, NULL);
		char block[4096];
		if (ready && read(drain, block, sizeof block) <= 0)
			drain = -1;
	}
	return true;
}

/* ---- a job's accessors */

void job_message(struct job *j, enum wire_type type, int64_t value)
{
	struct wire_head h = {.type = type, .seq = j->seq, .value = value};
	if (!j->over && !j->g->eof && wire_send(j->g->fd, &h, NULL, NULL, 0) != 0)
		j->g->eof = true;
}

void job_cancel(struct job *j)
{
	job_message(j, WIRE_CANCEL, 0);
}

const struct run_result *job_result(const struct job *j)
{
	return &j->result;
}

void *job_user(const struct job *j)
{
	return j->user;
}

enum rc job_failure(const struct job *j, struct err *e)
{
	if (!j->over || j->result.end != RUN_NOT_STARTED)
		return RC_OK;
	int sys = j->result.code;
	switch (j->stage) {
	case STAGE_DIR:
		return err_sys(e, RC_ENV, sys, "cannot enter the folder '%s'", j->dir ? j->dir : ".");
	case STAGE_EXEC:
		return err_sys(e, RC_ENV, sys, "cannot run '%s'", j->name);
	default:
		return err_sys(e, RC_ENV, sys, "cannot start a process for '%s'", j->name);
	}
}

void job_free(struct job *j)
{
	if (!j)
		return;
	struct runner *r = j->r;
	if (!j->over) {
		job_cancel(j);
		runner_await(r, j, -1, -1);
	}
	if (j->kind == KIND_JOB && !j->returned)
		r->running--;
	vec_drop(&r->jobs, j);
	job_release(j);
}

size_t runner_jobs(const struct runner *r)
{
	return r->running;
}

const char *run_end_text(enum run_end end)
{
	switch (end) {
	case RUN_EXITED:
		return "exited";
	case RUN_SIGNALLED:
		return "killed by a signal";
	case RUN_TIMEOUT:
		return "timed out";
	case RUN_MEMORY:
		return "used too much memory";
	case RUN_OUTPUT:
		return "printed too much";
	case RUN_CANCELLED:
		return "cancelled";
	case RUN_NOT_STARTED:
		return "could not be started";
	}
	return "ended";
}
