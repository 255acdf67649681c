/* SPDX-License-Identifier: MIT */
/* The runner against programs that want to stay, and against deaths in every place: of refrain itself, of its spawner,
 * of a guardian. Each time nothing may stay running and no scratch folder may stay. */
#include "process/guardian_tree.h"
#include "process/wire.h"
#include "runner_fixture.h"

#include <dirent.h>
#include <linux/capability.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static const struct run_result *run(const struct run_spec *spec, struct job **j)
{
	struct job *done = NULL;
	if (job_start(r, spec, j, &e) != RC_OK)
		fail_msg("%s", e.text);
	assert_int_equal(runner_wait(r, 25, &done, &e), RC_OK);
	assert_ptr_equal(done, *j);
	return job_result(*j);
}

/* The private folder of the runner that made a scratch folder. */
static void private_folder(char *out, size_t size, const char *scratch)
{
	snprintf(out, size, "%s", scratch);
	*strrchr(out, '/') = '\0';
	*strrchr(out, '/') = '\0';
}

static bool is_gone(void *path)
{
	return access(path, F_OK) != 0 && errno == ENOENT;
}

/* The one child process of ours, or of a process, that has this name. */
static pid_t find_child(pid_t parent, const char *name)
{
	char path[64], line[256];
	DIR *d = opendir("/proc");
	struct dirent *f;
	pid_t found = 0;
	while (d && !found && (f = readdir(d))) {
		int pid = atoi(f->d_name), ppid = 0;
		char comm[64] = "";
		snprintf(path, sizeof path, "/proc/%d/status", pid);
		FILE *s = pid > 0 ? fopen(path, "r") : NULL;
		while (s && fgets(line, sizeof line, s)) {
			sscanf(line, "Name: %63s", comm);
			sscanf(line, "PPid: %d", &ppid);
		}
		if (s)
			fclose(s);
		if (ppid == parent && strcmp(comm, name) == 0)
			found = pid;
	}
	if (d)
		closedir(d);
	return found;
}

/* ---- programs that want to stay */

static void test_daemon_does_not_escape(void **state)
{
	(void)state;
	struct job *j;
	for (int i = 0; i < 20; i++) {
		struct run_spec s = {.argv = (const char *[]){self, "child", "daemon", leash.path, NULL}};
		const struct run_result *x = run(&s, &j);
		assert_int_equal(x->end, RUN_EXITED);
		assert_int_equal(x->code, 0);
		assert_true(leash_loose(&leash)); /* already gone when the job comes back */
		job_free(j);
	}
}

static void test_daemon_writes_no_more(void **state)
{
	(void)state;
	struct job *j;
	char dir[PATH_MAX], path[PATH_MAX + 16];
	struct stat st;
	assert_int_equal(runner_scratch(r, dir, sizeof dir, &e), RC_OK);
	snprintf(path, sizeof path, "%s/log", dir);
	const char *script = "setsid sh -c 'trap \"\" TERM HUP; while :; do echo x >> log; done' & "
			     "while [ ! -s log ]; do sleep 0.01; done";
	struct run_spec s = {.argv = (const char *[]){"sh", "-c", script, NULL}, .dir = dir};
	assert_int_equal(run(&s, &j)->end, RUN_EXITED);
	job_free(j);
	assert_int_equal(stat(path, &st), 0);
	off_t size = st.st_size;
	assert_true(size > 0);
	usleep(50000);
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_size, size);
	runner_scratch_remove(r, dir);
	assert_int_equal(access(dir, F_OK), -1);
}

/* Cancels the job once n processes hang on the leash: it ends as cancelled, and nobody is left. */
static void cancel_at(struct leash *l, struct job *j, size_t n)
{
	struct job *done;
	assert_true(leash_await(l, n));
	job_cancel(j);
	assert_int_equal(runner_wait(r, 25, &done, &e), RC_OK);
	assert_ptr_equal(done, j);
	assert_int_equal(job_result(j)->end, RUN_CANCELLED);
	assert_true(leash_loose(l));
	job_free(j);
}

static void test_chain_of_sessions(void **state)
{
	(void)state;
	struct job *j;
	struct run_spec s = {.argv = (const char *[]){self, "child", "chain", leash.path, "40", NULL}};
	assert_int_equal(job_start(r, &s, &j, &e), RC_OK);
	cancel_at(&leash, j, 41);
}

static void test_fork_storm(void **state)
{
	(void)state;
	struct job *j;
	for (int i = 0; i < 3; i++) {
		struct run_spec s = {.argv = (const char *[]){self, "child", "storm", leash.path, "5", NULL}};
		assert_int_equal(job_start(r, &s, &j, &e), RC_OK);
		cancel_at(&leash, j, 300);
	}
}

/* The same on a kernel that does not list children: a process tree of our own, killed by hand. */
static void nothing_reaped(void *user, pid_t pid, int status, const struct rusage *ru)
{
	(void)user, (void)pid, (void)status, (void)ru;
}

static void test_kill_without_children_files(void **state)
{
	(void)state;
	struct leash l;
	leash_open(&l);
	pid_t pid = fork();
	if (pid == 0) {
		prctl(PR_SET_CHILD_SUBREAPER, 1);
		sigset_t chld;
		sigemptyset(&chld);
		sigaddset(&chld, SIGCHLD);
		sigprocmask(SIG_BLOCK, &chld, NULL);
		if (fork() == 0)
			execl(self, self, "child", "chain", l.path, "5", (char *)NULL);
		if (fork() == 0)
			execl(self, self, "child", "daemon", l.path, (char *)NULL);
		if (!leash_await(&l, 7))
			_exit(1);
		tree_scan_always(true);
		if (tree_measure().rss == 0)
			_exit(2);
		_exit(tree_kill(NULL, 0, nothing_reaped, NULL) && leash_loose(&l) ? 0 : 3);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	leash_close(&l);
}

/* refrain below refrain: sub-reapers below ours, folders inside the job's TMPDIR. */
static int nested_main(const char *fifo)
{
	struct runner *mine;
	struct err why = ERR_INIT;
	struct job *j;
	struct run_spec s = {.argv = (const char *[]){self, "child", "hold", fifo, NULL}};
	for (int i = 0; i < 3; i++)
		if (runner_open(&mine, &why) != RC_OK || job_start(mine, &s, &j, &why) != RC_OK)
			return 1;
	for_ever();
}

static void test_nested(void **state)
{
	(void)state;
	struct job *j, *done;
	char dir[PATH_MAX], left[PATH_MAX];
	assert_int_equal(runner_scratch(r, dir, sizeof dir, &e), RC_OK);
	struct run_spec s = {.argv = (const char *[]){self, "nested", leash.path, NULL}, .dir = dir};
	assert_int_equal(job_start(r, &s, &j, &e), RC_OK);
	assert_true(leash_await(&leash, 3));
	job_cancel(j);
	assert_int_equal(runner_wait(r, 25, &done, &e), RC_OK);
	assert_ptr_equal(done, j);
	assert_true(leash_loose(&leash));
	job_free(j);
	/* of its entry only the working folder is left, and perhaps a TMPDIR for the next job, both empty */
	snprintf(left, sizeof left, "%s", dir);
	*strrchr(left, '/') = '\0';
	DIR *d = opendir(left);
	assert_non_null(d);
	for (struct dirent *x; (x = readdir(d));)
		if (x->d_name[0] != '.')
			assert_int_equal(unlinkat(dirfd(d), x->d_name, AT_REMOVEDIR), 0);
	closedir(d);
	runner_scratch_remove(r, dir);
	assert_int_equal(access(left, F_OK), -1);
}

/* A file outside, a job that litters its folder with everything that is hard to remove. */
static void test_scratch_is_removed_whatever_is_in_it(void **state)
{
	(void)state;
	/* root may do everything: let it be an ordinary user in what concerns files */
	struct __user_cap_header_struct head = {.version = _LINUX_CAPABILITY_VERSION_3};
	struct __user_cap_data_struct caps[2], fewer[2];
	syscall(SYS_capget, &head, caps);
	memcpy(fewer, caps, sizeof caps);
	fewer[0].effective &= ~(1u << CAP_DAC_OVERRIDE | 1u << CAP_DAC_READ_SEARCH | 1u << CAP_FOWNER);
	syscall(SYS_capset, &head, fewer);

	const char *tmp = getenv("TMPDIR");
	char outside[PATH_MAX], file[PATH_MAX + 16], dir[PATH_MAX], entry[PATH_MAX];
	snprintf(outside, sizeof outside, "%s/outside.XXXXXX", tmp ? tmp : "/tmp");
	assert_non_null(mkdtemp(outside));
	snprintf(file, sizeof file, "%s/precious", outside);
	close(open(file, O_CREAT | O_WRONLY, 0440));
	chmod(file, 0440); /* whatever the umask is */
	chmod(outside, 0500);
	assert_int_equal(runner_scratch(r, dir, sizeof dir, &e), RC_OK);
	struct run_spec s = {.argv = (const char *[]){self, "child", "litter", file, "250", NULL}, .dir = dir};
	struct job *j;
	const struct run_result *x = run(&s, &j);
	assert_int_equal(x->end, RUN_EXITED);
	assert_int_equal(x->code, 0);
	job_free(j);
	runner_scratch_remove(r, dir);
	snprintf(entry, sizeof entry, "%s", dir);
	*strrchr(entry, '/') = '\0';
	assert_int_equal(access(entry, F_OK), -1);
	struct stat st;
	assert_int_equal(stat(file, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0440);
	assert_int_equal(stat(outside, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0500);
	/* not a scratch folder of ours: nothing happens */
	runner_scratch_remove(r, outside);
	runner_scratch_remove(r, "/");
	runner_scratch_remove(r, "");
	assert_int_equal(access(file, F_OK), 0);
	chmod(outside, 0700);
	assert_true(remove_tree(AT_FDCWD, outside));
	syscall(SYS_capset, &head, caps);
}

/* ---- deaths */

/* What the process that plays refrain tells the test. */
struct shared {
	pid_t pid;
	char dir[PATH_MAX];
	int stopped, child, waits, go;
	enum rc rc;
};

static struct shared *share(void)
{
	struct shared *s = mmap(NULL, sizeof *s, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	assert_ptr_not_equal(s, MAP_FAILED);
	memset(s, 0, sizeof *s);
	return s;
}

/* Plays refrain: n jobs with daemons, a littered scratch folder, a co-process; then does what it is told. */
static _Noreturn void play(struct shared *w, const struct leash *l, int n, bool catch,
			   void (*then)(struct runner *, struct shared *))
{
	struct runner *mine;
	struct err why = ERR_INIT;
	struct job *j;
	struct proc p;
	char file[] = "/proc/self/exe";
	if (runner_open(&mine, &why) != RC_OK)
		_exit(70);
	if (catch)
		runner_catch_signals(mine);
	if (runner_scratch(mine, w->dir, sizeof w->dir, &why) != RC_OK)
		_exit(71);
	struct run_spec litter = {.argv = (const char *[]){self, "child", "litter", file, "5", NULL}, .dir = w->dir};
	if (job_start(mine, &litter, &j, &why) != RC_OK || runner_wait(mine, 60, &j, &why) != RC_OK || !j ||
	    job_result(j)->code)
		_exit(72);
	job_free(j);
	if (runner_scratch(mine, w->dir, sizeof w->dir, &why) != RC_OK)
		_exit(71);
	for (int i = 0; i < n; i++) {
		const char *script = "\"$0\" child daemon \"$1\"; exec \"$0\" child hold \"$1\"";
		struct run_spec s = {.argv = (const char *[]){"sh", "-c", script, self, l->path, NULL}, .dir = w->dir};
		if (job_start(mine, &s, &j, &why) != RC_OK)
			_exit(73);
	}
	struct run_spec s = {.argv = (const char *[]){self, "child", "hold", l->path, NULL}};
	if (proc_start(mine, &s, &p, &why) != RC_OK)
		_exit(74);
	w->pid = getpid();
	then(mine, w);
	_exit(0);
}

static void then_wait(struct runner *mine, struct shared *w)
{
	struct job *j;
	struct err why = ERR_INIT;
	for (;;) {
		w->rc = runner_wait(mine, 60, &j, &why);
		w->waits++;
		if (w->rc != RC_OK)
			for_ever();
		w->stopped = runner_stopped();
	}
}

static void then_pause(struct runner *mine, struct shared *w)
{
	(void)mine, (void)w;
	for_ever();
}

static void then_exit(struct runner *mine, struct shared *w)
{
	(void)mine;
	for (int i = 0; i < 100000 && !*(volatile int *)&w->go; i++)
		usleep(1000);
	exit(0); /* without runner_close */
}

static pid_t start_play(struct shared *w, struct leash *l, int n, bool catch,
			void (*then)(struct runner *, struct shared *))
{
	pid_t pid = fork();
	if (pid == 0)
		play(w, l, n, catch, then);
	assert_true(leash_await(l, (size_t)n * 2 + 1));
	while (!*(volatile pid_t *)&w->pid)
		usleep(1000);
	return pid;
}

static void all_gone(struct shared *w, struct leash *l)
{
	char root[PATH_MAX];
	assert_true(leash_gone(l));
	private_folder(root, sizeof root, w->dir);
	assert_true(strlen(root) > 4);
	assert_true(wait_until(is_gone, root));
}

static void test_refrain_killed(void **state)
{
	(void)state;
	for (int i = 0; i < 6; i++) {
		struct shared *w = share();
		struct leash l;
		leash_open(&l);
		pid_t pid = start_play(w, &l, 4, false, i % 3 == 0 ? then_pause : i % 3 == 1 ? then_wait : then_exit);
		w->go = 1;
		if (i % 3 != 2)
			kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		all_gone(w, &l);
		leash_close(&l);
		munmap(w, sizeof *w);
	}
}

/* A child that refrain forked by itself holds copies of all its descriptors and lives on. */
static void then_fork_and_pause(struct runner *mine, struct shared *w)
{
	(void)mine;
	pid_t pid = fork();
	if (pid == 0)
		for_ever();
	w->child = pid;
	for_ever();
}

static void test_refrain_killed_but_its_child_lives(void **state)
{
	(void)state;
	struct shared *w = share();
	struct leash l;
	leash_open(&l);
	pid_t pid = start_play(w, &l, 2, false, then_fork_and_pause);
	while (!*(volatile int *)&w->child)
		usleep(1000);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	all_gone(w, &l);
	kill(w->child, SIGKILL);
	leash_close(&l);
	munmap(w, sizeof *w);
}

static void test_whole_group_killed(void **state)
{
	(void)state;
	struct shared *w = share();
	struct leash l;
	leash_open(&l);
	pid_t pid = fork();
	if (pid == 0) {
		setpgid(0, 0);
		play(w, &l, 3, false, then_wait);
	}
	assert_true(leash_await(&l, 7));
	while (!*(volatile pid_t *)&w->pid)
		usleep(1000);
	kill(-pid, SIGKILL);
	waitpid(pid, NULL, 0);
	all_gone(w, &l);
	leash_close(&l);
	munmap(w, sizeof *w);
}

/* The spawner is killed: trees end at once, refrain is told by an error, and removes the folders itself. */
static void then_wait_and_close(struct runner *mine, struct shared *w)
{
	struct job *j;
	struct err why = ERR_INIT;
	while ((w->rc = runner_wait(mine, 60, &j, &why)) == RC_OK)
		w->waits++;
	if (strcmp(why.text, "the process spawner was killed") != 0)
		_exit(75);
	struct run_spec s = {.argv = (const char *[]){"true", NULL}};
	if (job_start(mine, &s, &j, &why) != RC_ENV)
		_exit(76);
	runner_close(mine);
	_exit(33);
}

/* A refrain with trees below it, whose spawner is killed; its pid. */
static pid_t play_and_lose_spawner(struct shared *w, struct leash *l, int trees,
				   void (*then)(struct runner *, struct shared *))
{
	leash_open(l);
	pid_t pid = start_play(w, l, trees, false, then);
	pid_t spawner = find_child(pid, "rf-spawner");
	assert_true(spawner > 0);
	kill(spawner, SIGKILL);
	return pid;
}

static void test_spawner_killed(void **state)
{
	(void)state;
	struct shared *w = share();
	struct leash l;
	pid_t pid = play_and_lose_spawner(w, &l, 4, then_wait_and_close);
	int status;
	waitpid(pid, &status, 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 33);
	assert_int_equal(w->rc, RC_ENV);
	all_gone(w, &l);
	leash_close(&l);
	munmap(w, sizeof *w);
}

/* Trees end although refrain does nothing: it need not be waiting. */
static void then_close(struct runner *mine, struct shared *w)
{
	for (int i = 0; i < 100000 && !*(volatile int *)&w->go; i++)
		usleep(1000);
	runner_close(mine);
	_exit(0);
}

static void test_spawner_killed_while_refrain_is_busy(void **state)
{
	(void)state;
	struct shared *w = share();
	struct leash l;
	pid_t pid = play_and_lose_spawner(w, &l, 3, then_close);
	assert_true(leash_gone(&l));
	w->go = 1;
	waitpid(pid, NULL, 0);
	all_gone(w, &l);
	leash_close(&l);
	munmap(w, sizeof *w);
}

/* A stopped spawner is woken to clean up. */
static void test_spawner_stopped_then_refrain_closes(void **state)
{
	(void)state;
	struct runner *other;
	struct job *j;
	assert_int_equal(runner_open(&other, &e), RC_OK);
	struct run_spec s = {.argv = (const char *[]){self, "child", "hold", leash.path, NULL}};
	assert_int_equal(job_start(other, &s, &j, &e), RC_OK);
	assert_true(leash_await(&leash, 1));
	pid_t mine = find_child(getpid(), "rf-spawner");
	/* there are two spawners below us: stop whichever was found, the other is r's */
	kill(mine, SIGSTOP);
	runner_close(other);
	kill(mine, SIGCONT);
	assert_true(leash_loose(&leash));
}

static void test_guardian_killed(void **state)
{
	(void)state;
	struct job *j;
	char dir[PATH_MAX];
	for (int i = 0; i < 5; i++) {
		assert_int_equal(runner_scratch(r, dir, sizeof dir, &e), RC_OK);
		const char *script = "\"$0\" child daemon \"$1\"; exec \"$0\" child kill_parent 9 \"$1\"";
		struct run_spec s = {.argv = (const char *[]){"sh", "-c", script, self, leash.path, NULL}, .dir = dir};
		const struct run_result *x = run(&s, &j);
		assert_int_equal(x->end, RUN_SIGNALLED);
		assert_int_equal(x->code, SIGKILL);
		assert_true(leash_loose(&leash));
		job_free(j);
		/* and the runner goes on */
		struct run_spec t = {.argv = (const char *[]){"sh", "-c", "exit 9", NULL}, .dir = dir};
		x = run(&t, &j);
		assert_int_equal(x->end, RUN_EXITED);
		assert_int_equal(x->code, 9);
		job_free(j);
		runner_scratch_remove(r, dir);
	}
}

/* An idle guardian is killed: the next job does not notice. */
static void test_idle_guardian_killed(void **state)
{
	(void)state;
	struct job *j;
	struct run_spec s = {.argv = (const char *[]){"sh", "-c", "exit 4", NULL}};
	pid_t spawner = find_child(getpid(), "rf-spawner");
	for (int i = 0; i < 5; i++) {
		assert_int_equal(run(&s, &j)->code, 4);
		job_free(j);
		pid_t guardian = find_child(spawner, "rf-guardian");
		assert_true(guardian > 0);
		kill(guardian, SIGKILL);
		while (find_child(spawner, "rf-guardian") == guardian)
			usleep(1000);
	}
	assert_int_equal(run(&s, &j)->code, 4);
	job_free(j);
}

/* A job that stops its guardian would have no limits any more. */
static void test_guardian_stopped(void **state)
{
	(void)state;
	struct job *j;
	struct run_spec s = {.argv = (const char *[]){self, "child", "kill_parent", "19", leash.path, NULL},
			     .limits.wall_s = 0.3};
	assert_int_equal(run(&s, &j)->end, RUN_TIMEOUT);
	assert_true(leash_loose(&leash));
	job_free(j);
	s.argv = (const char *[]){self, "child", "kill_parent", "15", leash.path, NULL};
	assert_int_equal(run(&s, &j)->end, RUN_TIMEOUT);
	assert_true(leash_loose(&leash));
	job_free(j);
}

/* ---- stop requests */

static void test_first_signal_sets_the_flag_second_ends(void **state)
{
	(void)state;
	static const int sigs[] = {SIGINT, SIGTERM, SIGHUP};
	for (size_t i = 0; i < sizeof sigs / sizeof *sigs; i++) {
		struct shared *w = share();
		struct leash l;
		leash_open(&l);
		pid_t pid = start_play(w, &l, 2, true, then_wait);
		kill(pid, sigs[i]);
		for (int k = 0; k < 30000 && !*(volatile int *)&w->stopped; k++)
			usleep(1000);
		assert_int_equal(w->stopped, sigs[i]);
		assert_int_equal(w->rc, RC_OK);
		assert_false(leash_loose(&l));
		/* one early return, then it waits again */
		usleep(20000);
		assert_int_equal(w->waits, 1);
		kill(pid, SIGTERM);
		int status;
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), 128 + SIGTERM);
		/* nothing is left when it has ended, not some time later */
		assert_true(leash_loose(&l));
		char root[PATH_MAX];
		private_folder(root, sizeof root, w->dir);
		assert_int_equal(access(root, F_OK), -1);
		leash_close(&l);
		munmap(w, sizeof *w);
	}
}

static void test_ignored_signals_stay_ignored(void **state)
{
	(void)state;
	pid_t pid = fork();
	if (pid == 0) {
		signal(SIGHUP, SIG_IGN);
		execl(self, self, "nohup", (char *)NULL);
	}
	int status;
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
}

static int nohup_main(void)
{
	struct runner *mine;
	struct err why = ERR_INIT;
	if (runner_open(&mine, &why) != RC_OK)
		return 1;
	runner_catch_signals(mine);
	raise(SIGHUP);
	if (runner_stopped())
		return 2;
	raise(SIGTERM);
	if (runner_stopped() != SIGTERM)
		return 3;
	runner_close(mine);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 2 && strcmp(argv[1], "child") == 0)
		child_main(argc, argv);
	if (argc > 1 && strcmp(argv[1], "nohup") == 0)
		return nohup_main();
	if (!realpath("/proc/self/exe", self))
		return 3;
	if (argc == 3 && strcmp(argv[1], "nested") == 0)
		return nested_main(argv[2]);
	const struct CMUnitTest tests[] = {
		RUNNER_TEST(test_daemon_does_not_escape),
		RUNNER_TEST(test_daemon_writes_no_more),
		RUNNER_TEST(test_chain_of_sessions),
		RUNNER_TEST(test_fork_storm),
		RUNNER_TEST(test_nested),
		cmocka_unit_test(test_kill_without_children_files),
		RUNNER_TEST(test_scratch_is_removed_whatever_is_in_it),
		cmocka_unit_test(test_refrain_killed),
		cmocka_unit_test(test_refrain_killed_but_its_child_lives),
		cmocka_unit_test(test_whole_group_killed),
		cmocka_unit_test(test_spawner_killed),
		cmocka_unit_test(test_spawner_killed_while_refrain_is_busy),
		RUNNER_TEST(test_spawner_stopped_then_refrain_closes),
		RUNNER_TEST(test_guardian_killed),
		RUNNER_TEST(test_idle_guardian_killed),
		RUNNER_TEST(test_guardian_stopped),
		cmocka_unit_test(test_first_signal_sets_the_flag_second_ends),
		cmocka_unit_test(test_ignored_signals_stay_ignored),
	};
	return cmocka_run_group_tests_name("runner_torture", tests, NULL, NULL);
}
