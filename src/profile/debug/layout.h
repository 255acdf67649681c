/* SPDX-License-Identifier: MIT */
/* Types as MemoizeIt flattens data (Definition 1 of the paper): what a type is made of, nested structures and arrays
 * taken
 * apart where they lie, so that what is left are values and references. The order of fields is that of their
 * declaration: two objects of one type are equal in that order if they are in the alphabetical one.
 *
 * C has no objects that know themselves. The type is the declared one; a reference leads to one object, or to as
 * many as
 * there are up to the end of its heap block; char * is a text; what has no type (void *) has an identity and no
 * fields. */
#ifndef PROFILE_LAYOUT_H
#define PROFILE_LAYOUT_H

#include "data/vec.h"
#include "profile/debug/signature.h"
#include "profile/debug/types.h"

enum layout_kind {
	LAYOUT_BYTES = 'b',   /* a value */
	LAYOUT_POINTER = 'p', /* a reference to objects of a type */
	LAYOUT_TEXT = 's',    /* a reference to a text */
	LAYOUT_OPAQUE = 'o',  /* a reference to something without fields */
	LAYOUT_MAYBE = 'u',   /* one or a value: in a union */
	LAYOUT_REST = 'f',    /* bytes up to the end of the heap block: an array without a length */
	LAYOUT_INLINE = 'v',  /* of a result: the register has the address of a structure returned by value */
	LAYOUT_NONE = 'n',    /* of an argument: where such a result goes, no input */
};

struct layout_leaf {
	enum layout_kind kind;
	uint64_t offset, size;
	uint32_t type; /* of POINTER and INLINE: from 1 */
};

struct layout_type {
	Dwarf_Die die; /* valid while its file is open */
	const void *file;
	uint64_t at; /* the type's place in the file */
	uint64_t size;
	VEC(struct layout_leaf) leaf;
};

struct layouts {
	VEC(struct layout_type) type; /* by number − 1 */
	size_t done;                  /* so many are taken apart */
};

/* What the slots of a signature carry. */
struct layout_signature {
	struct layout_leaf arg[SIGNATURE_SLOTS], result[SIGNATURE_SLOTS];
	bool whole; /* false: some parameter is not in a register, or not known */
};

/* Adds what the function takes and returns. */
void layouts_function(struct layouts *l, struct types *t, const struct signature *sig, struct layout_signature *out);
void layouts_release(struct layouts *l);

#endif
