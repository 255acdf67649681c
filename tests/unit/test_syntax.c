/* SPDX-License-Identifier: MIT */
/* Tokens, trees, shapes and printing, on one sample program per language. */
#include "reduce/syntax/syntax.h"

#include "reduce/syntax/grammar.h"
#include "reduce/syntax/internal.h"
#include "kept_prints.h"
#include "relex.h"
#include "testing.h"

#include <tree_sitter/api.h>

static const struct {
	enum language_id id;
	const char *path;
} samples[] = {
	{LANG_C, "tests/unit/samples/sample.c"},           {LANG_CPP, "tests/unit/samples/sample.cc"},
	{LANG_RUST, "tests/unit/samples/sample.rs"},       {LANG_GO, "tests/unit/samples/sample.go"},
	{LANG_JAVA, "tests/unit/samples/Sample.java"},     {LANG_JAVASCRIPT, "tests/unit/samples/sample.js"},
	{LANG_TYPESCRIPT, "tests/unit/samples/sample.ts"}, {LANG_TSX, "tests/unit/samples/sample.tsx"},
	{LANG_PYTHON, "tests/unit/samples/sample.py"},     {LANG_JSON, "tests/unit/samples/sample.json"},
	{LANG_SQL, "tests/unit/samples/sample.sql"},
};

static struct syntax *parse(const struct language *l, const char *text, size_t n)
{
	struct syntax *s;
	struct err e = ERR_INIT;
	char *exact = mem_dup(text, n);
	assert_int_equal(syntax_parse(&s, l, exact, n, &e), RC_OK);
	free(exact);
	return s;
}

static struct syntax *parse_sample(size_t i)
{
	struct buf b = {0};
	struct err e = ERR_INIT;
	assert_int_equal(buf_read_file(&b, samples[i].path, 1 << 20, &e), RC_OK);
	struct syntax *s = parse(language_detect(samples[i].path, b.at, b.n), b.at, b.n);
	assert_int_equal(s->language->id, samples[i].id);
	buf_release(&b);
	return s;
}

static void print_all(const struct syntax *s, struct buf *out)
{
	uint32_t *kept = mem_alloc(mem_mul(s->n_tokens, sizeof *kept));
	for (uint32_t i = 0; i < s->n_tokens; i++)
		kept[i] = i;
	print_kept(s, kept, s->n_tokens, NULL, 0, out);
	free(kept);
}

/* Preorder, token ranges and parents agree; every byte that is not white space is in one token. */
static void assert_consistent(const struct syntax *s)
{
	uint32_t at = 0;
	for (uint32_t i = 0; i < s->n_tokens; i++) {
		const struct syn_token *t = &s->token[i];
		assert_true(t->at >= at && t->len > 0 && t->at + t->len <= s->n_text);
		for (; at < t->at; at++)
			assert_true(strchr(" \t\n\v\f\r\\", s->text[at]) != NULL);
		at = t->at + t->len;
		assert_true(s->node[t->node].flags & NODE_LEAF);
		assert_int_equal(s->node[t->node].tok, i);
	}
	for (; at < s->n_text; at++)
		assert_true(strchr(" \t\n\v\f\r\\", s->text[at]) != NULL);
	for (uint32_t i = 0; i < s->n_nodes; i++) {
		const struct syn_node *n = &s->node[i];
		assert_true(n->end > i && n->end <= s->n_nodes && n->tok + n->n_tok <= s->n_tokens);
		uint32_t tok = n->tok, children = 0;
		for (uint32_t c = syntax_first_child(s, i); c != SYNTAX_NONE; c = syntax_next_sibling(s, c)) {
			assert_int_equal(s->node[c].parent, i);
			assert_int_equal(s->node[c].tok, tok);
			tok += s->node[c].n_tok;
			children++;
		}
		if (children)
			assert_int_equal(tok, n->tok + n->n_tok);
		else
			assert_int_equal(n->n_tok, n->flags & NODE_LEAF ? 1 : 0);
	}
}

static void samples_parse_and_print_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		struct syntax *s = parse_sample(i);
		struct buf out = {0};
		assert_int_equal(s->n_errors, 0);
		assert_consistent(s);
		print_all(s, &out);
		assert_int_equal(out.n, s->n_text);
		assert_memory_equal(out.at, s->text, out.n);
		buf_release(&out);
		syntax_free(s);
	}
}

static uint32_t children_of(const struct syntax *s, uint32_t node, uint16_t *sym, uint32_t max)
{
	uint32_t n = 0;
	for (uint32_t c = syntax_first_child(s, node); c != SYNTAX_NONE && n < max; c = syntax_next_sibling(s, c))
		if (!(s->node[c].flags & NODE_EXTRA))
			sym[n++] = s->node[c].letter;
	return n;
}

/* Every node of every sample matches its rule; any one element of a list may go unless it must stay; the whole list may
 * go if it says so. */
/* "function_definition", "identifier", "+=" */
static const char *symbol_name(const struct language *lang, uint16_t sym)
{
	const struct grammar *g = grammar_get(lang);
	if (g && sym >= g->n_symbols && sym < g->n_letters)
		return g->table->rules[sym - g->n_symbols].name;
	const char *name = g && sym < g->n_symbols ? ts_language_symbol_name(g->ts, sym) : NULL;
	return name ? name : "raw";
}

static const char *node_name(const struct syntax *s, uint32_t node)
{
	return symbol_name(s->language, s->node[node].sym);
}

static void nodes_match_their_rules(void **state)
{
	(void)state;
	static uint16_t sym[4096], rest[4096];
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		struct syntax *s = parse_sample(i);
		for (uint32_t node = 0; node < s->n_nodes; node++) {
			uint16_t rule = s->node[node].rule;
			if (s->node[node].flags & NODE_LEAF || rule == GRAMMAR_NO_RULE)
				continue;
			uint32_t n = children_of(s, node, sym, 4096);
			const struct shape *h = shape_get(s->language, rule, sym, n);
			if (!h->matched)
				fail_msg("%s: %s at byte %u", samples[i].path, node_name(s, node),
					 s->token[s->node[node].tok].at);
			assert_true(shape_valid(s->language, rule, sym, n));
			for (size_t l = 0; l < h->n_lists; l++) {
				const struct shape_list *list = &h->list[l];
				const struct shape_element *first = &h->element[list->first],
							   *last = first + list->n - 1;
				uint32_t left = 0;
				for (uint32_t c = 0; c < n; c++)
					if (c < first->from || c >= last->to)
						rest[left++] = sym[c];
				assert_int_equal(shape_valid(s->language, rule, rest, left), list->may_be_empty);
				for (uint32_t k = 0; k < list->n && (list->n > 1 || list->may_be_empty); k++) {
					uint32_t to = first[k].separator == SYNTAX_NONE ? first[k].to : first[k].to + 1;
					uint32_t from = first[k].from;
					if (k && first[k].separator == SYNTAX_NONE &&
					    first[k - 1].separator != SYNTAX_NONE)
						from--;
					left = 0;
					for (uint32_t c = 0; c < n; c++)
						if (c < from || c >= to)
							rest[left++] = sym[c];
					assert_true(shape_valid(s->language, rule, rest, left));
				}
			}
			shape_drop(h);
		}
		syntax_free(s);
	}
}

static void assert_lists(const char *text, const char *name, const char *want)
{
	const struct language *c = &languages[LANG_C];
	struct syntax *s = parse(c, text, strlen(text));
	uint16_t sym[64];
	uint32_t node = 0;
	while (strcmp(node_name(s, node), name))
		assert_true(++node < s->n_nodes);
	uint32_t n = children_of(s, node, sym, 64);
	const struct shape *h = shape_get(c, s->node[node].rule, sym, n);
	struct buf b = {0};
	for (size_t l = 0; l < h->n_lists; l++) {
		buf_str_add(&b, h->list[l].may_be_empty ? "{" : "[");
		for (uint32_t k = 0; k < h->list[l].n; k++) {
			const struct shape_element *e = &h->element[h->list[l].first + k];
			buf_str_add(&b, k ? " (" : "(");
			for (uint32_t x = e->from; x < e->to; x++)
				buf_printf(&b, "%s%s", x > e->from ? " " : "", symbol_name(c, sym[x]));
			buf_str_add(&b, ")");
			if (e->separator != SYNTAX_NONE)
				buf_str_add(&b, symbol_name(c, sym[e->separator]));
		}
		buf_str_add(&b, h->list[l].may_be_empty ? "}" : "]");
	}
	assert_string_equal(buf_str(&b), want);
	buf_release(&b);
	shape_drop(h);
	syntax_free(s);
}

static void lists_have_their_separators(void **state)
{
	(void)state;
	assert_lists("int a, b = 1, *c;", "declaration", "[(identifier), (init_declarator), (pointer_declarator)]");
	assert_lists("int f(int x, char y);", "parameter_list", "{(parameter_declaration), (parameter_declaration)}");
	assert_lists("enum { A, B, };", "enumerator_list", "{(enumerator ,) (enumerator ,)}{(,)}");
	assert_lists("static const int a;", "declaration", "{(storage_class_specifier) (type_qualifier)}");
	assert_lists("int f() { if (x) y; else z; }", "if_statement", "{(else_clause)}");
	assert_lists("struct { int x : 3, y; };", "field_declaration",
		     "{(field_identifier bitfield_clause), (field_identifier)}{(bitfield_clause)}");
}

static void replacements_follow_the_grammar(void **state)
{
	(void)state;
	const struct language *c = &languages[LANG_C];
	const char *text = "int f() { if (x) { g(1); } }";
	struct syntax *s = parse(c, text, strlen(text));
	uint32_t block = SYNTAX_NONE;
	for (uint32_t i = 0; i < s->n_nodes; i++)
		if (!strcmp(node_name(s, i), "compound_statement") && block == SYNTAX_NONE)
			block = i;
	uint16_t sym[8];
	uint32_t n = children_of(s, block, sym, 8);
	assert_int_equal(n, 3);
	const struct shape *h = shape_get(c, s->node[block].rule, sym, n);
	uint16_t statement = 0, list = 0;
	for (uint32_t i = 0; i < s->n_nodes; i++) {
		if (!strcmp(node_name(s, i), "expression_statement"))
			statement = s->node[i].letter;
		if (!strcmp(node_name(s, i), "argument_list"))
			list = s->node[i].letter;
	}
	uint16_t two[2] = {statement, statement};
	assert_true(shape_accepts(h, 1, &statement, 1));
	assert_true(shape_accepts(h, 1, two, 2));
	assert_false(shape_accepts(h, 1, &list, 1));
	assert_false(shape_accepts(h, 0, &statement, 1));
	assert_false(shape_accepts(h, 2, NULL, 0));
	shape_drop(h);
	syntax_free(s);
}

/* ---- printing */

/* What the kept tokens are by themselves: neighbours without a gap are read together (`>>` that closes two templates).
 */
static void expect_tokens(const struct syntax *s, const uint32_t *kept, size_t n, struct buf *out)
{
	bool lines = s->language->id == LANG_C || s->language->id == LANG_CPP;
	for (size_t i = 0, j; i < n; i = j) {
		const struct syn_token *t = &s->token[kept[i]];
		uint32_t from = t->at, to = t->at + t->len;
		for (j = i + 1; j < n && kept[j] == kept[j - 1] + 1 && s->token[kept[j]].at == to; j++) {
			if (s->token[kept[j]].line != t->line)
				break;
			to += s->token[kept[j]].len;
		}
		relex(s->language->id, s->text + from, to - from, false, out);
		uint32_t line = s->token[kept[j - 1]].line;
		if (!lines || !line || (j < n && s->token[kept[j]].line == line))
			continue;
		size_t first = j - 1;
		while (first && s->token[kept[first - 1]].line == line)
			first--;
		if (s->text[s->token[kept[first]].at] == '#')
			buf_add(out, "<eol>\1", 6);
	}
}

static void assert_reads_back(const struct syntax *s, const uint32_t *kept, size_t n)
{
	struct buf printed = {0}, got = {0}, want = {0};
	bool lines = s->language->id == LANG_C || s->language->id == LANG_CPP;
	print_kept(s, kept, n, NULL, 0, &printed);
	relex(s->language->id, buf_str(&printed), printed.n, lines, &got);
	expect_tokens(s, kept, n, &want);
	if (got.n != want.n || memcmp(buf_str(&got), buf_str(&want), got.n)) {
		for (size_t i = 0; i < got.n; i++)
			got.at[i] = got.at[i] == 1 ? '~' : got.at[i];
		for (size_t i = 0; i < want.n; i++)
			want.at[i] = want.at[i] == 1 ? '~' : want.at[i];
		size_t i = 0;
		while (i < got.n && i < want.n && got.at[i] == want.at[i])
			i++;
		i = i > 30 ? i - 30 : 0;
		fail_msg("%s: got %.80s want %.80s in\n%s", s->language->name, buf_str(&got) + i, buf_str(&want) + i,
			 buf_str(&printed));
	}
	vec_release_all(&printed, &got, &want);
}

static void any_subset_reads_back(void **state)
{
	(void)state;
	struct rng r = {7};
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		if (samples[i].id == LANG_TSX)
			continue; /* text between tags has no tokens of its own */
		struct syntax *s = parse_sample(i);
		uint32_t *kept = mem_alloc(mem_mul(s->n_tokens, sizeof *kept));
		for (int round = 0; round < 300; round++) {
			size_t n = 0;
			uint64_t density = 1 + rng_below(&r, 99), run = 1 + rng_below(&r, 6);
			for (uint32_t t = 0; t < s->n_tokens;) {
				bool keep = rng_below(&r, 100) < density;
				for (uint64_t k = 1 + rng_below(&r, run); k && t < s->n_tokens; k--, t++)
					if (keep)
						kept[n++] = t;
			}
			assert_reads_back(s, kept, n);
		}
		/* every pair of tokens of different kinds side by side */
		for (int round = 0; round < 3000; round++) {
			uint32_t a = (uint32_t)rng_below(&r, s->n_tokens - 1);
			uint32_t pair[2] = {a, a + 1 + (uint32_t)rng_below(&r, s->n_tokens - 1 - a)};
			assert_reads_back(s, pair, 2);
		}
		free(kept);
		syntax_free(s);
	}
}

/* Prints the program without the tokens from … to−1 and says whether it still parses. */
static bool parses_without(const struct syntax *s, uint32_t from, uint32_t to)
{
	uint32_t *kept = mem_alloc(mem_mul(s->n_tokens, sizeof *kept));
	size_t k = 0;
	for (uint32_t t = 0; t < s->n_tokens; t++)
		if (t < from || t >= to)
			kept[k++] = t;
	struct buf out = {0};
	print_kept(s, kept, k, NULL, 0, &out);
	struct syntax *again = parse(s->language, buf_str(&out), out.n);
	bool good = again->n_errors == 0;
	if (!good && getenv("SHOW"))
		print_message("%s: %.*s\n", s->language->name,
			      (int)(s->token[to - 1].at + s->token[to - 1].len - s->token[from].at),
			      s->text + s->token[from].at);
	syntax_free(again);
	buf_release(&out);
	free(kept);
	return good;
}

/* Deleting any one list element leaves a program that parses, layout included. */
static void deleted_elements_leave_a_program(void **state)
{
	(void)state;
	static uint16_t sym[4096];
	static uint32_t child[4096];
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		struct syntax *s = parse_sample(i);
		unsigned tried = 0, broken = 0;
		for (uint32_t node = 0; node < s->n_nodes; node++) {
			uint32_t m = 0;
			if (s->node[node].flags & NODE_LEAF || s->node[node].rule == GRAMMAR_NO_RULE)
				continue;
			for (uint32_t c = syntax_first_child(s, node); c != SYNTAX_NONE; c = syntax_next_sibling(s, c))
				if (!(s->node[c].flags & NODE_EXTRA))
					child[m++] = c;
			uint32_t n = children_of(s, node, sym, 4096);
			const struct shape *h = shape_get(s->language, s->node[node].rule, sym, n);
			for (size_t l = 0; l < h->n_lists; l++) {
				const struct shape_list *list = &h->list[l];
				for (uint32_t k = 0; k < list->n && (list->n > 1 || list->may_be_empty); k++) {
					const struct shape_element *e = &h->element[list->first + k];
					uint32_t to = e->separator == SYNTAX_NONE ? e->to : e->to + 1;
					uint32_t from =
						e->separator == SYNTAX_NONE && k && e[-1].separator != SYNTAX_NONE
							? e->from - 1
							: e->from;
					const struct syn_node *last = &s->node[child[to - 1]];
					if (s->node[child[from]].tok == last->tok + last->n_tok)
						continue;
					tried++;
					broken += !parses_without(s, s->node[child[from]].tok, last->tok + last->n_tok);
				}
			}
			shape_drop(h);
		}
		/* grammars are looser than their own precedences and conflicts in a few places */
		if (broken * 12 > tried)
			fail_msg("%s: %u of %u do not parse", s->language->name, broken, tried);
		syntax_free(s);
	}
}

/* Prints the text without the tokens that drop names, with a blank on either side of each. */
static void assert_prints(enum language_id id, const char *text, const char *drop, const char *want)
{
	struct syntax *s = parse(&languages[id], text, strlen(text));
	uint32_t kept[256];
	size_t n = 0;
	for (uint32_t i = 0; i < s->n_tokens; i++) {
		char word[64];
		snprintf(word, sizeof word, " %.*s ", (int)s->token[i].len, s->text + s->token[i].at);
		if (!strstr(drop, word))
			kept[n++] = i;
	}
	assert_kept_prints(s, kept, n, want);
}

static void layout_survives(void **state)
{
	(void)state;
	static const struct {
		enum language_id id;
		struct {
			const char *text, *drop, *want;
		} cases[3];
	} rows[] = {
		/* a header that goes lets its block move out */
		{LANG_PYTHON,
		 {
			 {"if a:\n    if b:\n        c\n    d\ne\n", " a if : ", "b\nc\nd\ne\n"},
			 {"def f():\n    if b:\n        c\n        x\n    d\ne\n", " x ",
			  "def f():\n if b:\n  c\n d\ne\n"},
			 {"f(a,\n  b, c)\ng()\n", " c ", "f(a, b,)\ng()\n"},
		 }},
		{LANG_C,
		 {
			 {"int a;\n#define X 1\nint b;\n", " ; ", "int a\n#define X 1\nint b\n"},
			 {"a+ +b; c - -d;\n", " b c ", "a+ +;- -d;\n"},
			 {"x = a // c\n + b;\n", " + ", "x = a // c\nb;\n"},
		 }},
		{LANG_GO,
		 {
			 {"package p\n\nfunc f() {\n\ta()\n\tb()\n\tc()\n}\n", " b ",
			  "package p\n\nfunc f() {\n\ta()\n()\n\tc()\n}\n"},
		 }},
		{LANG_JAVASCRIPT,
		 {
			 {"a()\nb\nc()\n", " b ", "a()\nc()\n"},
			 {"return (\n x\n)\n", " ( ) ", "return x\n"},
			 {"x = a // c\n + b\n", " + ", "x = a // c\nb\n"},
		 }},
		{LANG_LINES,
		 {
			 {"a\nb\nc", "\nb\n", "a\nb\nc"},
		 }},
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		for (size_t k = 0; k < ARRAY_LEN(rows[i].cases) && rows[i].cases[k].text; k++)
			assert_prints(rows[i].id, rows[i].cases[k].text, rows[i].cases[k].drop, rows[i].cases[k].want);
}

static void rewritten_tokens_are_kept_apart(void **state)
{
	(void)state;
	const char *text = "f(a+b);";
	struct syntax *s = parse(&languages[LANG_C], text, strlen(text));
	uint32_t kept[] = {0, 1, 2, 3, 4, 5, 6};
	struct syn_rewrite rw[] = {{2, 1, "1"}, {3, 1, "x"}, {5, 0, ""}};
	struct buf out = {0};
	assert_int_equal(s->n_tokens, 7);
	print_kept(s, kept, 7, rw, 3, &out);
	assert_string_equal(buf_str(&out), "f(1 x b;");
	buf_release(&out);
	syntax_free(s);
}

/* ---- languages and hostile text */

static void languages_are_found(void **state)
{
	(void)state;
	for (size_t i = 0; i < N_LANGUAGES; i++)
		assert_ptr_equal(language_find(languages[i].name), &languages[i]);
	assert_int_equal(language_find("CPP")->id, LANG_CPP);
	assert_null(language_find("cobol"));
	assert_null(language_find(""));
	assert_int_equal(language_detect("dir.c/x.C", "", 0)->id, LANG_CPP);
	assert_int_equal(language_detect("x.h", "", 0)->id, LANG_C);
	assert_int_equal(language_detect("x.PY", "", 0)->id, LANG_PYTHON);
	assert_int_equal(language_detect("x", "#!/usr/bin/python3\n1", 20)->id, LANG_PYTHON);
	assert_int_equal(language_detect(NULL, "{\"a\": [1, 2]}", 13)->id, LANG_JSON);
	assert_int_equal(language_detect("x", "int main(void) { return 0; }", 28)->id, LANG_C);
	assert_int_equal(language_detect("x", "package p\nfunc f() {}\n", 22)->id, LANG_GO);
	/* a dialect that the grammar knows a third of is better than lines */
	static const char dialect[] =
		"PRAGMA foreign_keys = ON;\n"
		"CREATE TRIGGER t AFTER INSERT ON lines BEGIN UPDATE orders SET total = total + 1 "
		"WHERE id = NEW.order_id; END;\n"
		"INSERT INTO orders (customer, total) VALUES (1, 0), (2, 0);\n"
		"SELECT name FROM orders WHERE total > 0;\n"
		"SELECT a, b, c FROM t;\nSELECT d, e FROM u;\n";
	assert_int_equal(language_detect("x.sql", dialect, sizeof dialect - 1)->id, LANG_SQL);
	assert_int_equal(language_detect("x", "Dear all, nothing here parses.\n", 31)->id, LANG_LINES);
}

static void nothing_fails_to_parse(void **state)
{
	(void)state;
	struct rng r = {11};
	char text[400];
	for (int round = 0; round < 400; round++) {
		size_t n = rng_below(&r, sizeof text);
		for (size_t i = 0; i < n; i++)
			text[i] = round % 2 ? (char)rng_below(&r, 256)
					    : "(){}[];:,.#\"'`\\/*+-<>=\n\t if 1aé\xff"[rng_below(&r, 34)];
		const struct language *l = &languages[rng_below(&r, N_LANGUAGES)];
		struct syntax *s = parse(l, text, n);
		struct buf out = {0};
		assert_consistent(s);
		if (s->n_tokens) {
			print_all(s, &out);
			assert_int_equal(out.n, n);
			assert_memory_equal(out.at, text, n);
		}
		buf_release(&out);
		syntax_free(s);
	}
}

static void broken_regions_lose_lines(void **state)
{
	(void)state;
	const char *text = "int a;\n@@ foo bar baz 1 2 3 4 5 6\n@@ qux 1 2 3 4 5 6 7 ) ) )\nint b;\n";
	struct syntax *s = parse(&languages[LANG_C], text, strlen(text));
	assert_true(s->n_errors > 0);
	assert_consistent(s);
	syntax_free(s);
}

static void depth_needs_no_stack(void **state)
{
	(void)state;
	const size_t depth = 200000;
	char *text = mem_alloc(2 * depth);
	memset(text, '[', depth);
	memset(text + depth, ']', depth);
	struct syntax *s = parse(&languages[LANG_JSON], text, 2 * depth);
	assert_int_equal(s->n_tokens, 2 * depth);
	syntax_free(s);
	memset(text, '(', depth);
	s = parse(&languages[LANG_C], text, depth);
	assert_int_equal(s->n_tokens, depth);
	syntax_free(s);
	free(text);
}

/* What is not of its language at all. Recovery from errors is quadratic, so a parse is given up by what it costs. */
static void recovery_is_bounded(void **state)
{
	(void)state;
	enum { N = 40000 };
	static const char *const names[] = {"x.c", "x.cc", "x.rs", "x.rb"};
	struct buf b = {0};
	for (int i = 0; i < N; i++)
		buf_printf(&b, "\\%03o", i * 7919 % 256);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		assert_int_equal(language_detect(names[i], b.at, b.n)->id, LANG_LINES);
		assert_in_range(tree_bytes(), 1, tree_max_bytes((uint32_t)b.n) * 5 / 4);
	}
	buf_release(&b);
	/* a program needs a small part of that */
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		struct syntax *s = parse_sample(i);
		for (int k = 0; k < 200; k++)
			buf_add(&b, s->text, s->n_text), buf_char(&b, '\n');
		syntax_free(s);
		s = parse(&languages[samples[i].id], b.at, b.n);
		assert_in_range(tree_bytes(), 1, tree_max_bytes((uint32_t)b.n) / 2);
		syntax_free(s);
		buf_clear(&b);
	}
	buf_release(&b);
}

UNIT_TESTS(cmocka_unit_test(recovery_is_bounded), cmocka_unit_test(samples_parse_and_print_whole),
	   cmocka_unit_test(nodes_match_their_rules), cmocka_unit_test(lists_have_their_separators),
	   cmocka_unit_test(replacements_follow_the_grammar), cmocka_unit_test(any_subset_reads_back),
	   cmocka_unit_test(deleted_elements_leave_a_program), cmocka_unit_test(layout_survives),
	   cmocka_unit_test(rewritten_tokens_are_kept_apart), cmocka_unit_test(languages_are_found),
	   cmocka_unit_test(nothing_fails_to_parse), cmocka_unit_test(broken_regions_lose_lines),
	   cmocka_unit_test(depth_needs_no_stack))
