/* SPDX-License-Identifier: MIT */
/* S-expressions: what is one expression, where it stands, and hostile input. */
#include "smt/sexpr.h"

#include "data/buf.h"
#include "testing.h"

static enum rc parse(struct sexpr *x, const char *text, struct err *e)
{
	size_t n = strlen(text);
	char *copy = mem_dup(text, n); /* of its exact size */
	enum rc rc = sexpr_parse(x, copy, n, 3, 5, e);
	free(copy);
	return rc;
}

static void kinds(void **state)
{
	(void)state;
	struct sexpr x = {0};
	const char *text = "(a |b (c| :k 12 1.50 #x0F #b01 \"q\"\"r(\" () 1a ; comment )\n - |c@d| |let|)";
	assert_int_equal(sexpr_parse(&x, text, strlen(text), 1, 1, NULL), RC_OK);
	static const uint8_t want[] = {SEXPR_LIST,    SEXPR_SYMBOL, SEXPR_SYMBOL, SEXPR_KEYWORD, SEXPR_NUMERAL,
				       SEXPR_DECIMAL, SEXPR_HEX,    SEXPR_BINARY, SEXPR_STRING,  SEXPR_LIST,
				       SEXPR_NOTHING, SEXPR_SYMBOL, SEXPR_SYMBOL, SEXPR_SYMBOL};
	assert_int_equal(x.n, sizeof want);
	for (size_t i = 0; i < x.n; i++)
		assert_int_equal(x.at[i].kind, want[i]);
	assert_true(sexpr_is(&x, 2, "b (c", 4) && x.at[2].quoted);
	assert_true(sexpr_is(&x, 12, "c@d", 3) && !x.at[12].quoted); /* |c@d| is c@d */
	assert_true(sexpr_is(&x, 13, "let", 3) && x.at[13].quoted);  /* |let| is not let */
	assert_true(sexpr_is(&x, 8, "q\"\"r(", 5));
	assert_int_equal(x.at[0].next, x.n);
	assert_int_equal(x.at[9].next, 10);
	sexpr_release(&x);
}

static void errors_have_positions(void **state)
{
	(void)state;
	static const struct {
		const char *text;
		long line, col;
	} bad[] = {{"(a\n b", 4, 3},        {"a b", 3, 7}, {"(a))", 3, 8}, {"(\n  |x", 4, 3},
		   {"(\n\n \"x\"\"", 5, 2}, {"", 3, 5},    {" ; x", 3, 9}};
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
		struct sexpr x = {0};
		struct err e = ERR_INIT;
		assert_int_equal(parse(&x, bad[i].text, &e), RC_INPUT);
		assert_int_equal(e.line, bad[i].line);
		assert_int_equal(e.col, bad[i].col);
		sexpr_release(&x);
	}
}

static void splitter_does_not_depend_on_pieces(void **state)
{
	(void)state;
	const char *text = " (a (b) |)(|)\n; (x\nsym \"s (\"\"\" ) |q|(\"(\" ;)\n) last";
	size_t n = strlen(text);
	static const char *const want[] = {"(a (b) |)(|)", "sym", "\"s (\"\"\"", ")", "|q|", "(\"(\" ;)\n)", "last"};
	for (size_t piece = 1; piece <= n; piece++) {
		struct sexpr_split s = {.line = 1, .col = 1};
		size_t got = 0;
		for (size_t have = piece < n ? piece : n;; have = have + piece < n ? have + piece : n) {
			enum sexpr_found f;
			while ((f = sexpr_split_next(&s, text, have, have == n)) != SEXPR_MORE) {
				assert_true(got < 7);
				assert_int_equal(f, got == 3 ? SEXPR_STRAY : SEXPR_FOUND);
				assert_int_equal(s.at - s.start, strlen(want[got]));
				assert_memory_equal(text + s.start, want[got], strlen(want[got]));
				if (got == 1)
					assert_true(s.start_line == 3 &&
						    s.start_col == 2); /* as z3 counts after a comment */
				got++;
			}
			if (have == n)
				break;
		}
		assert_int_equal(got, 7);
		assert_false(sexpr_split_open(&s));
	}
}

static void depth_costs_no_stack(void **state)
{
	(void)state;
	struct buf b = {0};
	struct sexpr x = {0};
	enum { DEPTH = 3000000 };
	for (int i = 0; i < DEPTH; i++)
		buf_str_add(&b, "(a");
	for (int i = 0; i < DEPTH; i++)
		buf_char(&b, ')');
	struct sexpr_split s = {.line = 1, .col = 1};
	assert_int_equal(sexpr_split_next(&s, b.at, b.n - 1, false), SEXPR_MORE);
	assert_true(sexpr_split_open(&s));
	assert_int_equal(sexpr_split_next(&s, b.at, b.n, false), SEXPR_FOUND);
	assert_int_equal(sexpr_parse(&x, b.at, b.n, 1, 1, NULL), RC_OK);
	assert_int_equal(x.n, 2 * DEPTH);
	sexpr_release(&x);
	buf_release(&b);
}

UNIT_TESTS(cmocka_unit_test(kinds), cmocka_unit_test(errors_have_positions),
	   cmocka_unit_test(splitter_does_not_depend_on_pieces), cmocka_unit_test(depth_costs_no_stack))
