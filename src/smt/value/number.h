/* SPDX-License-Identifier: MIT */
/* Integers and rational numbers as values: a numerator of 64 bits and a denominator of 31, in lowest terms. What does
 * not fit has no value, nor has a division by zero, whose result a solver may choose. */
#ifndef SMT_VALUE_NUMBER_H
#define SMT_VALUE_NUMBER_H

#include "data/buf.h"
#include "smt/value/value.h"

/* A numeral or a decimal. */
bool number_read(const char *text, size_t n, struct value *out);
/* One of the operators from OP_PLUS on. */
bool number_apply(uint16_t code, const struct value *args, uint32_t n, struct value *out);
/* As z3 writes it; real: 2 is 2.0. */
void number_print(struct buf *out, const struct value *v, bool real);

static inline bool number_whole(const struct value *v)
{
	return v->width == 1;
}

#endif
