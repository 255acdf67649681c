/* SPDX-License-Identifier: MIT */
/* Sorts in the order in which terms were made, as in sortcheck.c; a term is certain only if its arguments are. */
#include "smt/value/exact.h"

#include "base/bits.h"
#include "base/invariant.h"

#include <stdio.h>
#include <string.h>

/* The list has blanks around each name. */
static bool listed(const char *list, const char *name, size_t n)
{
	for (const char *p = list; (p = strchr(p, ' ')) && p[1]; p++)
		if (strcspn(p + 1, " ") == n && !memcmp(p + 1, name, n))
			return true;
	return false;
}

static const struct {
	const char *names;
	unsigned theories;
} logics[] = {
	{" QF_BV BV ", THEORY_BV},
	{" QF_ABV ", THEORY_BV | THEORY_ARRAYS_BV},
	{" QF_AUFBV ", THEORY_BV | THEORY_ARRAYS_BV | THEORY_UF},
	{" QF_UFBV UFBV ", THEORY_BV | THEORY_UF},
	{" QF_UF UF ", THEORY_UF},
	{" QF_LIA LIA ", THEORY_INT},
	{" QF_NIA NIA ", THEORY_INT | THEORY_NONLINEAR},
	{" QF_LRA LRA ", THEORY_REAL},
	{" QF_NRA ", THEORY_REAL | THEORY_NONLINEAR},
	{" QF_UFLIA UFLIA ", THEORY_INT | THEORY_UF},
	{" QF_UFLRA UFLRA ", THEORY_REAL | THEORY_UF},
	{" QF_ALIA ", THEORY_INT | THEORY_ARRAYS},
	{" QF_AUFLIA AUFLIA ", THEORY_INT | THEORY_ARRAYS | THEORY_UF},
	{" ALL ", THEORY_ALL},
};

bool exact_logic(const char *name, size_t n, unsigned *theories)
{
	for (size_t i = 0; i < ARRAY_LEN(logics); i++)
		if (listed(logics[i].names, name, n)) {
			*theories = logics[i].theories;
			return true;
		}
	return false;
}

/* Names of theories that are not followed, with blanks around each; and how such names start. */
static const char names[] =
	" true false implies iff if let forall exists div mod rem abs to_real to_int is_int / ^ ~ divisible pi euler "
	"sin cos tan asin acos atan exp sqrt const map default union intersect complement setminus difference subset "
	"subsetof member as-array array-ext card insert singleton emptyset bv2nat bv2int int2bv nat2bv bit2bool "
	"extract repeat zero_extend sign_extend rotate_left rotate_right ext_rotate_left ext_rotate_right bvredor "
	"bvredand bvuaddo bvsaddo bvumulo bvsmulo bvusubo bvssubo bvsdivo bvnego bvudiv_i bvurem_i bvsdiv_i bvsrem_i "
	"bvsmod_i bvudiv0 bvurem0 bvsdiv0 bvsrem0 bvsmod0 bvumul_noovfl bvsmul_noovfl bvsmul_noudfl bvultbv bvsltbv "
	"carry xor3 mkbv fp to_fp to_fp_unsigned RNE RNA RTP RTN RTZ roundNearestTiesToEven roundNearestTiesToAway "
	"roundTowardPositive roundTowardNegative roundTowardZero NaN iand int_pow2 tuple is update-field lambda choice "
	"match par nil cons head tail pbeq pbge pble at-most at-least seq char _ ! as ";
static const char *const prefixes[] = {"fp.",  "str.",  "re.", "seq.", "set.", "bag.",
				       "int.", "char.", "ff.", "rel.", "sep.", "tuple."};

bool exact_reserved(const char *name, size_t n)
{
	if (signature_find(name, n) || listed(names, name, n))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++)
		if (strlen(prefixes[i]) <= n && !memcmp(prefixes[i], name, strlen(prefixes[i])))
			return true;
	return false;
}

void exact_release(struct exact *c)
{
	vec_release_all(&c->sort, &c->known, &c->declared);
}

void exact_cut(struct exact *c, size_t terms, size_t declared)
{
	INVARIANT(declared <= c->declared.n);
	c->declared.n = declared;
	if (c->sort.n > terms)
		c->sort.n = terms;
	if (!terms)
		vec_clear(&c->known);
}

static bool is_named(const struct dag *d, uint32_t label, const char *name)
{
	return !strcmp(d->label.at[label].text, name);
}

/* Sorts that a script cannot declare. */
static const char sort_names[] = " Bool Int Real Array BitVec String RegLan RoundingMode FloatingPoint Float16 Float32 "
				 "Float64 Float128 Seq Set List Bag RegEx Unicode Char Tuple Relation Table Pair BIT ";

bool exact_declare_sort(struct exact *c, const struct dag *d, uint32_t sort)
{
	const struct label *l = &d->label.at[sort];
	for (size_t i = 0; i < c->declared.n; i++)
		if (c->declared.at[i] == sort)
			return false;
	if (!(c->theories & THEORY_UF) || listed(sort_names, l->text, l->len))
		return false;
	vec_push(&c->declared, sort);
	return true;
}

bool exact_known_sort(const struct exact *c, const struct dag *d, uint32_t sort)
{
	const struct label *l = &d->label.at[sort];
	for (size_t i = 0; i < c->declared.n; i++)
		if (c->declared.at[i] == sort)
			return true;
	if (sort == d->sort_bool)
		return true;
	if (l->width)
		return c->theories & THEORY_BV;
	if (l->elem && (c->theories & THEORY_ARRAYS))
		return exact_known_sort(c, d, l->index) && exact_known_sort(c, d, l->elem);
	if (l->elem)
		return (c->theories & THEORY_ARRAYS_BV) && d->label.at[l->index].width && d->label.at[l->elem].width;
	return is_named(d, sort, "Int") ? c->theories & THEORY_INT
					: is_named(d, sort, "Real") && (c->theories & THEORY_REAL);
}

static uint32_t label_of_sort(struct dag *d, const char *name)
{
	return 1 + dag_label(d, LABEL_SORT, name, strlen(name), "", 0);
}

static uint32_t sort_of_value(const struct exact *c, struct dag *d, const struct label *l)
{
	if (l->text[0] == '#')
		return c->theories & THEORY_BV ? 1 + dag_sort_bv(d, (l->len - 2) * (l->text[1] == 'x' ? 4 : 1)) : 0;
	if (!strcmp(l->text, "true") || !strcmp(l->text, "false"))
		return 1 + d->sort_bool;
	if (l->text[0] < '0' || l->text[0] > '9')
		return 0;
	/* a numeral is a real where there are no integers, says one solver and not another */
	if (strchr(l->text, '.'))
		return c->theories & THEORY_REAL ? label_of_sort(d, "Real") : 0;
	return c->theories & THEORY_INT ? label_of_sort(d, "Int") : 0;
}

/* The sort that the arguments from `from` on share; 0: they differ. */
static uint32_t common(const struct sort_args *a, uint32_t from)
{
	for (uint32_t i = from + 1; i < a->n; i++)
		if (sort_at(a, i) != sort_at(a, from))
			return 0;
	return sort_at(a, from);
}

static bool is_number(const struct dag *d, uint32_t sort)
{
	return sort && (is_named(d, sort - 1, "Int") || is_named(d, sort - 1, "Real"));
}

static uint32_t sort_array(const struct dag *d, const struct sort_args *a, bool store)
{
	uint32_t s = sort_at(a, 0);
	const struct label *l = &d->label.at[s - 1];
	if (!l->elem || sort_at(a, 1) != 1 + l->index || (store && sort_at(a, 2) != 1 + l->elem))
		return 0;
	return store ? s : 1 + l->elem;
}

static bool linear(const struct exact *c, const struct dag *d, const struct sort_args *a)
{
	return (c->theories & THEORY_NONLINEAR) || d->term.at[a->arg[0]].kind == TERM_VALUE ||
	       d->term.at[a->arg[1]].kind == TERM_VALUE;
}

static uint32_t apply_rule(const struct exact *c, struct dag *d, uint8_t rule, const struct sort_args *a)
{
	uint32_t boolean = 1 + d->sort_bool, s = common(a, rule == R_ITE ? 1 : 0);
	uint32_t width = s ? d->label.at[s - 1].width : 0;
	switch (rule) {
	case R_BOOL:
		return s == boolean ? boolean : 0;
	case R_SAME:
		return s ? boolean : 0;
	case R_ITE:
		return sort_at(a, 0) == boolean ? s : 0;
	case R_BV:
		return width ? s : 0;
	case R_BV_TEST:
		return width ? boolean : 0;
	case R_BV_COMP:
		return width ? 1 + dag_sort_bv(d, 1) : 0;
	case R_CONCAT: {
		uint64_t x = d->label.at[sort_at(a, 0) - 1].width, y = d->label.at[sort_at(a, 1) - 1].width;
		return x && y && x + y <= UINT32_MAX ? 1 + dag_sort_bv(d, (uint32_t)(x + y)) : 0;
	}
	case R_SELECT:
	case R_STORE:
		return sort_array(d, a, rule == R_STORE);
	case R_TIMES:
		return is_number(d, s) && linear(c, d, a) ? s : 0;
	case R_ARITH:
		return is_number(d, s) ? s : 0;
	default:
		return is_number(d, s) ? boolean : 0;
	}
}

/* (_ extract I J), (_ zero_extend I), (_ sign_extend I) of one bit-vector. */
static uint32_t sort_indexed(struct dag *d, const struct label *l, const struct sort_args *a)
{
	unsigned i, j;
	int end = 0;
	uint32_t w = a->n == 1 ? d->label.at[sort_at(a, 0) - 1].width : 0;
	if (!w)
		return 0;
	if (sscanf(l->text, "(_ extract %9u %9u)%n", &i, &j, &end) == 2 && (uint32_t)end == l->len)
		return i < w && j <= i ? 1 + dag_sort_bv(d, i - j + 1) : 0;
	if ((sscanf(l->text, "(_ zero_extend %6u)%n", &i, &end) == 1 ||
	     sscanf(l->text, "(_ sign_extend %6u)%n", &i, &end) == 1) &&
	    (uint32_t)end == l->len)
		return 1 + dag_sort_bv(d, w + i);
	return 0;
}

/* A declared function: its rank is in the label, sorts ended by NUL, the result last. */
static uint32_t sort_of_function(struct dag *d, const struct label *l, const struct sort_args *a)
{
	const char *p = l->meaning, *end = l->meaning + l->meaning_len;
	for (uint32_t i = 0; i < a->n; i++, p += strlen(p) + 1)
		if (p + strlen(p) >= end || strcmp(d->label.at[sort_at(a, i) - 1].text, p))
			return 0;
	return p + strlen(p) == end ? label_of_sort(d, p) : 0;
}

static uint32_t sort_of_app(struct exact *c, struct dag *d, const struct term *t, const struct sort_args *a)
{
	struct label l = d->label.at[t->label]; /* a copy: making sorts may move the labels */
	for (uint32_t i = 0; i < a->n; i++)
		if (!sort_at(a, i))
			return 0;
	if (l.kind == LABEL_FUN)
		return sort_of_function(d, &l, a);
	const struct signature *f = signatures_of(&c->known, d, t->label);
	if (f) {
		bool count = f->all_min && a->n >= f->all_min && (!f->all_max || a->n <= f->all_max);
		return count ? apply_rule(c, d, f->rule, a) : 0;
	}
	return sort_indexed(d, &l, a);
}

uint32_t exact_sort(struct exact *c, struct dag *d, uint32_t term)
{
	INVARIANT(c->sort.n <= d->term.n && term < d->term.n);
	vec_reserve(&c->sort, d->term.n - c->sort.n);
	for (size_t i = c->sort.n; i < d->term.n; i++) {
		struct term t = d->term.at[i];
		struct sort_args a = {c->sort.at, d->arg.at + t.args, t.n_args};
		uint32_t s = 0;
		if (t.kind == TERM_VAR)
			s = 1 + t.sort;
		else if (t.kind == TERM_VALUE)
			s = sort_of_value(c, d, &d->label.at[t.label]);
		else if (t.kind == TERM_APP)
			s = sort_of_app(c, d, &t, &a);
		vec_push(&c->sort, s);
	}
	return c->sort.at[term];
}
