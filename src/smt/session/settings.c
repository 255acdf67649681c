/* SPDX-License-Identifier: MIT */
/* The commands that set and tell what a script wants of its solver: its logic, options, what is known of it, and where
 * its output goes. An option that may change what operators mean becomes a part of every query (scope_note); one that
 * the solver keeps over a (reset) is said to last. */
#include "smt/session/internal.h"

#include "base/bits.h"

#include <string.h>

enum rc settings_logic(struct smt_session *s, const struct command *c, struct err *e)
{
	struct script *p = &s->script;
	const struct sexpr *x = c->x;
	unsigned theories = 0;
	bool sure = x->n == 3 && !p->initialized && exact_logic(x->text + x->at[2].off, x->at[2].len, &theories);
	p->exact.theories &= theories;
	p->stack_only |= !sure;
	if (x->n > 2 && !p->logic.n)
		buf_add(&p->logic, x->text + x->at[2].off, x->at[2].len);
	commands_note_initialized(s, c);
	if (session_reading(s))
		c->statement->take(&p->reader);
	return commands_keep(s, c, sure, e);
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

/* models: it says whether the solver keeps models, and the solver takes it. */
static void follow_option(struct script *p, const struct sexpr *x, bool models)
{
	bool global = sexpr_is_keyword(x, 2, ":global-declarations") || sexpr_is_keyword(x, 2, ":global-decls");
	if (global && p->initialized)
		commands_give_up(p); /* some solvers take it now and some do not */
	if (global)
		p->global_declarations = x->n > 3 && sexpr_is_symbol(x, 3, "true");
	if (models)
		p->no_models = sexpr_is_symbol(x, 3, "false");
	if (sexpr_is_keyword(x, 2, ":error-behavior"))
		p->ends_at_error = x->n > 3 && sexpr_is_symbol(x, 3, "immediate-exit");
}

/* Is there a keyword? z3 takes |:name| for none. */
static bool names_option(const struct sexpr *x)
{
	return x->n > 2 && x->at[2].kind == SEXPR_KEYWORD;
}

/* Confirms the set-option t. One that switches the solver's :print-success on (options.h) switches ours on, and the
 * solver's is switched off again; refused by the solver, it changes nothing. */
static enum rc option_success(struct smt_session *s, const struct sexpr *x, struct item *t, struct err *e)
{
	struct script *p = &s->script;
	const char *name = names_option(x) ? x->text + x->at[2].off : "";
	size_t n = names_option(x) ? x->at[2].len : 0;
	if (s->mirror.solver->keeps_options && x->n == 4 && option_compliant(name, n) &&
	    (sexpr_is_symbol(x, 3, "true") || sexpr_is_symbol(x, 3, "false")))
		p->compliant = sexpr_is_symbol(x, 3, "true");
	if (!p->compliant || !option_parameter(name, n))
		return commands_success(s, e);
	buf_str_add(&p->log, "(set-option :print-success false)");
	t->n = p->log.n - t->off;
	bool before = p->print_success;
	uint64_t errors = s->stats.errors;
	p->print_success = true;
	enum rc rc = commands_success(s, e);
	if (session_failed(s, errors))
		p->print_success = before;
	return rc;
}

void settings_string(struct buf *out, const struct sexpr *x, uint32_t i)
{
	const char *p = x->text + x->at[i].off;
	for (uint32_t k = 0; k < x->at[i].len; k++) {
		buf_char(out, p[k]);
		k += p[k] == '"';
	}
}

static bool names_channel(const struct sexpr *x)
{
	return names_option(x) && option_channel(x->text + x->at[2].off, x->at[2].len);
}

/* The channel is ours: the solver's output is what we read. */
static enum rc set_channel(struct smt_session *s, const struct command *c, struct err *e)
{
	struct buf *name = &s->script.channel;
	enum rc rc = mirror_settle(s, e);
	if (rc != RC_OK)
		return rc;
	buf_clear(name);
	settings_string(name, c->x, 3);
	if (!s->o.channel || s->o.channel(s->o.caller, buf_str(name)))
		return commands_success(s, e);
	long line = c->line, col = c->col;
	sexpr_advance(c->text, 0, c->x->at[3].off - 1, &line, &col);
	buf_printf(&s->out, "(error \"line %ld column %ld: failed to set output stream '%s'\")\n", line,
		   col - (line != 1), buf_str(name));
	s->error = s->command;
	s->stats.errors++;
	buf_clear(name);
	return RC_OK;
}

enum rc settings_option(struct smt_session *s, const struct command *c, struct err *e)
{
	struct script *p = &s->script;
	const struct sexpr *x = c->x;
	const bool named = names_option(x);
	if (x->n == 4 && sexpr_is_keyword(x, 2, ":print-success") &&
	    (sexpr_is_symbol(x, 3, "true") || sexpr_is_symbol(x, 3, "false"))) {
		enum rc rc = mirror_settle(s, e);
		p->print_success = sexpr_is_symbol(x, 3, "true");
		return rc == RC_OK ? commands_success(s, e) : rc;
	}
	if (x->n == 4 && names_channel(x) && x->at[3].kind == SEXPR_STRING)
		return set_channel(s, c, e);
	/* errors so far do not end it, nor do they stand for this one's success */
	if (named &&
	    (sexpr_is_keyword(x, 2, ":error-behavior") || option_compliant(x->text + x->at[2].off, x->at[2].len))) {
		enum rc rc = mirror_settle(s, e);
		if (rc != RC_OK)
			return rc;
	}
	enum option_kind kind = named ? option_kind(x->text + x->at[2].off, x->at[2].len) : OPTION_MEANING;
	/* this one z3 takes at any time */
	bool models = x->n == 4 && sexpr_is_keyword(x, 2, ":produce-models") &&
		      (sexpr_is_symbol(x, 3, "true") || sexpr_is_symbol(x, 3, "false")) &&
		      (s->mirror.solver->keeps_options || !p->initialized);
	if (named)
		follow_option(p, x, models);
	if (kind == OPTION_MEANING) {
		scope_note(&p->reader.scope, x);
		p->meaning_options = true;
	}
	commands_note_initialized(s, c);
	bool sure = certain_option(p, x);
	p->stack_only |= !sure;
	/* z3 keeps the value of any option that it took */
	bool lasts = kind > OPTION_PLAIN || models || (kind == OPTION_PLAIN && !p->initialized && x->n == 4);
	bool cores = x->n == 4 && sexpr_is_symbol(x, 3, "true") && sexpr_is_keyword(x, 2, ":produce-unsat-cores");
	p->lasting_options |= lasts && !models && (!sure || cores); /* z3 does not switch these off again */
	p->plain_options |= lasts && (sure || models);
	struct item *t = commands_add(s, c, sure);
	t->option = (uint8_t)kind;
	t->lasts = lasts;
	return option_success(s, x, t, e);
}

enum rc settings_info(struct smt_session *s, const struct command *c, struct err *e)
{
	struct script *p = &s->script;
	bool sure = certain_info(c->x);
	p->stack_only |= !sure;
	if (sure && sexpr_is_keyword(c->x, 2, ":status"))
		p->status = sexpr_is_symbol(c->x, 3, "sat")     ? VERDICT_SAT
			    : sexpr_is_symbol(c->x, 3, "unsat") ? VERDICT_UNSAT
								: VERDICT_NONE;
	commands_add(s, c, sure);
	return commands_success(s, e);
}

enum rc settings_get(struct smt_session *s, const struct command *c, struct err *e)
{
	bool success = c->x->n == 3 && sexpr_is_keyword(c->x, 2, ":print-success");
	if (!success && (c->x->n != 3 || !names_channel(c->x) || !s->script.channel.n))
		return commands_ask_stack(s, c, e);
	enum rc rc = mirror_settle(s, e);
	const char *value = s->script.print_success ? "true" : "false";
	if (rc == RC_OK)
		buf_printf(&s->out, "%s\n", success ? value : buf_str(&s->script.channel));
	return rc;
}
