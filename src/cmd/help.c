/* SPDX-License-Identifier: MIT */
/* `refrain help [COMMAND …]`; also writes what the build generates from the option tables. */
#include "cmd/commands.h"

#include "base/bits.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

struct help_options {
	const char *man;        /* folder for the man pages */
	const char *completion; /* bash or zsh */
};

static const char *shell(size_t i)
{
	static const char *const shells[] = {"bash", "zsh"};
	return i < ARRAY_LEN(shells) ? shells[i] : NULL;
}

#define VALUES struct help_options
static const struct opt opts[] = {
	{TEXT(0, "man", "FOLDER", man, "write a man page for each command to FOLDER")},
	{CHOICE(0, "completion", "SHELL", completion, shell, "print the completion script for a shell")},
	{0},
};

/* Pages carry the release's date, not the build's, so that builds are reproducible. */
static const char release_date[] = "2026-11-15";

static void overview(struct buf *out)
{
	buf_str_add(out, "refrain " RF_VERSION " — never do the same work twice\n\n"
			 "Usage: refrain COMMAND [OPTIONS] …\n\nCommands:\n");
	for (const struct command *const *c = commands; *c; c++)
		buf_printf(out, "  %-10s %s\n", (*c)->name, (*c)->summary);
	buf_str_add(out, "\n'refrain help COMMAND' and 'refrain COMMAND --help' say more about each.\n");
}

static void main_page(struct buf *out)
{
	buf_printf(out,
		   ".TH REFRAIN 1 \"%s\" \"refrain %s\" \"User Commands\"\n.SH NAME\nrefrain \\- never do the same "
		   "work twice\n",
		   release_date, RF_VERSION);
	buf_str_add(out, ".SH SYNOPSIS\n.B refrain\n.I COMMAND\n.RI [ OPTIONS ]\n.SH DESCRIPTION\n"
			 "Finds the work which programs, and most of all program-analysis tools, do again and again, "
			 "and stops it.\n"
			 ".SH COMMANDS\n");
	for (const struct command *const *c = commands; *c; c++)
		buf_printf(out, ".TP\n.BR refrain\\-%s (1)\n%s.\n", (*c)->name, (*c)->summary);
	buf_str_add(out, ".SH EXIT STATUS\n0 done; 1 the answer is no; 2 usage or bad input; 3 the environment "
			 "failed;\n128+signal when stopped.\n");
}

/* The pages of the other names the program is installed under. */
static const struct {
	const char *name, *summary, *text, *see;
} link_pages[] = {
	{"refrain-cc", "C compiler that checks contracts at run time",
	 "Takes the arguments of the C compiler and behaves as\n.BR \"refrain check cc\" :\n"
	 "contracts in the sources are checked at every call.\nThe variable RF_CC names the real compiler, "
	 "RF_CHECK_OPTIONS holds options of refrain.\n",
	 "refrain\\-check"},
	{"refrain-gplc", "GNU Prolog compiler that checks contracts at run time",
	 "Takes the arguments of\n.BR gplc (1)\nand checks the contracts of Prolog sources at run time; "
	 "\\-\\-no\\-checks compiles without them.\n",
	 "refrain\\-check"},
	{"refrain-z3", "SMT solver with a cache in front",
	 "Takes the arguments of\n.BR z3 (1)\nand behaves as\n.BR \"refrain smt\" :\n"
	 "give it to a tool that asks for the path of z3.\n",
	 "refrain\\-smt"},
};

static void link_page(size_t i, struct buf *out)
{
	const char *name = link_pages[i].name;
	buf_str_add(out, ".TH ");
	for (const char *c = name; *c; c++)
		buf_char(out, (char)toupper((unsigned char)*c));
	buf_printf(out, " 1 \"%s\" \"refrain %s\" \"User Commands\"\n.SH NAME\n%s \\- %s\n", release_date, RF_VERSION,
		   name, link_pages[i].summary);
	buf_printf(out, ".SH SYNOPSIS\n.B %s\n.I ARGUMENT…\n.SH DESCRIPTION\n%s.SH SEE ALSO\n.BR %s (1)\n", name,
		   link_pages[i].text, link_pages[i].see);
}

static enum rc write_page(const char *folder, const char *name, struct buf *page, struct err *e)
{
	char *path = mem_printf("%s/refrain%s.1", folder, name);
	enum rc rc = buf_write_file(page, path, 0644, e);
	free(path);
	buf_clear(page);
	return rc;
}

static enum rc write_pages(const char *folder, struct err *e)
{
	struct buf page = {0};
	main_page(&page);
	enum rc rc = write_page(folder, "", &page, e);
	for (const struct command *const *c = commands; *c && rc == RC_OK; c++) {
		char *name = mem_printf("-%s", (*c)->name);
		options_man(*c, RF_VERSION, release_date, &page);
		rc = write_page(folder, name, &page, e);
		free(name);
	}
	for (size_t i = 0; i < ARRAY_LEN(link_pages) && rc == RC_OK; i++) {
		link_page(i, &page);
		rc = write_page(folder, link_pages[i].name + strlen("refrain"), &page, e);
	}
	buf_release(&page);
	return rc;
}

static const struct command *find_words(const struct strings *words)
{
	const struct command *const *list = commands;
	const struct command *found = NULL;
	for (size_t i = 0; i < words->n; i++) {
		found = list ? cmd_find(list, words->at[i]) : NULL;
		list = found ? found->subs : NULL;
	}
	return found;
}

static int run_help(struct invocation *inv)
{
	const struct help_options *o = inv->values;
	struct buf out = {0};
	struct err e = ERR_INIT;
	int code = 0;
	const struct command *cmd = find_words(&inv->args);
	if (inv->common.json) {
		err_set(&e, RC_INPUT, "help has no result to write as JSON");
		code = cmd_fail(&e);
	} else if (o->man)
		code = write_pages(o->man, &e) == RC_OK ? 0 : cmd_fail(&e);
	else if (o->completion)
		(strcmp(o->completion, "bash") == 0 ? options_bash : options_zsh)(commands, command_links, &out);
	else if (inv->args.n == 0)
		overview(&out);
	else if (cmd)
		options_help(cmd, &out);
	else {
		err_set(&e, RC_INPUT, "unknown command '%s' ('refrain help' lists the commands)", inv->args.at[0]);
		code = cmd_fail(&e);
	}
	fputs(buf_str(&out), stdout);
	buf_release(&out);
	return code;
}

const struct command cmd_help = {
	COMMAND("help", "[COMMAND…]", "show what the commands do and which options they take", NULL),
	OPTIONS(opts, NULL),
	RUN(run_help, 0),
};
