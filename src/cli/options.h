/* SPDX-License-Identifier: MIT */
/* The command line. One table per subcommand drives parsing, --help, the man page and shell completion.
 *
 * A command owns a struct of option values; each row says where its value goes. Options take `--opt VALUE` and
 * `--opt=VALUE`, stand anywhere before `--`, are never abbreviated, and the last one wins.
 * To add a subcommand: one file in src/cmd with a `const struct command cmd_NAME`, and one row in main.c. */
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include "data/buf.h"
#include "data/err.h"
#include "data/strings.h"
#include "data/vec.h"

#include <stdbool.h>
#include <stdint.h>

enum opt_kind {
	OPT_END,      /* ends a table */
	OPT_FLAG,     /* bool */
	OPT_TEXT,     /* const char *; choices, if any, are suggestions */
	OPT_COUNT,    /* uint64_t, decimal, min … max (max 0: no limit) */
	OPT_SIZE,     /* uint64_t, with K, M, G, T */
	OPT_SECONDS,  /* double */
	OPT_CHOICE,   /* const char *, one of the choices */
	OPT_CHOICES,  /* const char *, some of the choices with commas between them */
	OPT_LIST,     /* struct strings: each use appends; one of the choices, if there are any */
	OPT_OPTIONAL, /* const char *: `--opt` alone gives "", `--opt=VALUE` its value (never the next word) */
};

/* The i-th choice, NULL after the last: what a registry offers, so that a row added there is a choice everywhere. */
typedef const char *choice_fn(size_t i);

struct opt {
	enum opt_kind kind;
	char letter;       /* 0: none */
	const char *name;  /* without "--"; "-in" is matched as it stands; NULL: letter only */
	const char *arg;   /* what the value is, in capitals; NULL for flags */
	size_t offset;     /* of the value in the command's struct */
	choice_fn *choice; /* NULL: no choices */
	uint64_t min, max; /* OPT_COUNT */
	const char *help;  /* NULL: accepted, not listed */
};

/* The rows of a table: {FLAG('q', "quiet", quiet, "help")}, …, {0}. A file that has a table defines VALUES, the
 * struct its values go to; the type of each field is checked. In order: letter, name,
 * argument, field, choices or limits, help. */
#define OPT_FIELD(field, type) (offsetof(VALUES, field) + 0 * sizeof((type *)0 == &((VALUES *)0)->field))
#define OPT_ROW(k, l, n, a, f, type, h)                                                                                \
	.kind = k, .letter = l, .name = n, .arg = a, .offset = OPT_FIELD(f, type), .help = h
#define FLAG(l, n, f, h) OPT_ROW(OPT_FLAG, l, n, NULL, f, bool, h)
#define TEXT(l, n, a, f, h) OPT_ROW(OPT_TEXT, l, n, a, f, const char *, h)
#define SUGGEST(l, n, a, f, c, h) OPT_ROW(OPT_TEXT, l, n, a, f, const char *, h), .choice = c
#define COUNT(l, n, a, f, lo, hi, h) OPT_ROW(OPT_COUNT, l, n, a, f, uint64_t, h), .min = lo, .max = hi
#define SIZE(l, n, a, f, h) OPT_ROW(OPT_SIZE, l, n, a, f, uint64_t, h)
#define SECONDS(l, n, a, f, h) OPT_ROW(OPT_SECONDS, l, n, a, f, double, h)
#define CHOICE(l, n, a, f, c, h) OPT_ROW(OPT_CHOICE, l, n, a, f, const char *, h), .choice = c
#define CHOICES(l, n, a, f, c, h) OPT_ROW(OPT_CHOICES, l, n, a, f, const char *, h), .choice = c
#define LIST(l, n, a, f, c, h) OPT_ROW(OPT_LIST, l, n, a, f, struct strings, h), .choice = c
#define OPTIONAL(l, n, a, f, h) OPT_ROW(OPT_OPTIONAL, l, n, a, f, const char *, h)

/* What every command understands. */
struct common_options {
	const char *json; /* NULL: no; "": standard output; else a file */
	const char *log;  /* run log file */
	bool quiet, verbose, help;
	const char *color, *progress; /* auto, always, never */
};

struct invocation {
	const struct command *cmd;
	struct common_options common;
	void *values;           /* the command's struct, filled */
	struct strings args;    /* operands */
	size_t dashdash;        /* args[dashdash …] stood after "--"; args.n when there was none */
	struct strings unknown; /* COMMAND_PASS_UNKNOWN: options not in the table, in order */
	struct runner *runner;  /* the process runner main started */
	struct runlog *log;     /* what --log names, or NULL; main opens and closes it */
	bool incomplete;        /* set by a command that stopped early: what its log says at the end */
	int argc;               /* all words after the command's name, as they were given */
	char *const *argv;
};

enum {
	COMMAND_PASS_UNKNOWN = 1, /* collect unknown options instead of refusing them */
	COMMAND_OPERANDS_END = 2, /* the first operand ends the options, as `--` would (a program and its arguments) */
	COMMAND_RUNNER = 4,       /* starts processes: main forks the spawner first and sets inv->runner */
	COMMAND_RAW = 8,          /* every word is an operand, --help too: another program's arguments */
};

struct command {
	const char *name;     /* "trace reduce" for a sub-subcommand */
	const char *operands; /* usage after the options: "IN" or "-- PROG ARG…" */
	const char *summary;  /* one line, a verb first */
	const char *details;  /* paragraphs for help and man page, may be NULL; a line break ends one */
	const struct opt *opts;
	size_t values_size;       /* of the command's struct */
	const void *defaults;     /* of that size, or NULL for zeros */
	const struct opt *shared; /* options that several commands have, or NULL; their values are the struct at … */
	size_t shared_at;         /* … this offset in the command's */
	unsigned flags;
	int (*run)(struct invocation *inv); /* returns the exit code */
	const struct command *const *subs;  /* NULL-ended, instead of run */
};

/* The members of a command: what help says of it, its options, what it does. */
#define COMMAND(words, usage, line, more) .name = words, .operands = usage, .summary = line, .details = more
#define OPTIONS(table, initial) .opts = table, .values_size = sizeof(VALUES), .defaults = initial
#define RUN(function, how) .run = function, .flags = how

extern const struct opt common_opts[];

/* The i-th table of a command: its own, the shared one, the common one; NULL after the last. */
const struct opt *options_table(const struct command *cmd, size_t i);
/* "--cache: invalid cache 'x' (choices: …)", for a value that the command itself found to be none of them. */
enum rc options_invalid(const struct command *cmd, const char *name, const char *value, struct err *e);

/* argv[0] is the first word after the command's name. Fills inv; values are in memory that options_release frees. */
enum rc options_parse(const struct command *cmd, int argc, char *const *argv, struct invocation *inv, struct err *e);
void options_release(struct invocation *inv);

/* Everything that is generated from the tables, appended to out. */
void options_help(const struct command *cmd, struct buf *out);
void options_man(const struct command *cmd, const char *version, const char *date, struct buf *out);
/* Another name of the program, for tools that want a path: it stands for a command's words. */
struct command_link {
	const char *name;
	const char *words[2]; /* the second may be NULL */
};
/* Completion scripts for the program and for those of its links whose name starts with refrain- and whose command takes
 * options of ours; links ends with a NULL name. */
void options_bash(const struct command *const *cmds, const struct command_link *links, struct buf *out);
void options_zsh(const struct command *const *cmds, const struct command_link *links, struct buf *out);

#endif
