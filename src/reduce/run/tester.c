/* SPDX-License-Identifier: MIT */
/* Tests as jobs of the runner, or of a farm's workers: see tester.h. A cancelled test leaves its slot at once; its job
 * is reaped by a later wait. A slot's test is in one place: here, with the farm, or waiting for either. */
#include "reduce/run/tester.h"

#include "data/clock.h"

#include "base/invariant.h"
#include "farm/farm.h"
#include "process/runner.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#define TIMEOUT_FACTOR 10
#define TIMEOUT_LEAST 10.0 /* seconds */
#define FARM_LOOK_S 0.2    /* how often the farm is looked after when nothing comes from it */

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

enum where { NOWHERE, HERE, AWAY, WAITING };

struct place {
	enum where where;
	struct test *test;       /* HERE */
	const struct buf *texts; /* AWAY and WAITING: the caller's */
};

struct tester {
	struct tester_spec spec;
	double timeout;
	struct place *place;    /* by slot */
	struct spare *spare;    /* by slot */
	bool flat;              /* folders can be used again */
	VEC(struct test *) all; /* jobs not yet returned, cancelled ones too */
	VEC(unsigned) waiting;  /* slots, oldest first */
	unsigned running, here;
	int watch; /* with a farm: tells when it or a key stroke is to be looked at */
	double busy_since, busy, sum;
	char what[64], dir[PATH_MAX];
};

static void watch_fd(int watch, int fd)
{
	struct epoll_event ev = {.events = EPOLLIN, .data.fd = fd};
	if (fd >= 0)
		epoll_ctl(watch, EPOLL_CTL_ADD, fd, &ev);
}

struct tester *tester_new(const struct tester_spec *spec)
{
	struct tester *t = mem_zalloc(sizeof *t);
	t->spec = *spec;
	t->place = mem_zalloc(mem_mul(spec->slots, sizeof *t->place));
	t->spare = mem_zalloc(mem_mul(spec->slots, sizeof *t->spare));
	t->flat = fill_flat(&spec->fill);
	t->watch = spec->key_fd;
	if (spec->farm) {
		t->watch = epoll_create1(EPOLL_CLOEXEC);
		watch_fd(t->watch, spec->key_fd);
		watch_fd(t->watch, farm_fd(spec->farm));
	}
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

unsigned tester_room(const struct tester *t, unsigned here)
{
	unsigned n = here + (t->spec.farm ? farm_room(t->spec.farm) : 0);
	return n < t->spec.slots ? n : t->spec.slots;
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

/* The folder goes, or is kept for the slot's next test. */
static void folder_done(struct tester *t, const struct test *x)
{
	struct spare *s = &t->spare[x->slot];
	if (t->flat && !x->cancelled && !s->usable && fill_clean(&t->spec.fill, x->dir)) {
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

static enum rc start_here(struct tester *t, unsigned slot, const struct buf *texts, bool keep_output, struct err *e)
{
	struct test *x = mem_zalloc(sizeof *x);
	x->slot = slot;
	enum rc rc = folder_get(t, x, e);
	if (rc != RC_OK) {
		free(x);
		return rc;
	}
	rc = fill_folder(&t->spec.fill, x->dir, texts, t->spec.absent, e);
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
	t->place[slot] = (struct place){.where = HERE, .test = x};
	t->here++;
	return RC_OK;
}

static bool start_away(struct tester *t, unsigned slot, const struct buf *texts)
{
	if (!farm_start(t->spec.farm, slot, texts, t->spec.absent))
		return false;
	t->place[slot] = (struct place){.where = AWAY, .texts = texts};
	return true;
}

enum rc tester_start(struct tester *t, unsigned slot, const struct buf *texts, bool keep_output, struct err *e)
{
	enum rc rc = RC_OK;
	INVARIANT(t->place[slot].where == NOWHERE);
	if (!t->spec.farm || keep_output || t->here < t->spec.here)
		rc = start_here(t, slot, texts, keep_output, e);
	else if (!start_away(t, slot, texts)) {
		t->place[slot] = (struct place){.where = WAITING, .texts = texts};
		vec_push(&t->waiting, slot);
	}
	if (rc == RC_OK)
		count_running(t, 1);
	return rc;
}

static void test_drop(struct tester *t, struct test *x)
{
	vec_drop(&t->all, x);
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

/* The slot's test is over. */
static void ended(struct tester *t, unsigned slot, const struct run_result *r, struct test_end *end)
{
	*end = (struct test_end){.wall_s = r->wall_s, .what = t->what, .dir = t->dir};
	end->answer = r->end != RUN_EXITED ? ANSWER_NONE : r->code == 0 ? ANSWER_YES : ANSWER_NO;
	describe(t, r);
	t->sum += r->wall_s;
	t->place[slot] = (struct place){.where = NOWHERE};
	count_running(t, -1);
}

/* ---- tests that run elsewhere */

static void waits_no_more(struct tester *t, unsigned slot)
{
	for (size_t i = 0; i < t->waiting.n; i++)
		if (t->waiting.at[i] == slot) {
			memmove(t->waiting.at + i, t->waiting.at + i + 1, (--t->waiting.n - i) * sizeof slot);
			return;
		}
}

/* Finds a place for those that wait, oldest first. */
static enum rc place_waiting(struct tester *t, struct err *e)
{
	enum rc rc = RC_OK;
	while (rc == RC_OK && t->waiting.n) {
		unsigned slot = t->waiting.at[0];
		const struct buf *texts = t->place[slot].texts;
		if (t->here < t->spec.here) {
			farm_cancel(t->spec.farm, slot);
			rc = start_here(t, slot, texts, false, e);
		} else if (!start_away(t, slot, texts)) {
			break;
		}
		waits_no_more(t, slot);
	}
	return rc;
}

/* What the farm has to tell; *slot is set when a test ended. */
static enum rc hear_farm(struct tester *t, unsigned *slot, struct test_end *end, struct err *e)
{
	enum farm_event ev = FARM_NOTHING;
	unsigned at;
	struct run_result r;
	do {
		ev = farm_poll(t->spec.farm, &at, &r);
		if (ev == FARM_BACK && t->place[at].where == AWAY) {
			t->place[at].where = WAITING;
			vec_push(&t->waiting, at);
		}
	} while (ev == FARM_BACK);
	if (ev == FARM_VERDICT) {
		INVARIANT(t->place[at].where == AWAY || t->place[at].where == WAITING);
		waits_no_more(t, at);
		t->dir[0] = 0;
		ended(t, at, &r, end);
		*slot = at;
	}
	return place_waiting(t, e);
}

/* ---- waiting */

/* A job of the runner is over; *slot is set unless it was cancelled. */
static enum rc take_job(struct tester *t, struct job *job, unsigned *slot, struct test_end *end, struct err *e)
{
	struct test *x = job_user(job);
	const struct run_result *r = job_result(job);
	if (x->cancelled) {
		test_drop(t, x);
		return RC_OK;
	}
	enum rc rc = job_failure(job, e);
	memcpy(t->dir, x->dir, sizeof t->dir);
	*slot = x->slot;
	ended(t, x->slot, r, end);
	t->here--;
	/* a job that could not start has nothing to show: the caller gets the error only */
	if (r->output && rc == RC_OK) {
		end->output = mem_strndup(r->output, r->output_len);
		end->output_len = r->output_len;
	}
	test_drop(t, x);
	return rc;
}

enum rc tester_wait(struct tester *t, double seconds, unsigned *slot, struct test_end *end, struct err *e)
{
	struct job *job = NULL;
	enum rc rc = RC_OK;
	*slot = t->spec.slots;
	if (t->spec.farm) {
		rc = hear_farm(t, slot, end, e);
		if (rc != RC_OK || *slot != t->spec.slots)
			return rc;
		seconds = seconds < 0 || seconds > FARM_LOOK_S ? FARM_LOOK_S : seconds;
	}
	rc = runner_wait_fd(t->spec.runner, seconds, t->watch, &job, e);
	if (rc != RC_OK || !job)
		return rc;
	return take_job(t, job, slot, end, e);
}

void tester_cancel(struct tester *t, unsigned slot)
{
	struct place *p = &t->place[slot];
	if (p->where == NOWHERE)
		return;
	if (p->where == HERE) {
		p->test->cancelled = true;
		job_cancel(p->test->job);
		t->here--;
	} else {
		farm_cancel(t->spec.farm, slot);
		waits_no_more(t, slot);
	}
	p->where = NOWHERE;
	count_running(t, -1);
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
	if (t->spec.farm)
		close(t->watch);
	vec_release_all(&t->all, &t->waiting);
	free(t->place);
	free(t->spare);
	free(t);
}
