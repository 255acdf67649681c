/* SPDX-License-Identifier: MIT */
/* The command loop of a session: one table of commands, one function each. */
#include "smt/session/internal.h"

#include "store/store.h"

#include <string.h>

enum rc smt_session_new(struct smt_session **out, const struct smt_session_options *o, struct solver *solver,
			struct err *e)
{
	struct smt_session *s = mem_zalloc(sizeof *s);
	s->o = *o;
	s->solver = solver;
	s->cache = cache_new(o->mode, &o->cache);
	if (o->mode->flags & MODE_SAT)
		s->models = models_new(o->cache.max_cores_bytes);
	dag_init(&s->dag);
	scope_init(&s->scope, &s->dag);
	builder_init(&s->builder, &s->scope);
	s->name = mem_strdup("");
	smt_session_begin(s, "-");
	s->script = 0;
	if (o->store && smt_session_store_open(s, e) != RC_OK) {
		smt_session_free(s);
		return e->rc;
	}
	*out = s;
	return RC_OK;
}

void smt_session_free(struct smt_session *s)
{
	if (!s)
		return;
	smt_session_store_close(s);
	if (s->aux_ready)
		solver_release(&s->aux);
	cache_free(s->cache);
	models_free(s->models);
	printer_release(&s->printer);
	query_release(&s->query);
	builder_release(&s->builder);
	scope_release(&s->scope);
	dag_release(&s->dag);
	sexpr_release(&s->x);
	sortcheck_release(&s->sorts);
	solver_answer_release(&s->answer);
	for (size_t i = 0; i < s->answers.n; i++)
		free(s->answers.at[i].file);
	vec_release(&s->answers);
	vec_release(&s->lookup_us);
	vec_release(&s->whole);
	table_release(&s->whole_index);
	vec_release(&s->item);
	vec_release(&s->span);
	vec_release(&s->level);
	vec_release(&s->assertion);
	buf_release(&s->log);
	buf_release(&s->logic);
	buf_release(&s->last_check);
	buf_release(&s->out);
	buf_release(&s->messages);
	buf_release(&s->scratch);
	free(s->name);
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
	struct cache_stats c = cache_stats(s->cache);
	size_t models_peak = 0;
	if (s->models)
		models_bytes(s->models, &models_peak);
	t.solver_calls = s->solver->calls + s->aux.calls;
	t.solver_s = s->solver->seconds + s->aux.seconds;
	t.cache_peak_bytes = c.peak_bytes + models_peak;
	t.lookup_peak_bytes = c.lookup_peak_bytes;
	t.brakes = c.gave_up;
	if (s->lookup_us.n) {
		float *copy = mem_dup(s->lookup_us.at, s->lookup_us.n * sizeof *copy);
		qsort(copy, s->lookup_us.n, sizeof *copy, by_value);
		t.lookup_median_s = (double)copy[s->lookup_us.n / 2] * 1e-6;
		free(copy);
	}
	return t;
}

/* Back to an empty stack. The solver hears of it when it is next asked something. */
static void reset(struct smt_session *s, bool keep_options)
{
	bool used = s->mirrored || s->pops || s->stale || s->solver_checked;
	smt_session_forget_stack(s);
	s->stale = used;
	vec_clear(&s->item);
	vec_clear(&s->level);
	vec_clear(&s->assertion);
	buf_clear(&s->log);
	buf_clear(&s->logic);
	buf_clear(&s->last_check);
	s->shown = 0;
	s->odd = s->pushed = s->global_declarations = s->last_by_model = false;
	s->checks = 0;
	if (!keep_options)
		s->print_success = false;
	s->plain_options = true;
	s->own_symbols = false;
	scope_clear(&s->scope);
	sortcheck_cut(&s->sorts, 0);
}

void smt_session_begin(struct smt_session *s, const char *name)
{
	free(s->name);
	s->name = mem_strdup(name);
	s->script++;
	reset(s, false);
}

static void success(struct smt_session *s)
{
	if (s->print_success)
		buf_str_add(&s->out, "success\n");
}

void smt_session_syntax_error(struct smt_session *s, long line, long col, const char *what)
{
	buf_printf(&s->out, "(error \"line %ld column %ld: %s\")\n", line, col, what);
	s->stats.errors++;
}

static void add_item(struct smt_session *s, const struct command_text *c)
{
	vec_push(&s->item, ((struct item){.off = s->log.n, .n = c->n, .line = c->line, .col = c->col}));
	buf_add(&s->log, c->text, c->n);
	s->solver_checked = false;
	buf_clear(&s->last_check);
	success(s);
}

static bool caching(const struct smt_session *s)
{
	return s->o.mode->flags && !s->odd && !s->scope.odd;
}

/* ---- commands: each is called with s->x parsed */

typedef enum smt_session_next (*command_fn)(struct smt_session *s, const struct command_text *c, struct err *e);

static enum smt_session_next do_assert(struct smt_session *s, const struct command_text *c, struct err *e)
{
	(void)e;
	uint32_t t;
	if (caching(s)) {
		if (s->x.n > 2 && s->x.at[2].next == s->x.at[0].next &&
		    builder_term(&s->builder, &s->x, 2, &t) == RC_OK &&
		    sortcheck_assertion(&s->sorts, &s->dag, t, s->own_symbols))
			vec_push(&s->assertion, t);
		else
			s->odd = true;
	}
	add_item(s, c);
	return SESSION_GO;
}

static enum smt_session_next do_declare(struct smt_session *s, const struct command_text *c, struct err *e)
{
	(void)e;
	if (caching(s))
		scope_declare_fun(&s->scope, &s->x);
	add_item(s, c);
	return SESSION_GO;
}

static enum smt_session_next do_define(struct smt_session *s, const struct command_text *c, struct err *e)
{
	(void)e;
	if (caching(s))
		builder_define_fun(&s->builder, &s->x);
	add_item(s, c);
	return SESSION_GO;
}

static enum smt_session_next do_define_sort(struct smt_session *s, const struct command_text *c, struct err *e)
{
	(void)e;
	if (caching(s))
		scope_define_sort(&s->scope, &s->x);
	add_item(s, c);
	return SESSION_GO;
}

/* Declarations whose meaning is kept word for word: datatypes, recursive functions, sorts. */
static enum smt_session_next do_context(struct smt_session *s, const struct command_text *c, struct err *e)
{
	(void)e;
	if (caching(s))
		scope_note(&s->scope, &s->x);
	s->own_symbols |= !sexpr_is_symbol(&s->x, 1, "set-logic") && !sexpr_is_symbol(&s->x, 1, "declare-sort");
	add_item(s, c);
	return SESSION_GO;
}

static enum smt_session_next do_set_logic(struct smt_session *s, const struct command_text *c, struct err *e)
{
	if (s->x.n > 2) {
		buf_clear(&s->logic);
		buf_add(&s->logic, s->x.text + s->x.at[2].off, s->x.at[2].len);
	}
	return do_context(s, c, e);
}

static enum smt_session_next do_set_option(struct smt_session *s, const struct command_text *c, struct err *e)
{
	(void)e;
	static const char *const plain[] = {
		":produce-models",   ":produce-unsat-cores", ":produce-assignments",       ":produce-proofs",
		":interactive-mode", ":produce-assertions",  ":produce-unsat-assumptions", ":model"};
	if (s->x.n > 3 && sexpr_is(&s->x, 2, ":print-success", 14)) {
		s->print_success = sexpr_is_symbol(&s->x, 3, "true");
		success(s);
		return SESSION_GO;
	}
	bool known = false;
	for (size_t i = 0; i < ARRAY_LEN(plain) && s->x.n > 2; i++)
		known |= sexpr_is(&s->x, 2, plain[i], strlen(plain[i]));
	s->plain_options &= known;
	if (s->x.n > 3 && sexpr_is(&s->x, 2, ":global-declarations", 20))
		s->global_declarations = sexpr_is_symbol(&s->x, 3, "true");
	if (s->x.n > 2 && (sexpr_is(&s->x, 2, ":regular-output-channel", 23)))
		s->odd = true;
	add_item(s, c);
	vec_last(&s->item).option = true;
	return SESSION_GO;
}

static enum smt_session_next do_set_info(struct smt_session *s, const struct command_text *c, struct err *e)
{
	(void)e;
	add_item(s, c);
	return SESSION_GO;
}

static uint64_t count_of(const struct smt_session *s)
{
	uint64_t n = 0;
	if (s->x.n < 3)
		return 1;
	if (s->x.at[2].kind != SEXPR_NUMERAL || s->x.at[2].len > 6)
		return UINT64_MAX;
	for (uint32_t i = 0; i < s->x.at[2].len; i++)
		n = n * 10 + (uint64_t)(s->x.text[s->x.at[2].off + i] - '0');
	return n;
}

static enum smt_session_next do_push(struct smt_session *s, const struct command_text *c, struct err *e)
{
	(void)e;
	uint64_t n = count_of(s);
	if (n == UINT64_MAX) {
		smt_session_syntax_error(s, c->line, c->col, "invalid push command, integer expected");
		return SESSION_GO;
	}
	for (uint64_t i = 0; i < n; i++) {
		vec_push(&s->level,
			 ((struct level){s->item.n, s->assertion.n, s->log.n, scope_mark(&s->scope), s->odd}));
		vec_push(&s->item, ((struct item){.off = s->log.n, .line = c->line, .col = c->col, .push = true}));
	}
	s->pushed |= n > 0;
	s->solver_checked = false;
	buf_clear(&s->last_check);
	success(s);
	return SESSION_GO;
}

static enum smt_session_next do_pop(struct smt_session *s, const struct command_text *c, struct err *e)
{
	(void)e;
	uint64_t n = count_of(s);
	if (n == UINT64_MAX || n > s->level.n) {
		smt_session_syntax_error(s, c->line, c->col,
					 "invalid pop command, argument is greater than the current stack depth");
		return SESSION_GO;
	}
	if (n) {
		struct level l = s->level.at[s->level.n - n];
		s->level.n -= n;
		s->assertion.n = l.assertions;
		smt_session_truncate(s, l.items);
		s->log.n = l.log;
		scope_cut(&s->scope, l.scope);
		sortcheck_cut(&s->sorts, s->dag.term.n);
		s->odd = l.odd;
	}
	buf_clear(&s->last_check);
	success(s);
	return SESSION_GO;
}

static enum smt_session_next do_reset(struct smt_session *s, const struct command_text *c, struct err *e)
{
	(void)c, (void)e;
	bool print = s->print_success;
	reset(s, true);
	if (print)
		buf_str_add(&s->out, "success\n");
	s->print_success = false;
	return SESSION_GO;
}

/* Whether declarations survive differs between solvers: they stay known here, and declaring one again ends caching. */
static enum smt_session_next do_reset_assertions(struct smt_session *s, const struct command_text *c, struct err *e)
{
	(void)e;
	s->odd |= s->level.n > 0;
	s->plain_options = false; /* what came before it is no longer one script of assertions */
	vec_clear(&s->assertion);
	add_item(s, c);
	return SESSION_GO;
}

static enum smt_session_next do_check(struct smt_session *s, const struct command_text *c, struct err *e)
{
	return smt_session_check(s, c->text, c->n, e);
}

static enum smt_session_next do_exit(struct smt_session *s, const struct command_text *c, struct err *e)
{
	(void)c, (void)e;
	success(s);
	return SESSION_EXIT;
}

static enum smt_session_next do_echo(struct smt_session *s, const struct command_text *c, struct err *e)
{
	bool alive;
	if (s->x.n == 3 && s->x.at[2].kind == SEXPR_STRING &&
	    (s->solver->kind == &solver_z3_library || (s->solver->kind->flags & SOLVER_ONE_SHOT))) {
		/* as z3 prints it: without quotes, doubled quotes single */
		const char *p = s->x.text + s->x.at[2].off;
		for (uint32_t i = 0; i < s->x.at[2].len; i++) {
			buf_char(&s->out, p[i]);
			i += p[i] == '"';
		}
		buf_char(&s->out, '\n');
		return SESSION_GO;
	}
	return smt_session_pass(s, c->text, c->n, NULL, &alive, e) == RC_OK ? SESSION_GO : SESSION_FAILED;
}

enum smt_session_next smt_session_ask_state(struct smt_session *s, const struct command_text *c, struct err *e)
{
	bool alive;
	s->states_asked += !s->state_asked;
	s->state_asked = true;
	if (smt_session_recheck(s, &alive, e) != RC_OK)
		return SESSION_FAILED;
	return smt_session_pass(s, c->text, c->n, NULL, &alive, e) == RC_OK ? SESSION_GO : SESSION_FAILED;
}

/* Asks about nothing but the stack, or nothing at all. */
static enum smt_session_next do_ask_stack(struct smt_session *s, const struct command_text *c, struct err *e)
{
	bool alive;
	if (smt_session_sync(s, &alive, e) != RC_OK)
		return SESSION_FAILED;
	return smt_session_pass(s, c->text, c->n, NULL, &alive, e) == RC_OK ? SESSION_GO : SESSION_FAILED;
}

static enum smt_session_next do_get_info(struct smt_session *s, const struct command_text *c, struct err *e)
{
	bool state =
		s->x.n > 2 && (sexpr_is(&s->x, 2, ":reason-unknown", 15) || sexpr_is(&s->x, 2, ":all-statistics", 15));
	return state ? smt_session_ask_state(s, c, e) : do_ask_stack(s, c, e);
}

/* Not ours to understand: the solver answers, and nothing is cached until a reset. */
static enum smt_session_next do_unknown(struct smt_session *s, const struct command_text *c, struct err *e)
{
	bool alive, success_before = s->print_success;
	s->odd = true;
	if (smt_session_sync(s, &alive, e) != RC_OK)
		return SESSION_FAILED;
	if (smt_session_pass(s, c->text, c->n, NULL, &alive, e) != RC_OK)
		return SESSION_FAILED;
	s->print_success = false;
	add_item(s, c);
	s->print_success = success_before;
	if (alive)
		s->mirrored = s->item.n;
	s->shown = s->item.n;
	return SESSION_GO;
}

static const struct {
	const char *name;
	command_fn run;
} table[] = {
	{"assert", do_assert},
	{"check-sat", do_check},
	{"check-sat-assuming", do_check},
	{"declare-const", do_declare},
	{"declare-fun", do_declare},
	{"define-fun", do_define},
	{"define-const", do_define},
	{"define-sort", do_define_sort},
	{"declare-sort", do_context},
	{"declare-datatypes", do_context},
	{"declare-datatype", do_context},
	{"declare-codatatypes", do_context},
	{"define-fun-rec", do_context},
	{"define-funs-rec", do_context},
	{"set-logic", do_set_logic},
	{"set-option", do_set_option},
	{"set-info", do_set_info},
	{"push", do_push},
	{"pop", do_pop},
	{"reset", do_reset},
	{"reset-assertions", do_reset_assertions},
	{"exit", do_exit},
	{"echo", do_echo},
	{"get-value", smt_session_get_value},
	{"get-model", smt_session_get_model},
	{"get-unsat-core", smt_session_ask_state},
	{"get-unsat-assumptions", smt_session_ask_state},
	{"get-assignment", smt_session_ask_model},
	{"get-proof", smt_session_ask_state},
	{"get-objectives", smt_session_ask_state},
	{"get-info", do_get_info},
	{"get-option", do_ask_stack},
	{"get-assertions", do_ask_stack},
	{"labels", smt_session_ask_state},
	{"eval", smt_session_ask_model},
	{"simplify", do_ask_stack},
	{"display", do_ask_stack},
	{"help", do_ask_stack},
};

static command_fn find_command(const struct sexpr *x)
{
	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		if (x->at[1].kind == SEXPR_SYMBOL && sexpr_is(x, 1, table[i].name, strlen(table[i].name)))
			return table[i].run;
	return do_unknown;
}

enum smt_session_next smt_session_command(struct smt_session *s, const char *text, size_t n, long line, long col,
					  struct err *e)
{
	struct command_text c = {text, n, line, col};
	s->line = line;
	s->col = col;
	if (memchr(text, 0, n))
		s->odd = true; /* no text: names would end early when they are printed */
	struct err why = ERR_INIT;
	if (text[0] == '(' && !s->o.mode->flags && n > 8 && !memcmp(text, "(assert", 7) &&
	    strchr(" \t\r\n(", text[7])) {
		/* without a cache an assertion is just text */
		add_item(s, &c);
		return SESSION_GO;
	}
	if (sexpr_parse(&s->x, text, n, NULL, line, col, &why) != RC_OK) {
		smt_session_syntax_error(s, why.line, why.col, why.text);
		s->odd = true;
		return SESSION_GO;
	}
	if (s->x.at[0].kind != SEXPR_LIST || s->x.n < 2 || s->x.at[1].kind != SEXPR_SYMBOL) {
		smt_session_syntax_error(s, line, col, "invalid command, '(' and a command's name expected");
		return SESSION_GO;
	}
	return find_command(&s->x)(s, &c, e);
}
