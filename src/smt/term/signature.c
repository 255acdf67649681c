/* SPDX-License-Identifier: MIT */
/* The table is searched from its start, by length first; what it says is kept by label. */
#include "smt/term/signature.h"

#include "base/bits.h"
#include "base/invariant.h"

#include <string.h>

#define S(name) name, sizeof(name) - 1
static const struct signature signatures[] = {
	{S("not"), OP_NOT, R_BOOL, 1, 1, 1, 1},
	{S("and"), OP_AND, R_BOOL, 1, 0, 2, 0},
	{S("or"), OP_OR, R_BOOL, 1, 0, 2, 0},
	{S("xor"), OP_XOR, R_BOOL, 2, 0, 2, 2},
	{S("=>"), OP_IMPLIES, R_BOOL, 2, 0, 2, 2},
	{S("="), OP_EQ, R_SAME, 2, 0, 2, 2},
	{S("distinct"), OP_DISTINCT, R_SAME, 2, 0, 2, 0},
	{S("ite"), OP_ITE, R_ITE, 3, 3, 3, 3},
	{S("bvnot"), OP_BVNOT, R_BV, 1, 1, 1, 1},
	{S("bvneg"), OP_BVNEG, R_BV, 1, 1, 1, 1},
	{S("bvand"), OP_BVAND, R_BV, 2, 0, 2, 2},
	{S("bvor"), OP_BVOR, R_BV, 2, 0, 2, 2},
	{S("bvxor"), OP_BVXOR, R_BV, 2, 0, 2, 2},
	{S("bvnand"), OP_BVNAND, R_BV, 2, 2, 2, 2},
	{S("bvnor"), OP_BVNOR, R_BV, 2, 2, 2, 2},
	{S("bvxnor"), OP_BVXNOR, R_BV, 2, 2, 2, 2},
	{S("bvadd"), OP_BVADD, R_BV, 2, 0, 2, 2},
	{S("bvsub"), OP_BVSUB, R_BV, 2, 2, 2, 2},
	{S("bvmul"), OP_BVMUL, R_BV, 2, 0, 2, 2},
	{S("bvudiv"), OP_BVUDIV, R_BV, 2, 2, 2, 2},
	{S("bvurem"), OP_BVUREM, R_BV, 2, 2, 2, 2},
	{S("bvsdiv"), OP_BVSDIV, R_BV, 2, 2, 2, 2},
	{S("bvsrem"), OP_BVSREM, R_BV, 2, 2, 2, 2},
	{S("bvsmod"), OP_BVSMOD, R_BV, 2, 2, 2, 2},
	{S("bvshl"), OP_BVSHL, R_BV, 2, 2, 2, 2},
	{S("bvlshr"), OP_BVLSHR, R_BV, 2, 2, 2, 2},
	{S("bvashr"), OP_BVASHR, R_BV, 2, 2, 2, 2},
	{S("bvcomp"), OP_BVCOMP, R_BV_COMP, 2, 2, 2, 2},
	{S("bvult"), OP_BVULT, R_BV_TEST, 2, 2, 2, 2},
	{S("bvule"), OP_BVULE, R_BV_TEST, 2, 2, 2, 2},
	{S("bvugt"), OP_BVUGT, R_BV_TEST, 2, 2, 2, 2},
	{S("bvuge"), OP_BVUGE, R_BV_TEST, 2, 2, 2, 2},
	{S("bvslt"), OP_BVSLT, R_BV_TEST, 2, 2, 2, 2},
	{S("bvsle"), OP_BVSLE, R_BV_TEST, 2, 2, 2, 2},
	{S("bvsgt"), OP_BVSGT, R_BV_TEST, 2, 2, 2, 2},
	{S("bvsge"), OP_BVSGE, R_BV_TEST, 2, 2, 2, 2},
	{S("concat"), OP_CONCAT, R_CONCAT, 2, 0, 2, 2},
	{S("select"), OP_SELECT, R_SELECT, 2, 2, 2, 2},
	{S("store"), OP_STORE, R_STORE, 3, 3, 3, 3},
	{S("+"), OP_PLUS, R_ARITH, 1, 0, 2, 0},
	{S("-"), OP_MINUS, R_ARITH, 1, 0, 1, 2},
	{S("*"), OP_TIMES, R_TIMES, 1, 0, 2, 2},
	{S("/"), OP_DIVIDE, R_ARITH, 2, 0, 0, 0},
	{S("div"), OP_DIV, R_ARITH, 2, 0, 0, 0},
	{S("mod"), OP_MOD, R_ARITH, 2, 2, 0, 0},
	{S("abs"), OP_ABS, R_ARITH, 1, 1, 0, 0},
	{S("<"), OP_LT, R_ARITH_TEST, 2, 0, 2, 2},
	{S("<="), OP_LE, R_ARITH_TEST, 2, 0, 2, 2},
	{S(">"), OP_GT, R_ARITH_TEST, 2, 0, 2, 2},
	{S(">="), OP_GE, R_ARITH_TEST, 2, 0, 2, 2},
	{S("to_real"), OP_TO_REAL, R_FREE, 1, 1, 0, 0},
	{S("to_int"), OP_TO_INT, R_FREE, 1, 1, 0, 0},
	{S("is_int"), OP_IS_INT, R_FREE, 1, 1, 0, 0},
	{S("bv2nat"), OP_NONE, R_FREE, 1, 1, 0, 0},
	{S("bv2int"), OP_NONE, R_FREE, 1, 1, 0, 0},
	{S("fp"), OP_NONE, R_FREE, 3, 3, 0, 0},
};
#undef S

/* ARRAY_LEN(signatures): there is none. */
static size_t find(const char *name, size_t n)
{
	size_t i = 0;
	while (i < ARRAY_LEN(signatures) && (signatures[i].length != n || memcmp(signatures[i].name, name, n)))
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
