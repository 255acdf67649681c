/* SPDX-License-Identifier: MIT */
/* The commands of a script: one table, one function each. To add one is to add a row; statements (term/reader.h) need
 * one only when there is more to do than to read them. */
#include "smt/session/internal.h"

#include "base/bits.h"
#include "base/invariant.h"

#include <string.h>

/* Is that nothing but warnings of z3's? */
static bool only_warnings(const char *text, size_t n)
{
	static const char head[] = "WARNING:";
	size_t h = sizeof head - 1;
	for (const char *at = text, *end = text + n, *nl; at < end; at = nl + 1)
		if ((size_t)(end - at) < h || memcmp(at, head, h) || !(nl = memchr(at, '\n', (size_t)(end - at))))
			return false;
	return true;
}

enum rc commands_success(struct smt_session *s, struct err *e)
{
	if (!s->script.print_success && !s->script.ends_at_error)
		return RC_OK;
	size_t before = s->out.n;
	enum rc rc = mirror_settle(s, e);
	if (rc == RC_OK && s->script.print_success && only_warnings(buf_str(&s->out) + before, s->out.n - before))
		buf_str_add(&s->out, "success\n");
	return rc;
}

/* To the solver the state after the last check-sat ends here; z3 keeps it until there is another assertion or level. */
static void state_may_end(struct smt_session *s, const struct command *c, bool sure)
{
	struct last_check *last = &s->script.last;
	bool asserts = c->statement && c->statement->flags & STATEMENT_ASSERTS;
	s->mirror.held = last->model_complete = false;
	if (!s->mirror.solver->keeps_options || (asserts && sure))
		mirror_state_gone(s);
	else
		last->doubted |= asserts;
}

struct item *commands_add(struct smt_session *s, const struct command *c, bool sure)
{
	struct script *p = &s->script;
	bool asserts = c->statement && c->statement->flags & STATEMENT_ASSERTS;
	sure = sure && !sexpr_comma(c->text, c->n);
	vec_push(&p->item, ((struct item){.off = p->log.n,
					  .n = c->n,
					  .line = c->line,
					  .col = c->col,
					  .declares = c->statement && c->statement->flags & STATEMENT_DECLARES,
					  .sure = sure,
					  .asserts = asserts}));
	buf_add(&p->log, c->text, c->n);
	if (!sure)
		p->unsure = p->item.n;
	state_may_end(s, c, sure);
	return &vec_last(&p->item);
}

void commands_initialize(struct script *p)
{
	p->initialized = p->initialized_unsaid = true;
}

/* z3 prints nothing about the definition of a sort, keeps its model over it, and is initialized by it. */
void commands_note_initialized(struct smt_session *s, const struct command *c)
{
	static const char text[] = "(define-sort rf!initialized () Bool)";
	const struct script *p = &s->script;
	if (!p->initialized_unsaid || !s->mirror.solver->keeps_options)
		return;
	for (size_t i = 0; i < p->item.n; i++) {
		const struct item *t = &p->item.at[i];
		if (t->push || t->declares || t->asserts)
			return;
	}
	struct command said = {.text = text, .n = sizeof text - 1, .line = c->line, .col = c->col};
	commands_add(s, &said, true)->declares = true;
}

enum rc commands_keep(struct smt_session *s, const struct command *c, bool sure, struct err *e)
{
	commands_add(s, c, sure);
	s->script.initialized = true;
	return commands_success(s, e);
}

/* ---- what changes the stack */

static enum rc do_assert(struct smt_session *s, const struct command *c, struct err *e)
{
	struct script *p = &s->script;
	struct reader *r = &p->reader;
	size_t before = r->assertion.n;
	bool sure = false;
	if (session_reading(s)) {
		if (c->statement->take(r) == RC_OK &&
		    sortcheck_assertion(&p->sorts, &r->dag, vec_last(&r->assertion), p->own_symbols)) {
			sure = certain_term(s, vec_last(&r->assertion));
		} else {
			r->assertion.n = before;
			p->uncacheable = true;
		}
		/* a name that outlives its level is more than the scope follows */
		if (p->global_declarations && r->builder.names.n)
			p->uncacheable = true;
	}
	return commands_keep(s, c, sure, e);
}

/* A function with the name of a theory's. Which of the two a term means depends on the sorts of its arguments, which
 * are not always known here. */
static bool hides_operator(const struct command *c)
{
	const struct sexpr *x = c->x;
	bool function = !strcmp(c->statement->name, "define-fun") || !strcmp(c->statement->name, "declare-fun");
	return function && x->n > 4 && x->at[2].kind == SEXPR_SYMBOL && x->at[3].kind == SEXPR_LIST &&
	       x->at[3].next > 4 && exact_reserved(x->text + x->at[2].off, x->at[2].len);
}

static enum rc do_statement(struct smt_session *s, const struct command *c, struct err *e)
{
	/* not understood: its scope says so from now on */
	bool sure = session_reading(s) && c->statement->take(&s->script.reader) == RC_OK && certain_statement(s, c);
	bool own = c->statement->flags & STATEMENT_OWN_SYMBOLS;
	s->script.own_symbols |= own;
	s->script.reader.scope.uncacheable |= hides_operator(c);
	s->mirror.datatypes |= own;
	return commands_keep(s, c, sure, e);
}

void commands_give_up(struct script *p)
{
	p->uncacheable = true;
	for (size_t i = 0; i < p->level.n; i++)
		p->level.at[i].uncacheable = true;
}

/* The number of levels of a push or pop; UINT64_MAX: it is not a number. */
static uint64_t count_of(const struct sexpr *x)
{
	uint64_t n = 0;
	if (x->n < 3)
		return 1;
	if (x->at[2].kind != SEXPR_NUMERAL || x->at[2].len > 6)
		return UINT64_MAX;
	for (uint32_t i = 0; i < x->at[2].len; i++)
		n = n * 10 + (uint64_t)(x->text[x->at[2].off + i] - '0');
	return n;
}

enum rc commands_ask_stack(struct smt_session *s, const struct command *c, struct err *e)
{
	enum rc rc = solver_gone_is_ok(mirror_sync(s, e));
	return rc == RC_OK ? solver_gone_is_ok(mirror_pass(s, c, NULL, e)) : rc;
}

/* A push or pop with more than a number. z3 complains after it has obeyed; whether another solver has is not known, so
 * whichever it was, it has to hear of the stack again. */
static enum rc complain(struct smt_session *s, const struct command *c, struct err *e)
{
	enum rc rc = commands_ask_stack(s, c, e);
	mirror_forget(&s->mirror);
	s->mirror.stale = true;
	commands_give_up(&s->script);
	return rc;
}

static enum rc do_push(struct smt_session *s, const struct command *c, struct err *e)
{
	struct script *p = &s->script;
	uint64_t n = count_of(c->x);
	if (n == UINT64_MAX)
		return commands_ask_stack(s, c, e); /* for its error */
	bool complaint = c->x->n > 3;
	enum rc rc = complaint ? complain(s, c, e) : RC_OK;
	if (rc != RC_OK)
		return rc;
	for (uint64_t i = 0; i < n; i++) {
		vec_push(&p->level, ((struct level){p->item.n, p->reader.assertion.n, p->log.n, p->exact.declared.n,
						    scope_mark(&p->reader.scope), p->uncacheable}));
		struct item t = {.off = p->log.n, .line = c->line, .col = c->col, .push = true, .sure = true};
		if (n == 1 && !complaint) { /* as it stands, for the positions of errors */
			t.n = c->n;
			buf_add(&p->log, c->text, c->n);
		}
		vec_push(&p->item, t);
	}
	p->pushed |= n > 0;
	if (n)
		commands_initialize(p);
	if (n || !s->mirror.solver->keeps_options)
		mirror_state_gone(s);
	return complaint ? RC_OK : commands_success(s, e);
}

/* Declarations that outlive their level are taken again: their terms went with it. */
static void take_again(struct smt_session *s, size_t from)
{
	struct script *p = &s->script;
	struct reader *r = &p->reader;
	for (size_t i = from; i < p->item.n && session_reading(s); i++) {
		struct command c = {.x = &r->x};
		const struct item *t = &p->item.at[i];
		if (sexpr_parse(&r->x, p->log.at + t->off, t->n, 1, 1, NULL) != RC_OK)
			p->uncacheable = true;
		else if ((c.statement = statement_find(r->x.text + r->x.at[1].off, r->x.at[1].len)) &&
			 c.statement->take(r) == RC_OK)
			certain_statement(s, &c); /* notes a declared sort */
	}
}

static enum rc do_pop(struct smt_session *s, const struct command *c, struct err *e)
{
	struct script *p = &s->script;
	uint64_t n = count_of(c->x);
	if (n == UINT64_MAX || n > p->level.n) {
		enum rc rc = commands_ask_stack(s, c, e); /* for its error */
		if (n != UINT64_MAX)
			mirror_state_gone(s);
		return rc;
	}
	bool complaint = c->x->n > 3;
	struct level l = n ? p->level.at[p->level.n - n] : (struct level){0};
	enum rc rc = complaint ? complain(s, c, e) : n && p->unsure > l.items ? mirror_settle(s, e) : RC_OK;
	if (rc != RC_OK)
		return rc;
	if (n) {
		INVARIANT(l.items < p->item.n && p->item.at[l.items].push);
		INVARIANT(l.assertions <= p->reader.assertion.n && l.log <= p->log.n);
		p->level.n -= n;
		p->reader.assertion.n = l.assertions;
		size_t kept = mirror_truncate(s, l.items);
		if (!kept)
			p->log.n = l.log;
		scope_cut(&p->reader.scope, l.scope);
		sortcheck_cut(&p->sorts, p->reader.dag.term.n);
		exact_cut(&p->exact, p->reader.dag.term.n, l.sorts);
		p->uncacheable = l.uncacheable || complaint;
		take_again(s, p->item.n - kept);
	}
	mirror_state_gone(s);
	return complaint ? RC_OK : commands_success(s, e);
}

/* A command that takes no argument has some: it does nothing, and the solver says why. */
static bool has_arguments(const struct command *c)
{
	return c->x->n > 2;
}

static enum rc do_reset(struct smt_session *s, const struct command *c, struct err *e)
{
	if (has_arguments(c))
		return commands_ask_stack(s, c, e);
	enum rc rc = mirror_settle(s, e);
	if (rc == RC_OK)
		rc = commands_success(s, e);
	if (rc == RC_OK)
		session_reset(s);
	return rc;
}

/* Whether declarations survive differs between solvers: they stay known here, and declaring one again ends caching. */
static enum rc do_reset_assertions(struct smt_session *s, const struct command *c, struct err *e)
{
	struct script *p = &s->script;
	if (has_arguments(c))
		return commands_ask_stack(s, c, e);
	p->uncacheable |= p->level.n > 0;
	p->stack_only = true; /* what came before it is no longer one script of assertions */
	vec_clear(&p->reader.assertion);
	return commands_keep(s, c, p->level.n == 0, e);
}

/* ---- what asks */

static enum rc do_exit(struct smt_session *s, const struct command *c, struct err *e)
{
	if (has_arguments(c))
		return commands_ask_stack(s, c, e);
	enum rc rc = mirror_settle(s, e);
	if (rc == RC_OK)
		rc = commands_success(s, e);
	return rc == RC_OK ? RC_NO : rc;
}

static enum rc do_echo(struct smt_session *s, const struct command *c, struct err *e)
{
	const struct sexpr *x = c->x;
	enum rc rc = mirror_settle(s, e);
	if (rc != RC_OK)
		return rc;
	bool ours = (s->mirror.solver->kind->flags & SOLVER_NO_ECHO) && !s->script.compliant;
	if (x->n != 3 || x->at[2].kind != SEXPR_STRING || !ours)
		return solver_gone_is_ok(mirror_pass(s, c, NULL, e));
	settings_string(&s->out, x, 2);
	buf_char(&s->out, '\n');
	return RC_OK;
}

enum rc smt_session_statistics(struct smt_session *s, struct err *e)
{
	static const char text[] = "(get-info :all-statistics)";
	struct command c = {.text = text, .n = sizeof text - 1, .line = 1, .col = 1};
	if (smt_session_stats(s).solver_calls)
		return commands_ask_stack(s, &c, e);
	buf_str_add(&s->out, "(:rlimit-count 0\n :time         0.00\n :total-time   0.00)\n");
	return RC_OK;
}

enum rc commands_ask_state(struct smt_session *s, const struct command *c, struct err *e)
{
	s->mirror.states_asked += !s->script.last.state_asked;
	s->script.last.state_asked = true;
	enum rc rc = solver_gone_is_ok(mirror_recheck(s, e));
	return rc == RC_OK ? solver_gone_is_ok(mirror_pass(s, c, NULL, e)) : rc;
}

static enum rc do_get_info(struct smt_session *s, const struct command *c, struct err *e)
{
	const struct sexpr *x = c->x;
	bool statistics = x->n > 2 && sexpr_is_keyword(x, 2, ":all-statistics");
	bool state = statistics || (x->n > 2 && sexpr_is_keyword(x, 2, ":reason-unknown"));
	enum rc rc = state ? commands_ask_state(s, c, e) : commands_ask_stack(s, c, e);
	if (statistics)
		commands_initialize(&s->script);
	return rc;
}

/* Some commands are confirmed and some are not: the solver's own :print-success says so. */
static enum rc pass_with_success(struct smt_session *s, const struct command *c, struct err *e)
{
	static const char on[] = "(set-option :print-success true)", off[] = "(set-option :print-success false)";
	struct buf got = {0};
	enum rc rc = mirror_send(s, on, sizeof on - 1, &got, e);
	if (rc == RC_OK)
		rc = mirror_pass(s, c, NULL, e);
	if (rc == RC_OK)
		rc = mirror_send(s, off, sizeof off - 1, &got, e);
	buf_release(&got);
	return rc;
}

/* Not ours to understand: the solver answers, and nothing is cached until a reset. */
static enum rc do_unknown(struct smt_session *s, const struct command *c, struct err *e)
{
	s->script.uncacheable = true;
	enum rc rc = solver_gone_is_ok(mirror_sync(s, e));
	if (rc != RC_OK)
		return rc;
	rc = s->script.print_success ? pass_with_success(s, c, e) : mirror_pass(s, c, NULL, e);
	if (rc != RC_OK && rc != RC_NO)
		return rc;
	commands_add(s, c, true);
	s->script.last.other = true;
	s->script.initialized = true;
	s->script.stack_only = true;
	if (rc == RC_OK)
		s->mirror.items = s->script.item.n;
	s->mirror.shown = s->script.item.n;
	return RC_OK;
}

struct row {
	const char *name;
	/* RC_NO: the script ends here. */
	enum rc (*run)(struct smt_session *s, const struct command *c, struct err *e);
	unsigned flags;
};

enum {
	ROW_ASSUMING = 1,    /* has assumptions */
	ROW_INITIALIZES = 2, /* options and a logic come too late after it */
};

static const struct row table[] = {
	{"assert", do_assert, 0},
	{"check-sat", check_sat, ROW_INITIALIZES},
	{"check-sat-assuming", check_sat, ROW_ASSUMING | ROW_INITIALIZES},
	{"set-logic", settings_logic, 0},
	{"set-option", settings_option, 0},
	{"set-info", settings_info, 0},
	{"push", do_push, 0},
	{"pop", do_pop, 0},
	{"reset", do_reset, 0},
	{"reset-assertions", do_reset_assertions, 0},
	{"exit", do_exit, 0},
	{"echo", do_echo, 0},
	{"get-value", values_get_value, ROW_INITIALIZES},
	{"get-model", values_get_model, 0},
	{"get-unsat-core", commands_ask_state, 0},
	{"get-unsat-assumptions", commands_ask_state, 0},
	{"get-assignment", values_ask, 0},
	{"get-proof", commands_ask_state, 0},
	{"get-objectives", commands_ask_state, ROW_INITIALIZES},
	{"get-info", do_get_info, 0},
	{"get-option", settings_get, 0},
	{"get-assertions", commands_ask_stack, 0},
	{"labels", commands_ask_state, 0},
	{"eval", values_ask, ROW_INITIALIZES},
	{"simplify", commands_ask_stack, ROW_INITIALIZES},
	{"display", commands_ask_stack, ROW_INITIALIZES},
	{"help", commands_ask_stack, 0},
};
static const struct row statement_row = {"", do_statement, 0}, unknown_row = {"", do_unknown, 0};

/* What a command's name stands for; its statement, if it is one, goes to c. */
static const struct row *find_row(struct command *c, const char *name, size_t n)
{
	c->statement = statement_find(name, n);
	for (size_t i = 0; i < ARRAY_LEN(table); i++)
		if (strlen(table[i].name) == n && !memcmp(table[i].name, name, n))
			return &table[i];
	return c->statement ? &statement_row : &unknown_row;
}

/* Bytes that are in no token: one error each, as z3 has it, and no solver sees the command. z3 may take the next ones
 * for a part of it, as it loses count of the parentheses there, and our marks with them. */
static enum rc refuse_bytes(struct smt_session *s, const char *text, size_t n, struct place at, struct err *e)
{
	enum rc rc = mirror_settle(s, e);
	size_t from = 0;
	for (size_t i; rc == RC_OK && (i = sexpr_unexpected(text, from, n)) < n; from = i + 1) {
		sexpr_advance(text, from, i, &at.line, &at.col);
		buf_printf(&s->out, "(error \"line %ld column %ld: unexpected character\")\n", at.line,
			   at.col - (at.line != 1));
		at.col++;
		s->error = s->command;
		s->stats.errors++;
	}
	return rc;
}

static enum rc run_command(struct smt_session *s, const char *text, size_t n, long line, long col, struct err *e)
{
	struct sexpr *x = &s->script.reader.x;
	struct command c = {.text = text, .n = n, .line = line, .col = col, .x = x};
	if (memchr(text, 0, n))
		s->script.uncacheable = true; /* names would end early when they are printed */
	struct err why = ERR_INIT;
	bool parsed = sexpr_parse(x, text, n, line, col, &why) == RC_OK;
	if (!parsed && sexpr_unexpected(text, 0, n) < n)
		return refuse_bytes(s, text, n, (struct place){line, col}, e);
	if (!parsed) {
		smt_session_syntax_error(s, why.line, why.col, why.text);
		s->script.uncacheable = true;
		return RC_OK;
	}
	if (x->at[0].kind != SEXPR_LIST) {
		smt_session_syntax_error(s, line, col, "invalid command, '(' expected");
		return RC_OK;
	}
	if (x->n < 2 || x->at[1].kind != SEXPR_SYMBOL)
		return commands_ask_stack(s, &c, e); /* for its error */
	const struct row *row = find_row(&c, x->text + x->at[1].off, x->at[1].len);
	c.assuming = row->flags & ROW_ASSUMING;
	enum rc rc = row->run(s, &c, e);
	if (row->flags & ROW_INITIALIZES)
		commands_initialize(&s->script);
	return rc;
}

enum rc smt_session_command(struct smt_session *s, const char *text, size_t n, long line, long col, struct err *e)
{
	uint64_t errors = s->stats.errors;
	bool ends = s->script.ends_at_error;
	if (s->ended)
		return RC_NO;
	if (text[0] == '(')
		s->command = (struct place){line, col};
	enum rc rc = run_command(s, text, n, line, col, e);
	if (rc == RC_OK && ends && s->stats.errors != errors)
		rc = RC_NO;
	if (rc == RC_OK && s->ended) {
		s->out.n = s->said;
		rc = RC_NO;
	}
	if (text[0] == '(')
		s->after_error = session_failed(s, errors);
	return rc;
}
