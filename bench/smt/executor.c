/* SPDX-License-Identifier: MIT */
/* A small symbolic executor, to show what the text between a program and its solver costs: the same questions are put
 * to the same library once as terms and once as commands in text (include/refrain/smt.h has both), or written out for
 * other programs.
 *
 *	executor terms|text ROUNDS BYTES    questions, sat answers, microseconds of CPU a question (ours; the solver's)
 *	executor script ROUNDS BYTES        the same questions as a script, on standard output
 *	executor … ROUNDS BYTES again       every round has the names of the first and follows it without a reset: all
 *	                                    but the first are answered by looking up, and the interface shows
 *
 * All paths of a function that reads a decimal number of at most BYTES digits and compares it with a table are
 * explored, ROUNDS times, each under names of its own. Conditions are nodes of a DAG of the executor's own, as in KLEE:
 * a node becomes a term once, but is printed again with each assertion that it is a part of. */
#include <refrain/smt.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

struct node {
	const char *op; /* NULL: text is all of it */
	char text[24];
	unsigned a, b; /* 0: none */
	rf_term term;
};

enum { MOST = 1 << 20, LONGEST = 1 << 16 };
static struct node node[MOST];
static unsigned nodes = 1;
static unsigned byte[16], bytes;
static char text[LONGEST];
static size_t length;
static rf_smt *s;
static rf_error e;
static enum { TERMS, TEXT, SCRIPT } mode;
static bool again;
static unsigned long questions, sats;

static void stop(const char *what)
{
	fprintf(stderr, "executor: %s\n", what);
	exit(1);
}

static unsigned leaf(const char *format, unsigned value)
{
	if (nodes == MOST)
		stop("too many nodes");
	snprintf(node[nodes].text, sizeof node[nodes].text, format, value);
	return nodes++;
}

static unsigned apply(const char *op, unsigned a, unsigned b)
{
	unsigned n = leaf("", 0);
	node[n].op = op;
	node[n].a = a;
	node[n].b = b;
	return n;
}

static rf_term term_of(unsigned n)
{
	struct node *x = &node[n];
	if (!x->term && !x->op)
		x->term = rf_smt_term(s, x->text);
	else if (!x->term)
		x->term = rf_smt_apply(s, x->op, x->b ? 2 : 1, (rf_term[]){term_of(x->a), x->b ? term_of(x->b) : 0});
	return x->term;
}

static void say(const char *t)
{
	size_t n = strlen(t);
	if (length + n + 1 > LONGEST)
		stop("a condition is too long");
	memcpy(text + length, t, n + 1);
	length += n;
}

static void print(unsigned n)
{
	if (!node[n].op) {
		say(node[n].text);
		return;
	}
	say("(");
	say(node[n].op);
	say(" ");
	print(node[n].a);
	if (node[n].b) {
		say(" ");
		print(node[n].b);
	}
	say(")");
}

/* Sends what was said; is it answered by sat? */
static int answered_sat(void)
{
	size_t n = length;
	length = 0;
	if (mode == SCRIPT)
		fwrite(text, 1, n, stdout);
	if (rf_smt_commands(s, text, n, &e) != RF_OK)
		stop(e.text);
	return !strcmp(rf_smt_answers(s, NULL), "sat\n");
}

/* A level with the condition: is it feasible? */
static int enter(unsigned condition)
{
	rf_smt_verdict v = RF_SMT_UNKNOWN;
	questions++;
	if (mode != TERMS) {
		say("(push 1)(assert ");
		print(condition);
		say(")(check-sat)\n");
		return answered_sat();
	}
	if (rf_smt_push(s, &e) != RF_OK || rf_smt_assert(s, term_of(condition), &e) != RF_OK ||
	    rf_smt_check(s, NULL, 0, &v, &e) != RF_OK)
		stop(e.text);
	return v == RF_SMT_SAT;
}

static void leave(void)
{
	if (mode != TERMS)
		say("(pop 1)\n");
	else if (rf_smt_pop(s, 1, &e) != RF_OK)
		stop(e.text);
}

static void digit(unsigned at, unsigned sum);

/* The number is compared with each entry of a table. */
static void compare(unsigned sum, unsigned entry)
{
	static const unsigned table[] = {0, 7, 80, 443, 65535};
	if (entry == sizeof table / sizeof *table)
		return;
	unsigned below = apply("bvult", sum, leaf("(_ bv%u 32)", table[entry] + 1));
	if (enter(below))
		sats++;
	leave();
	if (enter(apply("not", below, 0))) {
		sats++;
		compare(sum, entry + 1);
	}
	leave();
}

/* All ways on from a byte: no digit, which ends the number, or one more. */
static void digit(unsigned at, unsigned sum)
{
	if (at == bytes) {
		compare(sum, 0);
		return;
	}
	unsigned low = apply("bvult", byte[at], leaf("#x%02x", '0'));
	unsigned high = apply("bvugt", byte[at], leaf("#x%02x", '9'));
	if (enter(apply("or", low, high))) {
		sats++;
		compare(sum, 0);
	}
	leave();
	if (enter(apply("not", apply("or", low, high), 0))) {
		unsigned value = apply("(_ zero_extend 24)", apply("bvsub", byte[at], leaf("#x%02x", '0')), 0);
		sats++;
		digit(at + 1, apply("bvadd", apply("bvmul", sum, leaf("(_ bv%u 32)", 10)), value));
	}
	leave();
}

static void explore(unsigned round)
{
	bool first = !round || !again;
	if (mode == TERMS && first)
		rf_smt_reset(s);
	else if (first)
		say("(reset)(set-logic QF_BV)\n");
	nodes = 1;
	memset(node, 0, sizeof *node * 4096);
	for (unsigned i = 0; i < bytes; i++) {
		char name[24];
		snprintf(name, sizeof name, "r%u_%u", again ? 0 : round, i);
		byte[i] = leaf("", 0);
		memcpy(node[byte[i]].text, name, sizeof name);
		if (mode == TERMS)
			node[byte[i]].term = rf_smt_constant(s, name, rf_smt_bits(s, 8));
		else if (first)
			say("(declare-const "), say(name), say(" (_ BitVec 8))\n");
	}
	digit(0, leaf("(_ bv%u 32)", 0));
}

static double cpu(int who)
{
	struct rusage r;
	getrusage(who, &r);
	return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) * 1e6 +
	       (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec);
}

int main(int argc, char **argv)
{
	rf_smt_options o = RF_SMT_OPTIONS_INIT;
	rf_smt_totals t = {0};
	if (argc < 4 || argc > 5 || (bytes = (unsigned)atoi(argv[3])) < 1 || bytes > 12)
		stop("usage: executor terms|text|script ROUNDS BYTES (1 … 12) [again]");
	again = argc == 5;
	mode = !strcmp(argv[1], "terms") ? TERMS : !strcmp(argv[1], "text") ? TEXT : SCRIPT;
	o.logic = mode == TERMS ? "QF_BV" : NULL;
	if (rf_smt_new(&s, &o, &e) != RF_OK)
		stop(e.text);
	double before = cpu(RUSAGE_SELF);
	for (unsigned i = 0; i < (unsigned)atoi(argv[2]); i++)
		explore(i);
	double ours = cpu(RUSAGE_SELF) - before;
	if (mode == SCRIPT) {
		fwrite(text, 1, length, stdout);
		return 0;
	}
	rf_smt_stats(s, &t, sizeof t);
	rf_smt_free(s);
	printf("%s: %lu questions, %lu sat, %llu solver calls; %.1f µs CPU a question (solver: %.1f)\n", argv[1],
	       questions, sats, (unsigned long long)t.solver_calls, ours / (double)questions,
	       cpu(RUSAGE_CHILDREN) / (double)questions);
	return 0;
}
