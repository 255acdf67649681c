/* SPDX-License-Identifier: MIT */
/* Scripts as symbolic executors ask them, with words of every width, and the comparison of what two programs answered.
 *
 *	smt_paths gen SEED N KIND FOLDER    FOLDER/s0.smt2 …
 *	smt_paths check SEED N KIND A B     A: what z3 printed, B: what refrain printed, each script's after @@NUMBER
 *
 * KIND: z3 (values, levels, lists of assumptions), clean (what every solver with a stack takes), flat (one question a
 * script, one array, for boolector). All scripts of a seed draw from one pool of conditions over the same arrays and
 * words: a path is some of them, the next one longer, or with its last one negated, or under other names. smt_scripts
 * has words of 3 and 8 bits; here they have 1 to 130, at the borders of what fits into a machine's word, with shifts
 * by about their width, signed division at its corners, arrays of one bit, of booleans, of arrays, arrays that are
 * equal or chosen by a condition, tables of constants. check prints a script with which z3 confirms the values of B:
 * all that follow one answer together. */
#include "base/bits.h"
#include "data/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { POOL = 20, MAX_WORDS = 6, MAX_ARRAYS = 3, MAX_LEVELS = 12 };
enum kind { KIND_Z3, KIND_CLEAN, KIND_FLAT };

/* Widths are numbers of bits; 0 is Bool. */
struct array {
	unsigned index, inner, element; /* inner: of the arrays that are its elements; NONE */
};
enum { NONE = 1000 };

struct gen {
	struct rng rng;
	enum kind kind;
	unsigned words, width[MAX_WORDS], arrays, pool, names, bound;
	struct array array[MAX_ARRAYS];
	char *condition[POOL];
	bool klee; /* bytes at 32-bit places */
	struct buf out, known, again;
	size_t level[MAX_LEVELS], levels;
	unsigned long verdicts, values, differences;
	/* comparing */
	bool comparing;
	char *a, *b;
	unsigned number;
	const char *last; /* the verdict of refrain */
};

static unsigned draw(struct gen *g, unsigned n)
{
	return (unsigned)rng_below(&g->rng, n);
}

/* ---- terms: names are written @w3, @a0, and get their spelling when they are used */

static void constant(struct gen *g, struct buf *b, unsigned w)
{
	if (!w) {
		buf_str_add(b, draw(g, 2) ? "true" : "false");
		return;
	}
	unsigned form = draw(g, 8);
	if (form < 3 && w < 64) { /* about the width: for shifts */
		unsigned v = w - 1 + draw(g, 3);
		buf_printf(b, "(_ bv%llu %u)", (unsigned long long)v & (((unsigned long long)1 << w) - 1), w);
	} else if (w % 4 == 0 && form < 6) {
		buf_str_add(b, "#x");
		unsigned fill = draw(g, 5);
		for (unsigned i = 0; i < w / 4; i++) {
			bool edge = i == 0 || i + 1 == w / 4;
			char c = "0123456789abcdefABCDEF"[draw(g, 22)];
			static const char edges[] = "0178fF";
			buf_char(b, fill == 0 ? c : edge && draw(g, 2) ? edges[draw(g, 6)] : fill < 4 ? '0' : 'f');
		}
	} else {
		buf_str_add(b, "#b");
		unsigned fill = draw(g, 4);
		for (unsigned i = 0; i < w; i++) {
			unsigned bit = fill == 0 ? draw(g, 2) : fill == 1 ? 1 : 0;
			buf_char(b, '0' + (bit ^ ((i == 0 || i + 1 == w) && draw(g, 2))));
		}
	}
}

static void boolean(struct gen *g, struct buf *b, unsigned depth);
static void word(struct gen *g, struct buf *b, unsigned w, unsigned depth);

static void of_width(struct gen *g, struct buf *b, unsigned w, unsigned depth)
{
	if (w)
		word(g, b, w, depth);
	else
		boolean(g, b, depth);
}

static void place(struct gen *g, struct buf *b, unsigned w, unsigned depth)
{
	if (w && draw(g, 3))
		buf_printf(b, "(_ bv%u %u)", draw(g, w > 2 ? 4 : w + 1), w);
	else
		of_width(g, b, w, depth);
}

/* An array as the one with that number; inner: one that is an element of it */
static void array(struct gen *g, struct buf *b, unsigned of, bool inner, unsigned depth)
{
	const struct array *a = &g->array[of];
	unsigned k = depth ? draw(g, 9) : 0;
	if (inner && k != 1 && k != 2) {
		buf_str_add(b, "(select ");
		array(g, b, of, false, depth ? depth - 1 : 0);
		buf_char(b, ' ');
		place(g, b, a->index, 0);
		buf_char(b, ')');
	} else if (k == 1 || k == 3 || k == 4) {
		bool nested = !inner && a->inner != NONE;
		buf_str_add(b, "(store ");
		array(g, b, of, inner, depth - 1);
		buf_char(b, ' ');
		place(g, b, inner ? a->inner : a->index, depth - 1);
		buf_char(b, ' ');
		if (nested)
			array(g, b, of, true, depth - 1);
		else
			of_width(g, b, a->element, depth - 1);
		buf_char(b, ')');
	} else if (k == 2) {
		buf_str_add(b, "(ite ");
		boolean(g, b, depth - 1);
		buf_char(b, ' ');
		array(g, b, of, inner, depth - 1);
		buf_char(b, ' ');
		array(g, b, of, inner, depth - 1);
		buf_char(b, ')');
	} else {
		buf_printf(b, "@a%u%c", of, "xy"[g->kind != KIND_FLAT && draw(g, 3) == 0]);
	}
}

/* A word read from an array that has such; false: none has. */
static bool read_array(struct gen *g, struct buf *b, unsigned w, unsigned depth)
{
	for (unsigned i = 0, from = draw(g, MAX_ARRAYS); i < MAX_ARRAYS; i++) {
		unsigned k = (from + i) % MAX_ARRAYS;
		if (k >= g->arrays)
			continue;
		const struct array *a = &g->array[k];
		if (a->element == w) {
			buf_str_add(b, "(select ");
			array(g, b, k, a->inner != NONE, depth);
			buf_char(b, ' ');
			place(g, b, a->inner != NONE ? a->inner : a->index, depth);
			buf_char(b, ')');
			return true;
		}
		if (a->element == 8 && a->inner == NONE && a->index >= 8 && w > 8 && w % 8 == 0 && w <= 64) {
			unsigned base = draw(g, 6), swap = draw(g, 4) == 0;
			for (unsigned j = 1; j < w / 8; j++)
				buf_str_add(b, "(concat ");
			for (unsigned j = 0; j < w / 8; j++) {
				unsigned at = swap ? base + j : base + w / 8 - 1 - j;
				buf_printf(b, j ? " (select @a%ux (_ bv%u %u)))" : "(select @a%ux (_ bv%u %u))", k, at,
					   a->index);
			}
			return true;
		}
	}
	return false;
}

static void operation(struct gen *g, struct buf *b, const char *name, unsigned w, unsigned depth)
{
	buf_printf(b, "(%s ", name);
	word(g, b, w, depth);
	buf_char(b, ' ');
	word(g, b, w, depth);
	buf_char(b, ')');
}

static void leaf(struct gen *g, struct buf *b, unsigned w)
{
	for (unsigned i = 0, from = draw(g, MAX_WORDS); i < MAX_WORDS && draw(g, 4); i++) {
		unsigned k = (from + i) % MAX_WORDS;
		if (k < g->words && g->width[k] == w) {
			buf_printf(b, "@w%u", k);
			return;
		}
	}
	if (!draw(g, 2) || !read_array(g, b, w, 0))
		constant(g, b, w);
}

static void word(struct gen *g, struct buf *b, unsigned w, unsigned depth)
{
	static const char *const cheap[] = {"bvadd", "bvsub",  "bvand", "bvor",   "bvxor",  "bvnand",
					    "bvnor", "bvxnor", "bvshl", "bvlshr", "bvashr", "bvadd"};
	static const char *const dear[] = {"bvmul", "bvudiv", "bvurem", "bvsdiv", "bvsrem", "bvsmod"};
	if (!depth--) {
		leaf(g, b, w);
		return;
	}
	unsigned k = draw(g, 20);
	if (k < 5) {
		operation(g, b, cheap[draw(g, ARRAY_LEN(cheap))], w, depth);
	} else if (k < 7) { /* wide ones by a constant, or z3 does not end */
		buf_printf(b, "(%s ", dear[draw(g, ARRAY_LEN(dear))]);
		bool turn = draw(g, 4) == 0;
		if (turn)
			constant(g, b, w);
		else
			word(g, b, w, w <= 16 ? depth : 0);
		buf_char(b, ' ');
		if (w <= 8 || turn)
			word(g, b, w, w <= 8 ? depth : 0);
		else
			constant(g, b, w);
		buf_char(b, ')');
	} else if (k < 8) {
		unsigned more = w + draw(g, 2) + draw(g, 130 - w > 9 ? 9 : 1), from = draw(g, more - w + 1);
		buf_printf(b, "((_ extract %u %u) ", from + w - 1, from);
		word(g, b, more, depth);
		buf_char(b, ')');
	} else if (k < 10 && w > 1) {
		unsigned high = 1 + draw(g, w - 1);
		buf_str_add(b, "(concat ");
		word(g, b, high, depth);
		buf_char(b, ' ');
		word(g, b, w - high, depth);
		buf_char(b, ')');
	} else if (k < 12) {
		unsigned narrow = w > 1 && draw(g, 3) ? g->width[draw(g, g->words)] : w;
		narrow = narrow > w || !narrow ? w : narrow;
		buf_printf(b, draw(g, 2) ? "((_ zero_extend %u) " : "((_ sign_extend %u) ", w - narrow);
		word(g, b, narrow, depth);
		buf_char(b, ')');
	} else if (k == 12) {
		unsigned of = 1 + draw(g, w);
		of = w % of ? w : of;
		buf_printf(b, "((_ repeat %u) ", w / of);
		word(g, b, of, depth);
		buf_char(b, ')');
	} else if (k == 13) {
		buf_printf(b, draw(g, 2) ? "((_ rotate_left %u) " : "((_ rotate_right %u) ", draw(g, 2 * w + 2));
		word(g, b, w, depth);
		buf_char(b, ')');
	} else if (k == 14) {
		buf_str_add(b, draw(g, 2) ? "(bvnot " : "(bvneg ");
		word(g, b, w, depth);
		buf_char(b, ')');
	} else if (k == 15) {
		buf_str_add(b, "(ite ");
		boolean(g, b, depth);
		buf_char(b, ' ');
		word(g, b, w, depth);
		buf_char(b, ' ');
		word(g, b, w, depth);
		buf_char(b, ')');
	} else if (k == 16 && w == 1) {
		operation(g, b, "bvcomp", g->width[draw(g, g->words)], depth);
	} else if (k == 17) { /* bindings that take each other's names */
		unsigned l = g->bound, m = l + 1;
		g->bound += 2;
		buf_printf(b, "(let ((l%u ", l);
		word(g, b, w, depth);
		buf_printf(b, ") (l%u ", m);
		word(g, b, w, depth);
		buf_printf(b, ")) (let ((l%u l%u) (l%u l%u)) (bvsub l%u ", l, m, m, l, l);
		buf_printf(b, draw(g, 2) ? "l%u)))" : "(bvnot l%u))))", m);
	} else if (!read_array(g, b, w, depth)) {
		leaf(g, b, w);
	}
}

static void boolean(struct gen *g, struct buf *b, unsigned depth)
{
	static const char *const compare[] = {"bvult", "bvule", "bvslt", "bvsle", "=",
					      "bvugt", "bvuge", "bvsgt", "bvsge", "distinct"};
	static const char *const connect[] = {"and", "or", "xor", "=>", "="};
	unsigned k = draw(g, 16);
	if (depth && k < 5) {
		buf_printf(b, "(%s ", connect[k]);
		boolean(g, b, depth - 1);
		buf_char(b, ' ');
		boolean(g, b, depth - 1);
		buf_char(b, ')');
	} else if (depth && k == 5) {
		buf_str_add(b, "(not ");
		boolean(g, b, depth - 1);
		buf_char(b, ')');
	} else if (k == 6) {
		buf_printf(b, "@p%u", draw(g, 2));
	} else if (k == 7 && g->arrays && g->kind != KIND_FLAT) {
		unsigned of = draw(g, g->arrays);
		bool inner = g->array[of].inner != NONE && draw(g, 2);
		buf_str_add(b, draw(g, 2) ? "(= " : "(distinct ");
		array(g, b, of, inner, depth);
		buf_char(b, ' ');
		array(g, b, of, inner, depth);
		buf_char(b, ')');
	} else if (k == 8 && read_array(g, b, 0, depth)) {
		return;
	} else if (k == 9 && g->klee) { /* a byte is what it is: a fix */
		buf_printf(b, "(= (select @a0x (_ bv%u %u)) ", draw(g, 8), g->array[0].index);
		constant(g, b, g->array[0].element);
		buf_char(b, ')');
	} else {
		unsigned w = g->width[draw(g, g->words)];
		if (g->klee && draw(g, 2))
			w = 8u << draw(g, 4);
		operation(g, b, compare[draw(g, ARRAY_LEN(compare))], w, depth);
	}
}

/* ---- scripts */

/* The text with the names of this script. */
static void spell(const struct gen *g, struct buf *out, const char *text)
{
	static const char *const forms[] = {"%c%c%c", "%c_%c%c", "|%c%c %c|", "%c!%c%c", "|%c%c%c|"};
	for (; *text; text++) {
		if (*text != '@') {
			buf_char(out, *text);
			continue;
		}
		buf_printf(out, forms[g->names], text[1], text[2], text[1] == 'a' ? text[3] : 'v');
		text += text[1] == 'a' ? 3 : 2;
	}
}

static void hold(struct gen *g, const char *text)
{
	size_t from = g->known.n;
	spell(g, &g->known, text);
	buf_char(&g->known, '\n');
	buf_add(&g->out, g->known.at + from, g->known.n - from);
}

static void sort_of(struct buf *b, unsigned w)
{
	if (w)
		buf_printf(b, "(_ BitVec %u)", w);
	else
		buf_str_add(b, "Bool");
}

static void declare(struct gen *g)
{
	struct buf b = {0};
	hold(g, "(declare-fun @p0 () Bool)");
	hold(g, "(declare-fun @p1 () Bool)");
	for (unsigned i = 0; i < g->words; i++) {
		buf_clear(&b);
		buf_printf(&b, "(declare-fun @w%u () (_ BitVec %u))", i, g->width[i]);
		hold(g, b.at);
	}
	for (unsigned i = 0; i < 2 * g->arrays; i++) {
		const struct array *a = &g->array[i / 2];
		buf_clear(&b);
		buf_printf(&b, "(declare-fun @a%u%c () (Array ", i / 2, "xy"[i % 2]);
		sort_of(&b, a->index);
		if (a->inner != NONE) {
			buf_str_add(&b, " (Array ");
			sort_of(&b, a->inner);
		}
		buf_char(&b, ' ');
		sort_of(&b, a->element);
		buf_str_add(&b, a->inner != NONE ? ")))" : "))");
		hold(g, b.at);
	}
	if (g->klee && g->kind != KIND_FLAT) { /* a table, as KLEE writes one */
		buf_clear(&b);
		for (unsigned i = 0; i < 6; i++)
			buf_printf(&b, "%s(= (select @a0y (_ bv%u %u)) (_ bv%u %u))", i ? " " : "(assert (and ", i,
				   g->array[0].index, draw(g, 256), g->array[0].element);
		buf_str_add(&b, "))");
		hold(g, b.at);
	}
	buf_release(&b);
}

/* The next line of a program's answer to this script; NULL at its end. */
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

static bool is_verdict(const char *t)
{
	return t && (!strcmp(t, "sat") || !strcmp(t, "unsat") || !strcmp(t, "unknown"));
}

/* The next answer: a verdict only, where the solvers print what they like besides. */
static char *answer(const struct gen *g, char **at)
{
	char *line = next_line(at);
	while (line && g->kind != KIND_Z3 && !is_verdict(line))
		line = next_line(at);
	return line;
}

static void difference(struct gen *g, const char *x, const char *y)
{
	if (g->differences++ < 5)
		fprintf(stderr, "script %u: z3 says %s, refrain %s\n", g->number, x ? x : "nothing", y ? y : "nothing");
}

/* Past the mark before the next question: what is printed up to there, errors, must be the same. */
static bool to_question(struct gen *g)
{
	for (;;) {
		const char *x = next_line(&g->a), *y = next_line(&g->b);
		if (!x || !y || strcmp(x, y) != 0) {
			difference(g, x, y);
			return false;
		}
		if (!strcmp(x, "?"))
			return true;
	}
}

/* A line of each program, to one question; term: whose value it is, with the assumptions of the last check. */
static void compare(struct gen *g, const char *term, const char *assumed)
{
	if (!g->comparing)
		return;
	if (g->kind == KIND_Z3 && !to_question(g))
		return;
	const char *x = answer(g, &g->a), *y = answer(g, &g->b);
	if (!term) {
		g->last = y;
		g->verdicts += is_verdict(x);
		if (!x || !y || (strcmp(x, y) && strcmp(x, "unknown") != 0 && strcmp(y, "unknown") != 0))
			difference(g, x, y);
		return;
	}
	size_t n = strlen(term), line = y ? strlen(y) : 0;
	bool value = x && y && !strncmp(x, "((", 2) && line > n + 5 && !strncmp(y, "((", 2) &&
		     !strncmp(y + 2, term, n) && y[n + 2] == ' ';
	if (!value) {
		if (!x || !y || strcmp(x, y) != 0)
			difference(g, x, y);
		return;
	}
	g->values++;
	buf_printf(&g->again, "%s(assert (= %s %.*s))\n", assumed, term, (int)(line - n - 5), y + n + 3);
}

static void values(struct gen *g, const char *assumed)
{
	static char of[2048];
	unsigned n = g->kind == KIND_Z3 ? draw(g, 5) : 0;
	if (g->comparing && n) {
		buf_str_add(&g->again, "(reset)\n");
		buf_add(&g->again, buf_str(&g->known), g->known.n);
	}
	for (unsigned i = 0; i < n; i++) {
		struct buf t = {0}, spelt = {0};
		if (draw(g, 4) == 0)
			boolean(g, &t, 1);
		else
			word(g, &t, g->width[draw(g, g->words)], draw(g, 3));
		spell(g, &spelt, t.at);
		if (!strstr(spelt.at, "let ") && spelt.n < sizeof of) {
			buf_printf(&g->out, "(echo \"?\")(get-value (%s))\n", spelt.at);
			memcpy(of, spelt.at, spelt.n + 1);
			compare(g, of, i ? "" : assumed);
		}
		buf_release(&t);
		buf_release(&spelt);
	}
	if (g->comparing && n)
		buf_printf(&g->again, "(check-sat)\n(echo \"%s\")\n",
			   g->last && !strcmp(g->last, "sat") ? "expected sat" : "no model");
}

static void check(struct gen *g)
{
	struct buf assumed = {0};
	if (g->kind == KIND_Z3)
		buf_str_add(&g->out, "(echo \"?\")\n");
	if (g->kind != KIND_FLAT && draw(g, 5) == 0) {
		struct buf list = {0};
		for (unsigned i = 1 + draw(g, 3); i > 0; i--) {
			char text[20];
			snprintf(text, sizeof text, draw(g, 2) ? "(not @p%u)" : "@p%u", draw(g, 2));
			buf_char(&list, ' ');
			spell(g, &list, text);
			buf_str_add(&assumed, "(assert ");
			spell(g, &assumed, text);
			buf_str_add(&assumed, ")\n");
		}
		buf_printf(&g->out, "(check-sat-assuming (%s))\n", list.at);
		buf_release(&list);
	} else {
		buf_str_add(&g->out, "(check-sat)\n");
	}
	compare(g, NULL, NULL);
	values(g, buf_str(&assumed));
	buf_release(&assumed);
}

static void assertion(struct gen *g, const char *condition, bool negated)
{
	struct buf b = {0};
	buf_printf(&b, negated ? "(assert (not %s))" : "(assert %s)", condition);
	hold(g, b.at);
	buf_release(&b);
}

static void push(struct gen *g, unsigned n)
{
	if (g->levels + n > MAX_LEVELS)
		return;
	for (unsigned i = 0; i < n; i++)
		g->level[g->levels++] = g->known.n;
	buf_printf(&g->out, "(push %u)\n", n);
}

static void pop(struct gen *g, unsigned n)
{
	if (n > g->levels)
		return;
	g->levels -= n;
	if (n)
		g->known.n = g->level[g->levels];
	buf_printf(&g->out, "(pop %u)\n", n);
}

/* Finds the answers of this script. */
static bool to_script(char **at, unsigned number)
{
	char mark[32];
	size_t n = (size_t)snprintf(mark, sizeof mark, "@@%u\n", number);
	char *p = strstr(*at, mark);
	if (p)
		*at = p + n;
	return p;
}

/* What the pool's conditions are about: the same for all scripts of a seed. */
static void begin(struct gen *g, uint64_t seed)
{
	static const unsigned widths[] = {1, 2, 3, 5, 7, 8, 8, 16, 16, 31, 32, 32, 33, 63, 64, 64, 65, 100, 128};
	static const struct array shapes[] = {{1, NONE, 1}, {2, NONE, 3}, {8, NONE, 8}, {3, 2, 1},     {64, NONE, 64},
					      {0, NONE, 2}, {2, NONE, 0}, {2, 0, 3},    {65, NONE, 8}, {32, NONE, 8}};
	g->rng.state = seed;
	g->klee = draw(g, 2);
	g->words = 2 + draw(g, MAX_WORDS - 1);
	for (unsigned i = 0; i < g->words; i++)
		g->width[i] = widths[draw(g, ARRAY_LEN(widths))];
	g->arrays = g->kind == KIND_FLAT ? draw(g, 2) : draw(g, MAX_ARRAYS + 1);
	for (unsigned i = 0; i < g->arrays; i++)
		g->array[i] = shapes[draw(g, ARRAY_LEN(shapes))];
	if (g->kind == KIND_FLAT && g->arrays &&
	    (!g->array[0].index || !g->array[0].element || g->array[0].inner != NONE))
		g->array[0] = shapes[0];
	if (g->klee) {
		g->array[0] = (struct array){32, NONE, 8};
		g->arrays += !g->arrays;
	}
	for (unsigned i = 0; i < POOL; i++) {
		struct buf b = {0};
		boolean(g, &b, 1 + draw(g, 3));
		g->condition[i] = b.at;
	}
}

static void script(struct gen *g, uint64_t seed, unsigned number)
{
	/* every other script is the one before, with another choice at its end */
	g->rng.state = seed * 1000003 + number / 2;
	buf_clear(&g->out);
	buf_clear(&g->known);
	g->levels = 0;
	g->names = number % 5;
	g->number = number;
	if (g->kind == KIND_FLAT)
		g->names %= 2;
	if (g->kind != KIND_FLAT)
		buf_printf(&g->out, "(echo \"@@%u\")\n", number);
	if (g->kind == KIND_Z3)
		buf_str_add(&g->out, "(set-option :produce-models true)\n");
	if (g->kind != KIND_Z3 || draw(g, 2))
		buf_str_add(&g->out, g->kind == KIND_CLEAN ? "(set-logic ALL)\n" : "(set-logic QF_AUFBV)\n");
	declare(g);
	unsigned from = draw(g, POOL), n = 1 + draw(g, 6);
	for (unsigned i = 0; i < n; i++)
		assertion(g, g->condition[(from + i * i) % POOL], i + 1 == n && number % 2);
	if (g->kind == KIND_FLAT) {
		check(g);
		return;
	}
	for (unsigned i = 3 + draw(g, 12); i > 0; i--) {
		unsigned k = draw(g, 10);
		if (k < 2)
			push(g, draw(g, 4));
		else if (k < 4)
			pop(g, draw(g, 4));
		else if (k < 7)
			assertion(g, g->condition[draw(g, POOL)], draw(g, 2));
		else
			check(g);
	}
	check(g);
}

static int check_all(struct gen *g, uint64_t seed, unsigned n)
{
	g->comparing = true;
	for (unsigned i = 0; i < n; i++) {
		if (!to_script(&g->a, i))
			continue; /* it was too hard for z3 */
		if (!to_script(&g->b, i)) {
			g->number = i;
			difference(g, "@@", NULL);
			break;
		}
		script(g, seed, i);
		const char *x, *y;
		do { /* errors after the last question */
			x = answer(g, &g->a);
			y = answer(g, &g->b);
		} while (x && y && !strcmp(x, y));
		if (x || y)
			difference(g, x, y);
	}
	fwrite(buf_str(&g->again), 1, g->again.n, stdout);
	fprintf(stderr, "%lu verdicts, %lu values, %lu differences\n", g->verdicts, g->values, g->differences);
	return g->differences ? 1 : 0;
}

int main(int argc, char **argv)
{
	static struct gen g;
	bool checking = argc == 7 && !strcmp(argv[1], "check");
	if (!checking && (argc != 6 || strcmp(argv[1], "gen") != 0)) {
		fprintf(stderr, "usage: smt_paths gen SEED N z3|clean|flat FOLDER | check SEED N KIND A B\n");
		return 2;
	}
	uint64_t seed = strtoull(argv[2], NULL, 10);
	unsigned n = (unsigned)strtoul(argv[3], NULL, 10);
	g.kind = argv[4][0] == 'z' ? KIND_Z3 : argv[4][0] == 'c' ? KIND_CLEAN : KIND_FLAT;
	begin(&g, seed);
	if (checking) {
		struct buf a = {0}, b = {0};
		struct err e = {0};
		if (buf_read_file(&a, argv[5], 1u << 30, &e) || buf_read_file(&b, argv[6], 1u << 30, &e))
			return 2;
		g.a = (char *)buf_str(&a);
		g.b = (char *)buf_str(&b);
		return check_all(&g, seed, n);
	}
	for (unsigned i = 0; i < n; i++) {
		char path[4096];
		snprintf(path, sizeof path, "%s/s%u.smt2", argv[5], i);
		script(&g, seed, i);
		FILE *f = fopen(path, "w");
		if (!f || fwrite(g.out.at, 1, g.out.n, f) != g.out.n || fclose(f))
			return 3;
	}
	return 0;
}
