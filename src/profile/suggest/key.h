/* SPDX-License-Identifier: MIT */
/* A function's key and value as C source: which expressions make up its input, which its output.
 *
 * Not all calls read the same places. A step of the key collects what all calls that come this far read; then
 * a value that was collected decides which step follows, or the step is a case of its own: calls that read and
 * write the same places. Values that were never seen lead to no case, and such calls are not cached. */
#ifndef PROFILE_KEY_H
#define PROFILE_KEY_H

#include "profile/profile.h"
#include "profile/debug/types.h"

enum key_kind {
	KEY_BYTES,   /* so many bytes at the address */
	KEY_TEXT,    /* a string, compared by its bytes */
	KEY_IS_NULL, /* whether a pointer is NULL */
	KEY_CONST,   /* bytes that never changed: no part of the key, but they must be as they were */
	KEY_SPAN,    /* as many bytes as another part says */
	KEY_SAME,    /* of a value: a pointer that the call was given, or found */
};

struct key_part {
	enum key_kind kind;
	char *address; /* C expression: the address of the bytes, or the pointer; owned */
	char *name;    /* for people; owned */
	char *source;  /* KEY_SAME: C expression of the pointer; else NULL; owned */
	unsigned bytes;
	uint64_t value; /* KEY_CONST */
	unsigned at;    /* in the key, or in the value */
	uint64_t cases; /* of a value: in which it is written, one bit each */
	bool varies;    /* it was not the same in all calls */
	bool is_result; /* of a value: in what is returned, not in memory */
	bool leads;     /* of a value: other places are reached through what is written there */
	/* KEY_SPAN: its number, and where in the key its length is; bytes is the most that has room, 0 where only the
	 * length is wanted */
	unsigned span, length_at, length_bytes, scale, extra, most;
};

struct key_branch {
	VEC(uint32_t) value; /* sorted; none: the pointer is not NULL */
	uint32_t step;
};

struct key_step {
	VEC(struct key_part) part;
	VEC(struct key_branch) branch; /* none: it is a case */
	unsigned test_at, test_bytes;  /* what decides: so many bytes of the key, at most 4 */
	uint32_t test_mask;            /* of them; 0: all */
	char *test_name;               /* for people; owned */
	unsigned number;               /* of the case, from 1; 0: such calls are not cached */
	char *why;                     /* they are not, or NULL; owned */
	VEC(uint32_t) result;          /* cached only when the result's first 4 bytes are one of these; none: always */
	uint64_t calls, cost;
};

enum { KEY_CASES = 63 };

/* What calls leave in errno. */
enum key_errno {
	KEY_ERRNO_NOTHING,
	KEY_ERRNO_ALWAYS,    /* the same for the same key */
	KEY_ERRNO_SOMETIMES, /* another value than zero, or nothing */
};

struct key {
	VEC(struct key_part) in;   /* all of it, for people */
	VEC(struct key_part) out;  /* the value, besides the result */
	VEC(struct key_step) step; /* the first one is where all calls begin */
	VEC(char *) apart;         /* pairs of pointers that were never the same: C expressions; owned */
	unsigned key_bytes, value_bytes, cases;
	unsigned nameless;     /* places that varied and have no name */
	unsigned spans;        /* numbers given to spans */
	unsigned result_bytes; /* of the result's first 4, for key_step.result */
	enum key_errno errno_kind;
	char *refusal; /* why no code can be written, or NULL; owned */
};

/* Reads the function's shape with the types of its object file. Never fails: a shape that cannot be put into C
 * fills refusal, and what could be named is there all the same. cheap: instructions below which a call is not
 * worth a look-up. */
void key_make(struct key *k, const struct profile_function *f, struct types_function *t, double cheap);
void key_release(struct key *k);
/* For people; the caller frees it. */
char *key_text(const struct key *k);

#endif
