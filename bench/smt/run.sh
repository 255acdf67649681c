#!/bin/bash
# SPDX-License-Identifier: MIT
# refrain smt on real and generated queries: bash run.sh [-r ROUNDS] PART [SUITE…]
#
#   verdicts   every verdict equals z3's recorded one (cache full), per suite
#   reuse      unsat answers reused per cache; solver calls as a counting solver logged them; what KLEE's own chain (exact and
#              subset) leaves to the solver, and what full saves of that
#   inclusion  one fixed set of cores, those of every second query, no budgets; for the other queries utopia ∪ subset ⊆ cache-a-lot ⊆ full
#   figure     the same as a picture: FIGURE (default build/bench/smt-inclusion.svg)
#   sizes      unsat answers that cache-a-lot and full's cores reuse when cores may take SIZES bytes (least recently used evicted); the recorded
#              verdicts and cores stand for the solver
#   paper      all of the paper's tables and figures: reuse, inclusion, figure, sizes, time, canonize, memory, ablation
#   time       CPU of the process tree: z3 -in with (reset), --cache=none, --cache=full, alternated, median; the median look-up
#   solvers    CPU of z3, cvc5 and boolector alone, one process a suite
#   canonize   the paper's Table 3 and Figure 6: reuse, solver and cache seconds of cache-a-lot and utopia, canonization on and off
#   memory     the paper's Table 4: bytes kept and bytes of one look-up at most
#   ablation   the paper's Table 5: its six versions; each look-up may take CAP bytes (default 1G) and no other limit, a suite SECONDS_CAP
#              (default 120); — where one runs out
#   stages     cache full: CPU of the tree, who answered, seconds of the stages, wrong verdicts; WITHOUT names stages to skip
#   table      all suites of DATA and WIDE: z3's recorded seconds, CPU of full, wrong verdicts, solver calls as a counting solver logged them,
#              share of queries without a call, and whether full costs at most 1.02 of none and 20 ms; z3, none, cvc5 and boolector are run only
#              with ALONE=1 (many minutes; z3 and cvc5 LIMIT seconds a suite at most, default 600), else z3's recorded times stand for the first two
#   fresh      suites that nobody has seen: random programs, explored by explore.c (SEEDS, default 1 … 10; QUERIES a suite at most, default 500, in
#              SECONDS_CAP, default 60, of z3's time): none and full alternated, wrong verdicts, calls, as table has it, and all of them together
#   vary       10,000 generated variations: refrain's verdicts against z3's
# Real suites: DATA (default ../shared/data/smt) and WIDE (default ${DATA}-wide). The generated suites are called scalar and orders (for the ablation).
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
: "${DATA:=$top/../shared/data/smt}" "${WIDE:=$DATA-wide}" "${ALONE:=}" "${LIMIT:=600}" "${REFRAIN:=$top/build/refrain}" "${SCALAR_QUERIES:=2000}" "${VARIATIONS:=10000}"
rounds=5 tools=$top/build/bench
while getopts r: o; do case $o in r) rounds=$OPTARG ;; *) exit 2 ;; esac done
shift $((OPTIND - 1))
what=${1:?what: verdicts, reuse, inclusion, time, solvers, stages, table, fresh, canonize, memory, ablation, vary, figure, sizes or paper}
shift
mkdir -p "$tools"
for p in gen_suite count_solver explore; do
	[ "$tools/$p" -nt "$here/$p.c" ] || cc -O2 -o "$tools/$p" "$here/$p.c" || exit 3
done
work=$(mktemp -d "${TMPDIR:-/tmp}/refrain-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
if [ $# = 0 ] && [ $what = table ]; then
	set -- $(cd "$DATA" && ls *.tar.zst | sed 's/\.tar\.zst//') $(cd "$WIDE" && ls *.tar.zst | sed 's/\.tar\.zst//')
fi
[ $# -gt 0 ] || set -- $(cd "$DATA" 2> /dev/null && ls *.tar.zst | sed 's/\.tar\.zst//') scalar $([ $what = ablation ] && echo orders)

generated() { case $1 in scalar | orders) ;; *) return 1 ;; esac; }

data_of() { [ -f "$DATA/$1.tar.zst" ] && echo "$DATA" || echo "$WIDE"; }

# no table is better than one of zeros
for s in "$@"; do
	if ! generated "$s" && [ ! -f "$(data_of "$s")/$s.tar.zst" ]; then
		echo "no suite $s in $DATA or $WIDE (DATA names the folder)" >&2
		exit 2
	fi
done

# SUITE COLUMN: a column of the suite's recorded answers, found by its name, in query order
recorded() {
	zstd -dcq "$(data_of "$1")/VERDICTS.tsv.zst" | awk -F '\t' -v suite="$1" -v want="$2" 'NR == 1 { for (i = 1; i <= NF; i++) c[$i] = i; next } $c["suite"] == suite { print $c[want] }'
}

unpack() { # SUITE: its queries in order in $work/SUITE.list, recorded verdicts in $work/SUITE.verdicts
	[ -f "$work/$1.list" ] && return
	mkdir -p "$work/$1"
	if generated "$1"; then
		[ "$1" = scalar ] && n=$SCALAR_QUERIES || n=$((SCALAR_QUERIES / 10))
		"$tools/gen_suite" "$1" 7 "$n" "$work/$1"
	else
		zstd -dcq "$(data_of "$1")/$1.tar.zst" | tar x -C "$work/$1"
	fi
	find "$work/$1" -type f -name '*.smt2' | LC_ALL=C sort > "$work/$1.list"
	if generated "$1"; then
		xargs -n 1 timeout 20 z3 < "$work/$1.list" > "$work/$1.verdicts" 2> /dev/null
	else
		recorded "$1" verdict > "$work/$1.verdicts"
	fi
}

# refrain over a whole suite; its answers in $work/answers, its JSON in $work/json
run() { # SUITE OPTIONS…
	local suite=$1
	shift
	xargs -x -s 1500000 -a "$work/$suite.list" "$REFRAIN" smt --json="$work/json" "$@" > "$work/answers" 2> "$work/errors"
}

json() { jq -r "$1" "$work/json"; }

cpu() { # COMMAND…: user + system seconds of the tree on standard output
	local t
	t=$({ TIMEFORMAT='%U %S'; time "$@" > /dev/null 2>&1; } 2>&1)
	awk '{ printf "%.3f\n", $1 + $2 }' <<< "$t"
}

median() { sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'; }

z3_reset() { # the same scripts in one z3 -in, (reset) between
	xargs -a "$work/$1.list" -I F sh -c 'grep -v "^(exit)" F; echo "(reset)"' > "$work/$1.all" 2> /dev/null
}

differences() { # SUITE: wrong or missing answers of the last run
	paste "$work/$1.verdicts" <(grep -E '^(sat|unsat|unknown|timeout)$' "$work/answers") | awk -F '\t' '$1 != "unknown" && $1 != $2 { n++ } END { print n + 0 }'
}

# a row of the time table; ok: full costs at most 1.02 of none and 20 ms
time_row() { # NAME Z3 NONE FULL LOOKUP
	awk -v s="$1" -v z="$2" -v n="$3" -v f="$4" -v l="$5" 'BEGIN { printf "%-14s %8.2f %8.2f %8.2f  %9.3f %9.3f %9.1f %6s\n", s, z, n, f, n / z, f / n, l, f <= 1.02 * n + 0.02 ? "yes" : "NO" }'
}

# SUITE OPTION…: what the caches reuse with the recorded verdicts and cores
replay() {
	local suite=$1
	shift
	[ -f "$work/verdicts.tsv" ] || make -s -C "$top" build/bench/smt_replay || exit 3
	zstd -dcqf "$(data_of "$suite")/VERDICTS.tsv.zst" -o "$work/verdicts.tsv"
	unpack "$suite"
	"$tools/smt_replay" "$suite" "$(dirname "$(head -1 "$work/$suite.list")")" "$work/verdicts.tsv" "$@"
}

case $what in
verdicts)
	printf '%-14s %8s %8s\n' suite queries wrong
	for s in "$@"; do
		unpack "$s"
		run "$s" --cache=full
		printf '%-14s %8d %8d\n' "$s" "$(wc -l < "$work/$s.list")" "$(differences "$s")"
	done
	;;
reuse)
	printf '%-14s %8s %7s' suite queries unsat
	for c in exact utopia subset cache-a-lot full; do printf ' %12s' "$c"; done
	printf ' %8s %8s %6s %10s %11s\n' calls reported wrong klee_leaves full_saves
	for s in "$@"; do
		unpack "$s"
		printf '%-14s %8d %7d' "$s" "$(wc -l < "$work/$s.list")" "$(grep -c '^unsat' "$work/$s.verdicts")"
		for c in exact utopia subset cache-a-lot full; do
			rm -f "$work/calls"
			run "$s" --cache="$c" --solver="$tools/count_solver $work/calls z3 -in"
			[ $c = subset ] && left=$(json '.unsat - .reused_unsat')
			printf ' %11.1f%%' "$(json '100 * .reused_unsat / ([.unsat, 1] | max)')"
		done
		printf ' %8d %8d %6d %10d %10.1f%%\n' "$(cat "$work/calls" 2> /dev/null | wc -l)" "$(json .solver_calls)" "$(differences "$s")" "$left" \
			"$(json "100 * ($left - (.unsat - .reused_unsat)) / ([$left, 1] | max)")"
	done
	;;
time)
	printf '%-14s %8s %8s %8s  %9s %9s %9s %6s  %s\n' suite z3_s none_s full_s none/z3 full/none lookup_us ok "(median of $rounds, CPU of the tree)"
	for s in "$@"; do
		unpack "$s"
		z3_reset "$s"
		rm -f "$work"/t.*
		for ((i = 0; i < rounds; i++)); do
			cpu sh -c "z3 -in < '$work/$s.all'" >> "$work/t.z3"
			cpu xargs -x -s 1500000 -a "$work/$s.list" "$REFRAIN" smt --cache=none >> "$work/t.none"
			cpu xargs -x -s 1500000 -a "$work/$s.list" "$REFRAIN" smt --cache=full >> "$work/t.full"
		done
		z=$(median < "$work/t.z3") n=$(median < "$work/t.none") f=$(median < "$work/t.full")
		run "$s" --cache=full
		time_row "$s" "$z" "$n" "$f" "$(json '1e6 * .lookup_median_s')"
		[ "$s" = pcre ] || generated "$s" || echo "$z $n $f" >> "$work/sum"
	done
	[ -s "$work/sum" ] && time_row "all but pcre" $(awk '{ z += $1; n += $2; f += $3 } END { print z, n, f }' "$work/sum") 0
	;;
solvers)
	printf '%-14s %8s %8s %9s\n' suite z3_s cvc5_s boolector_s
	for s in "$@"; do
		unpack "$s"
		z3_reset "$s"
		z=$(cpu sh -c "timeout 600 z3 -in < '$work/$s.all'")
		c=$(cpu sh -c "timeout 600 cvc5 --incremental --lang=smt2 < '$work/$s.all'")
		b=$(cpu sh -c "while read -r f; do timeout 20 boolector \"\$f\"; done < '$work/$s.list'")
		printf '%-14s %8.2f %8.2f %9.2f\n' "$s" "$z" "$c" "$b"
	done
	;;
stages)
	printf '%-14s %8s %8s %6s' suite queries cpu_s wrong
	for by in fixes duplicates models slices bits core other solver; do printf ' %10s' $by; done
	printf ' %8s %9s\n' calls stages_s
	for s in "$@"; do
		unpack "$s"
		c=$(cpu xargs -x -s 1500000 -a "$work/$s.list" "$REFRAIN" smt --cache=full ${WITHOUT:+--without="$WITHOUT"})
		run "$s" --cache=full ${WITHOUT:+--without="$WITHOUT"}
		printf '%-14s %8d %8.2f %6d' "$s" "$(wc -l < "$work/$s.list")" "$c" "$(differences "$s")"
		for by in fixes duplicates models slices bits core; do printf ' %10d' "$(json "[.answers[] | select(.by == \"$by\")] | length")"; done
		printf ' %10d %10d %8d %9.3f\n' "$(json '[.answers[] | select(.by == "model" or .by == "exact")] | length')" \
			"$(json '[.answers[] | select(.by == "solver")] | length')" "$(json .solver_calls)" "$(json '[.stages[].seconds] | add')"
	done
	;;
table)
	printf '%-12s %7s %8s %8s %8s %8s %8s %6s %6s %8s %4s\n' suite queries z3_s none_s full_s cvc5_s btor_s wrong calls without ok
	for s in "$@"; do
		unpack "$s"
		z=$(paste <(recorded "$s" z3_parse_us) <(recorded "$s" z3_solve_us) | awk '{ t += $1 + $2 } END { printf "%.2f", t / 1e6 }')
		n=$z c=— b=—
		if [ -n "$ALONE" ]; then
			z3_reset "$s"
			z=$(cpu sh -c "timeout $LIMIT z3 -in < '$work/$s.all'")
			n=$(cpu xargs -x -s 1500000 -a "$work/$s.list" "$REFRAIN" smt --cache=none)
			c=$(cpu sh -c "timeout $LIMIT cvc5 --incremental --lang=smt2 < '$work/$s.all'")
			b=$(cpu sh -c "while read -r f; do timeout 20 boolector \"\$f\"; done < '$work/$s.list'")
		fi
		f=$(cpu xargs -x -s 1500000 -a "$work/$s.list" "$REFRAIN" smt --cache=full)
		rm -f "$work/calls"
		run "$s" --cache=full --solver="$tools/count_solver $work/calls z3 -in"
		queries=$(wc -l < "$work/$s.list") calls=$(cat "$work/calls" 2> /dev/null | wc -l)
		printf '%-12s %7d %8s %8s %8.2f %8s %8s %6d %6d %7.1f%% %4s\n' "$s" "$queries" "$z" "$n" "$f" "$c" "$b" "$(differences "$s")" "$calls" \
			"$(awk "BEGIN { print 100 - 100 * $calls / $queries }")" "$(awk "BEGIN { print $f <= 1.02 * $n + 0.02 ? \"yes\" : \"NO\" }")"
	done
	;;
fresh)
	: "${SEEDS:=1 2 3 4 5 6 7 8 9 10}" "${QUERIES:=500}" "${SECONDS_CAP:=60}"
	printf '%-12s %7s %8s %8s %6s %6s %8s %4s\n' seed queries none_s full_s wrong calls without ok
	for s in $SEEDS; do
		mkdir -p "$work/$s"
		"$tools/explore" "$s" "$QUERIES" "$SECONDS_CAP" "$work/$s" || exit
		mv "$work/$s/verdicts" "$work/$s.verdicts"
		find "$work/$s" -name '*.smt2' | LC_ALL=C sort > "$work/$s.list"
		rm -f "$work"/t.* "$work/calls"
		for ((i = 0; i < rounds; i++)); do
			cpu xargs -x -s 1500000 -a "$work/$s.list" "$REFRAIN" smt --cache=none >> "$work/t.none"
			cpu xargs -x -s 1500000 -a "$work/$s.list" "$REFRAIN" smt --cache=full >> "$work/t.full"
		done
		run "$s" --cache=full --solver="$tools/count_solver $work/calls z3 -in"
		echo "$s $(wc -l < "$work/$s.list") $(median < "$work/t.none") $(median < "$work/t.full") $(differences "$s") $(cat "$work/calls" 2> /dev/null | wc -l)" |
			tee -a "$work/fresh" | awk '{ printf "%-12s %7d %8.2f %8.2f %6d %6d %7.1f%% %4s\n", $1, $2, $3, $4, $5, $6, 100 - 100 * $6 / $2, $4 <= 1.02 * $3 + 0.02 ? "yes" : "NO" }'
	done
	awk '{ q += $2; n += $3; f += $4; w += $5; c += $6 } END { printf "%-12s %7d %8.2f %8.2f %6d %6d %7.1f%%  full / none %.3f\n", "all", q, n, f, w, c, 100 - 100 * c / q, f / n }' "$work/fresh"
	;;
vary)
	mkdir -p "$work/vary"
	"$tools/gen_suite" vary 11 "$VARIATIONS" "$work/vary"
	find "$work/vary" -name '*.smt2' | LC_ALL=C sort > "$work/vary.list"
	z3_reset vary
	timeout 3000 z3 -in < "$work/vary.all" | grep -E '^(sat|unsat|unknown)$' > "$work/vary.verdicts"
	run vary --cache=full
	echo "variations $(wc -l < "$work/vary.list"), answered $(grep -cE '^(sat|unsat|unknown)$' "$work/answers"), wrong $(differences vary), reused unsat $(json .reused_unsat) of $(json .unsat), reused sat $(json .reused_sat) of $(json .sat)"
	;;
inclusion)
	for s in "$@"; do
		generated "$s" && continue # no recorded cores
		printf '%-14s %s\n' "$s" "$(replay "$s" --fixed | tail -1)"
	done
	;;
figure)
	: "${FIGURE:=$tools/smt-inclusion.svg}"
	for s in "$@"; do
		generated "$s" || replay "$s" --fixed | awk -v s="$s" '$3 == "queries" { print s, $1, $4, $6 }'
	done | tee "$work/figure" | awk -f "$here/figure.awk" > "$FIGURE" || exit 1
	awk '{ printf "%-14s %-12s %5d unsat %5d reused\n", $1, $2, $3, $4 }' "$work/figure"
	echo "$FIGURE"
	;;
sizes)
	: "${SIZES:=2000 8000 32000 128000 512000 2000000 0}"
	printf '%-14s %-12s' suite cache
	for b in $SIZES; do printf ' %9s' "${b/#0/no limit}"; done
	echo
	for s in "$@"; do
		generated "$s" && continue
		for c in cache-a-lot full; do
			printf '%-14s %-12s' "$s" $c
			for b in $SIZES; do
				replay "$s" $c --cache-size "$b" | awk '{ printf " %8.1f%%", 100 * $6 / ($4 ? $4 : 1) }'
			done
			echo
		done
	done
	;;
paper)
	for part in reuse inclusion figure sizes time canonize memory ablation; do
		echo "== $part"
		bash "$0" -r "$rounds" $part "$@" || exit
	done
	;;
canonize)
	printf '%-14s %-12s %-5s %8s %10s %9s %9s\n' suite cache canon reused "of_unsat_%" solver_s cache_s
	for s in "$@"; do
		unpack "$s"
		# without its renaming, utopia is a search for cores with the same names
		for v in "none -" "cache-a-lot off" "cache-a-lot on --canonize" "utopia on" "subset off"; do
			read -r c canon option <<< "$v"
			run "$s" --cache="$c" $option
			printf '%-14s %-12s %-5s %8d %10.2f %9.2f %9.3f\n' "$s" "${c/subset/utopia}" "$canon" "$(json .reused_unsat)" \
				"$(json '100 * .reused_unsat / ([.unsat, 1] | max)')" "$(json .solver_s)" "$(json .cache_s)"
		done
	done
	;;
memory)
	printf '%-14s %-12s %12s %12s\n' suite cache kept_bytes lookup_bytes
	for s in "$@"; do
		unpack "$s"
		for c in full cache-a-lot utopia; do
			run "$s" --cache=$c
			printf '%-14s %-12s %12d %12d\n' "$s" "$c" "$(json .cache_peak_bytes)" "$(json .lookup_peak_bytes)"
		done
	done
	;;
ablation)
	: "${CAP:=1G}" "${SECONDS_CAP:=120}"
	printf '%-14s %-10s %8s %9s %12s\n' suite version reused cache_s lookup_bytes
	for s in "$@"; do
		unpack "$s"
		for v in "base --no-o1 --no-o2 --no-o3" "O1 --no-o2 --no-o3" "O2 --no-o1 --no-o3" "O3 --no-o1 --no-o2" "O2+O3 --no-o1" "O1+O2+O3"; do
			read -r name options <<< "$v"
			rm -f "$work/json"
			timeout -s KILL "$SECONDS_CAP" xargs -x -s 1500000 -a "$work/$s.list" "$REFRAIN" smt --json="$work/json" --cache=cache-a-lot --steps=0 --lookup-size="$CAP" $options > "$work/answers" 2> "$work/errors"
			if [ -s "$work/json" ] && [ "$(json .exhausted_lookups)" = 0 ]; then
				printf '%-14s %-10s %8d %9.3f %12d\n' "$s" "$name" "$(json .reused_unsat)" "$(json .cache_s)" "$(json .lookup_peak_bytes)"
			else
				printf '%-14s %-10s %8s %9s %12s  %s\n' "$s" "$name" — — — "$([ -s "$work/json" ] && echo "$(json .exhausted_lookups) look-ups ran out of memory" || echo "ran out of time")"
			fi
		done
	done
	;;
*)
	echo "unknown: $what" >&2
	exit 2
	;;
esac
