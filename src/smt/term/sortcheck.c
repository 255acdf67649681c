/* SPDX-License-Identifier: MIT */
/* Sort checking of terms, in the order they were made: arguments come before what they are arguments of. */
#include "smt/term/sortcheck.h"

#include "base/invariant.h"

#include <stdio.h>
#include <string.h>

enum { UNKNOWN = 0 };
#define BAD UINT32_MAX

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
	vec_release_all(&c->sort, &c->known);
}

void sortcheck_cut(struct sortcheck *c, size_t terms)
{
	if (c->sort.n > terms)
		c->sort.n = terms;
	if (!terms)
		vec_clear(&c->known);
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

/* The one sort that all known arguments from `from` on have; BAD when they differ. */
static uint32_t common(const struct sort_args *a, uint32_t from)
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

static uint32_t sort_concat(struct dag *d, const struct sort_args *a)
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

static uint32_t sort_array(const struct dag *d, const struct sort_args *a, bool store)
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

static uint32_t sort_numbers(const struct dag *d, const struct sort_args *a)
{
	for (uint32_t i = 0; i < a->n; i++)
		if (!is_number(d, sort_at(a, i)))
			return BAD;
	return UNKNOWN;
}

/* Numbers may be mixed: solvers convert integers. */
static bool comparable(const struct dag *d, const struct sort_args *a)
{
	if (common(a, 0) != BAD)
		return true;
	for (uint32_t i = 0; i < a->n; i++)
		if (!is_number(d, sort_at(a, i)))
			return false;
	return true;
}

static uint32_t apply_rule(struct dag *d, uint8_t rule, const struct sort_args *a)
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
	case R_TIMES:
		return sort_numbers(d, a);
	case R_ARITH_TEST:
		return sort_numbers(d, a) == BAD ? BAD : boolean;
	default:
		return UNKNOWN;
	}
}

/* (_ extract I J), (_ zero_extend I) and the like on one bit-vector. */
static uint32_t sort_indexed(struct dag *d, const struct label *l, const struct sort_args *a)
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
static uint32_t sort_of_function(struct dag *d, const struct label *l, const struct sort_args *a)
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

static uint32_t sort_of_app(struct sortcheck *c, struct dag *d, const struct term *t, const struct sort_args *a,
			    bool own_symbols)
{
	struct label l = d->label.at[t->label]; /* a copy: making sorts may move the labels */
	for (uint32_t i = 0; i < a->n; i++)
		if (sort_at(a, i) == BAD)
			return BAD;
	if (l.kind == LABEL_FUN)
		return sort_of_function(d, &l, a);
	const struct signature *f = signatures_of(&c->known, d, t->label);
	if (f) {
		bool count = a->n >= f->some_min && (!f->some_max || a->n <= f->some_max);
		return count ? apply_rule(d, f->rule, a) : BAD;
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
		struct sort_args a = {c->sort.at, d->arg.at + t.args, t.n_args};
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
