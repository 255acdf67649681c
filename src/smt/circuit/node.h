/* SPDX-License-Identifier: MIT */
/* The terms that the stages in front of the solver reason about: bit-vectors of 1 to 64 bits (a boolean is one bit)
 * over cells. They outlive queries: equal terms of different queries are one number, a term's arguments have smaller
 * numbers than it, and no two have the same contents.
 *
 * A cell is a declared constant, or one element of a declared array at a constant index. Arrays themselves only
 * occur below reads, and a read through writes is turned into a choice, so that evaluation and circuits see three
 * forms: a cell, a NODE_READ of a declared array at a computed index, and a NODE_LOOKUP in a table of (index,
 * value).
 *
 * Nodes are made by the functions of simplify.h only; these here intern without thinking. */
#ifndef SMT_DECIDE_NODE_H
#define SMT_DECIDE_NODE_H

#include "data/arena.h"
#include "data/table.h"
#include "data/vec.h"

#define NODE_NONE UINT32_MAX

enum node_op {
	NODE_CONST,  /* k: the value */
	NODE_CELL,   /* k: the cell */
	NODE_READ,   /* of array k at index a */
	NODE_LOOKUP, /* in table k at index a; b: what an index that is not in it gives */
	NODE_NOT,
	NODE_AND,
	NODE_XOR,
	NODE_ADD,
	NODE_SUB,
	NODE_MUL,
	NODE_UDIV,
	NODE_UREM,
	NODE_SHL,
	NODE_LSHR,
	NODE_ASHR,
	NODE_CONCAT,  /* a above b */
	NODE_EXTRACT, /* width bits of a from bit k on */
	NODE_SEXT,    /* a with its sign bit repeated */
	NODE_EQ,
	NODE_ULT,
	NODE_SLT,
	NODE_ITE, /* a ? b : c */
	/* arrays: never evaluated */
	NODE_ARRAY, /* k: the array */
	NODE_STORE, /* a with element c at index b */
	NODE_FIXED, /* array a has the elements of table k: stands for the conjuncts that say so */
};

struct node {
	uint8_t op, width; /* arrays: width of an element */
	uint32_t a, b, c;  /* NODE_NONE where there is none */
	uint64_t k;
};

struct bank_array {
	const char *name;
	uint8_t index_width, elem_width;
	uint32_t node;
};

struct bank_cell {
	const char *name; /* of a constant; NULL: an element */
	uint32_t array;
	uint8_t width;
	bool boolean;
	uint64_t index;
	uint32_t node;
};

/* A sorted table of (index, node). */
struct bank_entry {
	uint64_t index;
	uint32_t value;
};
struct bank_lookup {
	const struct bank_entry *entry;
	uint32_t n;
};

struct bank {
	VEC(struct node) node;
	VEC(struct bank_array) array;
	VEC(struct bank_cell) cell;
	VEC(struct bank_lookup) lookup;
	struct table nodes, arrays, cells, lookups;
	struct arena mem; /* names and tables */
	size_t mem_bytes;
};

void bank_release(struct bank *b);
/* Empties it. Every number it gave out is void. */
void bank_clear(struct bank *b);
size_t bank_bytes(const struct bank *b);

static inline uint64_t node_mask(unsigned width)
{
	return width >= 64 ? UINT64_MAX : ((uint64_t)1 << width) - 1;
}

uint32_t bank_intern(struct bank *b, struct node n);
uint32_t bank_const(struct bank *b, uint64_t value, unsigned width);
/* The node of a declared constant or array; a name with another sort is another one. */
uint32_t bank_variable(struct bank *b, const char *name, unsigned width, bool boolean);
uint32_t bank_array(struct bank *b, const char *name, unsigned index_width, unsigned elem_width);
/* The element's cell, made if need be. */
uint32_t bank_element(struct bank *b, uint32_t array, uint64_t index);
/* The same, NODE_NONE when there is no such cell. */
uint32_t bank_find_element(const struct bank *b, uint32_t array, uint64_t index);
/* The table with these entries, which are sorted by index without repetition. */
uint32_t bank_lookup(struct bank *b, const struct bank_entry *entry, uint32_t n);
/* The value node for the index, or NODE_NONE. */
uint32_t bank_lookup_find(const struct bank_lookup *l, uint64_t index);

static inline bool node_is_const(const struct bank *b, uint32_t i)
{
	return b->node.at[i].op == NODE_CONST;
}

/* What an operator gives on values: the arguments' widths are those of n's nodes. Not for cells, reads and look-ups. */
uint64_t node_apply(const struct bank *b, const struct node *n, uint64_t x, uint64_t y, uint64_t z);

/* Arguments are smaller than their node, widths fit, no two nodes are equal. */
void bank_check(const struct bank *b);

#endif
