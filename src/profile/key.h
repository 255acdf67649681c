/* SPDX-License-Identifier: MIT */
/* A function's key and value as C source: which expressions make up its input, which its output. */
#ifndef PROFILE_KEY_H
#define PROFILE_KEY_H

#include "profile/profile.h"
#include "profile/types.h"

enum key_kind {
	KEY_BYTES,   /* so many bytes at the address */
	KEY_TEXT,    /* a string, compared by its bytes */
	KEY_IS_NULL, /* whether a pointer is NULL */
};

struct key_part {
	enum key_kind kind;
	char *address; /* C expression: the address of the bytes, or the pointer; owned */
	char *name;    /* for people; owned */
	char *guard;   /* C condition under which it may be read, or NULL; owned */
	unsigned bytes;
	bool varies; /* it was not the same in all calls */
};

struct key {
	VEC(struct key_part) in, out;
	char *refusal; /* why no code can be written, or NULL; owned */
};

/* Reads the function's shape with the types of its object file. Never fails: a shape that cannot be put into C fills
 * refusal, and what could be named is there all the same. */
void key_make(struct key *k, const struct profile_function *f, struct types_function *t);
void key_release(struct key *k);
/* For people; the caller frees it. */
char *key_text(const struct key *k);

#endif
