/* SPDX-License-Identifier: MIT */
/* Gates: folded when an input is constant or two are related, brought to one order and sign, shared through an index.
 * The clauses of each kind are its truth table; tests/unit/test_smt_bits.c compares them with it. */
#include "smt/circuit/circuit.h"

#include "base/bits.h"

static uint32_t shared(struct circuit *c, struct gate g, uint64_t hash)
{
	uint32_t r;
	for (struct table_probe p = table_probe(&c->gates, hash); (r = table_next(&c->gates, &p)) != TABLE_NONE;) {
		const struct gate *o = &c->gate.at[r];
		if (o->kind == g.kind && o->a == g.a && o->b == g.b && o->c == g.c)
			return r;
	}
	return TABLE_NONE;
}

/* The gate's output; *made: it is new and needs its clauses. */
static uint32_t output(struct circuit *c, enum gate_kind kind, uint32_t x, uint32_t y, uint32_t z, bool *made)
{
	struct gate g = {kind, x, y, z, 0};
	uint64_t hash = mix64_pair(mix64_pair(kind, (uint64_t)x << 32 | y), z);
	uint32_t r = shared(c, g, hash);
	*made = r == TABLE_NONE;
	if (!*made)
		return c->gate.at[r].out;
	g.out = 2 * sat_variable(&c->sat);
	vec_push(&c->gate, g);
	table_insert(&c->gates, hash, (uint32_t)c->gate.n - 1);
	return g.out;
}

static void clause2(struct circuit *c, uint32_t x, uint32_t y)
{
	sat_clause(&c->sat, (uint32_t[]){x, y}, 2);
}

static void clause3(struct circuit *c, uint32_t x, uint32_t y, uint32_t z)
{
	sat_clause(&c->sat, (uint32_t[]){x, y, z}, 3);
}

static void clause4(struct circuit *c, uint32_t x, uint32_t y, uint32_t z, uint32_t u)
{
	sat_clause(&c->sat, (uint32_t[]){x, y, z, u}, 4);
}

static void swap(uint32_t *x, uint32_t *y)
{
	uint32_t t = *x;
	*x = *y;
	*y = t;
}

uint32_t gate_and(struct circuit *c, uint32_t a, uint32_t b)
{
	uint32_t yes = c->yes, no = lit_not(yes);
	bool made;
	if (a == no || b == no || a == lit_not(b))
		return no;
	if (a == yes || a == b)
		return b;
	if (b == yes)
		return a;
	if (a > b)
		swap(&a, &b);
	uint32_t o = output(c, GATE_AND, a, b, 0, &made);
	if (made) {
		clause2(c, lit_not(o), a);
		clause2(c, lit_not(o), b);
		clause3(c, o, lit_not(a), lit_not(b));
	}
	return o;
}

static uint32_t gate_or(struct circuit *c, uint32_t a, uint32_t b)
{
	return lit_not(gate_and(c, lit_not(a), lit_not(b)));
}

uint32_t gate_xor(struct circuit *c, uint32_t a, uint32_t b)
{
	uint32_t yes = c->yes, sign = (a & 1) ^ (b & 1);
	bool made;
	if ((a | 1) == (yes | 1)) /* a is constant */
		return b ^ (a == yes);
	if ((b | 1) == (yes | 1))
		return a ^ (b == yes);
	if ((a | 1) == (b | 1))
		return a == b ? lit_not(yes) : yes;
	a &= ~1u;
	b &= ~1u;
	if (a > b)
		swap(&a, &b);
	uint32_t o = output(c, GATE_XOR, a, b, 0, &made);
	if (made) {
		clause3(c, lit_not(o), a, b);
		clause3(c, lit_not(o), lit_not(a), lit_not(b));
		clause3(c, o, lit_not(a), b);
		clause3(c, o, a, lit_not(b));
	}
	return o ^ sign;
}

uint32_t gate_mux(struct circuit *c, uint32_t cond, uint32_t a, uint32_t b)
{
	uint32_t yes = c->yes, no = lit_not(yes), sign = 0;
	bool made;
	if (cond & 1) {
		cond = lit_not(cond);
		swap(&a, &b);
	}
	if (cond == (yes & ~1u))
		return cond == yes ? a : b;
	if (a == b)
		return a;
	if (a == lit_not(b))
		return lit_not(gate_xor(c, cond, a));
	if (a == yes || a == cond)
		return gate_or(c, cond, b);
	if (a == no || a == lit_not(cond))
		return gate_and(c, lit_not(cond), b);
	if (b == yes || b == lit_not(cond))
		return gate_or(c, lit_not(cond), a);
	if (b == no || b == cond)
		return gate_and(c, cond, a);
	if (a & 1) {
		a = lit_not(a);
		b = lit_not(b);
		sign = 1;
	}
	uint32_t o = output(c, GATE_MUX, cond, a, b, &made);
	if (made) {
		clause3(c, lit_not(cond), lit_not(a), o);
		clause3(c, lit_not(cond), a, lit_not(o));
		clause3(c, cond, lit_not(b), o);
		clause3(c, cond, b, lit_not(o));
		/* implied, for propagation */
		clause3(c, lit_not(a), lit_not(b), o);
		clause3(c, a, b, lit_not(o));
	}
	return o ^ sign;
}

static void sort3(uint32_t *x, uint32_t *y, uint32_t *z)
{
	if (*x > *y)
		swap(x, y);
	if (*y > *z)
		swap(y, z);
	if (*x > *y)
		swap(x, y);
}

uint32_t gate_maj(struct circuit *c, uint32_t x, uint32_t y, uint32_t z)
{
	uint32_t yes = c->yes, no = lit_not(yes);
	bool made;
	sort3(&x, &y, &z); /* constants and pairs of one variable are neighbours now */
	if (x == y || y == z)
		return y;
	if (x == lit_not(y))
		return z;
	if (y == lit_not(z))
		return x;
	if (x == no || x == yes) /* variable 0 is the constant */
		return x == yes ? gate_or(c, y, z) : gate_and(c, y, z);
	uint32_t o = output(c, GATE_MAJ, x, y, z, &made);
	if (made) {
		clause3(c, lit_not(x), lit_not(y), o);
		clause3(c, lit_not(x), lit_not(z), o);
		clause3(c, lit_not(y), lit_not(z), o);
		clause3(c, x, y, lit_not(o));
		clause3(c, x, z, lit_not(o));
		clause3(c, y, z, lit_not(o));
	}
	return o;
}

uint32_t gate_xor3(struct circuit *c, uint32_t x, uint32_t y, uint32_t z)
{
	bool made;
	uint32_t sign = (x & 1) ^ (y & 1) ^ (z & 1);
	uint32_t p = x & ~1u, q = y & ~1u, r = z & ~1u;
	sort3(&p, &q, &r);
	if (p == (c->yes & ~1u) || p == q || q == r)
		return gate_xor(c, gate_xor(c, x, y), z);
	uint32_t o = output(c, GATE_XOR3, p, q, r, &made);
	if (made)
		for (uint32_t i = 0; i < 8; i++) {
			uint32_t a = i & 1, b = i >> 1 & 1, d = i >> 2 & 1;
			/* if the inputs are a, b and d, the output is their sum */
			clause4(c, p ^ a, q ^ b, r ^ d, o ^ 1 ^ (a ^ b ^ d));
		}
	return o ^ sign;
}
