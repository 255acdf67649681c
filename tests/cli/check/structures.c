/* SPDX-License-Identifier: MIT */
/* structures SEED STEPS: for each structure of structures.h, STEPS random changes of single fields, half of them taken
 * back at once, and rebuilding from time to time; after each change the remembered verdict is compared with the plain
 * walk. Prints the number of comparisons and of true verdicts; ends with 1 at the first difference. */
#include "structures.h"

#include <refrain/check.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern struct rf_type *const rf_type_avl, *const rf_type_rb, *const rf_type_dll, *const rf_type_sorted;
extern struct rf_type *const rf_type_both, *const rf_type_closed, *const rf_type_steps, *const rf_type_par;
extern struct rf_type *const rf_type_kids, *const rf_type_out, *const rf_type_val, *const rf_type_flex;
extern struct rf_type *const rf_type_misc, *const rf_type_tagged, *const rf_type_items, *const rf_type_owner;
extern struct rf_type *const rf_type_book, *const rf_type_loop;

int op_a(int x)
{
	return x;
}
int op_b(int x)
{
	return x + 1;
}
int op_c(int x)
{
	return x + 2;
}

static unsigned long state;
static unsigned below(unsigned n)
{
	state = state * 6364136223846793005ul + 1442695040888963407ul;
	return (unsigned)(state >> 33) % n;
}

/* One kind of field, and how it gets a random value. */
enum kind { POINTER, LINK, NUMBER, LONG_POINTER, BYTE, DOUBLE, STRING, FUNCTION, BITS, KIND, SHORT_LIST };
struct slot {
	size_t at;
	enum kind kind;
	int lo, hi;
};

struct world {
	const char *name;
	enum shape shape;
	size_t size;
	struct slot slots[12];
	void (*build)(void);
};

static char *nodes; /* N of them, each in a block of its own size */
static size_t node_size;
static char *pieces[4 * N]; /* blocks that nodes lead to */
static struct owner *the_owner;

static void *node(unsigned i)
{
	return nodes + i * node_size;
}
static void *any_node(void)
{
	return below(4) ? node(below(N)) : NULL;
}

/* ---- building something right */

static int avl_fill(struct avl **at, int from, int to)
{
	if (from >= to) {
		*at = NULL;
		return 0;
	}
	int mid = (from + to) / 2;
	struct avl *t = node((unsigned)mid);
	t->key = mid * 10;
	int l = avl_fill(&t->left, from, mid), r = avl_fill(&t->right, mid + 1, to);
	t->h = 1 + (l > r ? l : r);
	*at = t;
	return t->h;
}

static void build_avl(void)
{
	struct avl *root;
	avl_fill(&root, 0, (int)below(N) + 1);
}

static int rb_fill(struct rb **at, int from, int to, int depth)
{
	if (from >= to) {
		*at = NULL;
		return 0;
	}
	int mid = (from + to) / 2;
	struct rb *t = node((unsigned)mid);
	t->key = mid * 10;
	rb_fill(&t->left, from, mid, depth - 1);
	rb_fill(&t->right, mid + 1, to, depth - 1);
	t->color = depth > 0 ? BLACK : RED;
	*at = t;
	return 0;
}

static void build_rb(void)
{
	struct rb *root;
	unsigned n = below(N) + 1;
	int full = 0;
	while ((2u << full) - 1 <= n)
		full++;
	rb_fill(&root, 0, (int)n, full);
}

static void build_list(void)
{
	unsigned n = below(N) + 1;
	for (unsigned i = 0; i < N; i++) {
		struct dll *x = node(i);
		x->next = i + 1 < n ? node(i + 1) : NULL;
		x->prev = i && i < n ? node(i - 1) : NULL;
		x->key = (int)i * 3;
		x->n = (int)below(3);
		x->cap = 3;
	}
}

static void build_ring(void)
{
	unsigned n = below(N) + 1;
	build_list();
	for (unsigned i = 0; i < n; i++) {
		struct dll *x = node(i);
		x->next = node((i + 1) % n);
		x->prev = node((i + n - 1) % n);
	}
}

static void build_par(void)
{
	unsigned n = below(N) + 1;
	for (unsigned i = 0; i < N; i++) {
		struct par *x = node(i);
		x->left = 2 * i + 1 < n ? node(2 * i + 1) : NULL;
		x->right = 2 * i + 2 < n ? node(2 * i + 2) : NULL;
		x->up = i ? node((i - 1) / 2) : NULL;
		x->key = (int)i;
	}
}

/* Nodes 1 to n - 1, so many to a parent. */
#define HANG(T, n, each)                                                                                               \
	for (unsigned i = 1; i < n; i++) {                                                                             \
		struct T *up = node((i - 1) / each);                                                                   \
		up->kid[up->n++] = node(i);                                                                            \
	}
static void build_kids(void)
{
	unsigned n = below(6) + 1;
	for (unsigned i = 0; i < N; i++)
		*(struct kids *)node(i) = (struct kids){0};
	HANG(kids, n, 3)
}

static void build_out(void)
{
	unsigned n = below(N) + 1;
	for (unsigned i = 0; i < N; i++) {
		struct out *x = node(i);
		x->n = 0;
		x->kid = (struct out **)(void *)pieces[i];
	}
	HANG(out, n, 3)
}

static void build_val(void)
{
	for (unsigned i = 0; i < N; i++)
		*(struct val *)node(i) = (struct val){0, (int)below(4), NULL};
	struct val *root = node(0);
	root->n = (int)below(4);
	root->item = (struct val *)(void *)pieces[0];
	for (int i = 0; i < root->n; i++)
		root->item[i] = (struct val){i == 0 ? (int)below(3) : 0, i, (struct val *)(void *)pieces[1 + i]};
	for (int i = 0; i < 3; i++)
		((struct val *)(void *)pieces[1])[i] = (struct val){0, i, NULL};
}

static void build_flex(void)
{
	unsigned n = below(N) + 1;
	for (unsigned i = 0; i < N; i++) {
		struct flex *x = node(i);
		x->n = 0;
		x->next = NULL;
	}
	HANG(flex, n, 2)
}

static void build_misc(void)
{
	unsigned n = below(N) + 1;
	for (unsigned i = 0; i < N; i++)
		*(struct misc *)node(i) =
			(struct misc){i + 1 < n ? node(i + 1) : NULL, "ab", "xy", 0.5, below(6), 3, op_a, {1, 2, 3}};
}

static void build_tagged(void)
{
	unsigned n = below(N) + 1;
	for (unsigned i = 0; i < N; i++) {
		struct tagged *x = node(i);
		x->left = (2 * i + 1 < n ? (unsigned long)node(2 * i + 1) : 0) | below(4);
		x->right = (struct tagged *)((2 * i + 2 < n ? (unsigned long)node(2 * i + 2) : 0) | below(2));
		x->v = (int)below(4);
	}
}

static void build_items(void)
{
	unsigned n = below(N) + 1;
	for (unsigned i = 0; i < N; i++) {
		struct item *x = node(i), *y = i + 1 < n ? node(i + 1) : NULL;
		x->v = (int)below(4);
		x->link.next = y ? &y->link : NULL;
	}
}

static void build_owner(void)
{
	build_items();
	the_owner->head.next = &((struct item *)node(0))->link;
	for (unsigned i = 0; i < N; i++) {
		struct item *x = node(i);
		if (!x->link.next)
			x->link.next = &the_owner->head;
	}
}

static struct avl *leaves; /* the trees of books */
static void build_book(void)
{
	unsigned n = below(4) + 1;
	for (unsigned i = 0; i < N; i++) {
		struct book *x = node(i);
		x->next = i + 1 < n ? node(i + 1) : NULL;
		struct avl *a = &leaves[2 * i], *b = &leaves[2 * i + 1];
		int size = (int)below(3);
		*a = (struct avl){NULL, NULL, 1, 1};
		*b = (struct avl){a, NULL, 5, 2};
		x->h.root = size == 0 ? NULL : size == 1 ? a : b;
		x->h.size = size;
	}
}

#define AT(T, f) offsetof(struct T, f)
/* A slot that gets any node or NULL; one that gets a number. */
/* clang-format off */
#define TO_NODE(T, f) {AT(T, f), POINTER, 0, 0}
#define BETWEEN(T, f, lo, hi) {AT(T, f), NUMBER, lo, hi}
#define WORLD(name, shape, size, build, ...) {#name, shape, size, {__VA_ARGS__}, build}
/* clang-format on */
static const struct world worlds[] = {
	WORLD(avl, AVL, sizeof(struct avl), build_avl, TO_NODE(avl, left), TO_NODE(avl, right),
	      BETWEEN(avl, key, 0, 99), BETWEEN(avl, h, 0, 4)),
	WORLD(rb, RB, sizeof(struct rb), build_rb, TO_NODE(rb, left), TO_NODE(rb, right), BETWEEN(rb, key, 0, 99),
	      BETWEEN(rb, color, 0, 2)),
	WORLD(dll, DLL, sizeof(struct dll), build_list, TO_NODE(dll, next), TO_NODE(dll, prev),
	      BETWEEN(dll, key, 0, 30), BETWEEN(dll, n, -1, 4)),
	WORLD(sorted, SORTED, sizeof(struct dll), build_list, TO_NODE(dll, next), TO_NODE(dll, prev),
	      BETWEEN(dll, key, 0, 30), BETWEEN(dll, n, -1, 4), BETWEEN(dll, cap, -1, 4)),
	WORLD(both, BOTH, sizeof(struct dll), build_list, TO_NODE(dll, next), TO_NODE(dll, prev)),
	WORLD(closed, CLOSED, sizeof(struct dll), build_ring, TO_NODE(dll, next), TO_NODE(dll, prev),
	      BETWEEN(dll, n, -1, 4), BETWEEN(dll, cap, 0, 4)),
	WORLD(loop, LOOP, sizeof(struct dll), build_ring, TO_NODE(dll, next)),
	WORLD(steps, STEPS, sizeof(struct dll), build_list, TO_NODE(dll, next), BETWEEN(dll, key, 0, 30)),
	WORLD(par, PAR, sizeof(struct par), build_par, TO_NODE(par, left), TO_NODE(par, right), TO_NODE(par, up),
	      BETWEEN(par, key, 0, 5)),
	WORLD(kids, KIDS, sizeof(struct kids), build_kids, TO_NODE(kids, kid[0]), TO_NODE(kids, kid[2]),
	      TO_NODE(kids, kid[3]), BETWEEN(kids, n, -1, 5)),
	WORLD(out, OUT, sizeof(struct out), build_out, {AT(out, kid), SHORT_LIST, 0, 0}, BETWEEN(out, n, -1, 4)),
	WORLD(val, VAL, sizeof(struct val), build_val, {AT(val, item), SHORT_LIST, 0, 1}, BETWEEN(val, n, -1, 3),
	      BETWEEN(val, kind, -1, 4)),
	WORLD(flex, FLEX, sizeof(struct flex) + 2 * sizeof(void *), build_flex, TO_NODE(flex, kid),
	      {AT(flex, kid) + sizeof(void *), POINTER, 0, 0}, BETWEEN(flex, n, -1, 3), TO_NODE(flex, next)),
	WORLD(misc, MISC, sizeof(struct misc), build_misc, TO_NODE(misc, next), {AT(misc, name), STRING, 0, 0},
	      {AT(misc, tag) + 3, BYTE, 0, 0}, {AT(misc, tag) + 1, BYTE, 0, 0}, {AT(misc, w), DOUBLE, 0, 0},
	      {AT(misc, op), FUNCTION, 0, 0}, {0, BITS, 0, 0}, {0, KIND, 0, 0}, BETWEEN(misc, small[1], -9, 6)),
	WORLD(tagged, TAGGED, sizeof(struct tagged), build_tagged, {AT(tagged, left), LONG_POINTER, 0, 3},
	      {AT(tagged, right), LONG_POINTER, 0, 1}, BETWEEN(tagged, v, -1, 4)),
	WORLD(items, ITEMS, sizeof(struct item), build_items, {AT(item, link.next), LINK, 0, 0},
	      BETWEEN(item, v, -1, 4)),
	WORLD(owner, OWNER, sizeof(struct item), build_owner, {AT(item, link.next), LINK, 1, 0},
	      BETWEEN(item, v, -1, 4)),
	WORLD(book, BOOK, sizeof(struct book), build_book, TO_NODE(book, next), BETWEEN(book, h.size, 0, 3),
	      {AT(book, h.root), POINTER, 0, 1}),
};

static struct rf_type *type_of(enum shape s)
{
	struct rf_type *const all[] = {rf_type_avl,    rf_type_rb,    rf_type_dll,   rf_type_sorted, rf_type_both,
				       rf_type_closed, rf_type_loop,  rf_type_steps, rf_type_par,    rf_type_kids,
				       rf_type_out,    rf_type_val,   rf_type_flex,  rf_type_misc,   rf_type_tagged,
				       rf_type_items,  rf_type_owner, rf_type_book};
	return all[s];
}

/* ---- changing something */

static void set(char *at, const struct slot *s, struct misc *m)
{
	static char *const texts[] = {"", "abc", "abcd", NULL};
	static int (*const ops[])(int) = {op_a, op_b, op_c, NULL};
	static const double doubles[] = {0, 1, 0.25, -0.5, 2, 0.0 / 0.0};
	switch (s->kind) {
	case POINTER:
		if (s->hi)
			*(void **)(void *)at = below(3) ? (void *)&leaves[below(2 * N)] : NULL;
		else
			*(void **)(void *)at = any_node();
		break;
	case LINK: {
		struct item *i = any_node();
		*(struct link **)(void *)at = i ? &i->link : s->lo ? &the_owner->head : NULL;
		break;
	}
	case NUMBER:
		*(int *)(void *)at = s->lo + (int)below((unsigned)(s->hi - s->lo + 1));
		break;
	case LONG_POINTER:
		*(unsigned long *)(void *)at = (unsigned long)any_node() | below((unsigned)s->hi + 1);
		break;
	case BYTE:
		*at = below(2) ? 'q' : 0;
		break;
	case DOUBLE:
		*(double *)(void *)at = doubles[below(6)];
		break;
	case STRING:
		*(char **)(void *)at = texts[below(4)];
		break;
	case FUNCTION:
		*(int (**)(int))(void *)at = ops[below(4)];
		break;
	case BITS:
		m->big = below(32);
		break;
	case KIND:
		m->kind = below(8);
		break;
	case SHORT_LIST:
		if (below(3) == 0)
			*(void **)(void *)at = below(3) ? (void *)pieces[below(N)] : NULL;
		else if (s->hi) /* an element behind the pointer */
			((struct val *)(void *)pieces[below(3)])[below(3)].kind = (int)below(5);
		else
			((void **)(void *)pieces[below(N)])[below(3)] = any_node();
	}
}

/* The field is written back, as a whole, with whatever store its size needs. */
static void step(const struct world *w, char **undo_at, char *undo, size_t *undo_n)
{
	unsigned n = 0;
	if (*undo_at && below(2)) {
		memcpy(*undo_at, undo, *undo_n);
		*undo_at = NULL;
		return;
	}
	while (n < 12 && (n == 0 || w->slots[n].at || w->slots[n].kind))
		n++;
	const struct slot *s = &w->slots[below(n)];
	char *x = node(below(N));
	*undo_at = x;
	*undo_n = w->size;
	memcpy(undo, x, w->size);
	if (s->kind == SHORT_LIST)
		*undo_at = NULL; /* the change may be elsewhere */
	if (w->shape == BOOK && below(4) == 0) {
		leaves[below(2 * N)].key = (int)below(9);
		*undo_at = NULL;
		return;
	}
	set(x + s->at, s, (struct misc *)(void *)x);
}

static int compare(const struct world *w, const void *p, unsigned long step_n, unsigned long *good)
{
	int want = walk(w->shape, p), got = rf_check(p, type_of(w->shape)), full = rf_check_full(p, type_of(w->shape));
	*good += (unsigned long)want;
	if (got == want && full == want)
		return 1;
	printf("%s: step %lu, node %ld: plain walk %d, remembered %d, full %d\n", w->name, step_n,
	       w->shape == OWNER ? -1 : (long)(((const char *)p - nodes) / (long)node_size), want, got, full);
	rf_assert(p, type_of(w->shape), "x", w->name);
	return 0;
}

static int run(const struct world *w, unsigned long steps, unsigned long *good)
{
	char *undo_at = NULL, undo[256];
	size_t undo_n = 0;
	node_size = (w->size + 15) & ~(size_t)15;
	nodes = calloc(N, node_size);
	leaves = calloc(2 * N, sizeof *leaves);
	the_owner = calloc(1, sizeof *the_owner);
	for (unsigned i = 0; i < 4 * N; i++)
		pieces[i] = calloc(N, sizeof(struct val));
	for (unsigned long i = 0; i < steps; i++) {
		if (i % 40 == 0) {
			w->build();
			undo_at = NULL;
		} else {
			step(w, &undo_at, undo, &undo_n);
		}
		const void *p = w->shape == OWNER                   ? (void *)the_owner
				: w->shape == AVL || w->shape == RB ? node(below(N))
								    : node(0);
		if (!compare(w, p, i, good) ||
		    (w->shape != OWNER && below(3) == 0 && !compare(w, node(below(N)), i, good)))
			return 0;
	}
	/* not freed: an address that comes again in the next world would hide nothing, but would mix two of them up */
	return 1;
}

int main(int argc, char **argv)
{
	unsigned long steps = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000, all = 0;
	for (size_t i = 0; i < sizeof worlds / sizeof *worlds; i++) {
		unsigned long good = 0;
		state = (argc > 1 ? strtoul(argv[1], NULL, 10) : 1) * 7919 + i;
		if (!run(&worlds[i], steps, &good))
			return 1;
		if (good < steps / 20 || good > steps * 2 - steps / 20) {
			printf("%s: %lu true verdicts of %lu say little\n", worlds[i].name, good, steps);
			return 1;
		}
		all += steps;
	}
	printf("%lu steps, no difference\n", all);
	return 0;
}
