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

#ifdef __cplusplus
extern "C" {
#endif

#pragma pack(push, 16) /* whatever the program packs its own structs to */

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
	uint64_t outside;               /* calls to code that is not instrumented and not known to leave nodes alone */
};
RF_API void rf_check_get_stats(struct rf_check_stats *out);

/* Takes the words of the environment variable RF_CHECK: "warn,engine=a,policy=lru,size=256,depth=2". 0 on success; −1
 * if a word is unknown, and nothing changes. Drops all marks and cached verdicts. */
RF_API int rf_check_configure(const char *words);

/* ---- for generated code only ---- */

enum {
	RF_TYPE_NULL = 1,     /* NULL belongs to the type */
	RF_TYPE_SHARED = 2,   /* nodes may be reached more than once */
	RF_TYPE_FULL = 4,     /* has a condition that may not be cached: always walked in full */
	RF_TYPE_RING = 8,     /* leads back to the node where it was entered */
	RF_TYPE_TRACKED = 16, /* the node above reads its fields */
	RF_TYPE_GENERAL = 32, /* its scan function uses general registers only */
};

/* Numbers in relations and measures: wide enough for every integer of C. */
__extension__ typedef __int128 rf_number;
/* For which node an `after` function runs. */
struct rf_below {
	uintptr_t node;
	uint32_t type;
	uint32_t full; /* in a full walk: nothing is remembered */
	uint32_t n;    /* the first of the nodes below it, so that they need not be looked up */
	struct rf_below_kid {
		const void *node;
		const rf_number *measures;
		uint32_t type;
	} kid[6];
};

struct rf_edge {
	const void *node;
	uint32_t type;
};

struct rf_span {
	uint32_t offset, size; /* bytes of the node that its conditions read */
	uint32_t number;       /* 1: there is no edge in them, though its edges may depend on them */
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
	/* how many edges a node has beyond `edges`, at most; NULL: none */
	unsigned long (*count)(const void *node);
	/* After the nodes below were found good: relations to them, and the node's measures into out. 0: one fails, and
	 * why (NULL: not asked for). NULL: there are none. */
	int (*after)(const void *node, struct rf_below *below, rf_number *out, struct rf_why *why);
	uint32_t n_measures;
	/* What the names in the definition stand for (constants, functions): types of the same text may differ
	 * in them. */
	uint32_t n_constants;
	const uint64_t *constants;
};

RF_API void rf_type_register(struct rf_type *type);

/* One contract of a function. */
struct rf_condition {
	const char *function, *kind; /* "calls" or "success" */
	const char *text;            /* as written */
	const char *where;           /* file:line:col of the annotation */
};

extern RF_API int rf_check_on; /* 1: check every call; else rf_check_skip says what to do */
/* Is this call not to be checked (RF_CHECK=off, or sample=N and not its turn)? */
RF_API int rf_check_skip(void);
RF_API int rf_literal(const void *p, const struct rf_type *type);
RF_API int rf_readable(const void *p, size_t n);
/* n bytes at p are readable and not freed. */
RF_API int rf_memory(const void *p, size_t n);
/* The length of the string at p, which must end within max bytes of readable memory; −1: it does not. */
RF_API long rf_string(const void *p, size_t max);
/* How many links the ring at head has besides head; −1: it does not lead back. next: offset of the pointer. */
RF_API long rf_ring(const void *head, size_t next);
/* The measures of a node below; NULL: it is not one. */
RF_API const rf_number *rf_below_other(struct rf_below *below, const void *node, uint32_t type);
static inline const rf_number *rf_below(struct rf_below *below, const void *node, uint32_t type)
{
	for (uint32_t i = 0; i < 2 && i < below->n; i++)
		if (below->kid[i].node == node && below->kid[i].type == type)
			return below->kid[i].measures;
	return rf_below_other(below, node, type);
}
/* One measure of a value; *bad is set if it does not belong to the type. */
RF_API rf_number rf_measure(const void *p, const struct rf_type *type, uint32_t index, int *bad);
/* Infinity is 2^100: a measure that grows beyond it stays there. */
static inline rf_number rf_clamp(rf_number v)
{
	rf_number inf = (rf_number)1 << 100;
	return v > inf ? inf : v < -inf ? -inf : v;
}
static inline rf_number rf_multiply(rf_number a, rf_number b)
{
	rf_number v;
	if (!__builtin_mul_overflow(a, b, &v))
		return rf_clamp(v);
	return (a < 0) == (b < 0) ? (rf_number)1 << 100 : -((rf_number)1 << 100);
}
/* For explain functions: rf_why.bad with a number, or a pointer, as its value. */
RF_API void rf_why_int(struct rf_why *w, const char *field, long index, long long value, const char *expected);
RF_API void rf_why_ptr(struct rf_why *w, const char *field, long index, const void *value, const char *expected);
RF_API void rf_why_double(struct rf_why *w, const char *field, long index, long double value, const char *expected);
/* A relation that does not hold: its text, and if op is given the values on both sides. */
RF_API void rf_why_relation(struct rf_why *w, const char *text, long double left, long double right, const char *op);
RF_API void rf_begin_failure(const struct rf_condition *c, const void *caller);
/* One false literal of the failing condition: text as written; type NULL for a comparison or predicate. */
RF_API void rf_failed_literal(const char *text, const char *term, const void *p, const struct rf_type *type);
RF_API void rf_failed_int(const char *text, const char *term, long long value);
/* A comparison; right NULL: the right side is a constant. */
RF_API void rf_failed_compare(const char *text, const char *left, long double l, const char *right, long double r);
/* Called once for each violation, after it was reported: the place for a breakpoint. */
RF_API void rf_violation(void);
RF_API void rf_end_failure(void);

/* ---- for instrumented code only (refrain-cc): runtime/plugin has what calls these ---- */

struct shadow_leaf;
extern RF_API struct shadow_leaf *rf_shadow_dir[];
extern RF_API unsigned rf_shadow_planes;
extern RF_API int rf_shadow_used; /* 0: no type is registered, and blocks need not be told */
extern RF_API int rf_outsiders;   /* calls to code that is not instrumented, under way in all threads */
RF_API void rf_barrier_start(void);
RF_API void rf_barrier_started(void); /* all constructors have run */
RF_API void rf_mixed(void);           /* code without the barrier calls code with it */
/* From stubs, with the stack pointer of the function that calls. */
RF_API void rf_store_slow(uintptr_t address, size_t n);
RF_API void rf_out(uintptr_t sp);
RF_API void rf_callback(uintptr_t sp);
RF_API void rf_back(uintptr_t sp);
RF_API void rf_indirect(uintptr_t sp, uintptr_t function);
/* Before the program's own assembler, and behind it: its operands may be in any register. */
RF_API void rf_asm_block(const void *p);
RF_API void rf_asm_syscall(uintptr_t number);
RF_API void rf_asm_anything(void);
RF_API void rf_asm_wrote(void);
/* The image's functions that are instrumented; here 0: it goes away. */
RF_API void rf_instrumented(const void *from, const void *to, int here);
/* The image's tests before stores. */
RF_API void rf_sites(const void *from, const void *to, int here);
/* Before a call: these bytes are written to, the second time unless they are equal; the block that p points into is; so
 * is the block that *p points into; … */
RF_API void rf_range(const void *p, size_t n);
RF_API void rf_copy(const void *to, const void *from, size_t n);
RF_API void rf_block(const void *p);
RF_API void rf_unbounded(const void *p);
RF_API void rf_unbounded_end(void);
RF_API void rf_deep(const void *p);
RF_API void rf_iovec(const void *p, size_t n);
RF_API void rf_message(const void *p);
RF_API void rf_format(const void *format);
RF_API void rf_everything(void);
/* The block may be written to at any time from now on. */
RF_API void rf_kept(const void *p);
RF_API void rf_buffer(const void *p);
RF_API void rf_aio(const void *p);
RF_API void rf_stack(const void *p);
RF_API void rf_context(const void *p);
RF_API void rf_path(const void *path);
RF_API void rf_path_at(const void *path);
RF_API void rf_process(const void *pid);
RF_API void rf_options(const void *options);
RF_API void rf_wrote(const void *p);
RF_API void rf_wrote_any(void);
RF_API void rf_wrote_lock(const void *p);
RF_API void rf_called(const void *function);
RF_API void rf_caught(void);
RF_API void rf_glob(const void *flags);
RF_API void rf_handler(const void *function);
RF_API void rf_action(const void *sigaction);
RF_API void rf_event(const void *sigevent);
RF_API void rf_stream(const void *ostream);
RF_API void rf_syscall(const void *number);
/* From malloc and mmap (barrier_malloc.c, barrier_maps.c). */
RF_API void rf_given(const void *p, size_t n);
RF_API void rf_given_back(const void *p, size_t n);
RF_API void rf_mapped(const void *p, size_t n, int trusted);
RF_API void rf_unreadable(const void *p, size_t n);
/* A signal handler runs, until rf_resumed is given what rf_interrupted returned (barrier/signals.c). */
RF_API unsigned rf_interrupted(uintptr_t sp);
RF_API void rf_resumed(unsigned before);
/* From the functions that open files and those that note what is called at the end (barrier/files.c, exits.c). */
RF_API void rf_opened(int fd);
RF_API int rf_is_foreign(const void *function);

#pragma pack(pop)

#ifdef __cplusplus
}
#endif
#endif
