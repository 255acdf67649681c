/* SPDX-License-Identifier: MIT */
/* Random SMT-LIB scripts, and the comparison of what two programs answered to them.
 *
 *	smt_scripts gen SEED N KIND             scripts on standard output, one after the other in one file
 *	smt_scripts check SEED N KIND A B       A: what z3 printed, B: what refrain printed
 *
 * KIND: z3 (everything, errors too), clean (what every solver with a stack takes), flat (one question per script,
 * for boolector); with :COMMANDS after it (z3:400) each script has that many commands, on levels that come and go,
 * so that it asks many cheap questions. check prints each difference on standard error and, on standard output, a
 * script with which z3 confirms the values and cores of B that are not those of A: after each of its answers it
 * says which one was expected. `one` instead of gen: the script number N alone.
 *
 * The same seed gives the same scripts, so check makes them again and knows what was asserted at each question. Some
 * scripts are copies of earlier ones with other names, or with one constant changed: what a cache takes for equal. */
#include "base/bits.h"
#include "data/buf.h"
#include "data/vec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum sort { BOOL, BV3, BV8, INT, REAL, ARRAY, U, F32, SORTS };
static const char *const sort_text[] = {
	"Bool", "(_ BitVec 3)", "(_ BitVec 8)", "Int", "Real", "(Array (_ BitVec 8) (_ BitVec 8))", "U", "Float32"};

enum logic { L_BV, L_ABV, L_LIA, L_LRA, L_UF, L_ALL, L_QUANT, L_FP, LOGICS };
static const char *const logic_text[] = {"QF_BV", "QF_ABV", "QF_LIA", "QF_LRA", "QF_UF", "ALL", "", "QF_FP"};
static const unsigned logic_sorts[] = {1u << BOOL | 1u << BV3 | 1u << BV8,
				       1u << BOOL | 1u << BV8 | 1u << ARRAY,
				       1u << BOOL | 1u << INT,
				       1u << BOOL | 1u << REAL,
				       1u << BOOL | 1u << U,
				       1u << BOOL | 1u << BV8 | 1u << INT | 1u << ARRAY | 1u << U,
				       1u << BOOL | 1u << INT | 1u << U,
				       1u << BOOL | 1u << F32};

enum kind { KIND_Z3, KIND_CLEAN, KIND_FLAT };

struct question {
	enum { Q_CHECK, Q_VALUE, Q_CORE } what;
	size_t from, to; /* in known: what holds then */
	char term[200];  /* Q_VALUE */
};

struct gen {
	uint64_t rng;
	enum kind kind;
	enum logic logic;
	int names;             /* which set of names */
	int constants, change; /* the constant with this number is another */
	bool has_macro, has_fun, models, cores;
	bool global;       /* declarations outlive their level */
	bool late;         /* one of the last scripts */
	unsigned commands; /* of each script; 0: a few */
	bool careful;      /* no mistakes: after one, nothing is cached until the reset */
	struct buf out;
	struct buf known;  /* per script: declarations and assertions, a level's are cut with it */
	struct buf copies; /* known at each question, one after the other */
	struct {
		size_t known;
		int asserted;
		int vars[SORTS];
	} mark[8];
	int depth, vars[SORTS], named, let;
	int asserted; /* on this level */
	VEC(struct question) question;
};

static unsigned draw(struct gen *g, unsigned n)
{
	g->rng = g->rng * 6364136223846793005u + 1442695040888963407u;
	return (unsigned)(g->rng >> 33) % n;
}

static void blank(struct gen *g)
{
	static const char *const blanks[] = {" ", "  ", "\n ", "\t", " ; a (comment\n ", "\r\n "};
	buf_str_add(&g->out, g->kind == KIND_FLAT || draw(g, 20) ? " " : blanks[draw(g, 6)]);
}

static void name_of(struct gen *g, char *out, enum sort s, int i)
{
	static const char *const forms[] = {"%c%d", "v_%c%d", "%c@%d", "|%c %d|", "|%c(%d;|", "~%c%d!"};
	int form = g->kind == KIND_FLAT ? g->names % 2 : g->names % 6;
	snprintf(out, 40, forms[form], "bwxnramf"[s], i);
}

static void constant(struct gen *g, char *out, enum sort s)
{
	/* at the borders of what fits into a word */
	static const char *const large[] = {"9223372036854775807", "9223372036854775808", "4611686018427387904",
					    "4294967296",          "2147483647",          "18446744073709551616",
					    "3037000500"};
	unsigned v = draw(g, 256), w = draw(g, 256);
	if (g->constants++ == g->change)
		v = (v + 1) & 255;
	switch (s) {
	case BOOL:
		snprintf(out, 60, "%s", v & 1 ? "true" : "false");
		break;
	case BV3:
		snprintf(out, 60, w & 1 ? "(_ bv%u 3)" : "#b%c%c%c", w & 1 ? v & 7 : '0' + (v >> 2 & 1),
			 '0' + (v >> 1 & 1), '0' + (v & 1));
		break;
	case BV8:
		snprintf(out, 60, w % 3 == 0 ? "(_ bv%u 8)" : w % 3 == 1 ? "#x%02x" : "#x%02X", v);
		break;
	case INT:
		if (w < 20)
			snprintf(out, 60, v & 1 ? "(- %s)" : "%s", large[v / 2 % ARRAY_LEN(large)]);
		else
			snprintf(out, 60, v & 1 ? "(- %u)" : "%u", v / 16);
		break;
	case REAL:
		if (w < 20)
			snprintf(out, 60, v & 1 ? "(- %s.%u)" : "%s.%u", large[v / 2 % ARRAY_LEN(large)], w);
		else
			snprintf(out, 60, v & 1 ? "(- %u.%u)" : "%u.%u", v / 32, w % 10);
		break;
	case F32:
		snprintf(out, 60, "((_ to_fp %s) RNE %u.%u)", g->commands ? "3 4" : "8 24", v / 16, w % 4 * 25);
		break;
	default:
		*out = 0;
		break;
	}
}

static void term(struct gen *g, struct buf *b, enum sort s, int depth);

static void leaf(struct gen *g, struct buf *b, enum sort s)
{
	char t[60];
	if (g->vars[s] && (draw(g, 3) || s == U || s == ARRAY))
		name_of(g, t, s, (int)draw(g, (unsigned)g->vars[s]));
	else
		constant(g, t, s);
	buf_str_add(b, t);
}

/* (OP argument…) with arguments of one sort */
static void op(struct gen *g, struct buf *b, const char *name, enum sort s, int n, int depth)
{
	buf_printf(b, "(%s", name);
	for (int i = 0; i < n; i++) {
		buf_char(b, ' ');
		term(g, b, s, depth);
	}
	buf_char(b, ')');
}

/* A sort of the logic other than BOOL. */
static enum sort any_sort(struct gen *g)
{
	for (;;) {
		enum sort s = (enum sort)(1 + draw(g, SORTS - 1));
		if (logic_sorts[g->logic] >> s & 1)
			return s;
	}
}

static void atom(struct gen *g, struct buf *b, int depth)
{
	static const char *const bv[] = {"bvult", "bvule", "bvslt", "bvsge", "bvugt", "="};
	static const char *const arith[] = {"<", "<=", ">", ">=", "=", "distinct"};
	static const char *const fp[] = {"fp.lt", "fp.leq", "fp.eq", "fp.gt", "="};
	enum sort s = any_sort(g);
	if (s == BV3 || s == BV8)
		op(g, b, bv[draw(g, 6)], s, 2, depth);
	else if (s == INT || s == REAL)
		op(g, b, arith[draw(g, 6)], s, 2, depth);
	else if (s == F32)
		op(g, b, fp[draw(g, 5)], s, 2, depth);
	else
		op(g, b, draw(g, 3) ? "=" : "distinct", s, 2, depth);
}

/* (let ((n t)) body): the name may be one that is declared */
static void let(struct gen *g, struct buf *b, int depth)
{
	char n[60];
	enum sort s = BOOL;
	if (draw(g, 2))
		name_of(g, n, s, 0);
	else
		snprintf(n, sizeof n, "l%d", g->let++);
	buf_printf(b, "(let ((%s ", n);
	term(g, b, s, depth);
	buf_printf(b, ")) (or %s ", n);
	term(g, b, BOOL, depth);
	buf_str_add(b, "))");
}

static void quantified(struct gen *g, struct buf *b, int depth)
{
	buf_printf(b, "(%s ((q Int)) (%s (%s q ", draw(g, 3) ? "forall" : "exists", draw(g, 2) ? "or" : "=>",
		   draw(g, 2) ? "<" : ">");
	term(g, b, INT, 0);
	buf_str_add(b, ") ");
	term(g, b, BOOL, depth > 1 ? 1 : depth);
	buf_str_add(b, "))");
}

static void boolean(struct gen *g, struct buf *b, int depth)
{
	static const char *const ops[] = {"and", "or", "xor", "=>", "=", "not"};
	unsigned k = draw(g, 12);
	if (depth <= 0 || k < 4)
		atom(g, b, depth - 1);
	else if (k < 9) {
		unsigned o = draw(g, 6);
		op(g, b, ops[o], BOOL, o == 5 ? 1 : 2, depth - 1);
	} else if (k == 9 && g->kind != KIND_FLAT)
		let(g, b, depth - 1);
	else if (k == 10 && g->logic == L_QUANT)
		quantified(g, b, depth - 1);
	else if (k == 10 && g->has_fun)
		op(g, b, "likes", U, 2, depth - 1);
	else if (k == 11 && g->has_macro)
		op(g, b, "within", logic_sorts[g->logic] >> BV8 & 1 ? BV8 : BOOL, 2, depth - 1);
	else
		op(g, b, "ite", BOOL, 3, depth - 1);
}

static void number(struct gen *g, struct buf *b, enum sort s, int depth)
{
	unsigned k = draw(g, 12);
	if (k < 6) {
		op(g, b, k & 1 ? "+" : "-", s, 2, depth);
	} else if (k == 6) {
		op(g, b, "-", s, 1, depth);
	} else if (k == 7 && s == INT && logic_sorts[g->logic] >> U & 1 && g->has_fun) {
		op(g, b, "count", U, 1, depth);
	} else if (k == 8) {
		op(g, b, s == INT ? "* 3" : "* 1.5", s, 1, depth);
	} else if (k > 8 && s == INT) {
		buf_str_add(b, k == 9 ? "(div " : k == 10 ? "(mod " : "(ite ");
		term(g, b, k == 11 ? BOOL : INT, depth);
		if (k == 11) {
			buf_char(b, ' ');
			term(g, b, INT, depth - 1);
		}
		buf_char(b, ' ');
		buf_str_add(b, k == 11 ? "1" : draw(g, 2) ? "3" : "(- 4)");
		buf_char(b, ')');
	} else if (s == REAL) {
		buf_str_add(b, "(/ ");
		term(g, b, s, depth);
		buf_str_add(b, " 4.0)");
	} else {
		leaf(g, b, s);
	}
}

static void term(struct gen *g, struct buf *b, enum sort s, int depth)
{
	static const char *const bv[] = {"bvadd",  "bvsub", "bvmul",  "bvand",  "bvor",   "bvxor", "bvudiv",
					 "bvurem", "bvshl", "bvlshr", "bvashr", "bvsdiv", "bvsrem"};
	if (s == BOOL && depth > 0 && draw(g, 5)) {
		boolean(g, b, depth);
	} else if (depth <= 0 || draw(g, 3) == 0) {
		leaf(g, b, s);
	} else if (s == BV3 || s == BV8) {
		unsigned k = draw(g, 18);
		if (k < 13) {
			op(g, b, bv[k], s, 2, depth - 1);
		} else if (s == BV8 && (logic_sorts[g->logic] >> ARRAY & 1) && k < 16) {
			buf_str_add(b, "(select ");
			term(g, b, ARRAY, depth - 1);
			buf_char(b, ' ');
			term(g, b, BV8, depth - 1);
			buf_char(b, ')');
		} else if (s == BV8 && (logic_sorts[g->logic] >> BV3 & 1)) {
			op(g, b, k & 1 ? "(_ zero_extend 5)" : "(_ sign_extend 5)", BV3, 1, depth - 1);
		} else if (s == BV3 && k < 16) {
			op(g, b, "(_ extract 4 2)", BV8, 1, depth - 1);
		} else {
			op(g, b, k & 1 ? "bvneg" : "bvnot", s, 1, depth - 1);
		}
	} else if (s == INT || s == REAL) {
		number(g, b, s, depth - 1);
	} else if (s == ARRAY) {
		buf_str_add(b, "(store ");
		term(g, b, ARRAY, depth - 1);
		buf_char(b, ' ');
		term(g, b, BV8, depth - 1);
		buf_char(b, ' ');
		term(g, b, BV8, depth - 1);
		buf_char(b, ')');
	} else if (s == U && g->has_fun) {
		op(g, b, "fun", U, 1, depth - 1);
	} else if (s == F32) {
		op(g, b, draw(g, 2) ? "fp.add RNE" : "fp.mul RTZ", F32, 2, depth - 2);
	} else {
		leaf(g, b, s);
	}
}

/* ---- commands */

static void line(struct gen *g, const char *text)
{
	if (g->kind != KIND_FLAT && !draw(g, 15)) {
		buf_char(&g->out, '(');
		blank(g);
		buf_str_add(&g->out, text + 1);
	} else {
		buf_str_add(&g->out, text);
	}
	buf_char(&g->out, '\n');
}

/* Something that holds from now on. */
static void hold(struct gen *g, const char *text)
{
	line(g, text);
	buf_printf(&g->known, "%s\n", text);
}

static void declare(struct gen *g, enum sort s)
{
	char name[60], text[200];
	name_of(g, name, s, g->vars[s]);
	bool constant = g->kind != KIND_FLAT && draw(g, 2);
	/* wide ones take z3 seconds, which is no matter where there are few */
	const char *sort = s == F32 && g->commands ? "(_ FloatingPoint 3 4)" : sort_text[s];
	snprintf(text, sizeof text, constant ? "(declare-const %s %s)" : "(declare-fun %s () %s)", name, sort);
	g->vars[s]++;
	hold(g, text);
}

static void assertion(struct gen *g)
{
	struct buf t = {0}, text = {0};
	g->asserted++;
	term(g, &t, BOOL, 1 + (int)draw(g, 3));
	if (g->kind != KIND_FLAT && draw(g, 4) == 0 && g->named < (g->commands ? 200 : 8))
		buf_printf(&text, "(assert (! %s :named as%d_%d))", t.at, g->names, g->named++);
	else
		buf_printf(&text, "(assert %s)", t.at);
	hold(g, text.at);
	buf_release(&t);
	buf_release(&text);
}

/* A command that z3 answers with an error or with "unsupported". */
static void mistake(struct gen *g)
{
	static const char *const lines[] = {"(assert (nothing 1))",
					    "(assert (and true 5))",
					    "(declare-const bad Nope)",
					    "(set-option :no-such-option true)",
					    "(pop 99)",
					    "(no-such-command 7)",
					    "(assert)",
					    "(set-info :status perhaps)",
					    "(define-fun bad2 () Bool 5)",
					    "(declare-const again Bool) (declare-const again Bool)",
					    "(check-sat-assuming (nothing))",
					    "(assert (within 1 2 3))"};
	line(g, lines[draw(g, sizeof lines / sizeof *lines)]);
}

static struct question *ask(struct gen *g, int what)
{
	struct question q = {.what = what, .from = g->copies.n};
	buf_add(&g->copies, buf_str(&g->known), g->known.n);
	q.to = g->copies.n;
	vec_push(&g->question, q);
	return &vec_last(&g->question);
}

static void ask_values(struct gen *g)
{
	for (unsigned i = draw(g, 3); i > 0; i--) {
		struct buf t = {0};
		enum sort s = any_sort(g);
		if (s == ARRAY || s == U || s == F32 || s == REAL)
			s = BOOL;
		leaf(g, &t, s);
		if (t.n < sizeof g->question.at[0].term) {
			struct question *q = ask(g, Q_VALUE);
			memcpy(q->term, t.at, t.n + 1);
			buf_printf(&g->out, "(get-value (%s))\n", t.at);
		}
		buf_release(&t);
	}
}

static void check(struct gen *g)
{
	if (g->kind != KIND_FLAT && draw(g, 4) == 0) {
		struct buf t = {0};
		for (unsigned i = draw(g, 3) + (g->kind == KIND_CLEAN); i > 0; i--) {
			buf_str_add(&t, " ");
			term(g, &t, BOOL, 1);
		}
		ask(g, Q_CHECK);
		buf_printf(&g->out, draw(g, 3) ? "(check-sat-assuming (%s))\n" : "( check-sat-assuming\n ( %s ))\n",
			   buf_str(&t));
		buf_release(&t);
		return;
	}
	ask(g, Q_CHECK);
	line(g, "(check-sat)");
	if (g->models && draw(g, 2))
		ask_values(g);
	if (g->cores && draw(g, 2)) {
		ask(g, Q_CORE);
		line(g, "(get-unsat-core)");
	}
}

static void push(struct gen *g)
{
	if (g->depth == 8)
		return;
	g->mark[g->depth].known = g->known.n;
	g->mark[g->depth].asserted = g->asserted;
	g->asserted = 0;
	memcpy(g->mark[g->depth++].vars, g->vars, sizeof g->vars);
	line(g, draw(g, 2) ? "(push 1)" : g->kind == KIND_Z3 ? "(push)" : "(push 1)");
}

/* What was said on a level holds no more, but for declarations that are global. */
static void cut_known(struct gen *g, size_t to)
{
	size_t end = g->known.n, kept = to;
	for (size_t at = to; at < end;) {
		const char *from = g->known.at + at;
		size_t n = (size_t)((const char *)memchr(from, '\n', end - at) - from) + 1;
		if (g->global && strncmp(from, "(assert", 7)) {
			memmove(g->known.at + kept, from, n);
			kept += n;
		}
		at += n;
	}
	g->known.n = kept;
}

static void pop(struct gen *g)
{
	if (!g->depth)
		return;
	g->depth--;
	g->asserted = g->mark[g->depth].asserted;
	cut_known(g, g->mark[g->depth].known);
	if (!g->global)
		memcpy(g->vars, g->mark[g->depth].vars, sizeof g->vars);
	line(g, "(pop 1)");
}

static void head(struct gen *g)
{
	static const char *const harmless[] = {"(set-option :random-seed 7)", "(set-info :source |a (b|)",
					       "(set-info :status unknown)", "(set-option :produce-assignments true)"};
	g->models = g->kind == KIND_Z3 && draw(g, 2);
	if (g->models)
		line(g, "(set-option :produce-models true)");
	g->cores = g->kind == KIND_Z3 && draw(g, 3) == 0;
	if (g->cores)
		line(g, "(set-option :produce-unsat-cores true)");
	g->global = g->kind == KIND_Z3 && draw(g, 4) == 0;
	if (g->global)
		line(g, draw(g, 3) ? "(set-option :global-declarations true)" : "(set-option :global-decls true)");
	if (g->kind == KIND_Z3 && draw(g, 3) == 0)
		line(g, harmless[draw(g, 4)]);
	/* outlives the script, so only the last ones have it */
	if (g->kind == KIND_Z3 && g->late && draw(g, 2))
		line(g, draw(g, 2) ? "(set-option :rewriter.hi_div0 false)" : "(set-option :rewriter.hi_div0 true)");
	if (*logic_text[g->logic] && (draw(g, 5) || g->kind != KIND_Z3)) {
		char text[60];
		snprintf(text, sizeof text, "(set-logic %s)", logic_text[g->logic]);
		line(g, text);
	} else if (g->kind == KIND_CLEAN) {
		line(g, "(set-logic ALL)");
	}
	if (logic_sorts[g->logic] >> U & 1) {
		hold(g, "(declare-sort U 0)");
		hold(g, "(declare-fun fun (U) U)");
		hold(g, "(declare-fun likes (U U) Bool)");
		if (logic_sorts[g->logic] >> INT & 1)
			hold(g, "(declare-fun count (U) Int)");
		g->has_fun = true;
	}
	for (enum sort s = BOOL; s < SORTS; s++)
		for (unsigned i = (logic_sorts[g->logic] >> s & 1) ? 1 + draw(g, 2) : 0; i > 0; i--)
			declare(g, s);
	if (g->kind != KIND_FLAT && draw(g, 3) == 0) {
		bool bv = logic_sorts[g->logic] >> BV8 & 1;
		hold(g, bv ? "(define-fun within ((x (_ BitVec 8)) (b0 (_ BitVec 8))) Bool (bvult x (bvadd b0 #x10)))"
			   : "(define-fun within ((x Bool) (b0 Bool)) Bool (and x (not b0)))");
		g->has_macro = true;
	}
}

/* Many questions: little stays at the bottom, and a level is left before it holds so much that it can only be unsat. */
static void long_body(struct gen *g)
{
	for (unsigned i = g->commands; i > 0; i--) {
		unsigned k = draw(g, 24);
		if (k < 10)
			check(g);
		else if (k < 12 && !g->careful && !draw(g, 20))
			mistake(g);
		else if (k < 12 && g->vars[BOOL] < 6)
			declare(g, draw(g, 2) ? BOOL : any_sort(g));
		else if (g->depth && (k < 16 || g->asserted > 3))
			pop(g);
		else if (k < 18 || (!g->depth && g->asserted))
			push(g);
		else
			assertion(g);
	}
	check(g);
}

static void body(struct gen *g)
{
	for (unsigned i = 2 + draw(g, 10); i > 0; i--) {
		unsigned k = draw(g, 20);
		if (k < 9 || g->kind == KIND_FLAT)
			assertion(g);
		else if (k < 13)
			check(g);
		else if (k < 15)
			push(g);
		else if (k < 17)
			pop(g);
		else if (k == 17)
			declare(g, any_sort(g));
		else if (k == 18 && g->kind == KIND_Z3 && draw(g, 2))
			mistake(g);
		else
			assertion(g);
	}
	check(g);
}

/* The script of that number; some are made of an earlier one's seed. */
static void script(struct gen *g, uint64_t seed, unsigned number)
{
	g->rng = seed * 1000003 + number;
	for (int i = 0; i < 4; i++)
		draw(g, 2);
	unsigned copy = draw(g, 5),
		 of = number ? draw(g, number < 40 ? number : 40) + (number < 40 ? 0 : number - 40) : 0;
	unsigned names = draw(g, 6), change = draw(g, 30);
	g->change = -1;
	g->names = (int)(of % 6);
	if (number && copy < 3) {
		g->rng = seed * 1000003 + of + 77777777;
		g->names = copy == 1 ? (int)names : g->names;
		g->change = copy == 2 ? (int)change : -1;
	} else {
		g->names = (int)(number % 6);
		g->rng = seed * 1000003 + number + 77777777;
	}
	g->constants = g->depth = g->named = g->let = g->asserted = 0;
	g->has_macro = g->has_fun = g->models = g->cores = g->global = false;
	memset(g->vars, 0, sizeof g->vars);
	buf_clear(&g->known);
	buf_clear(&g->copies);
	vec_clear(&g->question);
	for (int i = 0; i < 4; i++)
		draw(g, 2);
	g->logic = (enum logic)(g->kind == KIND_FLAT ? draw(g, 2) : draw(g, LOGICS));
	if (g->logic == L_FP && !g->commands && draw(g, 3))
		g->logic = L_ABV; /* floating point takes z3 longest */
	if (g->kind == KIND_CLEAN && g->logic == L_QUANT)
		g->logic = L_ALL;
	if (g->kind == KIND_CLEAN && g->logic == L_FP && g->commands)
		g->logic = L_LRA; /* cvc5 refuses narrow floats */
	buf_printf(&g->out, "(echo \"@@%u\")\n", number);
	head(g);
	g->careful = draw(g, 8) || g->kind != KIND_Z3;
	if (g->commands)
		long_body(g);
	else
		body(g);
	buf_str_add(&g->out, "(reset)\n");
}

/* ---- comparing */

struct lines {
	char *text, *at;
};

static bool read_lines(struct lines *l, const char *path)
{
	FILE *f = fopen(path, "r");
	struct buf b = {0};
	char part[65536];
	size_t n;
	if (!f)
		return false;
	while ((n = fread(part, 1, sizeof part, f)) > 0)
		buf_add(&b, part, n);
	fclose(f);
	buf_str_add(&b, "");
	l->text = l->at = b.at ? b.at : calloc(1, 1);
	return true;
}

/* The next line; NULL at the end of the section. */
static char *next_line(struct lines *l)
{
	char *at = l->at, *nl = strchr(at, '\n');
	if (!*at || !strncmp(at, "@@", 2) || !strncmp(at, "\"@@", 3))
		return NULL;
	l->at = nl ? nl + 1 : at + strlen(at);
	if (nl)
		*nl = 0;
	return at;
}

static bool to_section(struct lines *l, unsigned number)
{
	char mark[32];
	snprintf(mark, sizeof mark, "@@%u", number);
	for (; *l->at; l->at = strchr(l->at, '\n') ? strchr(l->at, '\n') + 1 : l->at + strlen(l->at)) {
		const char *at = l->at + (*l->at == '"');
		if (!strncmp(at, mark, strlen(mark)) && strchr("\"\n", at[strlen(mark)])) {
			l->at = strchr(l->at, '\n') ? strchr(l->at, '\n') + 1 : l->at + strlen(l->at);
			return true;
		}
	}
	return false;
}

static bool is_verdict(const char *t)
{
	return !strcmp(t, "sat") || !strcmp(t, "unsat") || !strcmp(t, "unknown");
}

struct report {
	unsigned long verdicts, values, weaker, differences;
	struct buf again;
};

static void difference(struct report *r, const struct gen *g, unsigned number, const char *a, const char *b)
{
	if (r->differences++ < 5)
		fprintf(stderr, "script %u (%s): z3 says %s, refrain %s\n", number, logic_text[g->logic],
			a ? a : "nothing", b ? b : "nothing");
}

/* A value that is not z3's: z3 must agree that it is of a model. "((TERM VALUE))" */
static bool confirm_value(struct report *r, const struct gen *g, const struct question *q, const char *line)
{
	size_t n = strlen(line), t = strlen(q->term);
	if (n < t + 6 || strncmp(line, "((", 2) || strncmp(line + 2, q->term, t) || strcmp(line + n - 2, "))"))
		return false;
	buf_str_add(&r->again, "(reset)\n");
	buf_add(&r->again, g->copies.at + q->from, q->to - q->from);
	buf_printf(&r->again, "(assert (= %s %.*s))\n(check-sat)\n(echo \"expected sat\")\n", q->term, (int)(n - t - 5),
		   line + t + 3);
	return true;
}

/* A core that is not z3's: what it names must be unsat with what has no name. */
static bool confirm_core(struct report *r, const struct gen *g, const struct question *q, const char *line)
{
	if (line[0] != '(' || line[1] == '(' || !strncmp(line, "(error", 6))
		return false;
	buf_str_add(&r->again, "(reset)\n");
	for (size_t at = q->from; at < q->to;) {
		const char *from = g->copies.at + at;
		size_t n = (size_t)((const char *)memchr(from, '\n', q->to - at) - from) + 1;
		const char *name = memmem(from, n, ":named ", 7);
		size_t len = name ? strcspn(name + 7, ")") : 0;
		const char *in = name ? memmem(line, strlen(line), name + 7, len) : line;
		if (in && (!name || strchr(" )", in[len])))
			buf_add(&r->again, from, n);
		at += n;
	}
	buf_str_add(&r->again, "(check-sat)\n(echo \"expected unsat\")\n");
	return true;
}

/* Does z3's line answer a question of this kind? */
static bool answers(const struct question *q, const char *line)
{
	if (q->what == Q_CHECK)
		return is_verdict(line);
	if (q->what == Q_VALUE)
		return !strncmp(line, "((", 2);
	return line[0] == '(' && line[1] != '(' && strncmp(line, "(error", 6) != 0;
}

static bool confirm(struct report *r, const struct gen *g, const struct question *q, const char *line)
{
	return q->what == Q_VALUE ? confirm_value(r, g, q, line) : q->what == Q_CORE && confirm_core(r, g, q, line);
}

static void compare(struct report *r, const struct gen *g, unsigned number, struct lines *a, struct lines *b)
{
	size_t q = 0;
	if (!to_section(a, number) || !to_section(b, number)) {
		difference(r, g, number, "@@", NULL);
		return;
	}
	for (;;) {
		char *x = next_line(a), *y = next_line(b);
		while (g->kind != KIND_Z3 && x && !is_verdict(x))
			x = next_line(a);
		while (g->kind != KIND_Z3 && y && !is_verdict(y))
			y = next_line(b);
		if (!x && !y)
			return;
		if (!x || !y) {
			difference(r, g, number, x, y);
			return;
		}
		/* questions that got an error are passed over */
		size_t k = q;
		while (k < g->question.n && !answers(&g->question.at[k], x))
			k++;
		bool answer = k < g->question.n;
		r->verdicts += is_verdict(x);
		r->values += answer && !is_verdict(x);
		if (strcmp(x, y)) {
			if (is_verdict(x) && is_verdict(y) && (!strcmp(x, "unknown") || !strcmp(y, "unknown")))
				r->weaker += !strcmp(y, "unknown");
			else if (!answer || !confirm(r, g, &g->question.at[k], y))
				difference(r, g, number, x, y);
		}
		q = answer ? k + 1 : q;
	}
}

static int usage(void)
{
	fprintf(stderr, "usage: smt_scripts gen|check|one SEED N z3|clean|flat[:COMMANDS] [A B]\n");
	return 2;
}

int main(int argc, char **argv)
{
	if (argc < 5)
		return usage();
	/* static: what it holds is needed to the end */
	static struct gen g;
	static struct lines a, b;
	static struct report r;
	const char *colon = strchr(argv[4], ':');
	g.commands = colon ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
	g.kind = argv[4][0] == 'z' ? KIND_Z3 : argv[4][0] == 'c' ? KIND_CLEAN : KIND_FLAT;
	uint64_t seed = strtoull(argv[2], NULL, 10);
	unsigned n = (unsigned)strtoul(argv[3], NULL, 10);
	bool checking = !strcmp(argv[1], "check"), one = !strcmp(argv[1], "one");
	if (checking && (argc < 7 || !read_lines(&a, argv[5]) || !read_lines(&b, argv[6])))
		return usage();
	for (unsigned i = one ? n : 0; i < n + one; i++) {
		buf_clear(&g.out);
		g.late = !one && i > n - n / 16;
		script(&g, seed, i);
		if (checking)
			compare(&r, &g, i, &a, &b);
		else
			fwrite(g.out.at, 1, g.out.n, stdout);
	}
	if (!checking)
		return 0;
	fwrite(buf_str(&r.again), 1, r.again.n, stdout);
	fprintf(stderr, "%lu verdicts, %lu values, %lu weaker, %lu differences\n", r.verdicts, r.values, r.weaker,
		r.differences);
	return r.differences ? 1 : 0;
}
