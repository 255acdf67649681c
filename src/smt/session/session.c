/* SPDX-License-Identifier: MIT */
/* A session's life and what its caller reads from it. */
#include "smt/session/internal.h"

#include "data/clock.h"
#include "store/store.h"

#include <string.h>

enum rc smt_session_new(struct smt_session **out, const struct smt_session_options *o, struct solver *solver,
			struct err *e)
{
	struct smt_session *s = mem_zalloc(sizeof *s);
	s->o = *o;
	s->mirror.solver = solver;
	solver->timeout_s = o->timeout_s;
	s->learnt.cache = cache_new(o->mode, &o->cache);
	if (o->mode->flags & MODE_SAT)
		s->learnt.models = models_new(o->cache.max_cores_bytes);
	if (o->mode->flags & MODE_STAGES) {
		struct decide_options d = {o->without, o->cache.max_cores_bytes, o->verify};
		s->learnt.decide = decide_new(&d);
	}
	reader_init(&s->script.reader);
	smt_session_begin(s, "-");
	enum rc rc = o->store ? stored_open(s, e) : RC_OK;
	if (rc != RC_OK) {
		smt_session_free(s);
		return rc;
	}
	*out = s;
	return RC_OK;
}

static void script_release(struct script *c)
{
	reader_release(&c->reader);
	sortcheck_release(&c->sorts);
	exact_release(&c->exact);
	vec_release_all(&c->item, &c->level, &c->built.level, &c->built.root, &c->built.core, &c->built.shown,
			&c->built.why, &c->log, &c->logic, &c->channel, &c->last.text);
	free(c->name);
}

static void learnt_release(struct learnt *l)
{
	if (l->store)
		store_close(l->store);
	cache_free(l->cache);
	models_free(l->models);
	decide_free(l->decide);
	struct wholes *const sets[] = {&l->wholes, &l->silent, &l->shared, &l->proved};
	for (size_t i = 0; i < ARRAY_LEN(sets); i++) {
		vec_release(&sets[i]->digest);
		table_release(&sets[i]->index);
	}
	sign_key_release(&l->key);
}

void smt_session_free(struct smt_session *s)
{
	if (!s)
		return;
	script_release(&s->script);
	vec_release(&s->mirror.span);
	solver_release(&s->side.second);
	learnt_release(&s->learnt);
	printer_release(&s->printer);
	solver_answer_release(&s->answer);
	for (size_t i = 0; i < s->answers.n; i++)
		free(s->answers.at[i].file);
	vec_release_all(&s->answers, &s->lookup_us, &s->out, &s->messages, &s->scratch);
	free(s);
}

struct buf *smt_session_output(struct smt_session *s)
{
	return &s->out;
}

struct buf *smt_session_messages(struct smt_session *s)
{
	return &s->messages;
}

const struct smt_session_answer *smt_session_answers(const struct smt_session *s, size_t *n)
{
	*n = s->answers.n;
	return s->answers.at;
}

static int by_value(const void *a, const void *b)
{
	float x = *(const float *)a, y = *(const float *)b;
	return x < y ? -1 : x > y;
}

struct smt_session_stats smt_session_stats(const struct smt_session *s)
{
	struct smt_session_stats t = s->stats;
	struct cache_stats c = cache_stats(s->learnt.cache);
	t.solver_calls = s->mirror.solver->calls + s->side.second.calls;
	t.solver_s = session_waited(s);
	t.cache_peak_bytes = c.peak_bytes + (s->learnt.models ? models_peak_bytes(s->learnt.models) : 0);
	t.lookup_peak_bytes = c.lookup_peak_bytes;
	t.brakes = c.gave_up;
	if (s->learnt.decide) {
		t.stages = decide_stats(s->learnt.decide);
		t.cache_peak_bytes += t.stages.peak_bytes;
	}
	if (s->lookup_us.n) {
		float *copy = mem_dup(s->lookup_us.at, s->lookup_us.n * sizeof *copy);
		qsort(copy, s->lookup_us.n, sizeof *copy, by_value);
		t.lookup_median_s = (double)copy[s->lookup_us.n / 2] * 1e-6;
		free(copy);
	}
	return t;
}

/* An empty script. */
static void clear_script(struct script *c)
{
	vec_clear(&c->item);
	vec_clear(&c->level);
	buf_clear(&c->log);
	buf_clear(&c->logic);
	buf_clear(&c->last.text);
	reader_clear(&c->reader);
	sortcheck_cut(&c->sorts, 0);
	exact_cut(&c->exact, 0, 0);
	c->exact.theories = THEORY_ALL;
	c->own_symbols = c->uncacheable = c->print_success = c->global_declarations = c->ends_at_error = false;
	c->compliant = c->no_models = false;
	c->pushed = c->initialized = c->initialized_unsaid = c->last.by_model = c->last.doubted = c->last.other = false;
	c->stack_only = c->lasting_options = c->plain_options = c->meaning_options = false;
	c->built.on = false;
	vec_clear(&c->built.level);
	buf_clear(&c->built.why);
	c->checks = 0;
	c->unsure = 0;
	c->status = VERDICT_NONE;
}

/* Is the same said once more after the first of these items? */
static bool set_again(const struct buf *log, const struct item *item, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (item[i].option && item[i].n == item->n &&
		    !memcmp(log->at + item[i].off, log->at + item->off, item->n))
			return true;
	return false;
}

/* The options that outlive a reset: z3 keeps all that are not SMT-LIB's own. */
static void keep_options(struct smt_session *s, const struct buf *log, const struct item *item, size_t n)
{
	struct script *c = &s->script;
	struct sexpr *x = &c->reader.x;
	for (size_t i = 0; i < n; i++) {
		const char *text = log->at + item[i].off;
		if (!item[i].lasts || set_again(log, item + i, n - i))
			continue;
		struct item t = item[i];
		t.off = c->log.n;
		vec_push(&c->item, t);
		buf_add(&c->log, text, t.n);
		c->plain_options |= t.sure;
		if (t.sure)
			continue;
		c->stack_only = c->lasting_options = true;
		c->unsure = c->item.n; /* one that was refused is refused again */
		if (t.option != OPTION_MEANING)
			continue;
		c->meaning_options = true;
		if (sexpr_parse(x, text, t.n, 1, 1, NULL) == RC_OK)
			scope_note(&c->reader.scope, x);
	}
	s->mirror.shown = c->item.n;
}

/* z3 keeps the expected status, too. It need not have heard of it. */
static void keep_status(struct smt_session *s, enum verdict status)
{
	struct script *c = &s->script;
	struct item t = {.off = c->log.n, .line = 1, .col = 1, .sure = true};
	c->status = status;
	if (!verdict_decided(status))
		return;
	buf_printf(&c->log, "(set-info :status %s)", verdict_text(status));
	t.n = c->log.n - t.off;
	vec_push(&c->item, t);
	s->mirror.shown = c->item.n;
}

void session_reset(struct smt_session *s)
{
	struct script *c = &s->script;
	struct mirror *m = &s->mirror;
	/* the solver hears of it when it is next asked something */
	bool used = m->items || m->pops || m->stale || m->checked;
	struct buf log = c->log;
	__typeof__(c->item) item = c->item;
	enum verdict status = c->status;
	bool global = c->global_declarations, success = c->print_success, compliant = c->compliant;
	bool no_models = c->no_models;
	mirror_forget(m);
	m->stale = used;
	m->shown = 0;
	m->spoke = false;
	c->log = (struct buf){0};
	memset(&c->item, 0, sizeof c->item);
	clear_script(c);
	if (m->solver->keeps_options) {
		keep_options(s, &log, item.at, item.n);
		/* z3 remembers these as well */
		keep_status(s, status);
		c->global_declarations = global;
		c->print_success = success;
		c->compliant = compliant;
		c->no_models = no_models;
	}
	buf_release(&log);
	vec_release(&item);
}

void smt_session_begin(struct smt_session *s, const char *name)
{
	struct script *c = &s->script;
	struct mirror *m = &s->mirror;
	s->ended = false;
	/* what a reset does not undo must not reach another script; z3 4.8 takes the datatypes before a reset for those
	 * after it and then refuses a match, or crashes */
	bool restart = c->lasting_options || (m->datatypes && m->solver->keeps_options);
	m->options |= c->plain_options && m->solver->keeps_options;
	free(c->name);
	c->name = mem_strdup(name);
	session_reset(s);
	clear_script(c);
	c->print_success = c->compliant = m->solver->compliant;
	if (c->channel.n && s->o.channel)
		s->o.channel(s->o.caller, NULL);
	buf_clear(&c->channel);
	m->shown = 0;
	if (restart && m->solver->kind) {
		m->solver->kind->stop(m->solver);
		m->solver->lines = 0;
		m->datatypes = m->options = false;
		mirror_forget(m);
	}
}

enum rc smt_session_idle(struct smt_session *s, struct err *e)
{
	enum rc rc = s->ended ? RC_NO : mirror_settle(s, e);
	return rc == RC_OK && s->ended ? RC_NO : rc;
}

void smt_session_syntax_error(struct smt_session *s, long line, long col, const char *what)
{
	struct err e = ERR_INIT;
	uint64_t errors = s->stats.errors;
	mirror_settle(s, &e); /* if the solver cannot be run, the next question says so */
	bool silent = s->after_error || session_failed(s, errors);
	s->after_error = true;
	if (silent)
		return;
	s->error = s->command;
	buf_printf(&s->out, "(error \"line %ld column %ld: %s\")\n", line, col - (line != 1), what);
	s->stats.errors++;
}

void smt_session_unfinished(struct smt_session *s, const char *text, size_t n, long line, long col)
{
	struct command c = {.text = text, .n = n, .line = line, .col = col};
	s->command = (struct place){line, col};
	s->after_error = false;
	if (mirror_end(s, &c))
		return;
	sexpr_advance(text, 0, n, &line, &col);
	smt_session_syntax_error(s, line, col, "unexpected end of file");
}

bool session_reading(const struct smt_session *s)
{
	return !s->script.uncacheable && !s->script.reader.scope.uncacheable;
}

bool session_caching(const struct smt_session *s)
{
	return s->o.mode->flags && session_reading(s);
}

bool session_failed(const struct smt_session *s, uint64_t errors)
{
	return s->stats.errors != errors && s->error.line == s->command.line && s->error.col == s->command.col;
}

bool session_unexpected(const struct smt_session *s, enum verdict v)
{
	return verdict_decided(v) && verdict_decided(s->script.status) && v != s->script.status;
}

bool session_standard(const struct smt_session *s)
{
	return !s->script.meaning_options && !s->mirror.solver->meaning_options;
}

bool session_asks_after(const struct smt_session *s)
{
	return 2 * s->mirror.states_asked > s->mirror.misses;
}

const char *session_logic(const struct smt_session *s)
{
	return s->script.logic.n ? s->script.logic.at : NULL;
}

double session_timeout(const struct smt_session *s)
{
	double left = s->o.deadline > 0 ? s->o.deadline - clock_seconds() : 0;
	if (s->o.deadline <= 0)
		return s->o.timeout_s;
	left = left > 0.001 ? left : 0.001;
	return s->o.timeout_s > 0 && s->o.timeout_s < left ? s->o.timeout_s : left;
}

double session_waited(const struct smt_session *s)
{
	return s->mirror.solver->seconds + s->side.second.seconds;
}
