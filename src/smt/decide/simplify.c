/* SPDX-License-Identifier: MIT */
/* The rules of simplify.h for arithmetic, bits and choices; comparisons are in simplify_compare.c, arrays in
 * simplify_array.c. A rule that recurs into both arguments only does so into parts of a word, of which there are at
 * most 64; all others go down one path, so that no rule is exponential on a DAG. */
#include "smt/decide/simplify.h"

#include "base/invariant.h"

/* A copy: making nodes moves them. */
static struct node get(const struct bank *b, uint32_t i)
{
	return b->node.at[i];
}

static bool is_value(const struct bank *b, uint32_t i, uint64_t value)
{
	return node_is_const(b, i) && b->node.at[i].k == value;
}

static bool all_ones(const struct bank *b, uint32_t i)
{
	return is_value(b, i, node_mask(b->node.at[i].width));
}

static uint32_t raw(struct bank *b, enum node_op op, unsigned width, uint32_t x, uint32_t y, uint64_t k)
{
	struct node n = {(uint8_t)op, (uint8_t)width, x, y, NODE_NONE, k};
	if (node_is_const(b, x) && (y == NODE_NONE || node_is_const(b, y)))
		return bank_const(b, node_apply(b, &n, b->node.at[x].k, y == NODE_NONE ? 0 : b->node.at[y].k, 0),
				  width);
	return bank_intern(b, n);
}

/* Constants first, then by number. */
static void order(const struct bank *b, uint32_t *x, uint32_t *y)
{
	bool cx = node_is_const(b, *x), cy = node_is_const(b, *y);
	if (cx != cy ? cy : *x > *y) {
		uint32_t t = *x;
		*x = *y;
		*y = t;
	}
}

uint32_t make_not(struct bank *b, uint32_t x)
{
	struct node n = get(b, x);
	if (n.op == NODE_NOT)
		return n.a;
	if (n.op == NODE_CONCAT) {
		uint32_t high = make_not(b, n.a);
		return make_concat(b, high, make_not(b, n.b));
	}
	return raw(b, NODE_NOT, n.width, x, NODE_NONE, 0);
}

static bool opposite(const struct bank *b, uint32_t x, uint32_t y)
{
	return (b->node.at[x].op == NODE_NOT && b->node.at[x].a == y) ||
	       (b->node.at[y].op == NODE_NOT && b->node.at[y].a == x);
}

/* y masked by a run of ones. */
static uint32_t keep_run(struct bank *b, uint64_t mask, uint32_t y)
{
	unsigned width = b->node.at[y].width, low = (unsigned)__builtin_ctzll(mask);
	unsigned n = (unsigned)__builtin_popcountll(mask);
	uint32_t r = make_extract(b, y, low, n);
	if (low)
		r = make_concat(b, r, bank_const(b, 0, low));
	return make_zero_extend(b, r, width);
}

static uint32_t and_const(struct bank *b, uint32_t x, uint32_t y)
{
	struct node m = get(b, x), n = get(b, y);
	uint64_t run = m.k >> __builtin_ctzll(m.k);
	if (n.op == NODE_CONCAT) {
		unsigned low = b->node.at[n.b].width;
		uint32_t high = make_and(b, bank_const(b, m.k >> low, m.width - low), n.a);
		return make_concat(b, high, make_and(b, bank_const(b, m.k, low), n.b));
	}
	if (!(run & (run + 1)))
		return keep_run(b, m.k, y);
	return raw(b, NODE_AND, m.width, x, y, 0);
}

uint32_t make_and(struct bank *b, uint32_t x, uint32_t y)
{
	unsigned w = b->node.at[x].width;
	order(b, &x, &y);
	if (x == y || all_ones(b, x))
		return y;
	if (is_value(b, x, 0) || opposite(b, x, y))
		return bank_const(b, 0, w);
	if (node_is_const(b, x) && !node_is_const(b, y))
		return and_const(b, x, y);
	return raw(b, NODE_AND, w, x, y, 0);
}

uint32_t make_or(struct bank *b, uint32_t x, uint32_t y)
{
	x = make_not(b, x);
	y = make_not(b, y);
	return make_not(b, make_and(b, x, y));
}

uint32_t make_xor(struct bank *b, uint32_t x, uint32_t y)
{
	unsigned w = b->node.at[x].width;
	bool flip = false;
	if (b->node.at[x].op == NODE_NOT) {
		x = b->node.at[x].a;
		flip = !flip;
	}
	if (b->node.at[y].op == NODE_NOT) {
		y = b->node.at[y].a;
		flip = !flip;
	}
	order(b, &x, &y);
	struct node n = get(b, x), m = get(b, y);
	uint32_t r;
	if (x == y)
		r = bank_const(b, 0, w);
	else if (m.op == NODE_XOR && (m.a == x || m.b == x)) /* x ^ x ^ z, as in a swap without a temporary */
		r = m.a == x ? m.b : m.a;
	else if (n.op == NODE_XOR && (n.a == y || n.b == y))
		r = n.a == y ? n.b : n.a;
	else if (n.op == NODE_CONST && m.op == NODE_XOR && node_is_const(b, m.a))
		r = make_xor(b, bank_const(b, n.k ^ b->node.at[m.a].k, w), m.b);
	else if (is_value(b, x, 0))
		r = y;
	else if (all_ones(b, x))
		r = make_not(b, y);
	else
		r = raw(b, NODE_XOR, w, x, y, 0);
	return flip ? make_not(b, r) : r;
}

uint32_t make_add(struct bank *b, uint32_t x, uint32_t y)
{
	order(b, &x, &y);
	struct node n = get(b, x), m = get(b, y);
	if (is_value(b, x, 0))
		return y;
	if (n.op == NODE_CONST && m.op == NODE_ADD && node_is_const(b, m.a))
		return make_add(b, bank_const(b, n.k + b->node.at[m.a].k, n.width), m.b);
	return raw(b, NODE_ADD, n.width, x, y, 0);
}

uint32_t make_sub(struct bank *b, uint32_t x, uint32_t y)
{
	struct node m = get(b, y);
	if (x == y)
		return bank_const(b, 0, m.width);
	if (m.op == NODE_CONST)
		return make_add(b, bank_const(b, 0 - m.k, m.width), x);
	return raw(b, NODE_SUB, m.width, x, y, 0);
}

static bool power_of_two(const struct bank *b, uint32_t x)
{
	const struct node *n = &b->node.at[x];
	return n->op == NODE_CONST && n->k && !(n->k & (n->k - 1));
}

uint32_t make_mul(struct bank *b, uint32_t x, uint32_t y)
{
	order(b, &x, &y);
	unsigned w = b->node.at[x].width;
	if (is_value(b, x, 0))
		return x;
	if (is_value(b, x, 1))
		return y;
	if (power_of_two(b, x)) {
		unsigned by = (unsigned)__builtin_ctzll(b->node.at[x].k);
		return make_concat(b, make_extract(b, y, 0, w - by), bank_const(b, 0, by));
	}
	return raw(b, NODE_MUL, w, x, y, 0);
}

uint32_t make_division(struct bank *b, enum node_op op, uint32_t x, uint32_t y)
{
	unsigned w = b->node.at[x].width;
	INVARIANT(op == NODE_UDIV || op == NODE_UREM);
	if (is_value(b, y, 0))
		return op == NODE_UDIV ? bank_const(b, UINT64_MAX, w) : x;
	if (is_value(b, y, 1))
		return op == NODE_UDIV ? x : bank_const(b, 0, w);
	if (power_of_two(b, y)) {
		unsigned by = (unsigned)__builtin_ctzll(b->node.at[y].k);
		uint32_t r = op == NODE_UDIV ? make_extract(b, x, by, w - by) : make_extract(b, x, 0, by);
		return make_zero_extend(b, r, w);
	}
	return raw(b, op, w, x, y, 0);
}

uint32_t make_shift(struct bank *b, enum node_op op, uint32_t x, uint32_t y)
{
	unsigned w = b->node.at[x].width;
	struct node m = get(b, y);
	if (m.op != NODE_CONST)
		return raw(b, op, w, x, y, 0);
	if (!m.k)
		return x;
	if (op == NODE_ASHR) {
		unsigned by = m.k >= w ? w - 1 : (unsigned)m.k;
		return make_sign_extend(b, make_extract(b, x, by, w - by), w);
	}
	if (m.k >= w)
		return bank_const(b, 0, w);
	unsigned by = (unsigned)m.k;
	if (op == NODE_SHL)
		return make_concat(b, make_extract(b, x, 0, w - by), bank_const(b, 0, by));
	return make_zero_extend(b, make_extract(b, x, by, w - by), w);
}

/* Is x the bits right above those of y? */
static bool adjacent(const struct node *x, const struct node *y)
{
	return x->op == NODE_EXTRACT && y->op == NODE_EXTRACT && x->a == y->a && x->k == y->k + y->width;
}

uint32_t make_concat(struct bank *b, uint32_t x, uint32_t y)
{
	struct node n = get(b, x), m = get(b, y);
	unsigned w = (unsigned)n.width + m.width;
	INVARIANT(w <= 64);
	if (n.op == NODE_CONCAT) /* to the right */
		return make_concat(b, n.a, make_concat(b, n.b, y));
	if (adjacent(&n, &m))
		return make_extract(b, n.a, (unsigned)m.k, w);
	if (m.op == NODE_CONCAT) {
		struct node t = get(b, m.a);
		if (n.op == NODE_CONST && t.op == NODE_CONST)
			return make_concat(b, bank_const(b, n.k << t.width | t.k, n.width + t.width), m.b);
		if (adjacent(&n, &t))
			return make_concat(b, make_extract(b, n.a, (unsigned)t.k, n.width + t.width), m.b);
	}
	return raw(b, NODE_CONCAT, w, x, y, 0);
}

static uint32_t extract_concat(struct bank *b, const struct node *n, unsigned low, unsigned width)
{
	unsigned split = b->node.at[n->b].width;
	if (low >= split)
		return make_extract(b, n->a, low - split, width);
	if (low + width <= split)
		return make_extract(b, n->b, low, width);
	uint32_t high = make_extract(b, n->a, 0, low + width - split);
	return make_concat(b, high, make_extract(b, n->b, low, split - low));
}

uint32_t make_extract(struct bank *b, uint32_t x, unsigned low, unsigned width)
{
	struct node n = get(b, x);
	INVARIANT(width && low + width <= n.width);
	if (width == n.width)
		return x;
	switch (n.op) {
	case NODE_EXTRACT:
		return make_extract(b, n.a, (unsigned)n.k + low, width);
	case NODE_CONCAT:
		return extract_concat(b, &n, low, width);
	case NODE_NOT:
		return make_not(b, make_extract(b, n.a, low, width));
	case NODE_SEXT:
		if (low + width <= b->node.at[n.a].width)
			return make_extract(b, n.a, low, width);
		break;
	case NODE_ITE:
		if (node_is_const(b, n.b) && node_is_const(b, n.c)) {
			uint32_t t = make_extract(b, n.b, low, width);
			return make_ite(b, n.a, t, make_extract(b, n.c, low, width));
		}
		break;
	default:
		break;
	}
	return raw(b, NODE_EXTRACT, width, x, NODE_NONE, low);
}

uint32_t make_zero_extend(struct bank *b, uint32_t x, unsigned width)
{
	unsigned w = b->node.at[x].width;
	return width == w ? x : make_concat(b, bank_const(b, 0, width - w), x);
}

uint32_t make_sign_extend(struct bank *b, uint32_t x, unsigned width)
{
	struct node n = get(b, x);
	if (width == n.width)
		return x;
	if (n.op == NODE_SEXT)
		return make_sign_extend(b, n.a, width);
	if (n.op == NODE_CONCAT && node_is_const(b, n.a)) { /* the sign is known */
		struct node t = get(b, n.a);
		uint64_t sign = t.k >> (t.width - 1) & 1 ? UINT64_MAX : 0;
		return make_concat(b, bank_const(b, sign, width - n.width), x);
	}
	return raw(b, NODE_SEXT, width, x, NODE_NONE, 0);
}

uint32_t make_ite(struct bank *b, uint32_t cond, uint32_t x, uint32_t y)
{
	struct node c = get(b, cond);
	unsigned w = b->node.at[x].width;
	if (c.op == NODE_CONST)
		return c.k ? x : y;
	if (x == y)
		return x;
	if (c.op == NODE_NOT)
		return make_ite(b, c.a, y, x);
	if (w == 1 && is_value(b, x, 1))
		return make_or(b, cond, y);
	if (w == 1 && is_value(b, y, 0))
		return make_and(b, cond, x);
	if (w == 1 && is_value(b, x, 0))
		return make_and(b, make_not(b, cond), y);
	if (w == 1 && is_value(b, y, 1))
		return make_or(b, make_not(b, cond), x);
	return bank_intern(b, (struct node){NODE_ITE, (uint8_t)w, cond, x, y, 0});
}
