/* SPDX-License-Identifier: MIT */
/* Which solver a name stands for, and what all of them share. */
#include "smt/solver/solver.h"

#include "base/bits.h"

#include <string.h>
#include <unistd.h>

/* Names a user may give; anything else is a command line. */
static const struct {
	const char *name, *program; /* program: what sh runs */
	const struct solver_kind *kind;
} named[] = {
	{"z3", "z3 -in", &solver_program},
	{"cvc5", "cvc5 --incremental --lang=smt2 --produce-models", &solver_program},
	{"boolector", "boolector --smt2", &solver_program_once},
};

const char *solver_name(size_t i)
{
	return i < ARRAY_LEN(named) ? named[i].name : NULL;
}

const char *verdict_text(enum verdict v)
{
	return v == VERDICT_SAT ? "sat" : v == VERDICT_UNSAT ? "unsat" : "unknown";
}

void solver_answer_clear(struct solver_answer *a)
{
	a->verdict = VERDICT_NONE;
	a->timed_out = false;
	a->conjuncts = 0;
	a->seconds = 0;
	buf_clear(&a->text);
	buf_clear(&a->model);
	vec_clear(&a->core);
}

void solver_answer_release(struct solver_answer *a)
{
	buf_release(&a->text);
	buf_release(&a->model);
	vec_release(&a->core);
}

/* Options that change nothing for us do not cost the library. */
static bool harmless(const char *option)
{
	return !strcmp(option, "-smt2") || !strcmp(option, "-in") || !strcmp(option, "-nw");
}

static bool in_path(const char *program)
{
	const char *path = getenv("PATH");
	size_t len = strcspn(program, " ");
	for (const char *p = path ? path : "/usr/bin:/bin"; *p;) {
		size_t n = strcspn(p, ":");
		char *file = mem_printf("%.*s/%.*s", (int)n, p, (int)len, program);
		bool there = access(file, X_OK) == 0;
		free(file);
		if (there)
			return true;
		p += n + (p[n] == ':');
	}
	return false;
}

static enum rc init_program(struct solver *s, const char *name, const struct strings *options, struct runner *runner,
			    struct err *e)
{
	struct buf b = {0};
	memset(s, 0, sizeof *s);
	s->runner = runner;
	s->kind = &solver_program;
	const char *program = name;
	for (size_t i = 0; i < ARRAY_LEN(named); i++)
		if (!strcmp(name, named[i].name)) {
			program = named[i].program;
			s->kind = named[i].kind;
		}
	if (program != name && !in_path(program)) {
		s->kind = NULL;
		return err_set(e, RC_ENV, "solver '%s' is not installed", name);
	}
	buf_printf(&b, "exec %s", program);
	for (size_t i = 0; options && i < options->n; i++)
		if (!harmless(options->at[i])) {
			buf_char(&b, ' ');
			buf_shell_word(&b, options->at[i]);
		}
	if (s->kind == &solver_program_once)
		buf_str_add(&b, " \"$1\"");
	s->command = mem_strdup(b.at);
	buf_release(&b);
	return RC_OK;
}

enum rc solver_init_program(struct solver *s, const char *name, struct runner *runner, struct err *e)
{
	return init_program(s, name, NULL, runner, e);
}

enum rc solver_init(struct solver *s, const char *name, const struct strings *options, struct runner *runner,
		    struct err *e)
{
	bool plain = !strcmp(name, "z3");
	for (size_t i = 0; options && i < options->n; i++)
		plain &= harmless(options->at[i]);
#ifdef __SANITIZE_ADDRESS__
	plain = false; /* the sanitizer cannot pass the exceptions of a C++ library that is loaded later */
#endif
	if (!plain)
		return init_program(s, name, options, runner, e);
	memset(s, 0, sizeof *s);
	s->runner = runner;
	s->kind = &solver_z3_library;
	return RC_OK;
}

void solver_release(struct solver *s)
{
	if (s->kind)
		s->kind->stop(s);
	free((char *)s->command);
	s->command = NULL;
}

enum verdict solver_find_verdict(const char *text, size_t n)
{
	static const struct {
		const char *word;
		enum verdict v;
	} words[] = {{"sat", VERDICT_SAT},
		     {"unsat", VERDICT_UNSAT},
		     {"unknown", VERDICT_UNKNOWN},
		     {"timeout", VERDICT_UNKNOWN}};
	for (size_t at = 0; at < n;) {
		const char *nl = memchr(text + at, '\n', n - at);
		size_t len = nl ? (size_t)(nl - text) - at : n - at, full = len;
		while (len && (text[at + len - 1] == '\r' || text[at + len - 1] == ' '))
			len--;
		for (size_t i = 0; i < ARRAY_LEN(words); i++)
			if (strlen(words[i].word) == len && !memcmp(text + at, words[i].word, len))
				return words[i].v;
		at += full + 1;
	}
	return VERDICT_NONE;
}
