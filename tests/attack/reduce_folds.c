/* SPDX-License-Identifier: MIT */
/* Random programs, random properties, any number of jobs, any order of answers: what the parallel engine must keep.
 *
 *	reduce_folds SECONDS SEED
 *
 * A case is a number. From it follow a program (nested statements and calls), an algorithm, a property (tokens that
 * must be there in order; in half the cases also matching brackets, and a hash that refuses every third text), jobs
 * from 1 to 64 and a clock. One job, and some of the others, read the variants as text, as a real test does: then the
 * engine also recalls texts. Judged by what is said here, not by the engine:
 *  - the result has the property;
 *  - no text was tested twice, but for tests that were cancelled;
 *  - one job, without a cache, finds nothing more in the result (and for ddmin no token can go, if the property is
 *    monotone: exactly the needed ones are left);
 *  - in order, two clocks ask the same questions in the same order and end with the same result.
 * A case that fails is made smaller, as far as it still fails, and printed. */
#include "base/bits.h"
#include "data/buf.h"
#include "data/clock.h"
#include "data/digest.h"
#include "reduce/model/load.h"
#include "reduce/model/symbols.h"
#include "reduce/run/in_process.h"
#include "reduce/syntax/syntax.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { NEED = 6 };

struct attack {
	uint64_t number;
	uint32_t size; /* statements, about */
	bool monotone;
	bool by_text; /* what is asked about is printed and read again */
	char need[NEED][16];
	uint32_t n_need;
	VEC(uint64_t) asked;
};

/* ---- programs */

static void add_expression(struct buf *out, struct rng *r, unsigned depth)
{
	if (!depth || rng_below(r, 3) == 0) {
		buf_printf(out, "v%u", (unsigned)rng_below(r, 30));
		return;
	}
	buf_printf(out, "f%u(", (unsigned)rng_below(r, 10));
	for (uint64_t i = 0, n = 1 + rng_below(r, 3); i < n; i++) {
		if (i)
			buf_printf(out, ", ");
		add_expression(out, r, depth - 1);
	}
	buf_printf(out, ")");
}

static void add_statements(struct buf *out, struct rng *r, uint32_t n, unsigned depth)
{
	for (uint32_t i = 0; i < n; i++) {
		if (depth && rng_below(r, 4) == 0) {
			buf_printf(out, "while (v%u) {\n", (unsigned)rng_below(r, 30));
			add_statements(out, r, 1 + (uint32_t)rng_below(r, 4), depth - 1);
			buf_printf(out, "}\n");
		} else {
			add_expression(out, r, 3);
			buf_printf(out, ";\n");
		}
	}
}

static void make_program(const struct attack *a, struct buf *out)
{
	struct rng r = {a->number};
	for (uint32_t left = a->size; left;) {
		uint32_t n = 1 + (uint32_t)rng_below(&r, left < 8 ? left : 8);
		buf_printf(out, "int g%u(int a, int b) {\n", left);
		add_statements(out, &r, n, 3);
		buf_printf(out, "}\n");
		left -= n;
	}
}

/* ---- the property */

struct word {
	const char *text;
	size_t len;
};

struct words {
	VEC_FIELDS(struct word);
};

static bool judge(const struct attack *a, const struct words *w)
{
	uint32_t found = 0;
	long open[3] = {0};
	uint64_t hash = a->number;
	for (size_t i = 0; i < w->n; i++) {
		const struct word *y = &w->at[i];
		if (found < a->n_need && strlen(a->need[found]) == y->len &&
		    memcmp(a->need[found], y->text, y->len) == 0)
			found++;
		hash = hash64_seed(y->text, y->len, hash);
		for (unsigned k = 0; k < 3 && y->len == 1; k++) {
			open[k] += (y->text[0] == "([{"[k]) - (y->text[0] == ")]}"[k]);
			if (open[k] < 0 && !a->monotone)
				return false;
		}
	}
	if (found < a->n_need)
		return false;
	return a->monotone || (!open[0] && !open[1] && !open[2] && (w->n < 40 || hash % 3));
}

static void words_of_symbols(struct words *out, const uint32_t *t, uint32_t n, const struct model *m)
{
	for (uint32_t i = 0; i < n; i++)
		vec_push(out, ((struct word){m->symbols->at[t[i]].text, m->symbols->at[t[i]].len}));
}

static void words_of_text(struct words *out, const char *text, size_t n)
{
	for (size_t i = 0, end; i < n; i = end) {
		end = i;
		while (end < n && (isalnum((unsigned char)text[end]) || text[end] == '_'))
			end++;
		end += end == i;
		if (!isspace((unsigned char)text[i]))
			vec_push(out, ((struct word){text + i, end - i}));
	}
}

static bool interesting(void *user, const struct variant *v, const struct model *m)
{
	struct attack *a = user;
	struct words w = {0};
	uint32_t *t = mem_alloc(((size_t)v->n + 1) * sizeof *t);
	variant_symbols(v, t);
	vec_push(&a->asked, hash64_seed(t, v->n * sizeof *t, v->n));
	words_of_symbols(&w, t, v->n, m);
	bool yes = judge(a, &w);
	free(t);
	vec_release(&w);
	return yes;
}

static bool interesting_text(void *user, const struct buf *text)
{
	struct attack *a = user;
	struct words w = {0};
	vec_push(&a->asked, hash64_seed(buf_str(text), text->n, text->n));
	words_of_text(&w, buf_str(text), text->n);
	bool yes = judge(a, &w);
	vec_release(&w);
	return yes;
}

/* Whether the minimum has the property. */
static bool holds(const struct attack *a, const struct model *m)
{
	struct words w = {0};
	struct buf text = {0};
	if (a->by_text) {
		model_print_minimum(m, 0, &text);
		words_of_text(&w, buf_str(&text), text.n);
	} else {
		words_of_symbols(&w, m->min, m->n, m);
	}
	bool yes = judge(a, &w);
	vec_release(&w);
	buf_release(&text);
	return yes;
}

static void choose_need(struct attack *a, const struct model *m)
{
	struct rng r = {a->number ^ 0x5eed};
	uint32_t at = (uint32_t)rng_below(&r, m->n / 2 + 1);
	a->n_need = 0;
	for (uint64_t want = 1 + rng_below(&r, NEED); a->n_need < want && at < m->n; at += 1 + rng_below(&r, 40)) {
		const struct symbol *y = &m->symbols->at[m->min[at]];
		if (y->text[0] < 'a' || y->len > 15)
			continue;
		snprintf(a->need[a->n_need++], sizeof a->need[0], "%.*s", (int)y->len, y->text);
	}
}

/* ---- runs */

static const char *const names[] = {"full", "perses", "ddmin", "hdd"};

struct outcome {
	uint64_t result, questions; /* hashes: of the tokens left; of all that was asked, in order */
	const char *wrong;
};

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
	return (x > y) - (x < y);
}

static const char *check(struct attack *a, struct in_process *p, struct model *m)
{
	if (!holds(a, m))
		return "the result does not have the property";
	if (a->asked.n)
		qsort(a->asked.at, a->asked.n, sizeof *a->asked.at, by_value);
	uint64_t twice = 0;
	for (size_t i = 1; i < a->asked.n; i++)
		twice += a->asked.at[i] == a->asked.at[i - 1];
	if (twice > p->cancelled)
		return "a text was tested twice";
	bool ddmin = p->algorithm == algorithm_find("ddmin");
	if (ddmin && a->monotone && m->n != a->n_need)
		return "ddmin left more than is needed";
	if (p->algorithm == algorithm_find("hdd") || (ddmin && !a->monotone))
		return NULL; /* one descent promises nothing more */
	uint32_t n = m->n;
	p->jobs = 1;
	p->cache = &verdicts_none;
	if (reduce_in_process(p, m, NULL) != RC_OK)
		return "one job failed on the result";
	return m->n == n ? NULL : "one job finds more in the result";
}

static struct outcome run_case(struct attack *a, bool in_order, enum in_process_clock clock, uint64_t seed)
{
	struct outcome o = {0};
	struct buf text = {0};
	struct model m = {0};
	make_program(a, &text);
	struct source src = {"a.c", buf_str(&text), text.n, language_find("c")};
	if (model_load(&m, &src, 1, NULL) != RC_OK) {
		o.wrong = "the program does not load";
		return o;
	}
	choose_need(a, &m);
	a->monotone = a->number % 2;
	unsigned jobs = 1 + (unsigned)(mix64(a->number) % 64);
	a->by_text = jobs == 1 || a->number / 32 % 4 == 0;
	vec_clear(&a->asked);
	struct in_process p = {
		.algorithm = algorithm_find(names[a->number / 2 % 4]),
		.cache = &verdicts_full,
		.user = a,
		.seed = seed,
		.jobs = jobs,
		.clock = clock,
		.in_order = in_order,
	};
	if (a->by_text)
		p.interesting_text = interesting_text;
	else
		p.interesting = interesting;
	if (!holds(a, &m))
		a->number++, a->monotone = true; /* the hash refuses the whole program */
	if (reduce_in_process(&p, &m, NULL) != RC_OK)
		o.wrong = "the run failed";
	o.result = hash64(m.min, m.n * sizeof *m.min);
	o.questions = hash64(a->asked.at, a->asked.n * sizeof *a->asked.at);
	if (!o.wrong)
		o.wrong = check(a, &p, &m);
	model_unload(&m);
	buf_release(&text);
	return o;
}

static const char *one_case(uint64_t number, uint32_t size)
{
	struct attack a = {.number = number, .size = size};
	enum in_process_clock clock = (enum in_process_clock)(number / 8 % 4);
	const char *wrong = run_case(&a, false, clock, number).wrong;
	if (!wrong) {
		a.number = number;
		struct outcome x = run_case(&a, true, CLOCK_LOGNORMAL, 1);
		a.number = number;
		struct outcome y = run_case(&a, true, CLOCK_RANDOM, number);
		wrong = x.wrong ? x.wrong : y.wrong;
		if (!wrong && (x.result != y.result || x.questions != y.questions))
			wrong = "in order, two clocks gave two runs";
	}
	vec_release(&a.asked);
	return wrong;
}

/* Cases that once failed. */
static const struct {
	uint64_t number;
	uint32_t size;
} failed_once[] = {
	/* a success that nobody asked for any more came after the last run of a pass */
	{12564444056311872755u, 24},
	{11153819545384276019u, 17},
	/* a text was being tested for something that had been given up: its verdict was lost */
	{14115445835387240080u, 5},
	{4515640042517432576u, 5},
	{11405159581514622609u, 8},
	{18287672719437919617u, 8},
	{5316817713716368384u, 9},
	/* a word that was made longer brought back what had gone since */
	{15653054007147883008u, 9},
	{15680593417477528961u, 10},
	/* a candidate that had to wait for the line missed a new parse */
	{18277544255771150081u, 25},
};

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	for (size_t i = 0; i < ARRAY_LEN(failed_once); i++) {
		const char *wrong = one_case(failed_once[i].number, failed_once[i].size);
		if (wrong) {
			printf("case %llu of size %u: %s\n", (unsigned long long)failed_once[i].number,
			       failed_once[i].size, wrong);
			return 1;
		}
	}
	double end = clock_seconds() + strtod(argv[1], NULL);
	uint64_t seed = strtoull(argv[2], NULL, 10), cases = 0;
	do {
		uint64_t number = mix64(seed + cases);
		uint32_t size = 2 + (uint32_t)(mix64(number) % 60);
		const char *wrong = one_case(number, size);
		if (wrong) {
			uint32_t least = 1;
			while (least < size && !one_case(number, least))
				least++;
			printf("case %llu of size %u: %s\n", (unsigned long long)number, least,
			       least < size ? one_case(number, least) : wrong);
			return 1;
		}
		cases++;
	} while (clock_seconds() < end);
	printf("%llu cases\n", (unsigned long long)cases);
	return 0;
}
