/* SPDX-License-Identifier: MIT */
/* Co-processes and foreground programs. */
#include "runner_fixture.h"

#include <pty.h>

/* Reads up to a newline; false at the end of the file. */
static bool read_line(int fd, char *out, size_t size)
{
	size_t n = 0;
	while (n + 1 < size && read(fd, out + n, 1) == 1)
		if (out[n++] == '\n')
			break;
	out[n] = '\0';
	return n > 0;
}

/* ---- co-processes */

static void test_talk(void **state)
{
	(void)state;
	struct proc p;
	struct run_result x;
	char line[256], want[64];
	const char *script = "while read a; do echo \"got $a\"; done; echo end; echo complaint >&2; exit 6";
	struct run_spec s = {.argv = (const char *[]){"sh", "-c", script, NULL}, .keep_output = true};
	assert_int_equal(proc_start(r, &s, &p, &e), RC_OK);
	assert_true(p.pid > 0 && kill(p.pid, 0) == 0);
	assert_int_equal(runner_jobs(r), 0);
	for (int i = 0; i < 1000; i++) {
		dprintf(p.in, "%d\n", i);
		snprintf(want, sizeof want, "got %d\n", i);
		assert_true(read_line(p.out, line, sizeof line));
		assert_string_equal(line, want);
	}
	proc_finish(r, &p, 30, &x);
	assert_int_equal(x.end, RUN_EXITED);
	assert_int_equal(x.code, 6);
	assert_string_equal(x.output, "complaint\n");
	free(x.output);
}

static void assert_no_such_program(enum rc rc, const struct err *why)
{
	assert_int_equal(rc, RC_ENV);
	assert_string_equal(why->text, "cannot run 'no-such-program': No such file or directory");
}

static void test_proc_not_started(void **state)
{
	(void)state;
	struct proc p;
	struct run_spec s = {.argv = (const char *[]){"no-such-program", NULL}};
	for (int i = 0; i < 20; i++) {
		struct err why = ERR_INIT;
		assert_no_such_program(proc_start(r, &s, &p, &why), &why);
	}
}

static void test_proc_killed(void **state)
{
	(void)state;
	struct run_result x;
	/* jobs and co-processes do not disturb each other */
	struct run_spec quick = {.argv = (const char *[]){"sh", "-c", "exit 8", NULL}};
	for (int i = 0; i < 10; i++) {
		struct proc p;
		struct job *j, *done;
		const char *script = "\"$0\" child daemon \"$1\"; exec \"$0\" child hold \"$1\"";
		struct run_spec s = {.argv = (const char *[]){"sh", "-c", script, self, leash.path, NULL},
				     .limits.wall_s = 0.0001};
		assert_int_equal(proc_start(r, &s, &p, &e), RC_OK);
		assert_true(leash_await(&leash, 2));
		assert_int_equal(job_start(r, &quick, &j, &e), RC_OK);
		if (i % 2)
			proc_kill(r, &p, &x);
		else
			proc_finish(r, &p, 0.01, &x);
		assert_int_equal(x.end, RUN_CANCELLED);
		free(x.output);
		assert_true(leash_loose(&leash));
		assert_int_equal(p.in, -1);
		assert_int_equal(p.out, -1);
		assert_int_equal(runner_wait(r, 25, &done, &e), RC_OK);
		assert_ptr_equal(done, j);
		assert_int_equal(job_result(j)->code, 8);
		job_free(j);
	}
}

static void test_proc_that_dies_and_one_that_floods(void **state)
{
	(void)state;
	struct proc p;
	struct run_result x;
	char line[16];
	struct job *none;
	struct run_spec s = {.argv = (const char *[]){"sh", "-c", "kill -9 $$", NULL}};
	assert_int_equal(proc_start(r, &s, &p, &e), RC_OK);
	assert_false(read_line(p.out, line, sizeof line));
	assert_int_equal(runner_wait(r, 0.01, &none, &e), RC_OK);
	assert_null(none);
	proc_kill(r, &p, &x);
	assert_int_equal(x.end, RUN_SIGNALLED);
	assert_int_equal(x.code, SIGKILL);
	free(x.output);
	/* nobody reads its output: finishing does */
	s.argv = (const char *[]){self, "child", "print", "1000000", NULL};
	assert_int_equal(proc_start(r, &s, &p, &e), RC_OK);
	proc_finish(r, &p, 30, &x);
	assert_int_equal(x.end, RUN_EXITED);
	assert_int_equal(x.code, 0);
	free(x.output);
}

/* ---- foreground */

struct heard {
	int fd;
	size_t n;
	char text[256];
};

static bool on_readable(void *user)
{
	struct heard *h = user;
	ssize_t n = read(h->fd, h->text + h->n, sizeof h->text - 1 - h->n);
	if (n > 0)
		h->n += (size_t)n;
	h->text[h->n] = '\0';
	return n > 0;
}

/* Standard files, extra descriptors under their own numbers, a descriptor watched meanwhile. */
static void test_foreground_files(void **state)
{
	(void)state;
	int out[2], extra[2], in[2];
	assert_int_equal(pipe(out), 0);
	assert_int_equal(pipe(extra), 0);
	assert_int_equal(pipe(in), 0);
	assert_int_equal(write(in[1], "input\n", 6), 6);
	close(in[1]);
	int saved[3] = {dup(0), dup(1), dup(2)};
	struct heard h = {.fd = extra[0]};
	fcntl(extra[0], F_SETFL, O_NONBLOCK);
	char script[128];
	snprintf(script, sizeof script, "read a; echo \"out $a\"; echo err >&2; echo extra >&%d; exit 12", extra[1]);
	struct foreground f = {
		.spec = {.argv = (const char *[]){"bash", "-c", script, NULL}, .user = &h},
		.extra_fds = (const int[]){extra[1]},
		.n_extra = 1,
		.watch_fd = extra[0],
		.on_readable = on_readable,
	};
	struct run_result x;
	fflush(stdout);
	dup2(in[0], 0);
	dup2(out[1], 1);
	dup2(out[1], 2);
	enum rc rc = runner_foreground(r, &f, &x, &e);
	for (int i = 0; i < 3; i++)
		dup2(saved[i], i), close(saved[i]);
	assert_int_equal(rc, RC_OK);
	assert_int_equal(x.end, RUN_EXITED);
	assert_int_equal(x.code, 12);
	char text[64];
	ssize_t n = read(out[0], text, sizeof text - 1);
	text[n > 0 ? n : 0] = '\0';
	assert_string_equal(text, "out input\nerr\n");
	on_readable(&h);
	assert_string_equal(h.text, "extra\n");
	close(out[0]), close(out[1]), close(extra[0]), close(extra[1]), close(in[0]);
}

static void test_foreground_stdout_to_stderr(void **state)
{
	(void)state;
	int out[2];
	assert_int_equal(pipe(out), 0);
	int saved = dup(2);
	struct foreground f = {.spec = {.argv = (const char *[]){"sh", "-c", "echo shown", NULL}},
			       .stdout_to_stderr = true,
			       .watch_fd = -1};
	struct run_result x;
	dup2(out[1], 2);
	enum rc rc = runner_foreground(r, &f, &x, &e);
	dup2(saved, 2);
	close(saved);
	assert_int_equal(rc, RC_OK);
	char text[64];
	ssize_t n = read(out[0], text, sizeof text - 1);
	text[n > 0 ? n : 0] = '\0';
	assert_string_equal(text, "shown\n");
	close(out[0]), close(out[1]);
	f.spec.argv = (const char *[]){"no-such-program", NULL};
	struct err why = ERR_INIT;
	assert_no_such_program(runner_foreground(r, &f, &x, &why), &why);
}

/* What stays below a foreground program that has ended is asked to end, then killed. */
static void test_foreground_leftovers(void **state)
{
	(void)state;
	struct run_result x;
	struct foreground f = {.spec = {.argv = (const char *[]){self, "child", "daemon", leash.path, NULL}},
			       .watch_fd = -1};
	assert_int_equal(runner_foreground(r, &f, &x, &e), RC_OK);
	assert_int_equal(x.end, RUN_EXITED);
	assert_true(leash_loose(&leash));
	f.spec.limits.wall_s = 0.2;
	f.spec.argv = (const char *[]){"sleep", "1000", NULL};
	assert_int_equal(runner_foreground(r, &f, &x, &e), RC_OK);
	assert_int_equal(x.end, RUN_TIMEOUT);
}

/* Run again as `PROG fg SCRIPT`: catches signals, runs the script in the foreground, prints how it ended. */
static int foreground_main(const char *script)
{
	struct runner *mine;
	struct err why = ERR_INIT;
	struct run_result x;
	if (runner_open(&mine, &why) != RC_OK)
		return 70;
	runner_catch_signals(mine);
	struct foreground f = {.spec = {.argv = (const char *[]){"bash", "-c", script, NULL}}, .watch_fd = -1};
	if (runner_foreground(mine, &f, &x, &why) != RC_OK)
		return 71;
	runner_close(mine);
	printf("%s %d stopped %d\n", run_end_text(x.end), x.code, runner_stopped());
	return 0;
}

static pid_t start_foreground(const char *script, int *out, bool terminal)
{
	int p[2];
	pid_t pid;
	if (terminal) {
		pid = forkpty(out, NULL, NULL, NULL);
	} else {
		assert_int_equal(pipe(p), 0);
		pid = fork();
	}
	if (pid == 0) {
		if (!terminal) {
			setsid();
			dup2(p[1], 1);
			close(p[0]);
			close(p[1]);
		}
		execl(self, self, "fg", script, (char *)NULL);
		_exit(99);
	}
	if (!terminal) {
		close(p[1]);
		*out = p[0];
	}
	return pid;
}

/* Reads lines until one has the text, 20 s at most; terminals add carriage returns and echo. */
static void expect(int fd, const char *text)
{
	char line[256];
	do {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		if (poll(&p, 1, 20000) != 1 || !read_line(fd, line, sizeof line))
			fail_msg("no line with '%s'", text);
	} while (!strstr(line, text));
}

/* Starts a script and waits until it says that it is ready. */
static pid_t start_ready(const char *script, int *out, bool terminal)
{
	pid_t pid = start_foreground(script, out, terminal);
	expect(*out, "ready");
	return pid;
}

static void assert_ends_well(pid_t pid)
{
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static void test_interrupt_goes_to_the_program(void **state)
{
	(void)state;
	int out;
	pid_t pid =
		start_ready("trap 'echo caught; exit 5' INT; echo ready; i=0; while [ $i -lt 2000 ]; do sleep 0.05; "
			    "i=$((i + 1)); done",
			    &out, false);
	kill(pid, SIGINT); /* to us alone: passed on */
	expect(out, "caught");
	expect(out, "exited 5 stopped 0");
	assert_ends_well(pid);
	close(out);
}

static void test_stop_request_is_term_then_kill(void **state)
{
	(void)state;
	int out;
	pid_t pid = start_ready("trap 'echo asked; exit 6' TERM; echo ready; i=0; while [ $i -lt 2000 ]; do sleep "
				"0.05; i=$((i + 1)); done",
				&out, false);
	kill(pid, SIGTERM);
	expect(out, "asked");
	expect(out, "cancelled 0 stopped 15");
	assert_ends_well(pid);
	close(out);
	pid = start_ready("trap '' TERM; echo ready; i=0; while [ $i -lt 2000 ]; do sleep 0.05; i=$((i + 1)); done",
			  &out, false);
	kill(pid, SIGTERM);
	expect(out, "cancelled 0 stopped 15");
	assert_ends_well(pid);
	close(out);
}

static void test_refrain_killed_in_the_foreground(void **state)
{
	(void)state;
	int out;
	struct leash l;
	char script[4 * PATH_MAX + 64];
	leash_open(&l);
	snprintf(script, sizeof script, "trap '' TERM; '%s' child daemon '%s'; '%s' child hold '%s'", self, l.path,
		 self, l.path);
	pid_t pid = start_foreground(script, &out, false);
	assert_true(leash_await(&l, 2));
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_true(leash_gone(&l));
	close(out);
	leash_close(&l);
}

/* Started with closed standard files. */
static void test_closed_standard_files(void **state)
{
	(void)state;
	pid_t pid = fork();
	if (pid == 0) {
		for (int i = 0; i < 3; i++)
			close(i);
		execl(self, self, "fg", "[ -e /proc/self/fd/0 ] && [ -e /proc/self/fd/1 ] && read a; exit 3",
		      (char *)NULL);
	}
	assert_ends_well(pid);
}

/* On a terminal: the program reads from it, Ctrl-C reaches it once and not us, and it works after a program that was
 * killed in raw mode. */
static void test_terminal(void **state)
{
	(void)state;
	int tty;
	const char *script = "trap 'n=$((n+1)); echo int $n' INT; echo ready; read a; echo \"read $a\"; read b; echo "
			     "\"read $b\"; exit 7";
	pid_t pid = start_ready(script, &tty, true);
	assert_int_equal(write(tty, "hello\n", 6), 6);
	expect(tty, "read hello");
	assert_int_equal(write(tty, "\003", 1), 1);
	expect(tty, "int 1");
	assert_int_equal(write(tty, "again\n", 6), 6);
	expect(tty, "read again");
	expect(tty, "exited 7 stopped 0");
	assert_ends_well(pid);
	close(tty);
	/* a program with job control of its own takes the terminal and dies with it */
	pid = start_ready("set -m; stty raw -echo; bash -c 'echo ready; kill -9 $PPID; sleep 1000'", &tty, true);
	expect(tty, "killed by a signal 9 stopped 0");
	struct termios t;
	assert_int_equal(tcgetattr(tty, &t), 0);
	assert_true(t.c_lflag & ICANON);
	assert_ends_well(pid);
	close(tty);
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "child") == 0)
		child_main(argc, argv);
	if (argc == 3 && strcmp(argv[1], "fg") == 0)
		return foreground_main(argv[2]);
	if (!realpath("/proc/self/exe", self))
		return 3;
	signal(SIGPIPE, SIG_IGN);
	const struct CMUnitTest tests[] = {
		RUNNER_TEST(test_talk),
		RUNNER_TEST(test_proc_not_started),
		RUNNER_TEST(test_proc_killed),
		RUNNER_TEST(test_proc_that_dies_and_one_that_floods),
		RUNNER_TEST(test_foreground_files),
		RUNNER_TEST(test_foreground_stdout_to_stderr),
		RUNNER_TEST(test_foreground_leftovers),
		cmocka_unit_test(test_interrupt_goes_to_the_program),
		cmocka_unit_test(test_stop_request_is_term_then_kill),
		cmocka_unit_test(test_refrain_killed_in_the_foreground),
		cmocka_unit_test(test_closed_standard_files),
		cmocka_unit_test(test_terminal),
	};
	return cmocka_run_group_tests_name("runner_proc", tests, NULL, NULL);
}
