/* SPDX-License-Identifier: MIT */
/* The trees of all files of a model under one numbering, as they look after edits.
 *
 * A *place* in the tree is named by the node that stood there at the parse. Deletion needs no record: a node without a
 * token in the minimum is gone. A replacement puts a descendant into a place; a splice puts a run of the children of a
 * descendant there, after which the place no longer counts for its parent's rule. */
#ifndef REDUCE_MODEL_FOREST_H
#define REDUCE_MODEL_FOREST_H

#include "reduce/syntax/syntax.h"
#include "reduce/model/variant.h"

#define FOREST_NONE UINT32_MAX
#define FOREST_SPLICED (UINT32_MAX - 1)

/* Which node stands in a place. */
struct moved {
	uint32_t place, node; /* node may be FOREST_SPLICED */
};

struct forest {
	struct model *model;
	struct {
		VEC_FIELDS(struct moved);
	} moved; /* ascending by place */
};

void forest_init(struct forest *f, struct model *m);
void forest_release(struct forest *f);

/* Nodes of file i are root(i), root(i) + 1, … */
uint32_t forest_root(const struct forest *f, size_t file);
uint32_t forest_nodes(const struct forest *f);
const struct syn_node *forest_node(const struct forest *f, uint32_t node);
/* FOREST_NONE for a root. */
uint32_t forest_parent(const struct forest *f, uint32_t node);
/* Its base tokens, gone ones included. */
struct span forest_span(const struct forest *f, uint32_t node);
/* How many of them are in the minimum. */
uint32_t forest_weight(const struct forest *f, uint32_t node);

uint32_t forest_at(const struct forest *f, uint32_t place);
void forest_move(struct forest *f, uint32_t place, uint32_t node);

/* The children of a node as they are now: those that stand, without and with extras. */
struct children {
	uint32_t n, n_extras;
	uint32_t *place;  /* n of them, then n_extras */
	uint16_t *letter; /* n */
	uint16_t rule;
	bool broken; /* the node did not parse */
	const struct language *language;
};
void children_of(const struct forest *f, uint32_t node, struct children *out);
void children_release(struct children *c);

#ifdef RF_INVARIANTS
/* Walks what was moved: ascending by place, and in each place a node from inside it, or nothing. */
void forest_check(const struct forest *f);
#else
#define forest_check(f) ((void)(f))
#endif

#endif
