/* SPDX-License-Identifier: MIT */
/* Which solver a name stands for, and what all of them share. */
#include "smt/solver/solver.h"

#include "base/bits.h"
#include "smt/solver/behind.h"
#include "smt/solver/options.h"

#include <string.h>

/* A name that a user may give; anything else is a command line. */
struct solver_row {
	const char *name, *program;        /* program: what sh runs */
	const char *limit;                 /* how it is told its limit in milliseconds */
	const struct solver_kind *kind;    /* how the program is talked to */
	const struct solver_kind *library; /* used instead of the program unless it gets options; NULL: none */
};

static const struct solver_row solver_names[] = {
	{"z3", "z3 -in", " -t:%llu", &solver_program, &solver_z3_library},
	{"cvc5", "cvc5 --incremental --lang=smt2 --produce-models", " --tlimit-per=%llu", &solver_program, NULL},
	{"boolector", "boolector --smt2", NULL, &solver_program_once, NULL},
	{NULL, NULL, NULL, NULL, NULL},
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
	a->seconds = a->cpu_s = a->model_s = 0;
	buf_clear(&a->text);
	buf_clear(&a->model);
	vec_clear(&a->core);
}

void solver_answer_release(struct solver_answer *a)
{
	vec_release_all(&a->text, &a->model, &a->core);
}

/* Options that the library and our way of talking to a program stand for. */
static bool implied(const char *option)
{
	return !strcmp(option, "-smt2") || !strcmp(option, "-in") || !strcmp(option, "-nw");
}

/* What sh runs: the program with the options that are not implied, and the script's file for one that wants it. */
static char *command_text(const char *program, const char *rest, const struct solver_kind *kind,
			  const struct strings *options)
{
	struct buf b = {0};
	buf_printf(&b, "exec %s%s", program, rest);
	for (size_t i = 0; options && i < options->n; i++)
		if (!implied(options->at[i])) {
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
		library &= implied(options->at[i]);
#ifdef __SANITIZE_ADDRESS__
	library = false; /* the sanitizer cannot pass the exceptions of a C++ library that is loaded later */
#endif
	return library ? row->library : row->kind;
}

/* What a word of the command line says about the solver. */
static void note_word(struct solver *s, const char *word, size_t n)
{
	bool compliant = s->keeps_options && option_word_compliant(word, n);
	s->compliant |= compliant;
	s->meaning_options |= !compliant && option_word(word, n) == OPTION_MEANING;
}

static void note_words(struct solver *s, const char *rest, const struct strings *options)
{
	for (const char *p = rest; *p; p += strcspn(p, " ")) {
		p += strspn(p, " ");
		note_word(s, p, strcspn(p, " "));
	}
	for (size_t i = 0; options && i < options->n; i++)
		note_word(s, options->at[i], strlen(options->at[i]));
}

/* The command line: its first word, looked up past ourselves, and the rest. */
static enum rc set_command(struct solver *s, const char *line, bool required, const struct strings *options,
			   struct err *e)
{
	size_t first = strcspn(line, " ");
	char *name = mem_strndup(line, first), *path = NULL;
	enum rc rc = behind_find(name, &path, e);
	if (rc == RC_NO && required)
		rc = err_set(e, RC_ENV, "solver '%s' is not installed", name);
	if (rc == RC_OK || rc == RC_NO) {
		const char *base = strrchr(name, '/') ? strrchr(name, '/') + 1 : name;
		s->keeps_options |= !strcmp(base, "z3");
		note_words(s, line + first, options);
		struct buf word = {0};
		if (path)
			buf_shell_word(&word, path);
		s->command = command_text(path ? word.at : name, line + first, s->kind, options);
		buf_release(&word);
		s->behind = behind_mark(path ? path : s->command);
		rc = behind_check(path ? path : s->command, e);
	}
	free(name);
	free(path);
	return rc;
}

/* The one place where a name becomes a solver. */
static enum rc choose(struct solver *s, const char *name, const struct strings *options, bool program, struct err *e)
{
	const struct solver_row *row = solver_names;
	*s = (struct solver){.runner = s->runner};
	while (row->name && strcmp(row->name, name))
		row++;
	s->kind = row->name ? kind_of(row, options, program) : &solver_program;
	s->limit = row->limit;
	if (row->name && s->kind == row->library) {
		s->keeps_options = true;
		return RC_OK;
	}
	enum rc rc = set_command(s, row->name ? row->program : name, row->name, options, e);
	if (rc != RC_OK)
		solver_release(s);
	return rc;
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
			     .behind = other->behind ? mem_strdup(other->behind) : NULL,
			     .limit = other->limit,
			     .keeps_options = other->keeps_options,
			     .meaning_options = other->meaning_options,
			     .compliant = other->compliant,
			     .memory_bytes = other->memory_bytes};
}

void solver_release(struct solver *s)
{
	if (s->kind)
		s->kind->stop(s);
	free((char *)s->command);
	free((char *)s->behind);
	s->command = s->behind = NULL;
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
