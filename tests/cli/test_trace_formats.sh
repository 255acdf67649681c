#!/bin/sh
# SPDX-License-Identifier: MIT
# refrain trace: every input format, from records written down byte by byte.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/trace.sh"
zeros() { dd if=/dev/zero bs=1 count="$1" 2> /dev/null; }

section "text"
printf '# a comment\n10 0x10\n  7\n' > "$T/a.txt"
is "text: decimal and 0x" "$(ids "$T/a.txt")" "10 16 7 "
printf 'ff 10\n0xA\n' > "$T/a.hex"
is "hex" "$(ids "$T/a.hex")" "255 16 10 "
printf '18446744073709551615 0\n' > "$T/big.txt"
is "text: the largest key" "$(ids "$T/big.txt")" "18446744073709551615 0 "
printf '18446744073709551616\n' > "$T/toobig.txt"
exits "text: one more is a string" 0 r info "$T/toobig.txt"
printf '1 18446744073709551616\n' > "$T/toobig.txt"
refuses "text: among numbers it is an error" "toobig.txt:1:3" info "$T/toobig.txt"
printf 'cat dog cat 7 dog\n' > "$T/words.txt"
refuses "text: words that might be anything" "strings (keys between blanks), lines" info "$T/words.txt"
is "text: strings by the first" "$(r simulate --format=text --size=2 --csv "$T/words.txt" | sed -n 2p)" "lru,2,5,4,0.800000"
printf 'GET /a\nGET /b\nGET /a\n' > "$T/lines.txt"
is "lines" "$(r simulate --format=lines --size=9 --csv "$T/lines.txt" | sed -n 2p | cut -d, -f3,4)" "3,2"
exits "strings have no addresses" 2 r info --unit=64 --format=strings "$T/words.txt"
: > "$T/empty.txt"
is "an empty trace has no references" "$(r simulate --size=4 --csv "$T/empty.txt" | sed -n 2p)" "lru,4,0,0,0.000000"

section "csv and tsv"
printf 'time,id,size\n0,5,100\n1,"6",50\n2,5,100\n' > "$T/a.csv"
is "csv by name" "$(ids --header --column=id "$T/a.csv")" "5 6 5 "
is "csv by number" "$(ids --header --column=2 "$T/a.csv")" "5 6 5 "
r simulate --header --column=id --size-column=size --size=1 --json "$T/a.csv" > "$T/j"
has "csv sizes: bytes" "$T/j" '"bytes": 250'
has "csv sizes: missed bytes" "$T/j" '"miss_bytes": 250'
printf '1;2\n3;4\n' > "$T/s.csv"
is "csv with another delimiter" "$(ids --delimiter=';' --column=2 "$T/s.csv")" "2 4 "
printf 'a\t9\nb\t8\n' > "$T/t.tsv"
is "tsv" "$(ids --column=2 "$T/t.tsv")" "9 8 "
refuses "csv: no such column" "a.csv:2:" info --column=7 "$T/a.csv"
exits "csv: no such name" 2 r info --header --column=nothing "$T/a.csv"
printf "1,x\n" > "$T/badsize.csv"
refuses "csv: a bad size" "badsize.csv:1:3" info --size-column=2 "$T/badsize.csv"

section "u32, u64, oracleGeneral"
le 4 1 2 4294967295 > "$T/a.u32"
is "u32" "$(ids "$T/a.u32")" "1 2 4294967295 "
le 8 1 2 > "$T/a.bin"
is "u64 by --format" "$(ids --format=u64 "$T/a.bin")" "1 2 "
{ le 4 7; le 8 42; le 4 1000; le 8 2; le 4 8; le 8 42; le 4 1000; le 8 -1; } > "$T/a.oracleGeneral.bin"
is "oracleGeneral" "$(ids "$T/a.oracleGeneral.bin")" "42 42 "
is "oracleGeneral has sizes" "$(r info --json "$T/a.oracleGeneral.bin" | sed -n 's/.*"bytes": \([0-9]*\).*/\1/p')" 2000

section "lcs"
# lcs: version 1, and 3 with sizes of 64 bits
lcs() { le 8 0x123456789abcdef0 "$1" 1 "$2"; zeros $((8192 - 40)); le 8 0x123456789abcdef0; }
{ lcs 1 2; le 4 1; le 8 5; le 4 10; le 8 -1; le 4 1; le 8 6; le 4 10; le 8 -1; } > "$T/one.lcs"
is "lcs version 1" "$(ids "$T/one.lcs")" "5 6 "
{ lcs 3 1; le 4 1; le 8 5; le 8 10; le 4 0; le 4 0; le 8 -1; } > "$T/three.lcs"
is "lcs version 3" "$(ids "$T/three.lcs")" "5 "
cp "$T/one.lcs" "$T/noname"
is "lcs is known by its magic" "$(ids "$T/noname")" "5 6 "
lcs 99 1 > "$T/v99.lcs"
refuses "lcs of an unknown version" "version 99" info "$T/v99.lcs"
{ lcs 1 2; le 4 1; le 8 5; le 4 10; le 8 -1; } > "$T/short.lcs"
refuses "lcs with fewer requests than its header promises" "record 2" info "$T/short.lcs"
head -c 100 "$T/one.lcs" > "$T/cut.lcs"
exits "a cut lcs header" 2 r info "$T/cut.lcs"

section "twr and vscsi"
{ le 4 1; le 8 9; le 4 $((3 << 22 | 97)); le 4 0; } > "$T/a.twr"
is "twr" "$(ids "$T/a.twr")" "9 "
is "twr: key and value sizes" "$(r info --json "$T/a.twr" | sed -n 's/.*"bytes": \([0-9]*\).*/\1/p')" 100
v1() { le 4 0 "$2" 1; le 2 40 256; le 8 "$1" 1; }
v2() { le 2 40 512; le 4 0 "$2" 1; le 8 "$1" 1 1; }
{ v1 8 4096; v1 16 512; } > "$T/one.vscsi"
{ v2 8 4096; v2 16 512; } > "$T/two.vscsi"
is "vscsi version 1" "$(ids "$T/one.vscsi")" "8 16 "
is "vscsi version 2" "$(ids "$T/two.vscsi")" "8 16 "
is "vscsi: --unit splits requests" "$(ids --unit=1024 "$T/two.vscsi")" "4 5 6 7 8 "
{ v2 8 4096; v2 8 4096; v1 8 1; zeros 8; } > "$T/mixed.vscsi"
refuses "vscsi: a record of another version" "record 3" info "$T/mixed.vscsi"
{ v1 8 4096; printf x; } > "$T/cut.vscsi"
refuses "a cut vscsi record" "record 2" info "$T/cut.vscsi"

section "din"
printf '0 1000\n1 1fff\n2 400000\n' > "$T/a.din"
is "din" "$(ids "$T/a.din")" "4096 8191 4194304 "
is "din: data only, pages" "$(ids --access=data --unit=page "$T/a.din")" "1 1 "
printf '0 1000\n5 1\n' > "$T/bad.din"
refuses "din: a wrong label" "bad.din:2:1" info "$T/bad.din"

section "lackey"
printf '==12== Lackey\nI  04000000,3\n L 1ffe,4\n S 1000,8\n M 0abc,1\n==12== end\n' > "$T/lackey"
is "lackey is known by its look" "$(r info --json "$T/lackey" | sed -n 's/.*"format": "\(.*\)".*/\1/p')" lackey
is "lackey" "$(ids "$T/lackey")" "67108864 8190 4096 2748 "
is "lackey: a load across a page" "$(ids --access=data --unit=page "$T/lackey")" "1 2 1 0 "
is "lackey: fetches" "$(ids --access=fetch --unit=page "$T/lackey")" "16384 "
printf ' L 1000\n L 1000,4\n' > "$T/bad.lackey"
exits "lackey: no size" 2 r info "$T/bad.lackey"

section "--unit on numbers"
printf '0 63 64 128\n' > "$T/adr.txt"
is "--unit=line" "$(ids --unit=line "$T/adr.txt")" "0 0 1 2 "
is "the unit is kept in rft" "$(r convert --unit=line --to=rft "$T/adr.txt" -o "$T/adr.rft"; r info "$T/adr.rft" | sed -n 's/^unit *//p')" "64 bytes"
is "re-blocking rft starts from its unit" "$(ids --unit=128 "$T/adr.rft")" "0 0 0 1 "
exits "--unit=0" 2 r info --unit=0 "$T/adr.txt"
le 8 0 > "$T/huge.u64"
{ le 4 0; le 8 0; le 4 4294967295; le 8 -1; } > "$T/huge.oracle"
refuses "a request of four billion blocks" "record 1" info --unit=1 "$T/huge.oracle"

section "sizes in bytes"
printf '1,60\n2,60\n1,60\n3,10\n1,60\n' > "$T/b.csv"
is "--bytes: two objects of 60 do not fit in 100" "$(r simulate --bytes --size=100 --size-column=2 --csv "$T/b.csv" | sed -n 2p | cut -d, -f4)" 4
is "--bytes: in 120 they do, in 129 not all three" "$(r simulate --bytes --size=120,130 --policy=lru --size-column=2 --csv "$T/b.csv" | sed 1d | cut -d, -f4 | tr '\n' ' ')" "3 3 "
is "--bytes: an object larger than the cache is not kept" "$(r simulate --bytes --size=59 --size-column=2 --csv "$T/b.csv" | sed -n 2p | cut -d, -f4)" 5
exits "--bytes needs sizes" 2 r simulate --bytes --size=100 "$T/adr.txt"
exits "--bytes with a policy of fixed places" 2 r simulate --bytes --policy=assoc4 --size=100 --size-column=2 "$T/b.csv"
# bytes POLICY SIZE FILE: misses
bytes() { r simulate --bytes --policy="$1" --size="$2" --size-column=2 --csv "$3" | sed -n 2p | cut -d, -f4; }
printf '%s\n' 2,4 6,2 0,4 7,4 5,3 4,1 5,3 3,4 1,1 0,4 3,4 > "$T/clock.csv"
is "CLOCK by bytes: a new object is the hand's last, wherever there was room" "$(bytes clock 11 "$T/clock.csv")" 10
printf '%s\n' 1,0 2,0 3,0 1,0 > "$T/zero.csv"
is "objects of no size fit, however many" "$(bytes lru 2 "$T/zero.csv")" 3
for p in mru fifo clock sieve random lfu slru 2q arc lirs s3fifo wtinylfu opt; do bytes $p 2 "$T/zero.csv"; done | sort -u > "$T/o"
is "under every policy" "$(cat "$T/o")" 3
printf '%s\n' 1,4 2,4 1,9 2,4 3,2 1,4 > "$T/grow.csv"
is "an object keeps the size it was admitted with" "$(bytes lru 10 "$T/grow.csv")" 3

section "every format written, read back, cut anywhere"
# cut_at FORMAT BYTES: the first bytes of the file of that format
cut_at() { head -c "$2" "$T/whole.$1" > "$T/cut.$1"; }
printf 'key,size,time,op,tenant\n1,60,1,get,1\n2,70,2,get,1\n1,60,3,get,2\n3,10,4,set,1\n2,70,5,get,2\n' > "$T/whole.csv"
for f in text u32 u64 u32be u64be oracle lcs csv rft; do
	r convert -q --to=$f "$T/whole.csv" -o "$T/whole.new" 2> /dev/null
	mv "$T/whole.new" "$T/whole.$f"
	is "$f: read back" "$(ids --format=$f "$T/whole.$f")" "1 2 1 3 2 "
done
is "csv: every column" "$(r convert -q --to=csv "$T/whole.rft" -o -)" "$(cat "$T/whole.csv")"
: > "$T/wrong"
# a length that is no whole number of records is refused with the record that is cut; a header or rft at any length
for f in u32:4 u32be:4 u64:8 u64be:8 oracle:24 rft:0 lcs:0; do
	record=${f#*:} f=${f%:*} size=$(wc -c < "$T/whole.${f%:*}")
	step=1
	[ $f = lcs ] && step=463
	for n in $(seq 1 $step $((size - 1))); do
		cut_at $f "$n"
		r info --format=$f "$T/cut.$f" > "$T/o" 2> "$T/e"
		got=$? want=2
		[ $record -gt 0 ] && [ $((n % record)) -eq 0 ] && want=0
		[ $got -eq $want ] || echo "$f cut at $n: exit $got" >> "$T/wrong"
		[ $got -eq 0 ] || [ $record -eq 0 ] || grep -q "record $((n / record + 1))\b" "$T/e" ||
			echo "$f cut at $n: $(cat "$T/e")" >> "$T/wrong"
	done
done
is "cut files" "$(head -5 "$T/wrong")" ""
: > "$T/wrong"
for n in $(seq 0 $(($(wc -c < "$T/whole.rft") - 1))); do
	byte=$(od -An -tu1 -j "$n" -N 1 "$T/whole.rft")
	cp "$T/whole.rft" "$T/flip.rft"
	printf "\\$(printf %o $((byte ^ 64)))" | dd of="$T/flip.rft" bs=1 seek="$n" conv=notrunc 2> /dev/null
	r info "$T/flip.rft" > /dev/null 2>&1
	[ $? -eq 2 ] || echo "byte $n" >> "$T/wrong"
done
is "rft: one bit wrong" "$(head -5 "$T/wrong")" ""
# a name that promises another format
: > "$T/wrong"
for f in rft lcs csv; do
	for name in rft lcs jsonl; do
		[ $f = $name ] && continue
		cp "$T/whole.$f" "$T/named.$name"
		r info --format=$name "$T/named.$name" > /dev/null 2>&1
		[ $? -eq 2 ] || echo "$f read as $name" >> "$T/wrong"
	done
done
is "misnamed" "$(cat "$T/wrong")" ""

section "what other tools write"
cd "$T" || exit 3
printf '128166372003061629,hm,1,Read,383496192,32768,413\n128166372016382155,hm,1,Write,310983680,32768,1030\n' > msr.csv
is "MSR Cambridge in pages" "$(ids --unit=4096 --column=5 --size-column=6 msr.csv)" "$(echo $(seq 93627 93634) $(seq 75923 75931)) "
r info msr.csv > o 2> e
has "which column has the key is said when nobody chose" e "the key is taken from the first of 7 columns"
r info --size-column=6 msr.csv > o 2> e
is "not when somebody did" "$(cat e)" ""
awk 'BEGIN { for (i = 1; i <= 9; i++) print 512 + i % 3 * 8, 4, 0, i }' > OLTP.lis
refuses "a table of numbers is not a list of keys" "number 4 rises from line to line" info OLTP.lis
is "ARC's traces" "$(ids --format=columns --size-column=2 --unit=1 --limit=9 OLTP.lis)" "520 521 522 523 528 529 530 531 512 "
is "unless it is said to be one" "$(r info --format=text OLTP.lis | sed -n 's|references *||p')" 36
awk 'BEGIN { for (i = 0; i < 30; i++) print 3 * i, 3 * i + 1, 3 * i + 2 }' > scan.txt
is "a scan is keys" "$(r info scan.txt | sed -n 's|references *||p')" 90
awk 'BEGIN { for (i = 0; i < 30; i++) print i, i % 7 }' > requests.txt
exits "and so are requests" 0 r simulate --prefix --size=3 requests.txt
