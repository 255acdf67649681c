/* SPDX-License-Identifier: MIT */
/* The runner: jobs, their verdicts and limits. Leaving, killing and dying are in test_runner_torture.c. */
#include "runner_fixture.h"

/* Starts it and waits for its end. */
static struct job *run(const struct run_spec *spec)
{
	struct job *j = NULL, *done = NULL;
	if (job_start(r, spec, &j, &e) != RC_OK)
		fail_msg("%s", e.text);
	assert_int_equal(runner_jobs(r), 1);
	assert_int_equal(runner_wait(r, 25, &done, &e), RC_OK);
	assert_ptr_equal(done, j);
	assert_int_equal(runner_jobs(r), 0);
	return j;
}

static struct run_spec shell(const char **argv, const char *script)
{
	argv[0] = "sh";
	argv[1] = "-c";
	argv[2] = script;
	argv[3] = NULL;
	return (struct run_spec){.argv = argv, .keep_output = true};
}

static void says(const struct job *j, enum run_end end, int code)
{
	const struct run_result *x = job_result(j);
	if (x->end != end || x->code != code)
		fail_msg("%s (%d), wanted %s (%d): %s", run_end_text(x->end), x->code, run_end_text(end), code,
			 x->output ? x->output : "");
}

/* Runs it to its end, which must be this one. */
static void ends(const struct run_spec *spec, enum run_end end, int code)
{
	struct job *j = run(spec);
	says(j, end, code);
	job_free(j);
}

/* Runs it to its end; its output must be this. */
static void prints(const struct run_spec *spec, const char *output)
{
	struct job *j = run(spec);
	assert_string_equal(job_result(j)->output, output);
	job_free(j);
}

static void test_exit_codes(void **state)
{
	(void)state;
	for (int code = 0; code < 256; code++) {
		char script[32];
		const char *argv[4];
		snprintf(script, sizeof script, "exit %d", code);
		struct run_spec s = shell(argv, script);
		struct job *j = run(&s);
		says(j, RUN_EXITED, code);
		assert_int_equal(job_failure(j, &e), RC_OK);
		job_free(j);
	}
}

static void test_signals_are_no_exit(void **state)
{
	(void)state;
	static const int sigs[] = {SIGTERM, SIGKILL, SIGSEGV, SIGABRT, SIGINT, SIGHUP, SIGPIPE};
	for (size_t i = 0; i < sizeof sigs / sizeof *sigs; i++) {
		char script[32];
		const char *argv[4];
		snprintf(script, sizeof script, "kill -%d $$", sigs[i]);
		struct run_spec s = shell(argv, script);
		ends(&s, RUN_SIGNALLED, sigs[i]);
	}
}

static void test_not_started(void **state)
{
	(void)state;
	static const struct {
		const char *prog, *dir, *text;
		int code;
	} cases[] = {
		{"no-such-program-here", NULL, "cannot run 'no-such-program-here': No such file or directory", ENOENT},
		{"/no/such/program", NULL, "cannot run '/no/such/program': No such file or directory", ENOENT},
		{"/", NULL, "cannot run '/': Permission denied", EACCES},
		{"true", "/no/such/folder", "cannot enter the folder '/no/such/folder': No such file or directory",
		 ENOENT},
		{"true", "/dev/null", "cannot enter the folder '/dev/null': Not a directory", ENOTDIR},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct run_spec s = {.argv = (const char *[]){cases[i].prog, NULL}, .dir = cases[i].dir};
		struct job *j = run(&s);
		says(j, RUN_NOT_STARTED, cases[i].code);
		struct err why = ERR_INIT;
		assert_int_equal(job_failure(j, &why), RC_ENV);
		assert_string_equal(why.text, cases[i].text);
		assert_int_equal(why.sys, cases[i].code);
		job_free(j);
	}
}

/* More than the kernel lets a program have; the message to the guardian is large too. */
static void test_too_long_arguments(void **state)
{
	(void)state;
	static char big[3 << 20];
	memset(big, 'a', sizeof big - 1);
	struct run_spec s = {.argv = (const char *[]){"true", big, NULL}};
	ends(&s, RUN_NOT_STARTED, E2BIG);
	big[100000] = '\0';
	ends(&s, RUN_EXITED, 0);
}

static void test_no_space_is_no_verdict(void **state)
{
	(void)state;
	char dir[PATH_MAX], cmd[PATH_MAX + 32];
	assert_int_equal(runner_scratch(r, dir, sizeof dir, &e), RC_OK);
	*strrchr(dir, '/') = '\0';
	*strrchr(dir, '/') = '\0';
	snprintf(cmd, sizeof cmd, "rm -rf '%s'", dir);
	assert_int_equal(system(cmd), 0);
	struct run_spec s = {.argv = (const char *[]){"true", NULL}};
	struct job *j;
	struct err why = ERR_INIT;
	assert_int_equal(job_start(r, &s, &j, &why), RC_ENV);
	assert_int_equal(why.sys, ENOENT);
	assert_int_equal(runner_scratch(r, dir, sizeof dir, &why), RC_ENV);
	assert_int_equal(runner_jobs(r), 0);
}

static void make_script(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	chmod(path, 0700);
}

static void test_script_without_interpreter_line(void **state)
{
	(void)state;
	char dir[PATH_MAX], path[PATH_MAX + 16];
	assert_int_equal(runner_scratch(r, dir, sizeof dir, &e), RC_OK);
	snprintf(path, sizeof path, "%s/test", dir);
	make_script(path, "echo \"$1\"; exit 7\n");
	struct run_spec s = {.argv = (const char *[]){"./test", "x y", NULL}, .dir = dir, .keep_output = true};
	struct job *j = run(&s);
	says(j, RUN_EXITED, 7);
	assert_string_equal(job_result(j)->output, "x y\n");
	job_free(j);
	runner_scratch_remove(r, dir);
	assert_int_equal(access(dir, F_OK), -1);
}

static void test_many_in_a_row(void **state)
{
	(void)state;
	char dir[PATH_MAX];
	assert_int_equal(runner_scratch(r, dir, sizeof dir, &e), RC_OK);
	for (int i = 0; i < 500; i++) {
		const char *argv[4];
		struct run_spec s = shell(argv, i % 2 ? "echo odd" : "echo even >&2; exit 3");
		s.dir = dir;
		s.user = &argv;
		struct job *j = run(&s);
		says(j, RUN_EXITED, i % 2 ? 0 : 3);
		assert_string_equal(job_result(j)->output, i % 2 ? "odd\n" : "even\n");
		assert_int_equal(job_result(j)->output_len, strlen(job_result(j)->output));
		assert_ptr_equal(job_user(j), &argv);
		job_free(j);
	}
}

static void test_many_at_once(void **state)
{
	(void)state;
	bool seen[60] = {false};
	for (size_t i = 0; i < 60; i++) {
		char script[64];
		const char *argv[4];
		snprintf(script, sizeof script, "echo %zu; exit %zu", i, i);
		struct run_spec s = shell(argv, script);
		s.user = &seen[i];
		struct job *j;
		assert_int_equal(job_start(r, &s, &j, &e), RC_OK);
	}
	assert_int_equal(runner_jobs(r), 60);
	for (size_t i = 0; i < 60; i++) {
		struct job *j;
		assert_int_equal(runner_wait(r, 25, &j, &e), RC_OK);
		assert_non_null(j);
		size_t n = (size_t)((bool *)job_user(j) - seen);
		says(j, RUN_EXITED, (int)n);
		assert_int_equal(atoi(job_result(j)->output), (int)n);
		assert_false(seen[n]);
		seen[n] = true;
		job_free(j);
	}
	assert_int_equal(runner_jobs(r), 0);
	struct job *none;
	assert_int_equal(runner_wait(r, -1, &none, &e), RC_OK);
	assert_null(none);
}

/* What a job sees of the world. */
static void test_surroundings(void **state)
{
	(void)state;
	char dir[PATH_MAX];
	const char *argv[4];
	assert_int_equal(runner_scratch(r, dir, sizeof dir, &e), RC_OK);
	struct run_spec s = shell(
		argv, "ls -A | wc -l; cat | wc -c; ls -A \"$TMPDIR\" | wc -l; touch \"$TMPDIR/x\" && ls -A | wc -l;"
		      "echo $A $B $HOME; pwd; echo $TMPDIR");
	s.dir = dir;
	s.env = (const char *[]){"A=1", "HOME=/nowhere", "A=2", "B=", NULL};
	struct job *j = run(&s);
	says(j, RUN_EXITED, 0);
	char want[PATH_MAX + 64];
	snprintf(want, sizeof want, "0\n0\n0\n0\n2 /nowhere\n%s\n", dir);
	assert_memory_equal(job_result(j)->output, want, strlen(want));
	/* its TMPDIR was its own and is gone */
	char *tmp = job_result(j)->output + strlen(want);
	tmp[strcspn(tmp, "\n")] = '\0';
	assert_true(strlen(tmp) > 1 && strcmp(tmp, dir) != 0 && strncmp(tmp, dir, strlen(dir) - strlen("work")) == 0);
	assert_int_equal(access(tmp, F_OK), -1);
	job_free(j);

	s = (struct run_spec){.argv = (const char *[]){self, "child", "descriptors", NULL}, .keep_output = true};
	prints(&s, "0 1 2 ");

	s.argv = (const char *[]){self, "child", "signals", NULL};
	prints(&s, "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
	runner_scratch_remove(r, dir);
}

static void test_path_of_the_job(void **state)
{
	(void)state;
	char dir[PATH_MAX], path[PATH_MAX + 16], set[PATH_MAX + 64];
	assert_int_equal(runner_scratch(r, dir, sizeof dir, &e), RC_OK);
	snprintf(path, sizeof path, "%s/true", dir);
	make_script(path, "#!/bin/sh\nexit 42\n");
	snprintf(set, sizeof set, "PATH=/no/such:%s:/bin", dir);
	struct run_spec s = {.argv = (const char *[]){"true", NULL}, .env = (const char *[]){set, NULL}};
	ends(&s, RUN_EXITED, 42);
	chmod(path, 0600);
	snprintf(set, sizeof set, "PATH=%s", dir);
	ends(&s, RUN_NOT_STARTED, EACCES);
	runner_scratch_remove(r, dir);
}

/* ---- limits */

static void test_wall_limit(void **state)
{
	(void)state;
	struct run_spec s = {.argv = (const char *[]){self, "child", "hold", leash.path, NULL}, .limits.wall_s = 0.3};
	struct job *j = run(&s);
	says(j, RUN_TIMEOUT, 0);
	assert_true(job_result(j)->wall_s >= 0.3);
	assert_true(leash_loose(&leash));
	job_free(j);
}

static void test_cpu_limit(void **state)
{
	(void)state;
	struct run_spec s = {.argv = (const char *[]){self, "child", "spin", "100", NULL}, .limits.cpu_s = 0.2};
	struct job *j = run(&s);
	says(j, RUN_TIMEOUT, 0);
	assert_true(job_result(j)->user_s + job_result(j)->sys_s >= 0.15);
	job_free(j);
	/* of the tree, also of those that are gone */
	s.argv = (const char *[]){self, "child", "spins", "0.05", "100", NULL};
	ends(&s, RUN_TIMEOUT, 0);
	/* counted exactly when it ends between two looks */
	s.argv = (const char *[]){self, "child", "spin", "0.02", NULL};
	s.limits.cpu_s = 0.001;
	ends(&s, RUN_TIMEOUT, 0);
	s.limits.cpu_s = 60;
	j = run(&s);
	says(j, RUN_EXITED, 0);
	assert_true(job_result(j)->user_s + job_result(j)->sys_s >= 0.019);
	job_free(j);
}

static void test_memory_limit(void **state)
{
	(void)state;
	struct run_spec s = {.argv = (const char *[]){self, "child", "hog", "300", NULL},
			     .limits.rss_bytes = 150u << 20};
	ends(&s, RUN_MEMORY, 0);
	/* together too much, each alone not */
	s.argv = (const char *[]){self, "child", "hogs", "60", "4", NULL};
	struct job *j = run(&s);
	says(j, RUN_MEMORY, 0);
	assert_true(job_result(j)->peak_rss < 150u << 20);
	job_free(j);
	s.argv = (const char *[]){self, "child", "hog", "60", NULL};
	j = run(&s);
	says(j, RUN_EXITED, 0);
	assert_true(job_result(j)->peak_rss >= 60u << 20);
	job_free(j);
}

static void test_output_limit(void **state)
{
	(void)state;
	struct run_spec s = {.argv = (const char *[]){self, "child", "spew", NULL}, .limits.output_bytes = 5000};
	struct job *j = run(&s);
	says(j, RUN_OUTPUT, 0);
	assert_int_equal(job_result(j)->output_len, 0);
	assert_null(job_result(j)->output);
	job_free(j);
	s.keep_output = true;
	j = run(&s);
	says(j, RUN_OUTPUT, 0);
	assert_int_equal(job_result(j)->output_len, 5000);
	job_free(j);
	/* at the limit is not over it; one byte more is, even if the program has exited meanwhile */
	s.argv = (const char *[]){self, "child", "print", "5000", NULL};
	j = run(&s);
	says(j, RUN_EXITED, 0);
	assert_int_equal(job_result(j)->output_len, 5000);
	job_free(j);
	s.argv = (const char *[]){self, "child", "print", "5001", NULL};
	ends(&s, RUN_OUTPUT, 0);
	/* without a limit a megabyte is kept, the rest is thrown away, and nobody is disturbed */
	s.limits.output_bytes = 0;
	s.argv = (const char *[]){self, "child", "print", "3000000", NULL};
	j = run(&s);
	says(j, RUN_EXITED, 0);
	assert_int_equal(job_result(j)->output_len, 1 << 20);
	job_free(j);
	/* writing without end does not stop the clock */
	s.argv = (const char *[]){self, "child", "spew", NULL};
	s.limits.wall_s = 0.2;
	ends(&s, RUN_TIMEOUT, 0);
}

static void test_file_limits(void **state)
{
	(void)state;
	char dir[PATH_MAX], path[PATH_MAX + 16];
	assert_int_equal(runner_scratch(r, dir, sizeof dir, &e), RC_OK);
	struct run_spec s = {
		.argv = (const char *[]){self, "child", "fill", "big", NULL}, .dir = dir, .limits.file_bytes = 200000};
	ends(&s, RUN_SIGNALLED, SIGXFSZ);
	struct stat st;
	snprintf(path, sizeof path, "%s/big", dir);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, 200000);
	const char *argv[4];
	s = shell(argv, "ulimit -n");
	s.limits.files = 33;
	prints(&s, "33\n");
	s = shell(argv, "ulimit -c");
	prints(&s, "0\n");
	runner_scratch_remove(r, dir);
}

/* ---- waiting and cancelling */

static void test_wait_times_out(void **state)
{
	(void)state;
	struct run_spec s = {.argv = (const char *[]){self, "child", "hold", leash.path, NULL}};
	struct job *j, *done;
	assert_int_equal(job_start(r, &s, &j, &e), RC_OK);
	assert_int_equal(runner_wait(r, 0, &done, &e), RC_OK);
	assert_null(done);
	assert_int_equal(runner_wait(r, 0.05, &done, &e), RC_OK);
	assert_null(done);
	int p[2];
	assert_int_equal(pipe(p), 0);
	assert_int_equal(write(p[1], "x", 1), 1);
	assert_int_equal(runner_wait_fd(r, -1, p[0], &done, &e), RC_OK);
	assert_null(done);
	close(p[0]);
	close(p[1]);
	assert_true(leash_await(&leash, 1));
	job_free(j); /* a running one is ended first */
	assert_int_equal(runner_jobs(r), 0);
	assert_true(leash_loose(&leash));
}

static void test_cancel_100(void **state)
{
	(void)state;
	struct job *jobs[100];
	struct run_spec s = {.argv = (const char *[]){self, "child", "hold", leash.path, NULL}};
	for (size_t i = 0; i < 100; i++)
		assert_int_equal(job_start(r, &s, &jobs[i], &e), RC_OK);
	assert_true(leash_await(&leash, 100));
	for (size_t i = 0; i < 100; i++)
		job_cancel(jobs[i]);
	for (size_t i = 0; i < 100; i++) {
		struct job *j;
		assert_int_equal(runner_wait(r, 25, &j, &e), RC_OK);
		assert_non_null(j);
		says(j, RUN_CANCELLED, 0);
		job_free(j);
	}
	assert_int_equal(runner_jobs(r), 0);
	assert_true(leash_loose(&leash));
}

/* A cancel that comes too late changes neither this job nor the next one of the same guardian. */
static void test_late_cancel(void **state)
{
	(void)state;
	for (int i = 0; i < 50; i++) {
		const char *argv[4];
		struct run_spec s = shell(argv, "exit 5");
		struct job *j, *done;
		assert_int_equal(job_start(r, &s, &j, &e), RC_OK);
		if (i % 2)
			usleep((unsigned)i * 200);
		job_cancel(j);
		job_cancel(j);
		assert_int_equal(runner_wait(r, 25, &done, &e), RC_OK);
		assert_ptr_equal(done, j);
		if (job_result(j)->end != RUN_CANCELLED)
			says(j, RUN_EXITED, 5);
		job_cancel(j);
		job_free(j);
		ends(&s, RUN_EXITED, 5);
	}
}

/* Two runners in one process; closing ends what runs. */
static void test_close_ends_all(void **state)
{
	(void)state;
	struct runner *other;
	char dir[PATH_MAX];
	assert_int_equal(runner_open(&other, &e), RC_OK);
	assert_int_equal(runner_scratch(other, dir, sizeof dir, &e), RC_OK);
	struct run_spec s = {.argv = (const char *[]){self, "child", "hold", leash.path, NULL}, .dir = dir};
	for (int i = 0; i < 5; i++) {
		struct job *j;
		assert_int_equal(job_start(other, &s, &j, &e), RC_OK);
	}
	assert_true(leash_await(&leash, 5));
	runner_close(other);
	assert_true(leash_loose(&leash));
	assert_int_equal(access(dir, F_OK), -1);
	*strrchr(dir, '/') = '\0';
	*strrchr(dir, '/') = '\0';
	assert_int_equal(access(dir, F_OK), -1);
}

static void test_no_folder_for_scratch(void **state)
{
	(void)state;
	struct runner *other = NULL;
	char before[PATH_MAX];
	const char *tmp = getenv("TMPDIR");
	snprintf(before, sizeof before, "%s", tmp ? tmp : "/tmp");
	setenv("TMPDIR", "/no/such/folder", 1);
	struct err why = ERR_INIT;
	assert_int_equal(runner_open(&other, &why), RC_ENV);
	assert_string_equal(why.text, "cannot make a folder in '/no/such/folder': No such file or directory");
	setenv("TMPDIR", before, 1);
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "child") == 0)
		child_main(argc, argv);
	if (!realpath("/proc/self/exe", self))
		return 3;
	if (dup(2) < 0) /* a descriptor that is inherited: by us, not by jobs */
		return 3;
	const struct CMUnitTest tests[] = {
		RUNNER_TEST(test_exit_codes),
		RUNNER_TEST(test_signals_are_no_exit),
		RUNNER_TEST(test_not_started),
		RUNNER_TEST(test_too_long_arguments),
		RUNNER_TEST(test_no_space_is_no_verdict),
		RUNNER_TEST(test_script_without_interpreter_line),
		RUNNER_TEST(test_many_in_a_row),
		RUNNER_TEST(test_many_at_once),
		RUNNER_TEST(test_surroundings),
		RUNNER_TEST(test_path_of_the_job),
		RUNNER_TEST(test_wall_limit),
		RUNNER_TEST(test_cpu_limit),
		RUNNER_TEST(test_memory_limit),
		RUNNER_TEST(test_output_limit),
		RUNNER_TEST(test_file_limits),
		RUNNER_TEST(test_wait_times_out),
		RUNNER_TEST(test_cancel_100),
		RUNNER_TEST(test_late_cancel),
		RUNNER_TEST(test_close_ends_all),
		RUNNER_TEST(test_no_folder_for_scratch),
	};
	return cmocka_run_group_tests_name("runner", tests, NULL, NULL);
}
