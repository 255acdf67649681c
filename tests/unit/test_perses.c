/* SPDX-License-Identifier: MIT */
/* The syntax-guided passes, in process: hdd asks what the book's algorithm asks; perses makes only variants that parse
 * and ends where nothing more can go; all caches see the same; the small passes find what they are for. */
#include "base/bits.h"
#include "data/digest.h"
#include "reduce/syntax/syntax.h"
#include "reduce/run/in_process.h"
#include "reduce/model/load.h"
#include "reduce/model/symbols.h"
#include "testing.h"

#define MAX_TOKENS 1024

/* ---- a property: some texts must be there, in order; with a salt some variants are refused at random */

struct property {
	uint64_t need[16];
	char text[16][64];
	uint32_t n;
	uint64_t salt;
};

static uint64_t text_of(const struct model *m, uint32_t sym)
{
	return hash64(m->symbols->at[sym].text, m->symbols->at[sym].len);
}

static bool holds(const struct property *q, const struct model *m, const uint32_t *p, uint32_t n)
{
	uint32_t i = 0;
	uint64_t all = q->salt; /* of the texts: a new parse may give a token another symbol */
	for (uint32_t k = 0; k < n; k++) {
		uint64_t text = text_of(m, p[k]);
		i += i < q->n && text == q->need[i];
		all = mix64_pair(all, text);
	}
	return i == q->n && (!q->salt || all % 4 != 0);
}

struct run {
	struct property property;
	const char *needle; /* or: the tokens, joined by spaces, contain this */
	VEC(uint64_t) generated;
	unsigned variants, broken; /* checked by parsing */
	bool check;
	uint32_t tokens;   /* of the original */
	uint32_t first;    /* of the first candidate */
	size_t candidates; /* generated.n before its release */
	struct model *model;
};

static uint64_t hash_of(const uint32_t *p, uint32_t n)
{
	return hash64_seed(p, n * sizeof *p, n);
}

static void join(const struct model *m, const struct variant *v, struct buf *out)
{
	static uint32_t p[MAX_TOKENS];
	variant_symbols(v, p);
	for (uint32_t i = 0; i < v->n; i++)
		buf_printf(out, "%s%.*s", i ? " " : "", (int)m->symbols->at[p[i]].len, m->symbols->at[p[i]].text);
}

static bool interesting(void *user, const struct variant *v, const struct model *m)
{
	struct run *r = user;
	static uint32_t p[MAX_TOKENS];
	if (!r->needle) {
		variant_symbols(v, p);
		return holds(&r->property, m, p, v->n);
	}
	struct buf b = {0};
	join(m, v, &b);
	bool yes = strstr(buf_str(&b), r->needle) != NULL;
	buf_release(&b);
	return yes;
}

static void generated(void *user, const struct variant *v)
{
	struct run *r = user;
	static uint32_t p[MAX_TOKENS];
	variant_symbols(v, p);
	if (!r->generated.n)
		r->first = v->n;
	vec_push(&r->generated, hash_of(p, v->n));
	if (!r->check)
		return;
	/* the kept places of the minimum, as runs of base tokens */
	const struct model *m = r->model;
	VEC(struct syn_run) runs = {0};
	size_t gap = 0;
	for (uint32_t i = 0, place = 0; i < m->n_tokens; i++) {
		if (!model_has(m, i))
			continue;
		while (gap < v->n_gaps && v->gap[gap].to <= place)
			gap++;
		if (gap == v->n_gaps || place < v->gap[gap].from)
			vec_push(&runs, ((struct syn_run){i, i + 1}));
		place++;
	}
	struct buf out = {0};
	struct syntax *s;
	struct err e = ERR_INIT;
	syntax_print(m->file[0].syntax, runs.at, runs.n, NULL, 0, &out);
	assert_int_equal(syntax_parse(&s, m->file[0].syntax->language, buf_str(&out), out.n, &e), RC_OK);
	r->variants++;
	r->broken += s->n_errors != 0;
	if (s->n_errors && getenv("SHOW"))
		print_message("---- %s\n%s\n", s->language->name, buf_str(&out));
	syntax_free(s);
	buf_release(&out);
	vec_release(&runs);
}

static void load(struct model *m, enum language_id id, const char *text, size_t n)
{
	struct err e = ERR_INIT;
	struct source src = {"x", text, n, &languages[id]};
	*m = (struct model){0};
	assert_int_equal(model_load(m, &src, 1, &e), RC_OK);
	assert_true(m->n_tokens <= MAX_TOKENS);
}

/* At once: a new parse may see other tokens in the same text. */
static void minimum(void *user, const struct model *m)
{
	struct run *r = user;
	if (!r->needle)
		assert_true(holds(&r->property, m, m->min, m->n));
}

static void reduce(struct run *r, struct model *m, const char *algorithm, const char *cache, unsigned jobs)
{
	struct err e = ERR_INIT;
	struct in_process p = {.algorithm = algorithm_find(algorithm),
			       .cache = verdicts_find(cache),
			       .interesting = interesting,
			       .generated = generated,
			       .minimum = minimum,
			       .user = r,
			       .seed = 5,
			       .jobs = jobs};
	r->model = m;
	vec_clear(&r->generated);
	assert_non_null(p.algorithm);
	assert_non_null(p.cache);
	assert_int_equal(reduce_in_process(&p, m, &e), RC_OK);
	assert_true(p.complete);
}

static void assert_minimum(struct model *m, const char *want)
{
	struct buf b = {0};
	model_print_minimum(m, 0, &b);
	assert_string_equal(buf_str(&b), want);
	buf_release(&b);
}

static const char program[] = "int g;\n"
			      "static int f(int a, int b, char *c)\n{\n\tif (a > 0) { b = a + 2; } else { c = 0; }\n"
			      "\tfor (int i = 0; i < 9; i++) { g += i * (a - b); f(1, 2, c); }\n\treturn b;\n}\n"
			      "struct s { int x, y; double z; };\n"
			      "int main(void) { struct s v = {1, 2, 3.5}; return f(v.x, v.y, \"text\"); }\n";

/* A random property about tokens of the program. */
static struct property some_property(struct rng *g, const struct model *m, uint32_t n, bool salted)
{
	struct property q = {.n = n, .salt = salted ? rng_next(g) | 1 : 0};
	uint32_t at = 0;
	for (uint32_t i = 0; i < n; i++) {
		at += (uint32_t)rng_below(g, m->n_tokens / n);
		at += (m->file[0].syntax->token[at].flags & TOKEN_LAYOUT) != 0;
		const struct symbol *y = &m->symbols->at[m->sym[at]];
		snprintf(q.text[i], sizeof q.text[i], "%.*s", (int)y->len, y->text);
		q.need[i] = text_of(m, m->sym[at++]);
	}
	/* the whole program must be interesting */
	while (!holds(&q, m, m->sym, m->n_tokens))
		q.salt = rng_next(g) | 1;
	return q;
}

/* What does not parse may be cut into other tokens by the next parse; the texts are there all the same. */
static void assert_has_texts(const struct property *q, const struct model *m)
{
	struct buf b = {0};
	model_print_minimum(m, 0, &b);
	const char *at = buf_str(&b);
	for (uint32_t i = 0; i < q->n; i++) {
		at = strstr(at, q->text[i]);
		if (!at)
			fail_msg("'%s' is not in its place in: %s", q->text[i], buf_str(&b));
		at += strlen(q->text[i]);
	}
	buf_release(&b);
}

/* ---- hdd as in the book */

struct book {
	const struct syntax *s;
	const struct property *q;
	const struct model *m;
	bool gone[4096]; /* nodes */
	VEC(uint64_t) asked;
};

/* Asks about the tree without the nodes that are gone. */
static bool book_ask(struct book *b)
{
	static uint32_t p[MAX_TOKENS];
	uint32_t n = 0;
	for (uint32_t t = 0; t < b->s->n_tokens; t++) {
		bool kept = true;
		for (uint32_t x = b->s->token[t].node; x != SYNTAX_NONE; x = b->s->node[x].parent)
			kept &= !b->gone[x];
		if (kept)
			p[n++] = b->m->sym[t];
	}
	vec_push(&b->asked, hash_of(p, n));
	return holds(b->q, b->m, p, n);
}

static bool book_test(struct book *b, const uint32_t *all, uint32_t n_all, const uint32_t *keep, uint32_t n_keep)
{
	for (uint32_t i = 0; i < n_all; i++)
		b->gone[all[i]] = true;
	for (uint32_t i = 0; i < n_keep; i++)
		b->gone[keep[i]] = false;
	if (book_ask(b))
		return true;
	for (uint32_t i = 0; i < n_all; i++)
		b->gone[all[i]] = false;
	return false;
}

/* Zeller's ddmin(c, parts): subsets, then complements, then more parts. Returns what is left in c. */
static uint32_t book_ddmin(struct book *b, uint32_t *c, uint32_t n, uint32_t parts)
{
	uint32_t start[1024], rest[1024];
	if (n < 2)
		return n;
	start[0] = 0;
	for (uint32_t i = 0; i < parts; i++)
		start[i + 1] = start[i] + (uint32_t)((double)(n - start[i]) / (double)(parts - i) + 0.5);
	for (uint32_t i = 0; i < parts; i++) {
		uint32_t size = start[i + 1] - start[i];
		if (book_test(b, c, n, c + start[i], size)) {
			memmove(c, c + start[i], size * sizeof *c);
			return book_ddmin(b, c, size, 2);
		}
	}
	for (uint32_t i = 0; i < parts; i++) {
		uint32_t k = 0;
		for (uint32_t j = 0; j < n; j++)
			if (j < start[i] || j >= start[i + 1])
				rest[k++] = c[j];
		if (book_test(b, c, n, rest, k)) {
			memcpy(c, rest, k * sizeof *c);
			return book_ddmin(b, c, k, parts - 1 > 2 ? parts - 1 : 2);
		}
	}
	if (parts < n)
		return book_ddmin(b, c, n, 2 * parts < n ? 2 * parts : n);
	return n;
}

static void book_hdd(struct book *b)
{
	static uint32_t level[4096];
	uint32_t n = 1;
	level[0] = 0;
	while (n) {
		uint32_t kept = book_ddmin(b, level, n, 2), next = 0;
		static uint32_t below[4096];
		for (uint32_t i = 0; i < kept; i++)
			for (uint32_t c = syntax_first_child(b->s, level[i]); c != SYNTAX_NONE;
			     c = syntax_next_sibling(b->s, c))
				if (b->s->node[c].n_tok)
					below[next++] = c;
		memcpy(level, below, next * sizeof *level);
		n = next;
	}
}

static void hdd_asks_as_the_book(void **state)
{
	(void)state;
	struct rng g = {1};
	static struct book b;
	for (int round = 0; round < 30; round++) {
		struct model m;
		struct run r = {0};
		load(&m, LANG_C, program, sizeof program - 1);
		r.property = some_property(&g, &m, 1 + (uint32_t)rng_below(&g, 6), round % 2);
		b = (struct book){.s = m.file[0].syntax, .q = &r.property, .m = &m};
		assert_true(b.s->n_nodes < 1024);
		book_hdd(&b);
		reduce(&r, &m, "hdd", "none", 1);
		assert_int_equal(r.generated.n, b.asked.n);
		assert_memory_equal(r.generated.at, b.asked.at, b.asked.n * sizeof *b.asked.at);
		vec_release_all(&b.asked, &r.generated);
		model_unload(&m);
	}
}

static void caches_see_the_same(void **state)
{
	(void)state;
	static const char *const names[] = {"perses", "hdd", "full"};
	struct rng g = {2};
	for (int round = 0; round < 12; round++) {
		struct model m;
		struct run r = {0};
		struct buf want = {0};
		VEC(uint64_t) sequence = {0};
		const char *algorithm = names[round % 3];
		load(&m, LANG_C, program, sizeof program - 1);
		r.property = some_property(&g, &m, 2 + (uint32_t)rng_below(&g, 4), round % 2);
		model_unload(&m);
		for (size_t k = 0; verdicts_kinds[k]; k++) {
			struct buf got = {0};
			load(&m, LANG_C, program, sizeof program - 1);
			reduce(&r, &m, algorithm, verdicts_kinds[k]->name, 1);
			model_print_minimum(&m, 0, &got);
			if (!sequence.n) {
				for (size_t i = 0; i < r.generated.n; i++)
					vec_push(&sequence, r.generated.at[i]);
				buf_add(&want, got.at, got.n);
			}
			assert_int_equal(sequence.n, r.generated.n);
			assert_memory_equal(sequence.at, r.generated.at, sequence.n * sizeof *sequence.at);
			assert_string_equal(buf_str(&got), buf_str(&want));
			buf_release(&got);
			model_unload(&m);
		}
		buf_release(&want);
		vec_release_all(&sequence, &r.generated);
	}
}

static void perses_makes_programs_only(void **state)
{
	(void)state;
	static const struct {
		enum language_id id;
		const char *path;
		unsigned percent; /* of the variants that may fail to parse: grammars are a little too generous */
	} samples[] = {
		{LANG_C, "tests/unit/samples/sample.c", 0},
		{LANG_GO, "tests/unit/samples/sample.go", 2},
		{LANG_RUST, "tests/unit/samples/sample.rs", 2},
		{LANG_PYTHON, "tests/unit/samples/sample.py", 3},
		{LANG_JSON, "tests/unit/samples/sample.json", 0},
		{LANG_JAVA, "tests/unit/samples/Sample.java", 2},
		{LANG_CPP, "tests/unit/samples/sample.cc", 2},
		{LANG_JAVASCRIPT, "tests/unit/samples/sample.js", 2},
		{LANG_TYPESCRIPT, "tests/unit/samples/sample.ts", 2},
		{LANG_SQL, "tests/unit/samples/sample.sql", 2},
	};
	struct rng g = {3};
	for (size_t i = 0; i < ARRAY_LEN(samples); i++) {
		struct buf text = {0};
		struct err e = ERR_INIT;
		struct run r = {.check = true};
		assert_int_equal(buf_read_file(&text, samples[i].path, 1 << 20, &e), RC_OK);
		for (int round = 0; round < 4; round++) {
			struct model m;
			load(&m, samples[i].id, buf_str(&text), text.n);
			r.property = some_property(&g, &m, 1 + (uint32_t)rng_below(&g, 5), false);
			reduce(&r, &m, "perses", "full", 1);
			assert_has_texts(&r.property, &m);
			model_unload(&m);
		}
		if (r.broken * 100 > r.variants * samples[i].percent)
			fail_msg("%s: %u of %u variants do not parse", samples[i].path, r.broken, r.variants);
		vec_release(&r.generated);
		buf_release(&text);
	}
}

static void late_answers_do_no_harm(void **state)
{
	(void)state;
	struct rng g = {4};
	for (int round = 0; round < 30; round++) {
		struct model m;
		struct run r = {0};
		load(&m, LANG_C, program, sizeof program - 1);
		r.property = some_property(&g, &m, 2 + (uint32_t)rng_below(&g, 4), round % 2);
		reduce(&r, &m, round % 3 ? "full" : "hdd", "full", 2 + (unsigned)rng_below(&g, 4));
		vec_release(&r.generated);
		model_unload(&m);
	}
}

/* Reduces a text that must keep the needle; this must be left. */
static struct run assert_reduces(enum language_id id, const char *algorithm, const char *text, const char *needle,
				 const char *want)
{
	struct model m;
	struct run r = {.needle = needle};
	load(&m, id, text, strlen(text));
	r.tokens = m.n_tokens;
	reduce(&r, &m, algorithm, "full", 1);
	assert_minimum(&m, want);
	r.candidates = r.generated.n;
	vec_release(&r.generated);
	model_unload(&m);
	return r;
}

static void perses_uses_the_grammar(void **state)
{
	(void)state;
	/* lists lose elements with their separators, first and last */
	assert_reduces(LANG_C, "perses", "int f(int a, char b, long c);\n", "char b", "int f(char b);\n");
	assert_reduces(LANG_C, "perses", "int f(int a, char b, long c);\n", "int a", "int a;\n");
	assert_reduces(LANG_C, "perses", "int f(int a, char b, long c);\n", "int f (", "int f();\n");
	/* a node is replaced by a descendant */
	assert_reduces(LANG_C, "perses", "int main() { while (x) { if (y) { target(1); } } }\n", "main ( ) { target (",
		       "int main(){ target(); }\n");
	/* and by a run of list elements */
	assert_reduces(LANG_C, "perses", "int main() { if (y) { a; b; c; } }\n", "main ( ) { a ; b ;",
		       "int main(){ a; b;}\n");
	/* comments go */
	assert_reduces(LANG_C, "perses", "/* a */ int x; // b\nint y;\n", "int y ;", "int y;\n");
	assert_reduces(LANG_JSON, "perses", "{\"a\": [1, {\"b\": 2}, 3]}", "2", "2");
	assert_reduces(LANG_PYTHON, "perses", "def f(x):\n    if x:\n        return 1\n    return 2\nprint(f(3))\n",
		       "return 1", "return 1\n");
	assert_reduces(LANG_LINES, "perses", "a\nb\nc\nd\n", "c", "c\n");
}

/* not one level of brackets after the other */
static void deep_nesting_takes_few_questions(void **state)
{
	(void)state;
	enum { DEPTH = 400 };
	struct buf text = {0};
	for (int i = 0; i < DEPTH; i++)
		buf_char(&text, '[');
	buf_char(&text, '1');
	for (int i = 0; i < DEPTH; i++)
		buf_char(&text, ']');
	struct run r = assert_reduces(LANG_JSON, "perses", buf_str(&text), "1", "1");
	assert_true(r.candidates < DEPTH / 4);
	buf_release(&text);
}

static void comments_go_first(void **state)
{
	(void)state;
	struct run r =
		assert_reduces(LANG_C, "perses", "/* a */ int x; // b\nint f() { // c\n}\n", "int f", "int f{\n}\n");
	assert_int_equal(r.first, r.tokens - 3);
}

static void blind_passes_find_the_rest(void **state)
{
	(void)state;
	/* no grammar allows these */
	assert_reduces(LANG_C, "full", "int main(void) { return foo(1, (2)); }\n", "return (", "return(\n");
	assert_reduces(LANG_C, "full", "int counter = 123456;\n", "= 1", "= 1\n");
	assert_reduces(LANG_C, "full", "char *s = \"hello world\";\n", "w", "\"w\"\n");
}

/* A region that does not parse is reduced all the same. */
static void broken_text_is_reduced(void **state)
{
	(void)state;
	const char *text = "int a;\n@@ foo bar ) ) ( baz 1 2 3\n@@ qux 1 2 target 4 ) ) )\nint b;\n";
	assert_reduces(LANG_C, "full", text, "target", "target\n");
}

UNIT_TESTS(cmocka_unit_test(hdd_asks_as_the_book), cmocka_unit_test(caches_see_the_same),
	   cmocka_unit_test(perses_makes_programs_only), cmocka_unit_test(late_answers_do_no_harm),
	   cmocka_unit_test(perses_uses_the_grammar), cmocka_unit_test(blind_passes_find_the_rest),
	   cmocka_unit_test(broken_text_is_reduced), cmocka_unit_test(comments_go_first),
	   cmocka_unit_test(deep_nesting_takes_few_questions))
