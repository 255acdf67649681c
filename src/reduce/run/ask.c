/* SPDX-License-Identifier: MIT */
/* What the engine asks of a session: whether a text was tested before, a test of it, and that each new minimum goes to
 * disk. See engine.h for the contract. */
#include "reduce/run/session.h"

#include "base/invariant.h"
#include "data/clock.h"

#include "stream/keytrace.h"
#include "cli/progress.h"
#include "farm/farm.h"
#include "stream/runlog.h"
#include "process/runner.h"
#include "reduce/syntax/syntax.h"
#include "data/text.h"
#include "reduce/model/complaints.h"
#include "reduce/model/load.h"

#include <regex.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* How often the clock, the keyboard and the display are looked at while tests run. */
#define LOOK_S 0.1
#define LINGER_MOST_S 0.05
/* Queries between two samples in the log. */
enum { SAMPLE_EVERY = 16 };
/* How much of what a test prints is read. */
enum { MAX_SAID = 65536 };

uint64_t session_tokens(const struct session *s)
{
	uint64_t n = 0;
	for (size_t i = 0; i < s->model.n_files; i++)
		n += model_file_tokens(&s->model, i);
	return n;
}

void session_warn_store(struct session *s)
{
	const char *w = s->ledger ? ledger_warning(s->ledger) : NULL;
	if (!w || s->warned)
		return;
	s->warned = true;
	progress_message(s->o->progress, "%s", w);
}

static void show(struct session *s)
{
	if (!s->o->progress || !progress_due(s->o->progress))
		return;
	char name[128];
	const char *path = s->file[0].path;
	text_escape(path, strlen(path), name, sizeof name);
	double wall = clock_seconds() - s->start;
	double share = s->r->bytes_before ? 100.0 * (double)s->min_bytes / (double)s->r->bytes_before : 0;
	char *lines = mem_printf("%s: %llu -> %llu bytes (%.1f %%), %llu tokens\n"
				 "pass %s, %llu queries (%.1f/s), %llu saved by the cache\n"
				 "%u of %u workers busy; tests: %llu useful, %llu merges, %llu wasted\n"
				 "%sCtrl-C keeps the best",
				 name, (unsigned long long)s->r->bytes_before, (unsigned long long)s->min_bytes, share,
				 (unsigned long long)s->model.n, s->pass ? s->pass->name : "-",
				 (unsigned long long)s->r->queries, wall > 0 ? (double)s->r->queries / wall : 0,
				 (unsigned long long)s->engine.hits, s->running, s->asker.jobs,
				 (unsigned long long)s->engine.useful, (unsigned long long)s->engine.merges,
				 (unsigned long long)s->engine.wasted, s->o->key_fd >= 0 ? "s skips this pass, " : "");
	progress_show(s->o->progress, lines);
	free(lines);
}

static void log_sample(struct session *s)
{
	struct json_writer *w = runlog_begin(s->o->log, EVENT_REDUCE_SAMPLE);
	if (!w)
		return;
	struct verdicts_stats c = verdicts_stats(s->engine.cache);
	json_kv_uint(w, "queries", s->r->queries);
	json_kv_uint(w, "hits", s->engine.hits);
	json_kv_uint(w, "cache_bytes", c.bytes);
	json_kv_uint(w, "cache_entries", c.entries);
	json_kv_uint(w, "bytes", s->min_bytes);
	json_kv_uint(w, "tokens", session_tokens(s));
	runlog_end(s->o->log);
}

/* One more query has its verdict, from the test or from the store. */
static void count_verdict(struct session *s)
{
	s->answered++;
	if (s->o->log && s->answered % SAMPLE_EVERY == 0)
		log_sample(s);
	show(s);
}

/* Whether the verdict that just came is to be tested again: the next "yes" from number 8, 16, 32, … on. A "yes" says
 * most: a test that fails at random shows it there, and so does one that succeeds at random. */
static bool to_retest(const struct session *s, bool yes)
{
	return yes && s->answered >= s->next_retest;
}

void session_begin_query(struct session *s)
{
	text_query_clear(&s->next);
	for (size_t i = 0; s->layout.kept && i < s->n_files; i++)
		buf_char(&s->next.texts[s->n_files], s->absent[i] ? '0' : '1');
}

/* Prints the variant and looks its texts up. */
static bool recall(void *user, const struct step *step, bool *interesting)
{
	struct session *s = user;
	s->from_store = false;
	uint64_t stored = s->recall.store_hits;
	session_begin_query(s);
	for (size_t i = 0; i < s->n_files; i++)
		model_print(&s->model, i, step, &s->next.texts[i]);
	s->asked = step;
	if (!recall_find(&s->recall, &s->next, interesting))
		return false;
	if (s->recall.store_hits != stored) {
		s->from_store = true;
		count_verdict(s);
		/* in the run that tested it, it was tested again */
		if (to_retest(s, *interesting))
			s->next_retest *= 2;
	}
	return true;
}

static uint64_t text(void *user)
{
	struct session *s = user;
	return text_query_hash(&s->next);
}

/* ---- what the test prints */

/* Whether it is wanted now. Workers send no output, so with a farm nobody listens: else all tests would run here. */
static bool listens(const struct session *s)
{
	return !s->o->deaf && !s->farm && s->pass && s->pass->flags & PASS_READS;
}

static char *said_name(struct text_query *q)
{
	return session_note_name("said", q);
}

/* Keeps it with the verdict, so that a run that is resumed goes the same way. */
static void keep_said(struct session *s, struct test_slot *t, const struct test_end *end)
{
	buf_clear(&t->said);
	if (!end->output_len || end->answer != ANSWER_NO || !listens(s))
		return;
	buf_add(&t->said, end->output, end->output_len < MAX_SAID ? end->output_len : MAX_SAID);
	if (s->ledger) {
		char *name = said_name(&t->query);
		ledger_note(s->ledger, name, t->said.at, t->said.n);
		free(name);
	}
}

static struct complaints *complaints(void *user, unsigned slot, const struct step *step)
{
	struct session *s = user;
	struct buf said = {0};
	if (s->from_store) {
		char *name = said_name(&s->next);
		ledger_note_get(s->ledger, name, &said);
		free(name);
	} else {
		said = s->slot[slot].said;
		s->slot[slot].said = (struct buf){0};
	}
	struct complaints *c = said.n ? complaints_read(buf_str(&said), said.n) : NULL;
	buf_release(&said);
	if (c) {
		complaints_except(c, s->usual);
		complaints_place(c, &s->model, step);
	}
	return c;
}

/* Starts the tests that wait for a worker. */
static enum rc start_queued(struct session *s, struct err *e)
{
	enum rc rc = RC_OK;
	while (rc == RC_OK && s->queued.n && s->running < s->asker.jobs) {
		unsigned slot = s->queued.at[0];
		memmove(s->queued.at, s->queued.at + 1, --s->queued.n * sizeof *s->queued.at);
		rc = tester_start(s->tester, slot, s->slot[slot].query.texts, listens(s), e);
		s->running += rc == RC_OK;
	}
	return rc;
}

static enum rc ask(void *user, unsigned slot, const struct step *step, enum answer *answer, struct err *e)
{
	struct session *s = user;
	struct test_slot *t = &s->slot[slot];
	INVARIANT(s->asked == step);
	struct text_query asked = s->next;
	s->next = t->query;
	t->query = asked;
	t->retesting = false;
	vec_push(&s->queued, slot);
	enum rc rc = start_queued(s, e);
	if (rc != RC_OK)
		return rc;
	s->r->queries++;
	text_query_key(&t->query); /* while the test runs there is time for this */
	*answer = ANSWER_PENDING;
	return RC_OK;
}

/* Whether a "yes" that is to be tested again counts at once; its second test is put aside until a worker would be
 * idle. Should it not have counted, the last tests show that the result does not hold. */
static bool put_aside(struct session *s, struct test_slot *t)
{
	if (s->aside != ASIDE_FREE)
		return false;
	struct test_slot *to = &s->slot[s->slots];
	struct text_query was = to->query;
	to->query = t->query;
	t->query = was;
	s->aside = ASIDE_WAITS;
	return true;
}

static enum rc start_aside(struct session *s, struct err *e)
{
	if (s->aside != ASIDE_WAITS || s->running >= s->asker.jobs)
		return RC_OK;
	s->aside = ASIDE_RUNS;
	s->running++;
	s->r->retests++;
	return tester_start(s->tester, s->slots, s->slot[s->slots].query.texts, false, e);
}

/* A verdict came: keeps it, and decides whether to ask a second time. */
static enum rc take_verdict(struct session *s, unsigned slot, const struct test_end *end, bool *again, struct err *e)
{
	struct test_slot *t = &s->slot[slot];
	*again = false;
	if (end->answer != ANSWER_NONE)
		recall_note(&s->recall, &t->query, end->answer == ANSWER_YES);
	session_warn_store(s);
	count_verdict(s);
	if (!to_retest(s, end->answer == ANSWER_YES))
		return RC_OK;
	s->next_retest *= 2;
	if (put_aside(s, t))
		return RC_OK;
	*again = true;
	t->retesting = true;
	s->r->retests++;
	return tester_start(s->tester, slot, t->query.texts, false, e);
}

static enum answer take_retest(struct session *s, unsigned slot, const struct test_end *end)
{
	struct test_slot *t = &s->slot[slot];
	t->retesting = false;
	if (end->answer == ANSWER_YES)
		return ANSWER_YES;
	if (!s->r->flaky)
		progress_message(s->o->progress, "the test is flaky: it said yes, then no about the same text (%s)",
				 end->what);
	session_note_flaky(s, 1);
	recall_note(&s->recall, &t->query, false);
	return ANSWER_NO;
}

static enum wait_event interrupted(void *user)
{
	struct session *s = user;
	if (s->asked_to_skip) {
		s->asked_to_skip = false;
		return WAIT_SKIP;
	}
	if (runner_stopped())
		s->r->stopped = "signal";
	else if (s->o->max_time_s > 0 && clock_seconds() - s->start >= s->o->max_time_s)
		s->r->stopped = "max-time";
	else if (s->o->max_queries && s->r->queries >= s->o->max_queries) {
		s->r->stopped = "max-queries";
		return WAIT_ENOUGH;
	}
	return s->r->stopped ? WAIT_STOP : WAIT_NOTHING;
}

static void read_keys(struct session *s)
{
	char keys[32];
	ssize_t n = s->o->key_fd >= 0 ? read(s->o->key_fd, keys, sizeof keys) : 0;
	for (ssize_t i = 0; i < n; i++)
		s->asked_to_skip |= keys[i] == 's';
}

/* As many tests are asked for as there are workers now. */
static void use_workers(struct session *s)
{
	if (!s->farm)
		return;
	s->asker.jobs = tester_room(s->tester, s->o->jobs);
	const char *w = farm_warning(s->farm);
	if (w)
		progress_message(s->o->progress, "%s", w);
}

static double linger(const struct session *s)
{
	double mean = s->answered ? tester_sum_s(s->tester) / (double)s->answered : 0;
	return mean * ENGINE_LINGER < LINGER_MOST_S ? mean * ENGINE_LINGER : LINGER_MOST_S;
}

static enum rc wait_answer(void *user, bool block, enum wait_event *ev, unsigned *slot, enum answer *answer,
			   struct err *e)
{
	struct session *s = user;
	struct test_end end;
	use_workers(s);
	bool look = s->o->progress || s->o->max_time_s > 0;
	enum rc rc = block ? start_aside(s, e) : RC_OK;
	if (rc == RC_OK)
		rc = tester_wait(s->tester, !block ? linger(s) : look ? LOOK_S : -1, slot, &end, e);
	*ev = WAIT_NOTHING;
	if (rc != RC_OK)
		return rc;
	if (*slot == s->slots && s->aside == ASIDE_RUNS) {
		free(end.output);
		(void)take_retest(s, *slot, &end);
		s->aside = ASIDE_FREE;
		s->running--;
		return start_queued(s, e);
	}
	if (*slot >= s->slots) {
		read_keys(s);
		show(s);
		/* --max-queries only keeps new tests from starting: those that run are waited for */
		if (runner_stopped() || (s->o->max_time_s > 0 && clock_seconds() - s->start >= s->o->max_time_s) ||
		    s->asked_to_skip)
			*ev = interrupted(s);
		return RC_OK;
	}
	s->from_store = false;
	bool again = false, first = !s->slot[*slot].retesting;
	if (first)
		keep_said(s, &s->slot[*slot], &end);
	free(end.output);
	if (!first)
		*answer = take_retest(s, *slot, &end);
	else {
		*answer = end.answer;
		rc = take_verdict(s, *slot, &end, &again, e);
	}
	if (!again) {
		*ev = WAIT_ANSWER;
		s->running--;
		if (rc == RC_OK)
			rc = start_queued(s, e);
	}
	return rc;
}

enum rc session_end_aside(struct session *s, enum rc so_far, struct err *e)
{
	enum rc rc = so_far;
	enum wait_event ev = WAIT_NOTHING;
	unsigned slot;
	enum answer ignored;
	while (rc == RC_OK && ev != WAIT_STOP && (s->aside == ASIDE_WAITS || s->aside == ASIDE_RUNS))
		rc = wait_answer(s, true, &ev, &slot, &ignored, e);
	if (s->aside == ASIDE_RUNS) {
		s->r->cancelled++;
		s->running--;
		tester_cancel(s->tester, s->slots);
	}
	s->aside = s->aside == ASIDE_NEVER ? ASIDE_NEVER : ASIDE_FREE;
	return rc;
}

static void cancel(void *user, unsigned slot)
{
	struct session *s = user;
	struct err ignored = ERR_INIT;
	s->r->cancelled++;
	for (size_t i = 0; i < s->queued.n; i++) {
		if (s->queued.at[i] == slot) {
			memmove(s->queued.at + i, s->queued.at + i + 1, (--s->queued.n - i) * sizeof slot);
			return;
		}
	}
	tester_cancel(s->tester, slot);
	s->running--;
	/* should the next one not start, the one after it will say so */
	(void)start_queued(s, &ignored);
}

bool session_stopped(struct session *s)
{
	enum wait_event ev = interrupted(s);
	return ev == WAIT_STOP || ev == WAIT_ENOUGH;
}

enum rc session_minimum(struct session *s, struct err *e)
{
	enum rc rc = RC_OK;
	s->min_bytes = 0;
	session_begin_query(s);
	for (size_t i = 0; i < s->n_files; i++) {
		s->min_bytes += s->texts[i].n;
		buf_add(&s->next.texts[i], buf_str(&s->texts[i]), s->texts[i].n);
	}
	recall_minimum(&s->recall, &s->next);
	if (s->farm)
		farm_minimum(s->farm, s->texts, s->absent);
	/* a resumed run goes through old minima again: the file has a better one already */
	s->minima++;
	session_keep_past(s);
	if (s->best == UINT64_MAX || s->minima > s->best) {
		s->best = UINT64_MAX;
		rc = session_write_minimum(s, e);
		if (s->ledger)
			ledger_note(s->ledger, "best", &s->minima, sizeof s->minima);
	}
	return rc;
}

void session_log_text(struct session *s, struct json_writer *w, const struct buf *text)
{
	enum { LONGEST = 64 << 10, ALL = 8 << 20 };
	if (text->n > LONGEST || s->text_logged + text->n > ALL)
		return;
	s->text_logged += text->n;
	json_key(w, "text");
	json_string_n(w, buf_str(text), text->n);
}

static enum rc minimum(void *user, struct err *e)
{
	struct session *s = user;
	for (size_t i = 0; i < s->n_files; i++) {
		buf_clear(&s->texts[i]);
		model_print_minimum(&s->model, i, &s->texts[i]);
	}
	enum rc rc = session_minimum(s, e);
	struct json_writer *w = runlog_begin(s->o->log, EVENT_REDUCE_MINIMUM);
	if (w) {
		json_kv_uint(w, "queries", s->r->queries);
		json_kv_uint(w, "bytes", s->min_bytes);
		json_kv_uint(w, "tokens", session_tokens(s));
		json_kv_string(w, "pass", s->pass ? s->pass->name : "");
		session_log_text(s, w, &s->texts[0]);
		runlog_end(s->o->log);
	}
	return rc;
}

/* ---- protected tokens */

static enum rc guard_matches(struct session *s, size_t file, const char *pattern, bool *keep, struct err *e)
{
	regex_t re;
	int bad = regcomp(&re, pattern, REG_EXTENDED | REG_NEWLINE);
	if (bad) {
		char why[128];
		regerror(bad, &re, why, sizeof why);
		return err_set(e, RC_INPUT, "--keep '%s': %s", pattern, why);
	}
	const struct base_file *f = &s->model.file[file];
	const struct syntax *x = f->syntax;
	uint32_t t = 0;
	for (size_t at = 0; at <= x->n_text;) {
		regmatch_t m = {.rm_so = (regoff_t)at, .rm_eo = (regoff_t)x->n_text};
		if (regexec(&re, x->text, 1, &m, REG_STARTEND | (at && x->text[at - 1] != '\n' ? REG_NOTBOL : 0)) != 0)
			break;
		while (t < f->n && x->token[t].at + x->token[t].len <= (size_t)m.rm_so)
			t++;
		for (uint32_t i = t; i < f->n && x->token[i].at < (size_t)m.rm_eo; i++)
			keep[f->first + i] = true;
		at = (size_t)m.rm_eo > at ? (size_t)m.rm_eo : at + 1;
	}
	regfree(&re);
	return RC_OK;
}

static void set_guard(struct model *m, const bool *keep)
{
	m->guard = mem_realloc(m->guard, mem_mul((size_t)m->n_tokens + 1, sizeof *m->guard));
	m->guard[0] = 0;
	for (uint32_t i = 0; i < m->n_tokens; i++)
		m->guard[i + 1] = m->guard[i] + keep[i];
}

enum rc session_guard(struct session *s, struct err *e)
{
	const struct strings *patterns = s->o->keep;
	if (!patterns || !patterns->n)
		return RC_OK;
	bool *keep = mem_zalloc(s->model.n_tokens);
	enum rc rc = RC_OK;
	for (size_t p = 0; p < patterns->n && rc == RC_OK; p++)
		for (size_t i = 0; i < s->model.n_files && rc == RC_OK; i++)
			rc = guard_matches(s, i, patterns->at[p], keep, e);
	if (rc == RC_OK)
		set_guard(&s->model, keep);
	free(keep);
	return rc;
}

static enum rc rebase(void *user, struct err *e)
{
	struct session *s = user;
	struct model *m = &s->model;
	uint32_t n = m->n;
	uint32_t *old = mem_dup(m->min, mem_mul(n, sizeof *old));
	bool *keep = m->guard ? mem_zalloc(n) : NULL;
	for (uint32_t i = 0; keep && i < m->n_tokens; i++)
		if (model_has(m, i))
			keep[m->rank[i]] = m->guard[i + 1] != m->guard[i];
	enum rc rc = model_rebase(m, e);
	if (rc == RC_OK) {
		engine_rebased(&s->engine, old, n);
		if (keep && m->n_tokens == n)
			set_guard(m, keep);
		else if (keep)
			rc = session_guard(s, e);
	}
	free(old);
	free(keep);
	return rc;
}

static enum rc regrain(void *user, enum grain to, bool *changed, struct err *e)
{
	struct session *s = user;
	struct model *m = &s->model;
	uint32_t n = m->n;
	uint32_t *old = mem_dup(m->min, mem_mul(n, sizeof *old));
	enum rc rc = model_regrain(m, to, changed, e);
	if (rc == RC_OK && *changed) {
		engine_rebased(&s->engine, old, n);
		rc = session_guard(s, e);
	}
	free(old);
	return rc;
}

/* ---- passes come and go */

static void pass_begins(void *user, const struct pass *p)
{
	struct session *s = user;
	s->pass = p;
	s->pass_queries = s->r->queries;
	s->pass_bytes = s->min_bytes;
	s->pass_start = clock_seconds();
	show(s);
}

static void pass_ended(void *user, const struct pass *p)
{
	struct session *s = user;
	/* it had nothing to do: most have not, in most languages */
	if (s->r->queries == s->pass_queries && s->min_bytes == s->pass_bytes)
		return;
	struct json_writer *w = runlog_begin(s->o->log, EVENT_REDUCE_PASS);
	if (!w)
		return;
	json_kv_string(w, "pass", p->name);
	json_kv_uint(w, "queries", s->r->queries - s->pass_queries);
	json_kv_uint(w, "before", s->pass_bytes);
	json_kv_uint(w, "after", s->min_bytes);
	json_kv_double(w, "seconds", clock_seconds() - s->pass_start);
	runlog_end(s->o->log);
}

/* An error is kept by the writer and returned when it is closed. */
static void write_key(void *user, const struct variant *v)
{
	struct session *s = user;
	uint32_t *symbols = mem_alloc(mem_mul((size_t)v->n + 1, sizeof *symbols));
	variant_symbols(v, symbols);
	(void)keytrace_add(s->o->keys, hash64(symbols, v->n * sizeof *symbols), 0);
	free(symbols);
}

void session_make_asker(struct session *s)
{
	s->asker = (struct asker){
		.user = s,
		.jobs = s->o->jobs,
		.slots = s->slots,
		.recall = recall,
		.text = text,
		.ask = ask,
		.wait = wait_answer,
		.cancel = cancel,
		.complaints = complaints,
		.interrupted = interrupted,
		.minimum = minimum,
		.rebase = rebase,
		/* a user who asks for lines or characters gets these */
		.regrain = s->o->language && !s->o->language->grammar ? NULL : regrain,
		.pass_begins = pass_begins,
		.pass_ended = pass_ended,
		.generated = s->o->keys ? write_key : NULL,
	};
}

enum rc session_test_once(struct session *s, const struct buf *texts, struct test_end *end, struct err *e)
{
	unsigned slot = s->slots;
	enum rc rc = tester_start(s->tester, 0, texts, true, e);
	while (rc == RC_OK && slot != 0) {
		rc = tester_wait(s->tester, LOOK_S, &slot, end, e);
		if (rc == RC_OK && slot != 0 && runner_stopped()) {
			tester_cancel(s->tester, 0);
			return err_set(e, RC_STOPPED, "stopped");
		}
	}
	return rc;
}
