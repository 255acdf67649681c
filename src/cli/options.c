/* SPDX-License-Identifier: MIT */
/* Parsing a command line by its table: see options.h. What is generated from the tables is in options_text.c. */
#include "cli/options.h"

#include "base/bits.h"
#include "data/text.h"

#include <stdio.h>
#include <string.h>

static const char *const when_choices[] = {"auto", "always", "never", NULL};

#define COMMON(field) offsetof(struct common_options, field)

const struct opt common_opts[] = {
	{.name = "json",
	 .kind = OPT_OPTIONAL,
	 .arg = "FILE",
	 .help = "write the result as one JSON document, to standard output or FILE",
	 .offset = COMMON(json)},
	{.name = "log",
	 .kind = OPT_STRING,
	 .arg = "FILE",
	 .help = "write the run's events to FILE, for 'refrain report'",
	 .offset = COMMON(log)},
	{.name = "quiet",
	 .letter = 'q',
	 .kind = OPT_FLAG,
	 .help = "print results and errors only",
	 .offset = COMMON(quiet)},
	{.name = "verbose",
	 .letter = 'v',
	 .kind = OPT_FLAG,
	 .help = "say more about what is done",
	 .offset = COMMON(verbose)},
	{.name = "color",
	 .kind = OPT_CHOICE,
	 .arg = "WHEN",
	 .help = "use colour",
	 .offset = COMMON(color),
	 .choices = when_choices},
	{.name = "progress",
	 .kind = OPT_CHOICE,
	 .arg = "WHEN",
	 .help = "show a live progress line",
	 .offset = COMMON(progress),
	 .choices = when_choices},
	{.name = "help", .letter = 'h', .kind = OPT_FLAG, .help = "show this help", .offset = COMMON(help)},
};
const size_t n_common_opts = ARRAY_LEN(common_opts);

struct parser {
	const struct command *cmd;
	struct invocation *inv;
	int argc, at;
	char *const *argv;
	struct err *e;
};

static enum rc set_value(struct parser *p, const struct opt *o, void *base, const char *shown, const char *value)
{
	void *slot = (char *)base + o->offset;
	switch (o->kind) {
	case OPT_FLAG:
		*(bool *)slot = true;
		return RC_OK;
	case OPT_STRING:
	case OPT_OPTIONAL:
		*(const char **)slot = value;
		return RC_OK;
	case OPT_LIST: {
		struct strings *list = slot;
		vec_push(list, value);
		return RC_OK;
	}
	case OPT_UINT: {
		uint64_t v;
		if (!text_u64(value, &v))
			return err_set(p->e, RC_INPUT, "%s: '%s' is not a whole number", shown, value);
		if (v < o->min || (o->max && v > o->max))
			return err_set(p->e, RC_INPUT, "%s: %s is out of range (%llu to %llu)", shown, value,
				       (unsigned long long)o->min, (unsigned long long)(o->max ? o->max : UINT64_MAX));
		*(uint64_t *)slot = v;
		return RC_OK;
	}
	case OPT_SIZE:
		if (!text_size(value, slot))
			return err_set(p->e, RC_INPUT, "%s: '%s' is not a size (digits, then K, M, G or T)", shown,
				       value);
		return RC_OK;
	case OPT_SECONDS:
		if (!text_seconds(value, slot))
			return err_set(p->e, RC_INPUT, "%s: '%s' is not a number of seconds", shown, value);
		return RC_OK;
	case OPT_CHOICE:
		for (const char *const *c = o->choices; *c; c++)
			if (strcmp(*c, value) == 0) {
				*(const char **)slot = *c;
				return RC_OK;
			}
		break;
	}
	struct buf list = {0};
	for (const char *const *c = o->choices; *c; c++)
		buf_printf(&list, "%s%s", c == o->choices ? "" : ", ", *c);
	enum rc rc = err_set(p->e, RC_INPUT, "%s: '%s' is none of %s", shown, value, buf_str(&list));
	buf_release(&list);
	return rc;
}

static bool takes_word(const struct opt *o)
{
	return o->kind != OPT_FLAG && o->kind != OPT_OPTIONAL;
}

/* Looks in the command's table, then in the common one; *base is where the value goes. */
static const struct opt *find_long(struct parser *p, const char *name, size_t n, bool literal, void **base)
{
	const struct opt *tables[] = {p->cmd->opts, common_opts};
	size_t sizes[] = {p->cmd->n_opts, n_common_opts};
	void *bases[] = {p->inv->values, &p->inv->common};
	for (int t = 0; t < 2; t++)
		for (size_t i = 0; i < sizes[t]; i++) {
			const struct opt *o = &tables[t][i];
			if (o->name && (o->name[0] == '-') == literal && strlen(o->name) == n &&
			    memcmp(o->name, name, n) == 0) {
				*base = bases[t];
				return o;
			}
		}
	return NULL;
}

static const struct opt *find_letter(struct parser *p, char letter, void **base)
{
	for (size_t i = 0; i < p->cmd->n_opts; i++)
		if (p->cmd->opts[i].letter == letter) {
			*base = p->inv->values;
			return &p->cmd->opts[i];
		}
	for (size_t i = 0; i < n_common_opts; i++)
		if (common_opts[i].letter == letter) {
			*base = &p->inv->common;
			return &common_opts[i];
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
	void *base;
	const struct opt *o = find_long(p, name, n, literal, &base);
	if (!o)
		return unknown(p, word);
	char shown[80];
	snprintf(shown, sizeof shown, "%s%.*s", literal ? "" : "--", (int)(n < 60 ? n : 60), name);
	const char *value = equals ? equals + 1 : "";
	if (o->kind == OPT_FLAG && equals)
		return err_set(p->e, RC_INPUT, "%s takes no value", shown);
	if (takes_word(o) && !equals && next_word(p, shown, &value) != RC_OK)
		return RC_INPUT;
	return set_value(p, o, base, shown, value);
}

/* -abc: flags; -kVALUE or -k VALUE for the first that takes one */
static enum rc parse_letters(struct parser *p, const char *word)
{
	for (const char *c = word + 1; *c; c++) {
		void *base;
		const struct opt *o = find_letter(p, *c, &base);
		if (!o)
			return unknown(p, word);
		char shown[] = {'-', *c, '\0'};
		const char *value = "";
		if (takes_word(o)) {
			value = c + 1;
			if (*value == '\0' && next_word(p, shown, &value) != RC_OK)
				return RC_INPUT;
			return set_value(p, o, base, shown, value);
		}
		if (set_value(p, o, base, shown, value) != RC_OK)
			return RC_INPUT;
	}
	return RC_OK;
}

static enum rc parse_word(struct parser *p, const char *word, bool *ended)
{
	void *base;
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
	if (find_long(p, word, n, true, &base))
		return parse_long(p, word, true);
	return parse_letters(p, word);
}

enum rc options_parse(const struct command *cmd, int argc, char *const *argv, struct invocation *inv, struct err *e)
{
	struct runner *runner = inv->runner;
	*inv = (struct invocation){.cmd = cmd, .runner = runner, .argc = argc, .argv = argv};
	inv->common.color = inv->common.progress = when_choices[0];
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

void options_release(struct invocation *inv)
{
	for (size_t i = 0; inv->values && i < inv->cmd->n_opts; i++)
		if (inv->cmd->opts[i].kind == OPT_LIST)
			vec_release((struct strings *)((char *)inv->values + inv->cmd->opts[i].offset));
	free(inv->values);
	inv->values = NULL;
	vec_release(&inv->args);
	vec_release(&inv->unknown);
}
