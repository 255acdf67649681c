/* SPDX-License-Identifier: MIT */
/* The commands of a script: one table, one function each. To add one is to add a row; statements (term/reader.h) need
 * one only when there is more to do than to read them. */
#include "smt/session/internal.h"

#include "base/bits.h"
#include "base/invariant.h"

#include <string.h>

/* The command has been taken. With :print-success it is confirmed, unless the solver prints something else; where an
 * error ends the script, it is looked for now. */
static enum rc success(struct smt_session *s, struct err *e)
{
	if (!s->script.print_success && !s->script.ends_at_error)
		return RC_OK;
	size_t before = s->out.n;
	enum rc rc = mirror_settle(s, e);
	if (rc == RC_OK && s->out.n == before && s->script.print_success)
		buf_str_add(&s->out, "success\n");
	return rc;
}

/* The stack has changed: what was asked last no longer describes it. */
static void stack_changed(struct smt_session *s)
{
	s->mirror.checked = s->mirror.held = false;
	buf_clear(&s->script.last.text);
}

static struct item *add_item(struct smt_session *s, const struct command *c, bool sure)
{
	struct script *p = &s->script;
	vec_push(&p->item, ((struct item){.off = p->log.n,
					  .n = c->n,
					  .line = c->line,
					  .col = c->col,
					  .declares = c->statement && c->statement->flags & STATEMENT_DECLARES,
					  .sure = sure}));
	buf_add(&p->log, c->text, c->n);
	if (!sure)
		p->unsure = p->item.n;
	stack_changed(s);
	return &vec_last(&p->item);
}

static enum rc keep(struct smt_session *s, const struct command *c, bool sure, struct err *e)
{
	add_item(s, c, sure);
	s->script.initialized = true;
	return success(s, e);
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
	return keep(s, c, sure, e);
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
	return keep(s, c, sure, e);
}

static enum rc do_set_logic(struct smt_session *s, const struct command *c, struct err *e)
{
	struct script *p = &s->script;
	const struct sexpr *x = c->x;
	unsigned theories = 0;
	bool sure = x->n == 3 && !p->initialized && exact_logic(x->text + x->at[2].off, x->at[2].len, &theories);
	p->exact.theories &= theories;
	p->stack_only |= !sure;
	if (x->n > 2 && !p->logic.n)
		buf_add(&p->logic, x->text + x->at[2].off, x->at[2].len);
	if (session_reading(s))
		c->statement->take(&p->reader);
	return keep(s, c, sure, e);
}

/* An option that changes nothing, given in time and in a form that all solvers take. */
static bool certain_option(const struct script *p, const struct sexpr *x)
{
	static const char *const taken[] = {":produce-models", ":produce-unsat-cores", ":produce-assignments",
					    ":produce-unsat-assumptions"};
	for (size_t i = 0; i < ARRAY_LEN(taken) && !p->initialized && x->n == 4; i++)
		if (sexpr_is(x, 2, taken[i], strlen(taken[i])))
			return sexpr_is_symbol(x, 3, "true") || sexpr_is_symbol(x, 3, "false");
	return false;
}

/* No caching until a reset, whatever is popped. */
static void give_up(struct script *p)
{
	p->uncacheable = true;
	for (size_t i = 0; i < p->level.n; i++)
		p->level.at[i].uncacheable = true;
}

static void follow_option(struct script *p, const struct sexpr *x)
{
	bool global = sexpr_is(x, 2, ":global-declarations", 20) || sexpr_is(x, 2, ":global-decls", 13);
	if (global && p->initialized)
		give_up(p); /* some solvers take it now and some do not */
	if (global)
		p->global_declarations = x->n > 3 && sexpr_is_symbol(x, 3, "true");
	if (sexpr_is(x, 2, ":produce-models", 15) && certain_option(p, x))
		p->no_models = sexpr_is_symbol(x, 3, "false");
	if (sexpr_is(x, 2, ":error-behavior", 15))
		p->ends_at_error = x->n > 3 && sexpr_is_symbol(x, 3, "immediate-exit");
}

/* Confirms the set-option t. One that switches the solver's :print-success on (options.h) switches ours on, and the
 * solver's is switched off again; refused by the solver, it changes nothing. */
static enum rc option_success(struct smt_session *s, const struct sexpr *x, struct item *t, struct err *e)
{
	struct script *p = &s->script;
	const char *name = x->n > 2 ? x->text + x->at[2].off : "";
	size_t n = x->n > 2 ? x->at[2].len : 0;
	if (s->mirror.solver->keeps_options && x->n == 4 && option_compliant(name, n) &&
	    (sexpr_is_symbol(x, 3, "true") || sexpr_is_symbol(x, 3, "false")))
		p->compliant = sexpr_is_symbol(x, 3, "true");
	if (!p->compliant || !option_parameter(name, n))
		return success(s, e);
	buf_str_add(&p->log, "(set-option :print-success false)");
	t->n = p->log.n - t->off;
	bool before = p->print_success;
	uint64_t errors = s->stats.errors;
	p->print_success = true;
	enum rc rc = success(s, e);
	if (session_failed(s, errors))
		p->print_success = before;
	return rc;
}

/* Without quotes, doubled quotes single. */
static void add_string(struct buf *out, const struct sexpr *x, uint32_t i)
{
	const char *p = x->text + x->at[i].off;
	for (uint32_t k = 0; k < x->at[i].len; k++) {
		buf_char(out, p[k]);
		k += p[k] == '"';
	}
}

static bool names_channel(const struct sexpr *x)
{
	return x->n > 2 && option_channel(x->text + x->at[2].off, x->at[2].len);
}

/* The channel is ours: the solver's output is what we read. */
static enum rc set_channel(struct smt_session *s, const struct command *c, struct err *e)
{
	struct buf *name = &s->script.channel;
	enum rc rc = mirror_settle(s, e);
	if (rc != RC_OK)
		return rc;
	buf_clear(name);
	add_string(name, c->x, 3);
	if (!s->o.channel || s->o.channel(s->o.caller, buf_str(name)))
		return success(s, e);
	long line = c->line, col = c->col;
	sexpr_advance(c->text, 0, c->x->at[3].off - 1, &line, &col);
	buf_printf(&s->out, "(error \"line %ld column %ld: failed to set output stream '%s'\")\n", line,
		   col - (line != 1), buf_str(name));
	s->error = s->command;
	s->stats.errors++;
	buf_clear(name);
	return RC_OK;
}

static enum rc do_set_option(struct smt_session *s, const struct command *c, struct err *e)
{
	struct script *p = &s->script;
	const struct sexpr *x = c->x;
	if (x->n == 4 && sexpr_is(x, 2, ":print-success", 14) &&
	    (sexpr_is_symbol(x, 3, "true") || sexpr_is_symbol(x, 3, "false"))) {
		enum rc rc = mirror_settle(s, e);
		p->print_success = sexpr_is_symbol(x, 3, "true");
		return rc == RC_OK ? success(s, e) : rc;
	}
	if (x->n == 4 && names_channel(x) && x->at[3].kind == SEXPR_STRING)
		return set_channel(s, c, e);
	if (x->n > 2 && sexpr_is(x, 2, ":error-behavior", 15)) {
		enum rc rc = mirror_settle(s, e); /* errors so far do not end it */
		if (rc != RC_OK)
			return rc;
	}
	enum option_kind kind = x->n > 2 ? option_kind(x->text + x->at[2].off, x->at[2].len) : OPTION_MEANING;
	if (x->n > 2)
		follow_option(p, x);
	if (kind == OPTION_MEANING) {
		scope_note(&p->reader.scope, x);
		p->meaning_options = true;
	}
	bool sure = certain_option(p, x);
	p->stack_only |= !sure;
	/* z3 keeps the value of any option that it took */
	bool lasts = kind > OPTION_PLAIN || (kind == OPTION_PLAIN && !p->initialized && x->n == 4);
	bool cores = x->n == 4 && sexpr_is_symbol(x, 3, "true") && sexpr_is(x, 2, ":produce-unsat-cores", 20);
	p->lasting_options |= lasts && (!sure || cores); /* z3 does not switch these off again */
	p->plain_options |= lasts && sure;
	struct item *t = add_item(s, c, sure);
	t->option = (uint8_t)kind;
	t->lasts = lasts;
	return option_success(s, x, t, e);
}

static enum rc do_set_info(struct smt_session *s, const struct command *c, struct err *e)
{
	struct script *p = &s->script;
	bool sure = certain_info(c->x);
	p->stack_only |= !sure;
	if (sure && sexpr_is(c->x, 2, ":status", 7))
		p->status = sexpr_is_symbol(c->x, 3, "sat")     ? VERDICT_SAT
			    : sexpr_is_symbol(c->x, 3, "unsat") ? VERDICT_UNSAT
								: VERDICT_NONE;
	add_item(s, c, sure);
	return success(s, e);
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

/* Asks about nothing but the stack, or nothing at all. */
static enum rc do_ask_stack(struct smt_session *s, const struct command *c, struct err *e)
{
	enum rc rc = solver_gone_is_ok(mirror_sync(s, e));
	return rc == RC_OK ? solver_gone_is_ok(mirror_pass(s, c, NULL, e)) : rc;
}

/* A push or pop with more than a number. z3 complains after it has obeyed; whether another solver has is not known, so
 * whichever it was, it has to hear of the stack again. */
static enum rc complain(struct smt_session *s, const struct command *c, struct err *e)
{
	enum rc rc = do_ask_stack(s, c, e);
	mirror_forget(&s->mirror);
	s->mirror.stale = true;
	give_up(&s->script);
	return rc;
}

static enum rc do_push(struct smt_session *s, const struct command *c, struct err *e)
{
	struct script *p = &s->script;
	uint64_t n = count_of(c->x);
	if (n == UINT64_MAX)
		return do_ask_stack(s, c, e); /* for its error */
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
	p->initialized = true;
	stack_changed(s);
	return complaint ? RC_OK : success(s, e);
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
	if (n == UINT64_MAX || n > p->level.n)
		return do_ask_stack(s, c, e); /* for its error */
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
	buf_clear(&p->last.text);
	return complaint ? RC_OK : success(s, e);
}

/* A command that takes no argument has some: it does nothing, and the solver says why. */
static bool has_arguments(const struct command *c)
{
	return c->x->n > 2;
}

static enum rc do_reset(struct smt_session *s, const struct command *c, struct err *e)
{
	if (has_arguments(c))
		return do_ask_stack(s, c, e);
	enum rc rc = mirror_settle(s, e);
	if (rc == RC_OK)
		rc = success(s, e);
	if (rc == RC_OK)
		session_reset(s);
	return rc;
}

/* Whether declarations survive differs between solvers: they stay known here, and declaring one again ends caching. */
static enum rc do_reset_assertions(struct smt_session *s, const struct command *c, struct err *e)
{
	struct script *p = &s->script;
	if (has_arguments(c))
		return do_ask_stack(s, c, e);
	p->uncacheable |= p->level.n > 0;
	p->stack_only = true; /* what came before it is no longer one script of assertions */
	vec_clear(&p->reader.assertion);
	return keep(s, c, p->level.n == 0, e);
}

/* ---- what asks */

static enum rc do_exit(struct smt_session *s, const struct command *c, struct err *e)
{
	if (has_arguments(c))
		return do_ask_stack(s, c, e);
	enum rc rc = mirror_settle(s, e);
	if (rc == RC_OK)
		rc = success(s, e);
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
	add_string(&s->out, x, 2);
	buf_char(&s->out, '\n');
	return RC_OK;
}

enum rc smt_session_statistics(struct smt_session *s, struct err *e)
{
	static const char text[] = "(get-info :all-statistics)";
	struct command c = {.text = text, .n = sizeof text - 1, .line = 1, .col = 1};
	if (smt_session_stats(s).solver_calls)
		return do_ask_stack(s, &c, e);
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

static enum rc do_get_option(struct smt_session *s, const struct command *c, struct err *e)
{
	bool success = c->x->n == 3 && sexpr_is(c->x, 2, ":print-success", 14);
	if (!success && (c->x->n != 3 || !names_channel(c->x) || !s->script.channel.n))
		return do_ask_stack(s, c, e);
	enum rc rc = mirror_settle(s, e);
	const char *value = s->script.print_success ? "true" : "false";
	if (rc == RC_OK)
		buf_printf(&s->out, "%s\n", success ? value : buf_str(&s->script.channel));
	return rc;
}

static enum rc do_get_info(struct smt_session *s, const struct command *c, struct err *e)
{
	const struct sexpr *x = c->x;
	bool state = x->n > 2 && (sexpr_is(x, 2, ":reason-unknown", 15) || sexpr_is(x, 2, ":all-statistics", 15));
	return state ? commands_ask_state(s, c, e) : do_ask_stack(s, c, e);
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
	add_item(s, c, true);
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
	ROW_ASSUMING = 1, /* has assumptions */
};

static const struct row table[] = {
	{"assert", do_assert, 0},
	{"check-sat", check_sat, 0},
	{"check-sat-assuming", check_sat, ROW_ASSUMING},
	{"set-logic", do_set_logic, 0},
	{"set-option", do_set_option, 0},
	{"set-info", do_set_info, 0},
	{"push", do_push, 0},
	{"pop", do_pop, 0},
	{"reset", do_reset, 0},
	{"reset-assertions", do_reset_assertions, 0},
	{"exit", do_exit, 0},
	{"echo", do_echo, 0},
	{"get-value", values_get_value, 0},
	{"get-model", values_get_model, 0},
	{"get-unsat-core", commands_ask_state, 0},
	{"get-unsat-assumptions", commands_ask_state, 0},
	{"get-assignment", values_ask, 0},
	{"get-proof", commands_ask_state, 0},
	{"get-objectives", commands_ask_state, 0},
	{"get-info", do_get_info, 0},
	{"get-option", do_get_option, 0},
	{"get-assertions", do_ask_stack, 0},
	{"labels", commands_ask_state, 0},
	{"eval", values_ask, 0},
	{"simplify", do_ask_stack, 0},
	{"display", do_ask_stack, 0},
	{"help", do_ask_stack, 0},
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
		return do_ask_stack(s, &c, e); /* for its error */
	const struct row *row = find_row(&c, x->text + x->at[1].off, x->at[1].len);
	c.assuming = row->flags & ROW_ASSUMING;
	return row->run(s, &c, e);
}

enum rc smt_session_command(struct smt_session *s, const char *text, size_t n, long line, long col, struct err *e)
{
	uint64_t errors = s->stats.errors;
	bool ends = s->script.ends_at_error;
	if (text[0] == '(')
		s->command = (struct place){line, col};
	enum rc rc = run_command(s, text, n, line, col, e);
	if (rc == RC_OK && ends && s->stats.errors != errors)
		rc = RC_NO;
	if (text[0] == '(')
		s->after_error = session_failed(s, errors);
	return rc;
}
