/* SPDX-License-Identifier: MIT */
/* A guardian: runs one program after another, each with its whole process tree, and answers for the tree's end.
 *
 * It is a sub-reaper, so nothing below it can leave (setsid, double fork, daemon). A tree ends when its program exits,
 * a limit is hit, refrain cancels it or dies (the socket closes), or the spawner dies (the kernel sends
 * PARENT_DIED); then everything is killed and reaped, and only then the result is sent. Between two programs it has
 * no child, no open file and no memory of the last one.
 * SIGCHLD and PARENT_DIED are blocked except inside ppoll, so none is lost between a check and a wait. */
#include "process/guardian_exec.h"
#include "process/guardian_tree.h"
#include "process/wire.h"
#include "data/buf.h"

#include "data/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define POLL_S 0.025          /* how often limits that the kernel does not watch are measured */
#define GRACE_S 2.0           /* foreground: from TERM to KILL */
#define KEEP_BYTES (1u << 20) /* output kept when no limit says otherwise */

extern char **environ;

struct run {
	int sock;
	uint32_t seq;
	struct wire_start start;
	struct buf body, output;
	VEC(char *) argv, env;
	struct launch launch;
	int fds[WIRE_MAX_FDS]; /* received */
	size_t n_fds;
	int pipe[2]; /* collected output; −1 when there is none */
	uint64_t output_seen;
	pid_t pid;
	bool over, retire; /* the program is over; this guardian must not run another */
	int status;
	bool forced; /* why the tree is killed before its end, if it is */
	enum run_end why;
	double begun, term_at; /* term_at: when TERM becomes KILL (0: no TERM was sent) */
	struct wire_result result;
};

static int null_in, null_out;
static sigset_t wait_mask;
static volatile sig_atomic_t parent_died;

static void on_signal(int sig)
{
	if (sig == PARENT_DIED)
		parent_died = 1;
}

static bool orphaned(pid_t spawner)
{
	return parent_died && getppid() != spawner;
}

static void reaped(void *user, pid_t pid, int status, const struct rusage *ru)
{
	struct run *r = user;
	r->result.user_s += (double)ru->ru_utime.tv_sec + (double)ru->ru_utime.tv_usec * 1e-6;
	r->result.sys_s += (double)ru->ru_stime.tv_sec + (double)ru->ru_stime.tv_usec * 1e-6;
	if ((uint64_t)ru->ru_maxrss * 1024 > r->result.peak_rss)
		r->result.peak_rss = (uint64_t)ru->ru_maxrss * 1024;
	if (pid == r->pid) {
		r->over = true;
		r->status = status;
	}
}

/* Ends the tree, or asks a foreground program to end first. */
static void force(struct run *r, enum run_end why)
{
	if (r->over || (r->forced && r->term_at == 0))
		return;
	if (!r->forced && (r->start.flags & START_FOREGROUND)) {
		r->term_at = clock_seconds() + GRACE_S;
		kill(r->pid, SIGTERM);
		kill(r->pid, SIGCONT);
	} else {
		r->term_at = 0;
	}
	if (!r->forced)
		r->why = why;
	r->forced = true;
}

/* ---- output */

/* Reads what is in the pipe, up to a bound: a program that writes without end must not keep us from checking the
 * clock. */
static void read_output(struct run *r)
{
	const struct run_limits *m = &r->start.limits;
	uint64_t keep = r->start.flags & START_KEEP ? (m->output_bytes ? m->output_bytes : KEEP_BYTES) : 0;
	char block[65536];
	for (int i = 0; i < 64; i++) {
		ssize_t n = read(r->pipe[0], block, sizeof block);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return;
		if (n == 0) {
			close(r->pipe[0]);
			r->pipe[0] = -1;
			return;
		}
		r->output_seen += (uint64_t)n;
		uint64_t room = keep - r->output.n;
		buf_add(&r->output, block, (uint64_t)n < room ? (size_t)n : (size_t)room);
		if (m->output_bytes && r->output_seen > m->output_bytes)
			return force(r, RUN_OUTPUT);
	}
}

/* ---- starting */

/* Splits the body into its strings; false if it is not well formed. */
static bool parse_start(struct run *r, const char *at, const char *end)
{
	size_t left = (size_t)r->start.argc + r->start.envc + (r->start.flags & START_DIR ? 1 : 0);
	bool dir = r->start.flags & START_DIR;
	vec_push(&r->argv, NULL);
	for (; left; left--) {
		char *s = (char *)(uintptr_t)at;
		const char *nul = memchr(at, '\0', (size_t)(end - at));
		if (!nul)
			return false;
		at = nul + 1;
		if (dir)
			r->launch.dir = s;
		else if (r->argv.n <= r->start.argc)
			vec_push(&r->argv, s);
		else
			vec_push(&r->env, s);
		dir = false;
	}
	vec_push(&r->argv, NULL);
	return r->start.argc > 0;
}

static bool overridden(const struct run *r, size_t n, const char *setting)
{
	size_t name = (size_t)(strchrnul(setting, '=') - setting);
	for (size_t i = 0; i < n; i++)
		if (strncmp(r->env.at[i], setting, name) == 0 && r->env.at[i][name] == '=')
			return true;
	return false;
}

/* Puts the inherited environment behind the settings sent; of two equal names sent the later one holds. */
static void complete_env(struct run *r)
{
	size_t sent = r->env.n, kept = 0;
	for (size_t i = sent; i-- > 0;) {
		char *s = r->env.at[i];
		size_t name = (size_t)(strchrnul(s, '=') - s);
		bool later = false;
		for (size_t k = i + 1; k < sent && !later; k++)
			later = r->env.at[k] && strncmp(r->env.at[k], s, name) == 0 && r->env.at[k][name] == '=';
		if (later)
			r->env.at[i] = NULL;
	}
	for (size_t i = 0; i < sent; i++)
		if (r->env.at[i])
			r->env.at[kept++] = r->env.at[i];
	r->env.n = kept;
	for (char **e = environ; *e; e++)
		if (!overridden(r, kept, *e))
			vec_push(&r->env, *e);
	vec_push(&r->env, NULL);
}

static bool prepare(struct run *r)
{
	size_t extras = (size_t)r->start.n_extra * sizeof(int32_t);
	if (r->body.n < sizeof r->start + extras)
		return false;
	struct launch *l = &r->launch;
	const char *at = r->body.at + sizeof r->start;
	l->extra_to = (const int32_t *)(const void *)at;
	l->n_extra = r->start.n_extra;
	if (!parse_start(r, at + extras, r->body.at + r->body.n))
		return false;
	complete_env(r);
	l->argv = r->argv.at + 1;
	l->env = r->env.at;
	l->limits = &r->start.limits;
	l->foreground = r->start.flags & START_FOREGROUND;
	l->pgid = r->start.pgid;
	l->ignored = r->start.ignored;
	l->fds[0] = null_in;
	l->fds[1] = l->fds[2] = null_out;
	if (r->start.flags & (START_COLLECT_OUT | START_COLLECT_ERR)) {
		if (pipe2(r->pipe, O_CLOEXEC) != 0)
			return false;
		fcntl(r->pipe[0], F_SETFL, O_NONBLOCK);
	}
	size_t used = 0;
	static const unsigned sent[3] = {START_IN, START_OUT, START_ERR};
	static const unsigned collected[3] = {0, START_COLLECT_OUT, START_COLLECT_ERR};
	for (int i = 0; i < 3; i++) {
		if (r->start.flags & sent[i] && used < r->n_fds)
			l->fds[i] = r->fds[used++];
		else if (r->start.flags & collected[i])
			l->fds[i] = r->pipe[1];
	}
	l->extra_from = r->fds + used;
	return used + l->n_extra == r->n_fds;
}

static void start(struct run *r)
{
	r->begun = clock_seconds();
	errno = 0;
	if (!prepare(r)) {
		r->launch.error = errno ? errno : EINVAL;
		r->launch.stage = STAGE_FORK;
		r->pid = -1;
	} else {
		r->pid = launch_program(&r->launch);
	}
	if (r->pipe[1] >= 0)
		close(r->pipe[1]);
	r->pipe[1] = -1;
	for (size_t i = 0; i < r->n_fds; i++)
		close(r->fds[i]);
	if (r->start.flags & START_TELL) {
		struct wire_head h = {.type = WIRE_STARTED, .seq = r->seq, .value = r->pid < 0 ? 0 : r->pid};
		wire_send(r->sock, &h, NULL, NULL, 0);
	}
}

/* ---- watching */

/* Handles one message for the running program. False when refrain is gone. */
static bool hear(struct run *r)
{
	struct wire_head h;
	if (wire_recv_head(r->sock, &h, NULL, NULL) != 0 || h.len)
		return false;
	if (h.seq != r->seq)
		return true;
	if (h.type == WIRE_CANCEL)
		force(r, RUN_CANCELLED);
	else if (h.type == WIRE_SIGNAL && !r->over)
		kill(r->pid, (int)h.value);
	return true;
}

static void check_limits(struct run *r, double now)
{
	const struct run_limits *m = &r->start.limits;
	if (m->wall_s > 0 && now - r->begun >= m->wall_s)
		force(r, RUN_TIMEOUT);
	if (m->cpu_s <= 0 && !m->rss_bytes)
		return;
	struct tree_usage u = tree_measure();
	if (m->cpu_s > 0 && u.cpu_s + r->result.user_s + r->result.sys_s > m->cpu_s)
		force(r, RUN_TIMEOUT);
	if (m->rss_bytes && u.rss > m->rss_bytes)
		force(r, RUN_MEMORY);
}

/* Seconds until the next check is due; < 0: none is. */
static double next_look(const struct run *r, double now)
{
	const struct run_limits *m = &r->start.limits;
	double s = -1;
	if (m->wall_s > 0)
		s = r->begun + m->wall_s - now;
	if ((m->cpu_s > 0 || m->rss_bytes) && (s < 0 || s > POLL_S))
		s = POLL_S;
	if (r->term_at > 0)
		s = r->term_at - now;
	return s < 0 && (m->wall_s > 0 || r->term_at > 0) ? 0 : s;
}

/* Reaps orphans that died; sees the program's end but leaves it as a zombie, so that its pid stays ours. */
static void look_at_children(struct run *r)
{
	for (;;) {
		siginfo_t info = {0};
		if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0)
			return;
		if (info.si_pid == r->pid) {
			r->over = true;
			return;
		}
		int status;
		struct rusage ru;
		if (wait4(info.si_pid, &status, 0, &ru) == info.si_pid)
			reaped(r, info.si_pid, status, &ru);
	}
}

/* Waits until the program is over or its tree is to be killed. False when refrain or the spawner is gone. */
static bool watch(struct run *r, pid_t spawner)
{
	for (;;) {
		look_at_children(r);
		double now = clock_seconds();
		if (!r->over && !r->forced)
			check_limits(r, now);
		if (r->over || (r->forced && now >= r->term_at))
			return true;
		struct pollfd p[2] = {{.fd = r->sock, .events = POLLIN}, {.fd = r->pipe[0], .events = POLLIN}};
		double s = next_look(r, now);
		struct timespec t = {.tv_sec = (time_t)s, .tv_nsec = (long)((s - (double)(time_t)s) * 1e9)};
		int n = ppoll(p, 2, s < 0 ? NULL : &t, &wait_mask);
		if (orphaned(spawner))
			return false;
		if (n > 0 && p[1].revents)
			read_output(r);
		if (n > 0 && p[0].revents && !hear(r))
			return false;
	}
}

/* A foreground program's own children get a moment to finish, unless they are to be stopped at once. */
static void ask_leftovers(struct run *r)
{
	double until = clock_seconds() + GRACE_S;
	tree_signal(SIGTERM);
	while (tree_reap(reaped, r) && clock_seconds() < until) {
		struct timespec t = {.tv_nsec = 20000000};
		ppoll(NULL, 0, &t, &wait_mask);
	}
}

static void end_tree(struct run *r)
{
	bool own_group = !(r->start.flags & START_FOREGROUND);
	/* the program is not reaped yet, so its group cannot be somebody else's; one call reaches a whole fork storm */
	if (own_group)
		kill(-r->pid, SIGKILL);
	if (!tree_reap(reaped, r))
		return;
	if (!own_group && !r->forced)
		ask_leftovers(r);
	if (!tree_kill(NULL, 0, reaped, r))
		r->retire = true;
}

/* ---- the answer */

static void judge(struct run *r)
{
	const struct run_limits *m = &r->start.limits;
	struct wire_result *x = &r->result;
	struct rusage self;
	getrusage(RUSAGE_SELF, &self);
	uint64_t floor = (uint64_t)self.ru_maxrss * 1024; /* the kernel counts our own pages until the exec */
	if (r->pid < 0) {
		x->end = RUN_NOT_STARTED;
		x->code = r->launch.error;
		x->stage = r->launch.stage;
	} else if (r->forced) {
		x->end = r->why;
	} else if (m->cpu_s > 0 && x->user_s + x->sys_s > m->cpu_s) {
		x->end = RUN_TIMEOUT;
	} else if (m->rss_bytes && x->peak_rss > m->rss_bytes && x->peak_rss > floor) {
		x->end = RUN_MEMORY;
	} else if (m->output_bytes && r->output_seen > m->output_bytes) {
		x->end = RUN_OUTPUT;
	} else if (WIFSIGNALED(r->status)) {
		x->end = RUN_SIGNALLED;
		x->code = WTERMSIG(r->status);
	} else {
		x->end = RUN_EXITED;
		x->code = WEXITSTATUS(r->status);
	}
	x->last = r->retire;
	if (r->start.flags & START_KEEP)
		x->output_len = r->output.n;
}

static bool answer(struct run *r)
{
	judge(r);
	struct wire_head h = {.type = WIRE_RESULT, .seq = r->seq};
	struct buf b = {0};
	buf_add(&b, &r->result, sizeof r->result);
	buf_add(&b, r->output.at, r->result.output_len);
	h.len = b.n;
	int rc = wire_send(r->sock, &h, b.at, NULL, 0);
	buf_release(&b);
	return rc == 0;
}

/* Runs one program from its WIRE_START. False when this guardian is to end. */
static bool run_one(int sock, const struct wire_head *h, const int *fds, size_t n_fds, pid_t spawner)
{
	struct run r = {.sock = sock, .seq = h->seq, .n_fds = n_fds, .pipe = {-1, -1}};
	memcpy(r.fds, fds, n_fds * sizeof *fds);
	vec_reserve(&r.body, h->len + 1);
	r.body.n = h->len;
	if (h->len < sizeof r.start || wire_recv(sock, r.body.at, h->len) != 0)
		return false;
	memcpy(&r.start, r.body.at, sizeof r.start);
	start(&r);
	bool go_on = true;
	if (r.pid > 0) {
		go_on = watch(&r, spawner);
		r.result.wall_s = clock_seconds() - r.begun;
		end_tree(&r);
		if (r.pipe[0] >= 0)
			read_output(&r);
	}
	go_on = go_on && answer(&r) && !r.retire;
	if (r.pipe[0] >= 0)
		close(r.pipe[0]);
	buf_release(&r.body);
	buf_release(&r.output);
	vec_release_all(&r.argv, &r.env);
	return go_on;
}

static void set_up(void)
{
	prctl(PR_SET_NAME, "rf-guardian");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	prctl(PR_SET_PDEATHSIG, PARENT_DIED);
	tree_signals(on_signal, &wait_mask);
	null_in = open("/dev/null", O_RDONLY | O_CLOEXEC);
	null_out = open("/dev/null", O_WRONLY | O_CLOEXEC);
	if (null_in < 0 || null_out < 0)
		_exit(1);
}

void guardian_main(int sock, pid_t spawner)
{
	set_up();
	if (getppid() != spawner)
		_exit(1);
	for (;;) {
		struct pollfd p = {.fd = sock, .events = POLLIN};
		int n = ppoll(&p, 1, NULL, &wait_mask);
		if (orphaned(spawner))
			_exit(1);
		if (n <= 0)
			continue;
		struct wire_head h;
		int fds[WIRE_MAX_FDS];
		size_t n_fds = WIRE_MAX_FDS;
		if (wire_recv_head(sock, &h, fds, &n_fds) != 0)
			_exit(0);
		/* a cancel that came too late is for a program that is over */
		if (h.type == WIRE_START && !run_one(sock, &h, fds, n_fds, spawner))
			_exit(0);
	}
}
