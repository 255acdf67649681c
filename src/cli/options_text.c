/* SPDX-License-Identifier: MIT */
/* What is generated from the option tables: --help, man pages, bash and zsh completion. See options.h. */
#include "cli/options.h"

#include <ctype.h>
#include <string.h>

enum { HELP_COLUMN = 28, HELP_WIDTH = 96 };

/* "  -k, --name=ARG" */
static void option_syntax(const struct opt *o, struct buf *out)
{
	bool word = o->kind != OPT_FLAG && o->kind != OPT_OPTIONAL;
	if (o->letter)
		buf_printf(out, "-%c", o->letter);
	if (o->letter && o->name)
		buf_str_add(out, ", ");
	if (o->name)
		buf_printf(out, "%s%s", o->name[0] == '-' ? "" : "--", o->name);
	if (word)
		buf_printf(out, "%s%s", o->name ? "=" : " ", o->arg);
	else if (o->kind == OPT_OPTIONAL)
		buf_printf(out, "[=%s]", o->arg);
}

static void option_help(const struct opt *o, struct buf *out)
{
	buf_str_add(out, o->help);
	for (const char *const *c = o->kind == OPT_CHOICE ? o->choices : NULL; c && *c; c++)
		buf_printf(out, "%s%s", c == o->choices ? ": " : ", ", *c);
}

/* Words of text from column `from`, wrapped; the cursor stands at column `at`. */
static void wrap(struct buf *out, const char *text, size_t at, size_t from)
{
	while (*text) {
		size_t n = strcspn(text, " ");
		if (at + n > HELP_WIDTH && at > from) {
			buf_char(out, '\n');
			at = 0;
		}
		for (; at < from; at++)
			buf_char(out, ' ');
		buf_add(out, text, n);
		at += n;
		text += n;
		text += strspn(text, " ");
		if (*text && at < HELP_WIDTH) {
			buf_char(out, ' ');
			at++;
		}
	}
	while (out->n && out->at[out->n - 1] == ' ')
		out->n--;
	buf_char(out, '\n');
}

static void help_rows(const struct opt *opts, size_t n, struct buf *out)
{
	struct buf left = {0}, right = {0};
	for (size_t i = 0; i < n; i++) {
		if (opts[i].hidden)
			continue;
		buf_clear(&left);
		buf_clear(&right);
		buf_str_add(&left, opts[i].letter ? "  " : "      ");
		option_syntax(&opts[i], &left);
		option_help(&opts[i], &right);
		buf_str_add(out, buf_str(&left));
		size_t at = left.n;
		if (at + 2 > HELP_COLUMN) {
			buf_char(out, '\n');
			at = 0;
		}
		wrap(out, buf_str(&right), at, HELP_COLUMN);
	}
	buf_release(&left);
	buf_release(&right);
}

static void help_subs(const struct command *cmd, struct buf *out)
{
	buf_str_add(out, "\nCommands:\n");
	for (const struct command *const *s = cmd->subs; *s; s++)
		buf_printf(out, "  %-18s %s\n", (*s)->name, (*s)->summary);
	buf_printf(out, "\n'refrain help %s' and so on say more about each.\n", cmd->subs[0]->name);
}

void options_help(const struct command *cmd, struct buf *out)
{
	if (cmd->subs)
		buf_printf(out, "Usage: refrain %s COMMAND [OPTIONS] …\n\n%s.\n", cmd->name, cmd->summary);
	else
		buf_printf(out, "Usage: refrain %s [OPTIONS] %s\n\n%s.\n", cmd->name, cmd->operands, cmd->summary);
	if (cmd->details) {
		buf_char(out, '\n');
		buf_str_add(out, cmd->details);
	}
	if (cmd->subs)
		help_subs(cmd, out);
	if (cmd->n_opts) {
		buf_str_add(out, "\nOptions:\n");
		help_rows(cmd->opts, cmd->n_opts, out);
	}
	buf_str_add(out, "\nEverywhere:\n");
	help_rows(common_opts, n_common_opts, out);
}

/* roff text: a dot or quote at the start of a line and every backslash and hyphen would be read as markup */
static void roff(struct buf *out, const char *s)
{
	bool line_start = true;
	for (; *s; s++) {
		if (line_start && (*s == '.' || *s == '\''))
			buf_str_add(out, "\\&");
		if (*s == '\\')
			buf_str_add(out, "\\e");
		else if (*s == '-')
			buf_str_add(out, "\\-");
		else
			buf_char(out, *s);
		line_start = *s == '\n';
	}
}

static void man_rows(const struct opt *opts, size_t n, struct buf *out)
{
	struct buf text = {0};
	for (size_t i = 0; i < n; i++) {
		if (opts[i].hidden)
			continue;
		buf_str_add(out, ".TP\n.B ");
		buf_clear(&text);
		option_syntax(&opts[i], &text);
		roff(out, buf_str(&text));
		buf_char(out, '\n');
		buf_clear(&text);
		option_help(&opts[i], &text);
		roff(out, buf_str(&text));
		buf_str_add(out, ".\n");
	}
	buf_release(&text);
}

static void man_command(const struct command *cmd, struct buf *out)
{
	buf_str_add(out, ".B refrain ");
	roff(out, cmd->name);
	buf_str_add(out, "\n.RI [ OPTIONS ]\n");
	roff(out, cmd->operands);
	buf_char(out, '\n');
}

void options_man(const struct command *cmd, const char *version, const char *date, struct buf *out)
{
	struct buf upper = {0};
	for (const char *s = cmd->name; *s; s++)
		buf_char(&upper, (char)(*s == ' ' ? '-' : toupper((unsigned char)*s)));
	buf_printf(out, ".TH REFRAIN-%s 1 \"%s\" \"refrain %s\" \"User Commands\"\n", buf_str(&upper), date, version);
	buf_release(&upper);
	buf_str_add(out, ".SH NAME\nrefrain\\-");
	roff(out, cmd->name);
	buf_str_add(out, " \\- ");
	roff(out, cmd->summary);
	buf_str_add(out, "\n.SH SYNOPSIS\n");
	if (!cmd->subs)
		man_command(cmd, out);
	for (const struct command *const *s = cmd->subs; s && *s; s++) {
		man_command(*s, out);
		buf_str_add(out, ".br\n");
	}
	buf_str_add(out, ".SH DESCRIPTION\n");
	roff(out, cmd->details ? cmd->details : cmd->summary);
	buf_char(out, '\n');
	for (const struct command *const *s = cmd->subs; s && *s; s++) {
		buf_str_add(out, ".SS ");
		roff(out, (*s)->name);
		buf_char(out, '\n');
		roff(out, (*s)->summary);
		buf_str_add(out, ".\n");
		if ((*s)->details) {
			buf_str_add(out, ".PP\n");
			roff(out, (*s)->details);
			buf_char(out, '\n');
		}
		man_rows((*s)->opts, (*s)->n_opts, out);
	}
	buf_str_add(out, ".SH OPTIONS\n");
	man_rows(cmd->opts, cmd->n_opts, out);
	buf_str_add(out, ".SS Everywhere\n");
	man_rows(common_opts, n_common_opts, out);
	buf_str_add(out,
		    ".SH EXIT STATUS\n0 done; 1 the answer is no; 2 usage or bad input; 3 the environment failed;\n"
		    "128+signal when stopped.\n.SH SEE ALSO\n.BR refrain (1)\n");
}

/* The words a command's options can be completed to. */
static void option_words(const struct command *cmd, struct buf *out)
{
	const struct opt *tables[] = {cmd->opts, common_opts};
	size_t sizes[] = {cmd->n_opts, n_common_opts};
	for (int t = 0; t < 2; t++)
		for (size_t i = 0; i < sizes[t]; i++) {
			const struct opt *o = &tables[t][i];
			if (o->hidden || !o->name || o->name[0] == '-')
				continue;
			buf_printf(out, " --%s", o->name);
			if (o->kind != OPT_FLAG && o->kind != OPT_OPTIONAL)
				buf_char(out, '=');
			for (const char *const *c = o->kind == OPT_CHOICE ? o->choices : NULL; c && *c; c++)
				buf_printf(out, " --%s=%s", o->name, *c);
		}
}

static void bash_case(const struct command *cmd, struct buf *out)
{
	buf_printf(out, "\t'%s') words='", cmd->name);
	for (const struct command *const *s = cmd->subs; s && *s; s++)
		buf_printf(out, " %s", strrchr((*s)->name, ' ') + 1);
	if (!cmd->subs)
		option_words(cmd, out);
	buf_str_add(out, "' ;;\n");
}

void options_bash(const struct command *const *cmds, struct buf *out)
{
	buf_str_add(out, "# bash completion for refrain, generated from the option tables\n"
			 "_refrain()\n{\n"
			 "\tlocal line=\"${COMP_LINE:0:COMP_POINT}\" cur words='' name\n"
			 "\tcur=\"${line##*[[:space:]]}\"\n"
			 "\tname=\"${COMP_WORDS[1]}\"\n"
			 "\tcase \"$name\" in ");
	/* the empty name never stands there: it only makes the pattern list valid when no command has subcommands */
	buf_str_add(out, "''");
	for (const struct command *const *c = cmds; *c; c++)
		if ((*c)->subs)
			buf_printf(out, "|%s", (*c)->name);
	buf_str_add(out, ") ((COMP_CWORD > 2)) && name=\"$name ${COMP_WORDS[2]}\" ;; esac\n"
			 "\t((COMP_CWORD == 1)) && name=''\n"
			 "\tcase \"$name\" in\n\t'') words='");
	for (const struct command *const *c = cmds; *c; c++)
		buf_printf(out, " %s", (*c)->name);
	buf_str_add(out, "' ;;\n");
	for (const struct command *const *c = cmds; *c; c++) {
		bash_case(*c, out);
		for (const struct command *const *s = (*c)->subs; s && *s; s++)
			bash_case(*s, out);
	}
	buf_str_add(out, "\tesac\n"
			 "\tmapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
			 "\t# readline breaks words at '=': give back only what follows it\n"
			 "\tif [[ $cur == *=* && $COMP_WORDBREAKS == *=* ]]; then "
			 "COMPREPLY=(\"${COMPREPLY[@]#\"${cur%%=*}=\"}\"); fi\n"
			 "\t[[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n"
			 "}\n"
			 "complete -o default -F _refrain refrain\n");
}

static void zsh_quote(const char *s, struct buf *out)
{
	for (; *s; s++) {
		if (*s == '\'')
			buf_str_add(out, "'\\'");
		if (*s == '[' || *s == ']' || *s == ':' || *s == '\\')
			buf_char(out, '\\');
		buf_char(out, *s);
	}
}

static void zsh_options(const struct opt *opts, size_t n, struct buf *out)
{
	for (size_t i = 0; i < n; i++) {
		const struct opt *o = &opts[i];
		if (o->hidden || !o->name || o->name[0] == '-')
			continue;
		bool word = o->kind != OPT_FLAG && o->kind != OPT_OPTIONAL;
		buf_printf(out, "\t\t'--%s%s[", o->name, word ? "=" : "");
		zsh_quote(o->help, out);
		buf_char(out, ']');
		if (word && o->kind == OPT_CHOICE) {
			buf_printf(out, ":%s:(", o->arg);
			for (const char *const *c = o->choices; *c; c++)
				buf_printf(out, "%s%s", c == o->choices ? "" : " ", *c);
			buf_char(out, ')');
		} else if (word) {
			buf_printf(out, ":%s:_files", o->arg);
		}
		buf_str_add(out, "' \\\n");
	}
}

static void zsh_case(const struct command *cmd, struct buf *out)
{
	buf_printf(out, "\t'%s')\n\t\t_arguments \\\n", cmd->name);
	zsh_options(cmd->opts, cmd->n_opts, out);
	zsh_options(common_opts, n_common_opts, out);
	buf_str_add(out, "\t\t'*:file:_files' ;;\n");
}

static void zsh_list(const struct command *const *cmds, struct buf *out)
{
	for (const struct command *const *c = cmds; *c; c++) {
		const char *last = strrchr((*c)->name, ' ');
		buf_printf(out, " '%s:", last ? last + 1 : (*c)->name);
		zsh_quote((*c)->summary, out);
		buf_char(out, '\'');
	}
}

void options_zsh(const struct command *const *cmds, struct buf *out)
{
	buf_str_add(out, "#compdef refrain\n# zsh completion for refrain, generated from the option tables\n"
			 "local -a list\nlocal name=${words[2]}\n"
			 "if (( CURRENT == 2 )); then list=(");
	zsh_list(cmds, out);
	buf_str_add(out, "); _describe command list; return; fi\n");
	for (const struct command *const *c = cmds; *c; c++) {
		if (!(*c)->subs)
			continue;
		buf_printf(out, "if [[ $name == %s ]]; then\n\tif (( CURRENT == 3 )); then list=(", (*c)->name);
		zsh_list((*c)->subs, out);
		buf_str_add(out, "); _describe command list; return; fi\n\tname=\"$name ${words[3]}\"; shift words; (( "
				 "CURRENT-- ))\nfi\n");
	}
	buf_str_add(out, "shift words; (( CURRENT-- ))\ncase $name in\n");
	for (const struct command *const *c = cmds; *c; c++) {
		if (!(*c)->subs)
			zsh_case(*c, out);
		for (const struct command *const *s = (*c)->subs; s && *s; s++)
			zsh_case(*s, out);
	}
	buf_str_add(out, "esac\n");
}
