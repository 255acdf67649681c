/* SPDX-License-Identifier: MIT */
/* The command line's grammar, and what is generated from the tables. */
#include "cli/options.h"

#include "base/bits.h"
#include "testing.h"

struct values {
	bool flag;
	const char *text, *pick, *maybe;
	uint64_t number, size;
	double seconds;
	struct strings list;
	bool in;
};

static const char *const picks[] = {"one", "two", NULL};
#define AT(f) offsetof(struct values, f)
static const struct opt opts[] = {
	{.name = "flag", .letter = 'f', .kind = OPT_FLAG, .help = "a flag", .offset = AT(flag)},
	{.name = "text", .letter = 't', .kind = OPT_STRING, .arg = "TEXT", .help = "a text", .offset = AT(text)},
	{.name = "pick", .kind = OPT_CHOICE, .arg = "WHICH", .help = "a choice", .offset = AT(pick), .choices = picks},
	{.name = "maybe", .kind = OPT_OPTIONAL, .arg = "FILE", .help = "a file or not", .offset = AT(maybe)},
	{.name = "number",
	 .letter = 'n',
	 .kind = OPT_UINT,
	 .arg = "N",
	 .help = "a number",
	 .offset = AT(number),
	 .min = 1,
	 .max = 10},
	{.name = "size", .kind = OPT_SIZE, .arg = "BYTES", .help = "a size", .offset = AT(size)},
	{.name = "seconds", .kind = OPT_SECONDS, .arg = "S", .help = "a time", .offset = AT(seconds)},
	{.name = "list", .kind = OPT_LIST, .arg = "X", .help = "many", .offset = AT(list)},
	{.name = "-in", .kind = OPT_FLAG, .help = "as solvers spell it", .offset = AT(in)},
};
static const struct values defaults = {.number = 7, .pick = "one"};

static struct command command(unsigned flags)
{
	return (struct command){.name = "test",
				.operands = "FILE…",
				.summary = "test things",
				.opts = opts,
				.n_opts = ARRAY_LEN(opts),
				.values_size = sizeof(struct values),
				.defaults = &defaults,
				.flags = flags};
}

#define PARSE(flags, want, ...)                                                                                        \
	struct command cmd = command(flags);                                                                           \
	char *argv[] = {__VA_ARGS__};                                                                                  \
	struct invocation inv = {0};                                                                                   \
	struct err e = ERR_INIT;                                                                                       \
	assert_int_equal(options_parse(&cmd, (int)ARRAY_LEN(argv), argv, &inv, &e), want);                             \
	struct values *v = inv.values;                                                                                 \
	(void)v

static void takes_every_kind(void **state)
{
	(void)state;
	PARSE(0, RC_OK, "a", "-ft", "T", "--pick=two", "--pick", "one", "--maybe", "b", "-n3", "--size=4K", "--seconds",
	      ".5", "--list=x", "--list", "y", "-in", "-q", "--json=f.json", "-", "--", "-n", "--flag");
	assert_true(v->flag && v->in && inv.common.quiet);
	assert_string_equal(v->text, "T");
	assert_string_equal(v->pick, "one");
	assert_string_equal(v->maybe, "");
	assert_int_equal(v->number, 3);
	assert_int_equal(v->size, 4096);
	assert_true(v->seconds == 0.5);
	assert_int_equal(v->list.n, 2);
	assert_string_equal(inv.common.json, "f.json");
	assert_string_equal(inv.common.color, "auto");
	assert_int_equal(inv.args.n, 5);
	assert_int_equal(inv.dashdash, 3);
	assert_string_equal(inv.args.at[4], "--flag");
	options_release(&inv);
}

static void refuses(void **state)
{
	(void)state;
	static const char *const bad[][2] = {{"--fla", 0},       {"--flag=1", 0}, {"--text", 0}, {"--pick=three", 0},
					     {"-n", "0"},        {"-n", "11"},    {"-n", "x"},   {"--size=1Q", 0},
					     {"--seconds=x", 0}, {"-x", 0},       {"-fx", 0},    {"--no-such", 0},
					     {"-inx", 0}};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct command cmd = command(0);
		char *argv[] = {(char *)bad[i][0], (char *)bad[i][1]};
		struct invocation inv = {0};
		struct err e = ERR_INIT;
		assert_int_equal(options_parse(&cmd, bad[i][1] ? 2 : 1, argv, &inv, &e), RC_INPUT);
		assert_true(strlen(e.text) > 10);
		options_release(&inv);
	}
}

static void passes_unknown_on(void **state)
{
	(void)state;
	PARSE(COMMAND_PASS_UNKNOWN, RC_OK, "-T:10", "--flag", "--rlimit=3", "file", "smt.x=1");
	assert_int_equal(inv.unknown.n, 2);
	assert_string_equal(inv.unknown.at[0], "-T:10");
	assert_string_equal(inv.unknown.at[1], "--rlimit=3");
	assert_int_equal(inv.args.n, 2);
	options_release(&inv);
}

static void operands_may_end_options(void **state)
{
	(void)state;
	PARSE(COMMAND_OPERANDS_END, RC_OK, "-f", "prog", "-n", "x");
	assert_int_equal(inv.dashdash, 0);
	assert_int_equal(inv.args.n, 3);
	options_release(&inv);
}

static void texts_name_every_option(void **state)
{
	(void)state;
	struct command cmd = command(0);
	const struct command *list[] = {&cmd, NULL};
	struct buf help = {0}, man = {0}, bash = {0}, zsh = {0};
	options_help(&cmd, &help);
	options_man(&cmd, "1", "2026-01-01", &man);
	options_bash(list, &bash);
	options_zsh(list, &zsh);
	for (size_t i = 0; i < ARRAY_LEN(opts); i++) {
		char word[40];
		snprintf(word, sizeof word, "%s%s", opts[i].name[0] == '-' ? "" : "--", opts[i].name);
		assert_non_null(strstr(buf_str(&help), word));
		assert_non_null(strstr(buf_str(&man), opts[i].name[0] == '-' ? opts[i].name + 1 : opts[i].name));
		if (opts[i].name[0] == '-')
			continue;
		assert_non_null(strstr(buf_str(&bash), word));
		assert_non_null(strstr(buf_str(&zsh), word));
	}
	buf_release(&help);
	buf_release(&man);
	buf_release(&bash);
	buf_release(&zsh);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(takes_every_kind),        cmocka_unit_test(refuses),
		cmocka_unit_test(passes_unknown_on),       cmocka_unit_test(operands_may_end_options),
		cmocka_unit_test(texts_name_every_option),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
