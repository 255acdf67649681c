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
#include "trace/reader.h"
#include "trace/writer.h"

#include <ctype.h>

static const char *policy_or_all(size_t i)
{
	return i ? policy_name(i - 1) : "all";
}

static const struct {
	const char *command, *option;
	const char *(*name)(size_t i);
} rows[] = {
	{"reduce", "algorithm", algorithm_name},
	{"reduce", "cache", verdicts_name},
	{"reduce", "language", language_name},
	{"reduce", "skip-pass", pass_name},
	{"smt", "solver", solver_name},
	{"smt", "cache", cache_mode_name},
	{"trace info", "format", trace_format_name},
	{"trace convert", "format", trace_format_name},
	{"trace convert", "to", trace_write_format_name},
	{"trace reduce", "to", trace_write_format_name},
	{"trace info", "access", trace_access_name},
	{"trace simulate", "policy", policy_or_all},
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
static void registered(size_t row, struct buf *out)
{
	buf_clear(out);
	for (size_t i = 0; rows[row].name(i); i++)
		buf_printf(out, "%s%s", i ? ", " : "", rows[row].name(i));
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

static void help_shows_the_registry(void **state)
{
	(void)state;
	struct buf help = {0}, want = {0}, got = {0};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		char args[80];
		snprintf(args, sizeof args, "help %s", rows[i].command);
		refrain(args, &help);
		shown(buf_str(&help), rows[i].option, &got);
		registered(i, &want);
		assert_string_equal(buf_str(&got), buf_str(&want));
	}
	vec_release_all(&help, &want, &got);
}

/* A value that is none of them is answered with all of them; any solver may be a command. */
static void errors_name_the_registry(void **state)
{
	(void)state;
	struct buf message = {0}, want = {0};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (strcmp(rows[i].option, "solver") == 0)
			continue;
		char args[120];
		snprintf(args, sizeof args, "%s --%s=nonsense a b", rows[i].command, rows[i].option);
		refrain(args, &message);
		registered(i, &want);
		char *text = mem_printf(" 'nonsense' (choices: %s)\n", buf_str(&want));
		if (!strstr(buf_str(&message), text) || !strstr(buf_str(&message), "invalid "))
			fail_msg("%s: %s", args, buf_str(&message));
		free(text);
	}
	buf_release(&message);
	buf_release(&want);
}

UNIT_TESTS(cmocka_unit_test(help_shows_the_registry), cmocka_unit_test(errors_name_the_registry))
