/* SPDX-License-Identifier: MIT */
/* The choices that --help shows and the ones that are accepted are the rows of the registries, all and in order. */
#include "testing.h"

#include "base/bits.h"
#include "base/policy.h"
#include "data/buf.h"
#include "reduce/cache/verdicts.h"
#include "reduce/pass/pass.h"
#include "reduce/syntax/syntax.h"
#include "smt/cache/cache.h"
#include "smt/solver/solver.h"
#include "trace/format/reader.h"
#include "trace/format/writer.h"

#include <ctype.h>

static const char *policy_or_all(size_t i)
{
	return i ? policy_name(i - 1) : "all";
}

static const struct row {
	const char *option;
	const char *(*name)(size_t i);
	const char *commands[2]; /* that have it */
} rows[] = {
	{"algorithm", algorithm_name, {"reduce"}},
	{"cache", verdicts_name, {"reduce"}},
	{"language", language_name, {"reduce"}},
	{"skip-pass", pass_name, {"reduce"}},
	{"solver", solver_name, {"smt"}},
	{"cache", cache_mode_name, {"smt"}},
	{"format", trace_format_name, {"trace info", "trace convert"}},
	{"to", trace_write_format_name, {"trace convert", "trace reduce"}},
	{"access", trace_access_name, {"trace info"}},
	{"policy", policy_or_all, {"trace simulate"}},
};

/* What "refrain ARGS" prints on either output. */
static void refrain(const char *args, struct buf *out)
{
	char *cmd = mem_printf("'%s' %s 2>&1 < /dev/null", getenv("REFRAIN"), args);
	FILE *p = popen(cmd, "r");
	assert_non_null(p);
	buf_clear(out);
	assert_int_equal(buf_read_fd(out, fileno(p), "pipe", 1 << 20, NULL), RC_OK);
	pclose(p);
	free(cmd);
}

/* "one, two, three", of the registry. */
static void registered(const struct row *row, struct buf *out)
{
	buf_clear(out);
	for (size_t i = 0; row->name(i); i++)
		buf_printf(out, "%s%s", i ? ", " : "", row->name(i));
}

/* The choices that a help text shows for an option, its line breaks undone. */
static void shown(const char *help, const char *option, struct buf *out)
{
	char name[40];
	snprintf(name, sizeof name, " --%s=", option);
	const char *p = strstr(help, name);
	assert_non_null(p);
	p = strstr(p, "choices: ");
	assert_non_null(p);
	buf_clear(out);
	for (p += strlen("choices: "); *p && !(p[0] == '\n' && p[-1] != ','); p++) {
		bool blank = isspace((unsigned char)*p);
		if (!blank)
			buf_char(out, *p);
		else if (out->n && out->at[out->n - 1] != ' ')
			buf_char(out, ' ');
	}
}

static void each_command(void (*check)(const struct row *row, const char *command))
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		for (size_t k = 0; k < ARRAY_LEN(rows[i].commands) && rows[i].commands[k]; k++)
			check(&rows[i], rows[i].commands[k]);
}

static void check_help(const struct row *row, const char *command)
{
	struct buf help = {0}, want = {0}, got = {0};
	char args[80];
	snprintf(args, sizeof args, "help %s", command);
	refrain(args, &help);
	shown(buf_str(&help), row->option, &got);
	registered(row, &want);
	assert_string_equal(buf_str(&got), buf_str(&want));
	vec_release_all(&help, &want, &got);
}

static void help_shows_the_registry(void **state)
{
	(void)state;
	each_command(check_help);
}

/* A value that is none of them is answered with all of them; any solver may be a command. */
static void check_error(const struct row *row, const char *command)
{
	if (strcmp(row->option, "solver") == 0)
		return;
	struct buf message = {0}, want = {0};
	char args[120];
	snprintf(args, sizeof args, "%s --%s=nonsense a b", command, row->option);
	refrain(args, &message);
	registered(row, &want);
	char *text = mem_printf(" 'nonsense' (choices: %s)\n", buf_str(&want));
	if (!strstr(buf_str(&message), text) || !strstr(buf_str(&message), "invalid "))
		fail_msg("%s: %s", args, buf_str(&message));
	free(text);
	vec_release_all(&message, &want);
}

static void errors_name_the_registry(void **state)
{
	(void)state;
	each_command(check_error);
}

UNIT_TESTS(cmocka_unit_test(help_shows_the_registry), cmocka_unit_test(errors_name_the_registry))
