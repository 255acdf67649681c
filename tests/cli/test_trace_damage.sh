#!/bin/sh
# SPDX-License-Identifier: MIT
# Every format that refrain trace reads: a file of it that is cut or damaged is refused with the record or line, and so
# is one that is something else. The list of formats is the program's own, so a new format needs a row here.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/trace.sh"
cd "$T" || exit 3
printf 'key,size,time\n1,10,1\n2,20,2\n3,30,3\n1,10,4\n2,20,5\n' > whole.csv
for f in u32 u64 u32be u64be oracle lcs rft; do
	r convert -q --to=$f whole.csv -o w.$f 2> /dev/null
	head -c $(($(wc -c < w.$f) - 3)) w.$f > cut.$f
done
# twr: 20 bytes a request; vscsi, version 1: 32
head -c 57 /dev/zero > cut.twr
{ head -c 10 /dev/zero; printf '\001'; } > short.vscsi
printf '1 2 3\n4 \000\001 5\n' > cut.text
printf '1a\nfg\n' > cut.hex
printf 'a b\nc \000\n' > cut.strings
printf 'a b\nc \000\n' > cut.lines
printf '1,2\n3,"4\n' > cut.csv
printf '1 2\n3 \000\n' > cut.columns
printf '{"key":1}\n{"key":\n' > cut.jsonl
printf '0 1000\n0 \n' > cut.din
printf ' L 1000,8\n S 1008,\n' > cut.lackey
cp short.vscsi cut.vscsi

section "a damaged or cut file of each format"
r info --format=no-such whole.csv 2>&1 | sed "s/.*choices: //; s/)//; s/, / /g" | tr " " "\n" | sort > formats
: > tried
: > wrong
for row in text:2:3 hex:2:1 strings:2:3 lines:2:3 csv:2: columns:2:3 jsonl:2: din:2:3 lackey:2: "u32:record 5" "u64:record 5" \
	"u32be:record 5" "u64be:record 5" "rft:record 6" "oracle:record 5" "lcs:record 5" "twr:record 3" "vscsi:record 1"; do
	f=${row%%:*} place=${row#*:} path=
	[ $f = jsonl ] && path=--path=key
	# shellcheck disable=SC2086
	r info --format=$f $path "cut.$f" > o 2> e
	got=$?
	[ $got -eq 2 ] || echo "$f: exit $got" >> wrong
	case $place in record*) grep -q "cut.$f: $place:" e ;; *) grep -q "cut.$f:$place" e ;; esac || echo "$f: no '$place': $(cat e)" >> wrong
	echo "$f" >> tried
done
is "is refused with its record or line" "$(cat wrong)" ""
is "all formats were tried" "$(sort tried)" "$(cat formats)"

section "a file that is named as something else"
seq 1000 1100 > numbers
: > wrong
for f in u32 u64 u32be u64be oracle twr vscsi lcs rft; do
	cp numbers "named.$f"
	r info "named.$f" > o 2> e
	[ $? -eq 2 ] || echo "numbers as .$f are read" >> wrong
	grep -q "named.$f" e || echo ".$f: $(cat e)" >> wrong
done
for f in txt csv jsonl din lackey; do
	cp w.oracle "named.$f"
	r info "named.$f" > o 2> e
	[ $? -eq 2 ] || echo "oracleGeneral as .$f is read" >> wrong
	grep -q "named.$f:1" e || echo ".$f: $(cat e)" >> wrong
done
is "is refused" "$(cat wrong)" ""
awk 'BEGIN { print "key,size,time"; for (i = 0; i < 300; i++) print i * i % 97 + 3 "," i % 7 + 1 "," i }' > more.csv
: > wrong
for f in u32 u64 u32be u64be oracle; do
	r convert -q --to=$f more.csv -o more.$f 2> /dev/null
	for name in u32 u64 u32be u64be twr; do
		cp more.$f named.$name
		r info "named.$name" > o 2> e
		got=$?
		[ $f = $name ] && [ $got -ne 0 ] && echo "$f is refused: $(cat e)" >> wrong
		[ $f = $name ] || { [ $got -eq 2 ] && grep -q "named.$name: record [0-9]*:" e; } || echo "$f as .$name: exit $got, $(cat e)" >> wrong
		[ $f = $name ] || [ $name = twr ] || grep -q -- "--format=$f or --format=$name" e || echo "$f as .$name: $(cat e)" >> wrong
	done
done
is "words of another width or byte order are, too" "$(cat wrong)" ""
is "unless the format is named" "$(r info --json --format=u64 more.u32 | sed -n 's/.*"requests": \([0-9]*\).*/\1/p')" 150
# a volume and a block in it: both halves of the key are small numbers
awk 'BEGIN { for (i = 0; i < 900; i++) printf "%.0f\n", (i % 20) * 4294967296 + i * 37 % 500 }' > volumes.txt
r convert -q --to=u64 volumes.txt -o volumes.u64
is "two numbers in a key are a key" "$(r info --json volumes.u64 | sed -n 's/.*"requests": \([0-9]*\).*/\1/p')" 900
for f in lcs rft; do
	cp w.$f named.csv
	is "unless its first bytes say what it is: $f" "$(r info --json named.csv | sed -n 's/.*"format": "\(.*\)",/\1/p')" $f
done

section "compressed files whose first bytes are gone"
r convert -q --to=u64 more.csv -o p.u64 2> /dev/null
gzip -k p.u64 && zstd -q p.u64 && xz -k p.u64
: > wrong
for s in gz zst xz; do
	r info p.u64.$s > o 2> e || echo "$s is refused: $(cat e)" >> wrong
	{ head -c 8 /dev/zero; head -c 80 p.u64.$s; } > lost.u64.$s
	: > empty.u64.$s
	for name in lost empty; do
		r info --format=u64 $name.u64.$s > o 2> e
		[ $? -eq 2 ] && grep -q "as its name says" e || echo "$name.$s: $(cat e)" >> wrong
	done
done
is "are not read as keys" "$(cat wrong)" ""
