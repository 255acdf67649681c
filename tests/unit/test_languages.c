/* SPDX-License-Identifier: MIT */
/* One small program per language whose grammar was added as a table row only: it is found by its name, parses without
 * an error, prints whole, and is reduced to little more than its marker while every intermediate result parses. */
#include "reduce/syntax/syntax.h"

#include "base/bits.h"
#include "kept_prints.h"
#include "reduce/run/in_process.h"
#include "testing.h"

#include <string.h>

#define SAMPLES "tests/unit/samples/"

static const struct {
	enum language_id id;
	const char *path;
	size_t most; /* bytes of a result that parses */
} samples[] = {
	{LANG_CSS, SAMPLES "sample.css", 16},     {LANG_HTML, SAMPLES "sample.html", 20},
	{LANG_XML, SAMPLES "sample.xml", 16},     {LANG_YAML, SAMPLES "sample.yaml", 16},
	{LANG_PHP, SAMPLES "sample.php", 16},     {LANG_RUBY, SAMPLES "sample.rb", 16},
	{LANG_BASH, SAMPLES "sample.sh", 16},     {LANG_CSHARP, SAMPLES "Sample.cs", 24},
	{LANG_KOTLIN, SAMPLES "sample.kt", 16},   {LANG_SWIFT, SAMPLES "sample.swift", 16},
	{LANG_SCALA, SAMPLES "sample.scala", 16}, {LANG_HASKELL, SAMPLES "sample.hs", 16},
	{LANG_OCAML, SAMPLES "sample.ml", 16},    {LANG_ZIG, SAMPLES "sample.zig", 24},
	{LANG_LUA, SAMPLES "sample.lua", 16},     {LANG_SOLIDITY, SAMPLES "sample.sol", 24},
	{LANG_GLSL, SAMPLES "sample.glsl", 16},   {LANG_VERILOG, SAMPLES "sample.v", 24},
	{LANG_LLVM, SAMPLES "sample.ll", 30},     {LANG_SMTLIB, SAMPLES "sample.smt2", 6},
	{LANG_LISP, SAMPLES "sample.lisp", 6},
};

struct wanted {
	const struct language *language;
	unsigned asked;
};

static bool parses(const struct language *l, const struct buf *text)
{
	struct syntax *s;
	struct err e = ERR_INIT;
	assert_int_equal(syntax_parse(&s, l, buf_str(text), text->n, &e), RC_OK);
	bool good = !l->grammar || (s->n_errors == 0 && !(s->n_nodes && s->node[0].flags & NODE_BROKEN));
	syntax_free(s);
	return good;
}

static bool has_marker(void *user, const struct buf *text)
{
	struct wanted *w = user;
	w->asked++;
	bool there = memmem(text->at, text->n, "marker", 6) || memmem(text->at, text->n, "Marker", 6);
	return there && parses(w->language, text);
}

static void prints_whole(const struct language *l, const struct buf *text)
{
	struct syntax *s;
	struct err e = ERR_INIT;
	struct buf out = {0};
	assert_int_equal(syntax_parse(&s, l, buf_str(text), text->n, &e), RC_OK);
	uint32_t *kept = mem_alloc(mem_mul(s->n_tokens, sizeof *kept));
	for (uint32_t i = 0; i < s->n_tokens; i++)
		kept[i] = i;
	print_kept(s, kept, s->n_tokens, NULL, 0, &out);
	assert_int_equal(out.n, text->n);
	assert_memory_equal(out.at, text->at, text->n);
	free(kept);
	buf_release(&out);
	syntax_free(s);
}

static void reduces(size_t i, const struct language *l, const struct buf *text)
{
	struct model m = {0};
	struct err e = ERR_INIT;
	struct wanted w = {.language = l};
	struct source src = {.name = samples[i].path, .text = buf_str(text), .n = text->n, .language = l};
	struct in_process p = {
		.interesting_text = has_marker,
		.any_grain = true,
		.user = &w,
	};
	assert_int_equal(model_load(&m, &src, 1, &e), RC_OK);
	assert_int_equal(reduce_in_process(&p, &m, &e), RC_OK);
	struct buf out = {0};
	model_print_minimum(&m, 0, &out);
	if (getenv("SHOW"))
		print_message("%s: %u queries, '%s'\n", samples[i].path, w.asked, buf_str(&out));
	if (out.n > samples[i].most || !has_marker(&w, &out))
		fail_msg("%s is reduced to '%s'", samples[i].path, buf_str(&out));
	buf_release(&out);
	model_unload(&m);
}

static void every_sample_is_reduced(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		struct buf text = {0};
		struct err e = ERR_INIT;
		const struct language *l = &languages[samples[i].id];
		assert_int_equal(buf_read_file(&text, samples[i].path, 1 << 20, &e), RC_OK);
		if (language_available(l)) {
			assert_ptr_equal(language_detect(samples[i].path, buf_str(&text), text.n), l);
			assert_ptr_equal(language_find(l->name), l);
			if (!parses(l, &text))
				fail_msg("%s does not parse", samples[i].path);
			prints_whole(l, &text);
			reduces(i, l, &text);
		}
		buf_release(&text);
	}
}

/* Prints the text without the tokens from … to−1. */
static void assert_without(enum language_id id, const char *text, uint32_t from, uint32_t to, const char *want)
{
	struct syntax *s;
	struct err e = ERR_INIT;
	uint32_t kept[64], n = 0;
	if (!language_available(&languages[id]))
		return;
	assert_int_equal(syntax_parse(&s, &languages[id], text, strlen(text), &e), RC_OK);
	assert_true(s->n_tokens <= ARRAY_LEN(kept) && to <= s->n_tokens);
	for (uint32_t i = 0; i < s->n_tokens; i++)
		if (i < from || i >= to)
			kept[n++] = i;
	assert_kept_prints(s, kept, n, want);
}

static void lines_keep_their_indentation(void **state)
{
	(void)state;
	assert_without(LANG_YAML, "a:\n  b: 1\n  c: 2\n", 2, 5, "a:\n  c: 2\n");
	assert_without(LANG_YAML, "a:\n  - b\n  - c\n", 0, 4, "  - c\n");
	assert_without(LANG_BASH, "a 1\nb 2\nc 3\n", 1, 3, "a\n2\nc 3\n");
	assert_without(LANG_BASH, "a 1 2 3\n", 1, 3, "a 3\n");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_sample_is_reduced),
		cmocka_unit_test(lines_keep_their_indentation),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
