# SPDX-License-Identifier: MIT
# <refrain/smt.h> from programs outside the tree, in C and in C++, linked with either library: they never ran refrain's
# main, and are not ended by a solver that dies.
. "$(dirname "$0")/lib.sh"
lib=$(cd "$BUILD" && pwd)
cd "$T" || exit 3
case $BUILD in
*/asan) skip "programs that use the library" "a sanitizer build is not linked into others"; exit ;;
esac
cp "$top/examples/smt/ask.c" . && mkdir so && ln -s "$lib/librefrain.so" so/librefrain.so.0
private=$(sed -n 's/^Libs.private: //p' "$lib/refrain.pc")
c() { gcc -std=c11 -Wall -Wextra -Werror -D_GNU_SOURCE -I"$top/include" "$@"; }
ok "a C program, shared library" c -o ask ask.c "$lib/librefrain.so"
# shellcheck disable=SC2086
ok "a C++ program, static library" g++ -Wall -Wextra -Werror -I"$top/include" -o askpp -x c++ ask.c -x none "$lib/librefrain.a" $private
export LD_LIBRARY_PATH="$T/so"
for s in z3 "z3 -in" cvc5 boolector; do
	if command -v ${s%% *} > /dev/null; then
		for p in ./ask ./askpp; do
			is "$p, $s: the renamed query is answered from the cache" "$($p "$s" | tr '\n' ' ')" "unsat unsat 2 queries, 1 of them reused "
		done
	else
		skip "$s" "not installed"
	fi
done
./ask z3 answers.db > /dev/null
is "a store keeps answers for the next program" "$(./askpp z3 answers.db | tail -1)" "2 queries, 2 of them reused"
exits "a solver that is missing is an error with its name" 1 ./ask /nowhere/solver
has "and its name" err "cannot run the solver '/nowhere/solver'"
printf '#!/bin/sh\nexec <&-\nexit 0\n' > dies && chmod +x dies
exits "a solver that dies at once does not end the program" 0 ./ask ./dies
is "and what needs no solver is answered" "$(sort out | uniq -c | tr -s ' ' | tr '\n' ' ')" " 1 2 queries, 1 of them reused  2 unsat "

cp "$top/examples/smt/terms.c" .
ok "an executor without text, in C" c -o terms terms.c "$lib/librefrain.so"
ok "and in C++" g++ -Wall -Wextra -Werror -I"$top/include" -o termspp -x c++ terms.c -x none "$lib/librefrain.so"
for s in z3 "z3 -in"; do
	for p in ./terms ./termspp; do
		$p "$s" > out 2> err
		is "$p, $s: paths" "$(cut -c1-10 out | sort | uniq -c | tr -s " " | tr "\n" ";")" " 1 9 paths, 1; 1 accepted ; 1 octal ; 6 rejected ; 1 too large ;"
	done
done
cat > without.c << 'END'
#include <refrain/smt.h>
#include <assert.h>
#include <string.h>

/* What may go wrong with terms: each mistake is told, none is asked about. */
int main(int argc, char **argv)
{
	rf_smt_options o = RF_SMT_OPTIONS_INIT;
	rf_smt_verdict v;
	rf_smt *s;
	rf_error e;
	const rf_term *core;
	size_t n;
	o.solver = argc > 1 ? argv[1] : NULL;
	o.logic = "NO_SUCH_LOGIC";
	assert(rf_smt_new(&s, &o, &e) == RF_INPUT && !strcmp(e.text, "unknown logic 'NO_SUCH_LOGIC'"));
	o.logic = NULL;
	assert(rf_smt_new(&s, &o, &e) == RF_OK);
	rf_sort byte = rf_smt_bits(s, 8), boolean = rf_smt_sort(s, "Bool"), integer = rf_smt_sort(s, "Int");
	rf_term x = rf_smt_constant(s, "x", byte), p = rf_smt_constant(s, "p", boolean), i = rf_smt_constant(s, "i", integer);
	rf_term two[2] = {x, rf_smt_number(s, 7, 8)};
	assert(x == rf_smt_constant(s, "x", byte) && !rf_smt_constant(s, "x", boolean));
	assert(rf_smt_assert(s, 0, &e) == RF_INPUT && !strcmp(e.text, "another declaration of 'x'"));
	rf_term bad = rf_smt_apply(s, "bvadd", 2, (rf_term[]){x, p});
	assert(!bad && !rf_smt_apply(s, "not", 1, &bad) && !rf_smt_apply(s, "nonsense", 1, &x));
	assert(rf_smt_assert(s, bad, &e) == RF_INPUT && strstr(e.text, "bvadd"));
	assert(rf_smt_assert(s, x, &e) == RF_INPUT && !strcmp(e.text, "a formula must be a Bool"));
	assert(!rf_smt_number(s, 256, 8) && !rf_smt_constant(s, "and", boolean) && !rf_smt_constant(s, "a|b", boolean));
	assert(!rf_smt_term(s, "(bvadd x") && !rf_smt_term(s, "(bvadd x y)") && rf_smt_term(s, "(bvadd x #x01)"));
	assert(rf_smt_assert(s, 999999, &e) == RF_INPUT && rf_smt_pop(s, 1, &e) == RF_INPUT);
	/* nothing is known before a question, and nothing after the stack has changed */
	assert(!rf_smt_value(s, x, &e) && e.status == RF_NO && rf_smt_core(s, &core, &n, &e) == RF_NO);
	rf_term less = rf_smt_apply(s, "bvult", 2, two), not_less = rf_smt_apply(s, "not", 1, &less);
	assert(rf_smt_push(s, &e) == RF_OK && rf_smt_assert(s, less, &e) == RF_OK && rf_smt_assert(s, p, &e) == RF_OK);
	assert(rf_smt_check(s, NULL, 0, &v, &e) == RF_OK && v == RF_SMT_SAT);
	assert(rf_smt_core(s, &core, &n, &e) == RF_NO && strlen(rf_smt_value(s, x, &e)) == 4);
	assert(!strcmp(rf_smt_value(s, p, &e), "true") && rf_smt_value(s, i, &e));
	assert(rf_smt_assert(s, p, &e) == RF_OK && !rf_smt_value(s, p, &e));
	/* an assumption holds for one question; p is not to blame */
	assert(rf_smt_check(s, &not_less, 1, &v, &e) == RF_OK && v == RF_SMT_UNSAT && !rf_smt_value(s, p, &e));
	assert(rf_smt_core(s, &core, &n, &e) == RF_OK && n == 2 && core[0] + core[1] == less + not_less);
	assert(rf_smt_check(s, NULL, 0, &v, &e) == RF_OK && v == RF_SMT_SAT);
	assert(rf_smt_pop(s, 1, &e) == RF_OK && rf_smt_assert(s, not_less, &e) == RF_OK);
	assert(rf_smt_check(s, NULL, 0, &v, &e) == RF_OK && v == RF_SMT_SAT);
	/* text starts anew, and so do terms after it */
	assert(rf_smt_commands(s, "(declare-const x Bool)(assert x)(check-sat)", 43, &e) == RF_OK);
	assert(!strcmp(rf_smt_answers(s, NULL), "sat\n"));
	x = rf_smt_constant(s, "x", rf_smt_bits(s, 3));
	assert(x && rf_smt_check(s, NULL, 0, &v, &e) == RF_OK && v == RF_SMT_SAT);
	rf_smt_free(s);
	return 0;
}
END
ok "a program with mistakes" c -o without without.c "$lib/librefrain.so"
for s in z3 "z3 -in"; do exits "$s: each is told" 0 ./without "$s"; done

cat > more.c << 'END'
#include <refrain/smt.h>
#include <assert.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

static rf_status say(rf_smt *s, const char *text, rf_error *e)
{
	return rf_smt_commands(s, text, strlen(text), e);
}

int main(void)
{
	rf_smt_options o = RF_SMT_OPTIONS_INIT;
	rf_error e;
	rf_smt *s, *other;
	size_t n;
	o.cache = "perfect";
	assert(rf_smt_new(&s, &o, &e) == RF_INPUT && !s && !strcmp(e.text, "unknown cache 'perfect'"));
	o.size = offsetof(rf_smt_options, cache); /* an older header: the rest is not looked at */
	assert(rf_smt_new(&s, &o, &e) == RF_OK);
	assert(rf_smt_new(&other, NULL, NULL) == RF_OK);
	assert(say(s, "(declare-const p Bool)(assert p)(push 1)(assert (not p))(check-sat)", &e) == RF_OK);
	assert(!strcmp(rf_smt_answers(s, &n), "unsat\n") && n == 6);
	assert(say(s, "(pop 1)(check-sat)(get-value (p))", &e) == RF_OK);
	assert(say(other, "(check-sat)", NULL) == RF_OK);
	assert(!strcmp(rf_smt_answers(s, NULL), "sat\n((p true))\n"));
	assert(!strcmp(rf_smt_answers(s, NULL), ""));
	assert(!strcmp(rf_smt_answers(other, NULL), "sat\n"));
	assert(say(s, "(check-sat)\n(assert (or p", &e) == RF_INPUT && e.line == 2 && e.col == 1);
	assert(!strcmp(rf_smt_answers(s, NULL), "sat\n"));
	assert(say(s, "(exit)(check-sat)", &e) == RF_NO && !rf_smt_answers(s, NULL)[0]);
	assert(say(s, ")(assert q)(check-sat)", &e) == RF_OK);
	assert(strstr(rf_smt_answers(s, NULL), "(error"));
	rf_smt_totals t;
	rf_smt_stats(s, &t, sizeof t);
	assert(t.queries == 4 && t.unsat == 1 && t.errors == 2);
	rf_smt_free(s);
	rf_smt_free(other);
	rf_smt_free(NULL);
	/* a question that does not fit into the pipe of a solver that is gone */
	rf_smt_options gone = RF_SMT_OPTIONS_INIT;
	gone.solver = "./dies";
	gone.cache = "none"; /* or it would not be asked */
	static char big[500000];
	memset(big, ' ', sizeof big);
	memcpy(big, "(assert true", 12);
	memcpy(big + sizeof big - 13, ")(check-sat)", 13);
	assert(rf_smt_new(&s, &gone, &e) == RF_OK && say(s, big, &e) == RF_OK);
	assert(!strcmp(rf_smt_answers(s, NULL), "unknown\n"));
	rf_smt_free(s);
	/* nothing of ours is left, and signals are as they were */
	assert(waitpid(-1, NULL, WNOHANG) == -1);
	sigset_t set;
	struct sigaction a;
	assert(!sigprocmask(SIG_BLOCK, NULL, &set) && !sigismember(&set, SIGPIPE));
	assert(!sigaction(SIGPIPE, NULL, &a) && a.sa_handler == SIG_DFL);
	assert(!sigaction(SIGINT, NULL, &a) && a.sa_handler == SIG_DFL);
	return 0;
}
END
ok "a program with more to ask" c -o more more.c "$lib/librefrain.so"
exits "options, errors, two at a time, and nothing left behind" 0 ./more
