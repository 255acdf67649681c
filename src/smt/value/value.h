/* SPDX-License-Identifier: MIT */
/* Values of booleans, bit-vectors (up to 4,096 bits), numbers, elements of declared sorts, and arrays of them that are
 * no arrays themselves. */
#ifndef SMT_TERM_VALUE_H
#define SMT_TERM_VALUE_H

#include "smt/term/dag.h"

enum { VALUE_MAX_BITS = 4096 };

enum value_type {
	VALUE_NONE,
	VALUE_BOOL,
	VALUE_BITS,
	VALUE_ARRAY,
	VALUE_NUMBER,  /* an integer or a fraction in lowest terms: number.h */
	VALUE_ELEMENT, /* of a sort that the script declares: any two of different u are different */
};

struct value {
	uint8_t type;
	uint32_t width; /* a number's denominator */
	union {
		uint64_t u;            /* boolean, up to 64 bits (the rest zero), an element, a number's numerator */
		const uint64_t *limbs; /* more than 64 bits, least significant first, unused bits zero */
		const struct array_value *array;
	};
};

/* An array is a chain of writes that ends in a constant array; writes never change what they are made on. */
struct array_value {
	const struct array_value *base; /* NULL: a constant array, every cell is elem */
	struct value index, elem;
	size_t length;                    /* writes in the chain */
	const struct array_value *bottom; /* the constant array at its end */
	struct array_index *reads;        /* NULL: a short chain; value.c */
};

static inline size_t value_limbs(uint32_t width)
{
	return ((size_t)width + 63) / 64;
}

/* Of one type that is not an array, width and contents. */
bool value_equal_bits(const struct value *a, const struct value *b);
uint64_t value_hash_bits(const struct value *v);
struct value value_select(const struct array_value *a, const struct value *index);
struct value value_store(struct arena *mem, const struct array_value *a, const struct value *index,
			 const struct value *elem);
struct value value_const_array(struct arena *mem, const struct value *elem);
/* 1 equal, 0 different, −1 not decided (they differ only in their constant part). */
int value_equal_arrays(const struct array_value *a, const struct array_value *b);

/* An operator of the core theory, of bit-vectors or of numbers applied to n values. False: not one that is known, or
 * not these sorts. */
struct value_op {
	uint16_t code; /* 0: not known */
	uint32_t a, b; /* indices of the operator: extract's, an extension's, a rotation's */
};
struct value_op value_op_find(const char *text, size_t n);
/* The operator of a label, looked up once: `kept` has the code UINT16_MAX before. */
struct value_op value_op_of(struct value_op *kept, const struct label *l);
bool value_apply(struct arena *mem, struct value_op op, const struct value *args, uint32_t n, struct value *out);

#endif
