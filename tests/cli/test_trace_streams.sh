#!/bin/sh
# SPDX-License-Identifier: MIT
# refrain trace: streams that people have. JSON lines, tables with names, what a conversion carries along, and what is
# refused because it is not what it is said to be.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/trace.sh"
rows() { r convert -q --to=csv "$@" -o - | tr '\n' ' '; }
number() { sed -n "s/.*\"$1\": *\([0-9.]*\).*/\1/p" | head -1; }

section "JSON lines"
cat > "$T/kv.jsonl" <<'J'
{"timestamp": 5, "input_length": 9, "hash_ids": [0, 1, 2], "model": {"name": "a"}}
{"timestamp": 7, "input_length": 3, "hash_ids": [0, 18446744073709551615], "model": {"name": "b"}}

{"timestamp": 9, "input_length": 1, "hash_ids": [], "model": {"name": "a"}}
J
refuses "without a path" "timestamp, input_length, hash_ids[], model.name" info "$T/kv.jsonl"
cp "$T/kv.jsonl" "$T/kv.txt"
refuses "also under another name" "JSON lines" info "$T/kv.txt"
exits "and from a pipe" 2 sh -c '"$0" trace info - < "$1"' "$REFRAIN" "$T/kv.jsonl"
is "every element of an array" "$(ids --path='hash_ids[]' "$T/kv.jsonl")" "0 1 2 0 18446744073709551615 "
head -2 "$T/kv.jsonl" > "$T/two.jsonl"
is "one element" "$(ids --path='hash_ids[1]' "$T/two.jsonl")" "1 18446744073709551615 "
is "a member" "$(ids --path=timestamp "$T/kv.jsonl")" "5 7 9 "
is "strings" "$(r info --path=model.name "$T/kv.jsonl" | sed -n 's/^distinct *//p')" 2
is "columns: one value for all keys of a line" "$(rows --path='hash_ids[]' --time-column=timestamp "$T/kv.jsonl")" \
	"key,time,request 0,5,1 1,5,1 2,5,1 0,7,2 18446744073709551615,7,2 "
printf '{"k":[1,2],"s":[10,20]}\n{"k":[3],"s":[30]}\n' > "$T/zip.jsonl"
is "columns: one value for each key" "$(rows --path='k[]' --size-column='s[]' "$T/zip.jsonl")" "key,size,request 1,10,1 2,20,1 3,30,2 "
printf '{"k":[1,2],"s":[10,20,30]}\n' > "$T/zip3.jsonl"
refuses "columns: neither one nor as many" "zip3.jsonl:1:1: " info --path='k[]' --size-column='s[]' "$T/zip3.jsonl"
printf '{"k":-1}\n{"k":18446744073709551615}\n' > "$T/signed.jsonl"
is "a negative number is a hash with its sign" "$(ids --path=k "$T/signed.jsonl")" "18446744073709551615 18446744073709551615 "
for bad in '{"k":1}\n{"k":' '{"k":1}\n{"other":1}' '{"k":1}\n{"k":[1]}' '{"k":1}\n{"k":1.5}' '{"k":1}\n{"k":"x"}' '{"k":1}\n{"k":null}' '{"k":1}\n7x'; do
	printf "$bad\n" > "$T/bad.jsonl"
	refuses "refused: $bad" "bad.jsonl:2:" info --path=k "$T/bad.jsonl"
done
is "--strings takes both kinds" "$(printf '{"k":1}\n{"k":"1"}\n' | r info --format=jsonl --path=k --strings - | sed -n 's/^distinct *//p')" 1
for path in '' 'a[' 'a[x]' '[]x[' 'a..b' '.a.'; do exits "invalid path '$path'" 2 r info --path="$path" "$T/kv.jsonl"; done
# longer than any buffer, more keys than any block
awk 'BEGIN { printf "{\"k\":["; for (i = 0; i < 100000; i++) printf "%s%d", i ? "," : "", i; print "]}" }' > "$T/long.jsonl"
is "a line of 100,000 keys" "$(r info --path='k[]' "$T/long.jsonl" | sed -n 's/^distinct *//p')" 100000
is "all in one request" "$(r convert -q --to=csv --path='k[]' "$T/long.jsonl" -o - | cut -d, -f2 | sort -u | tr '\n' ' ')" "1 request "

section "text that is not a trace"
for text in 'The quick brown fox\n' 'time id size\n1 2 3\n' 'a,b\n1,2\n' '{ "pretty":\n 1 }\n' '<html>\n' 'GET /a\nGET /b\n' 'one\ntwo words\n'; do
	printf "$text" > "$T/unknown"
	exits "refused: $text" 2 r info "$T/unknown"
	ok "with its place" grep -q 'unknown:[12]:' "$T/err"
	printf "$text" > "$T/unknown.txt"
	exits "also as .txt" 2 r info "$T/unknown.txt"
done
printf '/a\n/b?x=1\n/a\n' > "$T/urls"
is "a word on each line is a key" "$(r info "$T/urls" | sed -n 's/^distinct *//p')" 2
printf '\357\273\2771 2\n' > "$T/bom.txt"
is "a byte-order mark is not" "$(ids "$T/bom.txt")" "1 2 "

section "the header line of a table"
printf 'id,size\n5,100\n6,50\n5,100\n' > "$T/h.csv"
is "is noticed" "$(r info "$T/h.csv" 2> "$T/err" | sed -n 's/^references *//p')" 3
has "and said to be" "$T/err" "read as the names of columns"
is "--no-header makes it a record" "$(r info --no-header "$T/h.csv" | sed -n 's/^references *//p')" 4
is "a column asked for by name needs no --header" "$(ids --column=id "$T/h.csv")" "5 6 5 "
exits "there is no such column" 2 r info --column=nothing "$T/h.csv"
printf 'url,verb\n/a,GET\n/b,GET\n' > "$T/words.csv"
is "without numbers nothing tells" "$(r info "$T/words.csv" | sed -n 's/^references *//p')" 3
is "--header does" "$(r info --header "$T/words.csv" | sed -n 's/^references *//p')" 2
is "--names names them" "$(ids --names=url,n --column=n --no-header "$T/zip.none" 2> /dev/null; printf '/a,7\n' | ids --format=csv --names=url,n --column=n -)" "7 "
printf '7,1\n8,2\n' > "$T/plain.csv"
is "numbers are no header" "$(ids "$T/plain.csv")" "7 8 "
printf '\357\273\277key,size\n1,2\n' > "$T/bom.csv"
is "a byte-order mark is no part of a name" "$(rows "$T/bom.csv")" "key,size 1,2 "

section "tables"
printf 'when  what   bytes\n 1     10      5\n 2\t20\t 6\n' > "$T/table"
is "blanks between fields" "$(rows --format=columns --column=what --size-column=bytes --time-column=when "$T/table")" "key,size,time 10,5,1 20,6,2 "
printf '"a\nb",1\n"c ""d""",2\n"a\nb",3\n' > "$T/multi.csv"
is "fields over several lines" "$(r info "$T/multi.csv" | sed -n 's/^references *//p; s/^distinct *//p' | tr '\n' ' ')" "3 2 "
is "and the columns behind them" "$(ids --column=2 "$T/multi.csv")" "1 2 3 "
printf '1\n2,"a\nb\n3\n' > "$T/open.csv"
refuses "quotes that are not closed" "open.csv:2:" info "$T/open.csv"
printf '"1"x,2\n' > "$T/after.csv"
exits "something after the closing quote" 2 r info "$T/after.csv"
printf '1,x\n' > "$T/badtime.csv"
refuses "a time that is none" "badtime.csv:1:3: 'x': the time" info --time-column=2 "$T/badtime.csv"
printf '1,read\n2,SET\n3,7\n' > "$T/ops.csv"
is "operations have names" "$(rows --operation-column=2 "$T/ops.csv")" "key,operation 1,read 2,set 3,append "
printf '1,0.25\n2,3\n3,.5\n' > "$T/cost.csv"
is "costs have fractions" "$(rows --cost-column=2 "$T/cost.csv")" "key,cost 1,0.250000 2,3.000000 3,0.500000 "
exits "u64 has no such column" 2 r info --cost-column=2 --format=u64 "$T/cost.csv"

section "equal keys of different tenants"
# two volumes of Alibaba's: requests of 8192, 4096 and 12288 bytes, beside the same counted by awk
awk 'BEGIN { srand(7); for (i = 0; i < 3000; i++) print int(rand() * 5) ",R," int(rand() * 40) * 4096 "," (1 + int(rand() * 3)) * 4096 "," i }' > "$T/volumes.csv"
awk -F, '{ for (b = 0; b < $4 / 4096; b++) { n++; if (!seen[$1, $3 / 4096 + b]++) d++; if (!alone[$3 / 4096 + b]++) k++ } } END { print n, d, k }' "$T/volumes.csv" > "$T/counted"
counts() { r info "$@" | sed -n 's/^references *//p; s/^distinct *//p' | tr '\n' ' '; }
volumes() { counts --unit=4096 --column=3 --size-column=4 --tenant-column=1 "$@" "$T/volumes.csv"; }
is "blocks of volumes" "$(volumes --by-tenant)" "$(cut -d' ' -f1,2 "$T/counted") "
is "blocks alone" "$(volumes)" "$(cut -d' ' -f1,3 "$T/counted") "
awk -F, '{ for (b = 0; b < $4 / 4096; b++) print $1 "-" $3 / 4096 + b }' "$T/volumes.csv" > "$T/joined"
is "misses of both" "$(r simulate -q --policy=lru,arc --size=10,50,150 --csv --by-tenant --unit=4096 --column=3 --size-column=4 --tenant-column=1 "$T/volumes.csv")" \
	"$(r simulate -q --policy=lru,arc --size=10,50,150 --csv "$T/joined")"
is "without --unit, names too" "$(printf '1,a\n1,b\n2,a\n1,a\n' | counts --format=csv --tenant-column=2 --by-tenant -)" "4 3 "
refuses "no tenants" "needs tenants" info --by-tenant --column=3 "$T/volumes.csv"
r reduce -q -k 4 --column=3 --tenant-column=1 "$T/volumes.csv" -o "$T/volumes.rft" 2> "$T/err"
refuses "a reduced trace" "--by-tenant" info --by-tenant "$T/volumes.rft"

section "options that another format has"
printf '1 2\n3 4\n' > "$T/two.txt"
refuses "a column of keys between blanks" "--column has no meaning for the format text (--format=columns reads tables)" info --column=2 "$T/two.txt"
is "which reads it" "$(ids --format=columns --column=2 "$T/two.txt")" "2 4 "
for o in --header --no-header --names=a,b --delimiter=, --access=data; do exits "$o" 2 r info $o "$T/two.txt"; done
is "--path is of JSON lines only" "$(printf '{"k":3}\n' | ids --path=k -)" "3 "
exits "not of tables" 2 r info --path=k --format=csv "$T/plain.csv"

section "big-endian"
printf '\000\000\000\001\377\377\377\377' > "$T/a.u32be"
is "u32be" "$(ids "$T/a.u32be")" "1 4294967295 "
printf '\000\000\000\000\000\000\000\001\200\000\000\000\000\000\000\002' > "$T/a.u64be"
is "u64be" "$(ids "$T/a.u64be")" "1 9223372036854775810 "
for f in u32 u64 u32be u64be text csv rft oracle lcs; do
	r convert -q --to=$f "$T/a.u32be" -o "$T/back.$f"
	is "written as $f and read back" "$(ids --format=$f "$T/back.$f")" "1 4294967295 "
done
refuses "a key that has no room" "record 2: the key 9223372036854775810 does not fit" convert --to=u32 "$T/a.u64be" -o "$T/none.u32"
ok "nothing is written" test ! -e "$T/none.u32"

section "what a conversion carries along"
cat > "$T/all.csv" <<'C'
key,size,time,operation,tenant,cost,request
5,100,1000,get,3,0.250000,1
6,50,1001,set,4,7.000000,1
5,100,1003,read,3,0.250000,2
C
all=$(tr '\n' ' ' < "$T/all.csv")
is "csv to csv" "$(rows "$T/all.csv")" "$all"
is "JSON names the columns" "$(r info --json "$T/all.csv" | tr -d " \n" | sed 's/.*"columns":\[\([^]]*\)\].*/\1/')" '"size","time","operation","tenant","cost","request"'
r convert -q --to=rft "$T/all.csv" -o "$T/all.rft"
is "csv to rft and back" "$(rows "$T/all.rft")" "$all"
r convert --to=lcs "$T/all.csv" -o "$T/all.lcs" 2> "$T/err"
has "lcs warns of what it has no room for" "$T/err" "'lcs' has no room for: cost, request"
is "csv to lcs and back" "$(rows "$T/all.lcs")" "key,size,time,operation,tenant 5,100,1000,get,3 6,50,1001,set,4 5,100,1003,read,3 "
r convert --to=oracle "$T/all.csv" -o "$T/all.oracleGeneral" 2> "$T/err"
has "oracle warns" "$T/err" "'oracle' has no room for: operation, tenant, cost, request"
is "csv to oracle and back" "$(rows "$T/all.oracleGeneral")" "key,size,time 5,100,1000 6,50,1001 5,100,1003 "
r convert --to=oracle "$T/all.oracleGeneral" -o "$T/again.oracleGeneral"
ok "oracle to oracle is the same, times too" cmp "$T/all.oracleGeneral" "$T/again.oracleGeneral"
r convert --to=lcs "$T/all.lcs" -o "$T/again.lcs"
ok "lcs to lcs is the same" cmp "$T/all.lcs" "$T/again.lcs"
printf 'key,size\n1,5000000000\n1,7\n' > "$T/large.csv"
r convert -q --to=lcs "$T/large.csv" -o "$T/large.lcs"
is "an object of more than 4 GiB through lcs" "$(rows "$T/large.lcs")" "key,size,time,operation,tenant 1,5000000000,0,0,0 1,7,0,0,0 "
refuses "oracle has no room for it" "record 1: the size 5000000000" convert --to=oracle "$T/large.csv" -o "$T/large.oracle"
printf 'key,time\n1,5000000000\n' > "$T/late.csv"
exits "nor for such a time" 2 r convert --to=oracle "$T/late.csv" -o "$T/late.oracle"
v2() { le 2 "$3" 512; le 4 0 "$2" 1; le 8 "$1" "$4" 1; }
{ v2 8 4096 40 3000000; v2 16 512 42 5500000; } > "$T/two.vscsi"
is "vscsi has times and operations" "$(rows "$T/two.vscsi")" "key,size,time,operation 8,4096,3000000,read 16,512,5500000,write "
r convert -q --to=oracle "$T/two.vscsi" -o "$T/two.oracle"
is "its microseconds become seconds" "$(rows "$T/two.oracle")" "key,size,time 8,4096,3 16,512,5 "
r convert -q --to=rft "$T/two.vscsi" -o "$T/two.rft"
r convert -q --to=oracle "$T/two.rft" -o "$T/two.oracle"
is "through rft too" "$(rows "$T/two.oracle")" "key,size,time 8,4096,3 16,512,5 "
is "--unit: parts have what the request has" "$(rows --unit=2048 "$T/two.vscsi")" "key,time,operation 2,3000000,read 3,3000000,read 4,5500000,write "
awk 'BEGIN { print "key,time,request"; for (i = 0; i < 50000; i++) print (i * 7919) % 3001 "," 1000000 + i * 3 "," int(i / 7) }' > "$T/many.csv"
r convert --to=rft "$T/many.csv" -o "$T/many.rft"
r convert --to=csv "$T/many.rft" -o "$T/many.back.csv"
ok "fifty thousand rows through rft" cmp "$T/many.csv" "$T/many.back.csv"

section "misnamed and damaged"
r convert --to=text "$T/many.rft" -o "$T/text" -q
for f in u32 u64 u32be u64be oracle twr vscsi lcs rft; do
	cp "$T/text" "$T/misnamed.$f"
	exits "text under the name of $f" 2 r info "$T/misnamed.$f"
	case $f in u* | oracle | twr | vscsi) has "it is said to be text" "$T/err" "record 1: this is text, not $f" ;; esac
done
printf '\001\002\003' | cat - "$T/many.rft" > "$T/noise"
for f in txt csv tsv hex jsonl din lackey; do
	cp "$T/noise" "$T/binary.$f"
	refuses "a binary file under the name of $f" "binary.$f:1" info --path=k "$T/binary.$f"
done
printf '1\n2\0003\n' > "$T/nul.csv"
refuses "a NUL byte among lines" "nul.csv:2:2: a NUL byte" info --format=csv "$T/nul.csv"
printf ' L 1000,4\nhello\n' > "$T/prose.lackey"
refuses "a line that is not Lackey's" "prose.lackey:2:" info "$T/prose.lackey"
{ le 4 1; le 8 5; le 4 10; le 8 2; le 4 1; le 8 5; le 4 10; le 8 1; } > "$T/back.oracle"
refuses "oracle: a next access in the past" "record 2: its next access is number 1" info "$T/back.oracle"
{ le 4 1; le 8 9; le 4 97 $((77 << 24)); } > "$T/op.twr"
refuses "twr: an unknown operation" "record 1: unknown operation 77" info "$T/op.twr"
{ cat "$T/all.lcs"; tail -c 28 "$T/all.lcs"; } > "$T/more.lcs"
refuses "lcs with more requests than its header promises" "record 4" info "$T/more.lcs"
n=$(wc -c < "$T/many.rft")
head -c $((n / 2)) "$T/many.rft" > "$T/half.rft"
exits "half an rft with columns" 2 r info "$T/half.rft"
ok "with its record" grep -q "record [0-9]*: the file is truncated" "$T/err"

section "a binary file that is named as text"
printf '1\n2\n\001\002\n3\n' > "$T/bytes.txt"
refuses "is refused" "bytes.txt:3: byte 0x01: this is not text but a binary file" info "$T/bytes.txt"

section "another delimiter than the usual one"
printf '1;20\n2;30\n1;20\n' > "$T/semicolons.csv"
refuses "semicolons" "semicolons.csv:1:1: fields seem to end at ';', not at ','" info "$T/semicolons.csv"
r simulate --csv --size=9 --delimiter=';' --size-column=2 "$T/semicolons.csv" > "$T/out"
has "are read when said to be there" "$T/out" "lru,9,3,2,"
printf '1\t20\n2\t30\n' > "$T/tabs.csv"
refuses "tabs" "fields seem to end at '\\t', not at ','" info "$T/tabs.csv"
printf 'a;b\nc\na;b\n' > "$T/words.csv"
r simulate --csv --size=9 --delimiter=, "$T/words.csv" > "$T/out"
has "words with semicolons are words when commas are asked for" "$T/out" "lru,9,3,2,"
refuses "--limit=0" "out of range" info --limit=0 "$T/words.csv"

section "sums that do not fit into 64 bits"
printf '1,18446744073709551615\n2,5\n1,18446744073709551615\n' > "$T/huge.csv"
refuses "sizes" "huge.csv: record 2: the sizes up to here add up to too much" simulate --size=5 --size-column=2 "$T/huge.csv"
refuses "a cache of 2^64 - 1 bytes" "at most 2^60" simulate --bytes --size=18446744073709551615 --size-column=2 --limit=1 "$T/huge.csv"
printf 'key,cost\n1,9e12\n2,9e12\n3,9e12\n' > "$T/dear.csv"
refuses "costs" "record 3: the costs up to here add up to too much" simulate --size=5 "$T/dear.csv"
# 2^59 bytes each: two fit into 2^60, for every policy
printf '1,576460752303423488\n2,576460752303423488\n1,576460752303423488\n2,576460752303423488\n' > "$T/large.csv"
r simulate --bytes --csv --policy=all --size=1152921504606846976 --size-column=2 "$T/large.csv" > "$T/out"
is "objects of 2^59 bytes" "$(sed 1d "$T/out" | grep -v '^[a-z0-9]*,1152921504606846976,4,2,')" ""

section "costs as numbers are written"
printf 'key,cost\n1,1e-05\n2,123456.789e-2\n3,.5\n4,5.\n5,1.5E+1\n6,0.0000019\n' > "$T/costs.csv"
r simulate --csv --size=9 "$T/costs.csv" > "$T/out"
has "with and without an exponent" "$T/out" ",1255.067901,0.000000"
for bad in e5 1e . 1e5000 1e14 1..2 -1 +1; do
	printf 'key,cost\n1,%s\n' "$bad" > "$T/bad.csv"
	refuses "'$bad'" "bad.csv:2:3: '$bad': the cost must be" simulate --size=9 "$T/bad.csv"
done

section "empty fields"
printf 'key,tenant\n1,a\n2,\n' > "$T/tenant.csv"
refuses "no tenant" "tenant.csv:3:3: '': the tenant must be a number or a name" info "$T/tenant.csv"
printf 'key,request\n1,a\n2,\n' > "$T/request.csv"
refuses "no request" "request.csv:3:3: '': the request must be a number or a name" info "$T/request.csv"
