/* SPDX-License-Identifier: MIT */
/* The input and the property of bench/farm/run, in this process and on the clock of src/reduce/run/in_process.h:
 *
 *	scale_farm FUNCTIONS JOBS [unit|lognormal|timeouts] [passes]
 *	scale_farm write FUNCTIONS > FILE.c
 *	scale_farm test FUNCTIONS SECONDS FILE.c
 *	scale_farm watch SOCKET COMMAND…
 *
 * Functions that call the one before, of which every 73rd has to stay. With workers that sleep in their tests the
 * time is that of the clock, so that what a hundred workers gain is known without a hundred workers. Prints one
 * line of names and values; with "passes" a line on standard error for each run of a pass. write and test are for
 * scale_real.sh: the input, and the property as a test that sleeps.
 *
 * watch is for scale_own.sh: it runs a command whose tests say at SOCKET when they begin and end (SCALE_SOCKET), and
 * sees them die. A test that dies without an end was cancelled, because of what another one had said: mostly the one
 * that ended last. So much later it was dead. Beside it the CPU time of the command's own process, from its birth to
 * shortly before its death. */
#include "pass_log.h"

#include "data/buf.h"
#include "reduce/model/load.h"
#include "reduce/run/in_process.h"
#include "reduce/syntax/syntax.h"

#include "data/clock.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

enum { FIRST = 7, STEP = 73 };

struct property {
	struct pass_log log;
	unsigned functions;
};

static void write_input(struct buf *b, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		buf_printf(
			b,
			"int f%u(int a) { int b = a + %u; if (b > %u) { b = f%u(b - 1); return b; } return a * %u; }\n",
			i, i, i * 7, i ? i - 1 : 0, i % 11);
	buf_printf(b, "int main(void) { return f3(f7(2)); }\n");
}

/* grep -o "f(7|80|…)(int" finds each number. */
static bool interesting(void *user, const struct buf *text)
{
	const struct property *p = user;
	uint64_t found[64] = {0};
	unsigned left = (p->functions - FIRST - 1) / STEP + 1;
	const char *at = buf_str(text);
	while ((at = strchr(at, 'f'))) {
		char *end;
		unsigned long n = strtoul(++at, &end, 10);
		if (end == at || *at < '1' || *at > '9' || strncmp(end, "(int", 4) != 0 || n < FIRST ||
		    n >= p->functions)
			continue;
		unsigned i = (unsigned)(n - FIRST) / STEP;
		if ((n - FIRST) % STEP == 0 && !(found[i / 64] >> i % 64 & 1)) {
			found[i / 64] |= (uint64_t)1 << i % 64;
			left--;
		}
	}
	return !left;
}

static void pass_ended(void *user, const struct pass *pass)
{
	struct property *p = user;
	pass_log(&p->log, pass);
}

static int fail(const char *what)
{
	fprintf(stderr, "scale_farm: %s\n", what);
	return 2;
}

/* Counts outside of what is counted: a line for each test that came to its end, if SCALE_LOG names a file. */
static void log_end(const struct buf *text, bool yes)
{
	const char *name = getenv("SCALE_LOG");
	int fd = name ? open(name, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600) : -1;
	if (fd < 0)
		return;
	dprintf(fd, "%016llx %d\n", (unsigned long long)XXH3_64bits(buf_str(text), text->n), yes);
	close(fd);
}

/* ---- what is seen from outside */

struct note {
	pid_t pid;
	bool end;
};

static struct sockaddr_un address(const char *name)
{
	struct sockaddr_un a = {.sun_family = AF_UNIX};
	snprintf(a.sun_path, sizeof a.sun_path, "%s", name);
	return a;
}

static void say(bool end)
{
	const char *name = getenv("SCALE_SOCKET");
	int fd = name ? socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0) : -1;
	if (fd < 0)
		return;
	struct sockaddr_un a = address(name);
	struct note n = {getpid(), end};
	sendto(fd, &n, sizeof n, 0, (struct sockaddr *)&a, sizeof a);
	close(fd);
}

struct watch {
	int fd;
	VEC(struct pollfd) seen; /* the socket, the command, then tests */
	VEC(pid_t) pid;          /* of the same */
	VEC(double) late;        /* seconds from an end to the death of a cancelled test */
	double last_end;
	unsigned tests, cancelled;
};

static void take_note(struct watch *w, double now)
{
	struct note n;
	while (recv(w->fd, &n, sizeof n, MSG_DONTWAIT) == sizeof n) {
		size_t i = 2;
		while (i < w->pid.n && w->pid.at[i] != n.pid)
			i++;
		int fd = n.end || i < w->pid.n ? -1 : (int)syscall(SYS_pidfd_open, n.pid, 0);
		if (fd >= 0) {
			w->tests++;
			vec_push(&w->seen, ((struct pollfd){fd, POLLIN, 0}));
			vec_push(&w->pid, n.pid);
		} else if (n.end && i < w->pid.n) {
			w->last_end = now;
			close(w->seen.at[i].fd);
			w->seen.at[i] = vec_pop(&w->seen);
			w->pid.at[i] = vec_pop(&w->pid);
		}
	}
}

/* Tests that died without a word. */
static void take_dead(struct watch *w, double now)
{
	for (size_t i = w->seen.n; i-- > 2;) {
		if (!w->seen.at[i].revents)
			continue;
		vec_push(&w->late, now - w->last_end);
		w->cancelled++;
		close(w->seen.at[i].fd);
		struct pollfd last = vec_pop(&w->seen);
		pid_t pid = vec_pop(&w->pid);
		if (i < w->seen.n) {
			w->seen.at[i] = last;
			w->pid.at[i] = pid;
		}
	}
}

struct cpu {
	double user, system;
};

static struct cpu cpu_of(pid_t pid, struct cpu before)
{
	char path[64], line[1024] = "";
	const double tick = (double)sysconf(_SC_CLK_TCK);
	unsigned long user = 0, sys = 0;
	snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
	FILE *f = fopen(path, "r");
	const char *at = f && fgets(line, sizeof line, f) ? strrchr(line, ')') : NULL;
	if (f)
		fclose(f);
	bool got = at && sscanf(at, ") %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &sys) == 2;
	return got ? (struct cpu){(double)user / tick, (double)sys / tick} : before;
}

static int by_size(const void *a, const void *b)
{
	const double *x = a, *y = b;
	return (*x > *y) - (*x < *y);
}

static void print_watch(struct watch *w, struct cpu cpu, double wall)
{
	printf("%u tests, %u cancelled", w->tests, w->cancelled);
	if (w->late.n) {
		qsort(w->late.at, w->late.n, sizeof *w->late.at, by_size);
		printf(" (dead after %.1f ms, 95 %% of them %.1f, the last %.1f)", w->late.at[w->late.n / 2] * 1e3,
		       w->late.at[w->late.n * 95 / 100] * 1e3, vec_last(&w->late) * 1e3);
	}
	printf(", own CPU of %.2f s: user %.2f s, %.2f %%; system %.2f s, %.2f %%\n", wall, cpu.user,
	       100 * cpu.user / wall, cpu.system, 100 * cpu.system / wall);
}

static int watch(const char *name, char **command)
{
	struct watch w = {.fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
	struct sockaddr_un a = address(name);
	if (w.fd < 0 || bind(w.fd, (struct sockaddr *)&a, sizeof a) < 0 || setenv("SCALE_SOCKET", name, 1) < 0)
		return fail("no socket");
	double start = clock_seconds();
	struct cpu cpu = {0};
	pid_t child = fork();
	if (child == 0) {
		execvp(command[0], command);
		_exit(127);
	}
	int fd = child < 0 ? -1 : (int)syscall(SYS_pidfd_open, child, 0);
	if (fd < 0)
		return fail("cannot start the command");
	vec_push(&w.seen, ((struct pollfd){w.fd, POLLIN, 0}));
	vec_push(&w.seen, ((struct pollfd){fd, POLLIN, 0}));
	vec_push(&w.pid, 0);
	vec_push(&w.pid, child);
	while (!w.seen.at[1].revents && poll(w.seen.at, w.seen.n, 20) >= 0) {
		double now = clock_seconds();
		cpu = cpu_of(child, cpu);
		take_note(&w, now); /* first: who says that it ends dies too */
		take_dead(&w, now);
	}
	int status = 0;
	waitpid(child, &status, 0);
	print_watch(&w, cpu, clock_seconds() - start);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

static int test(double seconds, struct property *p, const char *file)
{
	struct err e = ERR_INIT;
	say(false);
	struct buf text = {0};
	struct timespec nap = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
	nanosleep(&nap, NULL);
	if (buf_read_file(&text, file, 1u << 28, &e) != RC_OK)
		return fail(e.text);
	bool yes = interesting(p, &text);
	log_end(&text, yes);
	say(true);
	buf_release(&text);
	return yes ? 0 : 1;
}

static int reduce(const struct buf *text, struct property *p, int argc, char **argv)
{
	struct err e = ERR_INIT;
	struct model m = {0};
	struct source src = {"a.c", buf_str(text), text->n, language_detect("a.c", buf_str(text), text->n)};
	p->log.model = &m;
	if (model_load(&m, &src, 1, &e) != RC_OK)
		return fail(e.text);
	uint32_t before = m.n;
	struct in_process run = {
		.interesting_text = interesting,
		.pass_ended = pass_ended,
		.user = p,
		.any_grain = true,
		.seed = 1,
		.jobs = (unsigned)strtoul(argv[2], NULL, 10),
		.clock = CLOCK_UNIT,
	};
	for (int i = 3; i < argc; i++)
		if (strcmp(argv[i], "lognormal") == 0)
			run.clock = CLOCK_LOGNORMAL;
		else if (strcmp(argv[i], "timeouts") == 0)
			run.clock = CLOCK_TIMEOUTS;
		else if (strcmp(argv[i], "passes") == 0)
			p->log.run = &run;
	if (reduce_in_process(&run, &m, &e) != RC_OK)
		return fail(e.text);
	printf("tokens %u after %u queries %llu rounds %.2f useful %llu merges %llu wasted %llu\n", before, m.n,
	       (unsigned long long)run.queries, run.time, (unsigned long long)run.useful,
	       (unsigned long long)run.merges, (unsigned long long)run.wasted);
	model_unload(&m);
	return 0;
}

int main(int argc, char **argv)
{
	struct buf text = {0};
	struct property p = {0};
	if (argc < 3)
		return fail("usage: scale_farm FUNCTIONS JOBS [unit|lognormal|timeouts] [passes]");
	if (argc > 3 && strcmp(argv[1], "watch") == 0)
		return watch(argv[2], argv + 3);
	bool tests = strcmp(argv[1], "test") == 0 && argc == 5, writes = strcmp(argv[1], "write") == 0;
	p.functions = (unsigned)strtoul(argv[1 + (tests || writes)], NULL, 10);
	if (p.functions <= FIRST || p.functions > STEP * 4096)
		return fail("invalid number of functions");
	if (tests)
		return test(strtod(argv[3], NULL), &p, argv[4]);
	write_input(&text, p.functions);
	if (writes)
		return fputs(buf_str(&text), stdout) == EOF;
	int rc = reduce(&text, &p, argc, argv);
	buf_release(&text);
	return rc;
}
