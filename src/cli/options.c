/* SPDX-License-Identifier: MIT */
/* Parsing a command line by its table: see options.h. What is generated from the tables is in options_text.c. */
#include "cli/options.h"

#include "base/bits.h"
#include "data/text.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *when(size_t i)
{
	static const char *const modes[] = {"auto", "always", "never"};
	return i < ARRAY_LEN(modes) ? modes[i] : NULL;
}

#define VALUES struct common_options
const struct opt common_opts[] = {
	{OPTIONAL(0, "json", "FILE", json, "write the result as one JSON document (default: to standard output)")},
	{TEXT(0, "log", "FILE", log, "write the run's events to FILE, for 'refrain report'")},
	{FLAG('q', "quiet", quiet, "print results and errors only")},
	{FLAG('v', "verbose", verbose, "print more about what is done")},
	{CHOICE(0, "color", "MODE", color, when, "print errors in colour (default: auto)")},
	{CHOICE(0, "progress", "MODE", progress, when, "show a live progress line (default: auto)")},
	{FLAG('h', "help", help, "show this help")},
	{0},
};

const struct opt *options_table(const struct command *cmd, size_t i)
{
	const struct opt *tables[] = {cmd->opts, cmd->shared, common_opts};
	size_t n = 0;
	for (size_t t = 0; t < ARRAY_LEN(tables); t++)
		if (tables[t] && n++ == i)
			return tables[t];
	return NULL;
}

/* Where the values of a table go. */
static void *table_values(const struct invocation *inv, const struct opt *table)
{
	if (table == common_opts)
		return (void *)&inv->common;
	return table == inv->cmd->shared ? (char *)inv->values + inv->cmd->shared_at : inv->values;
}

struct parser {
	const struct command *cmd;
	struct invocation *inv;
	int argc, at;
	char *const *argv;
	struct err *e;
};

/* One of n bytes of value, or NULL. */
static const char *find_choice(const struct opt *o, const char *value, size_t n)
{
	for (size_t i = 0; o->choice(i); i++)
		if (strlen(o->choice(i)) == n && memcmp(o->choice(i), value, n) == 0)
			return o->choice(i);
	return NULL;
}

static enum rc invalid_choice(const struct opt *o, const char *shown, const char *value, size_t n, struct err *e)
{
	struct buf noun = {0}, list = {0};
	for (const char *a = o->arg; *a >= 'A' && *a <= 'Z'; a++)
		buf_char(&noun, (char)(*a - 'A' + 'a'));
	for (size_t i = 0; o->choice(i); i++)
		buf_printf(&list, "%s%s", i ? ", " : "", o->choice(i));
	const char *meant = NULL;
	for (size_t i = 0; o->choice(i); i++)
		if (strlen(o->choice(i)) == n && strncasecmp(o->choice(i), value, n) == 0)
			meant = o->choice(i);
	enum rc rc = meant ? err_set(e, RC_INPUT, "%s: invalid %s '%.*s': did you mean '%s'?", shown, buf_str(&noun),
				     (int)n, value, meant)
			   : err_set(e, RC_INPUT, "%s: invalid %s '%.*s' (choices: %s)", shown, buf_str(&noun), (int)n,
				     value, buf_str(&list));
	buf_release(&noun);
	buf_release(&list);
	return rc;
}

static enum rc set_choices(struct parser *p, const struct opt *o, const char **slot, const char *shown,
			   const char *value)
{
	for (const char *item = value;; item++) {
		size_t n = strcspn(item, ",");
		if (!find_choice(o, item, n))
			return invalid_choice(o, shown, item, n, p->e);
		item += n;
		if (!*item)
			break;
	}
	*slot = value;
	return RC_OK;
}

static enum rc set_count(struct parser *p, const struct opt *o, uint64_t *slot, const char *shown, const char *value)
{
	uint64_t v;
	if (!text_u64(value, &v))
		return err_set(p->e, RC_INPUT, "%s: invalid number '%s'", shown, value);
	if (v < o->min || (o->max && v > o->max))
		return err_set(p->e, RC_INPUT, "%s: %s is out of range (%llu to %llu)", shown, value,
			       (unsigned long long)o->min, (unsigned long long)(o->max ? o->max : UINT64_MAX));
	*slot = v;
	return RC_OK;
}

static enum rc set_value(struct parser *p, const struct opt *o, void *slot, const char *shown, const char *value)
{
	switch (o->kind) {
	case OPT_FLAG:
		*(bool *)slot = true;
		return RC_OK;
	case OPT_LIST:
		if (o->choice && !find_choice(o, value, strlen(value)))
			return invalid_choice(o, shown, value, strlen(value), p->e);
		vec_push((struct strings *)slot, value);
		return RC_OK;
	case OPT_COUNT:
		return set_count(p, o, slot, shown, value);
	case OPT_SIZE:
		if (!text_size(value, slot))
			return err_set(p->e, RC_INPUT, "%s: invalid size '%s' (digits, then K, M, G or T)", shown,
				       value);
		return RC_OK;
	case OPT_SECONDS:
		if (!text_seconds(value, slot))
			return err_set(p->e, RC_INPUT, "%s: invalid number '%s'", shown, value);
		return RC_OK;
	case OPT_CHOICE:
		if (!find_choice(o, value, strlen(value)))
			return invalid_choice(o, shown, value, strlen(value), p->e);
		break;
	case OPT_CHOICES:
		return set_choices(p, o, slot, shown, value);
	case OPT_TEXT:
	case OPT_OPTIONAL:
	case OPT_END:
		break;
	}
	*(const char **)slot = value;
	return RC_OK;
}

static bool takes_word(const struct opt *o)
{
	return o->kind != OPT_FLAG && o->kind != OPT_OPTIONAL;
}

/* Looks in the command's tables, then in the common one; *slot is where the value goes. By letter when that is given,
 * else by n bytes of name; literal: the name starts with its dash. */
static const struct opt *find(struct parser *p, char letter, const char *name, size_t n, bool literal, void **slot)
{
	const struct opt *table;
	for (size_t t = 0; (table = options_table(p->cmd, t)); t++)
		for (const struct opt *o = table; o->kind != OPT_END; o++) {
			bool named = name && o->name && (o->name[0] == '-') == literal && strlen(o->name) == n &&
				     memcmp(o->name, name, n) == 0;
			if (named || (letter && o->letter == letter)) {
				*slot = (char *)table_values(p->inv, table) + o->offset;
				return o;
			}
		}
	return NULL;
}

/* The option's value is the next word. */
static enum rc next_word(struct parser *p, const char *shown, const char **value)
{
	if (p->at >= p->argc)
		return err_set(p->e, RC_INPUT, "%s needs a value", shown);
	*value = p->argv[p->at++];
	return RC_OK;
}

static enum rc unknown(struct parser *p, const char *word)
{
	if (p->cmd->flags & COMMAND_PASS_UNKNOWN) {
		vec_push(&p->inv->unknown, word);
		return RC_OK;
	}
	return err_set(p->e, RC_INPUT, "unknown option '%s' (see 'refrain %s --help')", word, p->cmd->name);
}

static enum rc parse_long(struct parser *p, const char *word, bool literal)
{
	const char *name = literal ? word : word + 2;
	const char *equals = strchr(name, '=');
	size_t n = equals ? (size_t)(equals - name) : strlen(name);
	void *slot;
	const struct opt *o = find(p, 0, name, n, literal, &slot);
	if (!o)
		return unknown(p, word);
	char shown[80];
	snprintf(shown, sizeof shown, "%s%.*s", literal ? "" : "--", (int)(n < 60 ? n : 60), name);
	const char *value = equals ? equals + 1 : "";
	if (o->kind == OPT_FLAG && equals)
		return err_set(p->e, RC_INPUT, "%s takes no value", shown);
	if (takes_word(o) && !equals && next_word(p, shown, &value) != RC_OK)
		return RC_INPUT;
	return set_value(p, o, slot, shown, value);
}

/* -abc: flags; -kVALUE or -k VALUE for the first that takes one */
static enum rc parse_letters(struct parser *p, const char *word)
{
	for (const char *c = word + 1; *c; c++) {
		void *slot;
		const struct opt *o = find(p, *c, NULL, 0, false, &slot);
		if (!o)
			return unknown(p, word);
		char shown[] = {'-', *c, '\0'};
		const char *value = "";
		if (takes_word(o)) {
			value = c + 1;
			if (*value == '\0' && next_word(p, shown, &value) != RC_OK)
				return RC_INPUT;
			return set_value(p, o, slot, shown, value);
		}
		if (set_value(p, o, slot, shown, value) != RC_OK)
			return RC_INPUT;
	}
	return RC_OK;
}

static enum rc parse_word(struct parser *p, const char *word, bool *ended)
{
	void *slot;
	if (strcmp(word, "--") == 0) {
		p->inv->dashdash = p->inv->args.n;
		*ended = true;
		return RC_OK;
	}
	if (word[0] != '-' || word[1] == '\0') {
		if (p->cmd->flags & COMMAND_OPERANDS_END) {
			p->inv->dashdash = p->inv->args.n;
			*ended = true;
		}
		vec_push(&p->inv->args, word);
		return RC_OK;
	}
	if (word[1] == '-')
		return parse_long(p, word, false);
	const char *equals = strchr(word, '=');
	size_t n = equals ? (size_t)(equals - word) : strlen(word);
	if (find(p, 0, word, n, true, &slot))
		return parse_long(p, word, true);
	return parse_letters(p, word);
}

enum rc options_parse(const struct command *cmd, int argc, char *const *argv, struct invocation *inv, struct err *e)
{
	struct runner *runner = inv->runner;
	*inv = (struct invocation){.cmd = cmd, .runner = runner, .argc = argc, .argv = argv};
	inv->common.color = inv->common.progress = when(0);
	inv->values = mem_zalloc(cmd->values_size);
	if (cmd->defaults)
		memcpy(inv->values, cmd->defaults, cmd->values_size);
	inv->dashdash = SIZE_MAX;
	struct parser p = {.cmd = cmd, .inv = inv, .argc = argc, .argv = argv, .e = e};
	bool ended = cmd->flags & COMMAND_RAW;
	while (p.at < argc) {
		const char *word = argv[p.at++];
		if (ended)
			vec_push(&inv->args, word);
		else if (parse_word(&p, word, &ended) != RC_OK)
			return RC_INPUT;
	}
	if (inv->dashdash == SIZE_MAX)
		inv->dashdash = inv->args.n;
	return RC_OK;
}

enum rc options_invalid(const struct command *cmd, const char *name, const char *value, struct err *e)
{
	for (const struct opt *o = cmd->opts; o->kind != OPT_END; o++)
		if (o->name && strcmp(o->name, name) == 0) {
			char shown[80];
			snprintf(shown, sizeof shown, "--%s", name);
			return invalid_choice(o, shown, value, strlen(value), e);
		}
	return err_set(e, RC_BUG, "'%s' has no option '%s'", cmd->name, name);
}

void options_release(struct invocation *inv)
{
	const struct opt *table;
	for (size_t t = 0; inv->values && (table = options_table(inv->cmd, t)); t++)
		for (const struct opt *o = table; o->kind != OPT_END; o++)
			if (o->kind == OPT_LIST)
				vec_release((struct strings *)((char *)table_values(inv, table) + o->offset));
	free(inv->values);
	inv->values = NULL;
	vec_release_all(&inv->args, &inv->unknown);
}
