/* SPDX-License-Identifier: MIT */
/* How a store of n bytes is tested: the same for both compilers, whose asm statements differ in their syntax alone. */
#ifndef RT_CHECK_STORE_TEST_H
#define RT_CHECK_STORE_TEST_H

#include <stdint.h>

/* The instruction that looks at the watch map's bytes of all granules that n bytes may touch, wherever they start:
 * programs store through pointers that are not aligned as their types say, and this machine lets them. */
static inline const char *store_test(uint64_t n)
{
	return n <= 1 ? "cmpb" : n <= 9 ? "cmpw" : n <= 25 ? "cmpl" : "cmpq";
}

/* The stub __rf_store_N that is called when a bit is set. */
static inline unsigned store_stub(uint64_t n)
{
	unsigned stub = 1;
	while (stub < n && stub < 64)
		stub *= 2;
	return stub;
}

/* The suffix of an instruction, and the letter of a register, for a value of n bytes. */
static inline char store_suffix(uint64_t n)
{
	return n == 1 ? 'b' : n == 2 ? 'w' : n == 4 ? 'l' : 'q';
}
static inline char store_register(uint64_t n)
{
	return n == 4 ? 'k' : store_suffix(n);
}

#endif
