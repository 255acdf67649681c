/* SPDX-License-Identifier: MIT */
/* The evaluator against arithmetic done another way, and models: believed only when they evaluate to true. */
#include "smt/value/eval.h"
#include "smt/cache/models.h"

#include "base/bits.h"
#include "smt_load.h"
#include "testing.h"

typedef unsigned __int128 u128;

static u128 mask(unsigned w)
{
	return w >= 128 ? ~(u128)0 : ((u128)1 << w) - 1;
}

static __int128 sign(u128 v, unsigned w)
{
	return w == 128 ? (__int128)v : (v >> (w - 1) & 1) ? (__int128)(v | ~mask(w)) : (__int128)v;
}

static u128 negative(u128 v, unsigned w)
{
	return (0 - v) & mask(w);
}

/* The standard's definitions, on 128-bit integers. */
static bool reference(const char *op, u128 a, u128 b, unsigned w, u128 *out)
{
	bool na = a >> (w - 1) & 1, nb = b >> (w - 1) & 1;
	u128 pa = na ? negative(a, w) : a, pb = nb ? negative(b, w) : b;
	u128 q = pb ? pa / pb : mask(w), m = pb ? pa % pb : pa;
	if (!strcmp(op, "bvadd"))
		*out = a + b;
	else if (!strcmp(op, "bvsub"))
		*out = a - b;
	else if (!strcmp(op, "bvmul"))
		*out = a * b;
	else if (!strcmp(op, "bvand"))
		*out = a & b;
	else if (!strcmp(op, "bvor"))
		*out = a | b;
	else if (!strcmp(op, "bvxor"))
		*out = a ^ b;
	else if (!strcmp(op, "bvnand"))
		*out = ~(a & b);
	else if (!strcmp(op, "bvnor"))
		*out = ~(a | b);
	else if (!strcmp(op, "bvxnor"))
		*out = ~(a ^ b);
	else if (!strcmp(op, "bvshl"))
		*out = b >= w ? 0 : a << b;
	else if (!strcmp(op, "bvlshr"))
		*out = b >= w ? 0 : a >> b;
	else if (!strcmp(op, "bvashr"))
		*out = (u128)(sign(a, w) >> (b >= w ? w - 1 : (unsigned)b));
	else if (!strcmp(op, "bvudiv"))
		*out = b ? a / b : mask(w);
	else if (!strcmp(op, "bvurem"))
		*out = b ? a % b : a;
	else if (!strcmp(op, "bvsdiv"))
		*out = na != nb ? negative(q, w) : q;
	else if (!strcmp(op, "bvsrem"))
		*out = na ? negative(m, w) : m;
	else if (!strcmp(op, "bvsmod"))
		*out = !m ? 0 : na && nb ? negative(m, w) : na ? b - m : nb ? m + b : m;
	else
		return false;
	*out &= mask(w);
	return true;
}

static bool reference_order(const char *op, u128 a, u128 b, unsigned w)
{
	bool less = op[2] == 's' ? sign(a, w) < sign(b, w) : a < b, same = a == b;
	const char *relation = op + 3;
	if (!strcmp(relation, "lt"))
		return less;
	if (!strcmp(relation, "le"))
		return less || same;
	return !strcmp(relation, "gt") ? !less && !same : !less;
}

static struct value bits(struct arena *mem, u128 v, unsigned w)
{
	struct value x = {.type = VALUE_BITS, .width = w, .u = (uint64_t)v};
	if (w > 64) {
		uint64_t l[2] = {(uint64_t)v, (uint64_t)(v >> 64)};
		x.limbs = arena_dup(mem, l, sizeof l);
	}
	return x;
}

static u128 number(const struct value *v)
{
	return v->width <= 64 ? v->u : (u128)v->limbs[1] << 64 | v->limbs[0];
}

static const char *const arithmetic[] = {"bvadd",  "bvsub",  "bvmul",  "bvand",  "bvor",   "bvxor",
					 "bvnand", "bvnor",  "bvxnor", "bvshl",  "bvlshr", "bvashr",
					 "bvudiv", "bvurem", "bvsdiv", "bvsrem", "bvsmod"};
static const char *const orders[] = {"bvult", "bvule", "bvugt", "bvuge", "bvslt", "bvsle", "bvsgt", "bvsge"};

static void check_pair(struct arena *mem, u128 a, u128 b, unsigned w)
{
	struct value args[2] = {bits(mem, a, w), bits(mem, b, w)}, out;
	for (size_t i = 0; i < sizeof arithmetic / sizeof *arithmetic; i++) {
		u128 want;
		bool known = value_apply(mem, value_op_find(arithmetic[i], strlen(arithmetic[i])), args, 2, &out);
		assert_true(reference(arithmetic[i], a, b, w, &want));
		/* wide division is not known, and says so */
		if (w > 64 && i >= 12) {
			assert_false(known);
			continue;
		}
		assert_true(known && out.width == w);
		if (number(&out) != want)
			print_message("%s %llx %llx width %u\n", arithmetic[i], (unsigned long long)a,
				      (unsigned long long)b, w);
		assert_true(number(&out) == want);
	}
	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
		assert_true(value_apply(mem, value_op_find(orders[i], 5), args, 2, &out));
		assert_int_equal(out.u, reference_order(orders[i], a, b, w));
	}
}

static void arithmetic_of_all_small_values(void **state)
{
	(void)state;
	struct arena mem = {0};
	for (unsigned w = 1; w <= 4; w++)
		for (unsigned a = 0; a < 1u << w; a++)
			for (unsigned b = 0; b < 1u << w; b++)
				check_pair(&mem, a, b, w);
	arena_release(&mem);
}

static void arithmetic_of_wide_values(void **state)
{
	(void)state;
	struct arena mem = {0};
	struct rng r = {7};
	static const unsigned widths[] = {8, 31, 32, 63, 64, 65, 100, 127, 128};
	for (int i = 0; i < 4000; i++) {
		unsigned w = widths[rng_below(&r, 9)];
		u128 a = ((u128)rng_next(&r) << 64 | rng_next(&r)) & mask(w),
		     b = ((u128)rng_next(&r) << 64 | rng_next(&r)) & mask(w);
		if (rng_below(&r, 2))
			b = rng_below(&r, w + 3) & mask(w);
		check_pair(&mem, a, b, w);
		unsigned lo = (unsigned)rng_below(&r, w), hi = lo + (unsigned)rng_below(&r, w - lo),
			 more = (unsigned)rng_below(&r, 129 - w);
		char op[40];
		struct value v = bits(&mem, a, w), out;
		snprintf(op, sizeof op, "(_ extract %u %u)", hi, lo);
		assert_true(value_apply(&mem, value_op_find(op, strlen(op)), &v, 1, &out));
		assert_true(out.width == hi - lo + 1 && number(&out) == (a >> lo & mask(hi - lo + 1)));
		snprintf(op, sizeof op, "(_ sign_extend %u)", more);
		assert_true(value_apply(&mem, value_op_find(op, strlen(op)), &v, 1, &out));
		assert_true(out.width == w + more && number(&out) == ((u128)sign(a, w) & mask(w + more)));
		snprintf(op, sizeof op, "(_ zero_extend %u)", more);
		assert_true(value_apply(&mem, value_op_find(op, strlen(op)), &v, 1, &out));
		assert_true(out.width == w + more && number(&out) == a);
		assert_true(value_apply(&mem, value_op_find("bvnot", 5), &v, 1, &out) &&
			    number(&out) == (~a & mask(w)));
		assert_true(value_apply(&mem, value_op_find("bvneg", 5), &v, 1, &out) &&
			    number(&out) == negative(a, w));
		if (more) {
			struct value two[2] = {v, bits(&mem, b & mask(more), more)};
			assert_true(value_apply(&mem, value_op_find("concat", 6), two, 2, &out));
			assert_true(out.width == w + more && number(&out) == (a << more | (b & mask(more))));
		}
	}
	arena_release(&mem);
}

/* The label of a sort that such a value may have. */
static uint32_t sort_for(const struct terms *t, const struct value *v)
{
	const char *text = v->type == VALUE_ARRAY    ? "(Array (_ BitVec 8) (_ BitVec 8))"
			   : v->type != VALUE_NUMBER ? ""
			   : v->width == 1           ? "Int"
						     : "Real";
	uint32_t sort = 0;
	for (uint32_t i = 1; i < t->n_labels; i++)
		if (t->label[i].kind == LABEL_SORT && !strcmp(t->label[i].text, text))
			sort = i;
	return sort;
}

/* The value of a closed term as text, "?" when it has none. */
static char *evaluate(const char *term)
{
	struct reader l;
	struct buf b = {0};
	struct eval e = {0};
	struct value v;
	reader_init(&l);
	buf_printf(&b,
		   "(declare-fun u () Int)(declare-fun r () Real)(declare-fun w () (Array (_ BitVec 8) (_ BitVec "
		   "8)))(assert %s)",
		   term);
	assert_true(smt_load(&l, b.at));
	buf_clear(&b);
	struct terms t = dag_terms(&l.dag);
	eval_begin(&e, &t, l.dag.term.n);
	if (eval_term(&e, l.assertion.at[0], &v) == RC_OK)
		assert_true(eval_print(&b, &v, &t, sort_for(&t, &v)));
	else
		buf_str_add(&b, "?");
	eval_release(&e);
	reader_release(&l);
	return b.at;
}

static void terms(void **state)
{
	(void)state;
	static const struct {
		const char *term, *value;
	} cases[] = {
		{"(and true (or false true) (xor true false) (=> false false) (not false))", "true"},
		{"(=> true true false)", "false"},
		{"(= #x01 #x01 #x02)", "false"},
		{"(distinct #x01 #x02 #x01)", "false"},
		{"(distinct #x01 #x02 #x03)", "true"},
		{"(ite (= #b1 #b1) #x0a #x0b)", "#x0a"},
		{"(select (store ((as const (Array (_ BitVec 8) (_ BitVec 8))) #x07) #x01 #x02) #x01)", "#x02"},
		{"(select (store ((as const (Array (_ BitVec 8) (_ BitVec 8))) #x07) #x01 #x02) #x00)", "#x07"},
		{"(store ((as const (Array (_ BitVec 8) (_ BitVec 8))) #x07) #x01 #x02)",
		 "(store ((as const (Array (_ BitVec 8) (_ BitVec 8))) #x07) #x01 #x02)"},
		{"(= (store ((as const (Array (_ BitVec 8) Bool)) true) #x01 false) (store ((as const (Array (_ BitVec "
		 "8) Bool)) true) #x02 false))",
		 "false"},
		{"(= (store ((as const (Array (_ BitVec 8) Bool)) true) #x01 true) ((as const (Array (_ BitVec 8) "
		 "Bool)) true))",
		 "true"},
		{"(= ((as const (Array (_ BitVec 1) Bool)) true) (store (store ((as const (Array (_ BitVec 1) Bool)) "
		 "false) #b0 true) #b1 true))",
		 "?"},
		{"(bvcomp #x0f #x0f)", "#b1"},
		{"((_ rotate_left 4) #x0f1)", "#xf10"},
		{"((_ rotate_right 4) #x0f1)", "#x10f"},
		{"((_ repeat 3) #b10)", "#b101010"},
		{"(bvadd #x01 #x02 #x03)", "#x06"},
		{"(> u 1)", "?"},
		{"(+ 1 2 3)", "6"},
		{"(- 3)", "(- 3)"},
		{"(- 10 3 9)", "(- 2)"},
		{"(* 2 (- 3) 4)", "(- 24)"},
		{"(/ 6 (- 4))", "(- (/ 3.0 2.0))"},
		{"(/ 1 2 2)", "(/ 1.0 4.0)"},
		{"(/ 1 0)", "?"},
		{"(div 7 0)", "?"},
		{"(mod 7 (- 2 2))", "?"},
		{"(div 7 2)", "3"},
		{"(div (- 7) 2)", "(- 4)"},
		{"(div 7 (- 2))", "(- 3)"},
		{"(div (- 7) (- 2))", "4"},
		{"(mod (- 7) 2)", "1"},
		{"(mod (- 7) (- 2))", "1"},
		{"(mod 7.5 2)", "?"},
		{"(abs (- 7))", "7"},
		{"(abs (- 7.5))", "?"},
		{"(to_int (- 7.5))", "(- 8)"},
		{"(to_int 7.5)", "7"},
		{"(is_int (/ 6 3))", "true"},
		{"(is_int 1.5)", "false"},
		{"(< 1 1.5 2)", "true"},
		{"(< 1 2 2)", "false"},
		{"(<= 1 2 2)", "true"},
		{"(> 2 1 1)", "false"},
		{"(>= 2 1 1)", "true"},
		{"(= 1.50 (/ 3 2))", "true"},
		{"(distinct 1.5 1)", "true"},
		{"(+ 9223372036854775807 1)", "?"},
		{"(+ 9223372036854775806 1)", "9223372036854775807"},
		{"(- (- 9223372036854775807) 1)", "(- 9223372036854775808)"},
		{"(* 4294967296 4294967296)", "?"},
		{"99999999999999999999999999999999999999999999", "?"},
		{"(/ 1 4294967296)", "?"},
		{"(select (store ((as const (Array Int Real)) 2.5) (- 1) 3.5) (- 0 1))", "(/ 7.0 2.0)"},
		{"(= (store ((as const (Array Int Int)) 0) 1 2) (store (store ((as const (Array Int Int)) 0) 1 3) 1 "
		 "2))",
		 "true"},
		{"(+ 1 #x01)", "?"},
		{"(ite (< 1 2) 3 4)", "3"},
		{"(exists ((z Int)) true)", "?"},
		{"(bvadd #x01 #x001)", "?"},
		{"(bvfoo #x01 #x01)", "?"},
	};
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		char *got = evaluate(cases[i].term);
		assert_string_equal(got, cases[i].value);
		free(got);
	}
}

#define V                                                                                                              \
	"(declare-fun a () (_ BitVec 8))(declare-fun b () (_ BitVec 8))(declare-fun m () (Array (_ BitVec 8) (_ "      \
	"BitVec 8)))"

static enum rc look(struct models *m, struct reader *l, const char *text, unsigned how)
{
	const char *origin;
	assert_true(smt_load(l, text));
	return models_lookup(m, &l->query, how, &origin);
}

static void models_are_evaluated(void **state)
{
	(void)state;
	struct models *m = models_new(0);
	struct reader l;
	reader_init(&l);
	const char *query = V "(assert (bvult a b))(assert (= (select m a) #x07))";
	assert_true(smt_load(&l, query));
	const char *good = "(model (define-fun a () (_ BitVec 8) #x01)\n(define-fun b () (_ BitVec 8) #x02)(define-fun "
			   "f ((x Int)) Int x)"
			   "(define-fun m () (Array (_ BitVec 8) (_ BitVec 8)) (store ((as const (Array (_ BitVec 8) "
			   "(_ BitVec 8))) #x00) #x01 #x07)))";
	models_add(m, &l.query, good, strlen(good), "first");
	assert_int_equal(look(m, &l, query, MODELS_EXACT), RC_OK);
	assert_int_equal(look(m, &l, V "(assert (= (select m a) #x07))(assert (bvult a b))", MODELS_EXACT), RC_OK);
	assert_int_equal(look(m, &l,
			      "(declare-fun c () (_ BitVec 8))(declare-fun d () (_ BitVec 8))(declare-fun n () (Array "
			      "(_ BitVec 8) (_ BitVec 8)))"
			      "(assert (bvult c d))(assert (= (select n c) #x07))",
			      MODELS_RENAMED),
			 RC_OK);
	assert_int_equal(
		look(m, &l, V "(assert (bvult a b))(assert (= (select m a) #x08))", MODELS_EXACT | MODELS_RENAMED),
		RC_NO);
	/* a model that does not hold is not believed, whatever its key says */
	models_free(m);
	m = models_new(0);
	assert_true(smt_load(&l, query));
	const char *bad = "((define-fun a () (_ BitVec 8) #x02) (define-fun b () (_ BitVec 8) #x01))";
	models_add(m, &l.query, bad, strlen(bad), "wrong");
	assert_int_equal(look(m, &l, query, MODELS_EXACT | MODELS_RENAMED), RC_NO);
	/* neither is one of other sorts */
	const char *sorts = "((define-fun a () Bool true) (define-fun b () (_ BitVec 16) #x0001))";
	models_add(m, &l.query, sorts, strlen(sorts), "sorts");
	assert_int_equal(look(m, &l, query, MODELS_EXACT | MODELS_RENAMED), RC_NO);
	models_free(m);
	reader_release(&l);
}

/* Is the model believed for the query? how: MODELS_SORTED or 0. */
static bool believed(const char *query, const char *model, unsigned how)
{
	struct models *m = models_new(0);
	struct reader l;
	reader_init(&l);
	assert_true(smt_load(&l, query));
	models_add(m, &l.query, model, strlen(model), "model");
	bool exact = look(m, &l, query, MODELS_EXACT | how) == RC_OK;
	assert_int_equal(exact, look(m, &l, query, MODELS_RENAMED | how) == RC_OK);
	models_free(m);
	reader_release(&l);
	return exact;
}

static void models_of_functions(void **state)
{
	(void)state;
	const char *q = "(declare-sort |c s| 0)(declare-fun f (|c s| Int) Int)(declare-fun g (|c s|) |c s|)"
			"(declare-fun a () |c s|)(declare-fun b () |c s|)(declare-fun x () Int)"
			"(assert (= (f a x) 5))(assert (= (f b 1) (- 5)))(assert (distinct a b))"
			"(assert (= (g a) b))(assert (= (f (g a) (+ x 1)) 7))";
	/* as z3 prints it */
#define MODEL(F, G, B, X)                                                                                              \
	"(\n(declare-fun |c s!val!0| () c s)\n(declare-fun |c s!val!1| () c s)\n(forall ((x c s)) true)\n"             \
	"(define-fun b () c s " B ")(define-fun a () c s |c s!val!0|)(define-fun x () Int " X ")"                      \
	"(define-fun g ((x!0 c s)) c s " G ")(define-fun f ((x!0 c s) (x!1 Int)) Int " F "))"
#define F(V) "(ite (and (= x!0 |c s!val!1|) (= x!1 1)) (- 5) (ite (and (= x!0 |c s!val!1|) (= x!1 4)) " V " 5))"
	assert_true(believed(q, MODEL(F("7"), "|c s!val!1|", "|c s!val!1|", "3"), 0));
	assert_true(
		believed(q, MODEL(F("7"), "(ite (= x!0 |c s!val!0|) |c s!val!1| |c s!val!0|)", "|c s!val!1|", "3"), 0));
	assert_false(believed(q, MODEL(F("8"), "|c s!val!1|", "|c s!val!1|", "3"), 0));
	assert_false(believed(q, MODEL(F("7"), "|c s!val!1|", "|c s!val!1|", "4"), 0));
	assert_false(believed(q, MODEL(F("7"), "|c s!val!0|", "|c s!val!1|", "3"), 0));
	assert_false(believed(q, MODEL(F("7"), "|c s!val!1|", "|c s!val!0|", "3"), 0));
	assert_false(believed(q, MODEL(F("#x07"), "|c s!val!1|", "|c s!val!1|", "3"), 0));
	assert_false(believed(q, MODEL("x!1", "|c s!val!1|", "|c s!val!1|", "3"), 0)); /* not of that form */
	/* values that are not of the function's sort: no integer is between 2 and 3 */
	const char *between = "(declare-fun h (Int) Int)(declare-fun x () Int)(assert (> (h x) 2))(assert (< (h x) 3))";
	assert_false(believed(between,
			      "((define-fun x () Int 1)(define-fun h ((x!0 Int)) Int (ite (= x!0 1) (/ 5 2) 0)))",
			      MODELS_SORTED));
	assert_false(
		believed(between, "((define-fun x () Int 1)(define-fun h ((x!0 Int)) Int (/ 5 2)))", MODELS_SORTED));
	/* as cvc5 does */
	const char *r = "(declare-sort T 0)(declare-fun s () T)(declare-fun t () T)(assert (distinct s t))";
	assert_true(believed(r, "((define-fun s () T (as @T_0 T))(define-fun t () T (as @T_1 T)))", 0));
	assert_false(believed(r, "((define-fun s () T (as @T_0 T))(define-fun t () T (as @T_0 T)))", 0));
	/* a datatype has the elements that it says */
	assert_false(believed("(declare-datatypes ((T 0)) (((one))))(declare-fun s () T)(declare-fun t () T)"
			      "(assert (distinct s t))",
			      "((define-fun s () T (as @T_0 T))(define-fun t () T (as @T_1 T)))", 0));
}

static void models_of_numbers(void **state)
{
	(void)state;
	const char *m = "((define-fun r () Real 2.5)(define-fun i () Int 3))";
	assert_true(believed("(declare-fun r () Real)(assert (> r 2))(assert (< (* 2 r) 5.5))", m, 0));
	assert_false(believed("(declare-fun r () Real)(assert (> r 2))(assert (< (* 2 r) 5))", m, 0));
	assert_true(believed("(declare-fun i () Int)(assert (= (mod i 2) 1))", m, 0));
	assert_false(believed("(declare-fun i () Int)(assert (= (mod i 2) 1))", "((define-fun i () Int 2.5))", 0));
	assert_false(
		believed("(declare-fun i () Int)(assert (= i i))", "((define-fun i () Int (/ 5 2)))", MODELS_SORTED));
	/* z3 rounds a real that stands for an integer, so (g r) is not r; the sorts say whether there is such a
	 * thing */
	assert_false(believed("(define-fun g ((x Int)) Int x)(declare-fun r () Real)(assert (= (g r) r))", m, 0));
	const char *both = "(declare-fun r () Real)(declare-fun i () Int)(assert (> r 2.0))(assert (> i 2))";
	assert_false(believed(both, m, 0));
	assert_true(believed(both, m, MODELS_SORTED));
}

static void models_as_text(void **state)
{
	(void)state;
	struct models *m = models_new(0), *n = models_new(0);
	struct reader l;
	struct buf key = {0}, text = {0};
	reader_init(&l);
	const char *query = V "(assert (bvult a b))", *model = "((define-fun b () (_ BitVec 8) #x02))";
	assert_true(smt_load(&l, query));
	models_add(m, &l.query, model, strlen(model), "origin");
	models_newest_text(m, &key, &text);
	assert_int_equal(models_add_text(n, text.at, text.n), RC_OK);
	assert_int_equal(look(n, &l, query, MODELS_EXACT), RC_OK);
	/* every cut and every changed byte is refused or harmless */
	for (size_t i = 0; i < text.n; i++) {
		char *copy = mem_dup(text.at, i + 1);
		models_add_text(n, copy, i);
		free(copy);
		copy = mem_dup(text.at, text.n);
		copy[i] ^= 0x15;
		models_add_text(n, copy, text.n);
		free(copy);
	}
	assert_int_equal(look(n, &l, query, MODELS_EXACT), RC_OK);
	models_free(m);
	models_free(n);
	buf_release(&key);
	buf_release(&text);
	reader_release(&l);
}

/* Chains of writes, short and long, read between the writes so that some of them have an index, against plain cells. */
static void arrays_of_many_writes(void **state)
{
	(void)state;
	enum { CELLS = 40 };
	struct rng r = {5};
	for (int round = 0; round < 60; round++) {
		struct arena mem = {0};
		uint32_t width = round % 2 ? 8 : 70;
		uint64_t cell[CELLS], limbs[CELLS][2];
		struct value zero = {.type = VALUE_BITS, .width = 8}, index[CELLS];
		for (uint64_t i = 0; i < CELLS; i++) {
			limbs[i][0] = i % 5, limbs[i][1] = i / 5;
			index[i] = (struct value){.type = VALUE_BITS, .width = width, .u = i};
			if (width > 64)
				index[i].limbs = limbs[i];
			cell[i] = 0;
		}
		struct value a = value_const_array(&mem, &zero);
		for (int step = 0; step < 400; step++) {
			size_t i = rng_below(&r, CELLS);
			if (rng_below(&r, 4) == 0) {
				cell[i] = rng_below(&r, 256);
				a = value_store(&mem, a.array, &index[i],
						&(struct value){.type = VALUE_BITS, .width = 8, .u = cell[i]});
			}
			for (int reads = 0; reads < round; reads++) {
				size_t k = rng_below(&r, CELLS);
				assert_int_equal(value_select(a.array, &index[k]).u, cell[k]);
			}
		}
		arena_release(&mem);
	}
}

UNIT_TESTS(cmocka_unit_test(arithmetic_of_all_small_values), cmocka_unit_test(arithmetic_of_wide_values),
	   cmocka_unit_test(arrays_of_many_writes), cmocka_unit_test(terms), cmocka_unit_test(models_are_evaluated),
	   cmocka_unit_test(models_of_functions), cmocka_unit_test(models_of_numbers), cmocka_unit_test(models_as_text))
