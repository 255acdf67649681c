/* SPDX-License-Identifier: MIT */
/* Which solver a name stands for, and what all of them share. */
#include "smt/solver/solver.h"

#include "base/bits.h"

#include <string.h>
#include <unistd.h>

/* A name that a user may give; anything else is a command line. */
struct solver_row {
	const char *name, *program;        /* program: what sh runs */
	const struct solver_kind *kind;    /* how the program is talked to */
	const struct solver_kind *library; /* used instead of the program unless it gets options; NULL: none */
};

static const struct solver_row solver_names[] = {
	{"z3", "z3 -in", &solver_program, &solver_z3_library},
	{"cvc5", "cvc5 --incremental --lang=smt2 --produce-models", &solver_program, NULL},
	{"boolector", "boolector --smt2", &solver_program_once, NULL},
	{NULL, NULL, NULL, NULL},
};

const char *solver_name(size_t i)
{
	return i < ARRAY_LEN(solver_names) ? solver_names[i].name : NULL;
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

/* What sh runs: the program with the options that are not harmless, and the script's file for one that wants it. */
static char *command_text(const char *program, const struct solver_kind *kind, const struct strings *options)
{
	struct buf b = {0};
	buf_printf(&b, "exec %s", program);
	for (size_t i = 0; options && i < options->n; i++)
		if (!harmless(options->at[i])) {
			buf_char(&b, ' ');
			buf_shell_word(&b, options->at[i]);
		}
	if (kind == &solver_program_once)
		buf_str_add(&b, " \"$1\"");
	return b.at;
}

/* The library when there is one and nothing speaks against it, else the program. */
static const struct solver_kind *kind_of(const struct solver_row *row, const struct strings *options, bool program)
{
	bool library = row->library && !program;
	for (size_t i = 0; options && i < options->n; i++)
		library &= harmless(options->at[i]);
#ifdef __SANITIZE_ADDRESS__
	library = false; /* the sanitizer cannot pass the exceptions of a C++ library that is loaded later */
#endif
	return library ? row->library : row->kind;
}

/* The one place where a name becomes a solver. */
static enum rc choose(struct solver *s, const char *name, const struct strings *options, bool program, struct err *e)
{
	const struct solver_row *row = solver_names;
	struct runner *runner = s->runner;
	memset(s, 0, sizeof *s);
	s->runner = runner;
	while (row->name && strcmp(row->name, name))
		row++;
	if (!row->name) {
		s->kind = &solver_program;
		s->command = command_text(name, s->kind, options);
		return RC_OK;
	}
	const struct solver_kind *kind = kind_of(row, options, program);
	if (kind == row->kind) {
		if (!in_path(row->program))
			return err_set(e, RC_ENV, "solver '%s' is not installed", name);
		s->command = command_text(row->program, kind, options);
	}
	s->kind = kind;
	return RC_OK;
}

enum rc solver_init(struct solver *s, const char *name, const struct strings *options, struct runner *runner,
		    struct err *e)
{
	s->runner = runner;
	return choose(s, name, options, false, e);
}

enum rc solver_init_program(struct solver *s, const char *name, struct runner *runner, struct err *e)
{
	s->runner = runner;
	return choose(s, name, NULL, true, e);
}

void solver_init_like(struct solver *s, const struct solver *other)
{
	*s = (struct solver){.kind = other->kind,
			     .runner = other->runner,
			     .command = other->command ? mem_strdup(other->command) : NULL,
			     .memory_bytes = other->memory_bytes};
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

bool solver_has_error(const struct buf *text)
{
	return text->n && memmem(text->at, text->n, "(error", 6);
}
