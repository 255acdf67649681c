/* SPDX-License-Identifier: MIT */
/* A symbolic executor in small: all paths through a function of three bytes, and an input for each. The solver is used
 * without text: conditions are terms, a branch is a push, and infeasible branches are cut off.
 *
 *	cc terms.c $(pkg-config --cflags --libs refrain) && ./a.out [SOLVER]
 *
 * It is C and C++. */
#include <refrain/smt.h>

#include <stdio.h>
#include <stdlib.h>

static rf_smt *s;
static rf_error e;
static rf_term byte[3];
static int paths, checks;

static rf_term apply(const char *op, rf_term a, rf_term b)
{
	rf_term arguments[2] = {a, b};
	return rf_smt_apply(s, op, 2, arguments);
}

static rf_term number(unsigned char c)
{
	return rf_smt_number(s, c, 8);
}

static void stop(void)
{
	fprintf(stderr, "terms: %s\n", e.text);
	exit(1);
}

static void end_of_path(const char *what)
{
	printf("%-10s", what);
	for (int i = 0; i < 3; i++) {
		const char *value = rf_smt_value(s, byte[i], &e);
		printf(" %s", value ? value : "?");
	}
	printf("\n");
	paths++;
}

/* Both ways of a condition, each on a level of its own, if it is feasible there. */
static void branch(rf_term condition, void (*yes)(int at), void (*no)(int at), int at)
{
	for (int way = 0; way < 2; way++) {
		rf_smt_verdict answer;
		rf_term taken = way ? rf_smt_apply(s, "not", 1, &condition) : condition;
		rf_smt_push(s, &e);
		if (rf_smt_assert(s, taken, &e) != RF_OK || rf_smt_check(s, NULL, 0, &answer, &e) != RF_OK)
			stop();
		checks++;
		if (answer == RF_SMT_SAT)
			(way ? no : yes)(at);
		if (rf_smt_pop(s, 1, &e) != RF_OK)
			stop();
	}
}

/* for (at = 0; at < 3; at++) { if (byte[at] < '0') reject; if (byte[at] > '9') reject; }
 * if (byte[0] == '0') octal; if (100 * byte[0] … > 255) too large; accept */
static void digit(int at);
static void reject(int at)
{
	(void)at;
	end_of_path("rejected");
}
static void octal(int at)
{
	(void)at;
	end_of_path("octal");
}
static void large(int at)
{
	(void)at;
	end_of_path("too large");
}
static void accept(int at)
{
	(void)at;
	end_of_path("accepted");
}
static void value(int at)
{
	rf_term sum = rf_smt_number(s, 0, 16), wide;
	(void)at;
	for (int i = 0; i < 3; i++) {
		wide = apply("bvsub", byte[i], number('0'));
		wide = rf_smt_apply(s, "(_ zero_extend 8)", 1, &wide);
		sum = apply("bvadd", apply("bvmul", sum, rf_smt_number(s, 10, 16)), wide);
	}
	branch(apply("bvugt", sum, rf_smt_number(s, 255, 16)), large, accept, 0);
}
static void next(int at)
{
	if (at + 1 < 3)
		digit(at + 1);
	else
		branch(apply("=", byte[0], number('0')), octal, value, 0);
}
static void upper(int at)
{
	branch(apply("bvugt", byte[at], number('9')), reject, next, at);
}
static void digit(int at)
{
	branch(apply("bvult", byte[at], number('0')), reject, upper, at);
}

int main(int argc, char **argv)
{
	rf_smt_options o = RF_SMT_OPTIONS_INIT;
	rf_smt_totals t;
	char name[8];
	if (argc > 1)
		o.solver = argv[1];
	o.logic = "QF_BV";
	if (rf_smt_new(&s, &o, &e) != RF_OK)
		stop();
	for (int i = 0; i < 3; i++) {
		snprintf(name, sizeof name, "byte%d", i);
		byte[i] = rf_smt_constant(s, name, rf_smt_bits(s, 8));
	}
	digit(0);
	rf_smt_stats(s, &t, sizeof t);
	printf("%d paths, %d questions\n", paths, checks);
	fprintf(stderr, "%llu of them put to the solver\n", (unsigned long long)t.solver_calls);
	rf_smt_free(s);
	return 0;
}
