/* SPDX-License-Identifier: MIT */
/* What the parts of the contract runtime share.
 *
 * One lock guards everything (taken only when the process has threads); rt_here.inside says that this thread is in
 * the runtime, so that a signal handler or a user's predicate that stores or checks does not enter it again. Memory
 * comes from mmap, never from the program's allocator. When there is none, the runtime reports it once and switches
 * itself off. */
#ifndef RT_CHECK_RT_H
#define RT_CHECK_RT_H

#include "shadow.h"
#include "refrain/check.h"

#include <stdarg.h>

/* One thread only, as far as the C library knows; where it does not tell, the lock is always taken. */
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#define RT_ALONE __libc_single_threaded
#else
#define RT_ALONE 0
#endif

/* no call per access, also when the runtime is a shared library */
#define RT_TLS __attribute__((tls_model("initial-exec")))

/* Reads without the lock what others write with it: bytes of the program's own nodes, whose neighbours may change. */
#ifdef __clang__
#define RT_UNLOCKED __attribute__((no_sanitize("thread")))
#else
#define RT_UNLOCKED __attribute__((no_sanitize_thread))
#endif

/* Flags that are set without the lock. */
#define RT_GET(flag) __atomic_load_n(&(flag), __ATOMIC_RELAXED)
#define RT_SET(flag, to) __atomic_store_n(&(flag), (to), __ATOMIC_RELAXED)

/* ---- growing arrays on mmap */

struct rt_vec {
	char *at;
	size_t n, cap; /* elements; cap in elements */
};
/* Makes room for `more` elements of `size` bytes; false: out of memory. */
bool rt_vec_grow(struct rt_vec *v, size_t more, size_t size);
static inline bool rt_vec_reserve(struct rt_vec *v, size_t more, size_t size)
{
	return LIKELY(v->n + more <= v->cap) || rt_vec_grow(v, more, size);
}
void rt_vec_release(struct rt_vec *v, size_t size);
void *rt_map(size_t bytes);      /* zeroed; NULL: out of memory */
extern uint64_t rt_mapped_bytes; /* held by arrays and tables */

#define VEC_AT(v, T, i) (((T *)(void *)(v).at)[i])

/* ---- types */

struct rt_type {
	struct rf_edge *(*scan)(const void *node, struct rf_edge *out); /* the descriptor's */
	uint64_t watch_mask[2];  /* a byte for each of its first 16 granules: 1 if it is watched */
	uint64_t cell_image[4];  /* its first 16 cells, without that of the start */
	uint64_t number_mask[2]; /* as watch_mask, for those where no edge lies */
	uint8_t words;           /* how many of cell_image have all of it; 0: it is larger */
	bool full;               /* never marked: a condition that may not be cached, or sharing with recursion */
	bool watch_start;        /* the first granule has bytes that conditions read */
	bool shared;
	bool measured;    /* it, or something it leads to, has relations or measures (measure.c) */
	bool general;     /* scan leaves the vector registers alone */
	bool alone;       /* no other type is in its plane */
	uint16_t numbers; /* of its first 16 granules: a bit where no edge lies */
	uint16_t plane;
	uint32_t size, align;
	uint32_t max_edges; /* with those of types that lie in it */
	uint16_t n_granules;
	uint16_t *granule; /* distances of the watched granules, without 0 */
	struct rf_type *desc;
} __attribute__((aligned(128))); /* so that an index is a shift */
extern uint32_t rt_most_edges;   /* of a type that is marked */

extern struct rt_type rt_types[MAX_TYPES + 1]; /* 1 … rt_n_types */
extern unsigned rt_n_types;
void rt_types_seal(void); /* after registrations: gives planes, finds the types that are never marked */
extern bool rt_types_changed;
/* Moves the type to a plane of its own; false: none is left. Marks must have been dropped before. */
bool rt_type_replane(unsigned id);
static inline const struct rf_type *rt_desc(unsigned id)
{
	return rt_types[id].desc;
}

/* ---- shadow */

extern struct shadow_leaf *rt_leaves;
struct shadow_leaf *rt_leaf_make(uintptr_t a);             /* NULL: out of memory */
bool rt_graph_make(struct shadow_leaf *l, unsigned plane); /* its counts and ranks; false: out of memory */
bool rt_probe(uintptr_t a, size_t n);                      /* readable? pages that are get remembered */
void rt_forget_pages(uintptr_t a, size_t n);
void rt_check_brk(void); /* the heap's end may have moved back */
void rt_clear_cells(void);
bool rt_watch_start(void); /* maps the watch map; false: no address space */
extern uint64_t rt_marked_pages;
/* Trust (trust.c). Stores to unstable memory may be invisible to the barrier. With refrain-cc's allocator all memory is
 * unstable but blocks of malloc and private mappings of the program; without it, named variables are. */
extern bool rt_positive;
bool rt_unstable_slow(uintptr_t a);
/* An interval known to be stable where it is not from malloc. */
extern __thread struct rt_stable {
	uintptr_t from, to;
	unsigned version; /* of what is known of mappings */
} rt_stable RT_TLS;
extern unsigned rt_images_version;
static inline bool rt_live(uintptr_t a)
{
	struct shadow_leaf *l = shadow_leaf(a);
	size_t i = shadow_index(a);
	return l && (__atomic_load_n(&l->bits[i >> 6].live, __ATOMIC_RELAXED) >> (i & 63) & 1);
}

static inline bool rt_unstable(uintptr_t a)
{
	if (LIKELY(rt_positive) && LIKELY(rt_live(a)))
		return false;
	bool known = a - rt_stable.from < rt_stable.to - rt_stable.from && rt_stable.version == rt_images_version;
	return UNLIKELY(!known) && rt_unstable_slow(a);
}
void rt_ranges_refresh(void);
void rt_stack_found(uintptr_t sp); /* the current stack is not to be trusted, wherever it is */
bool rt_same_stack(uintptr_t a, uintptr_t b);
extern unsigned rt_n_kept;
bool rt_is_kept(uintptr_t a, size_t n); /* by somebody who may write to it at any time, whoever has it now */

static inline bool rt_freed(uintptr_t a)
{
	struct shadow_leaf *l = shadow_leaf(a);
	size_t i = shadow_index(a);
	return l && (__atomic_load_n(&l->bits[i >> 6].freed, __ATOMIC_RELAXED) >> (i & 63) & 1);
}

static inline bool rt_known_readable(uintptr_t a, size_t n)
{
	struct shadow_leaf *l = shadow_leaf(a);
	size_t page = (a >> PAGE_BITS) & (LEAF_PAGES - 1);
	return a >> ADDRESS_BITS == 0 && l && (a & ((1u << PAGE_BITS) - 1)) + n <= (1u << PAGE_BITS) &&
	       (l->readable[page >> 3] >> (page & 7) & 1);
}

static inline bool rt_readable(uintptr_t a, size_t n)
{
	return LIKELY(rt_known_readable(a, n)) || rt_probe(a, n);
}

/* ---- faults that are found before a node is read */

enum rt_fault {
	FAULT_NONE,
	FAULT_LOCAL,
	FAULT_WILD,
	FAULT_MISALIGNED,
	FAULT_FREED,
	FAULT_SHARED,
	FAULT_CYCLE,
	FAULT_RELATION
};

static inline enum rt_fault rt_node_fault(const void *node, const struct rt_type *t)
{
	uintptr_t a = (uintptr_t)node;
	if (a & (t->align - 1))
		return FAULT_MISALIGNED;
	if (!rt_readable(a, t->size))
		return FAULT_WILD;
	return rt_freed(a) ? FAULT_FREED : FAULT_NONE;
}

/* ---- the full walk (full.c) */

/* 1, 0, or −1: out of memory. tree: nodes of types that are not `shared` may be reached once only. */
int rt_full(const void *p, unsigned type, bool tree);
/* Writes the path to the fault and what is wrong ("t->left->color = 7, expected 0 or 1") and returns true; false if
 * there is no fault. */
bool rt_full_explain(const void *p, unsigned type, bool tree, const char *term, char *out, size_t size);
/* The last node of that path. */
extern uintptr_t rt_full_fault_node;

/* Lengths of rings are taken from the first look on, until rt_rings_forget (blocks.c). */
void rt_rings_keep(void);
void rt_rings_forget(void);

/* ---- engines: 1, 0, −1 */

int rt_marks_check(const void *p, unsigned type);
void rt_marks_forget(uintptr_t a, size_t n);
void rt_marks_drop(void);
extern bool rt_marks_suspect; /* something was written while we could not look */

int rt_cache_check(const void *p, unsigned type);
void rt_cache_forget(uintptr_t a, size_t n);
void rt_cache_drop(void);
void rt_cache_walk(void); /* traps unless engine A's cache is as cache.c says */

/* ---- configuration (config.c) */

enum rt_mode { MODE_ABORT, MODE_WARN, MODE_COUNT, MODE_OFF };
enum rt_engine { ENGINE_MARKS, ENGINE_CACHE, ENGINE_NONE };

struct rt_config {
	enum rt_mode mode;
	enum rt_engine engine;
	const struct policy *policy;
	uint32_t size, depth; /* engine A; depth 0: unlimited */
	uint64_t paranoid;    /* every how many checks the verdict is compared with a full walk; 0: never */
	uint64_t sample;      /* every how many calls are checked; 0: each */
	bool stats;
	char json[256], keys[256], violations[256];
};
extern struct rt_config rt_config;
extern uint64_t rt_skipped; /* calls that were not checked because of `sample` */
void rt_start(void);        /* reads RF_CHECK once */

/* ---- reports (report.c) */

extern struct rf_check_stats rt_stats;
void rt_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void rt_exit_report(void);
void rt_key(const void *p, unsigned type);
void rt_stale(const void *p, unsigned type);
/* "function+0x1f" for address a in the object that was loaded at base; false: not known (symbols.c). */
bool rt_symbol(const char *object, uintptr_t a, uintptr_t base, char *out, size_t size);

/* ---- locking (api.c) */

enum { MAX_OUTSIDE = 32 };
extern __thread struct rt_here {
	bool inside, locked;
	uint16_t n_outside; /* calls of this thread to code that is not instrumented, which have not returned */
	unsigned thread;
	uintptr_t outside[MAX_OUTSIDE]; /* the stack pointers of those that call, the innermost last */
} rt_here RT_TLS;
void rt_lock(void);
void rt_unlock(void);
unsigned rt_thread_new(void);

static inline bool rt_enter(void) /* false: this thread is inside already */
{
	if (UNLIKELY(rt_here.inside))
		return false;
	rt_here.inside = true;
	__asm__ volatile("" ::: "memory"); /* before anything a signal handler could meet half done */
	if (UNLIKELY(!RT_ALONE))
		rt_lock();
	return true;
}

static inline void rt_leave(void)
{
	if (UNLIKELY(rt_here.locked))
		rt_unlock();
	__asm__ volatile("" ::: "memory");
	rt_here.inside = false;
}

static inline unsigned rt_thread(void) /* a small number for this thread */
{
	return LIKELY(rt_here.thread) ? rt_here.thread : rt_thread_new();
}
void rt_out_of_memory(void);

/* ---- calls to code that is not instrumented (outside.c) */

/* Everything may have been written to, and pages may have gone. */
void rt_everything(void);
extern bool rt_pages_suspect;
extern int rt_aliens; /* so many calls of all threads are in code that is not instrumented and not in calls.h */
extern uint64_t rt_outside_calls;
extern bool rt_full_only; /* memory can be written to in ways nobody sees: each check is a full walk */
/* Forgets calls that are over (a longjmp left them); true if one is not: its code may write at any time. */
bool rt_outside(uintptr_t sp);
/* Calls f(a, b) with all vector registers kept. */
void rt_saving(void (*f)(uintptr_t, uintptr_t), uintptr_t a, uintptr_t b);
/* Is the function instrumented, or one that writes to nothing? called: it is about to be, with arguments that nobody
 * knows; if it keeps them, each check is a full walk from now on. */
bool rt_is_harmless(uintptr_t function, bool called);
void rt_forget_harmless(void);
/* Switches the barrier's tests on or off, as types and settings say (sites.c). */
void rt_sites_update(void);
/* A file was opened that may be the program's memory: is one, now? (kernel_files.c) */
extern bool rt_files_suspect;
void rt_file_opened(void);
bool rt_memory_is_open(void);
/* Shared with this process's children: whose memory others have written to, or may at any time (-1: anyone's). */
extern struct rt_family {
	uint32_t n;
	int32_t to[1000]; /* more: anyone's */
} * rt_family;
extern uint32_t rt_family_seen;
void rt_family_start(void);
void rt_family_writes(int32_t pid); /* 0: who knows whose */
bool rt_family_look(void);          /* is there something new, and about this process? */
/* Marks memory as malloc's or not (−1: as before), and as freed or not; no lock is needed. */
void rt_set_live(uintptr_t a, size_t n, int live, bool freed);

#endif
