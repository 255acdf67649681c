/* SPDX-License-Identifier: MIT */
/* A C source, raw or preprocessed, as far as contracts need it: its annotation comments, and the declarations of
 * functions at file scope, found by tokens and brackets. Line markers (# 12 "file.h") are followed, so that places are
 * those of the user's files. */
#ifndef CHECK_CSOURCE_H
#define CHECK_CSOURCE_H

#include "check/source/annot.h"

enum ctoken_kind { CTOK_NAME, CTOK_NUMBER, CTOK_STRING, CTOK_PUNCT };

struct ctoken {
	enum ctoken_kind kind;
	uint32_t len;
	size_t off;
};

struct csource {
	const char *text;
	size_t n;
	VEC(struct ctoken) toks;
	struct arena arena; /* file names, pieces of declarations */
};

/* Splits the text and hands every annotation comment to the set. text must stay. */
enum rc csource_read(struct csource *cs, const char *text, size_t n, const char *file, struct annot_set *set,
		     struct err *e);
void csource_release(struct csource *cs);
/* Does the name occur outside comments? */
bool csource_mentions(const struct csource *cs, const char *name);
bool csource_is(const struct csource *cs, size_t i, const char *s);
/* The token after the bracket that closes the one at i; toks.n when there is none. */
size_t csource_after_group(const struct csource *cs, size_t i);

struct cparam {
	const char *before, *after; /* the declaration around the parameter's name */
	const char *name;           /* "": it has none */
};

struct cfunction {
	const char *head; /* what stands before the name, without attributes: "static struct list *" */
	struct cparam *params;
	size_t n_params;
	bool is_void, variadic, is_static, is_extern_or_inline, is_weak;
	bool old_style;  /* defined without a prototype: int f(x) int x; { … } */
	bool defined;    /* has a body */
	size_t decl_off; /* where the declaration begins in the text */
	size_t name_off;
};

/* What a name is in the definition of a C type, if the text has it. */
enum cmember { MEMBER_UNKNOWN, MEMBER_NONE, MEMBER_PLAIN, MEMBER_BITS, MEMBER_FLEXIBLE };
enum cmember csource_member(const struct csource *cs, const char *ctype, const char *name);
/* Is the name a bit-field of some struct? */
bool csource_has_bits(const struct csource *cs, const char *name);

/* The function's definition, or if there is none its first prototype; false when there is neither. */
bool csource_function(struct csource *cs, const char *name, struct cfunction *out);

#endif
