/* SPDX-License-Identifier: MIT */
/* Tests as jobs of the runner: see tester.h. A cancelled test leaves its slot at once; its job is reaped by a later
 * wait. */
#include "reduce/run/tester.h"

#include "data/clock.h"

#include "process/runner.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define TIMEOUT_FACTOR 10
#define TIMEOUT_LEAST 10.0 /* seconds */

struct test {
	struct job *job;
	unsigned slot;
	bool cancelled;
	char dir[PATH_MAX];
};

/* A folder that the last test of a slot left as it was given it: only the files are written anew. */
struct spare {
	bool usable;
	char dir[PATH_MAX];
};

struct tester {
	struct tester_spec spec;
	double timeout;
	struct test **slot;
	struct spare *spare;    /* one per slot */
	bool flat;              /* just files, none in a folder of its own: folders can be used again */
	VEC(struct test *) all; /* jobs not yet returned, cancelled ones too */
	unsigned running;
	double busy_since, busy, sum;
	char what[64], dir[PATH_MAX];
};

struct tester *tester_new(const struct tester_spec *spec)
{
	struct tester *t = mem_zalloc(sizeof *t);
	t->spec = *spec;
	t->slot = mem_zalloc(mem_mul(spec->slots, sizeof *t->slot));
	t->spare = mem_zalloc(mem_mul(spec->slots, sizeof *t->spare));
	t->flat = !spec->n_copies;
	for (size_t i = 0; i < spec->n_files; i++)
		t->flat = t->flat && !strchr(spec->names[i], '/');
	return t;
}

void tester_set_timeout(struct tester *t, double seconds)
{
	t->timeout = seconds;
}

double tester_timeout(double asked_s, double first_s)
{
	if (asked_s > 0)
		return asked_s;
	double t = first_s * TIMEOUT_FACTOR;
	return t < TIMEOUT_LEAST ? TIMEOUT_LEAST : t;
}

static void count_running(struct tester *t, int delta)
{
	double now = clock_seconds();
	if (t->running == 0)
		t->busy_since = now;
	t->running = (unsigned)((int)t->running + delta);
	if (t->running == 0)
		t->busy += now - t->busy_since;
}

/* Makes the folders that name's folders stand in. */
static enum rc make_parents(int root, const char *name, struct err *e)
{
	char part[PATH_MAX];
	for (const char *slash = strchr(name, '/'); slash; slash = strchr(slash + 1, '/')) {
		snprintf(part, sizeof part, "%.*s", (int)(slash - name), name);
		if (mkdirat(root, part, 0700) != 0 && errno != EEXIST)
			return err_sys(e, RC_ENV, errno, "cannot make the folder '%s' for the test", part);
	}
	return RC_OK;
}

static enum rc write_file(int root, const char *name, unsigned mode, const struct buf *text, struct err *e)
{
	enum rc rc = make_parents(root, name, e);
	if (rc != RC_OK)
		return rc;
	int fd = openat(root, name, O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return err_sys(e, RC_ENV, errno, "cannot write '%s' for the test", name);
	/* cut after writing: the kernel keeps the pages of the text before */
	if (!write_all(fd, text->at, text->n) || ftruncate(fd, (off_t)text->n) != 0 || fchmod(fd, mode | 0600) != 0)
		rc = err_sys(e, RC_ENV, errno, "cannot write '%s' for the test", name);
	close(fd);
	return rc;
}

static enum rc put_copy(int root, const struct tester_copy *c, struct err *e)
{
	if (!c->link)
		return write_file(root, c->name, c->mode, c->text, e);
	enum rc rc = make_parents(root, c->name, e);
	if (rc == RC_OK && symlinkat(c->link, root, c->name) != 0)
		rc = err_sys(e, RC_ENV, errno, "cannot make the link '%s' for the test", c->name);
	return rc;
}

static enum rc fill_folder(struct tester *t, const char *dir, const struct buf *texts, struct err *e)
{
	int root = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (root < 0)
		return err_sys(e, RC_ENV, errno, "cannot open the scratch folder '%s'", dir);
	enum rc rc = RC_OK;
	for (size_t i = 0; i < t->spec.n_files && rc == RC_OK; i++)
		if (!t->spec.absent || !t->spec.absent[i])
			rc = write_file(root, t->spec.names[i], t->spec.modes[i], &texts[i], e);
	for (size_t i = 0; i < t->spec.n_copies && rc == RC_OK; i++)
		rc = put_copy(root, &t->spec.copy[i], e);
	close(root);
	return rc;
}

/* Whether the test left the folder with just our files in it, none of them replaced or linked elsewhere. */
static bool still_clean(const struct tester *t, const char *dir)
{
	struct stat st;
	size_t found = 0, others = 0;
	DIR *d = lstat(dir, &st) == 0 && S_ISDIR(st.st_mode) && (st.st_mode & 07777) == 0700 ? opendir(dir) : NULL;
	if (!d)
		return false;
	for (struct dirent *x; (x = readdir(d)) && !others;) {
		if (strcmp(x->d_name, ".") == 0 || strcmp(x->d_name, "..") == 0)
			continue;
		bool ours = false;
		for (size_t i = 0; i < t->spec.n_files && !ours; i++)
			ours = strcmp(x->d_name, t->spec.names[i]) == 0 &&
			       fstatat(dirfd(d), x->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0 && S_ISREG(st.st_mode) &&
			       st.st_nlink == 1 && st.st_uid == geteuid() && (st.st_mode & 0600) == 0600;
		ours ? found++ : others++;
	}
	closedir(d);
	return !others && found == t->spec.n_files;
}

/* The folder goes, or is kept for the slot's next test. */
static void folder_done(struct tester *t, const struct test *x)
{
	struct spare *s = &t->spare[x->slot];
	if (t->flat && !x->cancelled && !s->usable && still_clean(t, x->dir)) {
		memcpy(s->dir, x->dir, sizeof s->dir);
		s->usable = true;
	} else {
		runner_scratch_remove(t->spec.runner, x->dir);
	}
}

static enum rc folder_get(struct tester *t, struct test *x, struct err *e)
{
	struct spare *s = &t->spare[x->slot];
	if (!s->usable)
		return runner_scratch(t->spec.runner, x->dir, sizeof x->dir, e);
	memcpy(x->dir, s->dir, sizeof x->dir);
	s->usable = false;
	return RC_OK;
}

enum rc tester_start(struct tester *t, unsigned slot, const struct buf *texts, bool keep_output, struct err *e)
{
	struct test *x = mem_zalloc(sizeof *x);
	x->slot = slot;
	enum rc rc = folder_get(t, x, e);
	if (rc != RC_OK) {
		free(x);
		return rc;
	}
	rc = fill_folder(t, x->dir, texts, e);
	if (rc == RC_OK) {
		struct run_spec spec = {
			.argv = t->spec.argv,
			.dir = x->dir,
			.keep_output = keep_output,
			.user = x,
			.limits = {.wall_s = t->timeout},
		};
		rc = job_start(t->spec.runner, &spec, &x->job, e);
	}
	if (rc != RC_OK) {
		runner_scratch_remove(t->spec.runner, x->dir);
		free(x);
		return rc;
	}
	vec_push(&t->all, x);
	t->slot[slot] = x;
	count_running(t, 1);
	return RC_OK;
}

static void test_drop(struct tester *t, struct test *x)
{
	for (size_t i = 0; i < t->all.n; i++) {
		if (t->all.at[i] == x) {
			t->all.at[i] = vec_last(&t->all);
			t->all.n--;
			break;
		}
	}
	job_free(x->job);
	folder_done(t, x);
	free(x);
}

static void describe(struct tester *t, const struct run_result *r)
{
	if (r->end == RUN_EXITED)
		snprintf(t->what, sizeof t->what, "exit code %d", r->code);
	else if (r->end == RUN_SIGNALLED)
		snprintf(t->what, sizeof t->what, "killed by signal %d", r->code);
	else
		snprintf(t->what, sizeof t->what, "%s", run_end_text(r->end));
}

enum rc tester_wait(struct tester *t, double seconds, unsigned *slot, struct test_end *end, struct err *e)
{
	struct job *job;
	*slot = t->spec.slots;
	enum rc rc = runner_wait_fd(t->spec.runner, seconds, t->spec.key_fd, &job, e);
	if (rc != RC_OK || !job)
		return rc;
	struct test *x = job_user(job);
	const struct run_result *r = job_result(job);
	if (x->cancelled) {
		test_drop(t, x);
		return RC_OK;
	}
	rc = job_failure(job, e);
	memcpy(t->dir, x->dir, sizeof t->dir);
	*end = (struct test_end){.wall_s = r->wall_s, .what = t->what, .dir = t->dir};
	end->answer = r->end != RUN_EXITED ? ANSWER_NONE : r->code == 0 ? ANSWER_YES : ANSWER_NO;
	/* a job that could not start has nothing to show: the caller gets the error only */
	if (r->output && rc == RC_OK) {
		end->output = mem_strndup(r->output, r->output_len);
		end->output_len = r->output_len;
	}
	describe(t, r);
	t->sum += r->wall_s;
	*slot = x->slot;
	t->slot[x->slot] = NULL;
	count_running(t, -1);
	test_drop(t, x);
	return rc;
}

void tester_cancel(struct tester *t, unsigned slot)
{
	struct test *x = t->slot[slot];
	if (!x)
		return;
	t->slot[slot] = NULL;
	x->cancelled = true;
	count_running(t, -1);
	job_cancel(x->job);
}

double tester_busy_s(const struct tester *t)
{
	return t->busy + (t->running ? clock_seconds() - t->busy_since : 0);
}

double tester_sum_s(const struct tester *t)
{
	return t->sum;
}

void tester_free(struct tester *t)
{
	if (!t)
		return;
	while (t->all.n)
		test_drop(t, vec_last(&t->all));
	for (unsigned i = 0; i < t->spec.slots; i++)
		if (t->spare[i].usable)
			runner_scratch_remove(t->spec.runner, t->spare[i].dir);
	vec_release(&t->all);
	free(t->slot);
	free(t->spare);
	free(t);
}
