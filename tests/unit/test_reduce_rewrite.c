/* SPDX-License-Identifier: MIT */
/* Rewriting passes, each alone on small programs of several languages: what it makes of them, and that every step makes
 * the program smaller (tokens, then names, then bytes, then the text), so that none goes round in circles. */
#include "reduce/model/load.h"
#include "reduce/model/words.h"
#include "reduce/pass/pass.h"
#include "reduce/syntax/syntax.h"

#include "testing.h"

/* A property says what an interesting text has: "a&b|c&!d", a and b, or c but not d; "" is every text. */
static bool holds(const char *property, const char *text)
{
	bool all = true;
	for (const char *p = property;; p++) {
		char word[64];
		size_t n = strcspn(p, "&|");
		bool without = *p == '!';
		assert_true(n < sizeof word);
		snprintf(word, sizeof word, "%.*s", (int)n - without, p + without);
		all &= !strstr(text, word) == without;
		p += n;
		if (!*p || (*p == '|' && all))
			return all;
		all |= *p == '|';
	}
}

static bool parses(struct model *m, const char *text)
{
	struct syntax *x;
	struct err e = ERR_INIT;
	assert_int_equal(syntax_parse(&x, m->file[0].syntax->language, text, strlen(text), &e), RC_OK);
	bool fine = x->n_errors == 0;
	syntax_free(x);
	return fine;
}

struct size {
	uint32_t tokens, names;
	size_t bytes;
	char *text;
};

static struct size size_of(struct model *m)
{
	struct err e = ERR_INIT;
	struct buf text = {0};
	struct words w;
	assert_int_equal(model_rebase(m, &e), RC_OK);
	model_print_minimum(m, 0, &text);
	words_init(&w, m);
	struct size s = {m->n, (uint32_t)w.n, 0, mem_strndup(buf_str(&text), text.n)};
	for (uint32_t i = 0; i < m->n; i++) {
		size_t len;
		const char *word = model_text(m, i, &len);
		s.bytes += len == 4 && memcmp(word, "void", 4) == 0 ? 1 : len;
	}
	words_release(&w);
	buf_release(&text);
	return s;
}

static bool smaller(const struct size *a, const struct size *b)
{
	if (a->tokens != b->tokens)
		return a->tokens < b->tokens;
	if (a->names != b->names)
		return a->names < b->names;
	if (a->bytes != b->bytes)
		return a->bytes < b->bytes;
	return strcmp(a->text, b->text) < 0;
}

/* The first success of the pass, if there is one: the base is made anew. */
static bool step_on(struct model *m, const struct pass *pass, const char *property, unsigned *asked)
{
	void *state = pass_start(pass, m);
	struct candidate c = {0};
	struct step s = {0};
	bool success = false;
	while (!success && pass_next(pass, state, &c, GUESS_NOTHING) == MADE_ONE) {
		struct buf text = {0};
		if (step_make(&s, m, &c.edit)) {
			model_print(m, 0, &s, &text);
			++*asked;
			success = holds(property, buf_str(&text)) && parses(m, buf_str(&text));
			if (success)
				model_apply(m, &s);
		}
		pass_tell(pass, state, &c, success);
		edit_clear(&c.edit);
		c = (struct candidate){.edit = c.edit};
		buf_release(&text);
	}
	edit_release(&c.edit);
	step_release(&s);
	pass_free(pass, state);
	return success;
}

/* What the pass makes of a program; to be freed. */
static char *reduce(const char *name, const char *text, const char *pass, const char *property)
{
	struct err e = ERR_INIT;
	struct model m = {0};
	struct source src = {name, text, strlen(text), language_detect(name, text, strlen(text))};
	unsigned asked = 0;
	assert_int_equal(model_load(&m, &src, 1, &e), RC_OK);
	struct size before = size_of(&m);
	while (step_on(&m, pass_find(pass), property, &asked)) {
		struct size now = size_of(&m);
		assert_true(smaller(&now, &before));
		free(before.text);
		before = now;
		assert_true(asked < 10000);
	}
	model_unload(&m);
	return before.text;
}

/* What its first success makes, where everything is interesting. */
static char *reduce_once(const char *name, const char *text, const char *pass)
{
	struct err e = ERR_INIT;
	struct model m = {0};
	struct source src = {name, text, strlen(text), language_detect(name, text, strlen(text))};
	unsigned asked = 0;
	assert_int_equal(model_load(&m, &src, 1, &e), RC_OK);
	step_on(&m, pass_find(pass), "", &asked);
	struct size s = size_of(&m);
	model_unload(&m);
	return s.text;
}

static void makes(const char *name, const char *text, const char *pass, const char *property, const char *expected)
{
	char *got = reduce(name, text, pass, property);
	assert_string_equal(got, expected);
	free(got);
}

static void nodes_become_the_shortest_of_their_kind(void **state)
{
	(void)state;
	makes("a.c", "int f(long b){return f(b+1)*b;}", "simpler", "f(&return", "int f(){return 0;}");
	makes("a.js", "while (f(1)) { g(); }", "simpler", "while", "while (0) ;");
	makes("a.go", "package a\nfunc f() int { return f()+f() }", "simpler", "f(&return",
	      "{}\nfunc f() int { return 0}");
	makes("a.rs", "fn f() -> Vec<u8> { return g(1, 2) }", "simpler", "f(&return", "fn f() -> u8{ return 0}");
	makes("a.py", "def f(b):\n return g(b + 1)\n", "simpler", "f(&return", "def f(b):\n return 0\n");
}

static void names_are_folded(void **state)
{
	(void)state;
	makes("a.c", "int f(int b){return b;}", "names", "return", "int b(int b){return b;}");
	makes("a.js", "function f(b) { b.c(1) }", "names", "(1)", "function b(b) { b.c(1) }");
	/* never into what is reserved */
	makes("a.c", "int f(){return __builtin_trap()+__builtin_trap();}", "names", "return",
	      "int f(){return f()+f();}");
}

static void functions_return_nothing(void **state)
{
	(void)state;
	makes("a.c", "int f();\nint f(){g();return 1;}", "result", "g()", "void f();\nvoid f(){g();}");
	makes("a.c", "char *f(){return g();}", "result", "g()", "void f(){g();}");
	makes("a.c", "int f(){for(;;)g();}", "result", "g()", "void f(){for(;;)g();}");
	makes("a.java", "class A{int f(){g();return 1;}}", "result", "g()", "class A{void f(){g();}}");
	makes("a.go", "package a\nfunc f() (int, error) {\ng()\nreturn 1, nil\n}", "result", "g()",
	      "package a\nfunc f(){\ng()\n}");
	makes("a.rs", "fn f() -> u8 { g(); 1 }", "result", "g()", "fn f(){ g();}");
}

static void declarations_go_with_their_uses(void **state)
{
	(void)state;
	static const char declared_or_not_used[] = "g(&b = 1|g(&!b";
	makes("a.js", "let b = 1; g(b); b = 2;", "together", declared_or_not_used, "g();");
	makes("a.py", "b = 1\ng(b)\n", "together", declared_or_not_used, "g()\n");
	/* a literal of the program for a use that must have one */
	makes("a.js", "let b = 'x' + f(); g(b + 1);", "together", "g('x' + 1)|g(b&let b&'x'", "g('x' + 1);");
	/* another name of the declaration for one that must be a name */
	makes("a.js", "let b = f(c, 7); g(b.d);", "together", "g(c.d)|let b = f&g(b", "g(c.d);");
}

/* `%x` and `x:` are one name, and a place keeps how it writes it. */
static void names_may_carry_signs(void **state)
{
	(void)state;
	static const char program[] = "define i8 @f(i8 %b) {\nbr label %next\nnext:\n%c = add i8 %b, 1\nret i8 %c\n}\n";
	makes("a.ll", program, "rename", "",
	      "define i8 @f(i8 %b) {\nbr label %a\na:\n%c = add i8 %b, 1\nret i8 %c\n}\n");
	makes("a.ll", program, "together",
	      "%next&ret i8 %b|ret i8 %c&%c =", "define i8 @f(i8 %b) {\nbr label %next\nnext:\nret i8 %b\n}\n");
	makes("a.rb", "class F\ndef g\n@value = @value + 1\nend\nend\n", "rename", "",
	      "class F\ndef g\n@a = @a + 1\nend\nend\n");
}

/* Every language with a seed has a value for what must be there. */
static void every_language_has_a_value(void **state)
{
	(void)state;
	makes("a.rb", "x = f(y)\n", "simpler", "x =", "x = 0\n");
	makes("a.php", "<?php $x = f($y);", "simpler", "$x =", "<?php $x = 0;");
	makes("a.lua", "x = f(y)\n", "simpler", "x =", "x = 0\n");
	makes("a.cs", "class A{int x=f(y);}", "simpler", "x=", "class A{int x=0;}");
	makes("a.kt", "fun g() { h(f(y)) }\n", "simpler", "h(&fun", "fun g() { h(0)}\n");
	makes("a.swift", "let x = f(y)\n", "simpler", "x =", "let x = 0\n");
	makes("a.scala", "object A { h(f(y)) }\n", "simpler", "h(&object", "object A { h(0) }\n");
	makes("a.hs", "x = f (y)\n", "simpler", "x =", "x =0\n");
	makes("a.ml", "let x = f y z", "simpler", "x =", "let x = 0");
	makes("a.zig", "const x = f(y);", "simpler", "x =", "const x = 0;");
	makes("a.sql", "SELECT f(x) FROM y;", "simpler", "FROM y", "SELECT 0 FROM y;");
	makes("a.sol", "contract A{int x=f(y);}", "simpler", "x=", "contract A{int x=0;}");
	makes("a.frag", "int f(){return f(1)*g;}", "simpler", "f(&return", "int f(){return 0;}");
	makes("a.v", "module m; assign x = y + z; endmodule", "simpler", "x =", "module m; assign x = 0; endmodule");
	makes("a.ll", "define i8 @f(i8 %b) {\nret i8 %b\n}\n", "simpler", "i8 @f(i8 %b) {&ret i8",
	      "define i8 @f(i8 %b) {\nret i8 0\n}\n");
}

static void imports_go_with_what_they_bring(void **state)
{
	(void)state;
	makes("a.go", "package a\nimport \"x/sort\"\nfunc f() {\nsort.Sort()\n}", "together",
	      "package&func&\"x/sort\"&sort.|package&func&!\"x/sort\"&!sort.", "package a\nfunc f() {\n}");
}

static void parameters_go_with_their_arguments(void **state)
{
	(void)state;
	makes("a.c", "void x(int b);\nvoid f(){x(1);}", "params", "x(int b)&x(1)|x()&!x(1)&!(int b)",
	      "void x();\nvoid f(){x();}");
	makes("a.c", "void x(int b,int c);\nvoid f(){x(1,2);}", "params", "(int b,int c)&x(1,2)|(int c)&x(2)",
	      "void x(int c);\nvoid f(){x(2);}");
	makes("a.c", "int f(int a,int b){return a*b;}", "params", "a*b|a*a", "int f(int a){return a*a;}");
}

static void all_of_one_text_go_at_once(void **state)
{
	(void)state;
	makes("a.c", "const x;\nint f(const y){}", "alike", "x;&const y|x;&!const", "x;\nint f(y){}");
}

static void operators_turn_round_with_what_is_near(void **state)
{
	(void)state;
	makes("a.c", "int f(){return 1<c?2:g(b);}", "opposite", "1<c?2:g(b)|1>c?2:b;", "int f(){return 1>c?2:b;}");
	makes("a.js", "f = 1<c?2:g(b);", "opposite", "1<c?2:g(b)|1>c?2:b;", "f = 1>c?2:b;");
}

static void what_has_a_meaning_is_put_in(void **state)
{
	(void)state;
	makes("a.c", "void f(){int b=7+7;g(b);}", "inline", "(7+7)|(b)&7+7", "void f(){g(7+7);}");
	makes("a.js", "const b = 7+7; g(b);", "inline", "(7+7)|(b)&7+7", "g(7+7);");
	makes("a.py", "b = 7+7\ng(b)\n", "inline", "(7+7)|(b)&7+7", "g(7+7)\n");
	makes("a.c", "typedef long t;\nt x;", "inline", "long x|typedef long t;&t x", "long x;");
	makes("a.c", "int x;", "inline", "x", "int x;");
}

static void neighbouring_blocks_become_one(void **state)
{
	(void)state;
	makes("a.cc", "namespace a{int x;}namespace a{int y;}", "merge", "namespace a&int x;&int y;",
	      "namespace a{int x;int y;}");
	makes("a.js", "if(x){f();}if(x){g();}", "merge", "g()", "if(x){f();g();}");
}

static void classes_become_structs(void **state)
{
	(void)state;
	makes("a.cc", "class a{public:int x;};", "structs", "int x;&struct|int x;&public:", "struct a{int x;};");
	makes("a.cc", "class a;", "structs", "", "class a;");
}

static void names_become_letters(void **state)
{
	(void)state;
	makes("a.c", "int value(int a){return value(a);}", "rename", "return", "int b(int a){return b(a);}");
	makes("a.go", "package sort\nfunc sort() { return }", "rename", "return", "package a\nfunc a() { return }");
}

static void blanks_go_where_nothing_needs_them(void **state)
{
	(void)state;
	char *text = reduce_once("a.c", "int  f ( int b )\n{\n  return b\n + + b ;\n}\n#define f  (x)\n", "blanks");
	assert_string_equal(text, "int f(int b)\n{\nreturn b+ +b;\n}\n#define f  (x)\n");
	free(text);
	text = reduce_once("a.js", "while (0)  f()\n  g()\n", "blanks");
	assert_string_equal(text, "while(0)f()\ng()\n");
	free(text);
	text = reduce_once("a.py", "if  x :\n    f( )\n", "blanks");
	assert_string_equal(text, "if  x :\n    f( )\n");
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nodes_become_the_shortest_of_their_kind),
		cmocka_unit_test(names_are_folded),
		cmocka_unit_test(functions_return_nothing),
		cmocka_unit_test(declarations_go_with_their_uses),
		cmocka_unit_test(names_may_carry_signs),
		cmocka_unit_test(every_language_has_a_value),
		cmocka_unit_test(imports_go_with_what_they_bring),
		cmocka_unit_test(parameters_go_with_their_arguments),
		cmocka_unit_test(all_of_one_text_go_at_once),
		cmocka_unit_test(operators_turn_round_with_what_is_near),
		cmocka_unit_test(what_has_a_meaning_is_put_in),
		cmocka_unit_test(neighbouring_blocks_become_one),
		cmocka_unit_test(classes_become_structs),
		cmocka_unit_test(names_become_letters),
		cmocka_unit_test(blanks_go_where_nothing_needs_them),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
