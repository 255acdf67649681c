#!/bin/sh
# SPDX-License-Identifier: MIT
# <refrain/reduce.h> from outside the tree: one small program, built as C and as C++ against the installed headers and the
# library, reduces a text with a function as the test. The function logs each text: none comes twice, and the counts agree.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 3
case $BUILD in */asan) skip "the library from outside" "a sanitizer build is not linked by others"; exit 0 ;; esac
case $BUILD in /*) ;; *) BUILD=$top/$BUILD ;; esac
mkdir -p lib include && cp -R "$top/include/refrain" include/ && ln -s "$BUILD/librefrain.so" lib/librefrain.so && ln -s "$BUILD/librefrain.so" lib/librefrain.so.0

cat > example.c <<'C'
#include <refrain/reduce.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct log {
	FILE *f;
	const char *want, *also;
	long lines, stop_at, calls;
};

static int has_all(void *user, const char *text, size_t n)
{
	struct log *l = (struct log *)user;
	unsigned long sum = 5381;
	long lines = 0;
	for (size_t i = 0; i < n; i++) {
		sum = sum * 33 + (unsigned char)text[i];
		lines += text[i] == '\n' && i && text[i - 1] != '\n';
	}
	fprintf(l->f, "%lu %lu\n", sum, (unsigned long)n);
	if (++l->calls == l->stop_at)
		return -1;
	return text[n] == 0 && lines >= l->lines && strstr(text, l->want) && strstr(text, l->also);
}

/* example LANGUAGE ALGORITHM CACHE MAX_QUERIES STOP_AT TEXT WANT ALSO LINES */
int main(int argc, char **argv)
{
	struct log l;
	rf_reduce_options o;
	rf_reduction *r;
	rf_error e;
	size_t n;
	if (argc != 10)
		return 64;
	memset(&l, 0, sizeof l);
	memset(&o, 0, sizeof o);
	l.f = fopen("log", "w");
	l.want = argv[7];
	l.also = argv[8];
	l.lines = atol(argv[9]);
	l.stop_at = atol(argv[5]);
	o.size = sizeof o;
	o.interesting = has_all;
	o.user = &l;
	o.language = argv[1][0] ? argv[1] : NULL;
	o.algorithm = argv[2][0] ? argv[2] : NULL;
	o.cache = argv[3][0] ? argv[3] : NULL;
	o.max_queries = (uint64_t)atol(argv[4]);
	rf_status s = rf_reduce(argv[6], strlen(argv[6]), &o, &r, &e);
	fclose(l.f);
	if (s == RF_OK) {
		const char *text = rf_reduction_text(r, &n);
		fwrite(text, 1, n, stdout);
		fprintf(stderr, "%d %lu %lu\n", rf_reduction_complete(r), (unsigned long)rf_reduction_queries(r),
			(unsigned long)rf_reduction_cache_hits(r));
		rf_reduction_free(r);
	} else if (s != RF_NO) {
		fprintf(stderr, "%s\n", e.text);
	}
	return (int)s;
}
C
cp example.c example.cc
program='int unused(void) { return 1; }
int main(void) { int magic = 42; if (magic > 3) { unused(); } return magic; }
'
ok "an example in C builds" cc -std=c11 -Wall -Wextra -Werror -Iinclude example.c -Llib -lrefrain -Wl,-rpath,"$T/lib" -o example-c
if command -v c++ > /dev/null 2>&1; then
	ok "the same in C++" c++ -std=c++17 -Wall -Wextra -Werror -Iinclude example.cc -Llib -lrefrain -Wl,-rpath,"$T/lib" -o example-cc
else
	skip "the same in C++" "there is no C++ compiler"
fi

for kind in c cc; do
	[ -x example-$kind ] || continue
	exits "$kind: it reduces" 0 ./example-$kind c "" "" 0 0 "$program" magic 42 0
	is "$kind: to what the test wants" "$(tr -d ' \n' < out)" magic42
	is "$kind: the test was called as often as reported, and the run is complete" "$(cut -d' ' -f1,2 err)" "1 $(grep -c . log)"
	is "$kind: no text was tested twice" "$(sort -u log | grep -c .)" "$(grep -c . log)"
	ok "$kind: the cache saved calls" test "$(cut -d' ' -f3 err)" -gt 0
done
cp log first.log; cp out first.out
exits "a second call" 0 ./example-c c "" "" 0 0 "$program" magic 42 0
ok "asks the same" cmp log first.log
exits "another algorithm" 0 ./example-c c ddmin rcc 0 0 "$program" magic 42 0
is "has its result too" "$(tr -d ' \n' < out)" 42magic
cached=$(grep -c . log)
exits "without a cache" 0 ./example-c c ddmin none 0 0 "$program" magic 42 0
ok "more is asked" test "$(grep -c . log)" -gt "$cached"
exits "the language is found by content" 0 ./example-c "" "" "" 0 0 '{"a": [1, {"b": 42}], "c": [2, 3]}' b 42 0
is "and no text was tested twice" "$(sort -u log | grep -c .)" "$(grep -c . log)"
# where line breaks have a meaning other tokens may be the same text
for f in sample.js sample.ts sample.py; do
	exits "$f" 0 ./example-c "${f#sample.}" "" "" 0 0 "$(cat "$top/tests/unit/samples/$f")
" "(" return 4
	is "$f: no text was tested twice" "$(sort -u log | grep -c .)" "$(grep -c . log)"
done

exits "max_queries" 0 ./example-c c "" "" 7 0 "$program" magic 42 0
is "is kept, and the result not complete" "$(cut -d' ' -f1,2 err) $(grep -c . log)" "0 7 7"
exits "a test that stops the run" 0 ./example-c c "" "" 0 9 "$program" magic 42 0
is "stops it there" "$(cut -d' ' -f1,2 err) $(grep -c . log)" "0 9 9"
ok "with an interesting text" grep -q magic out
exits "stopped at the first test: no result" 4 ./example-c c "" "" 0 1 "$program" magic 42 0
exits "not interesting to begin with" 1 ./example-c c "" "" 0 0 "$program" nonsense 42 0
exits "an unknown language" 2 ./example-c klingon "" "" 0 0 "$program" magic 42 0
has "is named" err "unknown language 'klingon'"
exits "an unknown algorithm" 2 ./example-c c klingon "" 0 0 "$program" magic 42 0
exits "an unknown cache" 2 ./example-c c "" klingon 0 0 "$program" magic 42 0

section "the example"
ok "it builds" cc -std=c11 -D_GNU_SOURCE -O2 -Wall -Wextra -Werror -Iinclude "$top/examples/reduce/crash.c" -Llib -lrefrain -Wl,-rpath,"$T/lib" -o crash
for jobs in 1 4; do
	exits "$jobs threads" 0 env SHOW=1 ./crash $jobs
	is "$jobs threads: 65 numbers, the last three lists deep" "$(tr -cs 0-9 '\n' < out | grep -c .) $(tr -cd '[' < out) $(tail -c 5 out | tr -d ' \n')" "65 [[[ 123"
	ok "$jobs threads: progress is told, and nothing grows" sh -c 'sed -n "s/ bytes after.*//p" err | sort -rnc'
	ok "$jobs threads: often" test "$(grep -c 'bytes after' err)" -gt 5
done
