/* SPDX-License-Identifier: MIT */
/* Turns a query's terms into nodes (node.h). What is not a bit-vector of at most 64 bits, a boolean, or an array from
 * such to such that is only read and written, is not ours: the whole query passes by. */
#ifndef SMT_DECIDE_IMPORT_H
#define SMT_DECIDE_IMPORT_H

#include "data/err.h"
#include "smt/circuit/node.h"
#include "smt/term/query.h"
#include "smt/value/value.h"

struct import {
	VEC(uint32_t) node;      /* per term of the query */
	VEC(struct value_op) op; /* per label; code UINT16_MAX: not looked up yet */
	VEC(uint32_t) args;
};

void import_release(struct import *m);
/* Gives x->node.at[t] for every term t of the query. RC_NO: there is one that is not ours. */
enum rc import_query(struct import *x, struct bank *b, const struct query *q);

#endif
