#!/bin/sh
# SPDX-License-Identifier: MIT
# Passes over declarations: preprocessed C++ with what the parser stumbles over, judged by the compiler itself. Counts
# come from the test's own log.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 3
command -v g++ > /dev/null || { section "C++"; skip "C++" "g++ is not installed"; exit 0; }

cat > needs.sh << 'END'
#!/bin/sh
echo x >> "$LOG"
g++ -w -S small.ii -o small.s 2> /dev/null && grep -q _Z6wanted3boxIiE small.s && grep -q '^keepme:' small.s
END
chmod +x needs.sh
# 60 types and 60 functions with attributes, of which main needs few
{
	echo '# 1 "main.cc"'
	echo '# 1 "lib.h" 1'
	echo 'namespace lib __attribute__ ((__visibility__ ("default"))) {'
	i=0
	while [ $i -lt 60 ]; do
		echo "template<typename T> struct s$i { T value; s$((i ? i - 1 : 0))<T> *next;"
		echo " int size() const { return sizeof(value) + $i; } } __attribute__ ((aligned (8)));"
		echo "inline int f$i(s$i<int> *p) { return p ? p->size() : $i; }"
		i=$((i + 1))
	done
	echo '}'
	echo 'int keepme = 1;' # needed, and no name leads to it
	echo 'template<typename T> struct box { T value; };'
	echo 'void wanted(box<int>);'
	echo '# 3 "main.cc" 2'
	echo 'int main() { lib::s5<int> s; box<int> b; wanted(b); return lib::f5(&s) + lib::f9(nullptr); }'
} > whole.ii


section "a library goes in few questions"
for jobs in 1 4; do
	cp whole.ii small.ii
	rm -f small.ii.orig log
	LOG=$T/log ok "-j$jobs: with 60 questions" "$REFRAIN" reduce -j$jobs --json=r.json --store=none --max-queries=60 ./needs.sh small.ii
	ok "-j$jobs: no more were asked" [ "$(field queries r.json)" -le 60 ]
	ok "-j$jobs: and no other tests made than those of a flaky test" [ "$(wc -l < log)" -le $((60 + $(field retests r.json))) ]
	ok "-j$jobs: of which there are few" [ "$(field retests r.json)" -le 12 ]
	ok "-j$jobs: of 60 types hardly any is left" [ "$(grep -c 'struct s[0-9]' small.ii)" -le 6 ]
done
rm -f small.ii.orig
LOG=$T/log ok "-j4: 100 more" "$REFRAIN" reduce -j4 --store=none --max-queries=100 ./needs.sh small.ii
LOG=$T/after ok "-j4: the result is interesting" ./needs.sh
is "-j4: the library is gone" "$(grep -c 'namespace lib\|struct s[0-9]' small.ii)" 0

section "each pass alone"
for pass in wash bodies sweep coupled; do
	others=$("$REFRAIN" reduce --list-passes | sed -n '/^$/,$p' |
		awk -v keep=$pass 'NF && $1 != keep { printf "--skip-pass=%s ", $1 }')
	cp whole.ii small.ii
	rm -f small.ii.orig
	# shellcheck disable=SC2086
	LOG=$T/log ok "$pass" "$REFRAIN" reduce -j1 --store=none $others ./needs.sh small.ii
	LOG=$T/after ok "$pass: the result is interesting" ./needs.sh
	ok "$pass: something went" [ "$(wc -c < small.ii)" -lt "$(wc -c < whole.ii)" ]
	[ $pass != sweep ] || is "sweep: what stands before the culprit went too" "$(grep -c 'struct s[1-5][0-9]' small.ii)" 0
done

section "errors that the test prints"
# four constants are needed with their bodies: the errors name them, without these they have to be searched for
{
	echo '# 1 "main.cc"'
	echo '# 1 "lib.h" 1'
	i=0
	while [ $i -lt 80 ]; do
		echo "struct t$i { int a$i; operator int() const { return a$i; } };"
		echo "constexpr int c$i() { return $i; }"
		i=$((i + 1))
	done
	for i in 7 31 52 66; do
		echo "static_assert(c$i() == $i, \"\");"
	done
	echo '# 3 "main.cc" 2'
	echo 'int main() { return 0; }'
} > whole.ii
printf '#!/bin/sh\necho x >> "$LOG"\ng++ -fsyntax-only small.ii && [ "$(grep -c static_assert small.ii)" = 4 ]\n' > loud.sh
chmod +x loud.sh
for how in read-errors no-read-errors; do
	cp whole.ii small.ii
	rm -f small.ii.orig $how
	LOG=$T/$how ok "--$how" "$REFRAIN" reduce -j1 --store=none --max-queries=60 --$how ./loud.sh small.ii
	cp small.ii $how.ii
done
ok "read, they bring the program down in few questions" [ "$(wc -c < read-errors.ii)" -lt 600 ]
ok "not read, they do not" [ "$(wc -c < no-read-errors.ii)" -gt 3000 ]
