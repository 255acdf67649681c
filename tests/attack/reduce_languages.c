/* SPDX-License-Identifier: MIT */
/* Random programs in every language with a random property over their tokens: some words, in their order. What must
 * hold: the result has the property; without any one of its tokens it has not (one job); no text was asked about twice;
 * one job gives the same result by the same questions each time.
 *
 *	reduce_languages SECONDS SEED [FILE…]
 *
 * The programs are made of tests/unit/samples, or of the FILEs. */
#include "base/bits.h"
#include "data/clock.h"
#include "data/digest.h"
#include "reduce/run/in_process.h"
#include "reduce/syntax/syntax.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const samples[] = {
	"sample.c",    "sample.cc",   "sample.go",   "sample.rs",  "Sample.java",  "sample.js",   "sample.py",
	"sample.sql",  "sample.css",  "sample.html", "sample.xml", "sample.yaml",  "sample.php",  "sample.rb",
	"sample.sh",   "Sample.cs",   "sample.kt",   "sample.hs",  "sample.lua",   "sample.smt2", "sample.json",
	"sample.glsl", "sample.lisp", "sample.ll",   "sample.ml",  "sample.scala", "sample.sol",  "sample.swift",
	"sample.ts",   "sample.tsx",  "sample.v",    "sample.zig", "plain.txt",    "plain.bin",
};

/* What programs are made of: files in `folder`, or, without one, whatever was given. */
static const char *const *from = samples;
static size_t n_from = ARRAY_LEN(samples);
static const char *folder = "tests/unit/samples/";

enum { MAX_WORDS = 6 };

struct property {
	char *word[MAX_WORDS];
	size_t len[MAX_WORDS], n;
	VEC(uint64_t) asked;
};

static bool holds(const struct property *p, const char *text, size_t n)
{
	size_t at = 0;
	for (size_t i = 0; i < p->n; i++) {
		const char *found = memmem(text + at, n - at, p->word[i], p->len[i]);
		if (!found)
			return false;
		at = (size_t)(found - text) + p->len[i];
	}
	return true;
}

static bool ask(void *user, const struct buf *text)
{
	struct property *p = user;
	vec_push(&p->asked, hash64(buf_str(text), text->n));
	return holds(p, buf_str(text), text->n);
}

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

/* A sample once to three times over, without some of its tokens; or text and bytes of no language. */
static const struct language *make_program(struct rng *g, struct buf *out, const char **name)
{
	struct buf text = {0};
	struct err e = ERR_INIT;
	char path[4096];
	*name = from[rng_below(g, n_from)];
	if (strncmp(*name, "plain", 5) == 0) {
		bool binary = strcmp(*name, "plain.bin") == 0;
		for (uint64_t i = 0, n = 20 + rng_below(g, 300); i < n; i++)
			buf_char(out, binary ? (char)rng_below(g, 256) : "ab cd(){}\n  x1"[rng_below(g, 14)]);
		return language_detect(*name, buf_str(out), out->n);
	}
	snprintf(path, sizeof path, "%s%s", folder, *name);
	if (buf_read_file(&text, path, 1 << 20, &e) != RC_OK) {
		printf("cannot read %s\n", path);
		exit(3);
	}
	const struct language *l = language_detect(path, buf_str(&text), text.n);
	for (uint64_t copies = 1 + rng_below(g, 2); copies; copies--) {
		struct syntax *s;
		VEC(struct syn_run) keep = {0};
		if (syntax_parse(&s, l, buf_str(&text), text.n, &e) != RC_OK)
			exit(3);
		uint32_t holes = (uint32_t)rng_below(g, 4), at = 0;
		for (uint32_t i = 0; i < holes && at < s->n_tokens; i++) {
			uint32_t to = at + (uint32_t)rng_below(g, s->n_tokens - at + 1);
			if (to > at)
				vec_push(&keep, ((struct syn_run){at, to}));
			at = to + 1 + (uint32_t)rng_below(g, 5);
		}
		if (at < s->n_tokens)
			vec_push(&keep, ((struct syn_run){at, s->n_tokens}));
		syntax_print(s, keep.at, keep.n, NULL, 0, out);
		vec_release(&keep);
		syntax_free(s);
	}
	buf_release(&text);
	return l;
}

static void make_property(struct rng *g, struct property *p, const struct language *l, const struct buf *text)
{
	struct syntax *s;
	struct err e = ERR_INIT;
	if (syntax_parse(&s, l, buf_str(text), text->n, &e) != RC_OK)
		exit(3);
	uint32_t at = 0, words = 1 + (uint32_t)rng_below(g, MAX_WORDS);
	*p = (struct property){0};
	while (p->n < words && at < s->n_tokens) {
		at += (uint32_t)rng_below(g, s->n_tokens - at);
		const struct syn_token *t = &s->token[at++];
		uint32_t len = t->len > 8 ? 8 : t->len;
		p->word[p->n] = mem_dup(s->text + t->at, len);
		p->len[p->n++] = len;
	}
	syntax_free(s);
}

/* Reduces and checks what holds for any number of jobs; out has the result. */
static const char *run(struct property *p, const struct language *l, const struct buf *text, unsigned jobs,
		       uint64_t seed, struct buf *out)
{
	struct model m = {0};
	struct err e = ERR_INIT;
	struct source src = {.name = "text", .text = buf_str(text), .n = text->n, .language = l};
	struct in_process in = {
		.interesting_text = ask,
		.any_grain = true,
		.user = p,
		.jobs = jobs,
		.seed = seed,
		.clock = CLOCK_RANDOM,
	};
	vec_clear(&p->asked);
	if (model_load(&m, &src, 1, &e) != RC_OK || reduce_in_process(&in, &m, &e) != RC_OK)
		return "it failed";
	model_print_minimum(&m, 0, out);
	model_unload(&m);
	if (!holds(p, buf_str(out), out->n))
		return "the result has not the property";
	if (in.queries != p->asked.n)
		return "questions were counted wrong";
	uint64_t *sorted = mem_dup(p->asked.at, p->asked.n * sizeof *sorted);
	bool twice = false;
	qsort(sorted, p->asked.n, sizeof *sorted, by_value);
	for (size_t i = 1; i < p->asked.n; i++)
		twice = twice || sorted[i] == sorted[i - 1];
	free(sorted);
	return twice ? "a text was asked about twice" : NULL;
}

static const char *minimal(const struct property *p, const struct language *l, const struct buf *text)
{
	struct syntax *s;
	struct err e = ERR_INIT;
	const char *bad = NULL;
	if (syntax_parse(&s, l, buf_str(text), text->n, &e) != RC_OK)
		return "the result does not parse";
	for (uint32_t i = 0; i < s->n_tokens && !bad; i++) {
		struct syn_run keep[2] = {{0, i}, {i + 1, s->n_tokens}};
		struct buf out = {0};
		bool first = i > 0, last = i + 1 < s->n_tokens;
		syntax_print(s, keep + !first, (size_t)first + last, NULL, 0, &out);
		if (holds(p, buf_str(&out), out.n) && (out.n != text->n || memcmp(out.at, text->at, out.n) != 0))
			bad = "a token of the result can go";
		buf_release(&out);
	}
	syntax_free(s);
	return bad;
}

static const char *one(struct rng *g, struct buf *text, const char **name, struct buf *out)
{
	struct property p;
	struct buf again = {0}, several = {0};
	const struct language *l = make_program(g, text, name);
	make_property(g, &p, l, text);
	const char *bad = run(&p, l, text, 1, 1, out);
	if (!bad)
		bad = minimal(&p, l, out);
	uint64_t n = p.asked.n, log = bad ? 0 : hash64(p.asked.at, n * sizeof *p.asked.at);
	if (!bad)
		bad = run(&p, l, text, 1, 1, &again);
	if (!bad && (again.n != out->n || memcmp(buf_str(&again), buf_str(out), out->n) != 0 || p.asked.n != n ||
		     hash64(p.asked.at, n * sizeof *p.asked.at) != log))
		bad = "a second run is another";
	if (!bad)
		bad = run(&p, l, text, 2 + (unsigned)rng_below(g, 4), rng_below(g, 1000), &several);
	for (size_t i = 0; i < p.n; i++)
		free(p.word[i]);
	vec_release(&p.asked);
	buf_release(&again);
	buf_release(&several);
	return bad;
}

int main(int argc, char **argv)
{
	double end = clock_seconds() + (argc > 1 ? atof(argv[1]) : 3);
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 1, n = 0;
	if (argc > 3) {
		from = (const char *const *)argv + 3;
		n_from = (size_t)argc - 3;
		folder = "";
	}
	do {
		struct rng g = {seed + n};
		struct buf text = {0}, out = {0};
		const char *name, *bad = one(&g, &text, &name, &out);
		if (bad) {
			printf("seed %llu, %s: %s\n--- program\n%s\n--- result\n%s\n", (unsigned long long)(seed + n),
			       name, bad, buf_str(&text), buf_str(&out));
			return 1;
		}
		n++;
		buf_release(&text);
		buf_release(&out);
	} while (clock_seconds() < end);
	printf("%llu programs of %zu files, each reduced three times\n", (unsigned long long)n, n_from);
	return 0;
}
