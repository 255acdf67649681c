/* SPDX-License-Identifier: MIT */
/* Functions of an object file as DWARF describes them: where each argument is when the function is entered (registers
 * only: what is on the stack is seen as memory that is read) and where its result is.
 *
 * Entry locations come from the location lists when there are any, since clones (.isra, .constprop) drop and
 * move parameters; otherwise (-O0) from the x86-64 calling convention applied to the types. */
#ifndef PROFILE_SIGNATURE_H
#define PROFILE_SIGNATURE_H

#include "data/arena.h"
#include "data/err.h"
#include "data/vec.h"

#include <stdbool.h>

enum { SIGNATURE_SLOTS = 12, SIGNATURE_XMM0 = 17 };

struct signature_slot {
	uint8_t reg;  /* DWARF's number; xmm0 is 17 */
	uint8_t high; /* 8: upper half of a vector register */
	uint8_t size; /* 1 … 8 */
	bool pointer;
	bool object;      /* a pointer to a structure, by itself or inside a small one passed by value: not to text */
	const char *name; /* the parameter's, or "" */
};

struct signature {
	uint64_t entry;
	const char *name;
	const char *file; /* "" when not known */
	unsigned line;
	unsigned n_args, n_results;
	struct signature_slot arg[SIGNATURE_SLOTS], result[SIGNATURE_SLOTS];
	bool usable;    /* false: passes or returns what we cannot follow */
	bool hidden;    /* a clone: parameters have no place that is known, or are not passed at all */
	uint64_t bytes; /* of its code */
};

/* A function that has inlined copies in a function with code of its own. */
struct signature_inlined {
	const char *name, *file;
	unsigned line;
	uint64_t inside; /* entry of the function with code that holds the copy */
	uint64_t bytes;  /* of the copy's code */
};

struct signatures {
	struct arena arena;
	VEC(struct signature) fn; /* by entry */
	VEC(struct signature_inlined) inlined;
	bool debug_info;
};

/* RC_OK with debug_info false when the file has none. */
enum rc signatures_read(struct signatures *s, const char *path, struct err *e);
const struct signature *signatures_find(const struct signatures *s, uint64_t entry);
void signatures_release(struct signatures *s);

#endif
