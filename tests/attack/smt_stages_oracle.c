/* SPDX-License-Identifier: MIT */
/* Random queries through the stages in front of the solver (smt/decide), each compared with something else.
 *
 *	narrow  at most 14 bits in all: every assignment is tried with the evaluator of SMT-LIB terms. Unsat cores are
 *	        tried in the same way.
 *	wide    8 to 64 bits and byte arrays with tables: written to a file with our verdicts, for z3
 *
 * A stream of queries draws its conjuncts from one pool, so that duplicates, models, parts and learnt clauses are
 * used; stages are switched off at random, memory is limited at random, every proof is replayed. Prints the number of
 * queries compared; a difference prints the query and ends it with exit 1.
 *
 * Usage: smt_stages_oracle SEED SECONDS WIDE.smt2 WIDE.verdicts */
#include "base/bits.h"
#include "data/buf.h"
#include "data/clock.h"
#include "smt/decide/decide.h"
#include "smt/term/reader.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_VARS = 4, MAX_BITS = 14, POOL = 24 };

struct stream {
	struct rng rng;
	bool wide;
	unsigned n, width[MAX_VARS]; /* v0 … */
	bool boolean;                /* p */
	bool array;                  /* m */
	unsigned index, elem;
	unsigned bits;
	struct buf declarations;
	char *pool[POOL];
	size_t n_pool;
	struct decide *decide;
};

static uint64_t below(struct stream *s, uint64_t n)
{
	return rng_below(&s->rng, n);
}

static void constant(struct stream *s, struct buf *out, unsigned w)
{
	static const uint64_t some[] = {0, 1, 2, 3, 5, 7, 10, 16, 127, 128, 255, 256, 65535, UINT64_MAX};
	uint64_t v = below(s, 3) ? some[below(s, ARRAY_LEN(some))] : rng_next(&s->rng);
	if (!below(s, 6))
		v = (uint64_t)1 << (w - 1);
	if (w < 64)
		v &= ((uint64_t)1 << w) - 1;
	buf_printf(out, "(_ bv%llu %u)", (unsigned long long)v, w);
}

static void term(struct stream *s, struct buf *out, unsigned w, unsigned depth);
static void boolean(struct stream *s, struct buf *out, unsigned depth);

static void index_of_array(struct stream *s, struct buf *out, unsigned depth)
{
	if (below(s, 2))
		constant(s, out, s->index);
	else
		term(s, out, s->index, depth - 1);
}

static void array(struct stream *s, struct buf *out, unsigned depth)
{
	if (!depth || below(s, 3)) {
		buf_str_add(out, "m");
		return;
	}
	buf_str_add(out, "(store ");
	array(s, out, depth - 1);
	buf_char(out, ' ');
	index_of_array(s, out, depth);
	buf_char(out, ' ');
	term(s, out, s->elem, depth - 1);
	buf_char(out, ')');
}

static void leaf(struct stream *s, struct buf *out, unsigned w)
{
	unsigned start = (unsigned)below(s, s->n);
	if (below(s, 4))
		for (unsigned i = 0; i < s->n; i++) {
			unsigned v = (start + i) % s->n;
			if (s->width[v] == w) {
				buf_printf(out, "v%u", v);
				return;
			}
			if (s->width[v] > w && below(s, 2)) {
				unsigned low = (unsigned)below(s, s->width[v] - w + 1);
				buf_printf(out, "((_ extract %u %u) v%u)", low + w - 1, low, v);
				return;
			}
			if (s->width[v] < w && below(s, 2)) {
				buf_printf(out, "((_ %s %u) v%u)", below(s, 2) ? "zero_extend" : "sign_extend",
					   w - s->width[v], v);
				return;
			}
		}
	constant(s, out, w);
}

/* An operator of one form; false: none of this width. */
static bool special(struct stream *s, struct buf *out, unsigned w, unsigned depth)
{
	unsigned k;
	switch (below(s, 8)) {
	case 0:
		if (!s->array || s->elem != w)
			return false;
		buf_str_add(out, "(select ");
		array(s, out, depth - 1);
		buf_char(out, ' ');
		index_of_array(s, out, depth);
		break;
	case 1:
		if (w < 2)
			return false;
		k = 1 + (unsigned)below(s, w - 1);
		buf_str_add(out, "(concat ");
		term(s, out, k, depth - 1);
		buf_char(out, ' ');
		term(s, out, w - k, depth - 1);
		break;
	case 2:
		k = (unsigned)below(s, 64 - w < 8 ? 64 - w + 1 : 8);
		buf_printf(out, "((_ extract %u %u) ", w - 1 + k / 2, k / 2);
		term(s, out, w + k, depth - 1);
		break;
	case 3:
		k = (unsigned)below(s, w);
		buf_printf(out, "((_ %s %u) ", below(s, 2) ? "zero_extend" : "sign_extend", k);
		term(s, out, w - k, depth - 1);
		break;
	case 4:
		buf_printf(out, "((_ %s %u) ", below(s, 2) ? "rotate_left" : "rotate_right", (unsigned)below(s, 2 * w));
		term(s, out, w, depth - 1);
		break;
	case 5:
		buf_str_add(out, "(ite ");
		boolean(s, out, depth - 1);
		buf_char(out, ' ');
		term(s, out, w, depth - 1);
		buf_char(out, ' ');
		term(s, out, w, depth - 1);
		break;
	case 6:
		buf_printf(out, "(%s ", below(s, 2) ? "bvnot" : "bvneg");
		term(s, out, w, depth - 1);
		break;
	default:
		if (w != 1)
			return false;
		k = 1 + (unsigned)below(s, 8);
		buf_str_add(out, "(bvcomp ");
		term(s, out, k, depth - 1);
		buf_char(out, ' ');
		term(s, out, k, depth - 1);
		break;
	}
	buf_char(out, ')');
	return true;
}

static void term(struct stream *s, struct buf *out, unsigned w, unsigned depth)
{
	static const char *const ops[] = {"bvand",  "bvor",  "bvxor",  "bvnand", "bvnor",  "bvxnor", "bvadd",
					  "bvsub",  "bvadd", "bvmul",  "bvudiv", "bvurem", "bvsdiv", "bvsrem",
					  "bvsmod", "bvshl", "bvlshr", "bvashr", "bvand",  "bvadd"};
	if (!depth || !below(s, 5)) {
		leaf(s, out, w);
		return;
	}
	if (below(s, 2) && special(s, out, w, depth))
		return;
	const char *op = ops[below(s, ARRAY_LEN(ops))];
	if (s->wide && w > 16 && (op[2] == 'm' || op[2] == 'u' || op[2] == 's') && below(s, 3))
		op = "bvadd"; /* wide products would be all that z3 does */
	buf_printf(out, "(%s ", op);
	term(s, out, w, depth - 1);
	buf_char(out, ' ');
	term(s, out, w, depth - 1);
	buf_char(out, ')');
}

static void comparison(struct stream *s, struct buf *out, unsigned depth)
{
	static const char *const ops[] = {"=",     "=",     "distinct", "bvult", "bvule", "bvugt",
					  "bvuge", "bvslt", "bvsle",    "bvsgt", "bvsge"};
	unsigned w = s->width[below(s, s->n)];
	if (s->array && below(s, 2))
		w = s->elem;
	if (!below(s, 3))
		w = 1 + (unsigned)below(s, s->wide ? 64 : 8);
	buf_printf(out, "(%s ", ops[below(s, ARRAY_LEN(ops))]);
	term(s, out, w, depth);
	buf_char(out, ' ');
	if (below(s, 2))
		constant(s, out, w);
	else
		term(s, out, w, depth ? depth - 1 : 0);
	buf_char(out, ')');
}

static void boolean(struct stream *s, struct buf *out, unsigned depth)
{
	static const char *const ops[] = {"and", "or", "xor", "=>", "=", "distinct"};
	if (s->boolean && !below(s, 8)) {
		buf_str_add(out, "p");
		return;
	}
	if (!depth || below(s, 3)) {
		comparison(s, out, depth);
		return;
	}
	if (!below(s, 3)) {
		buf_str_add(out, "(not ");
		boolean(s, out, depth - 1);
	} else if (!below(s, 5)) {
		buf_str_add(out, "(ite ");
		boolean(s, out, depth - 1);
		buf_char(out, ' ');
		boolean(s, out, depth - 1);
		buf_char(out, ' ');
		boolean(s, out, depth - 1);
	} else {
		buf_printf(out, "(%s ", ops[below(s, ARRAY_LEN(ops))]);
		boolean(s, out, depth - 1);
		buf_char(out, ' ');
		boolean(s, out, depth - 1);
	}
	buf_char(out, ')');
}

/* ---- a stream: variables, a pool of conjuncts, a chain of stages */

static void choose_variables(struct stream *s)
{
	static const unsigned wide[] = {8, 16, 32, 64, 8, 32};
	unsigned all = below(s, 8) ? 7 + (unsigned)below(s, 4) : MAX_BITS, left = all;
	s->boolean = !below(s, 3);
	s->array = below(s, 2);
	s->index = s->wide ? 32 : 1 + (unsigned)below(s, 2);
	s->elem = s->wide ? 8 : 1; /* narrow: the whole array is tried */
	if (!s->wide && s->index == 1)
		s->elem += (unsigned)below(s, 2);
	left -= s->boolean + (s->array ? s->elem << (s->wide ? 0 : s->index) : 0);
	s->n = 0;
	while (s->n < MAX_VARS && left) {
		unsigned w = s->wide ? wide[below(s, ARRAY_LEN(wide))] : 1 + (unsigned)below(s, left < 8 ? left : 8);
		s->width[s->n++] = w;
		left -= s->wide ? 0 : w;
		if (!below(s, 3))
			break;
	}
	s->bits = all - left;
	buf_clear(&s->declarations);
	buf_str_add(&s->declarations, "(set-logic QF_AUFBV)\n");
	for (unsigned i = 0; i < s->n; i++)
		buf_printf(&s->declarations, "(declare-const v%u (_ BitVec %u))\n", i, s->width[i]);
	if (s->boolean)
		buf_str_add(&s->declarations, "(declare-const p Bool)\n");
	if (s->array)
		buf_printf(&s->declarations, "(declare-const m (Array (_ BitVec %u) (_ BitVec %u)))\n", s->index,
			   s->elem);
}

static void begin_stream(struct stream *s)
{
	struct buf b = {0};
	s->wide = !below(s, 3);
	choose_variables(s);
	for (; s->n_pool; s->n_pool--)
		free(s->pool[s->n_pool - 1]);
	while (s->n_pool < POOL) {
		buf_clear(&b);
		if (s->n_pool && !below(s, 8))
			buf_printf(&b, "(not %s)", s->pool[below(s, s->n_pool)]);
		else
			boolean(s, &b, 1 + (unsigned)below(s, 3));
		s->pool[s->n_pool++] = mem_strdup(buf_str(&b));
	}
	buf_release(&b);
	decide_free(s->decide);
	unsigned stages = below(s, 2) ? 0 : (unsigned)below(s, 1u << DECIDE_STAGES);
	struct decide_options o = {stages, below(s, 4) ? 0 : 50000, true};
	s->decide = decide_new(&o);
}

/* Some of the pool, in wide streams now and then a table. */
static void write_query(struct stream *s, struct buf *out)
{
	buf_add(out, s->declarations.at, s->declarations.n);
	if (s->wide && s->array && below(s, 2))
		for (unsigned i = 0; i < 20; i++)
			buf_printf(out, "(assert (= (select m (_ bv%u 32)) (_ bv%u 8)))\n", i, i * 37 % 256);
	size_t n = 1 + below(s, 5);
	for (size_t i = 0; i < n; i++)
		buf_printf(out, "(assert %s)\n", s->pool[below(s, s->n_pool)]);
}

/* ---- every assignment */

/* The values of the variables in one number, bit by bit. */
static void assign(const struct stream *s, const struct query *q, struct eval *e, uint64_t bits)
{
	for (size_t i = 0; i < q->var.n; i++) {
		uint32_t var = q->var.at[i];
		const char *name = q->t.label[q->t.term[var].label].text;
		unsigned at = 0, v = name[0] == 'v' ? (unsigned)(name[1] - '0') : s->n;
		struct value x;
		for (unsigned k = 0; k < v; k++)
			at += s->width[k];
		if (name[0] == 'm') {
			at += s->boolean;
			struct value zero = {.type = VALUE_BITS, .width = s->elem};
			x = value_const_array(&e->mem, &zero);
			for (uint64_t k = 0; k < (uint64_t)1 << s->index; k++, at += s->elem) {
				struct value index = {.type = VALUE_BITS, .width = s->index, .u = k};
				struct value elem = {.type = VALUE_BITS, .width = s->elem};
				elem.u = bits >> at & (((uint64_t)1 << s->elem) - 1);
				x = value_store(&e->mem, x.array, &index, &elem);
			}
		} else if (name[0] == 'p') {
			x = (struct value){.type = VALUE_BOOL, .u = bits >> at & 1};
		} else {
			x = (struct value){.type = VALUE_BITS, .width = s->width[v]};
			x.u = bits >> at & (((uint64_t)1 << s->width[v]) - 1);
		}
		eval_set(e, var, x);
	}
}

/* Are these conjuncts (all of them if places is NULL) true under the evaluator's values? */
static bool holds(const struct query *q, struct eval *e, const uint32_t *places, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		struct value v;
		if (eval_term(e, q->conj.at[places ? places[i] : i], &v) != RC_OK) {
			fprintf(stderr, "no value\n");
			exit(3);
		}
		if (!v.u)
			return false;
	}
	return true;
}

static bool satisfiable(const struct stream *s, const struct query *q, const uint32_t *places, size_t n)
{
	struct eval e = {0};
	bool found = false;
	eval_begin(&e, &q->t, q->n_terms);
	for (uint64_t bits = 0; bits < (uint64_t)1 << s->bits && !found; bits++) {
		memset(e.value.at, 0, e.value.n * sizeof *e.value.at); /* as eval_begin, but operators stay known */
		arena_clear(&e.mem);
		assign(s, q, &e, bits);
		found = holds(q, &e, places, n);
	}
	eval_release(&e);
	return found;
}

static bool model_holds(struct stream *s, const struct query *q)
{
	struct eval e = {0};
	bool ok = true;
	eval_begin(&e, &q->t, q->n_terms);
	for (size_t i = 0; i < q->var.n && ok; i++) {
		struct value v;
		ok = decide_value(s->decide, q, q->var.at[i], &e.mem, &v);
		if (ok)
			eval_set(&e, q->var.at[i], v);
	}
	ok = ok && holds(q, &e, NULL, q->conj.n);
	eval_release(&e);
	return ok;
}

/* ---- comparing */

struct result {
	uint64_t narrow, wide, decided, sat, unsat;
	FILE *script, *verdicts;
};

static const char *compare(struct stream *s, const struct query *q, enum rc rc, const struct decide_answer *a,
			   struct result *r, const char *text)
{
	if (rc != RC_OK && rc != RC_NO)
		return "a proof does not hold";
	if (rc == RC_OK && a->sat && !model_holds(s, q))
		return "the model of a sat answer does not hold";
	if (rc == RC_OK) {
		r->decided++;
		r->sat += a->sat;
		r->unsat += !a->sat;
	}
	if (s->wide) {
		if (rc == RC_OK) {
			fprintf(r->script, "%s(check-sat)\n(reset)\n", text);
			fprintf(r->verdicts, "%s\n", a->sat ? "sat" : "unsat");
			r->wide++;
		}
		return NULL;
	}
	bool sat = satisfiable(s, q, NULL, q->conj.n);
	r->narrow++;
	if (rc == RC_OK && sat != a->sat)
		return a->sat ? "sat, but no assignment satisfies it" : "unsat, but an assignment satisfies it";
	if (rc == RC_OK && !sat && a->n_core && satisfiable(s, q, a->core, a->n_core))
		return "the core is satisfiable";
	if (rc != RC_OK && sat) /* what a solver would tell it */
		decide_learn(s->decide, q, true, NULL, 0.001);
	if (rc != RC_OK && !sat)
		decide_learn(s->decide, q, false, NULL, 0.001);
	return NULL;
}

static int one(struct stream *s, struct reader *reader, struct result *r)
{
	struct buf text = {0};
	struct decide_answer a = {0};
	struct err e = ERR_INIT;
	int code = 0;
	write_query(s, &text);
	if (reader_text(reader, buf_str(&text), text.n) != RC_OK) {
		printf("not read:\n%s", buf_str(&text));
		code = 3;
	} else {
		enum rc rc = decide_look(s->decide, &reader->query, &a);
		if (rc == RC_NO)
			rc = decide_solve(s->decide, &a, &e);
		const char *wrong = compare(s, &reader->query, rc, &a, r, buf_str(&text));
		if (wrong) {
			printf("stage %s: %s\n%s(check-sat)\n", decide_stage_name(a.stage), wrong, buf_str(&text));
			code = 1;
		}
	}
	buf_release(&text);
	return code;
}

int main(int argc, char **argv)
{
	struct stream s = {0};
	struct reader reader;
	struct result r = {0};
	int code = 0;
	if (argc != 5) {
		fprintf(stderr, "usage: smt_stages_oracle SEED SECONDS WIDE.smt2 WIDE.verdicts\n");
		return 2;
	}
	s.rng.state = strtoull(argv[1], NULL, 10);
	double end = clock_seconds() + strtod(argv[2], NULL);
	r.script = fopen(argv[3], "w");
	r.verdicts = fopen(argv[4], "w");
	if (!r.script || !r.verdicts)
		return 3;
	reader_init(&reader);
	do {
		begin_stream(&s);
		for (int i = 0; i < 60 && !code; i++)
			code = one(&s, &reader, &r);
		decide_check(s.decide);
	} while (!code && clock_seconds() < end);
	printf("compared %llu with every assignment, %llu left for z3; decided %llu, sat %llu, unsat %llu\n",
	       (unsigned long long)r.narrow, (unsigned long long)r.wide, (unsigned long long)r.decided,
	       (unsigned long long)r.sat, (unsigned long long)r.unsat);
	if (fclose(r.script) || fclose(r.verdicts))
		code = 3;
	decide_free(s.decide);
	while (s.n_pool)
		free(s.pool[--s.n_pool]);
	buf_release(&s.declarations);
	reader_release(&reader);
	return code;
}
