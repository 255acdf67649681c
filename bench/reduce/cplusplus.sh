#!/bin/bash
# SPDX-License-Identifier: MIT
# Preprocessed C++, refrain beside C-Vise: bash cplusplus.sh [-t TOOLS] [-c SECONDS] [-j N] [-o RESULTS] [SUBJECT…]
#
# Each subject is a small program that g++ -E expands on the spot (0.6 to 2 MB), and a property of what g++ makes of it: a
# name that the object must refer to, bodies of templates that must be instantiated in it, an error message. They run through
# subjects.sh and its logging wrapper, one tool after the other. Then, from the logs: after how many queries refrain had
# 15,000, 10,000 and 1,100 bytes; and, second by second from the 30th on, whether it was ever larger than the other tool was.
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
: "${CXX:=g++}"
tools=refrain cap=600 jobs=2 results=$top/build/bench/cplusplus
while getopts t:c:j:o: o; do case $o in t) tools=$OPTARG ;; c) cap=$OPTARG ;; j) jobs=$OPTARG ;; o) results=$OPTARG ;; *) exit 2 ;; esac done
shift $((OPTIND - 1))
[ $# -gt 0 ] || set -- iostream iostream-errors sort map regex message ranges thread
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-bench.XXXXXX") || exit 3
trap 'rm -rf "$work"' EXIT

subject() { # NAME OPTIONS TEST, the program on standard input
	case " $wanted " in *" $1 "*) ;; *) return ;; esac
	mkdir -p "$work/$1"
	cat > "$work/$1/source.cc"
	"$CXX" $2 -E "$work/$1/source.cc" -o "$work/$1/t.cc" || exit 3
	rm "$work/$1/source.cc"
	echo t.cc > "$work/$1/FILE"
	printf '%s\n' "$3" > "$work/$1/r.sh"
}
symbol() { echo "$CXX $1 -w -c t.cc -o t.o 2>$2 && nm -C t.o | grep -q '$3'"; } # OPTIONS WHERE-ERRORS-GO SYMBOL
error() { echo "$CXX $1 -w -c t.cc -o t.o 2>log && exit 1; grep -q 'error: $2' log"; } # OPTIONS MESSAGE

wanted=$*
for name in iostream iostream-errors; do
	case $name in iostream) where=/dev/null ;; *) where='\&2' ;; esac
	subject $name '' "$(symbol '' "${where#\\}" 'U std::.*::endl\|U std::.*std::endl')" <<-'CXX'
		#include <iostream>
		int main() { std::cout << "hello" << std::endl; }
	CXX
done
subject sort '' "$(symbol '' /dev/null 'W void std::__introsort_loop<')" <<'CXX'
#include <algorithm>
#include <iostream>
#include <vector>
int main(int argc, char **argv) {
	std::vector<int> v;
	for (int i = 0; i < argc; i++) v.push_back(*argv[i]);
	std::sort(v.begin(), v.end());
	std::cout << v[0] << std::endl;
}
CXX
subject map '' "$(symbol '' /dev/null 'W std::_Rb_tree<.*::_M_get_insert_unique_pos(')" <<'CXX'
#include <iostream>
#include <map>
#include <string>
int main() {
	std::map<std::string, int> words;
	std::string word;
	while (std::cin >> word) words[word]++;
	for (auto &w : words) std::cout << w.first << ' ' << w.second << '\n';
}
CXX
subject regex '' "$(symbol '' /dev/null 'W std::__detail::_Compiler<.*::_M_disjunction()')" <<'CXX'
#include <iostream>
#include <regex>
int main(int argc, char **argv) {
	std::regex r("a+(b|c)*");
	for (int i = 1; i < argc; i++) std::cout << std::regex_match(argv[i], r) << std::endl;
}
CXX
subject message '' "$(error '' 'static assertion failed: result type must be constructible from')" <<'CXX'
#include <iostream>
#include <memory>
#include <vector>
int main() {
	std::vector<std::unique_ptr<int>> a;
	a.push_back(std::make_unique<int>(1));
	std::vector<std::unique_ptr<int>> b(a);
	std::cout << *b[0] << std::endl;
}
CXX
subject ranges -std=c++20 "$(error -std=c++20 'no match for .operator|.')" <<'CXX'
#include <iostream>
#include <ranges>
#include <vector>
int main() {
	std::vector<int> v{1, 2, 3};
	auto twice = [](int a, int b) { return a * b; };
	for (int i : v | std::views::transform(twice)) std::cout << i << std::endl;
}
CXX
subject thread '' "$(symbol '' /dev/null 'U std::thread::_M_start_thread')" <<'CXX'
#include <future>
#include <iostream>
#include <thread>
int main(int argc, char **) {
	auto f = std::async(std::launch::async, [argc] { return argc * 2; });
	std::thread t([] { std::cout << "in a thread" << std::endl; });
	t.join();
	std::cout << f.get() << std::endl;
}
CXX

SUBJECTS=$work bash "$here/subjects.sh" -t "$tools" -c "$cap" -j "$jobs" -o "$results" "$@" || exit

echo
printf '%-16s %10s %10s %10s %10s  %s\n' subject bytes 'q 15,000' 'q 10,000' 'q 1,100' 'refrain'
for name in "$@"; do
	[ -s "$results/$name.refrain/log" ] || continue
	# a query's number is that of its beginning; verdicts come in another order with several jobs
	awk -v name="$name" -v bytes="$(stat -c %s "$work/$name/t.cc")" '
		FILENAME ~ /asked$/ {if (!($2 in number)) number[$2] = FNR; next}
		$3 == 0 {for (i in limit) if ($4 < limit[i] && !(i in at)) at[i] = number[$2]}
		BEGIN {limit[1] = 15000; limit[2] = 10000; limit[3] = 1100}
		END {printf "%-16s %10d", name, bytes; for (i = 1; i <= 3; i++) printf " %10s", i in at ? at[i] : "-"; print ""}
	' "$results/$name.refrain/asked" "$results/$name.refrain/log"
done

for name in "$@"; do for other in $tools; do
	[ "$other" != refrain ] && [ -s "$results/$name.$other/log" ] && [ -s "$results/$name.refrain/log" ] || continue
	awk -v name="$name" -v other="$other" -v first="$(stat -c %s "$work/$name/t.cc")" '
		FNR == 1 {file++; size = first}
		file <= 2 {start[file] = $1; end[file] = $2; next}
		$3 == 0 {
			f = file - 2; if (!(f in least)) least[f] = first
			if ($4 < least[f]) {least[f] = $4; n[f]++; when[f, n[f]] = $1 - start[f]; what[f, n[f]] = $4}
		}
		function size_at(f, second) {
			while (k[f] < n[f] && when[f, k[f] + 1] <= second) k[f]++
			return k[f] ? what[f, k[f]] : first
		}
		END {
			last = int(end[2] - start[2]) + 1
			for (s = 30; s <= last; s++) if (size_at(1, s) > size_at(2, s)) {larger++; if (!since) since = s; until_ = s}
			printf "%s: from second 30 to %d refrain is larger than %s in %d", name, last, other, larger
			if (larger) printf " (between %d and %d)", since, until_
			for (i = 1; i <= n[1] && what[1, i] > least[2]; i++);
			printf "; its %d bytes, of second %.0f of %d, refrain has at %s\n", least[2], when[2, n[2]], last, i <= n[1] ? sprintf("%.0f", when[1, i]) : "no time"
		}
	' "$results/$name.refrain/times" "$results/$name.$other/times" "$results/$name.refrain/log" "$results/$name.$other/log"
done; done
