/* SPDX-License-Identifier: MIT */
/* The command line. One table per subcommand drives parsing, --help, the man page and shell completion.
 *
 * A command owns a struct of option values; each row says where its value goes (offsetof). Options take
 * `--opt VALUE` and `--opt=VALUE`, stand anywhere before `--`, are never abbreviated, and the last one wins.
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
	OPT_FLAG,     /* bool */
	OPT_STRING,   /* const char * */
	OPT_UINT,     /* uint64_t, decimal, min … max (max 0: no limit) */
	OPT_SIZE,     /* uint64_t, with K, M, G, T */
	OPT_SECONDS,  /* double */
	OPT_CHOICE,   /* const char *, one of choices */
	OPT_LIST,     /* struct strings: each use appends */
	OPT_OPTIONAL, /* const char *: `--opt` alone gives "", `--opt=VALUE` its value (never the next word) */
};

struct opt {
	const char *
		name; /* without "--"; a name that starts with '-' is matched as it stands ("-in"); NULL: letter only */
	char letter;  /* 0: none */
	enum opt_kind kind;
	const char *arg;            /* placeholder in help, NULL for flags */
	const char *help;           /* one sentence, no full stop needed */
	size_t offset;              /* of the value in the command's struct */
	const char *const *choices; /* OPT_CHOICE: NULL-ended */
	uint64_t min, max;          /* OPT_UINT */
	bool hidden;                /* accepted, not listed */
};

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
	const char *summary;  /* one line */
	const char *details;  /* paragraphs for help and man page, may be NULL */
	const struct opt *opts;
	size_t n_opts;
	size_t values_size;   /* of the command's struct */
	const void *defaults; /* of that size, or NULL for zeros */
	unsigned flags;
	int (*run)(struct invocation *inv); /* returns the exit code */
	const struct command *const *subs;  /* NULL-ended, instead of run */
};

extern const struct opt common_opts[];
extern const size_t n_common_opts;

/* argv[0] is the first word after the command's name. Fills inv; values are in memory that options_release frees. */
enum rc options_parse(const struct command *cmd, int argc, char *const *argv, struct invocation *inv, struct err *e);
void options_release(struct invocation *inv);

/* Everything that is generated from the tables, appended to out. */
void options_help(const struct command *cmd, struct buf *out);
void options_man(const struct command *cmd, const char *version, const char *date, struct buf *out);
void options_bash(const struct command *const *cmds, struct buf *out);
void options_zsh(const struct command *const *cmds, struct buf *out);

#endif
