/* SPDX-License-Identifier: MIT */
/* What a test prints, read as errors: the forms of several compilers, names and places, and where a place is in the
 * program that is being reduced. */
#include "reduce/model/complaints.h"
#include "reduce/model/load.h"
#include "reduce/model/units.h"
#include "reduce/pass/pass.h"
#include "reduce/syntax/syntax.h"

#include "base/bits.h"
#include "testing.h"

/* "path:line:column word word; …" of what was read. */
static void expect(const char *text, const char *want)
{
	struct complaints *c = complaints_read(text, strlen(text));
	struct buf got = {0};
	for (size_t i = 0; c && i < c->n; i++) {
		const struct complaint *x = &c->at[i];
		buf_printf(&got, "%s%.*s:%u:%u", i ? "; " : "", (int)x->path.len, x->path.len ? x->path.text : "",
			   (unsigned)x->line, (unsigned)x->column);
		for (uint32_t w = x->word; w < x->word + x->n_words; w++)
			buf_printf(&got, " %.*s", (int)c->words.at[w].len, c->words.at[w].text);
	}
	assert_string_equal(buf_str(&got), want);
	buf_release(&got);
	complaints_free(c);
}

static void errors_of_compilers_are_read(void **state)
{
	(void)state;
	expect("a.c: In function 'f':\na.c:3:5: error: 'foo' undeclared (first use in this function)\n"
	       "    3 | foo();\na.c:3:5: note: each 'bar' is reported once\na.c:4:1: warning: 'w' unused\n",
	       "a.c:3:5 foo");
	expect("x/a.cc:10:2: fatal error: no match for \xe2\x80\x98operator<<\xe2\x80\x99 (types are "
	       "\xe2\x80\x98std::ostream\xe2\x80\x99)\n",
	       "x/a.cc:10:2 operator<< std ostream");
	expect("a.cc:1:2: error: 'constexpr box::operator value_type() const' used before its definition",
	       "a.cc:1:2 constexpr box operatorvalue_type const");
	expect("./a.go:3:7: undefined: frob\n", "./a.go:3:7 undefined frob");
	expect("A.java:5: error: cannot find symbol\n  symbol:   class Foo\n  location: class A\n",
	       "A.java:5:0 cannot find symbol class Foo");
	expect("error[E0425]: cannot find value `frob` in this scope\n --> src/main.rs:2:5\n  |\n",
	       "src/main.rs:2:5 frob");
	expect("small.ts(3,14): error TS2304: Cannot find name 'Frob'.\n", "small.ts:3:14 Frob");
	expect("/usr/bin/ld: a.o: in function `main':\na.c:(.text+0x5): undefined reference to `helper'\n",
	       ":0:0 helper");
	expect("NameError: name 'frob' is not defined\n", ":0:0 frob");
}

static void other_text_is_left_alone(void **state)
{
	(void)state;
	expect("", "");
	expect("all is well\n12:30: lunch\n::: 4\n", "");
	expect("a.cc:3:5:   required from here\nIn file included from b.h:1,\n                 from a.cc:2:\n", "");
	expect("note: don't\n--> a.rs:1:1\n(1,2): error\n", "");
}

/* However much there is, what is kept is bounded. */
static void reading_is_bounded(void **state)
{
	(void)state;
	struct buf text = {0};
	for (int i = 0; i < 5000; i++)
		buf_printf(&text, "a.c:%d:1: error: 'x%d'\n", i + 1, i);
	struct complaints *c = complaints_read(text.at, text.n);
	assert_non_null(c);
	assert_true(c->n <= 200);
	complaints_free(c);
	buf_clear(&text);
	buf_printf(&text, "a.c:99999999999999999999:4294967299: error: ");
	for (int i = 0; i < 100000; i++)
		buf_printf(&text, "'x%d' ", i);
	c = complaints_read(text.at, text.n);
	assert_non_null(c);
	assert_true(c->words.n <= 32);
	complaints_free(c);
	buf_release(&text);
}

static void what_was_always_said_is_no_reason(void **state)
{
	(void)state;
	static const char before[] = "a.c:3:5: error: expected 'this'\n",
			  after[] = "a.c:1:2: error: expected 'this'\na.c:2:2: error: 'that' is missing\n";
	struct complaints *usual = complaints_read(before, strlen(before)), *c = complaints_read(after, strlen(after));
	complaints_except(c, usual);
	assert_int_equal(c->n, 1);
	assert_int_equal(c->at[0].line, 2);
	complaints_free(usual);
	complaints_free(c);
}

/* Line 2 of lib.h, after the first function was deleted from the text in front of it. */
static void places_are_found_behind_markers(void **state)
{
	(void)state;
	static const char text[] =
		"# 1 \"main.cc\"\nint gone() { return 1; }\n# 1 \"lib.h\" 1\nint one;\n"
		"int two(int x) { return frob(x); }\n# 2 \"main.cc\" 2\nint main() { return two(3); }\n";
	struct model m = {0};
	struct units u;
	struct err e = ERR_INIT;
	struct source src = {"small.cc", text, strlen(text), language_find("c++")};
	assert_int_equal(model_load(&m, &src, 1, &e), RC_OK);
	assert_true(units_make(&u, &m));
	uint32_t gone = 0, two = 0;
	for (uint32_t i = 0; i < u.n; i++) {
		const struct syntax *x = m.file[0].syntax;
		const char *at = x->text + x->token[u.at[i].span.from].at;
		gone = strncmp(at, "int gone", 8) == 0 ? i : gone;
		two = strncmp(at, "int two", 7) == 0 ? i : two;
	}
	struct edit edit = {0};
	struct step step = {0};
	edit_remove(&edit, u.at[gone].span.from, u.at[gone].span.to);
	assert_true(step_make(&step, &m, &edit));
	static const char said[] =
		"lib.h:2:25: error: 'frob' was not declared in this scope\nother.h:2:25: error: 'two'";
	struct complaints *c = complaints_read(said, strlen(said));
	complaints_place(c, &m, &step);
	assert_int_equal(c->n, 2);
	size_t n;
	const char *token = model_text(&m, c->at[0].token, &n);
	assert_int_equal(n, 4);
	assert_memory_equal(token, "frob", 4);
	assert_int_equal(c->at[1].token, COMPLAINT_NOWHERE);
	struct unit_list list = {0};
	units_blamed(&u, c, &list);
	assert_int_equal(list.n, 1);
	assert_int_equal(list.at[0], two);
	list.n = 0;
	units_named(&u, c, &list);
	assert_int_equal(list.n, 1);
	assert_int_equal(list.at[0], two);
	vec_release(&list);
	complaints_free(c);
	edit_release(&edit);
	step_release(&step);
	units_release(&u);
	model_unload(&m);
}

/* The pass "coupled" is asked until a question lacks `gone` and has `there`; it hears that this failed with the error.
 * The text of the next question, to be freed. */
static char *repaired(const char *text, const char *gone, const char *there, const char *error)
{
	struct err e = ERR_INIT;
	struct model m = {0};
	struct source src = {"main.cc", text, strlen(text), language_detect("main.cc", text, strlen(text))};
	struct candidate c = {0};
	struct step step = {0};
	struct buf now = {0};
	assert_int_equal(model_load(&m, &src, 1, &e), RC_OK);
	void *state = pass_start(&pass_coupled, &m);
	for (bool told = false;;) {
		struct complaints *said = complaints_read(error, strlen(error));
		edit_clear(&c.edit);
		c = (struct candidate){.edit = c.edit};
		assert_int_equal(pass_next(&pass_coupled, state, &c, GUESS_NOTHING), MADE_ONE);
		assert_true(step_make(&step, &m, &c.edit));
		buf_clear(&now);
		model_print(&m, 0, &step, &now);
		complaints_place(said, &m, &step);
		bool last = told;
		told = !strstr(buf_str(&now), gone) && strstr(buf_str(&now), there);
		c.said = told ? said : NULL;
		pass_tell(&pass_coupled, state, &c, false);
		complaints_free(said);
		if (last)
			break;
	}
	char *out = mem_strndup(buf_str(&now), now.n);
	pass_free(&pass_coupled, state);
	edit_release(&c.edit);
	step_release(&step);
	buf_release(&now);
	model_unload(&m);
	return out;
}

static void a_question_is_repaired_by_its_errors(void **state)
{
	(void)state;
	/* what an error stands at goes too */
	char *text = repaired("int b;\nstruct a{};\nint main(){}\n", "struct a", "int b", "main.cc:1:5: error: no 'x'");
	assert_null(strstr(text, "struct a"));
	assert_null(strstr(text, "int b"));
	free(text);
	/* the program itself may not go: what the error names stays */
	text = repaired("int c();\nint e;\nint f;\nint g;\nint x(int);\nint x(long){return c();}\nint main(){x(1);}\n",
			"long", "main", "main.cc:2:13: error: no 'c'");
	assert_null(strstr(text, "long"));
	assert_non_null(strstr(text, "c();"));
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(errors_of_compilers_are_read),
		cmocka_unit_test(other_text_is_left_alone),
		cmocka_unit_test(reading_is_bounded),
		cmocka_unit_test(what_was_always_said_is_no_reason),
		cmocka_unit_test(places_are_found_behind_markers),
		cmocka_unit_test(a_question_is_repaired_by_its_errors),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
