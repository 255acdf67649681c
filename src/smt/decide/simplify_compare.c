/* SPDX-License-Identifier: MIT */
/* The rules of simplify.h for =, unsigned and signed less-than. */
#include "smt/decide/simplify.h"

static struct node get(const struct bank *b, uint32_t i)
{
	return b->node.at[i];
}

static uint32_t truth(struct bank *b, bool value)
{
	return bank_const(b, value, 1);
}

static uint32_t raw(struct bank *b, enum node_op op, uint32_t x, uint32_t y)
{
	struct node n = {(uint8_t)op, 1, x, y, NODE_NONE, 0};
	if (node_is_const(b, x) && node_is_const(b, y))
		return truth(b, node_apply(b, &n, b->node.at[x].k, b->node.at[y].k, 0));
	return bank_intern(b, n);
}

static uint64_t sign_extended(uint64_t value, unsigned from, unsigned to)
{
	uint64_t high = node_mask(to) & ~node_mask(from);
	return value >> (from - 1) & 1 ? value | high : value;
}

/* k = (ite c x y), where x or y is a constant. */
static uint32_t eq_choice(struct bank *b, uint64_t k, const struct node *n)
{
	uint32_t value = bank_const(b, k, n->width);
	uint32_t x = make_eq(b, value, n->b);
	uint32_t y = make_eq(b, value, n->c);
	return make_ite(b, n->a, x, y);
}

/* value = y, where y is no constant. */
static uint32_t eq_const(struct bank *b, uint32_t value, uint32_t y)
{
	uint64_t k = b->node.at[value].k;
	struct node n = get(b, y);
	unsigned w = n.width;
	switch (n.op) {
	case NODE_NOT:
		return make_eq(b, bank_const(b, ~k, w), n.a);
	case NODE_CONCAT: {
		unsigned low = b->node.at[n.b].width;
		uint32_t high = make_eq(b, bank_const(b, k >> low, w - low), n.a);
		return make_and(b, high, make_eq(b, bank_const(b, k, low), n.b));
	}
	case NODE_ADD:
		if (node_is_const(b, n.a))
			return make_eq(b, bank_const(b, k - b->node.at[n.a].k, w), n.b);
		break;
	case NODE_SUB:
		if (!k)
			return make_eq(b, n.a, n.b);
		if (node_is_const(b, n.a))
			return make_eq(b, bank_const(b, b->node.at[n.a].k - k, w), n.b);
		break;
	case NODE_XOR:
		if (node_is_const(b, n.a))
			return make_eq(b, bank_const(b, k ^ b->node.at[n.a].k, w), n.b);
		break;
	case NODE_SEXT: {
		unsigned from = b->node.at[n.a].width;
		uint64_t low = k & node_mask(from);
		return sign_extended(low, from, w) == k ? make_eq(b, bank_const(b, low, from), n.a) : truth(b, false);
	}
	case NODE_ITE:
		if (node_is_const(b, n.b) || node_is_const(b, n.c))
			return eq_choice(b, k, &n);
		break;
	default:
		break;
	}
	return raw(b, NODE_EQ, value, y);
}

uint32_t make_eq(struct bank *b, uint32_t x, uint32_t y)
{
	if (x == y)
		return truth(b, true);
	if (node_is_const(b, y) || (!node_is_const(b, x) && x > y)) {
		uint32_t t = x;
		x = y;
		y = t;
	}
	struct node n = get(b, x), m = get(b, y);
	if (n.op == NODE_CONST && m.op == NODE_CONST)
		return truth(b, n.k == m.k);
	if (n.op == NODE_CONST && n.width == 1)
		return n.k ? y : make_not(b, y);
	if (n.op == NODE_CONST)
		return eq_const(b, x, y);
	if (n.op == NODE_CONCAT && m.op == NODE_CONCAT && b->node.at[n.b].width == b->node.at[m.b].width) {
		uint32_t high = make_eq(b, n.a, m.a);
		return make_and(b, high, make_eq(b, n.b, m.b));
	}
	if (n.width == 1)
		return make_not(b, make_xor(b, x, y));
	return raw(b, NODE_EQ, x, y);
}

/* The constant top bits of x, as many as `width` says; false: they are not constant. */
static bool top_bits(const struct bank *b, uint32_t x, unsigned width, uint64_t *out)
{
	const struct node *n = &b->node.at[x];
	if (n->op == NODE_CONCAT)
		n = &b->node.at[n->a];
	if (n->op != NODE_CONST || n->width < width)
		return false;
	*out = n->k >> (n->width - width);
	return true;
}

/* How many top bits of x are constant: the whole of a constant, the first part of a word. */
static unsigned top_width(const struct bank *b, uint32_t x)
{
	const struct node *n = &b->node.at[x];
	if (n->op == NODE_CONCAT)
		n = &b->node.at[n->a];
	return n->op == NODE_CONST ? n->width : 0;
}

uint32_t make_ult(struct bank *b, uint32_t x, uint32_t y)
{
	struct node n = get(b, x), m = get(b, y);
	if (x == y || (m.op == NODE_CONST && !m.k) || (n.op == NODE_CONST && n.k == node_mask(n.width)))
		return truth(b, false);
	if (n.op == NODE_CONST && m.op == NODE_CONST)
		return truth(b, n.k < m.k);
	if (n.op == NODE_CONST && !n.k)
		return make_not(b, make_eq(b, x, y));
	if (m.op == NODE_CONST && m.k == 1)
		return make_eq(b, bank_const(b, 0, n.width), x);
	/* equal constant top bits are left out, different ones decide */
	unsigned top = top_width(b, x), other = top_width(b, y);
	if (other < top)
		top = other;
	uint64_t p, q;
	if (top && top < n.width && top_bits(b, x, top, &p) && top_bits(b, y, top, &q)) {
		if (p != q)
			return truth(b, p < q);
		uint32_t low = make_extract(b, x, 0, n.width - top);
		return make_ult(b, low, make_extract(b, y, 0, n.width - top));
	}
	return raw(b, NODE_ULT, x, y);
}

/* x < sign extension of m's argument, or the other way round (flip). */
static uint32_t slt_const(struct bank *b, uint64_t k, const struct node *m, bool flip)
{
	unsigned from = b->node.at[m->a].width;
	uint64_t low = k & node_mask(from);
	if (sign_extended(low, from, m->width) == k) {
		uint32_t value = bank_const(b, low, from);
		return flip ? make_slt(b, m->a, value) : make_slt(b, value, m->a);
	}
	bool negative = k >> (m->width - 1) & 1;
	return truth(b, flip ? !negative : negative); /* out of the range: less than all of it, or more */
}

uint32_t make_slt(struct bank *b, uint32_t x, uint32_t y)
{
	struct node n = get(b, x), m = get(b, y);
	uint64_t p, q;
	if (x == y)
		return truth(b, false);
	if (top_bits(b, x, 1, &p) && top_bits(b, y, 1, &q))
		return p == q ? make_ult(b, x, y) : truth(b, p);
	if (n.op == NODE_CONST && m.op == NODE_SEXT)
		return slt_const(b, n.k, &m, false);
	if (n.op == NODE_SEXT && m.op == NODE_CONST)
		return slt_const(b, m.k, &n, true);
	if (n.op == NODE_SEXT && m.op == NODE_SEXT && b->node.at[n.a].width == b->node.at[m.a].width)
		return make_slt(b, n.a, m.a);
	if (n.width == 1) /* -1 < 0 */
		return make_and(b, x, make_not(b, y));
	return raw(b, NODE_SLT, x, y);
}
