/* SPDX-License-Identifier: MIT */
/* <refrain/smt.h> without text, against z3 by text: smt_terms_oracle SEED SECONDS SOLVER CACHE THREADS
 *
 * Each thread has a solver of its own in which it makes random terms, pushes, pops, asserts and asks, and beside each
 * term its text. Every verdict is compared with what z3 says to the text; values of one answer are asserted together,
 * and z3 must say sat; a core's formulas alone, and z3 must say unsat. Terms are used long after the level on which
 * they were made is gone. */
#include "refrain/smt.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum sort { BOOL, BV8, BV3, ARRAY, INT, SORTS };
static const char *const sort_text[] = {"Bool", "(_ BitVec 8)", "(_ BitVec 3)", "(Array (_ BitVec 3) (_ BitVec 8))",
					"Int"};

struct made {
	rf_term term;
	enum sort sort;
	char text[400];
};

enum { MADE = 60, ASSERTED = 40, LEVELS = 6 };

struct worker {
	rf_smt *smt, *z3;
	uint64_t rng;
	double seconds;
	struct made made[MADE];
	int n_made;
	struct made asserted[ASSERTED], assumed[2];
	int n_asserted, n_assumed, level[LEVELS], n_levels;
	unsigned long compared, values, cores;
	int failed;
	bool complete; /* the solver has all theories: it is never at a loss */
	char script[60000];
	size_t n_script;
};

static unsigned draw(struct worker *w, unsigned n)
{
	w->rng = w->rng * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(w->rng >> 33) % n;
}

__attribute__((format(printf, 2, 3))) static void say(struct worker *w, const char *format, ...)
{
	va_list ap;
	va_start(ap, format);
	w->n_script += (size_t)vsnprintf(w->script + w->n_script, sizeof w->script - w->n_script, format, ap);
	va_end(ap);
}

static void begin_script(struct worker *w)
{
	w->n_script = 0;
	say(w, "(reset)\n(declare-fun f ((_ BitVec 8)) (_ BitVec 8))\n");
	for (int i = 0; i < 2 * SORTS; i++)
		say(w, "(declare-const v%d %s)\n", i, sort_text[i / 2]);
}

/* What z3 says to the script: 's', 'u' or something else. */
static char ask_z3(struct worker *w)
{
	rf_error e;
	say(w, "(check-sat)\n");
	if (w->n_script >= sizeof w->script || rf_smt_commands(w->z3, w->script, w->n_script, &e) != RF_OK)
		return '?';
	return *rf_smt_answers(w->z3, NULL);
}

static void fail(struct worker *w, const char *what)
{
	printf("%s\n%.*s\n", what, (int)w->n_script, w->script);
	w->failed = 1;
}

static struct made *pick(struct worker *w, enum sort s)
{
	for (;;) {
		struct made *m = &w->made[draw(w, (unsigned)w->n_made)];
		if (m->sort == s)
			return m;
	}
}

static const struct form {
	const char *op;
	enum sort result;
	int n;
	enum sort arg[3];
} forms[] = {
	{"and", BOOL, 2, {BOOL, BOOL}},
	{"or", BOOL, 2, {BOOL, BOOL}},
	{"not", BOOL, 1, {BOOL}},
	{"=>", BOOL, 2, {BOOL, BOOL}},
	{"=", BOOL, 2, {BV8, BV8}},
	{"distinct", BOOL, 2, {BV8, BV8}},
	{"bvult", BOOL, 2, {BV8, BV8}},
	{"bvsle", BOOL, 2, {BV8, BV8}},
	{"bvadd", BV8, 2, {BV8, BV8}},
	{"bvmul", BV8, 2, {BV8, BV8}},
	{"bvudiv", BV8, 2, {BV8, BV8}},
	{"bvashr", BV8, 2, {BV8, BV8}},
	{"bvnot", BV8, 1, {BV8}},
	{"(_ extract 4 2)", BV3, 1, {BV8}},
	{"(_ sign_extend 5)", BV8, 1, {BV3}},
	{"bvsub", BV3, 2, {BV3, BV3}},
	{"=", BOOL, 2, {BV3, BV3}},
	{"select", BV8, 2, {ARRAY, BV3}},
	{"store", ARRAY, 3, {ARRAY, BV3, BV8}},
	{"ite", BV8, 3, {BOOL, BV8, BV8}},
	{"ite", ARRAY, 3, {BOOL, ARRAY, ARRAY}},
	{"f", BV8, 1, {BV8}},
	{"+", INT, 2, {INT, INT}},
	{"<", BOOL, 2, {INT, INT}},
};

static void make(struct worker *w)
{
	struct made m = {0};
	rf_term args[3];
	unsigned common = sizeof forms / sizeof *forms - (draw(w, 4) ? 3 : 0); /* few with functions and integers */
	const struct form *f = &forms[draw(w, common)];
	m.sort = f->result;
	size_t n = (size_t)snprintf(m.text, sizeof m.text, "(%s", f->op);
	for (int i = 0; i < f->n; i++) {
		const struct made *a = pick(w, f->arg[i]);
		args[i] = a->term;
		n += (size_t)snprintf(m.text + n, sizeof m.text - n, " %s", a->text);
		if (n + 2 >= sizeof m.text)
			return;
	}
	snprintf(m.text + n, sizeof m.text - n, ")");
	m.term = rf_smt_apply(w->smt, f->op, (size_t)f->n, args);
	if (!m.term) {
		rf_error e;
		rf_smt_assert(w->smt, 0, &e); /* it knows why */
		w->n_script = 0;
		say(w, "%s", m.text);
		fail(w, e.text);
		return;
	}
	/* the first are the constants and numbers: they stay */
	w->made[w->n_made < MADE ? w->n_made++ : (int)(4 * SORTS + draw(w, MADE - 4 * SORTS))] = m;
}

/* Constants and numbers of each sort; a new, empty solver. */
static void start(struct worker *w)
{
	rf_sort b8 = rf_smt_bits(w->smt, 8), b3 = rf_smt_bits(w->smt, 3);
	rf_sort sorts[] = {rf_smt_sort(w->smt, "Bool"), b8, b3, rf_smt_array(w->smt, b3, b8),
			   rf_smt_sort(w->smt, "Int")};
	char name[8], number[40];
	w->n_made = w->n_asserted = w->n_levels = 0;
	rf_smt_function(w->smt, "f", 1, &b8, b8, NULL);
	for (int i = 0; i < 4 * SORTS; i++) {
		struct made *m = &w->made[w->n_made++];
		m->sort = (enum sort)(i / 4);
		snprintf(name, sizeof name, "v%d", i / 4 * 2 + i % 2);
		if (m->sort == BOOL)
			snprintf(number, sizeof number, "%s", draw(w, 2) ? "true" : "false");
		else if (m->sort == INT)
			snprintf(number, sizeof number, "%u", draw(w, 8));
		else
			snprintf(number, sizeof number, "(_ bv%u %u)", draw(w, 8), m->sort == BV8 ? 8 : 3);
		bool constant = i % 4 < 2 || m->sort == ARRAY;
		m->term = constant ? rf_smt_constant(w->smt, name, sorts[m->sort]) : rf_smt_term(w->smt, number);
		snprintf(m->text, sizeof m->text, "%s", constant ? name : number);
		if (!m->term)
			fail(w, "a constant is refused");
	}
}

static void say_asserted(struct worker *w)
{
	begin_script(w);
	for (int i = 0; i < w->n_asserted; i++)
		say(w, "(assert %s)\n", w->asserted[i].text);
}

static void check_values(struct worker *w)
{
	rf_error e;
	say_asserted(w);
	for (int i = 0; i < w->n_assumed; i++)
		say(w, "(assert %s)\n", w->assumed[i].text);
	for (int i = 0; i < 4; i++) {
		const struct made *m = &w->made[draw(w, (unsigned)w->n_made)];
		const char *value = rf_smt_value(w->smt, m->term, &e);
		if (!value && e.status != RF_NO)
			fail(w, e.text);
		if (!value || m->sort == ARRAY)
			continue;
		say(w, "(assert (= %s %s))\n", m->text, value);
		w->values++;
	}
	if (ask_z3(w) != 's')
		fail(w, "values that do not hold together");
}

static void check_core(struct worker *w)
{
	const rf_term *core;
	size_t n;
	rf_error e;
	if (rf_smt_core(w->smt, &core, &n, &e) != RF_OK) {
		fail(w, "no core");
		return;
	}
	begin_script(w);
	for (size_t i = 0; i < n; i++) {
		const char *text = NULL;
		for (int k = 0; k < w->n_asserted; k++)
			if (w->asserted[k].term == core[i])
				text = w->asserted[k].text;
		for (int k = 0; k < w->n_assumed; k++)
			if (w->assumed[k].term == core[i])
				text = w->assumed[k].text;
		if (!text) {
			fail(w, "a core with something that was not asserted");
			return;
		}
		say(w, "(assert %s)\n", text);
	}
	w->cores++;
	if (ask_z3(w) != 'u')
		fail(w, "a core that is not unsat");
}

static void check(struct worker *w)
{
	int n = w->n_assumed = (int)draw(w, 3);
	rf_term terms[2];
	rf_smt_verdict v;
	rf_error e;
	for (int i = 0; i < n; i++) {
		const struct made *m = pick(w, BOOL);
		w->assumed[i] = *m;
		terms[i] = m->term;
	}
	if (rf_smt_check(w->smt, terms, (size_t)n, &v, &e) != RF_OK) {
		fail(w, e.text);
		return;
	}
	say_asserted(w);
	for (int i = 0; i < n; i++)
		say(w, "(assert %s)\n", w->assumed[i].text);
	char z3 = ask_z3(w);
	if ((v == RF_SMT_SAT && z3 == 'u') || (v == RF_SMT_UNSAT && z3 == 's') ||
	    (v == RF_SMT_UNKNOWN && w->complete) || z3 == '(')
		fail(w, v == RF_SMT_SAT ? "sat?" : v == RF_SMT_UNSAT ? "unsat?" : "unknown?");
	w->compared++;
	if (v == RF_SMT_SAT && !draw(w, 3))
		check_values(w);
	if (v == RF_SMT_UNSAT && !draw(w, 3))
		check_core(w);
}

static void step(struct worker *w)
{
	rf_error e;
	unsigned what = draw(w, 16);
	if (what < 8) {
		make(w);
	} else if (what < 10 && w->n_asserted < ASSERTED) {
		const struct made *m = pick(w, BOOL);
		if (rf_smt_assert(w->smt, m->term, &e) != RF_OK)
			fail(w, e.text);
		w->asserted[w->n_asserted++] = *m;
	} else if (what == 10 && w->n_levels < LEVELS) {
		rf_smt_push(w->smt, &e);
		w->level[w->n_levels++] = w->n_asserted;
	} else if (what == 11 && w->n_levels) {
		rf_smt_pop(w->smt, 1, &e);
		w->n_asserted = w->level[--w->n_levels];
	} else if (what >= 12) {
		check(w);
	}
}

static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void *work(void *arg)
{
	struct worker *w = arg;
	double end = now() + w->seconds;
	while (!w->failed && now() < end) {
		rf_smt_reset(w->smt);
		start(w);
		for (int i = 0; i < 250 && !w->failed && now() < end; i++)
			step(w);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	if (argc != 6)
		return 2;
	int n = atoi(argv[5]), failed = 0;
	struct worker *w = calloc((size_t)n, sizeof *w);
	pthread_t *thread = calloc((size_t)n, sizeof *thread);
	unsigned long compared = 0, values = 0, cores = 0;
	rf_smt_totals t;
	uint64_t calls = 0;
	rf_error e;
	for (int i = 0; i < n; i++) {
		rf_smt_options o = RF_SMT_OPTIONS_INIT, plain = RF_SMT_OPTIONS_INIT;
		rf_smt_verdict v;
		o.solver = argv[3];
		o.cache = argv[4];
		plain.solver = "z3 -in";
		plain.cache = "none";
		w[i].rng = strtoull(argv[1], NULL, 10) + (uint64_t)i * 7919;
		w[i].complete = strcmp(argv[3], "boolector");
		w[i].seconds = atof(argv[2]);
		if (rf_smt_new(&w[i].smt, &o, &e) != RF_OK || rf_smt_new(&w[i].z3, &plain, &e) != RF_OK ||
		    rf_smt_check(w[i].smt, NULL, 0, &v, &e) != RF_OK) {
			printf("%s\n", e.text);
			return 3;
		}
	}
	for (int i = 0; i < n; i++)
		pthread_create(&thread[i], NULL, work, &w[i]);
	for (int i = 0; i < n; i++) {
		pthread_join(thread[i], NULL);
		rf_smt_stats(w[i].smt, &t, sizeof t);
		compared += w[i].compared;
		values += w[i].values;
		cores += w[i].cores;
		calls += t.solver_calls;
		failed |= w[i].failed;
		rf_smt_free(w[i].smt);
		rf_smt_free(w[i].z3);
	}
	printf("%lu verdicts, %lu values and %lu cores compared, %llu solver calls\n", compared, values, cores,
	       (unsigned long long)calls);
	free(thread);
	free(w);
	return failed;
}
