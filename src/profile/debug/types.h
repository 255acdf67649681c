/* SPDX-License-Identifier: MIT */
/* Names and types of what functions touch, from DWARF: from "argument 0, then 8 bytes in" to "list->head". */
#ifndef PROFILE_TYPES_H
#define PROFILE_TYPES_H

#include "data/buf.h"
#include "data/err.h"

#include <elfutils/libdw.h>

enum { TYPES_PARAMETERS = 16 };

struct types {
	int fd;
	Dwarf *dw;
};

struct types_function {
	Dwarf_Die die, unit;
	unsigned n; /* parameters, those the program wrote and "this" */
	struct {
		const char *name; /* lives as long as struct types */
		Dwarf_Die type;
		bool artificial; /* "this" */
	} parameter[TYPES_PARAMETERS];
	bool variadic, returns; /* takes more arguments; returns something */
	bool returns_reference;
	bool cplusplus;
};

/* False when the file has no debug information; separate files are looked for as elfutils does. */
bool types_open(struct types *t, const char *path);
void types_close(struct types *t);
/* The function whose code begins at entry. */
bool types_function(struct types *t, uint64_t entry, struct types_function *out);
/* Is a variable of this name visible in the unit, outside functions? */
bool types_variable(struct types_function *f, const char *name, Dwarf_Die *type);
/* The unit's thread-local variable, outside functions, at this distance from the begin of the program's segment; at
 * becomes the distance from its own begin. NULL: none, or the unit is not the program's but a library's. */
const char *types_thread_variable(struct types_function *f, uint64_t *at, Dwarf_Die *type);
/* The type of a variable, member, element, result or of what a pointer leads to; false for void. */
bool types_of(Dwarf_Die *die, Dwarf_Die *out);
/* Through typedefs and qualifiers; false for void. */
bool types_peel(Dwarf_Die *d);
/* A pointer or reference, without typedefs and qualifiers around it. */
bool types_is_pointer(Dwarf_Die *d);
bool types_is_reference(Dwarf_Die *type); /* through typedefs and qualifiers */
/* What a pointer, array or reference leads to; false for void and for other types. */
bool types_target(Dwarf_Die *type, Dwarf_Die *out);
bool types_is_text(Dwarf_Die *pointer);       /* char *, signed or not */
bool types_is_plain_text(Dwarf_Die *pointer); /* char *, as string functions take it */
bool types_is_structure(Dwarf_Die *type);
/* A C++ object with a copy constructor or destructor of its own: its address is passed, whatever its size. */
bool types_by_reference(Dwarf_Die *type);
/* Appends ".member[3]" for the piece of type at offset; out is its type, rest the bytes that remain (0: exactly it). */
void types_member(Dwarf_Die *type, uint64_t offset, struct buf *suffix, Dwarf_Die *out, uint64_t *rest);
uint64_t types_size(Dwarf_Die *type);

#endif
