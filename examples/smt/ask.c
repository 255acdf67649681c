/* SPDX-License-Identifier: MIT */
/* A query, and the same one under other names: the second is answered from the cache.
 *
 *	cc ask.c $(pkg-config --cflags --libs refrain) && ./a.out [SOLVER [STORE]]
 *
 * It is C and C++. */
#include <refrain/smt.h>

#include <stdio.h>
#include <string.h>

static const char query[] = "(set-logic QF_BV)\n"
			    "(declare-fun %1$s () (_ BitVec 8))(declare-fun %2$s () (_ BitVec 8))\n"
			    "(assert (bvult %1$s %2$s))(assert (bvult %2$s %1$s))\n"
			    "(check-sat)(exit)\n";

static int ask(rf_smt *s, const char *a, const char *b)
{
	char text[512];
	rf_error e;
	snprintf(text, sizeof text, query, a, b);
	rf_status status = rf_smt_commands(s, text, strlen(text), &e);
	if (status != RF_OK && status != RF_NO) {
		fprintf(stderr, "ask: %s\n", e.text);
		return 1;
	}
	fputs(rf_smt_answers(s, NULL), stdout);
	return 0;
}

int main(int argc, char **argv)
{
	rf_smt_options o = RF_SMT_OPTIONS_INIT;
	rf_smt_totals t;
	rf_smt *s;
	rf_error e;
	if (argc > 1)
		o.solver = argv[1];
	if (argc > 2)
		o.store = argv[2];
	if (rf_smt_new(&s, &o, &e) != RF_OK) {
		fprintf(stderr, "ask: %s\n", e.text);
		return 3;
	}
	int bad = ask(s, "a", "b") || ask(s, "low", "high");
	rf_smt_stats(s, &t, sizeof t);
	printf("%llu queries, %llu of them reused\n", (unsigned long long)t.queries,
	       (unsigned long long)(t.reused_sat + t.reused_unsat));
	rf_smt_free(s);
	return bad;
}
