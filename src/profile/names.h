/* SPDX-License-Identifier: MIT */
/* The places of a function's input and output as C expressions. */
#ifndef PROFILE_NAMES_H
#define PROFILE_NAMES_H

#include "profile/profile.h"
#include "profile/debug/types.h"

/* A node of the shape. */
struct named {
	struct buf text;    /* expression of its value */
	struct buf address; /* of its first byte, when the value has no name of its own or another size */
	struct buf shown;   /* for people; empty: text */
	struct buf guard;   /* condition under which it may be read; empty: none */
	Dwarf_Die type;
	bool typed, named, is_parameter;
	bool is_address; /* the text is the address of a parameter that C++ passes by reference: it has none itself */
};

struct names {
	const struct profile_function *f;
	struct types_function *t;
	struct named *of; /* by node number, from 1 */
};

void names_make(struct names *n, const struct profile_function *f, struct types_function *t);
void names_release(struct names *n);

/* A char pointer behind which bytes are read as those of a string are: from its begin, and never behind a NUL. */
bool names_is_text(const struct names *n, uint32_t node);
/* Room for the longest string seen, and half of that again: a longer one is not cached. */
unsigned names_text_bytes(const struct names *n, uint32_t node);
bool names_has_children(const struct names *n, uint32_t node);
/* Is it inside the structure that the pointer it hangs on points to, by its type? Then it may be read whenever
 * that is. */
bool names_inside(const struct names *n, uint32_t node);
/* The first of the 8 bytes that counts, and how many from there on; of what is read, or written. */
unsigned names_first_byte(const struct names *n, uint32_t node);
unsigned names_bytes(const struct names *n, uint32_t node, bool written);
/* Appends an expression for the address of that many bytes. */
void names_address(const struct names *n, uint32_t node, unsigned bytes, struct buf *out);
const char *names_shown(const struct names *n, uint32_t node);

#endif
