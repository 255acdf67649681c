/* SPDX-License-Identifier: MIT */
/* The stages in front of the solver: gates against their truth tables, circuits against arithmetic, the second checker
 * against clauses that do not follow, and each stage on queries that it must and must not answer. */
#include "smt/circuit/circuit.h"
#include "smt/decide/internal.h"
#include "smt/decide/simplify.h"

#include "base/bits.h"
#include "smt_load.h"
#include "testing.h"

/* ---- gates and circuits */

static bool gate_value(enum gate_kind kind, bool a, bool b, bool c)
{
	switch (kind) {
	case GATE_AND:
		return a && b;
	case GATE_XOR:
		return a != b;
	case GATE_MUX:
		return a ? b : c;
	case GATE_MAJ:
		return a + b + c >= 2;
	default:
		return (a + b + c) % 2;
	}
}

static uint32_t make_gate(struct circuit *c, enum gate_kind kind, const uint32_t *in)
{
	switch (kind) {
	case GATE_AND:
		return gate_and(c, in[0], in[1]);
	case GATE_XOR:
		return gate_xor(c, in[0], in[1]);
	case GATE_MUX:
		return gate_mux(c, in[0], in[1], in[2]);
	case GATE_MAJ:
		return gate_maj(c, in[0], in[1], in[2]);
	default:
		return gate_xor3(c, in[0], in[1], in[2]);
	}
}

/* Each input is one of three variables or the constant, or its negation: all folding rules are met. */
static void test_gates(void **state)
{
	(void)state;
	for (uint32_t kind = GATE_AND; kind <= GATE_XOR3; kind++)
		for (uint32_t pick = 0; pick < 512; pick++) {
			struct circuit c;
			uint32_t var[4], in[3];
			circuit_init(&c, NULL);
			var[3] = c.yes;
			for (int i = 0; i < 3; i++)
				var[i] = 2 * sat_variable(&c.sat);
			for (int i = 0; i < 3; i++)
				in[i] = var[pick >> 3 * i & 3] ^ (pick >> (3 * i + 2) & 1);
			uint32_t out = make_gate(&c, (enum gate_kind)kind, in);
			for (uint32_t set = 0; set < 8; set++) {
				uint32_t assume[4];
				bool v[4] = {set & 1, set >> 1 & 1, set >> 2 & 1, true}, x[3];
				for (int i = 0; i < 3; i++) {
					assume[i] = var[i] ^ !v[i];
					x[i] = v[pick >> 3 * i & 3] ^ (pick >> (3 * i + 2) & 1);
				}
				bool want = gate_value((enum gate_kind)kind, x[0], x[1], x[2]);
				assume[3] = out ^ !want;
				assert_int_equal(sat_solve(&c.sat, assume, 4, NULL, 0, 1000), SAT_YES);
				assume[3] ^= 1;
				assert_int_equal(sat_solve(&c.sat, assume, 4, NULL, 0, 1000), SAT_NO);
			}
			sat_reset(&c.sat);
			sat_check(&c.sat);
			circuit_release(&c);
		}
}

/* Every operator at a width, on values that are likely to go wrong. */
static void check_circuits(unsigned w, struct rng *rng)
{
	struct bank b = {0};
	struct circuit c;
	circuit_init(&c, NULL);
	uint32_t x = bank_variable(&b, "x", w, false), y = bank_variable(&b, "y", w, false);
	VEC(uint32_t) node = {0};
	for (unsigned op = NODE_NOT; op <= NODE_SLT; op++) {
		bool unary = op == NODE_NOT || op == NODE_EXTRACT || op == NODE_SEXT;
		struct node n = {(uint8_t)op, (uint8_t)w, x, unary ? NODE_NONE : y, NODE_NONE, 0};
		if (op == NODE_EQ || op == NODE_ULT || op == NODE_SLT)
			n.width = 1;
		if (op == NODE_EXTRACT)
			n.width = (uint8_t)(w - (n.k = w / 3));
		if ((op == NODE_CONCAT || op == NODE_SEXT) && w > 32)
			continue;
		if (op == NODE_CONCAT || op == NODE_SEXT)
			n.width = (uint8_t)(2 * w);
		vec_push(&node, bank_intern(&b, n));
	}
	for (uint32_t i = 0; i < b.node.n; i++)
		circuit_make(&c, &b, i);
	for (int round = 0; round < 40; round++) {
		uint64_t edge[] = {0, 1, node_mask(w), (uint64_t)1 << (w - 1), w, rng_next(rng) & node_mask(w)};
		uint64_t u = edge[rng_below(rng, 6)] & node_mask(w), v = edge[rng_below(rng, 6)] & node_mask(w);
		VEC(uint32_t) assume = {0};
		for (unsigned i = 0; i < w; i++) {
			vec_push(&assume, circuit_bits(&c, x)[i] ^ !(u >> i & 1));
			vec_push(&assume, circuit_bits(&c, y)[i] ^ !(v >> i & 1));
		}
		assert_int_equal(sat_solve(&c.sat, assume.at, assume.n, NULL, 0, 100000000), SAT_YES);
		for (size_t i = 0; i < node.n; i++) {
			const struct node *n = &b.node.at[node.at[i]];
			uint64_t want = node_apply(&b, n, u, v, 0);
			if (circuit_value(&c, &b, node.at[i]) != want)
				fail_msg("operator %u, width %u: %llx, %llx gives %llx", n->op, w,
					 (unsigned long long)u, (unsigned long long)v,
					 (unsigned long long)circuit_value(&c, &b, node.at[i]));
		}
		vec_release(&assume);
	}
	vec_release(&node);
	circuit_release(&c);
	bank_check(&b);
	bank_release(&b);
}

static void test_circuits(void **state)
{
	(void)state;
	struct rng rng = {5};
	static const unsigned widths[] = {1, 2, 3, 5, 7, 8, 13, 16, 32};
	for (size_t i = 0; i < ARRAY_LEN(widths); i++)
		check_circuits(widths[i], &rng);
}

/* ---- the second checker */

static void test_proof(void **state)
{
	(void)state;
	struct proof *p = proof_new();
	uint32_t a = 0, b = 2, c = 4;
	proof_given(p, (uint32_t[]){a, b}, 2);
	proof_given(p, (uint32_t[]){a ^ 1, b}, 2);
	proof_given(p, (uint32_t[]){b ^ 1, c, a}, 3);
	assert_false(proof_refutes(p, (uint32_t[]){b}, 1));
	assert_true(proof_refutes(p, (uint32_t[]){b ^ 1}, 1));
	proof_learnt(p, (uint32_t[]){b}, 1); /* follows */
	assert_true(proof_ok(p));
	assert_true(proof_refutes(p, (uint32_t[]){a ^ 1, c ^ 1}, 2));
	assert_false(proof_refutes(p, (uint32_t[]){a ^ 1}, 1));
	proof_learnt(p, (uint32_t[]){c}, 1); /* does not */
	assert_false(proof_ok(p));
	proof_free(p);
}

/* Random clauses under random assumptions: the search and trying everything agree, the checker accepts every step. */
static void test_search(void **state)
{
	(void)state;
	struct rng rng = {11};
	for (int round = 0; round < 300; round++) {
		enum { VARS = 10 };
		struct proof *p = proof_new();
		struct sat s;
		uint32_t vars[VARS], clause[44][3], assume[2];
		sat_init(&s, p);
		for (int i = 0; i < VARS; i++)
			vars[i] = sat_variable(&s);
		int n = 36 + (int)rng_below(&rng, 9);
		for (int i = 0; i < n; i++) {
			for (int k = 0; k < 3; k++)
				clause[i][k] = 2 * vars[rng_below(&rng, VARS)] + (uint32_t)rng_below(&rng, 2);
			sat_clause(&s, clause[i], 3);
		}
		for (int again = 0; again < 4; again++) {
			bool want = false;
			for (int i = 0; i < 2; i++)
				assume[i] = (uint32_t)rng_below(&rng, 2 * VARS);
			for (uint32_t set = 0; set < 1 << VARS && !want; set++) {
				want = true;
				for (int i = 0; i < 2; i++)
					want &= (set >> (assume[i] >> 1) & 1) != (assume[i] & 1);
				for (int i = 0; i < n && want; i++) {
					bool any = false;
					for (int k = 0; k < 3; k++)
						any |= (set >> (clause[i][k] >> 1) & 1) != (clause[i][k] & 1);
					want &= any;
				}
			}
			enum sat_result r = sat_solve(&s, assume, 2, vars, VARS, 1000000);
			assert_int_equal(r, want ? SAT_YES : SAT_NO);
			if (!want)
				assert_true(proof_refutes(p, s.failed.at, s.failed.n));
			sat_reset(&s);
			sat_check(&s);
		}
		assert_true(proof_ok(p));
		sat_release(&s);
		proof_free(p);
	}
}

/* ---- stages */

struct fixture {
	struct reader reader;
	struct decide *decide;
	struct decide_answer answer;
};

static void begin(struct fixture *f, unsigned without, size_t max_bytes)
{
	struct decide_options o = {without, max_bytes, true};
	memset(f, 0, sizeof *f);
	reader_init(&f->reader);
	f->decide = decide_new(&o);
}

static void end(struct fixture *f)
{
	decide_check(f->decide);
	decide_free(f->decide);
	reader_release(&f->reader);
}

/* "sat", "unsat" with the stage's name, or "". */
static const char *ask(struct fixture *f, const char *text)
{
	static char said[64];
	struct err e = ERR_INIT;
	assert_true(smt_load(&f->reader, text));
	enum rc rc = decide_look(f->decide, &f->reader.query, &f->answer);
	if (rc == RC_NO)
		rc = decide_solve(f->decide, &f->answer, &e);
	if (rc == RC_NO)
		return "";
	assert_int_equal(rc, RC_OK);
	snprintf(said, sizeof said, "%s %s", f->answer.sat ? "sat" : "unsat", decide_stage_name(f->answer.stage));
	return said;
}

#define BYTES "(declare-const a (Array (_ BitVec 32) (_ BitVec 8)))(declare-const b (Array (_ BitVec 32) (_ BitVec 8)))"
#define CELL(x, i) "(select " x " (_ bv" i " 32))"

static void test_stages(void **state)
{
	(void)state;
	struct fixture f;
	begin(&f, 0, 0);
	assert_string_equal(ask(&f, BYTES "(assert (= " CELL("a", "0") " #x05))(assert (= " CELL("a", "0") " #x06))"),
			    "unsat fixes");
	assert_int_equal(f.answer.n_core, 2);
	assert_string_equal(ask(&f, BYTES "(assert (bvult " CELL("a", "0") " " CELL("a", "1") "))"), "sat bits");
	assert_string_equal(ask(&f, BYTES "(assert (bvult " CELL("a", "0") " " CELL("a", "1") "))"), "sat duplicates");
	/* the fix lies over the model */
	assert_string_equal(ask(&f, BYTES "(assert (bvult " CELL("a", "0") " " CELL("a", "1") "))(assert (= " CELL(
					    "a", "1") " #x77))"),
			    "sat models");
	assert_string_equal(ask(&f, BYTES "(assert (bvult " CELL("a", "0") " " CELL("a", "1") "))(assert (bvult " CELL(
					    "a", "1") " " CELL("a", "0") "))(assert (bvult " CELL("b", "7") " #x03))"),
			    "unsat bits");
	assert_int_equal(f.answer.n_core, 2); /* b has no part in it */
	assert_true(f.answer.cells_only && f.answer.sample);
	/* one part is known to be unsat, with another beside it */
	assert_string_equal(
		ask(&f, BYTES "(assert (bvult #x77 " CELL("b", "9") "))(assert (bvult " CELL("a", "0") " " CELL(
				"a", "1") "))(assert (bvult " CELL("a", "1") " " CELL("a", "0") "))"),
		"unsat slices");
	end(&f);
}

static void test_switches(void **state)
{
	(void)state;
	struct fixture f;
	static const char query[] = BYTES "(assert (bvult " CELL("a", "0") " " CELL("a", "1") "))";
	begin(&f, 1u << STAGE_BITS | 1u << STAGE_MODELS, 0);
	assert_string_equal(ask(&f, query), "");
	decide_learn(f.decide, &f.reader.query, false, NULL, 0.1);
	assert_string_equal(ask(&f, query), "unsat duplicates"); /* it believes what the solver said */
	end(&f);
	begin(&f, 1u << STAGE_DUPLICATES | 1u << STAGE_MODELS | 1u << STAGE_SLICES, 0);
	assert_string_equal(ask(&f, query), "sat bits");
	assert_string_equal(ask(&f, query), "sat bits");
	end(&f);
	begin(&f, (1u << DECIDE_STAGES) - 1, 0);
	assert_string_equal(ask(&f, BYTES "(assert false)"), "");
	end(&f);
}

/* What it does not treat passes by: it must not guess. */
static void test_passed_by(void **state)
{
	(void)state;
	static const char *const other[] = {
		"(declare-const i Int)(assert (< i i))",
		"(declare-const x (_ BitVec 65))(assert (= x (bvnot x)))",
		"(declare-fun f ((_ BitVec 8)) (_ BitVec 8))(assert (distinct (f #x00) (f #x00)))",
		BYTES "(assert (distinct a a))",
		BYTES "(assert (and (= a b) (distinct a b)))",
		"(assert (forall ((x (_ BitVec 8))) (distinct x x)))",
		"(declare-const x Float32)(assert (fp.lt x x))",
		"(declare-const m (Array (_ BitVec 8) Bool))(assert (distinct (select m #x00) (select m #x00)))",
		"(declare-const x (_ BitVec 40))(assert (distinct (concat x x) (concat x x)))",
	};
	struct fixture f;
	begin(&f, 0, 0);
	for (size_t i = 0; i < ARRAY_LEN(other); i++)
		assert_string_equal(ask(&f, other[i]), "");
	assert_int_equal(decide_stats(f.decide).passed_by, ARRAY_LEN(other));
	end(&f);
}

struct corner {
	const char *query;
	bool sat;
};

/* Asked one after the other. */
static void check_corners(const char *declarations, const struct corner *corner, size_t n)
{
	struct fixture f;
	begin(&f, 0, 0);
	for (size_t i = 0; i < n; i++) {
		struct buf text = {0};
		buf_printf(&text, "%s%s", declarations, corner[i].query);
		if (strncmp(ask(&f, buf_str(&text)), corner[i].sat ? "sat" : "unsat", corner[i].sat ? 3 : 5))
			fail_msg("%s", corner[i].query);
		buf_release(&text);
	}
	end(&f);
}

/* SMT-LIB's corners. */
static void test_corners(void **state)
{
	(void)state;
	static const struct corner corner[] = {
		{"(assert (distinct (bvudiv x #x00) #xff))", false},
		{"(assert (distinct (bvurem x #x00) x))", false},
		{"(assert (= y #x00))(assert (distinct (bvudiv x y) #xff))", false},
		{"(assert (= y #x00))(assert (distinct (bvurem x y) x))", false},
		{"(assert (= y #x00))(assert (= (bvsdiv x y) #x01))", true}, /* of a negative */
		{"(assert (= y #x00))(assert (bvsge x #x00))(assert (distinct (bvsdiv x y) #xff))", false},
		{"(assert (= y #x00))(assert (distinct (bvsmod x y) x))", false},
		{"(assert (and (= x #x80) (= y #xff)))(assert (distinct (bvsdiv x y) #x80))", false},
		{"(assert (bvuge y #x08))(assert (distinct (bvshl x y) #x00))", false},
		{"(assert (bvuge y #x08))(assert (bvslt x #x00))(assert (distinct (bvashr x y) #xff))", false},
		{"(assert (bvuge y #x08))(assert (bvsge x #x00))(assert (distinct (bvlshr x y) #x00))", false},
		{"(assert (bvslt ((_ sign_extend 8) x) #xff80))", false},
		{"(assert (bvslt ((_ sign_extend 8) x) #xff81))", true},
		{"(assert (bvslt ((_ sign_extend 8) x) #x8000))", false},
		{"(assert (bvslt #x0100 ((_ sign_extend 8) x)))", false},
		{"(assert (not (bvslt ((_ sign_extend 8) x) #x0100)))", false},
		{"(assert (= ((_ sign_extend 8) x) #x00ff))", false},
		{"(assert (= (bvand x #x0f) #x10))", false},
		{"(assert (distinct ((_ extract 5 2) (concat x y)) ((_ extract 5 2) y)))", false},
		{"(assert (distinct (bvcomp x y) (ite (= x y) #b1 #b0)))", false},
		{"(assert (= (bvmul x x) #x02))", false}, /* not a square */
		{"(assert (= (bvmul x x) #x11))", true},
	};
	check_corners("(declare-const x (_ BitVec 8))(declare-const y (_ BitVec 8))", corner, ARRAY_LEN(corner));
}

/* Reads at computed indices: two of one element must agree, a table decides, writes hide what is below. */
static void test_arrays(void **state)
{
	(void)state;
	static const struct corner corner[] = {
		{"(assert (= i j))(assert (distinct (select a i) (select a j)))", false},
		{"(assert (distinct (select a i) (select a j)))", true},
		{"(assert (= i (_ bv3 32)))(assert (distinct (select a i) " CELL("a", "3") "))", false},
		{"(assert (bvult i (_ bv2 32)))(assert (= " CELL("a", "0") " #x11))(assert (= " CELL(
			 "a", "1") " #x12))"
				   "(assert (= (select a i) #x13))",
		 false},
		/* one part, though they share no cell */
		{"(assert (bvult i (_ bv2 32)))(assert (bvult (select a i) #x03))(assert (bvult #x05 " CELL(
			 "a", "0") "))"
				   "(assert (bvult #x05 " CELL("a", "1") "))",
		 false},
		{"(assert (distinct (select (store a i #x07) i) #x07))", false},
		{"(assert (distinct i j))(assert (distinct (select (store a i #x07) j) (select a j)))", false},
		{"(assert (distinct (select (store a i #x07) j) (select a j)))", true},
		{"(assert (distinct (select (store (store a (_ bv1 32) #x01) (_ bv1 32) #x02) (_ bv1 32)) #x02))",
		 false},
		{"(assert (= i (_ bv1 32)))(assert (distinct (select (store (store a (_ bv1 32) #x01) (_ bv1 32) #x02) "
		 "i)"
		 " #x02))",
		 false},
	};
	check_corners(BYTES "(declare-const i (_ BitVec 32))(declare-const j (_ BitVec 32))", corner,
		      ARRAY_LEN(corner));
	struct fixture f;
	begin(&f, 0, 0);
	/* a table of twenty: what is not in it is never read below 20 */
	for (int value = 0; value < 25; value++) {
		struct buf text = {0};
		buf_printf(&text, BYTES "(declare-const i (_ BitVec 32))");
		for (int k = 0; k < 20; k++)
			buf_printf(&text, "(assert (= (select a (_ bv%d 32)) (_ bv%d 8)))", k, 2 * k);
		buf_printf(&text, "(assert (bvult i (_ bv20 32)))(assert (= (select a i) (_ bv%d 8)))", value);
		assert_int_equal(!strncmp(ask(&f, buf_str(&text)), "sat", 3), value % 2 == 0);
		buf_release(&text);
	}
	end(&f);
}

/* Memory is limited, and what is forgotten is found again; the answers stay right. */
static void test_memory(void **state)
{
	(void)state;
	struct fixture f;
	enum { QUERIES = 4000, LIMIT = 3 << 20 };
	begin(&f, 0, LIMIT);
	for (int i = 0; i < QUERIES; i++) {
		char text[300];
		snprintf(text, sizeof text,
			 "(declare-const x%d (_ BitVec 16))(assert (= (bvmul x%d #x0003) #x%04x))(assert (bvult x%d "
			 "#x%04x))",
			 i % 900, i % 900, i * 3, i % 900, i % 3 ? i : i + 1);
		bool sat = i % 3 == 0;
		if (i % 5 == 0) /* decided before anything is evaluated */
			assert_string_equal(ask(&f, "(declare-const y Bool)(assert y)(assert (not y))"), "unsat fixes");
		if (i % 7 == 0)
			assert_string_equal(ask(&f, "(declare-const y Int)(assert (< y y))"), "");
		assert_int_equal(!strncmp(ask(&f, text), "sat", 3), sat);
	}
	struct decide_stats t = decide_stats(f.decide);
	assert_true(t.cleared > 0);
	assert_true(t.peak_bytes < 4 * (size_t)LIMIT);
	end(&f);
}

/* A search that is slower than others gets fewer steps, and answers that take longer than the solver's are a loss. */
static void test_slow_search(void **state)
{
	(void)state;
	struct decide d = {0};
	costs_add(&d.costs, 0.1);
	uint64_t first = budget_steps(&d);
	budget_searched(&d, true, 0.1, 400000);
	assert_true(d.stats.stage[STAGE_BITS].failed_s == 0);
	assert_in_range(budget_steps(&d), first / 5 - 1, first / 5 + 1);
	d.misses = 1;
	d.missed_s = 3;
	budget_searched(&d, true, 3, 60000000);
	assert_true(d.stats.stage[STAGE_BITS].failed_s == 0);
	budget_searched(&d, true, 5, 100000000);
	assert_true(d.stats.stage[STAGE_BITS].failed_s == 2);
	budget_searched(&d, false, 1, 20000000);
	assert_true(d.stats.stage[STAGE_BITS].failed_s == 3);
}

/* A stage that costs more than it saves is skipped until the solver's time allows another try. */
static void test_books(void **state)
{
	(void)state;
	struct decide d = {0};
	struct decide_stage_stats *bits = &d.stats.stage[STAGE_BITS];
	uint64_t first = budget_steps(&d);
	assert_true(budget_worth(&d, STAGE_BITS) && budget_chain(&d));
	bits->seconds = bits->failed_s = d.stats.seconds = 1;
	assert_false(budget_worth(&d, STAGE_BITS));
	assert_true(bits->off);
	assert_true(budget_chain(&d)); /* the others are not to blame */
	d.stats.seconds = 3;
	assert_false(budget_chain(&d));
	for (int i = 0; i < 1000; i++)
		costs_add(&d.costs, 1.0);
	assert_true(budget_worth(&d, STAGE_BITS) && !bits->off && budget_chain(&d));
	assert_true(budget_steps(&d) > first);
	/* cheap answers are worth little */
	for (int i = 0; i < COSTS; i++)
		costs_add(&d.costs, 1e-6);
	assert_true(d.costs.price < 1e-5);
	d.costs.total = 0;
	bits->sat = 1000;
	assert_false(budget_worth(&d, STAGE_BITS));
	bits->failed_s = 0; /* what was answered is no loss */
	assert_true(budget_worth(&d, STAGE_BITS));
}

/* The answers that share most come first. */
static void test_nearest(void **state)
{
	(void)state;
	struct known k = {0};
	uint32_t near[KNOWN_NEAREST];
	for (uint32_t i = 0; i < 40; i++) {
		uint32_t key[] = {1, 2 + i % 4, 10 + i};
		struct known_cell cell = {i, i};
		known_add(&k, key, 3, problem_hash(key, 3), i != 7, &cell, 1);
	}
	known_check(&k);
	uint32_t key[] = {1, 3, 15};
	size_t n = known_nearest(&k, key, 3, near);
	assert_int_equal(n, KNOWN_NEAREST);
	assert_int_equal(near[0], 5); /* all three */
	for (size_t i = 1; i < 9; i++)
		assert_int_equal(near[i] % 4, 1); /* two of them, the latest first */
	assert_int_equal(near[1], 37);
	assert_int_equal(known_find(&k, key, 3, problem_hash(key, 3)), 5);
	key[2] = 16;
	assert_int_equal(known_find(&k, key, 3, problem_hash(key, 3)), KNOWN_NONE);
	known_release(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_gates),     cmocka_unit_test(test_circuits),    cmocka_unit_test(test_proof),
		cmocka_unit_test(test_search),    cmocka_unit_test(test_stages),      cmocka_unit_test(test_switches),
		cmocka_unit_test(test_passed_by), cmocka_unit_test(test_corners),     cmocka_unit_test(test_arrays),
		cmocka_unit_test(test_memory),    cmocka_unit_test(test_slow_search), cmocka_unit_test(test_books),
		cmocka_unit_test(test_nearest),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
