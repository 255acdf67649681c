/* SPDX-License-Identifier: MIT */
/* Contracts and regular types for C data, checked at run time (librefrain-rt).
 *
 * Most programs never include this header: `refrain-cc` adds everything itself. It is for explicit checks, for code
 * that cannot be recompiled (rf_touch), for custom allocators (rf_freed, rf_forget), and for the C that `refrain check
 * compile` writes (second half).
 *
 * Verdicts: a value belongs to a regular type when every node reachable through the fields the type names is readable,
 * not freed, satisfies the conditions of its own type, and is reached once (no sharing unless the type is `shared`,
 * never a cycle). Engine B, the default, takes the verdict from marks that stores invalidate; see docs/check.md. */
#ifndef REFRAIN_CHECK_H
#define REFRAIN_CHECK_H

#include "refrain/api.h"

#include <stddef.h>
#include <stdint.h>

struct rf_type;

/* 1 if p (may be NULL) belongs to the type, else 0. Never aborts, reports nothing. */
RF_API int rf_check(const void *p, const struct rf_type *type);
/* The same verdict from one full walk, no marks and no cache used or changed. */
RF_API int rf_check_full(const void *p, const struct rf_type *type);
/* Checks, and reports a violation as RF_CHECK says, with `where` ("file.c:12") as its place. Returns the verdict. */
RF_API int rf_assert(const void *p, const struct rf_type *type, const char *name, const char *where);

/* n bytes at p are about to be written by code that is not instrumented. */
RF_API void rf_touch(const void *p, size_t n);
/* The block was freed: nodes in it are forgotten, and pointers to it are dangling until rf_alloced. */
RF_API void rf_freed(const void *p, size_t n);
RF_API void rf_alloced(const void *p, size_t n);
/* The memory will be used for something else (an arena was reset): nodes in it are forgotten. */
RF_API void rf_forget(const void *p, size_t n);

struct rf_check_stats {
	uint64_t checks, violations;    /* literals evaluated; violations reported */
	uint64_t nodes;                 /* nodes whose own conditions were evaluated */
	uint64_t dirtied;               /* verified nodes that a store or free un-verified */
	uint64_t full_passes, restarts; /* walks of a whole structure; times all marks were dropped */
	uint64_t lookups, hits;         /* engine A's cache */
	uint64_t max_depth;             /* deepest node checked below a miss (engine A) */
	uint64_t shadow_bytes;          /* memory of marks, queue and cache */
};
RF_API void rf_check_get_stats(struct rf_check_stats *out);

/* Takes the words of the environment variable RF_CHECK: "warn,engine=a,policy=lru,size=256,depth=2". 0 on success; −1
 * if a word is unknown, and nothing changes. Drops all marks and cached verdicts. */
RF_API int rf_check_configure(const char *words);

/* ---- for generated code only ---- */

enum {
	RF_TYPE_NULL = 1,   /* NULL belongs to the type */
	RF_TYPE_SHARED = 2, /* nodes may be reached more than once */
	RF_TYPE_FULL = 4,   /* has a condition that may not be cached: always walked in full */
};

struct rf_edge {
	const void *node;
	uint32_t type;
};

struct rf_span {
	uint32_t offset, size; /* bytes of the node that its conditions read */
};

struct rf_ref {
	struct rf_type *type; /* an edge leads to it, or it lies in the node by value */
	uint32_t embedded;    /* how many of it lie in the node */
};

/* Called by a type's explain function, in the order of its scan function. */
struct rf_why {
	/* an edge: field is "->left", index < 0 or the place in an array */
	void (*edge)(struct rf_why *w, const char *field, long index, const void *node, uint32_t type);
	/* the condition that fails; value is text */
	void (*bad)(struct rf_why *w, const char *field, long index, const char *value, const char *expected);
};

struct rf_type {
	const char *name;   /* "list(int)" */
	const char *ctype;  /* "struct list" */
	const char *source; /* the definition: same name, C type and source in two files are one type */
	uint32_t size, align, flags, n_spans;
	uint32_t edges; /* most edges of a node, without those of types that lie in it by value */
	const struct rf_span *spans;
	/* Evaluates the node's own conditions and appends its edges to other nodes; NULL when a condition fails. */
	struct rf_edge *(*scan)(const void *node, struct rf_edge *out);
	void (*explain)(const void *node, struct rf_why *w);
	const struct rf_ref *refs; /* ended by a NULL type; may be NULL */
	uint32_t id;               /* given by rf_type_register */
};

RF_API void rf_type_register(struct rf_type *type);

/* One contract of a function. */
struct rf_condition {
	const char *function, *kind; /* "calls" or "success" */
	const char *text;            /* as written */
	const char *where;           /* file:line:col of the annotation */
};

extern RF_API int rf_check_on; /* 0 when RF_CHECK=off: wrappers only call the function */
RF_API int rf_literal(const void *p, const struct rf_type *type);
RF_API int rf_readable(const void *p, size_t n);
/* For explain functions: rf_why.bad with a number, or a pointer, as its value. */
RF_API void rf_why_int(struct rf_why *w, const char *field, long index, long long value, const char *expected);
RF_API void rf_why_ptr(struct rf_why *w, const char *field, long index, const void *value, const char *expected);
RF_API void rf_begin_failure(const struct rf_condition *c, const void *caller);
/* One false literal of the failing condition: text as written; type NULL for a comparison or predicate. */
RF_API void rf_failed_literal(const char *text, const char *term, const void *p, const struct rf_type *type);
RF_API void rf_failed_int(const char *text, const char *term, long long value);
RF_API void rf_end_failure(void);

/* Shadow memory, for the barrier only (runtime/check/shadow.h). */
struct shadow_leaf;
extern RF_API struct shadow_leaf *rf_shadow_dir[];
extern RF_API unsigned rf_shadow_planes;
extern RF_API int rf_shadow_used; /* 0: there is no leaf yet */
RF_API void rf_store_slow(uintptr_t address, size_t n);

#endif
