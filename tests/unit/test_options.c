/* SPDX-License-Identifier: MIT */
/* The command line's grammar, and what is generated from the tables. */
#include "cli/options.h"

#include "base/bits.h"
#include "testing.h"

struct more {
	uint64_t more;
	bool secret;
};

struct values {
	bool flag;
	const char *text, *suggest, *pick, *picks, *maybe;
	uint64_t number, size;
	double seconds;
	struct strings list, each;
	bool in;
	struct more more;
};

static const char *pick(size_t i)
{
	static const char *const picks[] = {"one", "two"};
	return i < ARRAY_LEN(picks) ? picks[i] : NULL;
}

#define VALUES struct values
static const struct opt opts[] = {
	{FLAG('f', "flag", flag, "a flag")},
	{TEXT('t', "text", "TEXT", text, "a text")},
	{SUGGEST(0, "suggest", "WHICH", suggest, pick, "a text with suggestions")},
	{CHOICE(0, "pick", "WHICH", pick, pick, "a choice")},
	{CHOICES(0, "picks", "WHICH,…", picks, pick, "some choices")},
	{LIST(0, "each", "WHICH", each, pick, "a choice each time")},
	{OPTIONAL(0, "maybe", "FILE", maybe, "a file or not")},
	{COUNT('n', "number", "N", number, 1, 10, "a number")},
	{SIZE(0, "size", "BYTES", size, "a size")},
	{SECONDS(0, "seconds", "S", seconds, "a time")},
	{LIST(0, "list", "X", list, NULL, "many")},
	{FLAG(0, "-in", in, "as solvers spell it")},
	{0},
};
#undef VALUES

/* Options that several commands have. */
#define VALUES struct more
static const struct opt shared[] = {
	{COUNT('m', "more", "N", more, 0, 0, "a shared number")},
	{FLAG(0, "secret", secret, NULL)},
	{0},
};
#undef VALUES

static const struct values defaults = {.number = 7, .pick = "one"};

static struct command command(unsigned flags)
{
	return (struct command){.name = "test",
				.operands = "FILE…",
				.summary = "test things",
				.opts = opts,
				.values_size = sizeof(struct values),
				.defaults = &defaults,
				.shared = shared,
				.shared_at = offsetof(struct values, more),
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
	      ".5", "--list=x", "--list", "y", "-in", "-q", "--json=f.json", "-m8", "--suggest=three",
	      "--picks=two,one", "--each=two", "-", "--", "-n", "--flag");
	assert_true(v->flag && v->in && inv.common.quiet);
	assert_string_equal(v->text, "T");
	assert_string_equal(v->pick, "one");
	assert_string_equal(v->maybe, "");
	assert_int_equal(v->number, 3);
	assert_int_equal(v->size, 4096);
	assert_true(v->seconds == 0.5);
	assert_int_equal(v->list.n, 2);
	assert_int_equal(v->each.n, 1);
	assert_int_equal(v->more.more, 8);
	assert_string_equal(v->suggest, "three");
	assert_string_equal(v->picks, "two,one");
	assert_string_equal(inv.common.json, "f.json");
	assert_string_equal(inv.common.color, "auto");
	assert_int_equal(inv.args.n, 5);
	assert_int_equal(inv.dashdash, 3);
	assert_string_equal(inv.args.at[4], "--flag");
	options_release(&inv);
}

/* With one word or two. */
static void assert_refused(const char *word, const char *second, const char *why)
{
	struct command cmd = command(0);
	char *argv[] = {(char *)word, (char *)second};
	struct invocation inv = {0};
	struct err e = ERR_INIT;
	assert_int_equal(options_parse(&cmd, second ? 2 : 1, argv, &inv, &e), RC_INPUT);
	if (!strstr(e.text, why))
		fail_msg("%s: %s", word, e.text);
	options_release(&inv);
}

static void refuses(void **state)
{
	(void)state;
	static const struct {
		const char *words[2], *why;
	} bad[] = {
		{{"--flag=1"}, "--flag takes no value"},
		{{"--text"}, "--text needs a value"},
		{{"--pick=three"}, "--pick: invalid which 'three' (choices: one, two)"},
		{{"--picks=one,three,two"}, "--picks: invalid which 'three' (choices: one, two)"},
		{{"--picks="}, "--picks: invalid which ''"},
		{{"--each=three"}, "--each: invalid which 'three'"},
		{{"-n", "0"}, "-n: 0 is out of range (1 to 10)"},
		{{"-n", "11"}, "-n: 11 is out of range"},
		{{"-n", "x"}, "-n: invalid number 'x'"},
		{{"--size=1Q"}, "--size: invalid size '1Q'"},
		{{"--seconds=x"}, "--seconds: invalid number 'x'"},
	};
	static const char *const unknown[] = {"--fla", "-x", "-fx", "--no-such", "-inx"};
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_refused(bad[i].words[0], bad[i].words[1], bad[i].why);
	for (size_t i = 0; i < ARRAY_LEN(unknown); i++) {
		char why[40];
		snprintf(why, sizeof why, "unknown option '%s'", unknown[i]);
		assert_refused(unknown[i], NULL, why);
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
	static const struct command_link links[] = {
		{"refrain-x", {"x", NULL}}, {"solver", {"x", NULL}}, {"refrain-y", {"y", "z"}}, {0}};
	struct buf help = {0}, man = {0}, bash = {0}, zsh = {0};
	options_help(&cmd, &help);
	options_man(&cmd, "1", "2026-01-01", &man);
	options_bash(list, links, &bash);
	options_zsh(list, links, &zsh);
	const struct opt *table;
	for (size_t t = 0; (table = options_table(&cmd, t)); t++)
		for (const struct opt *o = table; o->kind != OPT_END; o++) {
			char word[40];
			snprintf(word, sizeof word, "%s%s", o->name[0] == '-' ? "" : "--", o->name);
			assert_int_equal(strstr(buf_str(&help), word) != NULL, o->help != NULL);
			assert_int_equal(strstr(buf_str(&man), o->name + (o->name[0] == '-')) != NULL, o->help != NULL);
			if (o->name[0] == '-')
				continue;
			assert_int_equal(strstr(buf_str(&bash), word) != NULL, o->help != NULL);
			assert_int_equal(strstr(buf_str(&zsh), word) != NULL, o->help != NULL);
		}
	/* choices stand once, below the help they belong to */
	assert_non_null(strstr(buf_str(&help), "a choice\n                              choices: one, two\n"));
	assert_non_null(strstr(buf_str(&help), "a choice each time (repeatable)\n"));
	assert_non_null(strstr(buf_str(&man), "a choice.\nChoices: one, two.\n"));
	assert_non_null(strstr(buf_str(&bash), " --pick= --pick=one --pick=two"));
	assert_non_null(strstr(buf_str(&zsh), ":WHICH:(one two)"));
	/* links that stand for a command with options of ours, and only those */
	assert_non_null(strstr(buf_str(&bash), "-F _refrain refrain refrain-x\n"));
	assert_non_null(strstr(buf_str(&bash), "\trefrain-x) name=x ;;\n"));
	assert_non_null(strstr(buf_str(&zsh), "#compdef refrain refrain-x\n"));
	buf_release(&help);
	buf_release(&man);
	buf_release(&bash);
	buf_release(&zsh);
}

UNIT_TESTS(cmocka_unit_test(takes_every_kind), cmocka_unit_test(refuses), cmocka_unit_test(passes_unknown_on),
	   cmocka_unit_test(operands_may_end_options), cmocka_unit_test(texts_name_every_option))
