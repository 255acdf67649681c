/* SPDX-License-Identifier: MIT */
/* Conjuncts, compiled once and kept: the nodes to evaluate in order, the cells and arrays they depend on. And values of
 * cells, under which conjuncts are evaluated.
 *
 * A value comes from the query's own fixes (cell = constant) if it has one for the cell, else from the model that is
 * loaded, else it is 0. */
#ifndef SMT_DECIDE_CONJUNCT_H
#define SMT_DECIDE_CONJUNCT_H

#include "smt/circuit/node.h"

struct conjunct {
	uint32_t node;
	uint32_t program, n_program; /* in pool: nodes, arguments first, without constants and cells of no use */
	uint32_t cells, n_cells;     /* in pool: the cells it names */
	uint32_t reads, n_reads;     /* in pool: the arrays it reads at computed indices */
	bool fix;                    /* it is `cell = value` */
	uint32_t cell;
	uint64_t value;
	uint32_t ops;  /* set of node_op */
	uint64_t cost; /* gates of its circuit, about */
};

struct conjuncts {
	VEC(struct conjunct) at;
	VEC(uint32_t) of; /* per node: 1 + its conjunct, 0: none yet */
	VEC(uint32_t) pool;
	VEC(uint32_t) stamp, todo;
	uint32_t epoch;
};

void conjuncts_release(struct conjuncts *c);
/* The conjunct of a node of one bit. */
uint32_t conjunct_of(struct conjuncts *c, const struct bank *b, uint32_t node);
size_t conjuncts_bytes(const struct conjuncts *c);

struct cell_value {
	uint64_t fixed, set;
	uint32_t fixed_at, set_at; /* epochs */
};

struct values {
	VEC(uint64_t) value; /* per node */
	VEC(uint32_t) stamp;
	VEC(struct cell_value) cell;
	uint32_t epoch, fixed_epoch, set_epoch;
	uint64_t steps; /* nodes evaluated */
};

void values_release(struct values *v);
size_t values_bytes(const struct values *v);
/* No fixes and no model; the bank may have grown. */
void values_begin(struct values *v, const struct bank *b);
/* The bank has grown; values stay. */
void values_grow(struct values *v, const struct bank *b);
void values_fix(struct values *v, uint32_t cell, uint64_t value);
/* Forgets the model, keeps the fixes. */
void values_next_model(struct values *v);
/* To be followed by values_changed before the next evaluation, unless nothing was evaluated under this model yet. */
void values_set(struct values *v, uint32_t cell, uint64_t value);
void values_changed(struct values *v);
uint64_t values_cell(const struct values *v, uint32_t cell);
/* Has a fix or a value in the model. */
bool values_known(const struct values *v, uint32_t cell);
bool values_true(struct values *v, const struct bank *b, const struct conjuncts *c, uint32_t conjunct);
/* The value of a node of a conjunct that values_true was asked about since the model changed. */
static inline uint64_t values_of(const struct values *v, uint32_t node)
{
	return v->value.at[node];
}

#endif
