/* SPDX-License-Identifier: MIT */
/* A run of the reducer from files to result: see reduce.h.
 *
 * Resuming. With one job the run is replayed from its input: queries come in the same order, the store answers
 * those that were tested before, and the run continues where it was killed, with the same result. With more jobs the
 * order is not repeatable, so the run starts from the minimum on disk. */
#include "reduce/run/session.h"

#include "data/clock.h"

#include "cli/progress.h"
#include "farm/farm.h"
#include "stream/runlog.h"
#include "process/runner.h"
#include "reduce/syntax/syntax.h"
#include "reduce/model/complaints.h"
#include "reduce/model/load.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { FIRST_RETEST = 8, MOST_AWAY = 1024 /* tests with workers at the same time */ };

static void session_init(struct session *s, const struct reduce_options *o, struct reduce_result *r)
{
	*s = (struct session){.o = o, .r = r, .best = UINT64_MAX, .next_retest = FIRST_RETEST};
	*r = (struct reduce_result){0};
	s->start = clock_seconds();
	s->slots = o->deterministic && o->jobs > 1 ? 2 * o->jobs : o->jobs;
	if (o->workers)
		s->slots += MOST_AWAY;
	s->aside = o->jobs > 1 && !o->workers && !o->deterministic ? ASIDE_FREE : ASIDE_NEVER;
	s->slot = mem_zalloc(mem_mul((size_t)s->slots + 1, sizeof *s->slot));
	s->recall.off = o->cache == &verdicts_none;
}

static void session_release(struct session *s)
{
	tester_free(s->tester);
	farm_close(s->farm);
	verdicts_free(s->engine.cache);
	model_unload(&s->model);
	for (unsigned i = 0; i <= s->slots; i++)
		text_query_release(&s->slot[i].query), buf_release(&s->slot[i].said);
	complaints_free(s->usual);
	text_query_release(&s->next);
	for (size_t k = 0; s->texts && k < s->n_files; k++)
		buf_release(&s->texts[k]);
	free(s->slot);
	vec_release(&s->queued);
	recall_release(&s->recall);
	free(s->texts);
	session_release_past(s);
	session_release_files(s);
}

/* Room for what there is one of per file. */
static void make_room(struct session *s)
{
	/* with a layout, which files there are is part of every question */
	size_t n = s->n_files + s->layout.kept;
	s->texts = mem_zalloc(mem_mul(s->n_files, sizeof *s->texts));
	text_query_init(&s->next, n);
	for (unsigned i = 0; i <= s->slots; i++)
		text_query_init(&s->slot[i].query, n);
}

static enum rc open_farm(struct session *s, const struct fill *fill, struct err *e)
{
	if (!s->o->workers)
		return RC_OK;
	struct farm_spec spec = {
		.uri = s->o->workers,
		.key_file = s->o->key_file,
		.test = s->test_path,
		.command = s->o->command,
		.fill = fill,
		.slots = s->slots,
	};
	return farm_open(&s->farm, &spec, e);
}

static enum rc session_open(struct session *s, struct err *e)
{
	enum rc rc = session_list_files(s, e);
	if (rc != RC_OK)
		return rc;
	make_room(s);
	rc = session_read_files(s, e);
	if (rc == RC_OK)
		rc = session_find_test(s, e);
	if (rc != RC_OK)
		return rc;
	struct tester_spec spec = {
		.runner = s->o->runner,
		.argv = (const char *const *)s->argv,
		.fill = {s->names, s->modes, s->n_files, s->copy, s->n_copies},
		.absent = s->absent,
		.slots = s->slots + (s->aside != ASIDE_NEVER),
		.key_fd = s->o->key_fd,
		.here = s->o->jobs,
	};
	rc = open_farm(s, &spec.fill, e);
	if (rc != RC_OK)
		return rc;
	spec.farm = s->farm;
	s->tester = tester_new(&spec);
	return RC_OK;
}

/* ---- the store */

static enum rc open_ledger(struct session *s, struct err *e)
{
	if (s->o->store && strcmp(s->o->store, "none") == 0)
		return s->o->resume ? err_set(e, RC_INPUT, "--resume needs a store") : RC_OK;
	const char *first = s->o->out ? s->o->out : s->o->files[0];
	size_t n = strlen(first);
	while (n > 1 && first[n - 1] == '/')
		n--;
	char *path = mem_printf("%.*s.refrain", (int)n, first);
	struct ledger_spec spec = {
		.uri = s->o->store ? s->o->store : path,
		.run = s->file[0].target,
		.scope = s->scope,
		.resume = s->o->resume,
		.private = !s->o->store,
	};
	enum rc rc = ledger_open(&s->ledger, &spec, e);
	s->recall.ledger = s->ledger;
	free(path);
	return rc;
}

static char *input_name(size_t i)
{
	return mem_printf("input%zu", i);
}

static void note_run(struct session *s)
{
	for (size_t i = 0; i < s->n_files && s->ledger; i++) {
		char *name = input_name(i);
		ledger_note(s->ledger, name, buf_str(&s->file[i].text), s->file[i].text.n);
		free(name);
	}
	if (s->ledger)
		ledger_note(s->ledger, "first", &s->first_s, sizeof s->first_s);
	session_note_flaky(s, 0);
}

void session_note_flaky(struct session *s, uint64_t n)
{
	s->r->flaky += n;
	if (s->ledger)
		ledger_note(s->ledger, "flaky", &s->r->flaky, sizeof s->r->flaky);
}

char *session_note_name(const char *kind, struct text_query *q)
{
	char hex[2 * sizeof q->key + 1];
	digest_hex((const unsigned char *)text_query_key(q), sizeof q->key, hex);
	return mem_printf("%s-%s", kind, hex);
}

/* Takes over what an earlier run noted: its input, the duration of its first test, other answers, its best. */
static enum rc take_notes(struct session *s, struct err *e)
{
	for (size_t i = 0; i < s->n_files; i++) {
		struct session_file *f = &s->file[i];
		char *name = input_name(i);
		f->on_disk = f->text;
		f->text = (struct buf){0};
		bool found = ledger_note_get(s->ledger, name, &f->text);
		free(name);
		if (s->o->out) {
			/* the minimum is in the other file, if there is one yet */
			buf_clear(&f->on_disk);
			f->missing = access(f->target, F_OK) != 0;
			if (!f->missing && buf_read_file(&f->on_disk, f->target, SYNTAX_MAX_BYTES, e) != RC_OK)
				return e ? e->rc : RC_ENV;
		}
		if (!found) /* it was stopped before its first verdict: start from the file as it is */
			buf_add(&f->text, buf_str(&f->on_disk), f->on_disk.n);
		unlink(f->temp);
	}
	struct buf note = {0};
	if (ledger_note_get(s->ledger, "first", &note) && note.n == sizeof s->first_s)
		memcpy(&s->first_s, note.at, sizeof s->first_s);
	buf_clear(&note);
	if (ledger_note_get(s->ledger, "flaky", &note) && note.n == sizeof s->r->flaky)
		memcpy(&s->r->flaky, note.at, sizeof s->r->flaky);
	buf_clear(&note);
	if (ledger_note_get(s->ledger, "best", &note) && note.n == sizeof s->best)
		memcpy(&s->best, note.at, sizeof s->best);
	buf_release(&note);
	return RC_OK;
}

/* ---- the program */

static enum rc load_texts(struct session *s, const struct buf *texts, struct err *e)
{
	struct source *src = mem_zalloc(mem_mul(s->n_files, sizeof *src));
	for (size_t i = 0; i < s->n_files; i++) {
		const struct session_file *f = &s->file[i];
		const struct buf *text = texts ? &texts[i] : &f->text;
		src[i] = (struct source){f->name, buf_str(text), text->n, f->language};
		snprintf(s->r->language, sizeof s->r->language, "%s", f->language->name);
	}
	enum rc rc = model_load(&s->model, src, s->n_files, e);
	free(src);
	return rc;
}

/* Loads what the run starts from. */
static enum rc load_input(struct session *s, struct err *e)
{
	bool again = false;
	for (size_t i = 0; i < s->n_files; i++) {
		struct session_file *f = &s->file[i];
		f->language = s->o->language ? s->o->language : language_likely(f->name, buf_str(&f->text), f->text.n);
	}
	enum rc rc = load_texts(s, NULL, e);
	for (size_t i = 0; i < s->n_files && rc == RC_OK && !s->o->language; i++)
		if (language_misfits(s->file[i].name, s->model.file[i].syntax)) {
			s->file[i].language = &languages[LANG_LINES];
			again = true;
		}
	if (!again)
		return rc;
	model_unload(&s->model);
	return load_texts(s, NULL, e);
}

/* Loads the texts (NULL: those the run starts from, first of all). */
static enum rc load(struct session *s, const struct buf *texts, struct err *e)
{
	enum rc rc = texts ? load_texts(s, texts, e) : load_input(s, e);
	return rc == RC_OK ? session_guard(s, e) : rc;
}

/* Several jobs and an earlier run: goes on from the minimum on disk, if that is one. */
static enum rc load_disk(struct session *s, struct err *e)
{
	for (size_t i = 0; i < s->n_files; i++)
		s->absent[i] = s->file[i].missing;
	session_begin_query(s);
	for (size_t i = 0; i < s->n_files; i++)
		buf_add(&s->next.texts[i], buf_str(&s->file[i].on_disk), s->file[i].on_disk.n);
	bool interesting = false, known = ledger_get(s->ledger, text_query_key(&s->next), &interesting);
	if (!known || !interesting) {
		memset(s->absent, 0, s->n_files);
		return RC_OK;
	}
	model_unload(&s->model);
	s->minima = s->best; /* those to come are later */
	s->best = UINT64_MAX;
	/* verdicts that were tested again before are not tested a third time */
	s->answered = ledger_count(s->ledger);
	while (s->next_retest <= s->answered)
		s->next_retest *= 2;
	s->min_bytes = 0;
	for (size_t i = 0; i < s->n_files; i++)
		s->min_bytes += s->file[i].on_disk.n;
	struct buf *disk = mem_zalloc(mem_mul(s->n_files, sizeof *disk));
	for (size_t i = 0; i < s->n_files; i++)
		disk[i] = s->file[i].on_disk;
	enum rc rc = load(s, disk, e);
	free(disk);
	return rc;
}

static void print_minimum(struct session *s)
{
	for (size_t i = 0; i < s->n_files; i++) {
		buf_clear(&s->texts[i]);
		model_print_minimum(&s->model, i, &s->texts[i]);
	}
}

static enum rc load_start(struct session *s, struct err *e)
{
	enum rc rc = load(s, NULL, e);
	if (rc != RC_OK)
		return rc;
	for (size_t i = 0; i < s->n_files; i++)
		s->r->bytes_before += s->file[i].text.n;
	s->r->tokens_before = session_tokens(s);
	s->r->bytes_after = s->r->bytes_before;
	s->r->tokens_after = s->r->tokens_before;
	s->min_bytes = s->r->bytes_before;
	for (size_t i = 0; i < s->n_files; i++)
		buf_add(&s->texts[i], buf_str(&s->file[i].text), s->file[i].text.n);
	session_keep_past(s);
	if (!s->resumed || s->o->jobs == 1 || s->best == UINT64_MAX)
		return RC_OK;
	return load_disk(s, e);
}

/* ---- first and last test */

static void keep_output(struct session *s, struct test_end *end)
{
	free(s->r->output);
	s->r->output = end->output;
	s->r->output_len = end->output_len;
	snprintf(s->r->what, sizeof s->r->what, "%s", end->what);
}

static enum rc first_test(struct session *s, struct err *e)
{
	struct test_end end;
	session_begin_query(s);
	for (size_t i = 0; i < s->n_files; i++)
		buf_add(&s->next.texts[i], buf_str(&s->file[i].text), s->file[i].text.n);
	tester_set_timeout(s->tester, s->o->timeout_s);
	enum rc rc = session_test_once(s, s->next.texts, &end, e);
	if (rc != RC_OK)
		return rc;
	s->r->queries++;
	s->r->useful++;
	s->answered++;
	s->first_s = end.wall_s;
	keep_output(s, &end);
	s->r->how = session_by_hand(s);
	s->r->where = session_where(s, end.dir);
	if (end.answer != ANSWER_YES)
		return RC_NO;
	note_run(s);
	if (s->r->output_len && !s->o->deaf)
		s->usual = complaints_read(s->r->output, s->r->output_len);
	recall_note(&s->recall, &s->next, true);
	recall_minimum(&s->recall, &s->next);
	return RC_OK;
}

/* ---- the run */

void reduce_result_json(const struct reduce_result *r, struct json_writer *w)
{
	json_kv_bool(w, "complete", r->complete);
	json_kv_uint(w, "bytes_before", r->bytes_before);
	json_kv_uint(w, "bytes_after", r->bytes_after);
	json_kv_uint(w, "tokens_before", r->tokens_before);
	json_kv_uint(w, "tokens_after", r->tokens_after);
	json_kv_uint(w, "queries", r->queries);
	json_kv_uint(w, "retests", r->retests);
	json_kv_uint(w, "cancelled", r->cancelled);
	json_kv_uint(w, "useful", r->useful);
	json_kv_uint(w, "merged", r->merged);
	json_kv_uint(w, "wasted", r->wasted);
	json_kv_uint(w, "cache_hits", r->cache_hits);
	json_kv_uint(w, "cache_peak_bytes", r->cache.peak_bytes);
	json_kv_uint(w, "cache_avg_bytes", (uint64_t)r->cache.avg_bytes);
	json_kv_uint(w, "cache_peak_entries", r->cache.peak_entries);
	json_kv_double(w, "wall_s", r->wall_s);
	json_kv_double(w, "test_s", r->test_s);
	json_kv_double(w, "engine_s", r->engine_s);
}

static void log_end(struct session *s)
{
	const struct reduce_result *r = s->r;
	struct json_writer *w = runlog_begin(s->o->log, EVENT_REDUCE_END);
	if (!w)
		return;
	json_kv_string(w, "file", s->file[0].path);
	json_kv_string(w, "algorithm", s->o->algorithm->name);
	json_kv_string(w, "cache", s->o->cache->name);
	json_kv_string(w, "language", r->language);
	reduce_result_json(r, w);
	runlog_end(s->o->log);
}

static void log_start(struct session *s)
{
	struct json_writer *w = runlog_begin(s->o->log, EVENT_REDUCE_START);
	if (!w)
		return;
	json_kv_string(w, "file", s->file[0].path);
	json_kv_string(w, "language", s->r->language);
	session_log_text(s, w, &s->file[0].text);
	runlog_end(s->o->log);
}

/* Files first: what goes whole need not be reduced. */
static enum rc drop_files(struct session *s, bool only_empty, struct err *e)
{
	bool changed = false;
	if (!s->layout.kept || s->n_files < 2)
		return RC_OK;
	print_minimum(s);
	enum rc rc = session_drop_files(s, only_empty, &changed, e);
	if (rc == RC_OK && changed) {
		model_unload(&s->model);
		rc = load(s, s->texts, e);
	}
	return rc;
}

static enum rc run_engine(struct session *s, struct err *e)
{
	s->engine = (struct engine){.model = &s->model, .asker = &s->asker, .in_order = s->o->deterministic};
	s->engine.cache = verdicts_new(s->o->cache, s->model.symbols, s->model.min, s->model.n, false);
	session_make_asker(s);
	if (s->farm) {
		print_minimum(s);
		farm_begin(s->farm, s->texts, s->absent, tester_timeout(s->o->timeout_s, s->first_s));
	}
	return session_end_aside(s, engine_run(&s->engine, s->o->algorithm, s->o->skip, e), e);
}

static void count_result(struct session *s)
{
	struct reduce_result *r = s->r;
	r->bytes_after = r->files_after = 0;
	for (size_t i = 0; i < s->n_files; i++) {
		r->bytes_after += s->texts[i].n;
		r->files_after += !s->absent[i];
	}
	r->tokens_after = session_tokens(s);
}

/* Prints the minimum to s->texts and fills in what is known at the end. */
static void summarize(struct session *s)
{
	struct reduce_result *r = s->r;
	print_minimum(s);
	count_result(s);
	r->files_before = s->n_files;
	r->cache_hits = s->engine.hits + s->recall.hits;
	r->useful += s->engine.useful;
	r->merged = s->engine.merges;
	r->wasted = s->engine.wasted;
	r->store_hits = s->recall.store_hits;
	r->cache = verdicts_stats(s->engine.cache);
	r->complete = !s->engine.stopped;
}

static void measure(struct session *s)
{
	s->r->wall_s = clock_seconds() - s->start;
	s->r->test_s = tester_sum_s(s->tester);
	s->r->engine_s = s->r->wall_s - tester_busy_s(s->tester);
}

static enum rc last_tests(struct session *s, struct err *e)
{
	enum rc rc = runner_stopped() ? RC_OK : session_final(s, e);
	/* where a signal ended the tests, --resume makes them */
	if (s->r->final_failed || (s->r->stopped && strcmp(s->r->stopped, "signal") == 0))
		s->r->complete = false;
	if (rc != RC_OK || !s->r->went_back)
		return rc;
	rc = session_write_minimum(s, e);
	model_unload(&s->model);
	if (rc == RC_OK)
		rc = load(s, s->texts, e);
	if (rc == RC_OK)
		count_result(s);
	return rc;
}

static enum rc run(struct session *s, struct err *e)
{
	s->resumed = s->o->resume && ledger_resumed(s->ledger);
	if (s->o->resume && !s->resumed)
		progress_message(s->o->progress, "nothing to resume: starting from the file as it is");
	enum rc rc = s->resumed ? take_notes(s, e) : RC_OK;
	if (rc == RC_OK)
		rc = load_start(s, e);
	if (rc == RC_OK && s->first_s > 0)
		s->answered++;
	else if (rc == RC_OK)
		rc = first_test(s, e);
	if (rc != RC_OK)
		return rc;
	log_start(s);
	tester_set_timeout(s->tester, tester_timeout(s->o->timeout_s, s->first_s));
	rc = drop_files(s, false, e);
	if (rc == RC_OK)
		rc = run_engine(s, e);
	if (rc == RC_OK)
		rc = drop_files(s, true, e);
	if (!s->engine.cache)
		return rc;
	summarize(s);
	/* a resumed run that was stopped on the way leaves the better file alone */
	bool behind = s->best != UINT64_MAX && s->engine.stopped && s->minima < s->best;
	bool unwritten = (s->o->out && !s->file[0].on_target) || s->best != UINT64_MAX;
	if (unwritten && !behind && rc == RC_OK)
		rc = session_write_minimum(s, e);
	if (rc == RC_OK && !behind)
		rc = last_tests(s, e);
	session_sync(s);
	return rc;
}

enum rc reduce_files(const struct reduce_options *o, struct reduce_result *r, struct err *e)
{
	struct session s;
	session_init(&s, o, r);
	enum rc rc = session_open(&s, e);
	if (rc == RC_OK)
		rc = open_ledger(&s, e);
	if (rc == RC_OK)
		rc = run(&s, e);
	if (rc == RC_STOPPED && s.first_s <= 0) {
		r->stopped = "signal";
		rc = RC_OK;
		err_clear(e);
	}
	if (s.tester) {
		measure(&s);
		if (rc == RC_OK)
			log_end(&s);
	}
	session_warn_store(&s);
	r->store_failed = o->store && s.ledger && ledger_failed(s.ledger);
	ledger_close(s.ledger, rc == RC_NO || (rc == RC_OK && r->complete) ? &r->store_over : NULL);
	session_release(&s);
	return rc;
}

enum rc reduce_check(const struct reduce_options *o, struct reduce_result *r, struct err *e)
{
	struct session s;
	session_init(&s, o, r);
	enum rc rc = session_open(&s, e);
	if (rc == RC_OK)
		rc = first_test(&s, e);
	if (s.tester)
		measure(&s);
	session_release(&s);
	return rc;
}

void reduce_over(struct reduce_result *r)
{
	if (r->store_over)
		ledger_remove(r->store_over);
}

void reduce_result_release(struct reduce_result *r)
{
	free(r->store_over);
	free(r->output);
	free(r->how);
	free(r->where);
	r->output = r->how = r->where = r->store_over = NULL;
}
