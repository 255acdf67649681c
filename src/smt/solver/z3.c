/* SPDX-License-Identifier: MIT */
/* The parent's side of libz3 in a child process. The child is forked, not executed: it dies with us (PDEATHSIG) and
 * ends when its pipe does. */
#include "smt/solver/solver.h"

#include "data/clock.h"
#include "process/close_from.h"

#include "smt/solver/exchange.h"
#include "smt/solver/z3_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

struct z3_state {
	pid_t pid;
	int in, out;
	bool no_library, no_program;
	struct solver
		program; /* the z3 program, for everything but plain queries; kind NULL: not tried, or not there */
	struct buf ask, got;
};

/* Ends the child; true when it had left by itself because it cannot load the library. */
static bool forget(struct z3_state *z, bool gone)
{
	int status = 0;
	if (z->pid <= 0)
		return false;
	close(z->in);
	close(z->out);
	if (!gone)
		kill(z->pid, SIGKILL);
	while (waitpid(z->pid, &status, 0) < 0 && errno == EINTR) {
	}
	z->pid = 0;
	return WIFEXITED(status) && WEXITSTATUS(status) == Z3_NO_LIBRARY;
}

static void stop(struct solver *s)
{
	struct z3_state *z = s->state;
	if (!z)
		return;
	forget(z, false);
	if (z->program.kind)
		solver_release(&z->program);
	buf_release(&z->ask);
	buf_release(&z->got);
	free(z);
	s->state = NULL;
}

/* The child's descriptors besides the standard ones. */
enum { CHILD_IN = 3, CHILD_OUT, CHILD_LAST = CHILD_OUT };

/* In the child. Nothing of ours is left to flush or free there: it leaves by _exit. */
static _Noreturn void child_main(int in, int out, pid_t parent, size_t memory_bytes)
{
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	signal(SIGINT, SIG_IGN); /* the parent decides */
	signal(SIGTERM, SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
	if (getppid() != parent)
		_exit(0);
	/* a tool that waits for the end of our output must not wait for the child */
	int null = open("/dev/null", O_RDWR);
	dup2(null, 0);
	dup2(null, 1);
	/* nor a program for the end of its input, of which the child has a copy */
	in = fcntl(in, F_DUPFD, CHILD_LAST + 1);
	out = fcntl(out, F_DUPFD, CHILD_LAST + 1);
	dup2(in, CHILD_IN);
	dup2(out, CHILD_OUT);
	close_from(CHILD_LAST + 1);
	z3_child_run(CHILD_IN, CHILD_OUT, (uint32_t)(memory_bytes >> 20));
}

static enum rc start(struct solver *s, struct err *e)
{
	struct z3_state *z = s->state;
	int to[2], from[2];
	if (!z)
		z = s->state = mem_zalloc(sizeof *z);
	if (z->pid > 0)
		return RC_OK;
	if (pipe2(to, O_CLOEXEC) < 0)
		return err_sys(e, RC_ENV, errno, "cannot make a pipe for the solver");
	if (pipe2(from, O_CLOEXEC) < 0) {
		close(to[0]), close(to[1]);
		return err_sys(e, RC_ENV, errno, "cannot make a pipe for the solver");
	}
	pid_t me = getpid(), pid = fork();
	if (pid == 0) {
		close(to[1]), close(from[0]);
		child_main(to[0], from[1], me, s->memory_bytes);
	}
	close(to[0]), close(from[1]);
	if (pid < 0) {
		close(to[1]), close(from[0]);
		return err_sys(e, RC_ENV, errno, "cannot start the solver");
	}
	z->pid = pid;
	s->started = true;
	z->in = to[1];
	z->out = from[0];
	return RC_OK;
}

static bool reply_complete(void *user, const struct buf *got)
{
	(void)user;
	struct z3_reply r;
	if (got->n < sizeof r)
		return false;
	memcpy(&r, got->at, sizeof r);
	return got->n >= sizeof r + r.text_len + r.model_len + (size_t)r.core_n * sizeof(uint32_t);
}

/* Puts the request in z->ask and fetches the reply into z->got; false: the child is gone or too late. */
static bool talk(struct solver *s, const struct z3_request *q, const char *logic, const char *text, double timeout_s)
{
	struct z3_state *z = s->state;
	buf_clear(&z->ask);
	buf_clear(&z->got);
	buf_add(&z->ask, q, sizeof *q);
	buf_add(&z->ask, logic, q->logic_len);
	buf_add(&z->ask, text, (size_t)q->text_len);
	double start = clock_seconds();
	/* z3 ends by itself at its limit; the child is killed only when that fails */
	struct exchange x = {.in = z->in,
			     .out = z->out,
			     .text = z->ask.at,
			     .n = z->ask.n,
			     .got = &z->got,
			     .enough = reply_complete,
			     .deadline = timeout_s > 0 ? start + timeout_s * 1.25 + 0.5 : -1};
	enum exchange_end end = exchange(&x);
	s->seconds += clock_seconds() - start;
	if (end == EXCHANGE_DONE)
		return true;
	s->started = false;
	z->no_library = forget(z, end == EXCHANGE_CLOSED);
	return false;
}

/* Without the library the program answers; the child has done nothing yet. */
static enum rc fall_back(struct solver *s, struct err *e)
{
	struct runner *runner = s->runner;
	size_t memory = s->memory_bytes;
	stop(s);
	enum rc rc = solver_init_program(s, "z3", runner, e);
	s->memory_bytes = memory;
	return rc;
}

static enum rc query(struct solver *s, const struct solver_query *q, struct solver_answer *a, struct err *e)
{
	struct z3_request r = {.op = Z3_QUERY, .want = (uint8_t)q->want, .text_len = q->n};
	r.logic_len = q->logic ? (uint32_t)strlen(q->logic) : 0;
	r.timeout_ms = q->timeout_s > 0 ? (uint32_t)(q->timeout_s * 1000) + 1 : 0;
	enum rc rc = start(s, e);
	if (rc != RC_OK)
		return rc;
	if (!talk(s, &r, q->logic ? q->logic : "", q->text, q->timeout_s)) {
		if (((struct z3_state *)s->state)->no_library) {
			rc = fall_back(s, e);
			return rc == RC_OK ? s->kind->query(s, q, a, e) : rc;
		}
		s->calls++;
		a->verdict = VERDICT_UNKNOWN;
		a->timed_out = true;
		return RC_OK;
	}
	struct z3_state *z = s->state;
	struct z3_reply reply;
	memcpy(&reply, z->got.at, sizeof reply);
	const char *at = z->got.at + sizeof reply;
	buf_add(&a->text, at, reply.text_len);
	buf_add(&a->model, at + reply.text_len, reply.model_len);
	at += reply.text_len + reply.model_len;
	for (uint32_t i = 0; i < reply.core_n; i++) {
		uint32_t k;
		memcpy(&k, at + i * sizeof k, sizeof k);
		vec_push(&a->core, k);
	}
	a->conjuncts = reply.conjuncts;
	a->verdict = reply.failed ? VERDICT_NONE : (enum verdict)reply.verdict;
	s->calls += reply.checks;
	a->cpu_s = reply.cpu_s - reply.model_s;
	a->model_s = reply.model_s;
	return RC_OK;
}

/* z3's own program follows scripts best (options, error positions); without it the library's interpreter does. */
static bool has_program(struct solver *s)
{
	struct z3_state *z = s->state;
	if (!z)
		z = s->state = mem_zalloc(sizeof *z);
	if (!z->program.kind && !z->no_program) {
		struct err none = ERR_INIT;
		z->no_program = solver_init_program(&z->program, "z3", s->runner, &none) != RC_OK;
		z->program.memory_bytes = s->memory_bytes;
		z->program.timeout_s = s->timeout_s;
	}
	return !z->no_program;
}

static enum rc send_text(struct solver *s, const char *text, size_t n, double timeout_s, struct buf *out, struct err *e)
{
	struct z3_request r = {.op = Z3_EVAL, .text_len = n};
	if (has_program(s)) {
		struct solver *p = &((struct z3_state *)s->state)->program;
		double before = p->seconds;
		enum rc rc = p->kind->send(p, text, n, timeout_s, out, e);
		s->seconds += p->seconds - before;
		s->lines = p->lines;
		return rc;
	}
	enum rc rc = start(s, e);
	if (rc != RC_OK)
		return rc;
	bool alive = talk(s, &r, "", text, timeout_s);
	struct z3_state *z = s->state;
	s->lines = 0;
	if (!alive && z->no_library)
		return err_set(e, RC_ENV, "solver 'z3' is not installed (neither the library nor the program)");
	if (!alive)
		return RC_NO;
	struct z3_reply reply;
	memcpy(&reply, z->got.at, sizeof reply);
	buf_add(out, z->got.at + sizeof reply, reply.text_len);
	return RC_OK;
}

static enum rc send_end(struct solver *s, const char *text, size_t n, double timeout_s, struct buf *out, struct err *e)
{
	if (!has_program(s))
		return RC_NO;
	struct solver *p = &((struct z3_state *)s->state)->program;
	enum rc rc = p->kind->end(p, text, n, timeout_s, out, e);
	s->lines = p->lines;
	return rc;
}

const struct solver_kind solver_z3_library = {
	.flags = SOLVER_NATIVE_CORE | SOLVER_STATELESS | SOLVER_NO_ECHO,
	.query = query,
	.send = send_text,
	.end = send_end,
	.has_program = has_program,
	.stop = stop,
};
