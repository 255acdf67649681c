#!/bin/sh
# SPDX-License-Identifier: MIT
# refrain reduce on several files and on folders: the layout in the scratch folder and by hand, files that are dropped,
# results written back, auxiliary files, names and links that try to break it.
. "$(dirname "$0")/lib.sh"

# new NAME: a folder with a small library whose f3 is wanted
new() {
	section "$1"
	mkdir -p "$T/$1/lib/src" "$T/$1/lib/include" && cd "$T/$1" || exit 3
	for i in 1 2 3; do
		printf '#include "u%d.h"\n#  include <common.h>\nint f%d(int a) { return a * %d + g%d(a); }\n' $i $i $i $i > lib/src/f$i.c
		echo "int g$i(int);" > lib/include/u$i.h
	done
	echo "typedef int common_t;" > lib/include/common.h
	printf 'SRC = lib/src/f1.c lib/src/f2.c lib/src/f3.c\nall: f1.o f2.o f3.o\n\techo $(SRC)\n' > lib/Makefile
	cat > t.sh <<'SH'
#!/bin/sh
# every quoted or angled include must be found, and every file the Makefile names; no file may be empty
for f in $(sed -n 's/^ *# *include ["<]\(.*\)[">].*/\1/p' lib/src/*.c); do [ -e lib/include/$f ] || exit 1; done
[ -z "$(find lib -type f -empty)" ] || exit 1
for f in $(sed -n 's/^SRC = //p' lib/Makefile 2> err); do [ -e $f ] || exit 1; done
grep -q 'a \* 3' lib/src/f3.c && grep -q g3 lib/include/u3.h
SH
	chmod +x t.sh
	cp -R lib before
}
files() { (cd "$1" && find . -type f | sort | tr '\n' ' '); }

new "paths as given"
exits "several files in several folders" 0 "$REFRAIN" reduce --check t.sh lib/src/*.c lib/include/*.h lib/Makefile
sh -c "$(sed -n 's/^to run it by hand: //p' "$T/out")" > hand
has "by hand it is the same" hand "exit code 0"
exits "a folder" 0 "$REFRAIN" reduce --check t.sh lib/
sh -c "$(sed -n 's/^to run it by hand: //p' "$T/out")" > hand
has "by hand it is the same, too" hand "exit code 0"
mkdir elsewhere
(cd elsewhere && exits "from another folder" 0 "$REFRAIN" reduce --check ../t.sh "$T/$test_name/lib")
sh -c "cd elsewhere && $(sed -n 's/^to run it by hand: //p' "$T/out")" > hand
has "and by hand from there" hand "exit code 0"
(cd elsewhere && exits "by paths that go up: below the folder that holds them all" 0 "$REFRAIN" reduce --check --commands 'grep -q g3 include/u3.h && grep -q f3 src/f3.c' ../lib/src/f3.c ../lib/include)
(cd lib && exits "the current folder" 0 "$REFRAIN" reduce --check --commands 'grep -q g3 include/u3.h' .)

new "a folder to another"
exits "-o" 0 "$REFRAIN" reduce -q -j2 --json=r.json -o out t.sh lib
is "only what is needed is left" "$(files out)" "./lib/include/u3.h ./lib/src/f3.c "
is "and is reduced" "$(cat out/lib/src/f3.c out/lib/include/u3.h | tr -d '\n')" "a * 3g3"
is "the input is as it was" "$(diff -r lib before)" ""
ok "files go before text does" test "$(field queries r.json)" -le 120
exits "-o that is a file" 2 "$REFRAIN" reduce -o t.sh t.sh lib
exits "-o that is the folder" 2 "$REFRAIN" reduce -o . t.sh lib

new "a folder in place"
exits "in place" 0 "$REFRAIN" reduce -q -j1 t.sh lib
is "the originals are kept" "$(cd lib && find . -name '*.orig' | wc -l | tr -d ' ')" 8
for f in $(cd before && find . -type f); do cmp "before/$f" "lib/$f.orig" || echo "$f"; done > changed
is "as they were" "$(cat changed)" ""
is "files that were dropped are gone" "$(cd lib && find . -type f ! -name '*.orig' | sort | tr '\n' ' ')" "./include/u3.h ./src/f3.c "
exits "a second run takes no original for a source" 0 "$REFRAIN" reduce -q -j1 t.sh lib
is "and changes nothing" "$(cat lib/src/f3.c)" "a * 3"

new "stopped and resumed"
sed -i '2i echo x >> "$COUNT"; [ "$(grep -c . "$COUNT")" -ne "$STOP" ] || kill -TERM "$(cat "$PIDFILE")"' t.sh
for jobs in 1 2; do
	rm -rf lib lib.refrain* && cp -R before lib && : > count
	n=0 code=143
	while [ $code -eq 143 ] && [ $n -lt 40 ]; do
		n=$((n + 1))
		COUNT=$PWD/count STOP=$((n * 5)) PIDFILE=$PWD/pid sh -c 'echo $$ > pid; exec "$0" reduce -q -j'$jobs' --resume t.sh lib' "$REFRAIN" > out 2>&1
		code=$?
	done
	is "$jobs jobs: it came to its end" "$code" 0
	ok "$jobs jobs: it was stopped on the way" test $n -gt 3
	is "$jobs jobs: the same files are left" "$(cd lib && find . -type f ! -name '*.orig' | sort | tr '\n' ' ')" "./include/u3.h ./src/f3.c "
	for f in $(cd before && find . -type f); do cmp "before/$f" "lib/$f.orig" || echo "$f"; done > changed
	is "$jobs jobs: the originals are whole" "$(cat changed)" ""
done

section "files side by side, one of which must be there"
# scratch folders are used again: a file that goes must not be left there by the test before
mkdir -p "$T/side" && cd "$T/side" || exit 3
printf '#!/bin/sh\ngrep -q f17 a.c && test -e b.c\n' > t.sh; chmod +x t.sh
for jobs in 1 2; do
	printf 'int f17(int a) { return a; }\nint g;\n' > a.c; printf 'int h;\n' > b.c; rm -f ./*.orig
	exits "$jobs jobs: the test is not flaky" 0 "$REFRAIN" reduce -q -j$jobs t.sh a.c b.c
	is "$jobs jobs: and both are left" "$(cat a.c b.c)" f17
	ok "$jobs jobs: the empty one too" test -e b.c
done

section "auxiliary files"
mkdir -p "$T/aux/data/deep" "$T/aux.out" && cd "$T/aux" || exit 3
echo 42 > data/deep/want; echo extra > "$T/aux.out/far"; printf 'a\nb42\nc\n' > in.txt
printf '#!/bin/sh\ngrep -q "$(cat data/deep/want)" in.txt && grep -q extra far\n' > t.sh; chmod +x t.sh
exits "without them" 1 "$REFRAIN" reduce t.sh in.txt
has "the scratch folder is named" "$T/err" "it ran in the scratch folder /"
has "and what it held" "$T/err" "which held just in.txt"
has "a missing file is suspected" "$T/err" "name it with --with FILE"
exits "with them" 0 "$REFRAIN" reduce -q --with data --with "$T/aux.out/far" t.sh in.txt
is "it is reduced" "$(cat in.txt)" 42
exits "by hand" 0 "$REFRAIN" reduce --check --with data --with ../aux.out/far t.sh in.txt
sh -c "$(sed -n 's/^to run it by hand: //p' "$T/out")" > hand
has "they are copied too" hand "exit code 0"
ok "they are left alone" test "$(cat data/deep/want)" = 42
exits "one that is not there" 2 "$REFRAIN" reduce --with nosuch t.sh in.txt

section "names that mean something else"
mkdir -p "$T/alike/p" && cd "$T/alike" || exit 3
printf '#include "a.h"\nint keep;\n' > p/a.c; echo 'int other;' > p/a.h; echo 'OBJS = a.o' > p/Makefile
# included or not, but never empty: it must go before it is reduced
printf '#!/bin/sh\ngrep -q keep p/a.c && grep -q a.o p/Makefile || exit 1\nif grep -q a.h p/a.c; then [ -s p/a.h ]; else [ ! -e p/a.h ] || [ -s p/a.h ]; fi\n' > t.sh; chmod +x t.sh
exits "a header with the name of a source" 0 "$REFRAIN" reduce -q -o res t.sh p
is "goes, the object stays" "$(files res)" "./p/Makefile ./p/a.c "
echo 'const util = 1;' > p/main.js; echo 'exports.x = 2;' > p/util.js; rm p/a.* p/Makefile
exits "a file with the name of a variable" 0 "$REFRAIN" reduce -q -o js --commands 'grep -q "const util" p/main.js' p
is "goes, the variable stays" "$(files js)" "./p/main.js "

section "hostile folders"
mkdir -p "$T/hostile/p/a b" "$T/hostile/out" && cd "$T/hostile" || exit 3
echo 'keep me' > 'p/a b/new
line'
echo x > 'p/a b/-dash'; : > p/empty; echo same > p/same; mkdir p/d p/.git; echo same > p/d/same; echo no > p/.git/no
ln -s same p/inside; ln -s "$T/hostile/out/file" p/outside; echo far > out/file
printf '#!/bin/sh\n[ ! -e p/.git ] && [ "$(cat p/outside)" = far ] && [ -h p/inside ] && grep -q keep "p/a b/new
line" && cmp p/inside p/same\n' > t.sh; chmod +x t.sh
exits "blanks, new lines, links, empty files, two of one name" 0 "$REFRAIN" reduce -q -o res t.sh p
is "the text is left" "$(cat 'res/p/a b/new
line')" keep
exits "by hand" 0 "$REFRAIN" reduce --check t.sh p
sh -c "$(sed -n '/^to run it by hand: /,$p' "$T/out" | sed '1s/^to run it by hand: //')" > hand
has "names are quoted" hand "exit code 0"
ln -s .. p/up
exits "a link to a folder above" 2 "$REFRAIN" reduce t.sh p
has "is named" "$T/err" "p/up"
rm p/up; mkfifo p/pipe
exits "a pipe" 2 "$REFRAIN" reduce t.sh p
rm p/pipe
exits "a folder and a file in it" 2 "$REFRAIN" reduce t.sh p p/same
exits "a folder that is not there" 2 "$REFRAIN" reduce t.sh nosuch/
mkdir many; i=0
while [ $i -lt 300 ]; do echo "line $i" > many/f$i; i=$((i + 1)); done
exits "many files" 0 "$REFRAIN" reduce -q --json=r.json -o few --commands 'grep -q 217 many/f217' many
is "one is left" "$(find few -type f)" few/many/f217
ok "after few questions" test "$(field queries r.json)" -le 60
