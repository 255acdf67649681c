/* SPDX-License-Identifier: MIT */
/* Scripts of odd but possible SMT-LIB, one file each, and the comparison of what two programs answered to them.
 *
 *	smt_odd gen SEED N FOLDER    FOLDER/s0.smt2 …
 *	smt_odd check A B            A: what z3 printed, B: what refrain printed, each script's after a line @@NUMBER
 *
 * smt_scripts.c makes scripts of which it knows what they mean; here there is only text that most programs which read
 * commands by their looks get wrong: names that shadow operators and one another, macros whose bodies are captured,
 * levels that are pushed by none and popped beyond the bottom, options in the middle, quoted names, comments within
 * tokens, deep nesting, mistakes. Three scripts in a row are drawn alike, but for one choice that is the next one: what
 * differs in one small place is what a cache takes for equal. Values and models are compared by their number of lines
 * only: smt_scripts has z3 confirm them. */
#include "data/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct gen {
	uint64_t rng;
	unsigned drawn, turned; /* the draw with this number gives the next choice */
	unsigned depth;
	bool bits;            /* booleans, bit-vectors and arrays only */
	unsigned levels;      /* pushed, as far as nothing wild happened */
	const char *theories; /* letters of those that may be used besides */
	struct buf out;
};

static unsigned draw(struct gen *g, unsigned n)
{
	g->rng = g->rng * 6364136223846793005u + 1442695040888963407u;
	unsigned v = (unsigned)(g->rng >> 33);
	return (v % n + (g->drawn++ == g->turned)) % n;
}

/* A text that starts with ~ and a letter is of that theory: not to be used in every script. */
static const char *allow(const struct gen *g, const char *form, const char *instead)
{
	if (*form != '~')
		return form;
	return strchr(g->theories, form[1]) ? form + 2 : instead;
}

#define PICK(g, list) allow(g, (list)[draw(g, sizeof(list) / sizeof *(list))], *(list))

/* One of a list in two parts, an empty text between them; of the first part only? */
static const char *pick_part(struct gen *g, const char *const *list, unsigned n, bool first)
{
	unsigned part = 0;
	while (*list[part])
		part++;
	unsigned k = draw(g, first ? part : n - 1);
	return allow(g, list[k + (k >= part)], *list);
}

#define PICK_PART(g, list, first) pick_part(g, list, sizeof(list) / sizeof *(list), first)

static void put(struct gen *g, const char *text)
{
	buf_str_add(&g->out, text);
}

/* Between two tokens. */
static void blank(struct gen *g)
{
	static const char *const odd[] = {"\n", "\t\t", " ; ) (check-sat)\n", ";|\n", ";\"\n", "\r\n", "  "};
	put(g, draw(g, 12) ? " " : PICK(g, odd));
}

/* ---- terms: text in which a letter stands for a term of that sort, after $ */

static const char *const bools[] = {
	"p",
	"q",
	"|p|",
	"| p |",
	"true",
	"false",
	"(not $b)",
	"(and $b $b $b)",
	"(or $b $b)",
	"(xor $b $b $b)",
	"(=> $b $b $b)",
	"(= $b $b $b)",
	"(distinct $b $b)",
	"(ite $b $b $b)",
	"(and $b)",
	"(or)",
	"(let ((p $b)) $b)",
	"(let ((p q) (q p)) $b)",
	"(let ((p (not p))) (let ((q p)) $b))",
	"(let ((x $v)) $b)",
	"(let ((x y) (y x)) $b)",
	"(same $v $v)",
	"(bvult $v $v)",
	"(bvsle $v $v)",
	"(bvuge $v $v)",
	"(= $v $v)",
	"(= $v $v $v)",
	"(distinct $v $v $v)",
	"(= (select A $v) $v)",
	"(= (store A $v $v) A)",
	"(= A ((as const (Array (_ BitVec 8) (_ BitVec 8))) $v))",
	"(= ((_ extract 3 0) $v) ((_ extract 7 4) $v))",
	"(= #b1 (bvcomp $v $v))",
	"(bvult ((_ zero_extend 60) $v) ((_ sign_extend 60) $v))",
	"(and $b (not $b))",
	"(or $b (not $b))",
	"", /* above: bits and arrays */
	"(let ((n (+ n 1))) $b)",
	"(! $b :named $n)",
	"$n",
	"(near $i)",
	"(near n)",
	"(< $i $i)",
	"(<= $i $i $i)",
	"(= $i $i)",
	"(> $r $r)",
	"(= $r $r)",
	"(is_int $r)",
	"((_ divisible 3) $i)",
	"(exists ((n Int)) (and (near n) $b))",
	"(forall ((n Int)) (! (=> (< n 3) (< n 4)) :pattern ((f n))))",
	"(forall ((x (_ BitVec 8))) (bvule x $v))",
	"(exists ((p Bool)) $b)",
	"(= (f $i) $i)",
	"((_ is cons) l)",
	"(is-nil l)",
	"(= l (cons $i nil))",
	"(= c red)",
	"(distinct c red green blue)",
	"(bvumul_noovfl $v $v)",
	"(< $i $r)",
	"(= $r $i)",
	"(<= $i 1.5)",
	"~u(= (h $v) (h $v))",
	"~u(bvult (h $v) $v)",
	"(! $b :weight 3 :foo (a b) :pattern ((f 1)))",
	"~d(match l ((nil $b) ((cons a b) (< a $i))))",
	"~d(match c ((red $b) (any (not $b))))",
	"~d(= l (tail (cons $i l)))",
	"~d(= (fst pr) $b)",
	"~d(= pr (mk2 $b $v))",
	"~s(= $s $s)",
	"~s(str.prefixof $s $s)",
	"~s(str.contains $s $s)",
	"~s(str.< $s $s)",
	"~s(str.in_re $s (re.+ (re.union (str.to_re \"a\") (re.range \"b\" \"d\"))))",
	"~s(> (str.len $s) $i)",
	"~f(fp.lt $f $f)",
	"~f(fp.eq $f $f)",
	"~f(fp.isNaN $f)",
	"~f(= $f $f)",
	"~w(= $w $w)",
	"~w(bvult $w $w)",
	"~w(bvsgt $w $w)",
	"~w(= #b1 ((_ extract 69 69) $w))",
	"~a(= B (store B $i $r))",
	"~a(= (select B $i) $r)",
	"~a(= AA (store AA $v A))",
	"~a(= (select (select AA $v) $v) $v)",
	"~a(= B ((as const (Array Int Real)) 0.5))",
	"~u(= k1 k2)",
	"~u(= (g k1) k2)",
	"~u(forall ((k K)) (= (g k) k))",
	"~e(ev $i)",
};

static const char *const wide[] = {
	"w",
	"w2",
	"w",
	"#x00000000000000000f",
	"(_ bv9 72)",
	"(_ bv1180591620717411303424 72)",
	"(bvadd $w $w)",
	"(bvmul $w $w)",
	"(bvnot $w)",
	"((_ zero_extend 64) $v)",
	"((_ sign_extend 64) $v)",
	"(concat $v ((_ extract 63 0) $w))",
	"(bvshl $w $w)",
	"(ite $b $w $w)",
	"((_ rotate_left 70) $w)",
	"((_ repeat 9) $v)",
};

static const char *const strings[] = {
	"s",
	"s2",
	"s",
	"\"\"",
	"\"ab\"",
	"\"a\"\"b\"",
	"\"\\u{61}\\u0062\"",
	"\"; not a (comment\"",
	"(str.++ $s $s)",
	"(str.at $s $i)",
	"(str.substr $s $i $i)",
	"(str.replace $s $s $s)",
	"(str.from_int $i)",
	"(ite $b $s $s)",
	"(let ((s s2)) $s)",
};

static const char *const floats[] = {
	"e",
	"e2",
	"e",
	"(_ +oo 3 5)",
	"(_ NaN 3 5)",
	"(_ -zero 3 5)",
	"(fp #b0 #b011 #b0001)",
	"(fp.add RNE $f $f)",
	"(fp.mul RTZ $f $f)",
	"(fp.neg $f)",
	"((_ to_fp 3 5) $v)",
	"((_ to_fp 3 5) RNE $r)",
	"((_ to_fp 3 5) RNE 0.25)",
	"(fp.rem $f $f)",
	"(fp.roundToIntegral RNA $f)",
	"(ite $b $f $f)",
};

static const char *const vectors[] = {
	"x",
	"y",
	"|x|",
	"x",
	"y",
	"#x0a",
	"#xFF",
	"#x00",
	"#b00000001",
	"(_ bv3 8)",
	"( _ bv300 8)",
	"(bvadd $v $v $v)",
	"(bvsub $v $v)",
	"(bvmul $v $v)",
	"(bvudiv $v $v)",
	"(bvurem $v $v)",
	"(bvsdiv $v $v)",
	"(bvsrem $v $v)",
	"(bvsmod $v $v)",
	"(bvshl $v $v)",
	"(bvlshr $v $v)",
	"(bvashr $v $v)",
	"(bvand $v $v $v)",
	"(bvxnor $v $v)",
	"(bvnand $v $v)",
	"(bvnor $v $v)",
	"(bvnot $v)",
	"(bvneg $v)",
	"((_ rotate_left 3) $v)",
	"((_ rotate_right 11) $v)",
	"((_ extract 7 0) $v)",
	"((_ zero_extend 0) $v)",
	"(concat ((_ extract 3 0) $v) ((_ extract 3 0) $v))",
	"((_ repeat 1) $v)",
	"(ite $b $v $v)",
	"(select A $v)",
	"(select (store A $v $v) $v)",
	"(let ((y $v) (x y)) $v)",
	"(twice $v)",
	"(_ bv1 8)",
	"",
	"((_ int2bv 8) $i)",
	"~u(h $v)",
	"~u(h (h $v))",
	"~w((_ extract 71 64) $w)",
	"~f((_ fp.to_ubv 8) RTZ $f)",
	"~a(select (select AA $v) $v)",
	"(ite ((_ is red) c) $v $v)",
	"~d(snd pr)",
	"~d(match l ((nil $v) ((cons a b) ((_ int2bv 8) a))))",
};

static const char *const integers[] = {
	"n",
	"m",
	"n",
	"0",
	"1",
	"7",
	"(- 3)",
	"007",
	"(+ $i $i $i)",
	"(- $i $i)",
	"(- $i)",
	"(* 2 $i)",
	"(div $i 3)",
	"(mod $i (- 3))",
	"(div $i 0)",
	"(mod $i 0)",
	"(abs $i)",
	"(ite $b $i $i)",
	"(f $i)",
	"(let ((n m)) $i)",
	"(bv2nat $v)",
	"(head l)",
	"(to_int $r)",
	"(len l)",
	"9999999999999999999999",
	"~s(str.len $s)",
	"~s(str.indexof $s $s $i)",
	"~s(str.to_int $s)",
	"~d(match l ((nil $i) ((cons n l) n)))",
	"(* $i $i)",
	"~w(bv2nat $w)",
};

static const char *const reals[] = {"r",          "0.5",   "1.0",        "(/ 1 3)",
				    "(+ $r $r)",  "(- r)", "(/ $r 0.0)", "(to_real $i)",
				    "(* 1.5 $r)", "$i",    "(+ $i $r)",  "~a(select B $i)"};

static const char *const names[] = {"N1", "N2", "|N 3|", "|N;4|", "N1", "p1"};

static void fill(struct gen *g, const char *form);

static void term(struct gen *g, char sort)
{
	bool leaf = g->depth > 3;
	g->depth++;
	switch (sort) {
	case 'b':
		fill(g, leaf ? bools[draw(g, 6)] : PICK_PART(g, bools, g->bits));
		break;
	case 'v':
		fill(g, leaf ? vectors[draw(g, 11)] : PICK_PART(g, vectors, g->bits));
		break;
	case 'i':
		fill(g, leaf ? integers[draw(g, 8)] : PICK(g, integers));
		break;
	case 'r':
		fill(g, leaf ? reals[draw(g, 3)] : PICK(g, reals));
		break;
	case 'w':
		fill(g, leaf ? wide[draw(g, 4)] : PICK(g, wide));
		break;
	case 's':
		fill(g, leaf ? strings[draw(g, 5)] : PICK(g, strings));
		break;
	case 'f':
		fill(g, leaf ? floats[draw(g, 4)] : PICK(g, floats));
		break;
	default:
		put(g, PICK(g, names));
		break;
	}
	g->depth--;
}

static void fill(struct gen *g, const char *form)
{
	char quoted = 0;
	for (; *form; form++) {
		if (quoted ? *form == quoted : *form == '|' || *form == '"')
			quoted = quoted ? 0 : *form;
		if (*form == '$')
			term(g, *++form);
		else if (*form == ' ' && !quoted)
			blank(g);
		else
			buf_char(&g->out, *form);
	}
}

/* ---- commands */

static const char *const declarations[] = {
	"(declare-const p Bool)",
	"(declare-fun q () Bool)",
	"(declare-const | p | Bool)",
	"(declare-const x (_ BitVec 8))",
	"(declare-fun y ( ) (_ BitVec 8))",
	"(declare-const A (Array (_ BitVec 8) (_ BitVec 8)))",
	"(define-fun same ((a (_ BitVec 8)) (x (_ BitVec 8))) Bool (= a x))",
	"(define-fun twice ((v (_ BitVec 8))) (_ BitVec 8) (bvadd v v))",
	"", /* above: bits and arrays */
	"(declare-const n Int)",
	"(declare-const m Int)",
	"(declare-const r Real)",
	"(declare-fun f (Int) Int)",
	"(declare-datatypes ((L 0)) (((nil) (cons (head Int) (tail L)))))(declare-const l L)",
	"(declare-datatypes ((C 0)) (((red) (green) (blue))))(declare-const c C)",
	"(define-fun near ((i Int)) Bool (and (< (- n 2) i) (< i (+ n 2))))",
	"(define-fun-rec len ((k L)) Int (ite ((_ is nil) k) 0 (+ 1 (len (tail k)))))",
	"~a(declare-const B (Array Int Real))",
	"~a(declare-const AA (Array (_ BitVec 8) (Array (_ BitVec 8) (_ BitVec 8))))",
	"(declare-fun h ((_ BitVec 8)) (_ BitVec 8))",
	"~w(declare-const w (_ BitVec 72))(declare-const w2 (_ BitVec 72))",
	"~s(declare-const s String)(declare-const s2 String)",
	"~f(declare-const e (_ FloatingPoint 3 5))(declare-const e2 (_ FloatingPoint 3 5))",
	"~d(declare-datatypes ((P2 2)) ((par (X Y) ((mk2 (fst X) (snd Y))))))(declare-const pr (P2 Bool (_ BitVec 8)))",
	"~u(declare-sort K 0)(declare-const k1 K)(declare-const k2 K)(declare-fun g (K) K)",
	"~e(define-funs-rec ((ev ((k Int)) Bool) (od ((k Int)) Bool)) ((ite (<= k 0) true (od (- k 1))) (ite (<= k 0) "
	"false (ev (- k 1)))))",
};

/* Another meaning for a name that is there, or mistakes. */
static const char *const again[] = {
	"(define-fun same ((a (_ BitVec 8)) (x (_ BitVec 8))) Bool (bvult a x))",
	"(define-fun near ((i Int)) Bool (< n i))",
	"(define-fun twice ((v (_ BitVec 8))) (_ BitVec 8) (bvmul v v))",
	"(declare-const x (_ BitVec 4))",
	"(declare-const x Int)",
	"(define-fun x () (_ BitVec 8) #x05)",
	"(define-const y (_ BitVec 8) #x05)",
	"(define-fun p () Bool q)",
	"(define-fun N1 () Bool p)",
	"(declare-fun f (Int Int) Int)",
	"(define-fun f ((a Int)) Int (+ a 1))",
	"(define-fun not ((a Bool)) Bool a)",
	"(define-fun bvult ((a (_ BitVec 8)) (b (_ BitVec 8))) Bool (= a b))",
	"(define-fun + ((a Int) (b Int)) Int a)",
	"(declare-fun bvadd ((_ BitVec 8) (_ BitVec 8)) (_ BitVec 8))",
	"(declare-const true Bool)",
	"(define-sort B () (_ BitVec 8))(declare-const z B)(assert (= z #x01))",
	"(define-sort P (T) (Array T T))(declare-const w (P (_ BitVec 8)))(assert (= w A))",
	"(declare-sort S 0)(declare-const s S)(declare-const t S)(assert (distinct s t))",
	"(declare-sort Q 1)(declare-const u (Q Int))",
	"(define-funs-rec ((ev ((k Int)) Bool) (od ((k Int)) Bool)) ((ite (= k 0) true (od (- k 1))) (ite (= k 0) "
	"false (ev (- k 1)))))",
	"(declare-datatypes ((T2 1)) ((par (X) ((mk (fst X) (snd X))))))(declare-const t2 (T2 Int))(assert (= (fst t2) "
	"1))",
	"(declare-datatype E ((e1) (e2)))(declare-const ee E)(assert (match ee ((e1 true) (e2 p))))",
	"(declare-const nil Int)",
	"(declare-const || Bool)(assert ||)",
	"(declare-const |q\n1| Bool)(assert (not |q\n1|))",
	"(declare-const |caf\xc3\xa9| Bool)(assert |caf\xc3\xa9|)",
	"(declare-const :key Bool)",
	"(declare-const 5x Bool)",
	"(declare-const x)",
	"(declare-fun)",
};

static const char *const commands[] = {
	"(assert $b)",
	"(assert $b)",
	"(assert $b)",
	"(assert $b)",
	"(assert $b)",
	"(check-sat)",
	"(check-sat)",
	"(check-sat)",
	"(check-sat)(check-sat)",
	"( check-sat )",
	"(check-sat-assuming (p (not q)))",
	"(check-sat-assuming ($b))",
	"(check-sat-assuming ((not p) p))",
	"(check-sat-assuming ())",
	"(check-sat-assuming ((not (not p)) (and q p)))",
	"(push)",
	"(push 1)",
	"(push 1)",
	"(push 0)",
	"(push 3)",
	"(pop 0)",
	"(set-info :notes |a \" ; ( b|)",
	"(set-info :x \"a \"\" ) b\")",
	"(echo \"a (check-sat) \"\" | ; b\")",
	"(define-const dc Bool $b)(assert dc)(check-sat)",
	"(push 2)(assert $b)(check-sat)(pop 2)",
	"", /* above: no mistakes, and what does not need a state */
	"(assert (! $b :named $n))",
	"(assert (! $b :named $n :other 5))",
	"(assert (! (and (! $b :named $n) $b) :named $n))",
	"(|check-sat|)",
	"(check-sat-assuming ($n (not $n)))",
	"( check-sat-assuming ((! p :named $n) q))",
	"(check-sat-assuming (nothing))",
	"(check-sat-assuming p)",
	"(check-sat $b)",
	"(push -1)",
	"(push x)",
	"(pop)",
	"(pop 1)",
	"(pop 1)",
	"(pop 2)",
	"(pop 7)",
	"(pop 1 1)",
	"(reset-assertions)",
	"(reset)",
	"(set-option :produce-models false)",
	"(set-option :produce-models true)",
	"(set-option :produce-assignments true)",
	"(set-option :produce-unsat-assumptions true)",
	"(set-option :print-success true)",
	"(set-option :print-success false)",
	"(set-option :global-declarations true)",
	"(set-option :global-declarations false)",
	"(set-option :interactive-mode true)",
	"(set-option :pp.bv_literals false)",
	"(set-option :smt.arith.solver 2)",
	"(set-option :rewriter.hi_div0 false)",
	"(set-option :rewriter.hi_div0 true)",
	"(set-option :auto_config false)",
	"(set-option :model.completion true)",
	"(set-option :no.such 1)",
	"(set-option :produce-models maybe)",
	"(set-option)",
	"(set-info :status sat)",
	"(set-info :status unsat)",
	"(set-logic QF_BV)",
	"(set-logic ALL)",
	"(set-logic QF_LIA)",
	"(set-logic NOPE)",
	"(get-unsat-core)",
	"(get-unsat-assumptions)",
	"(get-info :name)",
	"(get-info :assertion-stack-levels)",
	"(get-info :reason-unknown)",
	"(get-info :status)",
	"(get-option :produce-models)",
	"(get-option :print-success)",
	"(get-value ())",
	"(get-value x)",
	"?(eval $b)",
	"?(eval $v)",
	"?(eval $i)",
	"?(eval x :completion true)",
	"?(get-value ($b))",
	"?(get-value (x $v p $b))",
	"?(get-value ($i $r))",
	"~s?(get-value ($s $s))",
	"~f?(get-value ($f))",
	"~w?(eval $w)",
	"~u?(get-value (n (+ n 1) k1 A))",
	"?(get-assignment)",
	"?(get-model)",
	"?(get-model 0)",
	"?(get-proof)",
	"?(get-objectives)",
	"?(apply simplify)",
	"?(declare-rel R (Int))(rule (R 1))(query R)",
	"(check-sat-assuming ($n p))?(get-unsat-core)",
	"(set-option :random-seed 7)",
	"(set-option :smt.random_seed 3)",
	"(set-option :timeout 60000)",
	"(set-option :produce-proofs true)",
	"(set-option :smtlib2_compliant true)",
	"(set-option :smt.phase_selection 5)",
	"(get-option :random-seed)",
	"(get-option :produce-unsat-cores)",
	"(include \"nothing.smt2\")",
	"(declare-datatypes (T) ((Lst nil2 (cons2 (hd T) (tl Lst)))))(declare-const l2 (Lst Int))(assert (= l2 nil2))",
	"(declare-const nm Int)(assert (! (> nm 0) :named |a b|))(check-sat-assuming (|a b| (not p)))",
	"(simplify (and true p))",
	"(echo |quoted|)",
	"(echo)",
	"(assert)",
	"(assert $b $b)",
	"(assert $v)",
	"(assert (bvult x n))",
	"(assert ((_ extract 9 0) x))",
	"(assert (= x #x0))",
	"(assert ($b))",
	"(assert (let () $b))",
	"(assert (let ((p true) (p false)) p))",
	"(assert (exists () p))",
	"(assert (! p))",
	"(assert (as p Bool))",
	"(assert (= nil (as nil L)))",
	"(nope)",
	"()",
	"5",
	"sat",
	"(exit)",
	"(assert-soft p :weight 2)",
	"(minimize n)",
	"(check-sat-using smt)",
	"(check-sat-using (then simplify smt))",
	"(get-assertions)",
	"(labels)",
	"(declare-var vv Int)",
};

/* Many bindings of one let, many arguments of one operator. */
static void broad(struct gen *g)
{
	unsigned n = 1u << (3 + draw(g, 7)), let = draw(g, 2);
	put(g, let ? "(assert (let (" : "(assert (");
	put(g, let ? "" : draw(g, 2) ? "and" : "or");
	for (unsigned i = 0; i < n; i++) {
		if (let)
			buf_printf(&g->out, "(v%u ", i);
		fill(g, i % 7 ? " (bvule x y)" : " $b");
		put(g, let ? ")" : "");
	}
	if (let)
		buf_printf(&g->out, ") (or v0 v%u (not v%u))", n / 2, n - 1);
	put(g, "))\n");
}

/* (not (not … p)), lets in lets, sums of sums */
static void deep(struct gen *g)
{
	static const char *const before[] = {"(not ", "(let ((p (not p))) ", "(and q ", "(or p ", "(! "};
	static const char *const after[] = {")", ")", ")", ")", " :weight 1)"};
	unsigned n = 1u << (4 + draw(g, 9)), k = draw(g, 4 + (n < 100));
	put(g, "(assert ");
	for (unsigned i = 0; i < n; i++)
		put(g, before[k]);
	put(g, "p");
	for (unsigned i = 0; i < n; i++)
		put(g, after[k]);
	put(g, ")\n");
}

/* A level of its own with names that mean something else on the next one. */
static void local(struct gen *g)
{
	static const char *const bodies[] = {"(= a b)",
					     "(bvult a b)",
					     "(bvult b a)",
					     "(= a x)",
					     "(let ((x a)) (bvult x b))",
					     "(let ((a b) (b a)) (bvule a b))",
					     "(forall ((a (_ BitVec 8))) (bvule b a))"};
	static const char *const sorts[] = {"Bool", "(_ BitVec 8)", "(_ BitVec 9)", "(Array Bool Bool)"};
	put(g, PICK(g, ((const char *const[]){"(push)", "(push 1)", "(push 2)(pop 1)"})));
	if (draw(g, 2)) {
		buf_printf(&g->out, "(define-fun w ((a (_ BitVec 8)) (b (_ BitVec 8))) Bool %s)", PICK(g, bodies));
		fill(g, "(assert (w $v $v))(assert (not (w $v $v)))");
	} else {
		const char *sort = PICK(g, sorts);
		buf_printf(&g->out, "(declare-const z %s)(declare-const z2 %s)(assert (%s z z2 z))", sort, sort,
			   draw(g, 2) ? "=" : "distinct");
	}
	put(g, draw(g, 3) ? "(check-sat)(pop)" : "(check-sat-assuming ((not p)))(check-sat)(pop 1)");
}

/* A command of the list. After ? there is one whose answer is values or text of any number of lines: between marks. */
static void listed(struct gen *g, const char *form)
{
	const char *asks = strchr(form, '?');
	if (!asks) {
		fill(g, form);
		return;
	}
	for (const char *c = form; c < asks; c++) /* none of these has a term but names */
		if (*c == '$')
			term(g, *++c);
		else
			buf_char(&g->out, *c);
	put(g, "(echo \"<<\")");
	fill(g, asks + 1);
	put(g, "(echo \">>\")");
}

static void command(struct gen *g, bool calm)
{
	unsigned k = draw(g, 42);
	if (k < 2 && !calm) {
		fill(g, PICK(g, again));
	} else if (k == 2) {
		deep(g);
	} else if (k == 40) {
		broad(g);
	} else if (k < 6) {
		local(g);
	} else if (k < 9 && g->levels) {
		put(g, "(pop 1)");
		g->levels--;
	} else {
		const char *form = PICK_PART(g, commands, calm);
		listed(g, form);
		if (!strncmp(form, "(push", 5))
			g->levels += form[5] == ')' ? 1 : (unsigned)atoi(form + 6);
	}
}

static void script(struct gen *g, uint64_t seed, unsigned number)
{
	g->rng = seed * 1000003 + number / 3;
	g->drawn = 0;
	g->turned = 0;
	for (int i = 0; i < 4; i++)
		draw(g, 2);
	/* the first as it is, the second nearly so, the third nearly so at another place */
	g->drawn = 1;
	g->turned = number % 3 ? 1 + (unsigned)((seed * 31 + number * 7919u) % 120) : 0;
	buf_clear(&g->out);
	buf_printf(&g->out, "(echo \"@@%u\")\n", number);
	bool models = draw(g, 2);
	if (models)
		put(g, "(set-option :produce-models true)\n");
	if (!draw(g, 4))
		put(g, "(set-option :global-declarations true)\n");
	if (!draw(g, 4))
		put(g, "(set-option :produce-unsat-cores true)\n");
	static const char *const theories[] = {"", "", "s", "f", "w", "u", "a", "d", "e", "wu", "ad", "uf"};
	g->bits = draw(g, 2);
	g->theories = PICK(g, theories);
	bool calm = draw(g, 3);
	g->levels = 0;
	for (size_t i = 0; i < sizeof declarations / sizeof *declarations && (*declarations[i] || !g->bits); i++)
		if (calm || draw(g, 40)) {
			fill(g, allow(g, declarations[i], ""));
			put(g, "\n");
		}
	for (unsigned i = 4 + draw(g, 20); i > 0; i--) {
		command(g, calm);
		put(g, draw(g, 8) ? "\n" : "");
	}
	put(g, "(check-sat)\n");
	static const char *const ends[] = {"(check-sat", "; the end",    "(assert |open",
					   ")",          "(echo \"open", "(check-sat))"};
	if (!draw(g, 8))
		put(g, PICK(g, ends));
}

/* ---- comparing */

/* The next line of the script without its end; NULL at the next script or the end. */
static char *next_line(char **at)
{
	char *from = *at, *nl = strchr(from, '\n');
	if (!*from || !strncmp(from, "@@", 2))
		return NULL;
	*at = nl ? nl + 1 : from + strlen(from);
	if (nl)
		*nl = 0;
	return from;
}

/* The line after marks; the first of what is between them in *first, NULL if there is nothing. */
static char *past_marks(char **at, char *line, const char **first)
{
	*first = NULL;
	if (!line || (strcmp(line, "<<") && strcmp(line, "\"<<\"")))
		return line;
	while ((line = next_line(at)) && strcmp(line, ">>") && strcmp(line, "\">>\""))
		*first = *first ? *first : line;
	return line;
}

static bool is_verdict(const char *t)
{
	return !strcmp(t, "sat") || !strcmp(t, "unsat") || !strcmp(t, "unknown");
}

/* Two different lines: of one kind, and may be so? */
static bool allowed(const char *a, const char *b)
{
	if (is_verdict(a) && is_verdict(b))
		return !strcmp(a, "unknown") || !strcmp(b, "unknown");
	if (is_verdict(a) || is_verdict(b) || strstr(a, "(error") || strstr(b, "(error") || strstr(a, "unsupported"))
		return false;
	/* values, models, assignments and cores */
	return a[0] == b[0] &&
	       (strchr("( #", a[0]) || (a[0] >= '0' && a[0] <= '9') || !strcmp(a, "true") || !strcmp(a, "false"));
}

/* At the line "@@NUMBER" of the script; false: it is not there. */
static bool to_script(char **at, unsigned number)
{
	char mark[32];
	size_t n = (size_t)snprintf(mark, sizeof mark, "@@%u\n", number);
	char *p = *at;
	while (p && strncmp(p, mark, n))
		p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL;
	if (p)
		*at = p + n;
	return p;
}

static int check(char *a, char *b)
{
	unsigned long verdicts = 0, other = 0, differences = 0;
	for (unsigned number = 0; number < 1000; number++) {
		if (!to_script(&a, number))
			continue; /* it was too hard for z3 */
		if (!to_script(&b, number)) {
			printf("script %u: nothing of refrain\n", number);
			return 1;
		}
		for (unsigned k = 1;; k++) {
			const char *u, *v, *x = past_marks(&a, next_line(&a), &u),
					   *y = past_marks(&b, next_line(&b), &v);
			if (!x && !y)
				break;
			if (u || v) { /* both an error, the same, or none */
				bool error = u && strstr(u, "(error");
				if (!u || !v || error != !!strstr(v, "(error") || (error && strcmp(u, v))) {
					x = u;
					y = v;
				}
			}
			verdicts += x && is_verdict(x);
			if (x && y && !strcmp(x, y))
				continue;
			if (x && y && allowed(x, y)) {
				other++;
				continue;
			}
			printf("script %u, line %u: z3 says %s, refrain %s\n", number, k, x ? x : "nothing",
			       y ? y : "nothing");
			differences++;
			break;
		}
	}
	printf("%lu verdicts, %lu other values, %lu differences\n", verdicts, other, differences);
	return differences ? 1 : 0;
}

int main(int argc, char **argv)
{
	struct buf a = {0}, b = {0};
	static struct gen g;
	struct err e = {0};
	if (argc == 4 && !strcmp(argv[1], "check")) {
		if (buf_read_file(&a, argv[2], 1u << 30, &e) || buf_read_file(&b, argv[3], 1u << 30, &e))
			return 2;
		buf_str_add(&a, "");
		buf_str_add(&b, "");
		int rc = check(a.at, b.at);
		buf_release(&a);
		buf_release(&b);
		return rc;
	}
	if (argc != 5 || strcmp(argv[1], "gen")) {
		fprintf(stderr, "usage: smt_odd gen SEED N FOLDER | check A B\n");
		return 2;
	}
	for (unsigned i = 0; i < strtoul(argv[3], NULL, 10); i++) {
		char path[4096];
		snprintf(path, sizeof path, "%s/s%u.smt2", argv[4], i);
		script(&g, strtoull(argv[2], NULL, 10), i);
		FILE *f = fopen(path, "w");
		if (!f || fwrite(g.out.at, 1, g.out.n, f) != g.out.n || fclose(f))
			return 3;
	}
	buf_release(&g.out);
	return 0;
}
