/* SPDX-License-Identifier: MIT */
/* Circuits of nodes: ripple-carry adders, shift-and-add multipliers, restoring dividers (a divisor of zero gives all
 * ones and the dividend by itself, as SMT-LIB wants it), barrel shifters, trees of choices for tables. Constants
 * fold away in the gates, so a word whose top bits are zero costs what a narrow one does. */
#include "smt/circuit/circuit.h"

#include "base/invariant.h"

#include <string.h>

enum { MAX_WIDTH = 64 };

void circuit_init(struct circuit *c, struct proof *proof)
{
	memset(c, 0, sizeof *c);
	sat_init(&c->sat, proof);
	c->yes = 2 * sat_variable(&c->sat);
	sat_clause(&c->sat, &c->yes, 1);
}

void circuit_release(struct circuit *c)
{
	sat_release(&c->sat);
	vec_release_all(&c->gate, &c->wires, &c->bit);
	table_release(&c->gates);
}

uint64_t circuit_value(const struct circuit *c, const struct bank *b, uint32_t node)
{
	const uint32_t *bit = circuit_bits(c, node);
	uint64_t v = 0;
	for (unsigned i = 0; i < b->node.at[node].width; i++)
		v |= (uint64_t)sat_value(&c->sat, bit[i]) << i;
	return v;
}

void circuit_constant(const struct circuit *c, uint64_t value, unsigned width, uint32_t *out)
{
	for (unsigned i = 0; i < width; i++)
		out[i] = c->yes ^ !(value >> i & 1);
}

uint32_t circuit_equal(struct circuit *c, const uint32_t *x, const uint32_t *y, unsigned n)
{
	uint32_t r = c->yes;
	for (unsigned i = 0; i < n; i++)
		r = gate_and(c, r, lit_not(gate_xor(c, x[i], y[i])));
	return r;
}

void circuit_imply_equal(struct circuit *c, uint32_t lit, const uint32_t *x, const uint32_t *y, unsigned width)
{
	for (unsigned i = 0; i < width; i++) {
		sat_clause(&c->sat, (uint32_t[]){lit_not(lit), lit_not(x[i]), y[i]}, 3);
		sat_clause(&c->sat, (uint32_t[]){lit_not(lit), x[i], lit_not(y[i])}, 3);
	}
}

/* out = x + y + carry; returns the carry out. out may be x or y. */
static uint32_t add(struct circuit *c, const uint32_t *x, const uint32_t *y, uint32_t carry, unsigned w, uint32_t *out)
{
	for (unsigned i = 0; i < w; i++) {
		uint32_t a = x[i], b = y[i];
		out[i] = gate_xor3(c, a, b, carry);
		carry = gate_maj(c, a, b, carry);
	}
	return carry;
}

/* out = x − y; returns a literal that says x ≥ y. */
static uint32_t subtract(struct circuit *c, const uint32_t *x, const uint32_t *y, unsigned w, uint32_t *out)
{
	uint32_t inverted[MAX_WIDTH + 1];
	for (unsigned i = 0; i < w; i++)
		inverted[i] = lit_not(y[i]);
	return add(c, x, inverted, c->yes, w, out);
}

static void multiply(struct circuit *c, const uint32_t *x, const uint32_t *y, unsigned w, uint32_t *out)
{
	uint32_t row[MAX_WIDTH], no = lit_not(c->yes);
	for (unsigned i = 0; i < w; i++)
		out[i] = gate_and(c, x[0], y[i]);
	for (unsigned k = 1; k < w; k++) {
		if (x[k] == no)
			continue;
		for (unsigned i = k; i < w; i++)
			row[i] = gate_and(c, x[k], y[i - k]);
		add(c, out + k, row + k, no, w - k, out + k);
	}
}

/* Bits that a constant divisor needs; all of them when it is not constant. */
static unsigned divisor_width(const struct circuit *c, const uint32_t *y, unsigned w)
{
	unsigned n = 0;
	for (unsigned i = 0; i < w; i++) {
		if (y[i] != c->yes && y[i] != lit_not(c->yes))
			return w;
		if (y[i] == c->yes)
			n = i + 1;
	}
	return n ? n : w; /* by zero the remainder is the dividend */
}

static void divide(struct circuit *c, const uint32_t *x, const uint32_t *y, unsigned w, uint32_t *quotient,
		   uint32_t *rest)
{
	uint32_t no = lit_not(c->yes), r[MAX_WIDTH + 1], d[MAX_WIDTH + 1], divisor[MAX_WIDTH + 1];
	unsigned n = divisor_width(c, y, w);
	for (unsigned i = 0; i <= n; i++) {
		r[i] = no;
		divisor[i] = i < n ? y[i] : no;
	}
	for (unsigned k = w; k-- > 0;) {
		memmove(r + 1, r, n * sizeof *r);
		r[0] = x[k];
		uint32_t fits = subtract(c, r, divisor, n + 1, d);
		for (unsigned i = 0; i < n; i++)
			r[i] = gate_mux(c, fits, d[i], r[i]);
		quotient[k] = fits;
	}
	for (unsigned i = 0; i < w; i++)
		rest[i] = i < n ? r[i] : no;
}

/* By each bit of the amount in turn; bits beyond the width fill the whole word. */
static void shift(struct circuit *c, enum node_op op, const uint32_t *x, const uint32_t *by, unsigned w, uint32_t *out)
{
	uint32_t fill = op == NODE_ASHR ? x[w - 1] : lit_not(c->yes), t[MAX_WIDTH];
	memcpy(out, x, w * sizeof *x);
	for (unsigned k = 0; k < w; k++) {
		unsigned n = k < 6 && 1u << k < w ? 1u << k : w;
		for (unsigned i = 0; i < w; i++) {
			uint32_t from;
			if (op == NODE_SHL)
				from = i >= n ? out[i - n] : fill;
			else
				from = i + n < w ? out[i + n] : fill;
			t[i] = gate_mux(c, by[k], from, out[i]);
		}
		memcpy(out, t, w * sizeof *t);
	}
}

static uint32_t less(struct circuit *c, const uint32_t *x, const uint32_t *y, unsigned w, bool is_signed)
{
	uint32_t r = lit_not(c->yes);
	for (unsigned i = 0; i < w; i++) {
		uint32_t flip = is_signed && i + 1 == w;
		r = gate_maj(c, lit_not(x[i]) ^ flip, y[i] ^ flip, r);
	}
	return r;
}

/* ---- tables */

struct lookup {
	const struct bank *b;
	const struct bank_lookup *l;
	const uint32_t *index, *other;
	unsigned width;
};

static void value_bits(struct circuit *c, const struct lookup *u, uint32_t entry, uint32_t *out)
{
	uint32_t node = u->l->entry[entry].value;
	if (node_is_const(u->b, node))
		circuit_constant(c, u->b->node.at[node].k, u->width, out);
	else
		memcpy(out, circuit_bits(c, node), u->width * sizeof *out);
}

/* The entries first … last − 1 agree on the index bits from `bits` up. As deep as an index has bits. */
static void lookup_tree(struct circuit *c, const struct lookup *u, uint32_t first, uint32_t last, unsigned bits,
			uint32_t *out)
{
	if (first == last) {
		memcpy(out, u->other, u->width * sizeof *out);
		return;
	}
	if (!bits) {
		value_bits(c, u, first, out);
		return;
	}
	uint32_t at = u->index[bits - 1], split = first, high[MAX_WIDTH];
	while (split < last && !(u->l->entry[split].index >> (bits - 1) & 1))
		split++;
	if (at == c->yes || at == lit_not(c->yes)) {
		if (at == c->yes)
			first = split;
		else
			last = split;
		lookup_tree(c, u, first, last, bits - 1, out);
		return;
	}
	lookup_tree(c, u, first, split, bits - 1, out);
	lookup_tree(c, u, split, last, bits - 1, high);
	for (unsigned i = 0; i < u->width; i++)
		out[i] = gate_mux(c, at, high[i], out[i]);
}

void circuit_lookup(struct circuit *c, const struct bank *b, const struct bank_lookup *l, const uint32_t *index,
		    unsigned index_width, const uint32_t *other, unsigned width, uint32_t *out)
{
	struct lookup u = {b, l, index, other, width};
	lookup_tree(c, &u, 0, l->n, index_width, out);
}

/* ---- nodes */

struct inputs {
	uint32_t a[MAX_WIDTH], b[MAX_WIDTH], c[MAX_WIDTH]; /* copies: making gates moves bits */
	unsigned wa, wb;
};

static unsigned take(struct circuit *c, const struct bank *b, uint32_t node, uint32_t *out)
{
	if (node == NODE_NONE)
		return 0;
	const struct node *n = &b->node.at[node];
	if (n->op == NODE_CONST)
		circuit_constant(c, n->k, n->width, out);
	else
		memcpy(out, circuit_bits(c, node), n->width * sizeof *out);
	return n->width;
}

static void make_arithmetic(struct circuit *c, const struct node *n, const struct inputs *in, uint32_t *out)
{
	unsigned w = n->width;
	uint32_t other[MAX_WIDTH];
	switch (n->op) {
	case NODE_ADD:
		add(c, in->a, in->b, lit_not(c->yes), w, out);
		break;
	case NODE_SUB:
		subtract(c, in->a, in->b, w, out);
		break;
	case NODE_MUL:
		multiply(c, in->a, in->b, w, out);
		break;
	case NODE_UDIV:
		divide(c, in->a, in->b, w, out, other);
		break;
	case NODE_UREM:
		divide(c, in->a, in->b, w, other, out);
		break;
	default:
		shift(c, (enum node_op)n->op, in->a, in->b, w, out);
		break;
	}
}

static void make_bits(struct circuit *c, const struct node *n, const struct inputs *in, uint32_t *out)
{
	for (unsigned i = 0; i < n->width; i++)
		switch (n->op) {
		case NODE_NOT:
			out[i] = lit_not(in->a[i]);
			break;
		case NODE_AND:
			out[i] = gate_and(c, in->a[i], in->b[i]);
			break;
		case NODE_XOR:
			out[i] = gate_xor(c, in->a[i], in->b[i]);
			break;
		case NODE_CONCAT:
			out[i] = i < in->wb ? in->b[i] : in->a[i - in->wb];
			break;
		case NODE_EXTRACT:
			out[i] = in->a[i + n->k];
			break;
		case NODE_SEXT:
			out[i] = in->a[i < in->wa ? i : in->wa - 1];
			break;
		case NODE_ITE:
			out[i] = gate_mux(c, in->a[0], in->b[i], in->c[i]);
			break;
		default: /* a cell, or a read: free */
			out[i] = 2 * sat_variable(&c->sat);
			break;
		}
}

static void make_any(struct circuit *c, const struct bank *b, const struct node *n, const struct inputs *in,
		     uint32_t *out)
{
	switch (n->op) {
	case NODE_ADD:
	case NODE_SUB:
	case NODE_MUL:
	case NODE_UDIV:
	case NODE_UREM:
	case NODE_SHL:
	case NODE_LSHR:
	case NODE_ASHR:
		make_arithmetic(c, n, in, out);
		break;
	case NODE_EQ:
		out[0] = circuit_equal(c, in->a, in->b, in->wa);
		break;
	case NODE_ULT:
	case NODE_SLT:
		out[0] = less(c, in->a, in->b, in->wa, n->op == NODE_SLT);
		break;
	case NODE_LOOKUP:
		circuit_lookup(c, b, &b->lookup.at[n->k], in->a, in->wa, in->b, n->width, out);
		break;
	default:
		make_bits(c, n, in, out);
		break;
	}
}

void circuit_make(struct circuit *c, const struct bank *b, uint32_t node)
{
	struct node n = b->node.at[node];
	struct inputs in;
	uint32_t out[MAX_WIDTH];
	INVARIANT(n.op < NODE_ARRAY && n.op != NODE_CONST && !circuit_has(c, node));
	if (c->wires.n <= node) {
		size_t more = node + 1 - c->wires.n;
		vec_reserve(&c->wires, more);
		memset(c->wires.at + c->wires.n, 0, more * sizeof *c->wires.at);
		c->wires.n = (size_t)node + 1;
	}
	in.wa = take(c, b, n.a, in.a);
	in.wb = take(c, b, n.b, in.b);
	take(c, b, n.c, in.c);
	uint32_t first = (uint32_t)c->sat.phase.n;
	make_any(c, b, &n, &in, out);
	c->wires.at[node] = (struct wires){(uint32_t)c->bit.n + 1, first, (uint32_t)c->sat.phase.n};
	for (unsigned i = 0; i < n.width; i++)
		vec_push(&c->bit, out[i]);
}
