/* SPDX-License-Identifier: MIT */
/* Makes nodes, simplified by rules that look one or two levels down: constants are folded, masks and shifts by
 * constants become extractions, a word that equals a constant becomes its parts that do, reads of arrays through
 * writes become choices. Each rule is an identity of SMT-LIB's bit-vectors; tests/attack/smt_stages compares all of
 * them with z3 and with every assignment of small queries. */
#ifndef SMT_DECIDE_SIMPLIFY_H
#define SMT_DECIDE_SIMPLIFY_H

#include "smt/circuit/node.h"

uint32_t make_not(struct bank *b, uint32_t x);
uint32_t make_and(struct bank *b, uint32_t x, uint32_t y);
uint32_t make_or(struct bank *b, uint32_t x, uint32_t y);
uint32_t make_xor(struct bank *b, uint32_t x, uint32_t y);
uint32_t make_add(struct bank *b, uint32_t x, uint32_t y);
uint32_t make_sub(struct bank *b, uint32_t x, uint32_t y);
uint32_t make_mul(struct bank *b, uint32_t x, uint32_t y);
/* NODE_UDIV or NODE_UREM */
uint32_t make_division(struct bank *b, enum node_op op, uint32_t x, uint32_t y);
/* NODE_SHL, NODE_LSHR or NODE_ASHR */
uint32_t make_shift(struct bank *b, enum node_op op, uint32_t x, uint32_t y);
/* The widths together must not exceed 64. */
uint32_t make_concat(struct bank *b, uint32_t x, uint32_t y);
uint32_t make_extract(struct bank *b, uint32_t x, unsigned low, unsigned width);
/* width: of the result, at most 64 */
uint32_t make_zero_extend(struct bank *b, uint32_t x, unsigned width);
uint32_t make_sign_extend(struct bank *b, uint32_t x, unsigned width);
uint32_t make_eq(struct bank *b, uint32_t x, uint32_t y);
uint32_t make_ult(struct bank *b, uint32_t x, uint32_t y);
uint32_t make_slt(struct bank *b, uint32_t x, uint32_t y);
uint32_t make_ite(struct bank *b, uint32_t cond, uint32_t x, uint32_t y);

uint32_t make_store(struct bank *b, uint32_t array, uint32_t index, uint32_t value);
/* NODE_NONE: too many writes at computed indices. */
uint32_t make_select(struct bank *b, uint32_t array, uint32_t index);

#endif
