/* SPDX-License-Identifier: MIT */
/* The table is searched from its start: what it says is kept by label. */
#include "smt/term/signature.h"

#include "base/bits.h"
#include "base/invariant.h"

#include <string.h>

static const struct signature signatures[] = {
	{"not", OP_NOT, R_BOOL, 1, 1, 1, 1},
	{"and", OP_AND, R_BOOL, 1, 0, 2, 0},
	{"or", OP_OR, R_BOOL, 1, 0, 2, 0},
	{"xor", OP_XOR, R_BOOL, 2, 0, 2, 2},
	{"=>", OP_IMPLIES, R_BOOL, 2, 0, 2, 2},
	{"=", OP_EQ, R_SAME, 2, 0, 2, 2},
	{"distinct", OP_DISTINCT, R_SAME, 2, 0, 2, 0},
	{"ite", OP_ITE, R_ITE, 3, 3, 3, 3},
	{"bvnot", OP_BVNOT, R_BV, 1, 1, 1, 1},
	{"bvneg", OP_BVNEG, R_BV, 1, 1, 1, 1},
	{"bvand", OP_BVAND, R_BV, 2, 0, 2, 2},
	{"bvor", OP_BVOR, R_BV, 2, 0, 2, 2},
	{"bvxor", OP_BVXOR, R_BV, 2, 0, 2, 2},
	{"bvnand", OP_BVNAND, R_BV, 2, 2, 2, 2},
	{"bvnor", OP_BVNOR, R_BV, 2, 2, 2, 2},
	{"bvxnor", OP_BVXNOR, R_BV, 2, 2, 2, 2},
	{"bvadd", OP_BVADD, R_BV, 2, 0, 2, 2},
	{"bvsub", OP_BVSUB, R_BV, 2, 2, 2, 2},
	{"bvmul", OP_BVMUL, R_BV, 2, 0, 2, 2},
	{"bvudiv", OP_BVUDIV, R_BV, 2, 2, 2, 2},
	{"bvurem", OP_BVUREM, R_BV, 2, 2, 2, 2},
	{"bvsdiv", OP_BVSDIV, R_BV, 2, 2, 2, 2},
	{"bvsrem", OP_BVSREM, R_BV, 2, 2, 2, 2},
	{"bvsmod", OP_BVSMOD, R_BV, 2, 2, 2, 2},
	{"bvshl", OP_BVSHL, R_BV, 2, 2, 2, 2},
	{"bvlshr", OP_BVLSHR, R_BV, 2, 2, 2, 2},
	{"bvashr", OP_BVASHR, R_BV, 2, 2, 2, 2},
	{"bvcomp", OP_BVCOMP, R_BV_COMP, 2, 2, 2, 2},
	{"bvult", OP_BVULT, R_BV_TEST, 2, 2, 2, 2},
	{"bvule", OP_BVULE, R_BV_TEST, 2, 2, 2, 2},
	{"bvugt", OP_BVUGT, R_BV_TEST, 2, 2, 2, 2},
	{"bvuge", OP_BVUGE, R_BV_TEST, 2, 2, 2, 2},
	{"bvslt", OP_BVSLT, R_BV_TEST, 2, 2, 2, 2},
	{"bvsle", OP_BVSLE, R_BV_TEST, 2, 2, 2, 2},
	{"bvsgt", OP_BVSGT, R_BV_TEST, 2, 2, 2, 2},
	{"bvsge", OP_BVSGE, R_BV_TEST, 2, 2, 2, 2},
	{"concat", OP_CONCAT, R_CONCAT, 2, 0, 2, 2},
	{"select", OP_SELECT, R_SELECT, 2, 2, 2, 2},
	{"store", OP_STORE, R_STORE, 3, 3, 3, 3},
	{"+", OP_PLUS, R_ARITH, 1, 0, 2, 0},
	{"-", OP_MINUS, R_ARITH, 1, 0, 1, 2},
	{"*", OP_TIMES, R_TIMES, 1, 0, 2, 2},
	{"/", OP_DIVIDE, R_ARITH, 2, 0, 0, 0},
	{"div", OP_DIV, R_ARITH, 2, 0, 0, 0},
	{"mod", OP_MOD, R_ARITH, 2, 2, 0, 0},
	{"abs", OP_ABS, R_ARITH, 1, 1, 0, 0},
	{"<", OP_LT, R_ARITH_TEST, 2, 0, 2, 2},
	{"<=", OP_LE, R_ARITH_TEST, 2, 0, 2, 2},
	{">", OP_GT, R_ARITH_TEST, 2, 0, 2, 2},
	{">=", OP_GE, R_ARITH_TEST, 2, 0, 2, 2},
	{"to_real", OP_TO_REAL, R_FREE, 1, 1, 0, 0},
	{"to_int", OP_TO_INT, R_FREE, 1, 1, 0, 0},
	{"is_int", OP_IS_INT, R_FREE, 1, 1, 0, 0},
	{"bv2nat", OP_NONE, R_FREE, 1, 1, 0, 0},
	{"bv2int", OP_NONE, R_FREE, 1, 1, 0, 0},
	{"fp", OP_NONE, R_FREE, 3, 3, 0, 0},
};

/* ARRAY_LEN(signatures): there is none. */
static size_t find(const char *name, size_t n)
{
	size_t i = 0;
	while (i < ARRAY_LEN(signatures) && (strlen(signatures[i].name) != n || memcmp(signatures[i].name, name, n)))
		i++;
	return i;
}

static const struct signature *row(size_t i)
{
	return i < ARRAY_LEN(signatures) ? &signatures[i] : NULL;
}

const struct signature *signature_find(const char *name, size_t n)
{
	return row(find(name, n));
}

const struct signature *signatures_of(struct signatures *s, const struct dag *d, uint32_t label)
{
	_Static_assert(ARRAY_LEN(signatures) < UINT8_MAX, "a row fits a byte");
	INVARIANT(label < d->label.n);
	while (s->n <= label)
		vec_push(s, 0);
	if (!s->at[label])
		s->at[label] = (uint8_t)(1 + find(d->label.at[label].text, d->label.at[label].len));
	return row(s->at[label] - 1u);
}
