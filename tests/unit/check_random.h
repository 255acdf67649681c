/* SPDX-License-Identifier: MIT */
/* Random operations on a small heap of nodes, with engine B's verdict compared after each against a checker that
 * knows nothing of the runtime (plain recursion over the pool). Used by the unit test (short) and bench/check (long).
 *
 * Five types: tree, list, num and pair on one C type (so two types on one address), `wide` whose nodes overlap their
 * neighbours, and a `shared` leaf. Operations: links, rotations, moves of subtrees between places, unlinking with and
 * without free, re-use of freed memory, garbage written into freed memory, struct copies, bad tags and values, wild and
 * misaligned pointers, nodes in static memory and on the stack that are written without the barrier. */
#ifndef TESTS_CHECK_RANDOM_H
#define TESTS_CHECK_RANDOM_H

#include "base/bits.h"
#include "refrain/check.h"
#include "../../runtime/check/inside/watch.h"
#ifdef RF_INVARIANTS
#include "runtime/check/marks/marks.h"
#endif

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

struct sym {
	int64_t ok;
};
struct gnode {
	struct gnode *a, *b;
	int tag, val;
	struct sym *s;
	struct gnode *c;
	void *unwatched;
};
struct wide {
	struct gnode *prev_c; /* lies on the c of the node before */
	void *gap;
	struct gnode in;
};

enum { POOL = 40, STATICS = 3, STACKED = 3, SYMS = 3, NODES = POOL + STATICS + STACKED };
enum { T_TREE, T_LIST, T_NUM, T_PAIR, T_ALIAS, T_WIDE, T_SYM, N_T };

struct world {
	struct rng rng;
	struct gnode *pool; /* in mapped memory, with room before it */
	struct sym *syms;
	struct gnode *stacked;
	char *unmapped;
	bool freed[POOL];
	bool wrong;
	struct gnode *next_look; /* to be checked next */
	uint64_t good, bad;
};

extern struct rf_type rnd_types[N_T];

/* An edge to a node that must be there. */
#define EDGE(ptr, ty)                                                                                                  \
	do {                                                                                                           \
		if (!(ptr))                                                                                            \
			return NULL;                                                                                   \
		out->node = (ptr);                                                                                     \
		out->type = rnd_types[ty].id;                                                                          \
		out++;                                                                                                 \
	} while (0)
/* One to a node that may be there. */
#define EDGE_IF(ptr, ty)                                                                                               \
	do {                                                                                                           \
		if (ptr)                                                                                               \
			EDGE(ptr, ty);                                                                                 \
	} while (0)

static struct rf_edge *scan_tree(const void *p, struct rf_edge *out)
{
	const struct gnode *x = p;
	switch (x->tag) {
	case 0:
		return out;
	case 1:
		EDGE_IF(x->a, T_TREE);
		EDGE_IF(x->b, T_TREE);
		return out;
	case 2:
		EDGE_IF(x->a, T_TREE);
		EDGE_IF(x->c, T_LIST);
		return out;
	case 3:
		EDGE(x->s, T_SYM);
		EDGE_IF(x->b, T_TREE);
		return out;
	}
	return NULL;
}

static struct rf_edge *scan_list(const void *p, struct rf_edge *out)
{
	const struct gnode *x = p;
	if (x->val < 0 || x->val > 9)
		return NULL;
	EDGE_IF(x->c, T_LIST);
	return out;
}

static struct rf_edge *scan_num(const void *p, struct rf_edge *out)
{
	const struct gnode *x = p;
	return x->tag == 0 ? out : NULL;
}

static struct rf_edge *scan_pair(const void *p, struct rf_edge *out)
{
	const struct gnode *x = p;
	EDGE(x->b, T_NUM);
	EDGE_IF(x->a, T_TREE);
	return out;
}

static struct rf_edge *scan_alias(const void *p, struct rf_edge *out)
{
	const struct gnode *x = p;
	if (x->val > 8)
		return NULL;
	EDGE_IF(x->b, T_ALIAS);
	EDGE_IF(x->c, T_LIST);
	return out;
}

static struct rf_edge *scan_wide(const void *p, struct rf_edge *out)
{
	const struct wide *x = p;
	EDGE_IF(x->prev_c, T_LIST);
	EDGE_IF(x->in.a, T_TREE);
	return out;
}

static struct rf_edge *scan_sym(const void *p, struct rf_edge *out)
{
	const struct sym *x = p;
	return x->ok == 1 ? out : NULL;
}

static void explain_nothing(const void *p, struct rf_why *w)
{
	(void)p;
	(void)w;
}

#define SPAN(T, f)                                                                                                     \
	{                                                                                                              \
		offsetof(T, f), sizeof(((T *)0)->f), __builtin_classify_type(((T *)0)->f) == 1                         \
	}
static const struct rf_span tree_spans[] = {SPAN(struct gnode, a), SPAN(struct gnode, b), SPAN(struct gnode, tag),
					    SPAN(struct gnode, c), SPAN(struct gnode, s)};
static const struct rf_span list_spans[] = {SPAN(struct gnode, val), SPAN(struct gnode, c)};
static const struct rf_span num_spans[] = {SPAN(struct gnode, tag)};
static const struct rf_span pair_spans[] = {SPAN(struct gnode, a), SPAN(struct gnode, b)};
static const struct rf_span alias_spans[] = {SPAN(struct gnode, val), SPAN(struct gnode, b), SPAN(struct gnode, c)};
static const struct rf_span wide_spans[] = {SPAN(struct wide, prev_c), SPAN(struct wide, in.a)};
static const struct rf_span sym_spans[] = {SPAN(struct sym, ok)};
static const struct rf_ref tree_refs[] = {
	{&rnd_types[T_TREE], 0}, {&rnd_types[T_LIST], 0}, {&rnd_types[T_SYM], 0}, {NULL, 0}};
static const struct rf_ref list_refs[] = {{&rnd_types[T_LIST], 0}, {NULL, 0}};
static const struct rf_ref pair_refs[] = {{&rnd_types[T_NUM], 0}, {&rnd_types[T_TREE], 0}, {NULL, 0}};
static const struct rf_ref alias_refs[] = {{&rnd_types[T_ALIAS], 0}, {&rnd_types[T_LIST], 0}, {NULL, 0}};
static const struct rf_ref wide_refs[] = {{&rnd_types[T_LIST], 0}, {&rnd_types[T_TREE], 0}, {NULL, 0}};

/* a second C type on the same addresses: it starts in the same plane as tree */
struct galias {
	struct gnode g;
};

#define ROW(n, C, fl, r)                                                                                               \
	{                                                                                                              \
		.name = #n, .ctype = #C, .source = #n, .size = sizeof(struct C), .align = _Alignof(struct C),          \
		.edges = 2, .flags = fl, .n_spans = ARRAY_LEN(n##_spans), .spans = n##_spans, .scan = scan_##n,        \
		.explain = explain_nothing, .refs = r                                                                  \
	}
struct rf_type rnd_types[N_T] = {
	[T_TREE] = ROW(tree, gnode, RF_TYPE_NULL | RF_TYPE_GENERAL, tree_refs),
	[T_LIST] = ROW(list, gnode, RF_TYPE_NULL | RF_TYPE_GENERAL, list_refs),
	[T_NUM] = ROW(num, gnode, 0, NULL),
	[T_ALIAS] = ROW(alias, galias, RF_TYPE_NULL, alias_refs),
	[T_PAIR] = ROW(pair, gnode, RF_TYPE_NULL, pair_refs),
	[T_WIDE] = ROW(wide, wide, RF_TYPE_NULL, wide_refs),
	[T_SYM] = ROW(sym, sym, RF_TYPE_SHARED | RF_TYPE_GENERAL, NULL),
};

/* ---- the checker that is always right */

static struct gnode statics[STATICS];
static bool random_trusts; /* see random_trust_blocks */

struct ref {
	struct world *w;
	uint8_t seen[NODES][N_T]; /* 1 on the path, 2 done */
};

static struct gnode *node_at(struct world *w, unsigned i)
{
	return i < POOL ? &w->pool[i] : i < POOL + STATICS ? &statics[i - POOL] : &w->stacked[i - POOL - STATICS];
}

/* −1: no node of ours */
static int node_index(struct world *w, const struct gnode *p)
{
	for (int i = 0; i < NODES; i++)
		if (node_at(w, (unsigned)i) == p)
			return i;
	return -1;
}

static bool ref_node(struct ref *r, const void *p, int type);

static bool ref_edges(struct ref *r, const void *p, int type)
{
	const struct gnode *x = p;
	const struct wide *wd = p;
	switch (type) {
	case T_TREE:
		if (x->tag == 0)
			return true;
		if (x->tag == 1)
			return ref_node(r, x->a, T_TREE) && ref_node(r, x->b, T_TREE);
		if (x->tag == 2)
			return ref_node(r, x->a, T_TREE) && ref_node(r, x->c, T_LIST);
		if (x->tag != 3 || !x->s || (char *)x->s == r->w->unmapped || x->s->ok != 1)
			return false;
		return ref_node(r, x->b, T_TREE);
	case T_LIST:
		return x->val >= 0 && x->val <= 9 && ref_node(r, x->c, T_LIST);
	case T_NUM:
		return x->tag == 0;
	case T_ALIAS:
		return x->val <= 8 && ref_node(r, x->b, T_ALIAS) && ref_node(r, x->c, T_LIST);
	case T_PAIR:
		return x->b && ref_node(r, x->b, T_NUM) && ref_node(r, x->a, T_TREE);
	default:
		return ref_node(r, wd->prev_c, T_LIST) && ref_node(r, wd->in.a, T_TREE);
	}
}

static bool ref_node(struct ref *r, const void *p, int type)
{
	if (!p)
		return type != T_NUM;
	const struct gnode *x =
		type == T_WIDE ? (const struct gnode *)(const void *)((const char *)p + offsetof(struct wide, in)) : p;
	int i = node_index(r->w, x);
	if (i < 0 || (i < POOL && type != T_WIDE && r->w->freed[i]))
		return false;
	/* a wide node starts inside the node before it */
	if (type == T_WIDE && i > 0 && r->w->freed[i - 1])
		return false;
	if (r->seen[i][type])
		return false;
	r->seen[i][type] = 1;
	return ref_edges(r, p, type);
}

static bool ref_check(struct world *w, const void *p, int type)
{
	static struct ref r;
	memset(&r, 0, sizeof r);
	r.w = w;
	return ref_node(&r, p, type);
}

static bool compare(struct world *w, const void *p, int type);

/* ---- operations */

static unsigned rnd(struct world *w, unsigned n)
{
	return (unsigned)rng_below(&w->rng, n);
}

static bool watched(struct world *w, const void *p)
{
	return (const char *)p >= (const char *)w->pool && (const char *)p < (const char *)(w->pool + POOL);
}

/* A store as instrumented code does it: the watch map is tested, and the old value compared, as the plugins do. Named
 * variables are sometimes instrumented. */
static void barrier(struct world *w, const void *at, const void *v, size_t n)
{
	if ((watched(w, at) || rnd(w, 2)) && watch_any((uintptr_t)at, n) && memcmp(at, v, n) != 0)
		rf_touch(at, n);
}

static void store_ptr(struct world *w, struct gnode **at, struct gnode *v)
{
	barrier(w, at, &v, sizeof v);
	*at = v;
}

static void store_int(struct world *w, int *at, int v)
{
	barrier(w, at, &v, sizeof v);
	*at = v;
}

static struct gnode *any_live(struct world *w)
{
	for (;;) {
		unsigned i = rnd(w, 4) ? rnd(w, POOL) : rnd(w, NODES);
		if (i >= POOL || !w->freed[i])
			return node_at(w, i);
	}
}

static bool has_parent(struct world *w, const struct gnode *x)
{
	for (unsigned i = 0; i < NODES; i++) {
		const struct gnode *p = node_at(w, i);
		if ((i >= POOL || !w->freed[i]) && (p->a == x || p->b == x || p->c == x))
			return true;
	}
	return false;
}

static struct gnode *unused_node(struct world *w)
{
	for (unsigned tries = 0; tries < 30; tries++) {
		struct gnode *x = any_live(w);
		if (!has_parent(w, x))
			return x;
	}
	return NULL;
}

static struct gnode **any_link(struct world *w, struct gnode *x)
{
	unsigned k = rnd(w, 8);
	return x->tag == 2 ? (k < 4 ? &x->a : &x->c) : x->tag == 3 ? &x->b : k < 4 ? &x->a : k < 7 ? &x->b : &x->c;
}

static void reset_node(struct world *w, struct gnode *x)
{
	if (watched(w, x))
		rf_touch(x, sizeof *x);
	*x = (struct gnode){.tag = rnd(w, 6) ? 1 : (int)rnd(w, 4), .val = (int)rnd(w, 10), .s = &w->syms[rnd(w, SYMS)]};
}

/* As refrain-cc's allocator tells of its blocks, or as a custom one does. */
static void given(const void *p, size_t n)
{
	if (random_trusts)
		rf_given(p, n);
	else
		rf_alloced(p, n);
}

static void given_back(const void *p, size_t n)
{
	if (random_trusts)
		rf_given_back(p, n);
	else
		rf_freed(p, n);
}

static void free_node(struct world *w, struct gnode *x)
{
	if (x == w->next_look)
		w->next_look = NULL;
	if (!watched(w, x))
		return;
	given_back(x, sizeof *x);
	w->freed[x - w->pool] = true;
	if (rnd(w, 2)) /* an allocator's own data */
		memset(x, (int)rnd(w, 256), sizeof *x);
}

static void alloc_node(struct world *w)
{
	unsigned i = rnd(w, POOL);
	if (!w->freed[i])
		return;
	given(&w->pool[i], sizeof w->pool[i]);
	w->freed[i] = false;
	reset_node(w, &w->pool[i]);
}

static void rotate(struct world *w)
{
	struct gnode *p = any_live(w), *t = p->a;
	int i = t ? node_index(w, t) : -1;
	if (i < 0 || (i < POOL && w->freed[i]) || !t->b || node_index(w, t->b) < 0)
		return;
	struct gnode *x = t->b;
	store_ptr(w, &t->b, x->a);
	store_ptr(w, &x->a, t);
	if (rnd(w, 2)) /* an inner call looks at its result before the outer one stores it */
		w->wrong |= !compare(w, x, rnd(w, 4) ? T_TREE : T_ALIAS);
	store_ptr(w, &p->a, x);
}

/* Takes the child out of one place and puts it, or another one, into a second. */
static void move_subtree(struct world *w)
{
	struct gnode *p = any_live(w), *q = any_live(w);
	struct gnode **from = any_link(w, p), **to = any_link(w, q), *x = *from, *y = *to;
	if (rnd(w, 2)) {
		store_ptr(w, from, rnd(w, 2) ? NULL : y);
		store_ptr(w, to, x);
	} else {
		store_ptr(w, to, x);
		store_ptr(w, from, y);
	}
}

/* Replaces a child by its own child; it is freed before or after, or simply left. */
static void unlink_node(struct world *w)
{
	struct gnode *p = any_live(w), **at = any_link(w, p), *d = *at;
	int i = d ? node_index(w, d) : -1;
	if (i < 0 || (i < POOL && w->freed[i]))
		return;
	struct gnode *next = at == &p->c ? d->c : rnd(w, 2) ? d->a : d->b;
	unsigned how = rnd(w, 4);
	if (how == 0)
		free_node(w, d);
	store_ptr(w, at, next);
	if (how == 1)
		free_node(w, d);
}

static void link_new(struct world *w)
{
	struct gnode *p = any_live(w), *x = unused_node(w), **at = any_link(w, p);
	if (!x || x == p)
		return;
	if (rnd(w, 2))
		w->wrong |= !compare(w, x, T_TREE);
	if (rnd(w, 2)) {
		struct gnode **down = any_link(w, x);
		store_ptr(w, down, *at);
	}
	store_ptr(w, at, x);
}

static void copy_path(struct world *w)
{
	struct gnode *from = any_live(w), *to = unused_node(w);
	if (!to || to == from)
		return;
	if (watched(w, to))
		rf_touch(to, sizeof *to);
	*to = *from;
}

static void store_sym(struct world *w)
{
	struct sym *s = &w->syms[rnd(w, SYMS)];
	rf_touch(s, sizeof *s);
	s->ok = s->ok != 1 || !rnd(w, 3) ? 1 : 0;
}

/* A named variable is written without and then with the barrier, and the node it leads to changes. */
static void half_seen(struct world *w)
{
	struct gnode *u = node_at(w, POOL + rnd(w, STATICS + STACKED)), *x = any_live(w);
	u->a = x;
	rf_touch(&u->b, sizeof u->b);
	u->b = NULL;
	if (rnd(w, 2))
		store_int(w, &x->tag, (int)rnd(w, 5));
	else
		store_ptr(w, any_link(w, x), any_live(w));
	if (rnd(w, 2))
		u->a = NULL;
}

/* Both links of a node that was itself just taken hold of lead to one child; the node is looked at next. */
static void double_link(struct world *w)
{
	struct gnode *p = any_live(w), *x = p->a;
	int i = x ? node_index(w, x) : -1;
	if (i < 0 || (i < POOL && w->freed[i]))
		return;
	store_ptr(w, rnd(w, 2) ? &x->b : &x->a, rnd(w, 2) ? x->a : x->b);
	store_ptr(w, &p->a, x);
	w->next_look = x;
}

static void damage(struct world *w)
{
	struct gnode *x = any_live(w);
	switch (rnd(w, 9)) {
	case 0:
		store_int(w, &x->tag, 7);
		break;
	case 1:
		store_int(w, &x->val, (int)rnd(w, 30));
		break;
	case 2:
		store_ptr(w, any_link(w, x), (struct gnode *)(void *)w->unmapped);
		break;
	case 3:
		store_ptr(w, any_link(w, x), (struct gnode *)(void *)((char *)w->pool + 4));
		break;
	case 4:
		store_ptr(w, any_link(w, x), node_at(w, rnd(w, NODES)));
		break;
	case 5:
		store_int(w, &x->tag, 3);
		if (watched(w, x))
			rf_touch(&x->s, sizeof x->s);
		x->s = rnd(w, 3) ? (struct sym *)(void *)w->unmapped : NULL;
		break;
	case 6:
		store_ptr(w, &x->b, x->a);
		break;
	case 7:
		store_sym(w);
		break;
	default:
		free_node(w, x);
	}
}

static void world_reset(struct world *w)
{
	for (unsigned i = 0; i < POOL; i++)
		if (w->freed[i]) {
			given(&w->pool[i], sizeof w->pool[i]);
			w->freed[i] = false;
		}
	for (unsigned i = 0; i < NODES; i++)
		reset_node(w, node_at(w, i));
	for (unsigned i = 0; i < SYMS; i++) {
		rf_touch(&w->syms[i], sizeof w->syms[i]);
		w->syms[i].ok = 1;
	}
	/* a random tree: each node below an earlier one */
	for (unsigned i = 1; i < NODES; i++) {
		struct gnode *p = node_at(w, rnd(w, i)), **at = any_link(w, p);
		if (!*at)
			store_ptr(w, at, node_at(w, i));
	}
}

static void reset_any(struct world *w)
{
	reset_node(w, any_live(w));
}
static void store_val(struct world *w)
{
	store_int(w, &any_live(w)->val, (int)rnd(w, 10));
}
static void store_tag(struct world *w)
{
	store_int(w, &any_live(w)->tag, (int)rnd(w, 4));
}
static void forget_any(struct world *w)
{
	rf_forget(w->pool + rnd(w, POOL), sizeof *w->pool);
}
static void link_oddly(struct world *w)
{
	rnd(w, 2) ? double_link(w) : half_seen(w);
}

static void operate(struct world *w)
{
	static const struct {
		unsigned share; /* of a hundred */
		void (*operation)(struct world *w);
	} all[] = {{20, link_new},  {16, rotate},    {12, move_subtree}, {16, unlink_node}, {6, copy_path},
		   {6, alloc_node}, {6, reset_any},  {6, store_val},     {6, store_tag},    {2, forget_any},
		   {2, store_sym},  {1, link_oddly}, {1, damage}};
	unsigned k = rnd(w, 100);
	size_t i = 0;
	while (k >= all[i].share)
		k -= all[i++].share;
	all[i].operation(w);
}

/* One comparison; false: the verdicts differ. */
static bool compare(struct world *w, const void *p, int type)
{
	bool want = ref_check(w, p, type), got = rf_check(p, &rnd_types[type]);
	want ? w->good++ : w->bad++;
	if (want == got && (rnd(w, 50) || rf_check_full(p, &rnd_types[type]) == want))
		return true;
	fprintf(stderr, "# type %s: engine says %d, full walk %d, reference %d\n", rnd_types[type].name, got,
		rf_check_full(p, &rnd_types[type]), want);
	return false;
}

static bool compare_one(struct world *w, struct gnode *root)
{
	struct gnode *x = w->next_look ? w->next_look : rnd(w, 10) < 6 ? root : any_live(w);
	int type = rnd(w, 3) ? T_TREE : (int)rnd(w, T_SYM);
	w->next_look = NULL;
	const void *p = x;
	if (type == T_WIDE) {
		if (!watched(w, x) || x == w->pool)
			return true;
		p = (char *)x - offsetof(struct wide, in);
	}
	return compare(w, p, type);
}

/* The runtime has a shorter way when there is one thread only, if the C library tells. */
static void pretend_threads(bool several)
{
#if __has_include(<sys/single_threaded.h>)
	__libc_single_threaded = !several;
#else
	(void)several;
#endif
}

/* Now and then: are the marks what they should be? */
static void look_through(uint64_t k)
{
#ifdef RF_INVARIANTS
	if (k % 100 == 0)
		marks_check();
#else
	(void)k;
#endif
}

/* From now on as in a program that refrain-cc linked: only the allocator's blocks are trusted, and they are handled in
 * a shorter way. There is no way back. */
static void random_trust_blocks(void)
{
	random_trusts = true;
	rf_barrier_start();
	rf_mapped(statics, sizeof statics, 0);
}

/* The number of comparisons that agreed before the first that did not; n when all did. */
static uint64_t random_run(uint64_t n, uint64_t seed, uint64_t *good, uint64_t *bad)
{
	struct gnode stacked[STACKED];
	struct world w = {.rng = {seed}, .stacked = stacked};
	size_t room = (POOL + 2) * sizeof(struct gnode);
	char *map = mmap(NULL, 1 << 16, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	w.unmapped = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	w.pool = (struct gnode *)(void *)(map + 64);
	w.syms = (struct sym *)(void *)(map + 64 + room);
	for (int i = 0; i < N_T; i++)
		rf_type_register(&rnd_types[i]);
	for (unsigned i = 0; i < POOL; i++)
		given(&w.pool[i], sizeof w.pool[i]);
	given(w.syms, SYMS * sizeof *w.syms);
	uint64_t k = 0;
	struct gnode *root = w.pool;
	for (; k < n; k++) {
		if (k % 300 == 0) {
			if (k % 1500 == 0 && rf_check_configure("count") != 0) /* planes are given anew */
				break;
			world_reset(&w);
			root = w.pool;
			pretend_threads(k / 300 % 3 == 0);
		}
		for (unsigned ops = rnd(&w, rnd(&w, 5) ? 4 : 14); ops; ops--)
			operate(&w);
		look_through(k);
		if (rnd(&w, 40) == 0 || node_index(&w, root) < 0 || (watched(&w, root) && w.freed[root - w.pool]))
			root = any_live(&w);
		if (w.wrong || !compare_one(&w, root))
			break;
		look_through(k + 50);
	}
	rf_freed(map, 1 << 16);
	rf_alloced(map, 1 << 16);
	rf_mapped(map, 1 << 16, 0);
	munmap(map, 1 << 16);
	munmap(w.unmapped, 4096);
	pretend_threads(false);
	*good += w.good;
	*bad += w.bad;
	return k;
}

#endif
