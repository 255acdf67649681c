/* SPDX-License-Identifier: MIT */
/* Nodes as circuits of five kinds of gates, and gates as clauses of the SAT solver. A node's bits are literals, least
 * significant first. Every gate is a definition of its output: it can always be satisfied, whatever its inputs are. */
#ifndef SMT_DECIDE_CIRCUIT_H
#define SMT_DECIDE_CIRCUIT_H

#include "smt/circuit/node.h"
#include "smt/circuit/sat.h"

enum gate_kind { GATE_AND, GATE_XOR, GATE_MUX, GATE_MAJ, GATE_XOR3 };

struct gate {
	uint32_t kind, a, b, c, out;
};

/* The bits of a node and the variables made for it. */
struct wires {
	uint32_t at;          /* 1 + place in circuit.bit; 0: not made */
	uint32_t first, last; /* variables first … last − 1 */
};

struct circuit {
	struct sat sat;
	uint32_t yes; /* the literal that is true */
	VEC(struct gate) gate;
	struct table gates;
	VEC(struct wires) wires; /* per node */
	VEC(uint32_t) bit;
};

void circuit_init(struct circuit *c, struct proof *proof);
void circuit_release(struct circuit *c);
/* Makes the node's circuit; its arguments' are there already. Only between questions. */
void circuit_make(struct circuit *c, const struct bank *b, uint32_t node);
static inline bool circuit_has(const struct circuit *c, uint32_t node)
{
	return node < c->wires.n && c->wires.at[node].at;
}
static inline const uint32_t *circuit_bits(const struct circuit *c, uint32_t node)
{
	return c->bit.at + c->wires.at[node].at - 1;
}
/* The node's value in the SAT solver's assignment. */
uint64_t circuit_value(const struct circuit *c, const struct bank *b, uint32_t node);

/* Gates, folded and shared. */
uint32_t gate_and(struct circuit *c, uint32_t a, uint32_t b);
uint32_t gate_xor(struct circuit *c, uint32_t a, uint32_t b);
uint32_t gate_mux(struct circuit *c, uint32_t cond, uint32_t a, uint32_t b);
uint32_t gate_maj(struct circuit *c, uint32_t x, uint32_t y, uint32_t z);
uint32_t gate_xor3(struct circuit *c, uint32_t x, uint32_t y, uint32_t z);
/* Are the n bits equal? */
uint32_t circuit_equal(struct circuit *c, const uint32_t *x, const uint32_t *y, unsigned n);
/* The bits of a constant. */
void circuit_constant(const struct circuit *c, uint64_t value, unsigned width, uint32_t *out);
/* What the table has at this index, `other` where it has nothing. */
void circuit_lookup(struct circuit *c, const struct bank *b, const struct bank_lookup *l, const uint32_t *index,
		    unsigned index_width, const uint32_t *other, unsigned width, uint32_t *out);
/* If lit holds, x = y. */
void circuit_imply_equal(struct circuit *c, uint32_t lit, const uint32_t *x, const uint32_t *y, unsigned width);

#endif
