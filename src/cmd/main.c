/* SPDX-License-Identifier: MIT */
/* The program: finds the subcommand, parses its options by its table and runs it.
 *
 * The links refrain-reduce, refrain-z3 and refrain-cc behave as subcommands, for tools that want a path. The process
 * spawner is forked here, before anything else, for the commands that start processes (COMMAND_RUNNER). */
#include "cmd/commands.h"

#include "base/bits.h"
#include "process/runner.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

/* To add a subcommand: one file cmd_NAME.c, one extern in commands.h, one row here. */
const struct command *const commands[] = {
	&cmd_reduce, &cmd_smt,   &cmd_trace,  &cmd_profile, &cmd_check,
	&cmd_report, &cmd_store, &cmd_doctor, &cmd_help,    NULL,
};

/* Names the program may be called by instead of `refrain COMMAND`. */
static const struct {
	const char *link;
	const char *words[2];
} links[] = {
	{"refrain-reduce", {"reduce", NULL}},
	{"refrain-z3", {"smt", NULL}},
	{"refrain-cc", {"check", "cc"}},
};

static const struct command *find(const struct command *const *list, const char *word)
{
	for (; *list; list++) {
		const char *last = strrchr((*list)->name, ' ');
		if (strcmp(last ? last + 1 : (*list)->name, word) == 0)
			return *list;
	}
	return NULL;
}

static int print_help(const struct command *cmd)
{
	struct buf text = {0};
	options_help(cmd, &text);
	fputs(buf_str(&text), stdout);
	buf_release(&text);
	return 0;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct invocation inv = {0};
	struct err e = ERR_INIT;
	int code;
	if ((cmd->flags & COMMAND_RUNNER) && runner_open(&inv.runner, &e) != RC_OK)
		return cmd_fail(&e);
	if (options_parse(cmd, argc, argv, &inv, &e) != RC_OK)
		code = cmd_fail(&e);
	else if (inv.common.help)
		code = print_help(cmd);
	else
		code = cmd->run(&inv);
	options_release(&inv);
	if (inv.runner)
		runner_close(inv.runner);
	if (fflush(stdout) != 0 || ferror(stdout)) {
		fprintf(stderr, "refrain: cannot write standard output\n");
		return code ? code : 3;
	}
	return code;
}

static bool is_help(const char *word)
{
	return strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0;
}

/* words: the command's name and what follows it. */
static int dispatch(int argc, char **argv)
{
	struct err e = ERR_INIT;
	if (argc == 0) {
		fprintf(stderr, "Usage: refrain COMMAND [OPTIONS] …\n'refrain help' lists the commands.\n");
		return 2;
	}
	if (is_help(argv[0]))
		return run(&cmd_help, 0, NULL);
	if (strcmp(argv[0], "--version") == 0) {
		printf("refrain %s\n", RF_VERSION);
		return 0;
	}
	const struct command *cmd = find(commands, argv[0]);
	if (!cmd) {
		err_set(&e, RC_INPUT, "there is no command '%s' ('refrain help' lists them)", argv[0]);
		return cmd_fail(&e);
	}
	argc--;
	argv++;
	if (cmd->subs) {
		if (argc > 0 && is_help(argv[0]))
			return print_help(cmd);
		const struct command *sub = argc > 0 ? find(cmd->subs, argv[0]) : NULL;
		if (!sub) {
			err_set(&e, RC_INPUT,
				argc > 0 ? "'%s' has no command '%s' (see 'refrain %s --help')"
					 : "'%s' needs a command%.0s (see 'refrain %s --help')",
				cmd->name, argc > 0 ? argv[0] : "", cmd->name);
			return cmd_fail(&e);
		}
		cmd = sub;
		argc--;
		argv++;
	}
	return run(cmd, argc, argv);
}

int main(int argc, char **argv)
{
	signal(SIGPIPE, SIG_IGN); /* a closed pipe is an error of write, reported like any other */
	const char *slash = strrchr(argv[0], '/');
	const char *name = slash ? slash + 1 : argv[0];
	for (size_t i = 0; i < ARRAY_LEN(links); i++) {
		if (strcmp(name, links[i].link) != 0)
			continue;
		struct strings words = {0};
		vec_push(&words, links[i].words[0]);
		if (links[i].words[1])
			vec_push(&words, links[i].words[1]);
		for (int a = 1; a < argc; a++)
			vec_push(&words, argv[a]);
		int code = dispatch((int)words.n, (char **)words.at);
		vec_release(&words);
		return code;
	}
	return argc > 0 ? dispatch(argc - 1, argv + 1) : 2;
}
