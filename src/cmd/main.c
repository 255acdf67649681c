/* SPDX-License-Identifier: MIT */
/* The program: finds the subcommand, parses its options by its table and runs it.
 *
 * The links refrain-reduce, refrain-z3 and refrain-cc behave as subcommands, for tools that want a path; so do links
 * with the name of a solver. The process spawner is forked here, before anything else, for the commands that start
 * processes (COMMAND_RUNNER). The run log is opened and closed here, and standard output is closed and checked here,
 * for every command. */
#include "cmd/commands.h"

#include "base/bits.h"
#include "process/runner.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* To add a subcommand: one file NAME.c, one extern in commands.h, one row here. */
const struct command *const commands[] = {
	&cmd_reduce, &cmd_smt,    &cmd_trace,  &cmd_profile, &cmd_check, &cmd_report,
	&cmd_store,  &cmd_worker, &cmd_doctor, &cmd_help,    NULL,
};

/* Names the program may be called by instead of `refrain COMMAND`. */
const struct command_link command_links[] = {
	{"refrain-reduce", {"reduce", NULL}},
	{"refrain-z3", {"smt", NULL}},
	{"z3", {"smt", "--solver=z3"}},
	{"cvc5", {"smt", "--solver=cvc5"}},
	{"boolector", {"smt", "--solver=boolector"}},
	{"refrain-cc", {"check", "cc"}},
	{0},
};

/* A closed pipe and a file at its size limit are write errors, reported like any other. Another program must not
 * inherit that: the runner starts its own with default signals, a command that becomes one restores them. */
static void write_signals(bool ignore)
{
	static const int sigs[] = {SIGPIPE, SIGXFSZ};
	static struct sigaction before[ARRAY_LEN(sigs)];
	for (size_t i = 0; i < ARRAY_LEN(sigs); i++) {
		struct sigaction a = {.sa_handler = SIG_IGN};
		if (ignore)
			sigaction(sigs[i], &a, &before[i]);
		else
			sigaction(sigs[i], &before[i], NULL);
	}
}

/* If we are started with closed standard files, reading and writing there are errors, and no file of ours may get their
 * numbers. */
static void reserve_standard_files(void)
{
	static const int contrary[] = {O_WRONLY, O_RDONLY, O_RDONLY};
	for (int fd = 0; fd < 3; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", contrary[fd]) != fd)
			_exit(3);
}

static int print_help(const struct command *cmd)
{
	struct buf text = {0};
	options_help(cmd, &text);
	fputs(buf_str(&text), stdout);
	buf_release(&text);
	return 0;
}

static int run_logged(struct invocation *inv)
{
	struct err e = ERR_INIT;
	cmd_color(inv->common.color);
	if (inv->common.log && runlog_open(&inv->log, inv->common.log, inv->cmd->name, inv->argc,
					   (const char *const *)inv->argv, &e) != RC_OK)
		return cmd_fail(&e);
	int code = cmd_close_stdout(inv->cmd->run(inv));
	if (runlog_close(inv->log, code, !inv->incomplete && code < 2, &e) != RC_OK)
		code = cmd_fail_output(&e, code);
	return code;
}

static int run(const struct command *cmd, int argc, char **argv)
{
	struct invocation inv = {0};
	struct err e = ERR_INIT;
	int code;
	if (cmd->flags & COMMAND_RAW)
		write_signals(false);
	if ((cmd->flags & COMMAND_RUNNER) && runner_open(&inv.runner, &e) != RC_OK)
		return cmd_fail(&e);
	if (options_parse(cmd, argc, argv, &inv, &e) != RC_OK)
		code = cmd_fail(&e);
	else if (inv.common.help)
		code = print_help(cmd);
	else
		code = run_logged(&inv);
	options_release(&inv);
	if (inv.runner)
		runner_close(inv.runner);
	return code;
}

static bool is_help(const char *word)
{
	return strcmp(word, "-h") == 0 || strcmp(word, "--help") == 0;
}

/* What `refrain` alone says: one line to try per engine. */
static const char first_steps[] =
	"refrain " RF_VERSION " — never do the same work twice\n\n"
	"Usage: refrain COMMAND [OPTIONS] …\n\n"
	"  refrain reduce ./test.sh bug.c         shrink a file that triggers a bug\n"
	"  refrain smt query.smt2                 answer SMT-LIB scripts as a solver does, from a cache\n"
	"  refrain trace mrc keys.txt             see how large a cache a stream of keys needs\n"
	"  refrain profile -- ./program           find functions that are worth memoizing\n"
	"  refrain-cc -g prog.c -o prog           check the contracts of C data at every call\n"
	"  refrain report *.log -o report.html    see what was saved (each command writes a log with --log FILE)\n\n"
	"New here? 'refrain doctor' tries what works on this machine; 'refrain help' lists the commands.\n";

/* words: the command's name and what follows it. */
static int dispatch(int argc, char **argv)
{
	struct err e = ERR_INIT;
	if (argc == 0) {
		fputs(first_steps, stderr);
		return 2;
	}
	if (is_help(argv[0]))
		return run(&cmd_help, 0, NULL);
	if (strcmp(argv[0], "--version") == 0) {
		printf("refrain %s\n", RF_VERSION);
		return 0;
	}
	const struct command *cmd = cmd_find(commands, argv[0]);
	if (!cmd) {
		err_set(&e, RC_INPUT, "unknown command '%s' ('refrain help' lists the commands)", argv[0]);
		return cmd_fail(&e);
	}
	argc--;
	argv++;
	if (cmd->subs) {
		if (argc > 0 && is_help(argv[0]))
			return print_help(cmd);
		const struct command *sub = argc > 0 ? cmd_find(cmd->subs, argv[0]) : NULL;
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

/* Called as one of the links, or as refrain. */
static int dispatch_name(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	const char *name = slash ? slash + 1 : argv[0];
	for (const struct command_link *l = command_links; l->name; l++) {
		if (strcmp(name, l->name) != 0)
			continue;
		struct strings words = {0};
		vec_push(&words, l->words[0]);
		if (l->words[1])
			vec_push(&words, l->words[1]);
		/* a solver's -h is its own help, also written -? */
		bool solver = strcmp(l->words[0], "smt") == 0;
		for (int a = 1; a < argc; a++)
			vec_push(&words, solver && strcmp(argv[a], "-h") == 0 ? "-?" : argv[a]);
		int code = dispatch((int)words.n, (char **)words.at);
		vec_release(&words);
		return code;
	}
	return dispatch(argc - 1, argv + 1);
}

int main(int argc, char **argv)
{
	reserve_standard_files();
	write_signals(true);
	return cmd_close_stdout(argc > 0 ? dispatch_name(argc, argv) : 2);
}
