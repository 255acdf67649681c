/* SPDX-License-Identifier: MIT */
/* Sort checking of terms, in the order they were made: arguments come before what they are arguments of. */
#include "smt/term/sortcheck.h"

#include "base/invariant.h"

#include <stdio.h>
#include <string.h>

enum { UNKNOWN = 0 };
#define BAD UINT32_MAX

enum rule {
	R_BOOL, /* booleans to a boolean */
	R_SAME, /* equal sorts to a boolean */
	R_ITE,
	R_BV,      /* equal widths to that width */
	R_BV_TEST, /* equal widths to a boolean */
	R_BV_COMP,
	R_CONCAT,
	R_SELECT,
	R_STORE,
	R_ARITH, /* numbers to a number */
	R_ARITH_TEST,
	R_FREE, /* known to be an operator, not followed */
};

static const struct {
	const char *name;
	uint8_t rule;
	uint8_t min, max; /* arguments; max 0: any number */
} operators[] = {
	{"not", R_BOOL, 1, 1},      {"and", R_BOOL, 1, 0},      {"or", R_BOOL, 1, 0},       {"xor", R_BOOL, 2, 0},
	{"=>", R_BOOL, 2, 0},       {"=", R_SAME, 2, 0},        {"distinct", R_SAME, 2, 0}, {"ite", R_ITE, 3, 3},
	{"bvnot", R_BV, 1, 1},      {"bvneg", R_BV, 1, 1},      {"bvand", R_BV, 2, 0},      {"bvor", R_BV, 2, 0},
	{"bvxor", R_BV, 2, 0},      {"bvnand", R_BV, 2, 2},     {"bvnor", R_BV, 2, 2},      {"bvxnor", R_BV, 2, 2},
	{"bvadd", R_BV, 2, 0},      {"bvsub", R_BV, 2, 2},      {"bvmul", R_BV, 2, 0},      {"bvudiv", R_BV, 2, 2},
	{"bvurem", R_BV, 2, 2},     {"bvsdiv", R_BV, 2, 2},     {"bvsrem", R_BV, 2, 2},     {"bvsmod", R_BV, 2, 2},
	{"bvshl", R_BV, 2, 2},      {"bvlshr", R_BV, 2, 2},     {"bvashr", R_BV, 2, 2},     {"bvcomp", R_BV_COMP, 2, 2},
	{"bvult", R_BV_TEST, 2, 2}, {"bvule", R_BV_TEST, 2, 2}, {"bvugt", R_BV_TEST, 2, 2}, {"bvuge", R_BV_TEST, 2, 2},
	{"bvslt", R_BV_TEST, 2, 2}, {"bvsle", R_BV_TEST, 2, 2}, {"bvsgt", R_BV_TEST, 2, 2}, {"bvsge", R_BV_TEST, 2, 2},
	{"concat", R_CONCAT, 2, 0}, {"select", R_SELECT, 2, 2}, {"store", R_STORE, 3, 3},   {"+", R_ARITH, 1, 0},
	{"-", R_ARITH, 1, 0},       {"*", R_ARITH, 1, 0},       {"/", R_ARITH, 2, 0},       {"div", R_ARITH, 2, 0},
	{"mod", R_ARITH, 2, 2},     {"abs", R_ARITH, 1, 1},     {"<", R_ARITH_TEST, 2, 0},  {"<=", R_ARITH_TEST, 2, 0},
	{">", R_ARITH_TEST, 2, 0},  {">=", R_ARITH_TEST, 2, 0}, {"to_real", R_FREE, 1, 1},  {"to_int", R_FREE, 1, 1},
	{"is_int", R_FREE, 1, 1},   {"bv2nat", R_FREE, 1, 1},   {"bv2int", R_FREE, 1, 1},   {"fp", R_FREE, 3, 3},
};

/* Names of theories that are not followed. */
static const char *const prefixes[] = {"fp.",  "str.", "re.", "seq.", "set.",
				       "bag.", "int.", "(_ ", "(as ", "ext_rotate"};
static const char *const constants[] = {"true",
					"false",
					"RNE",
					"RNA",
					"RTP",
					"RTN",
					"RTZ",
					"roundNearestTiesToEven",
					"roundNearestTiesToAway",
					"roundTowardPositive",
					"roundTowardNegative",
					"roundTowardZero"};

void sortcheck_release(struct sortcheck *c)
{
	vec_release_all(&c->sort, &c->row);
}

void sortcheck_cut(struct sortcheck *c, size_t terms)
{
	if (c->sort.n > terms)
		c->sort.n = terms;
	if (!terms)
		vec_clear(&c->row);
}

static bool has_prefix(const struct label *l)
{
	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++)
		if (!strncmp(l->text, prefixes[i], strlen(prefixes[i])))
			return true;
	return false;
}

static uint32_t sort_of_value(struct dag *d, const struct label *l, bool own_symbols)
{
	if (l->text[0] == '#')
		return 1 + dag_sort_bv(d, (l->len - 2) * (l->text[1] == 'x' ? 4 : 1));
	if (!strcmp(l->text, "true") || !strcmp(l->text, "false"))
		return 1 + d->sort_bool;
	for (size_t i = 0; i < ARRAY_LEN(constants); i++)
		if (!strcmp(l->text, constants[i]))
			return UNKNOWN;
	bool literal = l->text[0] == '"' || (l->text[0] >= '0' && l->text[0] <= '9');
	return literal || own_symbols || has_prefix(l) ? UNKNOWN : BAD;
}

struct args {
	const uint32_t *sort; /* of the dag's terms */
	const uint32_t *arg;
	uint32_t n;
};

static uint32_t sort_at(const struct args *a, uint32_t i)
{
	return a->sort[a->arg[i]];
}

/* The one sort that all known arguments from `from` on have; BAD when they differ. */
static uint32_t common(const struct args *a, uint32_t from)
{
	uint32_t s = UNKNOWN;
	for (uint32_t i = from; i < a->n; i++) {
		uint32_t t = sort_at(a, i);
		if (t == UNKNOWN)
			continue;
		if (s != UNKNOWN && s != t)
			return BAD;
		s = t;
	}
	return s;
}

static uint32_t width_of(const struct dag *d, uint32_t sort)
{
	return sort == UNKNOWN ? 0 : d->label.at[sort - 1].width;
}

static bool is_number(const struct dag *d, uint32_t sort)
{
	return sort == UNKNOWN || !strcmp(d->label.at[sort - 1].text, "Int") ||
	       !strcmp(d->label.at[sort - 1].text, "Real");
}

static uint32_t sort_concat(struct dag *d, const struct args *a)
{
	uint64_t w = 0;
	for (uint32_t i = 0; i < a->n; i++) {
		uint32_t s = sort_at(a, i);
		if (s == UNKNOWN)
			return UNKNOWN;
		if (!width_of(d, s))
			return BAD;
		w += width_of(d, s);
	}
	return w <= UINT32_MAX ? 1 + dag_sort_bv(d, (uint32_t)w) : BAD;
}

static uint32_t sort_array(const struct dag *d, const struct args *a, bool store)
{
	uint32_t s = sort_at(a, 0);
	if (s == UNKNOWN)
		return UNKNOWN;
	const struct label *l = &d->label.at[s - 1];
	if (!l->elem || (sort_at(a, 1) != UNKNOWN && sort_at(a, 1) != 1 + l->index))
		return BAD;
	if (!store)
		return 1 + l->elem;
	return sort_at(a, 2) != UNKNOWN && sort_at(a, 2) != 1 + l->elem ? BAD : s;
}

static uint32_t sort_numbers(const struct dag *d, const struct args *a)
{
	for (uint32_t i = 0; i < a->n; i++)
		if (!is_number(d, sort_at(a, i)))
			return BAD;
	return UNKNOWN;
}

/* Numbers may be mixed: solvers convert integers. */
static bool comparable(const struct dag *d, const struct args *a)
{
	if (common(a, 0) != BAD)
		return true;
	for (uint32_t i = 0; i < a->n; i++)
		if (!is_number(d, sort_at(a, i)))
			return false;
	return true;
}

static uint32_t apply_rule(struct dag *d, uint8_t rule, const struct args *a)
{
	uint32_t boolean = 1 + d->sort_bool, s = common(a, rule == R_ITE ? 1 : 0);
	switch (rule) {
	case R_BOOL:
		return s == UNKNOWN || s == boolean ? boolean : BAD;
	case R_SAME:
		return comparable(d, a) ? boolean : BAD;
	case R_ITE:
		if (sort_at(a, 0) != UNKNOWN && sort_at(a, 0) != boolean)
			return BAD;
		return s == BAD && is_number(d, sort_at(a, 1)) && is_number(d, sort_at(a, 2)) ? UNKNOWN : s;
	case R_BV:
		return s == UNKNOWN ? UNKNOWN : s != BAD && width_of(d, s) ? s : BAD;
	case R_BV_TEST:
		return s == UNKNOWN || (s != BAD && width_of(d, s)) ? boolean : BAD;
	case R_BV_COMP:
		return s == UNKNOWN || (s != BAD && width_of(d, s)) ? 1 + dag_sort_bv(d, 1) : BAD;
	case R_CONCAT:
		return sort_concat(d, a);
	case R_SELECT:
	case R_STORE:
		return sort_array(d, a, rule == R_STORE);
	case R_ARITH:
		return sort_numbers(d, a);
	case R_ARITH_TEST:
		return sort_numbers(d, a) == BAD ? BAD : boolean;
	default:
		return UNKNOWN;
	}
}

/* (_ extract I J), (_ zero_extend I) and the like on one bit-vector. */
static uint32_t sort_indexed(struct dag *d, const struct label *l, const struct args *a)
{
	unsigned i, j;
	uint32_t w = a->n == 1 ? width_of(d, sort_at(a, 0)) : 0;
	if (sscanf(l->text, "(_ extract %9u %9u)", &i, &j) == 2) {
		if (a->n == 1 && sort_at(a, 0) == UNKNOWN)
			return i >= j ? 1 + dag_sort_bv(d, i - j + 1) : BAD;
		return w && i < w && j <= i ? 1 + dag_sort_bv(d, i - j + 1) : BAD;
	}
	if (sscanf(l->text, "(_ zero_extend %9u)", &i) == 1 || sscanf(l->text, "(_ sign_extend %9u)", &i) == 1) {
		if (a->n == 1 && sort_at(a, 0) == UNKNOWN)
			return UNKNOWN;
		return w ? 1 + dag_sort_bv(d, w + i) : BAD;
	}
	return UNKNOWN;
}

/* A declared function: its rank is in the label, sorts ended by NUL, the result last. */
static uint32_t sort_of_function(struct dag *d, const struct label *l, const struct args *a)
{
	const char *p = l->meaning, *end = l->meaning + l->meaning_len;
	for (uint32_t i = 0; i < a->n; i++, p += strlen(p) + 1) {
		if (p + strlen(p) >= end)
			return BAD; /* more arguments than it has */
		uint32_t s = sort_at(a, i);
		if (s != UNKNOWN && strcmp(d->label.at[s - 1].text, p) && !(is_number(d, s) && !strcmp(p, "Real")))
			return BAD;
	}
	if (p + strlen(p) != end)
		return BAD;
	return !strcmp(p, "Bool") ? 1 + d->sort_bool : UNKNOWN;
}

/* The row of operators[] with that name, looked up once per label; ARRAY_LEN(operators) when there is none. */
static size_t find_operator(struct sortcheck *c, uint32_t label, const struct label *l)
{
	while (c->row.n <= label)
		vec_push(&c->row, 0);
	if (!c->row.at[label]) {
		size_t i = 0;
		while (i < ARRAY_LEN(operators) && strcmp(l->text, operators[i].name))
			i++;
		c->row.at[label] = (uint8_t)(i + 1);
	}
	return c->row.at[label] - 1u;
}

static uint32_t sort_of_app(struct sortcheck *c, struct dag *d, const struct term *t, const struct args *a,
			    bool own_symbols)
{
	struct label l = d->label.at[t->label]; /* a copy: making sorts may move the labels */
	for (uint32_t i = 0; i < a->n; i++)
		if (sort_at(a, i) == BAD)
			return BAD;
	if (l.kind == LABEL_FUN)
		return sort_of_function(d, &l, a);
	size_t i = find_operator(c, t->label, &l);
	if (i < ARRAY_LEN(operators)) {
		bool count = a->n >= operators[i].min && (!operators[i].max || a->n <= operators[i].max);
		return count ? apply_rule(d, operators[i].rule, a) : BAD;
	}
	if (!strncmp(l.text, "(_ ", 3))
		return sort_indexed(d, &l, a);
	return own_symbols || has_prefix(&l) ? UNKNOWN : BAD;
}

bool sortcheck_assertion(struct sortcheck *c, struct dag *d, uint32_t root, bool own_symbols)
{
	INVARIANT(c->sort.n <= d->term.n && root < d->term.n);
	vec_reserve(&c->sort, d->term.n - c->sort.n);
	for (size_t i = c->sort.n; i < d->term.n; i++) {
		struct term t = d->term.at[i];
		struct args a = {c->sort.at, d->arg.at + t.args, t.n_args};
		uint32_t s = UNKNOWN;
		switch (t.kind) {
		case TERM_VAR:
			s = 1 + t.sort;
			break;
		case TERM_VALUE:
			s = sort_of_value(d, &d->label.at[t.label], own_symbols);
			break;
		case TERM_APP:
			s = sort_of_app(c, d, &t, &a, own_symbols);
			break;
		case TERM_BINDER:
			s = sort_at(&a, 0) == UNKNOWN || sort_at(&a, 0) == 1 + d->sort_bool ? 1 + d->sort_bool : BAD;
			break;
		default:
			break;
		}
		vec_push(&c->sort, s);
	}
	uint32_t s = c->sort.at[root];
	return s == UNKNOWN || s == 1 + d->sort_bool;
}
