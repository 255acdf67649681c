/* SPDX-License-Identifier: MIT */
/* The import of terms: one pass in the order of their numbers, arguments first. Operators that are definitions in the
 * standard (signed division, rotations, nand …) are written out here as the standard defines them. */
#include "smt/decide/import.h"

#include "smt/decide/simplify.h"
#include "smt/term/literal.h"
#include "smt/term/ops.h"

#include <string.h>

/* distinct of more arguments is passed by: it is quadratic */
enum { MAX_DISTINCT = 16 };

void import_release(struct import *x)
{
	vec_release_all(&x->node, &x->op, &x->args);
}

struct call {
	struct bank *b;
	struct value_op op;
	const uint32_t *arg;
	uint32_t n;
};

static unsigned width_of(const struct bank *b, uint32_t x)
{
	return b->node.at[x].width;
}

static bool same_widths(const struct call *c, uint32_t from)
{
	for (uint32_t i = from + 1; i < c->n; i++)
		if (width_of(c->b, c->arg[i]) != width_of(c->b, c->arg[from]))
			return false;
	return true;
}

/* ---- definitions */

static uint32_t negate(struct bank *b, uint32_t x)
{
	return make_sub(b, bank_const(b, 0, width_of(b, x)), x);
}

static uint32_t sign_of(struct bank *b, uint32_t x)
{
	return make_extract(b, x, width_of(b, x) - 1, 1);
}

static uint32_t magnitude(struct bank *b, uint32_t x)
{
	uint32_t negative = negate(b, x);
	return make_ite(b, sign_of(b, x), negative, x);
}

static uint32_t signed_division(struct bank *b, uint16_t code, uint32_t s, uint32_t t)
{
	uint32_t ns = sign_of(b, s), nt = sign_of(b, t);
	uint32_t ps = magnitude(b, s), pt = magnitude(b, t);
	if (code == OP_BVSDIV) {
		uint32_t q = make_division(b, NODE_UDIV, ps, pt);
		return make_ite(b, make_xor(b, ns, nt), negate(b, q), q);
	}
	uint32_t u = make_division(b, NODE_UREM, ps, pt);
	if (code == OP_BVSREM)
		return make_ite(b, ns, negate(b, u), u);
	/* bvsmod: the sign follows the divisor */
	uint32_t minus = negate(b, u);
	uint32_t same =
		make_ite(b, ns, make_ite(b, nt, minus, make_add(b, minus, t)), make_ite(b, nt, make_add(b, u, t), u));
	return make_ite(b, make_eq(b, u, bank_const(b, 0, width_of(b, u))), u, same);
}

static uint32_t rotate_left(struct bank *b, uint32_t x, unsigned by)
{
	unsigned w = width_of(b, x);
	by %= w;
	if (!by)
		return x;
	return make_concat(b, make_extract(b, x, 0, w - by), make_extract(b, x, w - by, by));
}

/* ---- by kind of operator; NODE_NONE: not ours */

static uint32_t pairwise(const struct call *c)
{
	struct bank *b = c->b;
	uint32_t r = bank_const(b, 1, 1);
	if (c->n < 2 || !same_widths(c, 0))
		return NODE_NONE;
	if (c->op.code == OP_EQ) {
		for (uint32_t i = 0; i + 1 < c->n; i++)
			r = make_and(b, r, make_eq(b, c->arg[i], c->arg[i + 1]));
		return r;
	}
	if (c->n > MAX_DISTINCT)
		return NODE_NONE;
	for (uint32_t i = 0; i < c->n; i++)
		for (uint32_t k = i + 1; k < c->n; k++)
			r = make_and(b, r, make_not(b, make_eq(b, c->arg[i], c->arg[k])));
	return r;
}

static uint32_t (*folded(uint16_t code))(struct bank *, uint32_t, uint32_t)
{
	switch (code) {
	case OP_AND:
	case OP_BVAND:
		return make_and;
	case OP_OR:
	case OP_BVOR:
		return make_or;
	case OP_XOR:
	case OP_BVXOR:
		return make_xor;
	case OP_BVADD:
		return make_add;
	case OP_BVMUL:
		return make_mul;
	default:
		return NULL;
	}
}

static uint32_t fold(const struct call *c, uint32_t (*make)(struct bank *, uint32_t, uint32_t))
{
	if (!c->n || !same_widths(c, 0))
		return NODE_NONE;
	uint32_t r = c->arg[0];
	for (uint32_t i = 1; i < c->n; i++)
		r = make(c->b, r, c->arg[i]);
	return r;
}

static uint32_t unary(const struct call *c)
{
	struct bank *b = c->b;
	uint32_t x = c->arg[0], r = x;
	unsigned w = width_of(b, x);
	uint64_t a = c->op.a;
	switch (c->op.code) {
	case OP_NOT:
	case OP_BVNOT:
		return make_not(b, x);
	case OP_BVNEG:
		return negate(b, x);
	case OP_EXTRACT:
		return a < w && c->op.b <= a ? make_extract(b, x, c->op.b, (unsigned)(a - c->op.b + 1)) : NODE_NONE;
	case OP_ZERO_EXTEND:
		return a + w <= 64 ? make_zero_extend(b, x, (unsigned)a + w) : NODE_NONE;
	case OP_SIGN_EXTEND:
		return a + w <= 64 ? make_sign_extend(b, x, (unsigned)a + w) : NODE_NONE;
	case OP_REPEAT:
		if (!a || a * w > 64)
			return NODE_NONE;
		for (uint64_t i = 1; i < a; i++)
			r = make_concat(b, x, r);
		return r;
	case OP_ROTATE_LEFT:
		return rotate_left(b, x, (unsigned)(a % w));
	case OP_ROTATE_RIGHT:
		return rotate_left(b, x, (unsigned)(w - a % w));
	default:
		return NODE_NONE;
	}
}

static uint32_t concatenation(const struct call *c)
{
	uint32_t r = c->arg[0];
	for (uint32_t i = 1; i < c->n; i++) {
		if (width_of(c->b, r) + width_of(c->b, c->arg[i]) > 64)
			return NODE_NONE;
		r = make_concat(c->b, r, c->arg[i]);
	}
	return r;
}

/* x < y, or the other way round; the order negated is the other order with the sides exchanged. */
static uint32_t comparison(struct bank *b, uint16_t code, uint32_t x, uint32_t y)
{
	static const struct {
		uint16_t code;
		bool is_signed, swap, negate;
	} order[] = {
		{OP_BVULT, false, false, false}, {OP_BVULE, false, true, true},  {OP_BVUGT, false, true, false},
		{OP_BVUGE, false, false, true},  {OP_BVSLT, true, false, false}, {OP_BVSLE, true, true, true},
		{OP_BVSGT, true, true, false},   {OP_BVSGE, true, false, true},
	};
	if (code == OP_BVCOMP)
		return make_eq(b, x, y);
	for (size_t i = 0; i < ARRAY_LEN(order); i++)
		if (order[i].code == code) {
			uint32_t left = order[i].swap ? y : x, right = order[i].swap ? x : y;
			uint32_t less = order[i].is_signed ? make_slt(b, left, right) : make_ult(b, left, right);
			return order[i].negate ? make_not(b, less) : less;
		}
	return NODE_NONE;
}

static uint32_t binary(struct bank *b, uint16_t code, uint32_t x, uint32_t y)
{
	switch (code) {
	case OP_IMPLIES:
		return make_or(b, make_not(b, x), y);
	case OP_BVSUB:
		return make_sub(b, x, y);
	case OP_BVNAND:
		return make_not(b, make_and(b, x, y));
	case OP_BVNOR:
		return make_not(b, make_or(b, x, y));
	case OP_BVXNOR:
		return make_not(b, make_xor(b, x, y));
	case OP_BVUDIV:
		return make_division(b, NODE_UDIV, x, y);
	case OP_BVUREM:
		return make_division(b, NODE_UREM, x, y);
	case OP_BVSDIV:
	case OP_BVSREM:
	case OP_BVSMOD:
		return signed_division(b, code, x, y);
	case OP_BVSHL:
		return make_shift(b, NODE_SHL, x, y);
	case OP_BVLSHR:
		return make_shift(b, NODE_LSHR, x, y);
	case OP_BVASHR:
		return make_shift(b, NODE_ASHR, x, y);
	default:
		return comparison(b, code, x, y);
	}
}

static uint32_t read_or_write(const struct call *c)
{
	struct bank *b = c->b;
	bool write = c->op.code == OP_STORE;
	if (c->n != (write ? 3 : 2))
		return NODE_NONE;
	uint32_t base = c->arg[0];
	if (b->node.at[base].op != NODE_ARRAY && b->node.at[base].op != NODE_STORE)
		return NODE_NONE;
	for (uint32_t i = 1; i < c->n; i++)
		if (b->node.at[c->arg[i]].op >= NODE_ARRAY)
			return NODE_NONE;
	const struct node *top = &b->node.at[base];
	unsigned index_width = top->op == NODE_STORE ? width_of(b, top->b) : b->array.at[top->k].index_width;
	if (index_width != width_of(b, c->arg[1]))
		return NODE_NONE;
	if (!write)
		return make_select(b, base, c->arg[1]);
	return width_of(b, c->arg[2]) == width_of(b, base) ? make_store(b, base, c->arg[1], c->arg[2]) : NODE_NONE;
}

static uint32_t choice(const struct call *c)
{
	if (c->n != 3 || width_of(c->b, c->arg[0]) != 1 || !same_widths(c, 1))
		return NODE_NONE;
	return make_ite(c->b, c->arg[0], c->arg[1], c->arg[2]);
}

static uint32_t apply(const struct call *c)
{
	uint16_t code = c->op.code;
	if (!code || !c->n)
		return NODE_NONE;
	if (code == OP_SELECT || code == OP_STORE)
		return read_or_write(c);
	for (uint32_t i = 0; i < c->n; i++)
		if (c->b->node.at[c->arg[i]].op >= NODE_ARRAY)
			return NODE_NONE;
	uint32_t (*make)(struct bank *, uint32_t, uint32_t) = folded(code);
	if (make)
		return fold(c, make);
	if (code == OP_EQ || code == OP_DISTINCT)
		return pairwise(c);
	if (code == OP_ITE)
		return choice(c);
	if (code == OP_CONCAT)
		return concatenation(c);
	if (c->n == 1)
		return unary(c);
	return c->n == 2 && same_widths(c, 0) ? binary(c->b, code, c->arg[0], c->arg[1]) : NODE_NONE;
}

static uint32_t literal(struct bank *b, const struct label *l)
{
	uint64_t limb = 0;
	if (l->len == 4 && !memcmp(l->text, "true", 4))
		return bank_const(b, 1, 1);
	if (l->len == 5 && !memcmp(l->text, "false", 5))
		return bank_const(b, 0, 1);
	uint32_t w = literal_read_bits(l->text, l->len, &limb, 1);
	return w && w <= 64 ? bank_const(b, limb, w) : NODE_NONE;
}

static uint32_t variable(struct bank *b, const struct terms *t, const struct term *x)
{
	const struct label *sort = &t->label[x->sort];
	const char *name = t->label[x->label].text;
	if (sort->len == 4 && !memcmp(sort->text, "Bool", 4))
		return bank_variable(b, name, 1, true);
	if (sort->width)
		return sort->width <= 64 ? bank_variable(b, name, sort->width, false) : NODE_NONE;
	if (!sort->elem)
		return NODE_NONE;
	uint32_t index = t->label[sort->index].width, elem = t->label[sort->elem].width;
	return index && index <= 64 && elem && elem <= 64 ? bank_array(b, name, index, elem) : NODE_NONE;
}

static uint32_t application(struct import *x, struct bank *b, const struct query *q, const struct term *t)
{
	struct value_op op = value_op_of(&x->op.at[t->label], &q->t.label[t->label]);
	vec_clear(&x->args);
	for (uint32_t k = 0; k < t->n_args; k++)
		vec_push(&x->args, x->node.at[q->t.arg[t->args + k]]);
	struct call c = {b, op, x->args.at, t->n_args};
	return apply(&c);
}

enum rc import_query(struct import *x, struct bank *b, const struct query *q)
{
	size_t n = 0;
	for (size_t i = 0; i < q->conj.n; i++)
		if (q->conj.at[i] >= n)
			n = (size_t)q->conj.at[i] + 1;
	vec_clear(&x->node);
	vec_reserve(&x->node, n + 1);
	vec_clear(&x->op);
	vec_reserve(&x->op, q->t.n_labels);
	memset(x->op.at, 0xff, q->t.n_labels * sizeof *x->op.at);
	for (size_t i = 0; i < n; i++) {
		const struct term *t = &q->t.term[i];
		uint32_t made = NODE_NONE;
		x->node.at[i] = NODE_NONE;
		if (!q->seen.at[i])
			continue;
		if (t->kind == TERM_VAR)
			made = variable(b, &q->t, t);
		else if (t->kind == TERM_VALUE)
			made = literal(b, &q->t.label[t->label]);
		else if (t->kind == TERM_APP)
			made = application(x, b, q, t);
		if (made == NODE_NONE)
			return RC_NO;
		x->node.at[i] = made;
	}
	x->node.n = n;
	return RC_OK;
}
