/* SPDX-License-Identifier: MIT */
/* What is generated from the option tables: --help, man pages, bash and zsh completion. See options.h. */
#include "cli/options.h"

#include <ctype.h>
#include <string.h>

enum { HELP_COLUMN = 30, HELP_WIDTH = 100 };

static bool takes_word(const struct opt *o)
{
	return o->kind != OPT_FLAG && o->kind != OPT_OPTIONAL;
}

/* Whether the option is listed by its long name, as completion wants it. */
static bool completes(const struct opt *o)
{
	return o->help && o->name && o->name[0] != '-';
}

/* "-k, --name=ARG" */
static void option_syntax(const struct opt *o, struct buf *out)
{
	if (o->letter)
		buf_printf(out, "-%c", o->letter);
	if (o->letter && o->name)
		buf_str_add(out, ", ");
	if (o->name)
		buf_printf(out, "%s%s", o->name[0] == '-' ? "" : "--", o->name);
	if (takes_word(o))
		buf_printf(out, "%s%s", o->name ? "=" : " ", o->arg);
	else if (o->kind == OPT_OPTIONAL)
		buf_printf(out, "[=%s]", o->arg);
}

static void option_help(const struct opt *o, struct buf *out)
{
	buf_printf(out, "%s%s", o->help, o->kind == OPT_LIST ? " (repeatable)" : "");
}

static void option_choices(const struct opt *o, const char *between, struct buf *out)
{
	for (size_t i = 0; o->choice && o->choice(i); i++)
		buf_printf(out, "%s%s", i ? between : "", o->choice(i));
}

/* Columns that n bytes of UTF-8 take. */
static size_t columns(const char *text, size_t n)
{
	size_t c = 0;
	for (size_t i = 0; i < n; i++)
		c += ((unsigned char)text[i] & 0xc0) != 0x80;
	return c;
}

/* Words of text from column `from` on, wrapped; the cursor stands at column `at`. */
static void wrap(struct buf *out, const char *text, size_t at, size_t from)
{
	bool first = true;
	while (*text) {
		size_t n = strcspn(text, " "), width = columns(text, n);
		if (!first && at + 1 + width > HELP_WIDTH) {
			buf_char(out, '\n');
			at = 0;
			first = true;
		}
		for (; first && at < from; at++)
			buf_char(out, ' ');
		if (!first)
			buf_char(out, ' ');
		at += width + !first;
		first = false;
		buf_add(out, text, n);
		text += n;
		text += strspn(text, " ");
	}
	buf_char(out, '\n');
}

/* Paragraphs, each wrapped. */
static void wrap_details(struct buf *out, const char *text)
{
	struct buf line = {0};
	while (*text) {
		size_t n = strcspn(text, "\n");
		buf_clear(&line);
		buf_add(&line, text, n);
		wrap(out, buf_str(&line), 0, 0);
		text += n + (text[n] == '\n');
	}
	buf_release(&line);
}

static void help_rows(const struct opt *o, struct buf *out)
{
	struct buf left = {0}, text = {0};
	for (; o->kind != OPT_END; o++) {
		if (!o->help)
			continue;
		buf_clear(&left);
		buf_str_add(&left, o->letter ? "  " : "      ");
		option_syntax(o, &left);
		buf_str_add(out, buf_str(&left));
		size_t at = columns(left.at, left.n);
		if (at + 2 > HELP_COLUMN) {
			buf_char(out, '\n');
			at = 0;
		}
		buf_clear(&text);
		option_help(o, &text);
		wrap(out, buf_str(&text), at, HELP_COLUMN);
		if (!o->choice)
			continue;
		buf_clear(&text);
		buf_str_add(&text, "choices: ");
		option_choices(o, ", ", &text);
		wrap(out, buf_str(&text), 0, HELP_COLUMN);
	}
	buf_release(&left);
	buf_release(&text);
}

static void help_subs(const struct command *cmd, struct buf *out)
{
	buf_str_add(out, "\nCommands:\n");
	for (const struct command *const *s = cmd->subs; *s; s++)
		buf_printf(out, "  %-18s %s\n", (*s)->name, (*s)->summary);
	buf_printf(out, "\n'refrain help %s' and the like say more about each.\n", cmd->subs[0]->name);
}

void options_help(const struct command *cmd, struct buf *out)
{
	buf_printf(out, "Usage: refrain %s ", cmd->name);
	buf_printf(out, cmd->subs ? "COMMAND [OPTIONS] …\n\n" : "[OPTIONS] %s\n\n", cmd->operands);
	buf_printf(out, "%c%s.\n", toupper((unsigned char)cmd->summary[0]), cmd->summary + 1);
	if (cmd->details) {
		buf_char(out, '\n');
		wrap_details(out, cmd->details);
	}
	if (cmd->subs)
		help_subs(cmd, out);
	const struct opt *table;
	for (size_t t = 0; (table = options_table(cmd, t)); t++) {
		if (t == 0 || table == common_opts)
			buf_str_add(out, table == common_opts ? "\nEverywhere:\n" : "\nOptions:\n");
		help_rows(table, out);
	}
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

static void man_rows(const struct opt *o, struct buf *out)
{
	struct buf text = {0};
	for (; o->kind != OPT_END; o++) {
		if (!o->help)
			continue;
		buf_str_add(out, ".TP\n.B ");
		buf_clear(&text);
		option_syntax(o, &text);
		roff(out, buf_str(&text));
		buf_char(out, '\n');
		buf_clear(&text);
		option_help(o, &text);
		buf_str_add(&text, ".\n");
		if (o->choice) {
			buf_str_add(&text, "Choices: ");
			option_choices(o, ", ", &text);
			buf_str_add(&text, ".\n");
		}
		roff(out, buf_str(&text));
	}
	buf_release(&text);
}

/* The tables but for the common one. */
static void man_own_rows(const struct command *cmd, struct buf *out)
{
	const struct opt *table;
	for (size_t t = 0; (table = options_table(cmd, t)) != common_opts; t++)
		man_rows(table, out);
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
		man_own_rows(*s, out);
	}
	buf_str_add(out, ".SH OPTIONS\n");
	man_own_rows(cmd, out);
	buf_str_add(out, ".SS Everywhere\n");
	man_rows(common_opts, out);
	buf_str_add(out,
		    ".SH EXIT STATUS\n0 done; 1 the answer is no; 2 usage or bad input; 3 the environment failed;\n"
		    "128+signal when stopped.\n.SH SEE ALSO\n.BR refrain (1)\n");
}

/* The words a command's options can be completed to. */
static void option_words(const struct command *cmd, struct buf *out)
{
	const struct opt *table;
	for (size_t t = 0; (table = options_table(cmd, t)); t++)
		for (const struct opt *o = table; o->kind != OPT_END; o++) {
			if (!completes(o))
				continue;
			buf_printf(out, " --%s%s", o->name, takes_word(o) ? "=" : "");
			for (size_t i = 0; o->choice && o->choice(i); i++)
				buf_printf(out, " --%s=%s", o->name, o->choice(i));
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

static bool completed(const struct command_link *l)
{
	return strncmp(l->name, "refrain-", 8) == 0 && !l->words[1];
}

/* The names of the links that are completed, each after a space. */
static void link_names(const struct command_link *l, struct buf *out)
{
	for (; l->name; l++)
		if (completed(l))
			buf_printf(out, " %s", l->name);
}

void options_bash(const struct command *const *cmds, const struct command_link *links, struct buf *out)
{
	buf_str_add(out, "# bash completion for refrain, generated from the option tables\n"
			 "_refrain()\n{\n"
			 "\tlocal line=\"${COMP_LINE:0:COMP_POINT}\" cur words='' name\n"
			 "\tcur=\"${line##*[[:space:]]}\"\n"
			 "\tname=\"${COMP_WORDS[1]}\"\n"
			 "\tcase \"${COMP_WORDS[0]##*/}\" in\n");
	for (const struct command_link *l = links; l->name; l++)
		if (completed(l))
			buf_printf(out, "\t%s) name=%s ;;\n", l->name, l->words[0]);
	buf_str_add(out, "\t*)\n\t\tcase \"$name\" in ");
	/* the empty name never stands there: it only makes the pattern list valid when no command has subcommands */
	buf_str_add(out, "''");
	for (const struct command *const *c = cmds; *c; c++)
		if ((*c)->subs)
			buf_printf(out, "|%s", (*c)->name);
	buf_str_add(out, ") ((COMP_CWORD > 2)) && name=\"$name ${COMP_WORDS[2]}\" ;; esac\n"
			 "\t\t((COMP_CWORD == 1)) && name='' ;;\n\tesac\n"
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
			 "complete -o default -F _refrain refrain");
	link_names(links, out);
	buf_char(out, '\n');
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

static void zsh_options(const struct opt *o, struct buf *out)
{
	for (; o->kind != OPT_END; o++) {
		if (!completes(o))
			continue;
		buf_printf(out, "\t\t'--%s%s[", o->name, takes_word(o) ? "=" : "");
		zsh_quote(o->help, out);
		buf_char(out, ']');
		if (o->choice) {
			buf_printf(out, ":%s:(", o->arg);
			option_choices(o, " ", out);
			buf_char(out, ')');
		} else if (takes_word(o)) {
			buf_printf(out, ":%s:_files", o->arg);
		}
		buf_str_add(out, "' \\\n");
	}
}

static void zsh_case(const struct command *cmd, struct buf *out)
{
	buf_printf(out, "\t'%s')\n\t\t_arguments \\\n", cmd->name);
	const struct opt *table;
	for (size_t t = 0; (table = options_table(cmd, t)); t++)
		zsh_options(table, out);
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

void options_zsh(const struct command *const *cmds, const struct command_link *links, struct buf *out)
{
	buf_str_add(out, "#compdef refrain");
	link_names(links, out);
	buf_str_add(out, "\n# zsh completion for refrain, generated from the option tables\ncase $service in\n");
	for (const struct command_link *l = links; l->name; l++)
		if (completed(l))
			buf_printf(out, "\t%s) words[1]=(refrain %s); (( CURRENT++ )) ;;\n", l->name, l->words[0]);
	buf_str_add(out, "esac\nlocal -a list\nlocal name=${words[2]}\n"
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
