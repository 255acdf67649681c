/* SPDX-License-Identifier: MIT */
/* The runs that a worker serves and their tests: see serve.h. A test is started at most once for a number; what was
 * answered is remembered, and an entry that the server hands over again is answered from memory. */
#include "farm/serve.h"

#include "data/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

void worker_say(struct worker *w, const struct served *r, const char *fmt, ...)
{
	char text[1024];
	va_list ap;
	int n = r ? snprintf(text, sizeof text, "run %s: ", r->run) : 0;
	va_start(ap, fmt);
	vsnprintf(text + n, sizeof text - (size_t)n, fmt, ap);
	va_end(ap);
	w->spec->say(w->spec->user, text);
}

/* ---- runs */

struct served *served_find(struct worker *w, const char *run)
{
	for (size_t i = 0; i < w->runs.n; i++)
		if (strcmp(w->runs.at[i]->run, run) == 0 && !w->runs.at[i]->over)
			return w->runs.at[i];
	return NULL;
}

struct served *served_add(struct worker *w, const char *run)
{
	if (served_find(w, run))
		return NULL;
	struct served *r = mem_zalloc(sizeof *r);
	snprintf(r->run, sizeof r->run, "%s", run);
	snprintf(r->tasks, sizeof r->tasks, KEY_TASKS "%s", run);
	snprintf(r->verdicts, sizeof r->verdicts, KEY_VERDICTS "%s", run);
	snprintf(r->record_key, sizeof r->record_key, KEY_RUN "%s", run);
	snprintf(r->channel, sizeof r->channel, KEY_NOTICES "%s", run);
	r->state = SERVED_NOT;
	r->here = true;
	vec_push(&w->runs, r);
	return r;
}

void served_hello(struct worker *w, struct served *r, enum answer_kind kind)
{
	struct answer_message a = {.kind = kind, .slots = w->spec->slots, .time = (int64_t)time(NULL)};
	memcpy(a.worker, w->name, sizeof a.worker);
	vec_push(&w->unsent, ((struct unsent){r, a}));
	r->hello_at = clock_seconds() + HELLO_S;
}

void served_refuse(struct worker *w, struct served *r, const char *why)
{
	if (r->state == SERVED_READY)
		served_hello(w, r, ANSWER_BYE);
	r->state = SERVED_NOT;
	w->counts->refused++;
	worker_say(w, r, "not served: %s", why);
}

static void served_free(struct worker *w, struct served *r)
{
	for (size_t i = 0; i < r->spare.n; i++) {
		runner_scratch_remove(w->spec->runner, r->spare.at[i]);
		free(r->spare.at[i]);
	}
	if (r->dir[0])
		runner_scratch_remove(w->spec->runner, r->dir);
	for (size_t i = 0; i < r->n_bases; i++)
		texts_release(&r->base[i].texts);
	if (!r->bundle.command)
		free(r->argv[0]);
	bundle_release(&r->bundle);
	vec_release_all(&r->spare, &r->done);
	free(r);
}

void served_over(struct worker *w, struct served *r)
{
	r->over = true;
	for (size_t i = 0; i < w->works.n; i++)
		if (w->works.at[i]->run == r && !w->works.at[i]->cancelled) {
			w->works.at[i]->cancelled = true;
			job_cancel(w->works.at[i]->job);
		}
	for (size_t i = w->unsent.n; i-- > 0;)
		if (w->unsent.at[i].run == r) {
			memmove(w->unsent.at + i, w->unsent.at + i + 1, (--w->unsent.n - i) * sizeof *w->unsent.at);
		}
}

void served_sweep(struct worker *w)
{
	for (size_t i = w->runs.n; i-- > 0;)
		if (w->runs.at[i]->over && !w->runs.at[i]->running) {
			served_free(w, w->runs.at[i]);
			vec_remove(&w->runs, i);
		}
}

void served_release_all(struct worker *w)
{
	for (size_t i = 0; i < w->runs.n; i++)
		served_free(w, w->runs.at[i]);
	vec_release(&w->runs);
}

/* ---- bases */

const struct base *served_base(const struct served *r, uint64_t generation)
{
	for (size_t i = 0; i < r->n_bases; i++)
		if (r->base[i].generation == generation)
			return &r->base[i];
	return NULL;
}

static void take_base(struct served *r, uint64_t generation, struct texts *texts)
{
	if (r->n_bases == MOST_BASES)
		texts_release(&r->base[--r->n_bases].texts);
	size_t at = 0;
	while (at < r->n_bases && r->base[at].generation > generation)
		at++;
	memmove(r->base + at + 1, r->base + at, (r->n_bases - at) * sizeof *r->base);
	r->base[at] = (struct base){generation, *texts};
	r->n_bases++;
	*texts = (struct texts){0};
}

enum rc served_add_base(struct served *r, uint64_t generation, const struct buf *whole, struct err *e)
{
	struct texts t;
	texts_init(&t, r->bundle.fill.n_files);
	enum rc rc = texts_read(&t, buf_str(whole), whole->n, FARM_LARGEST, e);
	if (rc == RC_OK)
		take_base(r, generation, &t);
	texts_release(&t);
	return rc;
}

void served_new_base(struct served *r, const struct notice *x)
{
	if (!r->n_bases || !x->delta_len || x->base.generation != r->base[0].generation + 1)
		return;
	struct texts t;
	struct buf whole = {0};
	texts_init(&t, r->bundle.fill.n_files);
	if (delta_read(&t, &r->base[0].texts, x->delta, x->delta_len, FARM_LARGEST, NULL) == RC_OK) {
		texts_write(&whole, &t);
		struct digest256 d = digest_sha256(whole.at, whole.n);
		if (memcmp(d.byte, x->base.digest.byte, sizeof d.byte) == 0)
			take_base(r, x->base.generation, &t);
	}
	buf_release(&whole);
	texts_release(&t);
}

/* ---- tests */

/* A folder for a test with the texts in it. */
static enum rc make_folder(struct worker *w, struct served *r, struct work *x, const struct texts *t, struct err *e)
{
	enum rc rc = RC_OK;
	if (r->spare.n) {
		char *dir = vec_pop(&r->spare);
		snprintf(x->dir, sizeof x->dir, "%s", dir);
		free(dir);
	} else {
		rc = runner_scratch(w->spec->runner, x->dir, sizeof x->dir, e);
	}
	if (rc == RC_OK) {
		rc = fill_folder(&r->bundle.fill, x->dir, t->text, t->absent, e);
		if (rc != RC_OK)
			runner_scratch_remove(w->spec->runner, x->dir);
	}
	return rc;
}

double served_renewal(const struct served *r)
{
	return (double)r->record.lease_ms / 2000;
}

static enum rc start(struct worker *w, struct served *r, uint64_t number, const struct texts *t, struct err *e)
{
	struct work *x = mem_zalloc(sizeof *x);
	x->run = r;
	x->number = number;
	x->renew_at = clock_seconds() + served_renewal(r);
	enum rc rc = make_folder(w, r, x, t, e);
	if (rc == RC_OK) {
		struct run_spec spec = {
			.argv = (const char *const *)r->argv,
			.dir = x->dir,
			.user = x,
			.limits = {.wall_s = (double)r->record.timeout_ms / 1000},
		};
		rc = job_start(w->spec->runner, &spec, &x->job, e);
		if (rc != RC_OK)
			runner_scratch_remove(w->spec->runner, x->dir);
	}
	if (rc != RC_OK) {
		free(x);
		return rc;
	}
	r->running++;
	vec_push(&w->works, x);
	return RC_OK;
}

static enum rc put_program(struct worker *w, struct served *r, struct err *e)
{
	if (r->bundle.command) {
		r->argv[0] = "/bin/sh";
		r->argv[1] = "-c";
		r->argv[2] = r->bundle.command;
		return RC_OK;
	}
	enum rc rc = runner_scratch(w->spec->runner, r->dir, sizeof r->dir, e);
	if (rc != RC_OK)
		return rc;
	static const char *const name[] = {"test"};
	static const unsigned mode[] = {0700};
	const struct fill fill = {.names = name, .modes = mode, .n_files = 1};
	rc = fill_folder(&fill, r->dir, &r->bundle.program, NULL, e);
	r->argv[0] = mem_printf("%s/test", r->dir);
	return rc;
}

enum rc served_begin(struct worker *w, struct served *r, const struct buf *bundle, const struct buf *base,
		     struct err *e)
{
	enum rc rc = bundle_read(&r->bundle, buf_str(bundle), bundle->n, e);
	if (rc == RC_OK)
		rc = served_add_base(r, r->record.base[0].generation, base, e);
	if (rc == RC_OK)
		rc = put_program(w, r, e);
	if (rc != RC_OK)
		return rc;
	r->flat = fill_flat(&r->bundle.fill);
	r->state = SERVED_TRYING;
	w->counts->runs++;
	return start(w, r, 0, &r->base[0].texts, e);
}

static void answer(struct worker *w, struct served *r, uint64_t number, const struct run_result *result, bool keep)
{
	struct answer_message a = {.kind = ANSWER_VERDICT, .number = number, .result = *result};
	a.result.output = NULL;
	a.result.output_len = 0;
	memcpy(a.worker, w->name, sizeof a.worker);
	vec_push(&w->unsent, ((struct unsent){r, a}));
	if (!keep)
		return;
	if (r->done.n < MOST_DONE)
		vec_push(&r->done, a);
	else
		r->done.at[r->done_at++ % MOST_DONE] = a;
}

void served_give_back(struct worker *w, struct served *r, uint64_t number)
{
	struct run_result none = {.end = RUN_CANCELLED};
	answer(w, r, number, &none, false);
}

static const struct answer_message *answered(const struct served *r, uint64_t number)
{
	for (size_t i = 0; i < r->done.n; i++)
		if (r->done.at[i].number == number)
			return &r->done.at[i];
	return NULL;
}

/* Whether a number is from before what is remembered. */
static bool too_old(const struct served *r, uint64_t number)
{
	uint64_t oldest = UINT64_MAX;
	for (size_t i = 0; r->done.n == MOST_DONE && i < r->done.n; i++)
		if (r->done.at[i].number < oldest)
			oldest = r->done.at[i].number;
	return oldest != UINT64_MAX && number < oldest;
}

static bool not_wanted(const struct served *r, uint64_t number)
{
	for (size_t i = 0; i < MOST_GONE; i++)
		if (r->gone[i] == number)
			return true;
	return false;
}

static bool runs_now(const struct worker *w, const struct served *r, uint64_t number)
{
	for (size_t i = 0; i < w->works.n; i++)
		if (w->works.at[i]->run == r && w->works.at[i]->number == number)
			return true;
	return false;
}

static bool refuse(struct worker *w, struct served *r, uint64_t number, const char *why)
{
	w->counts->refused++;
	worker_say(w, r, "test %llu was refused: %s", (unsigned long long)number, why);
	return false;
}

bool served_task(struct worker *w, struct served *r, uint64_t number, const void *bytes, size_t n, bool claimed,
		 bool *want_base)
{
	struct task t;
	struct err why = ERR_INIT;
	*want_base = false;
	if (task_check(&t, bytes, n, r->record.born, &w->key, r->run, number, (int64_t)time(NULL), &why) != RC_OK)
		return refuse(w, r, number, why.text);
	const struct answer_message *a = answered(r, number);
	if (a && claimed) {
		vec_push(&w->unsent, ((struct unsent){r, *a}));
		return true;
	}
	if (a || too_old(r, number) || (!claimed && runs_now(w, r, number)))
		return refuse(w, r, number, "it came before");
	if (runs_now(w, r, number) || not_wanted(r, number))
		return true;
	const struct base *base = served_base(r, t.generation);
	if (!base) {
		*want_base = true;
		return true;
	}
	struct texts texts;
	texts_init(&texts, base->texts.n);
	enum rc rc = delta_read(&texts, &base->texts, t.delta, t.delta_len, FARM_LARGEST, &why);
	bool fine = rc == RC_OK;
	if (fine && start(w, r, number, &texts, &why) != RC_OK) {
		worker_say(w, r, "%s", why.text);
		served_give_back(w, r, number);
	}
	texts_release(&texts);
	return fine ? true : refuse(w, r, number, why.text);
}

void served_cancel(struct worker *w, struct served *r, uint64_t number)
{
	r->gone[r->gone_at++ % MOST_GONE] = number;
	for (size_t i = 0; i < w->works.n; i++) {
		struct work *x = w->works.at[i];
		if (x->run == r && number && x->number == number && !x->cancelled) {
			x->cancelled = true;
			w->counts->cancelled++;
			job_cancel(x->job);
		}
	}
}

/* ---- the end of a test */

static void folder_done(struct worker *w, struct work *x)
{
	struct served *r = x->run;
	if (r->flat && !x->cancelled && !r->over && r->spare.n < w->spec->slots && fill_clean(&r->bundle.fill, x->dir))
		vec_push(&r->spare, mem_strdup(x->dir));
	else
		runner_scratch_remove(w->spec->runner, x->dir);
}

/* The test of the text that the run starts from. */
static void tried(struct worker *w, struct served *r, const struct run_result *result, const char *problem)
{
	char why[256];
	if (result->end == RUN_EXITED && result->code == 0) {
		r->state = SERVED_READY;
		r->hello_at = 0;
		return;
	}
	if (problem[0])
		snprintf(why, sizeof why, "%.200s", problem);
	else if (result->end == RUN_EXITED)
		snprintf(why, sizeof why, "its test exits with %d here, where it should say \"interesting\"",
			 result->code);
	else
		snprintf(why, sizeof why, "its test %s here, where it should say \"interesting\"",
			 run_end_text(result->end));
	served_refuse(w, r, why);
}

void served_job(struct worker *w, struct job *job)
{
	struct work *x = job_user(job);
	struct served *r = x->run;
	struct run_result result = *job_result(job);
	struct err why = ERR_INIT;
	enum rc rc = job_failure(job, &why);
	vec_drop(&w->works, x);
	if (x->cancelled || r->over) {
		x->cancelled = true;
	} else if (!x->number) {
		tried(w, r, &result, why.text);
	} else if (rc != RC_OK) {
		/* never a verdict; and the next one would not start either */
		served_give_back(w, r, x->number);
		served_refuse(w, r, why.text);
	} else {
		w->counts->tests++;
		answer(w, r, x->number, &result, true);
	}
	folder_done(w, x);
	job_free(job);
	r->running--;
	free(x);
}

void served_stop(struct worker *w)
{
	for (size_t i = 0; i < w->works.n; i++) {
		struct work *x = w->works.at[i];
		if (!x->cancelled && x->number)
			served_give_back(w, x->run, x->number);
		x->cancelled = true;
		job_cancel(x->job);
	}
	while (w->works.n) {
		struct job *job = w->works.at[0]->job;
		struct err ignored = ERR_INIT;
		if (runner_wait(w->spec->runner, 1, &job, &ignored) != RC_OK)
			return;
		if (job)
			served_job(w, job);
	}
}
