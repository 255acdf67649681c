# SPDX-License-Identifier: MIT
# refrain check: the annotation language and its messages, refrain-cc with gcc and clang, reports, engines, modes.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 3
CCRF="$BUILD/refrain-cc"
export CCRF
# a sanitizer's runtime cannot be linked into what refrain-cc builds
instrumented=$(nm "$BUILD/librefrain-rt.a" 2> /dev/null | grep -c __asan_report)
no_core() { ulimit -c 0; "$@"; }

section "messages"

bad() { # NAME MESSAGE-PART ANNOTATION
	printf 'struct s { struct s *n; int k; };\n/*@ %s */\nvoid f(struct s *x);\n' "$3" > bad.h
	exits "$1" 2 "$REFRAIN" check compile bad.h -o bad.c
	has "$1: says so" "$T/err" "$2"
}
bad "an unknown type" "bad.h:2:41: unknown type 'u'" "regtype t : struct s = null | { n : u };"
has "the line is shown" "$T/err" "/*@ regtype t : struct s = null | { n : u }; */"
bad "overlapping cases" "overlap" "regtype t : struct s = case k { 1 : {}, 1 : { n : t } };"
bad "overlapping ranges" "overlap" "regtype t : struct s = case k { 1..5 : {}, 3 : { n : t } };"
bad "two structs" "overlap" "regtype t : struct s = { n : t } | { k : int };"
bad "two defaults" "overlap" "regtype t : struct s = case k { default : {}, default : {} };"
bad "null twice" "overlap" "regtype t : struct s = null | null | {};"
bad "an empty range" "empty" "regtype t : struct s = { k : int(5..1) };"
bad "a missing colon" "expected ':'" "regtype t struct s = {};"
bad "an end too early" "ends here" "regtype t : struct s = { n :"
bad "wrong number of parameters" "parameters" "regtype t(A) : struct s = { n : t };"
bad "an unknown argument" "is not an argument" "regtype t : struct s = { n : t }; pred f(x) : t(y);"
bad "result before the call" "no result before" "regtype t : struct s = { n : t }; pred f(x) : t(result);"
bad "wrong number of arguments" "has 1 arguments, not 2" "regtype t : struct s = { n : t }; pred f(x, y) : t(x);"
bad "an undeclared function" "not declared" "regtype t : struct s = { n : t }; pred g(x) : t(x);"
bad "a type defined twice" "defined twice" "regtype t : struct s = { n : t }; regtype t : struct s = null | { n : t };"
bad "an endless type" "too many different" "regtype t(A) : struct s = { n : t(t(A)) }; pred f(x) : t(any)(x);"
bad "a measure without a type" "expected '('" "measure m : t;"
bad "a field twice" "twice" "regtype t : struct s = { n : t, n : any };"
bad "nothing but a name" "expected ':'" "pred f(x);"
printf '/*@ regtype t : struct s = { n : t };' > bad.h
exits "an annotation that is not closed" 2 "$REFRAIN" check compile bad.h -o bad.c
i=0; deep=; while [ $i -lt 200 ]; do deep="$deep("; i=$((i + 1)); done
bad "deep nesting" "nesting" "pred f(x) : $deep"
printf '/*@ requires \\valid(p); */ /*@ null @*/ struct s { int k; };\n' > other.h
exits "comments of other tools are left alone" 2 "$REFRAIN" check compile other.h
has "and there is nothing of ours" "$T/err" "no annotations"
exits "no files" 2 "$REFRAIN" check compile
exits "a missing file" 2 "$REFRAIN" check compile nowhere.h

if [ "$instrumented" -gt 0 ]; then
	skip "refrain-cc" "the runtime is built with a sanitizer"
	exit 0
fi

section "a tree with a bug, both compilers"

cat > tree.h << 'END'
struct tree { struct tree *left, *right; int key, color; };
/*@ regtype tree : struct tree = null | { left : tree, right : tree, color : int(0..1) }; */
/*@ pred put(t, key) : tree(*t), key >= 0 => tree(*t); */
void put(struct tree **t, int key);
END
cat > tree.c << 'END'
#include "tree.h"
#include <stdlib.h>
/*@ pred insert(t, key) : tree(t) => tree(result); */
static struct tree *insert(struct tree *t, int key)
{
	if (!t) {
		t = calloc(1, sizeof *t);
		t->key = key;
		return t;
	}
	if (key < t->key)
		t->left = insert(t->left, key);
	else if (key > t->key)
		t->right = insert(t->right, key);
	return t;
}
void put(struct tree **t, int key)
{
	*t = insert(*t, key);
}
END
cat > main.c << 'END'
#include "tree.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(int argc, char **argv)
{
	struct tree *root = NULL;
	const char *what = argc > 1 ? argv[1] : "";
	for (int i = 0; i < 500; i++)
		put(&root, i * 7919 % 1009);
	struct tree *t = root->right->left;
	if (strcmp(what, "color") == 0)
		t->color = 7;
	else if (strcmp(what, "memset") == 0)
		memset(t, 0xff, sizeof *t);
	else if (strcmp(what, "copy") == 0)
		*t = (struct tree){.color = 9};
	else if (strcmp(what, "cycle") == 0)
		t->left = root;
	else if (strcmp(what, "share") == 0)
		t->left = t->right;
	else if (strcmp(what, "wild") == 0)
		t->left = (struct tree *)0x5000;
	else if (strcmp(what, "odd") == 0)
		t->left = (struct tree *)((char *)t + 1);
	else if (strcmp(what, "free") == 0)
		free(t);
	else if (strcmp(what, "null") == 0)
		put(NULL, 1);
	else if (strcmp(what, "key") == 0)
		put(&root, -5);
	put(&root, 2000);
	printf("done\n");
	return 0;
}
END
warns() { # NAME WHAT TEXT: the fault WHAT is reported with this text
	RF_CHECK=warn ./prog "$2" > out 2> err
	has "$cc: $1" err "$3"
}
for cc in gcc clang; do
	if ! command -v $cc > /dev/null; then absent "$cc" "not installed"; continue; fi
	export RF_CC=$cc
	ok "$cc: compiles without a warning" silent "$CCRF" -O2 -g -Wall -Wextra -c tree.c -o tree.o
	ok "$cc: links" "$CCRF" -O2 -g tree.o main.c -o prog
	is "$cc: a program without a bug runs as before" "$(./prog)" "done"
	for what in color memset copy cycle share wild odd free null key; do
		no_core ./prog $what > out 2> err
		[ $? -eq 134 ] && verdict=aborted || verdict="not found"
		is "$cc: $what is found" "$verdict" aborted
	done
	RF_CHECK=warn ./prog color > out 2> err
	has "$cc: the path to the field" err "(*t)->right->left->color = 7, expected 0 or 1"
	has "$cc: where it was asserted" err "tree.h:3:10"
	has "$cc: where the call is" err "main.c:"
	has "$cc: warn goes on" out "done"
	warns "a dangling edge is named" free "which was freed"
	warns "a wild pointer is named" wild "which is not readable memory"
	warns "a cycle is named" cycle "leads back to itself"
	warns "sharing is named" share "reached a second time"
	warns "a comparison shows its value" key "key >= 0: key = -5"
	RF_CHECK=count ./prog color > out 2> err
	has "$cc: count only counts" err "contract violations in"
	RF_CHECK=off ./prog color > out 2> err
	is "$cc: off is silent" "$(cat out err)" "done"
done
unset RF_CC

section "engines agree, statistics, JSON, key stream, paranoia"

# json FILE EXPRESSIONS: parses the file, which must be UTF-8; d is the document, r its first report
json() {
	node -e "const bytes = require('fs').readFileSync('$1'), text = new TextDecoder('utf-8', {fatal: true}).decode(bytes);
		const d = JSON.parse(text), r = d.reports[0]; console.log($2)"
}
for engine in marks none; do
	RF_CHECK="warn,engine=$engine" ./prog color > out 2> err
	has "engine $engine finds the bad node" err "color = 7"
done
RF_CHECK=stats,json=r.json,keys=. ./prog > out 2> err
has "statistics" err "0 violations"
is "JSON at exit" "$(json r.json 'd.schema, d.violations, d.reports.length')" "refrain.check/1 0 0"
ok "keys were written" test -s check.u64
ok "refrain trace reads them" "$REFRAIN" trace info check.u64
RF_CHECK=json=r.json no_core ./prog color > out 2> err
is "JSON has the violation, also after an abort" "$(json r.json 'd.violations, r.kind, r.faults.length, r.faults[0].fault')" \
	"1 calls 1 (*t)->right->left->color = 7, expected 0 or 1"
RF_CHECK=warn,json=r.json ./prog color > out 2> err
is "JSON has each violation" "$(json r.json 'd.violations === d.reports.length, d.violations > 1')" "true true"
cat > bytes.c << 'END'
#include <refrain/check.h>
int main(void)
{
	struct rf_condition c = {"f\xe9", "calls", "\"\\\t\xe2\x82\xac\xed\xa0\x80", "a.c:1:1"};
	rf_begin_failure(&c, 0);
	rf_failed_int("x", "x", 1);
	rf_failed_int("y", "y", 2);
	rf_end_failure();
	return 0;
}
END
ok "reports by hand link" cc -I"$top/include" bytes.c "$BUILD/librefrain-rt.a" -pthread -o bytes
RF_CHECK=count,json=r.json ./bytes 2> err
is "JSON of any bytes" "$(json r.json 'JSON.stringify([r.function, r.condition, r.faults.length])')" '["f�","\"\\\t€���",2]'
for words in nonsense warn,engine=x abort,size=0 "warn stats" json=; do
	RF_CHECK=$words exits "RF_CHECK=$words is refused" 2 ./prog
	has "RF_CHECK=$words: says the word" "$T/err" "RF_CHECK: unknown word '${words##*,}'"
	has "RF_CHECK=$words: says what is allowed" "$T/err" "abort, warn, count, off"
	is "RF_CHECK=$words: the program does not start" "$(cat "$T/out")" ""
done
cat > sneaky.c << 'END'
#include "tree.h"
void paint(struct tree *t);
void paint(struct tree *t)
{
	t->color = 5;
}
END
cat > main2.c << 'END'
#include "tree.h"
#include <stddef.h>
void paint(struct tree *t);
int main(void)
{
	struct tree *root = NULL;
	for (int i = 0; i < 50; i++)
		put(&root, i * 37 % 101);
	paint(root->right);
	for (int i = 0; i < 50; i++)
		put(&root, i);
	return 0;
}
END
cc -O2 -c sneaky.c -o sneaky.o
exits "an object without the barrier is linked" 0 "$CCRF" -O2 main2.c tree.o sneaky.o -o sneaky
has "with a warning" "$T/err" "'sneaky.o' was not compiled by refrain-cc"
RF_CHECK=warn ./sneaky 2> err
has "what code without the barrier wrote is noticed" err "color = 5, expected 0 or 1"
cat > outer.c << 'END'
#include "tree.h"
#include <stdio.h>
int main(void)
{
	struct tree *root = NULL;
	for (int i = 0; i < 50; i++)
		put(&root, i * 37 % 101);
	root->right->color = 5;
	put(&root, 200);
	return 0;
}
END
cc -O2 -c outer.c -o outer.o
ar rcs libouter.a outer.o
for object in outer.o libouter.a; do
	exits "$object: a caller without the barrier is linked" 0 "$CCRF" -O2 tree.o $object -o outer
	has "$object: with a warning" "$T/err" "and calls code that was: every check will walk its data in full"
	RF_CHECK=warn ./outer 2> err
	has "$object: what it wrote is noticed" err "color = 5, expected 0 or 1"
done
exits "objects with the barrier are linked" 0 "$CCRF" -O2 tree.o main2.c sneaky.c -o clean
is "without a warning" "$(cat "$T/err")" ""

section "libraries without the barrier are named"

mkdir -p parts
cp sneaky.o parts/painter_with_a_long_name.o
ar rcsT libthin.a parts/painter_with_a_long_name.o
ar rcs libsneaky.a parts/painter_with_a_long_name.o
cc -O2 -shared -fPIC sneaky.c -o libpaint.so
printf 'INPUT(-lsneaky)\n' > libscript.so
for how in libthin.a '-L. -lthin' '-L . -l sneaky' '-L. -Wl,-lsneaky' '-L. -l:libsneaky.a' '-L. -lscript'; do
	exits "$how is linked" 0 "$CCRF" -O2 main2.c tree.o $how -o library
	has "$how: with a warning" "$T/err" "painter_with_a_long_name.o) was not compiled by refrain-cc"
done
RF_CHECK=warn ./library 2> err
has "what such code wrote is noticed" err "color = 5, expected 0 or 1"
exits "a shared library is linked" 0 "$CCRF" -O2 main2.c tree.o -L. -lpaint -lm -o library
is "with one warning" "$(sed 's/ compiled.*//' "$T/err")" "refrain: warning: './libpaint.so' was not"
"$CCRF" -O2 -shared -fPIC sneaky.c -o libours.so
exits "a library with the barrier is linked" 0 "$CCRF" -O2 main2.c tree.o -L. -lours -o library
is "without a warning" "$(cat "$T/err")" ""

section "a contract that is checked nowhere"

cat > twice.h << 'END'
#include "tree.h"
/*@ pred find(t, key) : tree(t); */
int find(struct tree *t, int key);
END
sed 's/tree.h/twice.h/' main2.c > main3.c
printf '#include "twice.h"\nint find(struct tree *t, int key) { return t && t->key == key; }\n' > find.c
for cc in gcc clang; do
	command -v $cc > /dev/null || continue
	for how in '-O2' '-O2 -flto'; do
		exits "$cc $how: linked" 0 env RF_CC=$cc "$CCRF" $how main3.c tree.c sneaky.c -o nowhere
		is "$cc $how: a function that no file defines is named" "$(sed 's|\./||; s/ not checked.*//' "$T/err")" \
			"refrain: warning: twice.h:2:10: the contract of 'find' is"
		exits "$cc $how: linked with its definition" 0 env RF_CC=$cc "$CCRF" $how main3.c tree.c sneaky.c find.c -o somewhere
		is "$cc $how: without a warning" "$(cat "$T/err")" ""
	done
done
printf 'pred putt(t, key) : key > 0;\npred put(t, key) : key < 1000;\n' > side.contracts
exits "a name in a side file that nothing has is linked" 0 env RF_CHECK_OPTIONS=--contracts=side.contracts "$CCRF" main2.c tree.c sneaky.c -o nowhere
is "with a warning" "$(sed 's/ not checked.*//' "$T/err")" "refrain: warning: side.contracts:1:6: the contract of 'putt' is"

section "functions named like our own"

sed 's/paint(/rf_scanner(/' sneaky.c > named.c
sed 's/paint(/rf_scanner(/' main2.c > main4.c
for cc in gcc clang; do
	command -v $cc > /dev/null || continue
	exits "$cc: compiled" 0 env RF_CC=$cc "$CCRF" -O2 main4.c tree.o named.c -o named
	RF_CHECK=warn ./named 2> err
	has "$cc: the barrier sees their stores" err "color = 5, expected 0 or 1"
done

section "the language at work"

cat > lang.c << 'END'
#include <stdio.h>
#include <stdlib.h>
enum kind { NUM, ADD, NEG };
struct expr { enum kind kind; unsigned flags; union { struct { struct expr *l, *r; } add; struct expr *neg; long num; } u; };
struct list { struct list *next; void *val; };
struct queue { struct list head; int n; struct list *tail; };
struct btree { int n; int key[4]; struct btree *kid[5]; };
struct sym { long id; };
struct ref { struct ref *next; struct sym *sym; };
/*@ regtype expr : struct expr = case kind { NUM : {}, ADD : { u.add.l : expr, u.add.r : expr }, NEG : { u.neg : expr } };
  @ regtype num : struct expr = case kind { NUM : {} };
  @ regtype list(T) : struct list = null | { next : list(T), val : T };
  @ regtype queue : struct queue = { head : list(any), n : int(0..1000), tail : nonnull };
  @ regtype btree : struct btree = null | case n { 0 : {}, 1..4 : { key[0..3] : even, kid[0..this.n] : btree } };
  @ regtype shared sym : struct sym = { id : int(1..9) };
  @ regtype refs : struct ref = null | { next : refs, sym : sym };
  @ prop even(int) local;
  @ prop big(long);
  @ regtype odd : struct sym = { id : big };
  @ pred fold(e) : expr(e) => expr(result);
  @ pred fold(e) : num(e) => num(result);
  @ pred sum(l) : list(num)(l) ; list(expr)(l) => result >= 0;
  @ pred push(q) : queue(q) => queue(*q), q->n >= 1;
  @ pred walk(b) : btree(b);
  @ pred names(r) : refs(r);
  @ pred last(s) => odd(s);
  @ pred anything(p) : true => any(p);
  @*/
int even(int k);
int big(long k);
int even(int k) { return k % 2 == 0; }
int big(long k) { return k > 4; }
static struct expr *fold(struct expr *e) { return e; }
static long sum(struct list *l) { long s = 0; for (; l; l = l->next) s++; return s; }
static void push(struct queue *q) { q->n++; }
static int walk(struct btree *b) { return b->n; }
static int names(struct ref *r) { return r != NULL; }
static void last(struct sym *s) { s->id = 3; }
static void anything(void *p) { (void)p; }
static struct btree *node(int n) { struct btree *b = calloc(1, sizeof *b); b->n = n; return b; }
int main(int argc, char **argv)
{
	int c = argc > 1 ? argv[1][0] : '-';
	struct expr *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b), *s = calloc(1, sizeof *s);
	s->kind = ADD; s->u.add.l = a; s->u.add.r = b;
	if (c == 'n') s->u.add.r = NULL;
	fold(a); fold(s);
	struct list l2 = { NULL, calloc(1, sizeof *a) }, l1 = { &l2, s };
	if (c == 'l') l2.val = NULL;
	sum(&l1);
	struct queue q = { { NULL, NULL }, 0, &l1 };
	if (c == 'q') q.n = 1000;
	push(&q);
	struct btree *t = node(2);
	t->kid[0] = node(0); t->kid[2] = node(0);
	if (c == 'b') t->kid[2]->n = 5;
	if (c == 'k') t->key[3] = 7;
	walk(t);
	struct sym *x = calloc(1, sizeof *x);
	x->id = c == 's' ? 0 : 5;
	struct ref *r1 = calloc(1, sizeof *r1), *r2 = calloc(1, sizeof *r2);
	*r1 = (struct ref){ r2, x }; *r2 = (struct ref){ NULL, x };
	names(r1); names(r1);
	if (c == 'p') last(x);
	anything(NULL);
	puts("done");
	return 0;
}
END
ok "the language compiles" "$CCRF" -O2 -g -Wall lang.c -o lang
is "all contracts hold" "$(./lang 2>&1)" "done"
want() { RF_CHECK=warn ./lang "$1" > out 2> err; has "$2" err "$3"; }
want n "a pointer that may not be NULL" "e->u.add.r = NULL, expected expr"
want l "type parameters and alternatives" "l->next->val = NULL, expected"
want q "a struct by value, after the call" "(*q)->n = 1001, expected 0..1000"
want b "arrays whose length is a field" "b->kid[2]->n = 5, expected 0 or 1..4"
want k "a property of the user" "key[3], expected even to hold"
want s "shared nodes are checked" "sym->id = 0, expected 1..9"
want p "a property that is not node-local" "expected big to hold"
printf 'struct s { int k; };\n/*@ regtype t : struct s = { nothere : t }; pred f(x) : t(x); */\nvoid f(struct s *x) { (void)x; }\n' > field.c
ok "an unknown field is the compiler's error" sh -c '! "$CCRF" -c field.c 2> field.err && grep -q nothere field.err'
printf 'struct s { int k; };\n/*@ regtype t : struct s = { k : t }; pred f(x) : t(x); */\nvoid f(struct s *x) { (void)x; }\n' > field.c
ok "so is a field of another type" sh -c '! "$CCRF" -c field.c 2> /dev/null'
printf '/*@ pred f(x) : x > 0; */\nint f(int x, ...) { return x; }\n' > variadic.c
exits "a variadic function is refused" 2 "$CCRF" -c variadic.c
printf '/*@ pred f(x) : x > 0; */\nint f(x) int x; { return x; }\n' > old.c
ok "an old-style definition" "$CCRF" -c old.c
printf '/*@ pred nosuch(x) : x > 0; */\nint f(void) { return 0; }\n' > unknown.c
exits "an unknown function" 2 "$CCRF" -c unknown.c
has "with its place" "$T/err" "unknown.c:1:10: unknown function 'nosuch'"

section "side files"

printf 'struct p { struct p *n; int k; };\nint len(struct p *x) { int i = 0; for (; x; x = x->n) i++; return i; }\nint main(void) { struct p a = {0, 3}; return len(&a) != 1; }\n' > side.c
printf 'regtype ps : struct p = null | { n : ps, k : int(1 | 3 | 5) };\npred len(x) : ps(x) => result >= 0;\n' > side.rf
ok "annotations from a side file" sh -c 'RF_CHECK_OPTIONS=--contracts=side.rf "$CCRF" side.c -o side && RF_CHECK=stats ./side 2>&1 | grep -q "2 checks\|1 checks"'
sed -i 's/{0, 3}/{0, 4}/' side.c
ok "and they are checked" sh -c 'RF_CHECK_OPTIONS=--contracts=side.rf "$CCRF" side.c -o side && RF_CHECK=warn ./side 2>&1 | grep -q "k = 4, expected 1, 3 or 5"'
RF_CHECK_OPTIONS=--nonsense exits "an unknown option of ours" 2 "$CCRF" -c side.c
# a side file is about the whole program: files that do not see a definition do not need it
printf 'regtype up : struct p = null | { n : up, k <= n->k };\npred len(x) : up(x);\n' > up.rf
printf 'struct p;\nint len(struct p *x);\nint twice(struct p *x) { return 2 * len(x); }\n' > opaque.c
RF_CHECK_OPTIONS=--contracts=up.rf ok "a struct that this file does not see" "$CCRF" -c opaque.c
RF_CHECK_OPTIONS=--contracts=up.rf ok "and one that does" "$CCRF" side.c opaque.o -o side
is "is checked" "$(RF_CHECK=stats ./side 2>&1 | sed 's/ violations.*//')" "refrain: 1 checks, 0"
printf 'struct p;\nint len(struct p *x) { return x != 0; }\n' > blind.c
RF_CHECK_OPTIONS=--contracts=up.rf exits "unless it has the function" 2 "$CCRF" -c blind.c
has "at the name" "$T/err" "up.rf:1:42: the definition of 'struct p' is not in these files: write this.k if it is a field"

section "two structures over the same nodes"

cat > over.c << 'END'
#include <stdlib.h>
struct object { struct object *next; long kind; };
struct cell { struct object head; struct cell *left, *right; long key; };
/*@ regtype all : struct object = null | { next : all, kind : int(1..2) };
    regtype tree : struct cell = null | { left : tree, right : tree, head.kind : int(1) };
    pred put(o, t, key) : all(*o), tree(*t) => all(*o), tree(*t); */
void put(struct object **o, struct cell **t, long key)
{
	struct cell *c = calloc(1, sizeof *c);
	c->head.next = *o, c->head.kind = 1, c->key = key;
	*o = &c->head;
	while (*t)
		t = key < (*t)->key ? &(*t)->left : &(*t)->right;
	*t = c;
}
int main(void)
{
	struct object *o = NULL;
	struct cell *t = NULL;
	for (long i = 0; i < 1000; i++)
		put(&o, &t, i * 7919 % 1009);
	return 0;
}
END
ok "compiles" "$CCRF" -O1 over.c -o over
RF_CHECK=stats ./over 2> err
ok "neither drives out the other" awk '{ for (i = 1; i < NF; i++) { if ($(i + 1) == "nodes") n = $i; if ($(i + 1) ~ /^restarts/) r = $i } } END { exit !(n > 2000 && n < 10000 && r <= 2) }' err

section "an instrumented function called by its alias"

cat > alias_lib.c << 'END'
#include <stdlib.h>
struct n { struct n *next; };
/*@ regtype list : struct n = null | { next : list };
    pred add(l) : list(*l) => list(*l); */
void add(struct n **l) { struct n *x = calloc(1, sizeof *x); x->next = *l; *l = x; }
void inner(void) { struct n *l = NULL; for (int i = 0; i < 100; i++) add(&l); }
extern __typeof(inner) outer __attribute__((alias("inner")));
END
printf 'void outer(void);\nint main(void) { outer(); return 0; }\n' > alias_main.c
for cc in gcc-12 clang-14; do
	command -v $cc > /dev/null || continue
	ok "compiles ($cc)" env RF_CC=$cc "$CCRF" -O1 alias_main.c alias_lib.c -o alias
	RF_CHECK=stats ./alias 2> err
	has "is not code of somebody else ($cc)" err "200 checks, 0 violations, 100 nodes visited, 0 invalidated by stores, 0 full walks"
done

section "a call with arguments on the stack is over when it returns"
cat > pushed.c << 'END'
#include <stdio.h>
#include <stdlib.h>
struct s { struct s *next; int v; };
/*@ regtype s : struct s = null | { next : s, v : int(0..9) };
    pred look(l) : s(l); */
void look(struct s *l);
void look(struct s *l) { (void)l; }
long many(long, long, long, long, long, long, long, long, struct s *);
int main(int argc, char **argv)
{
	struct s *l = NULL;
	int a, b, c, d, e, f = 0;
	char text[] = "1 2 3 4 5 6";
	for (int i = 0; i < 50; i++) {
		struct s *n = calloc(1, sizeof *n);
		n->next = l, l = n;
	}
	if (argc > 1)
		f = (int)many(1, 2, 3, 4, 5, 6, 7, 8, l);
	for (int i = 0; i < 100; i++) {
		if (argc == 1 && sscanf(text, "%d %d %d %d %d %d", &a, &b, &c, &d, &e, &f) != 6)
			return 1;
		if (argc == 1) {
			FILE *in = fmemopen(text, sizeof text, "r");
			if (!in || fscanf(in, "%d %d %d %d %d %d", &a, &b, &c, &d, &e, &f) != 6 || fclose(in))
				return 1;
		}
		look(l);
	}
	return f != 6 && argv[1][0] != 'x';
}
END
echo 'long many(long a, long b, long c, long d, long e, long f, long g, long h, void *p) { (void)p; return a + b + c + d + e + f + g + h; }' > alien.c
${CC:-cc} -O2 -c alien.c -o alien.o
for cc in gcc clang; do
	command -v $cc > /dev/null || { absent "$cc" "not installed"; continue; }
	for o in -O0 -O2 "-O2 -flto"; do
		ok "$cc $o: compiles" env RF_CC=$cc "$CCRF" $o pushed.c alien.o -o pushed
		RF_CHECK=stats ./pushed 2> err
		has "$cc $o: of the C library" err "100 checks, 0 violations, 50 nodes visited, 0 invalidated by stores, 0 full walks"
		RF_CHECK=stats ./pushed x 2> err
		has "$cc $o: of code without the barrier" err "100 checks, 0 violations, 50 nodes visited, 0 invalidated by stores, 0 full walks"
	done
done

section "a compiler like any other"

is "-dumpmachine" "$("$CCRF" -dumpmachine)" "$(cc -dumpmachine)"
is "-E" "$("$CCRF" -E tree.h | tail -1)" "$(cc -E tree.h | tail -1)"
ok "-fsyntax-only" "$CCRF" -fsyntax-only tree.c
ok "-S" sh -c '"$CCRF" -O2 -S tree.c && grep -q __rf_store_ tree.s'
ok "-MMD names the object" sh -c 'mkdir -p o && "$CCRF" -MMD -c tree.c -o o/tree.o && grep -q "^o/tree.o: tree.c tree.h" o/tree.d'
ok "-MD -MF" sh -c '"$CCRF" -MD -MF dep -c tree.c -o o/t2.o && grep -q "^o/t2.o:" dep'
ok "-o joined, response file, -x" sh -c 'printf -- "-O1 -c\n\"tree.c\"" > args && "$CCRF" @args -oo/t3.o && cp tree.c treecopy && "$CCRF" -x c -c treecopy -o o/t4.o && test -s o/t3.o -a -s o/t4.o'
ok "standard input" sh -c 'echo "int main(void){return 0;}" | "$CCRF" -x c - -o stdin.out && ./stdin.out'
ok "an error of the user's is the compiler's, with its exit code" sh -c 'echo "int f( {" > e.c; "$CCRF" -c e.c 2> e.err; test $? -eq 1 && grep -q "e.c:1" e.err'
exits "-fsanitize=address is refused" 2 "$CCRF" -fsanitize=address -c tree.c
ok "a missing compiler is our error" sh -c 'RF_CC=no-such-cc "$CCRF" -c tree.c; test $? -eq 3'
ok "a shared library and a program" sh -c '"$CCRF" -O2 -fPIC -shared tree.c -o libtree.so && "$CCRF" main.c -L. -ltree -Wl,-rpath,. -o dyn && ./dyn > dyn.out && grep -q done dyn.out; ulimit -c 0; ./dyn color 2> /dev/null; test $? -eq 134'
ok "no scratch is left" sh -c 'test -z "$(ls -d "${TMPDIR:-/tmp}"/refrain-cc.* 2> /dev/null)"'

section "by hand, and compile + ld --wrap"

ok "check compile" "$REFRAIN" check compile tree.h -o contracts.c --json=c.json
has "JSON lists the functions" c.json '"put"'
ok "the C compiles cleanly" cc -Wall -O2 -c contracts.c -o contracts.o
cat > hand.c << 'END'
#include "tree.h"
#include <refrain/check.h>
extern struct rf_type *const rf_type_tree;
int main(void)
{
	struct tree b = {0, 0, 1, 1}, a = {&b, 0, 2, 0};
	int before = rf_check(&a, rf_type_tree);
	b.color = 3;
	int after = rf_check(&a, rf_type_tree), full = rf_check_full(&a, rf_type_tree);
	rf_assert(&a, rf_type_tree, "&a", "hand.c:11");
	return !(before && !after && !full);
}
END
ok "calls by hand" sh -c "cc -I'$top/include' hand.c contracts.o -Wl,--wrap=put tree.c '$BUILD/librefrain-rt.a' -o hand && RF_CHECK=warn ./hand 2> hand.err && grep -q 'color = 3, expected 0 or 1' hand.err"

section "a postcondition is evaluated only where its own precondition held"

cat > needs.c << 'END'
#include <stdio.h>
struct s { int k; };
static int asked;
int odd(const struct s *x) { asked++; return x->k & 1; }
/*@ prop odd (struct s);
    pred f(x) : x->k > 0 => odd(x);
    pred f(x) : x->k < 0; */
void f(struct s *x) { x->k += 2; }
int main(void)
{
	struct s a = {1}, b = {-5};
	f(&a);
	f(&b);
	printf("%d\n", asked);
	return 0;
}
END
ok "a conditional postcondition compiles" "$CCRF" needs.c -o needs
is "evaluated once, where its precondition held" "$(./needs)" 1

section "macros in annotations; the call without line numbers"

cat > kinds.h << 'END'
#define K_NUM 1
#define K_FLAG(n) (1 << (n))
#define K_ADD K_FLAG(3)
#define K_MASK 0xff
#define LIMIT 100
#define SAME(a, b) ((a) == (b))
END
cat > macros.c << 'END'
#include "kinds.h"
#include <stdlib.h>
enum { K_NEG = 3 };
struct e { int kind; struct e *l, *r; int v; };
/*@ regtype ex : struct e = case kind & K_MASK { K_NUM : { v : int(0..LIMIT) }, K_ADD : { l : ex, r : ex }, K_NEG : { l : ex } };
    pred eval(e, n) : ex(e), n <= LIMIT; */
int eval(struct e *e, int n)
{
	switch (e->kind & K_MASK) {
	case K_NUM: return e->v;
	case K_ADD: return eval(e->l, n) + eval(e->r, n);
	default: return -eval(e->l, n);
	}
}
int main(int argc, char **argv)
{
	struct e *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b), *c = calloc(1, sizeof *c);
	a->kind = K_ADD | 0x100, a->l = b, a->r = c;
	b->kind = K_NUM, b->v = argc > 1 ? atoi(argv[1]) : 5;
	c->kind = argc == 3 ? 7 : K_NEG;
#ifdef UNUSED
	int unused;
#endif
	if (SAME(argc, 77))
		return 1;
	c->l = calloc(1, sizeof *c), c->l->kind = K_NUM;
	return eval(a, argc > 3 ? 101 : 3) != 5;
}
END
for cc in gcc clang; do
	command -v $cc > /dev/null || { absent "macros with $cc" "not installed"; continue; }
	ok "macros in annotations, $cc" silent env RF_CC=$cc "$CCRF" -O1 -Wall -Wextra -pedantic macros.c -o macros
	ok "macros in annotations hold, $cc" ./macros
	exits "a warning is no error where the text is ours, $cc" 0 env RF_CC=$cc "$CCRF" -O1 -Wall -Werror -DUNUSED macros.c -o macros
	has "but is said, $cc" "$T/err" "[-Wunused-variable]"
	exits "a range with a macro, $cc" 134 no_core ./macros 101
	has "named as written" "$T/err" "e->l->v = 101, expected 0..LIMIT"
	has "the call without line numbers, $cc" "$T/err" "called from main+0x"
	exits "a tag that no case has, $cc" 134 no_core ./macros 5 x
	has "the tags as written" "$T/err" "e->r->kind = 7, expected K_NUM, K_ADD or K_NEG"
	exits "a comparison with a macro, $cc" 134 no_core ./macros 5 "" x
done

section "threads: each its own tree; and one tree under a lock"

cat > threads.c << 'END'
#include "tree.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
static struct tree *common;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *arg)
{
	struct tree *own = NULL;
	for (int i = 0; i < 300; i++) {
		put(&own, (i * 7919 + (int)(long)arg) % 1009);
		pthread_mutex_lock(&lock);
		put(&common, (i * 104729 + (int)(long)arg * 13) % 4001);
		pthread_mutex_unlock(&lock);
	}
	return own;
}
int main(int argc, char **argv)
{
	pthread_t t[4];
	void *tree[4];
	(void)argv;
	for (long i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, work, (void *)i);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], &tree[i]);
	if (argc > 1)
		((struct tree *)tree[2])->color = 4;
	for (int i = 0; i < 4; i++) {
		struct tree *r = tree[i];
		put(&r, 5000);
	}
	puts("done");
	return 0;
}
END
ok "threads compile" "$CCRF" -O2 -pthread threads.c tree.o -o threads
is "threads, nothing wrong" "$(./threads 2>&1)" "done"
RF_CHECK=warn ./threads x > out 2> err
has "threads, a bad node" err "(*t)->color = 4"

section "C++: the barrier, no contracts"

cat > list.cc << 'E2'
#include <cstdio>
struct n { n *next; int v; };
/*@ regtype l : struct n = null | { next : l, v : int(0..9) };
    pred f(x) : l(x); */
extern "C" void f(n *x) { std::printf("%d\n", x->v); }
E2
exits "an annotation in C++ is refused" 2 "$CCRF" -c list.cc
has "with its place" "$T/err" "list.cc:3:13"
has "and why" "$T/err" "contracts are checked in C, not in C++"
printf '#include "tree.h"\nint main() { return 0; }\n' > includes.cc
ok "a header that has them is not" "$CCRF" -c includes.cc -o includes.o
