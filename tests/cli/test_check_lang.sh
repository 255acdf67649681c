# SPDX-License-Identifier: MIT
# refrain check: what contracts can say. Every construct is compared at random with a plain walk in C (tests/cli/check),
# through refrain-cc with gcc and clang; what is not understood is refused at its place.
. "$(dirname "$0")/lib.sh"
cd "$T" || exit 3
CCRF="$BUILD/refrain-cc"
export CCRF
no_core() { ulimit -c 0; "$@"; }

# refused NAME FILE:LINE:COL-and-message C-TEXT
refused() {
	printf '%s\n' "$3" > r.c
	exits "$1" 2 "$CCRF" -c r.c -o r.o
	has "$1: says so" "$T/err" "$2"
}
# warns NAME MESSAGE COMMAND…: goes on and says so
warns() {
	warns_name=$1 warns_text=$2
	shift 2
	RF_CHECK=warn "$@" > out 2> err
	has "$warns_name" err "$warns_text"
}
# taken NAME C-TEXT
taken() {
	printf '%s\n' "$2" > r.c
	ok "$1" silent "$CCRF" -Wall -c r.c -o r.o
}
S='struct s { struct s *n, *m; int k, cap; unsigned bits : 4; double w; char *name; };'

section "comments that look like ours"

refused "a misspelt regtype" "r.c:2:5: unknown keyword 'regtyp'; did you mean 'regtype'?" "$S
/*@ regtyp t : struct s = null | { n : t }; */"
refused "a regtype by another name" "did you mean 'regtype'?" "$S
/*@ type t : struct s = { n : any }; */"
refused "letters swapped" "did you mean 'pred'?" "$S
/*@ perd f(x) : t(x); */"
refused "a capital" "did you mean 'pred'?" "$S
/*@ Pred f(x) : t(x); */"
refused "a misspelt measure" "did you mean 'measure'?" "$S
/*@ mesure len(t) = 1 + len(n); */"
refused "a misspelt prop" "did you mean 'prop'?" "$S
/*@ porp even(int) local; */"
refused "in a line comment" "r.c:2:5: unknown keyword 'regtyep'" "$S
//@ regtyep t : struct s = { n : any };"
taken "ACSL is left alone" '/*@ requires \valid(p); ensures \result >= 0; assigns *p; */ /*@ predicate sorted{L}(int *a, integer n) = \forall integer i; 0 <= i < n; */
/*@ axiomatic A { logic integer f(integer x); } */ /*@ lemma l: 1 == 1; */ //@ assert x > 0;
/*@ ghost int g = 0; */ /*@ loop invariant 0 <= i; loop variant n - i; */ /*@ type invariant pos(int x) = x > 0; */
int f(int *p) { return *p; }'
taken "Splint is left alone" '/*@null@*/ char *a; /*@only@*/ /*@notnull@*/ char *b; /*@unused@*/ int c; /*@-boundswrite@*/ int d; /*@i1@*/
/*@shared@*/ int e; /*@reldef@*/ int g; /*@special@*/ int h; /*@modifies nothing@*/ /*@temp@*/ int i; /*@pre nonneg(x)@*/'
refused "in the definition of a macro" "r.c:3:8: the compiler drops the comments in the definition of a macro" "$S
#define CONTRACT(f) \\
	int k; /*@ pred f(x) : t(x); */ \\
	int j;"
printf '%s\n' '#ifndef M_H' '# define M_H //@ pred f(x) : any(x);' '#endif' > m.h
refused "in that of a macro of a header's" "m.h:2:14: the compiler drops" '#include "m.h"'
taken "what only looks like one" '/* #define A */ /*@ regtype t : int_ = { i : int }; */
#define A "/*@ pred f(x) : t(x); */" /*@*/
#define B A // a macro
typedef struct { int i; } int_; const char *s = A;'
taken "a line comment of ours" "$S
//@ regtype t : struct s = null | { n : t }; pred f(x) : t(x);
void f(struct s *x) { (void)x; }"

section "what is not understood is refused at its place"

refused "an unknown field" "r.c:2:30: 'struct s' has no field 'z'" "$S
/*@ regtype t : struct s = { z : int }; pred f(x) : t(x); */"
refused "a range of an unknown type" "r.c:2:34: unknown type 'itn'" "$S
/*@ regtype t : struct s = { k : itn(0..9) }; pred f(x) : t(x); */"
refused "a chain of comparisons" "comparisons do not chain" "$S
/*@ regtype t : struct s = { 0 < k < cap }; */"
refused "a number where a condition belongs" "or a comparison" "$S
/*@ regtype t : struct s = { k + 1 }; */"
refused "two pointers with a logical operator" "one pointer only" "$S
/*@ regtype t : struct s = null | { n : t, m : t, n->k > 0 || m->k > 0 }; */"
refused "a measure that reads another node" "may not read other nodes" "$S
/*@ regtype t : struct s = null | { n : t }; measure a(t) = n->k; */"
refused "an unknown measure" "unknown measure 'size'" "$S
/*@ regtype t : struct s = null | { n : t, size(n) > 0 }; */"
refused "a measure of something else" "is not a measure of" "$S
/*@ regtype t : struct s = null | { n : t, size(n) > 0 }; regtype u : struct s = { k : int }; measure size(u) = k; pred f(x) : t(x); */
void f(struct s *x) { (void)x; }"
refused "a measure of a field that is no node" "is not a field of a regular type here" "$S
/*@ regtype t : struct s = null | { n : t, size(m) > 0 }; measure size(t) = 1 + size(n); pred f(x) : t(x); */
void f(struct s *x) { (void)x; }"
refused "a measure of a ring" "a ring has no first node" "$S
/*@ regtype ring t : struct s = { n : t }; measure size(t) = 1 + size(n); */"
refused "a measure defined twice" "defined twice" "$S
/*@ regtype t : struct s = null | { n : t }; measure a(t) = 1; measure a(t) = 2; */"
refused "old before the call" "'old' has a meaning in postconditions only" "$S
/*@ pred f(x) : x->k > old(x->k); */ void f(struct s *x) { (void)x; }"
refused "a logical operator in a predicate" "write ',' for and, ';' for or" "$S
/*@ pred f(x) : x->k > 0 && x->k < 5; */ void f(struct s *x) { (void)x; }"
refused "a range open on both sides" "expected a bound" "$S
/*@ regtype t : struct s = { k : int(..) }; */"
refused "a function of no name" "the names of functions" "$S
/*@ regtype t : struct s = { n : function }; */"
printf 'struct s;\n/*@ regtype t : struct s = { n <= cap }; */\n' > r.h
exits "a field or a constant?" 2 "$REFRAIN" check compile r.h
has "says so" "$T/err" "the definition of 'struct s' is not in these files: write this.n"

# what only the C compiler can see is still said at the annotation
at_annotation() { # NAME PATTERN C-TEXT
	printf '%s\n' "$3" > r.c
	exits "$1" 1 "$CCRF" -c r.c -o r.o
	ok "$1: at its line" grep -q "^r.c:$2" "$T/err"
	is "$1: nowhere else" "$(grep -c 'contracts>' "$T/err")" 0
}
for cc in gcc clang; do
	command -v $cc > /dev/null || { absent "$cc" "not installed"; continue; }
	export RF_CC=$cc
	at_annotation "a field of another type, $cc" 3: "$S

/*@ regtype t : struct s = { k : t }; pred f(x) : t(x); */
void f(struct s *x) { (void)x; }"
	at_annotation "a variable as a bound, $cc" '3:.*\(constant\|integ\)' "$S int limit;

/*@ regtype t : struct s = { k : int(0..limit) }; pred f(x) : t(x); */
void f(struct s *x) { (void)x; }"
	at_annotation "a variable in a relation, $cc" '3:.*\(constant\|integ\)' "$S int limit;

/*@ regtype t : struct s = { k < limit }; pred f(x) : t(x); */
void f(struct s *x) { (void)x; }"
	at_annotation "a double that is none, $cc" '3:.*floating-point' "$S

/*@ regtype t : struct s = { k : double(0..1) }; pred f(x) : t(x); */
void f(struct s *x) { (void)x; }"
	at_annotation "an argument without such a field, $cc" 2: "$S
/*@ pred f(x) : x->nothere > 0; */
void f(struct s *x) { (void)x; }"
done
unset RF_CC

section "C++"

if command -v g++ > /dev/null; then
	printf 'struct n { n *next; int v; };\n/*@ regtype l : struct n = null | { next : l };\n    pred f(x) : l(x); */\nextern "C" void f(n *x) { x->v = 1; }\n' > a.cpp
	exits "contracts in C++ are refused" 2 "$CCRF" -c a.cpp -o a.o
	has "at their place" "$T/err" "a.cpp:2:13: contracts are checked in C, not in C++"
	exits "also in a program" 2 "$CCRF" a.cpp -o a
	exits "and by language" 2 "$CCRF" -x c++ -c a.cpp -o a.o
	printf 'struct n { struct n *next; int v; };\n/*@ regtype l : struct n = null | { next : l };\n    pred f(x) : l(x); */\n#ifdef __cplusplus\nextern "C"\n#endif\nint f(struct n *x);\n' > n.h
	printf '#include "n.h"\nint main() { n a = {nullptr, 0}; return f(&a); }\n' > b.cpp
	ok "a C++ file may use a C header with contracts" "$CCRF" -c b.cpp -o b.o
	printf '#include "n.h"\nint f(n *x) { return x->v; }\n' > c.cpp
	exits "but not define its functions" 2 "$CCRF" -c c.cpp -o c.o
	is "no scratch is left" "$(ls -d refrain-cc.* 2> /dev/null)" ""
else
	absent "C++" "g++ is not installed"
fi

if [ "$(nm "$BUILD/librefrain-rt.a" 2> /dev/null | grep -c __asan_report)" -gt 0 ]; then
	skip "refrain-cc" "the runtime is built with a sanitizer"
	exit 0
fi

section "every construct against a plain walk, both compilers"

"$CCRF" -O1 -c "$top/tests/cli/check/walks.c" -o walks.o
for cc in gcc clang; do
	command -v $cc > /dev/null || { absent "$cc" "not installed"; continue; }
	ok "$cc: compiles without a warning" silent env RF_CC=$cc "$CCRF" -O2 -g -Wall -Wextra -I"$top/include" \
		"$top/tests/cli/check/structures.c" walks.o -o structures
	for seed in 1 2 3; do
		is "$cc: seed $seed" "$(RF_CHECK=warn ./structures $seed 2500 2> err)" "45000 steps, no difference"
	done
done

section "the fault is named"

cat > names.c << 'END'
#include <stdlib.h>
#include <string.h>
struct t { struct t *left, *right; int key, n, cap; char *name; double w; unsigned b : 3; struct t **kid; };
/*@ regtype t : struct t = null | { left : t, right : t, left->key < key, key < right->key, n <= cap,
	name : null | string(1..3), w : double(0..1), b : int(0..5), kid[0..this.n) : any, depth(this) <= 3 };
    measure depth(t) = 1 + max(depth(left), depth(right));
    pred look(x) : t(x); */
void look(struct t *x) { (void)x; }
int main(int argc, char **argv)
{
	struct t *a = calloc(1, sizeof *a), *b = calloc(1, sizeof *b), *c = calloc(1, sizeof *c), *d = calloc(1, sizeof *d);
	char what = argc > 1 ? argv[1][0] : 0;
	a->key = 10, b->key = 5, a->left = b, b->left = c, c->key = 2, d->key = 1;
	look(a);
	if (what == 'k') b->key = 12;
	if (what == 'n') b->n = 3;
	if (what == 's') b->name = "long";
	if (what == 'e') b->name = "";
	if (what == 'w') b->w = 1.5;
	if (what == 'b') b->b = 6;
	if (what == 'd') c->left = d;
	if (what == 'f') b->n = 2, b->cap = 9, b->kid = malloc(64), free(b->kid);
	if (what == 'a') b->n = 2, b->cap = 9, b->kid = (struct t **)0x5000;
	look(a);
	return 0;
}
END
ok "compiles" "$CCRF" -g -Wall names.c -o names
ok "nothing wrong" ./names
want() { warns "$2" "$3" ./names "$1"; }
want k "a relation to a child" "t(x): x, expected left->key < key, which is 12 < 10"
want n "a relation in a node" "t(x): x->left, expected n <= cap, which is 3 <= 0"
want s "a string that is too long" "x->left->name = 4, expected a length of 1..3"
want e "a string that is too short" "x->left->name = 0, expected a length of 1..3"
want w "a double" "x->left->w = 1.5, expected 0..1"
want b "a bit-field" "x->left->b = 6, expected 0..5"
want d "a measure" "t(x): x, expected depth(this) <= 3, which is 4 <= 3"
want a "an array that is not there" "x->left->kid = 0x5000, expected that many elements in readable memory"
want f "an array that was freed" "expected that many elements in readable memory"

cat > wide.c << 'END'
#include <stdlib.h>
struct w { int n; struct w **kid; };
struct b { struct b *next; long pad; unsigned kind : 3, big : 5; };
/*@ regtype w : struct w = { n : int(0..), kid[0..this.n) : w }; pred look(x) : w(x);
    regtype b : struct b = null | { next : b, big : int(0..9), kind < 5 }; pred see(x) : b(x); */
void look(struct w *x) { (void)x; }
void see(struct b *x) { (void)x; }
int main(int argc, char **argv)
{
	struct w *x = calloc(1, sizeof *x);
	struct b *b = calloc(1, sizeof *b);
	(void)argv;
	x->n = 20000, x->kid = calloc(20000, sizeof *x->kid);
	for (int i = 0; i < x->n; i++)
		x->kid[i] = calloc(1, sizeof *x);
	look(x);
	x->kid[19999]->n = argc == 2 ? -1 : 0;
	look(x);
	b->next = calloc(1, sizeof *b);
	for (int i = 0; i < 3; i++)
		see(b); /* known by then */
	if (argc == 3)
		b->next->big = 20;
	if (argc == 4)
		b->next->kind = 6;
	see(b);
	return 0;
}
END
ok "wide nodes and bit-fields compile" "$CCRF" -g wide.c -o wide
ok "nothing wrong there" ./wide
warns "the last of many" "x->kid[19999]->n = -1, expected at least 0" ./wide x
warns "a bit-field that is watched" "x->next->big = 20, expected 0..9" ./wide x x
warns "another of the same word" "x->next, expected kind < 5, which is 6 < 5" ./wide x x x

section "predicates: old values, arithmetic, measures, old-style definitions"

cat > post.c << 'END'
#include <stdlib.h>
struct l { struct l *next; int v; };
struct q { struct l *head; unsigned n; };
/*@ regtype l : struct l = null | { next : l };
    regtype q : struct q = { head : l };
    measure len(l) = 1 + len(next);
    pred push(q, v) : q(q), v + 1 <= 100 => q(q), q->n == old(q->n) + 1, len(q->head) == old(len(q->head)) + 1;
    pred half(x, y) => result * 2 <= x + y, result == x / y; */
void push(q, v) struct q *q; int v;
{
	struct l *x = malloc(sizeof *x), **at = &q->head;
	if (v == 7) { q->n++; return; }
	x->v = v, x->next = *at, *at = x;
	q->n += v == 8 ? 2 : 1;
}
double half(x, y) float x; double y; { return y ? x / y : 0; }
int main(int argc, char **argv)
{
	struct q q = {0};
	(void)argv;
	push(&q, 1);
	push(&q, argc == 2 ? 7 : argc == 3 ? 8 : argc == 4 ? 100 : 2);
	return half(1.0f, argc == 5 ? 0.0 : 4.0) > 1;
}
END
for cc in gcc clang; do
	command -v $cc > /dev/null || { absent "$cc" "not installed"; continue; }
	ok "compiles, $cc" env RF_CC=$cc "$CCRF" -w -g post.c -o post
	ok "all hold, $cc" ./post
	warns "a measure after the call, $cc" "len(q->head) == old(len(q->head)) + 1: len(q->head) = 1, old(len(q->head)) + 1 = 2" ./post x
	warns "an old value, $cc" "q->n == old(q->n) + 1: q->n = 3, old(q->n) + 1 = 2" ./post x x
	warns "arithmetic before the call, $cc" "v + 1 <= 100: v + 1 = 101" ./post x x x
	warns "a division by zero has no value, $cc" "result == x / y" ./post x x x x
done

section "functions and fields, however they are written"

cat > forms.c << 'END'
#include <stdio.h>
struct n { struct n *next; int v; };
/*@
 * regtype n : struct n = null | { next : n,
 *                                 v : int(0..9) };
 * pred parens(x) : n(x);
 * pred defines(x) : n(x);
 * pred room(k, a, b) : n(a[0]), n(b[0][1]);
 * pred weak(x) : n(x);
 * pred flags(x, k) : n(x), (k & 1) == 0;
 */
int (parens)(struct n *x) { return x != NULL; }
struct made { int k; } defines(struct n *x) { return (struct made){x != NULL}; }
int room(int k, struct n *a[k], struct n *b[1][sizeof(struct n) ? k : 1]) { return a[0] == b[0][1]; }
__attribute__((weak)) int weak(struct n *x) { return x != NULL; }
int flags(struct n *x, int k) { return x == NULL && k; }
static int twice(int x) { return 2 * x; }
static int once(int x) { return x; }
struct v { volatile int v; struct v *volatile next; int (*f)(int); struct list *items; };
struct list { struct list *next; struct list *sub; };
/*@ regtype v : struct v = null | { v : int(0..9), next : v, f == twice || v == 0 };
    regtype empty : struct list = null | { next : null, sub : null };
    regtype of(T) : struct list = null | { next : of(T), sub : T };
    pred device(x) : v(x);
    pred nested(a, b) : of(of(empty))(a), of(null | empty)(b); */
int device(const volatile struct v *x) { return x->v; }
int nested(struct list *a, struct list *b) { return a == b; }
int main(void)
{
	struct n good = {NULL, 1}, bad = {&good, 10};
	struct n *one[] = {&bad}, *two[1][2] = {{&good, &good}};
	struct v v = {3, NULL, twice, NULL}, w = {3, &v, once, NULL};
	struct list l = {NULL, NULL}, m = {NULL, &l};
	parens(&good), defines(&good), weak(&good), flags(&good, 2), device(&v), nested(&m, &m);
	puts("now");
	fflush(stdout);
	parens(&bad);
	defines(&bad);
	room(2, one, two);
	weak(&bad);
	flags(&good, 3);
	device(&w);
	v.v = 10;
	device(&v);
	l.sub = &l;
	nested(&m, NULL);
	return 0;
}
END
for cc in gcc clang; do
	command -v $cc > /dev/null || { absent "$cc" "not installed"; continue; }
	ok "they compile, $cc" env RF_CC=$cc "$CCRF" -g forms.c -o forms
	RF_CHECK=warn ./forms > out 2>&1
	is "each is checked, $cc" "$(sed -n 's/refrain: contract violated: \([a-z]*\), calls condition/\1/p; /^now/p' out | tr '\n' ' ')" \
		"now parens defines room weak flags device device nested "
done
printf '%s\n' 'extern int weak(void *); int main(void) { return weak(0) - 5; }' > user.c
printf '%s\n' 'struct n { int v; };' '//@ regtype n : struct n = null | { v : int(0..9) }; pred weak(x) : n(x);' \
	'__attribute__((weak)) int weak(struct n *x) { return (x != 0) + WHICH; }' > weak.c
for which in 4 5; do "$CCRF" -DWHICH=$which -c weak.c -o weak$which.o; done
"$CCRF" -c user.c
ok "two weak definitions: they link" "$CCRF" user.o weak5.o weak4.o -o weak
ok "the first is taken, with its contract" sh -c 'RF_CHECK=stats ./weak 2>&1 | grep -q "1 checks"'
printf '%s\n' 'int weak(void *x) { return x ? 0 : 5; }' > strong.c
"$CCRF" -c strong.c
ok "a strong definition is taken" sh -c '"$CCRF" user.o weak4.o strong.o -o weak && ./weak'
refused "an argument called result" "r.c:2:12: 'result' is what the function returns" "$S
/*@ pred f(result) => result > 0; */"

section "structs that are packed"
printf '%s\n' 'struct n { struct n *next; int v; };' '#pragma pack(1)' 'struct odd { char c; int v; };' \
	'//@ regtype n : struct n = null | { next : n, v : int(0..9) }; regtype odd : struct odd = { v : int(0..9) };' \
	'//@ pred f(x, y) : n(x), odd(y);' 'int f(struct n *x, struct odd *y) { return x->v + y->v; }' \
	'int main(void) { struct n x = {0, 1}; struct odd y = {1, 10}; return f(&x, &y) - 11; }' > pack.c
for cc in gcc clang; do
	command -v $cc > /dev/null || { absent "$cc" "not installed"; continue; }
	for flags in -O0 -fpack-struct=2; do
		ok "$cc $flags: compiles" env RF_CC=$cc "$CCRF" $flags pack.c -o pack
		warns "$cc $flags: what is checked is not what is packed" 'y->v = 10, expected 0..9' ./pack
	done
done
exits "a packing that pragmas cannot undo is refused" 2 "$CCRF" -fpack-struct -c pack.c
has "with a message" "$T/err" "'-fpack-struct' cannot be combined"

section "types of the same text in several files"

for cc in gcc clang; do
	command -v $cc > /dev/null || { absent "$cc" "not installed"; continue; }
	for which in ONE TWO; do
		RF_CC=$cc ok "$cc: $which compiles" "$CCRF" -w -O1 -D$which -c "$top/tests/cli/check/same_text.c" -o $which.o
	done
	"$CCRF" ONE.o TWO.o -o same
	RF_CHECK=warn ./same > out 2>&1
	awk '/^(one|two)/ { key = $0; n[key] = 0 } /contract violated/ { n[key]++ } END { for (k in n) print k ": " n[k] }' out | sort | tr '\n' ',' > counts
	# fit and bag from 3 or 6 on, limit and range from 6 or 8 on
	is "$cc: each file's contracts are its own" "$(cat counts)" "$(awk 'BEGIN { for (f = 1; f <= 2; f++) for (x = 0; x < 10; x++)
		printf "%s %d: %d,", f == 1 ? "one" : "two", x, 2 * (x >= 3 * f) + 2 * (x > 3 + 2 * f) }')"
done

cat > plug.c << 'END'
static char room[PAD];
struct n { struct n *next; int v; };
/*@ regtype plug : struct n = null | { next : plug, v : int(0..MOST) }; pred plug(x) : plug(x); */
int plug(struct n *x) { return x->v + room[0]; }
END
cat > host.c << 'END'
#include <dlfcn.h>
#include <stdlib.h>
struct n { struct n *next; int v; };
int main(int argc, char **argv)
{
	struct n *x = calloc(1, sizeof *x);
	x->v = 6;
	for (int i = 1; i < argc; i++) {
		void *library = dlopen(argv[i], RTLD_NOW);
		int (*f)(struct n *) = library ? (int (*)(struct n *))dlsym(library, "plug") : NULL;
		if (!f || f(x) != 6)
			return 1;
		dlclose(library);
	}
	return 0;
}
END
ok "a library compiles" "$CCRF" -fPIC -shared -DPAD=9 -DMOST=5 plug.c -o plug5.so
ok "another one" "$CCRF" -fPIC -shared -DPAD=99999 -DMOST=7 plug.c -o plug7.so
ok "a program that opens them" "$CCRF" host.c -ldl -o host
RF_CHECK=count,stats exits "libraries that are closed and opened again" 0 ./host ./plug5.so ./plug7.so ./plug5.so ./plug7.so
has "their contracts are checked" "$T/err" "4 checks, 2 violations"

section "comparisons are those of mathematics"

cat > math.c << 'END'
struct s { unsigned cap; int n; unsigned long big; };
/*@ regtype s : struct s = { n <= cap, n - 1 < big }; pred f(x, k) : s(x), k < x->cap; */
int f(struct s *x, int k) { return x->n + k; }
int main(void) { struct s a = {0xffffffffu, -1, ~0ul}; return f(&a, -5) != -6; }
END
ok "signed and unsigned" sh -c '"$CCRF" math.c -o math && ./math'

section "shifts"

cat > shift.c << 'END'
#include <stdlib.h>
struct t { int log, n, mask; struct t *kid[8]; unsigned char part; };
/*@ regtype t : struct t = null | { log : int(0..1 << 2), kid[0..1 << this.log) : t, n == part << log, mask >> log == 0 };
    pred f(x) : t(x); */
int f(struct t *x) { return x->n; }
int main(int argc, char **argv)
{
	struct t *x = calloc(1, sizeof *x), *y = calloc(1, sizeof *x);
	*x = (struct t){3, 1600, 7, {NULL, [7] = y}, 200};
	*y = (struct t){0, 1, 0, {NULL}, 1};
	if (argc > 1)
		*(argv[1][0] == 'n' ? &x->n : argv[1][0] == 'm' ? &y->mask : &y->log) = atoi(argv[1] + 1);
	f(x);
	return 0;
}
END
exits "compiled" 0 "$CCRF" -O2 shift.c -o shift
exits "what holds is taken" 0 ./shift
for try in "n64:x, expected n == part << log, which is 64 == 1600" "m1:x->kid[7], expected mask >> log == 0" "l5:x->kid[7]->log = 5" "l-1:x->kid[7]->log = -1"; do
	warns "${try%%:*} is not" "${try#*:}" ./shift "${try%%:*}"
done

section "side files that name the C file; types by name"

printf 'struct p { struct p *n; int k; };\nstatic int next(struct p *x) { return x->k; }\nint one(struct p *x) { return next(x); }\n' > one.c
printf 'static int next(int k) { return k + 1; }\nint one();\nstruct p { struct p *n; int k; };\nint main(void) { struct p a = {0, 9}; return one(&a) != 9 || next(1) != 2; }\n' > two.c
printf 'regtype p : struct p = null | { n : p, k : int(0..5) };\npred "one.c" next(x) : p(x);\n' > side.rf
ok "only that file has it" env RF_CHECK_OPTIONS=--contracts=side.rf "$CCRF" -w one.c two.c -o unit
warns "and it is checked" "x->k = 9, expected 0..5" ./unit
sed -i 's/next(x) : p/nxt(x) : p/' side.rf
RF_CHECK_OPTIONS=--contracts=side.rf exits "the file must have the function" 2 "$CCRF" -c one.c -o one.o
has "says so" "$T/err" "side.rf:2:14: unknown function 'nxt'"
cat > byname.c << 'END'
#include <refrain/check.h>
struct p { struct p *n; int k; };
/*@ regtype p : struct p = null | { n : p, k : int(0..5) }; */
extern struct rf_type *const rf_type_p;
int main(void) { struct p a = {0, 9}, b = {&a, 1}; return rf_check(&b, rf_type_p) + 2 * rf_check_full(&b, rf_type_p); }
END
ok "rf_type_NAME under refrain-cc" sh -c "'$CCRF' -I'$top/include' byname.c -o byname && ./byname"

section "calls into the runtime are no calls to unknown code"

cat > known.c << 'END'
#include <stdlib.h>
struct p { struct p *n; int k; double d; char name[8]; };
/*@ regtype p : struct p = null | { n : p, k : int(0..500), d : double(0..1), name : string(0..7), k < n->k };
    measure length(p) = 1 + length(n);
    pred put(t, k, name) : p(*t), string(name) => p(*t), length(*t) == old(length(*t)) + 1; */
void put(struct p **t, int k, const char *name)
{
	struct p *x = calloc(1, sizeof *x);
	x->k = k;
	x->name[0] = name[0];
	x->n = *t;
	*t = x;
}
int main(void)
{
	struct p *t = NULL;
	for (int i = 0; i < 400; i++)
		put(&t, 400 - i, "x");
	return 0;
}
END
for cc in gcc clang; do
	command -v $cc > /dev/null || continue
	ok "compiles with $cc" env RF_CC=$cc "$CCRF" -O2 known.c -o known
	RF_CHECK=json=r.json ./known 2> err
	is "nothing is walked in full ($cc)" "$(node -e "const d = JSON.parse(require('fs').readFileSync('r.json')); console.log(d.full_passes, d.restarts, d.violations, d.nodes < 4000)")" "0 0 0 true"
done

section "sampling, violations as JSON lines, the debugger"

cat > many.c << 'END'
#include <stdlib.h>
struct p { struct p *n; int k; };
/*@ regtype p : struct p = null | { n : p, k : int(0..5) }; pred f(x) : p(x); */
void f(struct p *x) { (void)x; }
int main(int argc, char **argv)
{
	struct p *a = calloc(1, sizeof *a);
	(void)argv;
	for (int i = 0; i < 100; i++) {
		a->k = i;
		f(a);
	}
	return argc - 1;
}
END
ok "compiles" "$CCRF" -g many.c -o many
RF_CHECK=count,json=r.json,sample=10,stats ./many 2> err
has "said in the statistics" err "one call in 10 was checked (sample=10); 90 calls were not"
is "one in ten" "$(node -e "const d = JSON.parse(require('fs').readFileSync('r.json')); console.log(d.checks, d.violations, d.sample, d.skipped)")" "10 9 10 90"
RF_CHECK=sample=0 ./many 2> err
is "sample=0 is refused" "$?" 2
rm -f v.jsonl
RF_CHECK=count,violations=v.jsonl ./many 2> err
RF_CHECK=warn,violations=v.jsonl,json=r.json ./many 2> err
is "a line each, appended" "$(node -e "const l = require('fs').readFileSync('v.jsonl', 'utf8').trim().split('\n').map(JSON.parse);
	console.log(l.length, l[0].function, l[0].faults[0].fault, l[187].faults[0].fault, JSON.parse(require('fs').readFileSync('r.json')).reports.length)")" \
	"188 f x->k = 6, expected 0..5 x->k = 99, expected 0..5 94"
mkdir -p nowhere
RF_CHECK=count,violations=nowhere ./many 2> err
has "a file that cannot be written is named" err "cannot write 'nowhere'"
if command -v gdb > /dev/null; then
	RF_CHECK=warn gdb -batch -ex 'break rf_violation' -ex run -ex 'up 2' -ex 'info locals' ./many > gdb.out 2>&1
	has "gdb stops in rf_violation" gdb.out "Breakpoint 1, "
	ok "called by the wrapper" grep -q "many.c:3\|rf_bad" gdb.out
else
	skip "gdb" "not installed"
fi

section "contracts in words"

printf 'struct s { struct s *n; int k, cap; };\n/*@ regtype s : struct s = null | { n : s, k : int(0..), k <= cap, n->k > k };\n    measure len(s) = 1 + len(n);\n    pred put(x, v) : s(x), v >= 0 => s(x), len(x) == old(len(x)) + 1; */\nvoid put(struct s *x, int v);\n' > w.h
ok "explain" sh -c '"$REFRAIN" check explain w.h > w.txt'
is "the whole of it" "$(cat w.txt)" "w.h:2: type s
  NULL, or a pointer to a struct s in readable memory that is not freed, where
    - n is of type s
    - k is an integer, at least 0
    - k <= cap
    - n->k > k (nothing is asked where a pointer on the way is NULL)
  no node leads back to itself, and none is reached twice
w.h:3: measure len of a s
  1 + len(n); of NULL 0
w.h:4: function put
  at each call: x is of type s and v >= 0
  when it returns, if that held: x is of type s and len(x) == old(len(x)) + 1"
exits "a file without annotations" 2 "$REFRAIN" check explain many.c.none
printf 'int x;\n' > none.h
exits "nothing to explain" 2 "$REFRAIN" check explain none.h

section "CMake and Meson, as the manual says"

mkdir -p proj && cd proj || exit 3
printf 'struct list { struct list *next; int v; };\n/*@ regtype list : struct list = null | { next : list, v : int(0..9) };\n    pred length(l) : list(l); */\nint length(struct list *l);\n' > list.h
printf '#include "list.h"\nint length(struct list *l) { int n = 0; for (; l; l = l->next) n++; return n; }\n' > list.c
printf '#include "list.h"\nint main(int argc, char **argv) { (void)argv; struct list a = {0, argc > 1 ? 12 : 3}; return length(&a) - 1; }\n' > main.c
printf 'cmake_minimum_required(VERSION 3.13)\nproject(list C)\nadd_library(list STATIC list.c)\nadd_executable(prog main.c)\ntarget_link_libraries(prog list)\n' > CMakeLists.txt
printf "project('list', 'c')\nl = static_library('list', 'list.c')\nexecutable('prog', 'main.c', link_with: l)\n" > meson.build
ok "the manual has both" grep -qxF "CC=refrain-cc meson setup build" "$top/docs/check.md"
recipe() { # NAME LINE: the line of the manual, run with our refrain-cc in front
	grep -qxF "$2" "$top/docs/check.md" || { failed "$1: not in docs/check.md"; return; }
	rm -rf build
	ok "$1: configures" env PATH="$BUILD:$PATH" sh -c "$2"
	ok "$1: builds" env PATH="$BUILD:$PATH" sh -c "$3"
	ok "$1: runs" build/prog
	RF_CHECK=warn build/prog x > out 2> err
	has "$1: contracts are checked" err "l->v = 12, expected 0..9"
}
if command -v cmake > /dev/null; then
	recipe CMake "cmake -S . -B build -DCMAKE_C_COMPILER=refrain-cc" "cmake --build build"
else
	skip "CMake" "not installed"
fi
if command -v meson > /dev/null && command -v ninja > /dev/null; then
	recipe Meson "CC=refrain-cc meson setup build" "ninja -C build"
else
	skip "Meson" "not installed"
fi
