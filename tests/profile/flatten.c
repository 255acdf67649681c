/* SPDX-License-Identifier: MIT */
/* Data for --method=memoizeit. With a seed: visit() is called with random graphs, with cycles, shared nodes and
 * texts, on the
 * heap and in static memory, and each call's flattened representation is written down as the paper writes it, for
 * several
 * depths, by code that shares nothing with the tool: the number of different lines is the number of different tuples.
 * Without: functions with one peculiarity each, 60 calls of each.
 *	total    arrays on the heap; the last element differs: 3
 *	label    a small structure with a text, passed by value, texts copied to new places: 4
 *	large    returns a structure of 40 bytes, which differs for the same argument: 5
 *	tagged   a union of a number and a pointer: 2 numbers, 1 text at changing addresses: 3
 *	unread   the structure's field that is never read differs each time: 60
 *	hidden   depends on a global, which is no argument, and returns nothing: 1
 *	chain    a list of 6, whose last value differs each time: 1 up to depth 5, then 60
 *	flags    bit fields: 6 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct node {
	int value;
	struct node *left;
	char pad; /* what lies between the fields is none */
	struct node *right;
	const char *name;
};

__attribute__((noinline)) long visit(const struct node *n, int salt)
{
	long s = salt;
	for (int i = 0; i < 300; i++)
		s = s * 31 + (n ? n->value : 7);
	return s % 2;
}

/* ---- Definition 1, with the bound of Definition 6 */

enum { NODES = 8, CALLS = 400 };
struct written {
	const void *at[4 * NODES];
	int distance[4 * NODES], n;
	const void *seen[4 * NODES];
	int n_seen;
};

static int find(const void *const *at, int n, const void *p)
{
	for (int i = 0; i < n; i++)
		if (at[i] == p)
			return i;
	return -1;
}

static void reach(struct written *w, const struct node *root)
{
	w->n = w->n_seen = 0;
	w->at[w->n] = root;
	w->distance[w->n++] = 1;
	for (int i = 0; i < w->n; i++) {
		const struct node *x = w->at[i];
		const void *to[] = {x->left, x->right};
		for (int k = 0; k < 2; k++)
			if (to[k] && find(w->at, w->n, to[k]) < 0) {
				w->at[w->n] = to[k];
				w->distance[w->n++] = w->distance[i] + 1;
			}
	}
}

static void write_node(struct written *w, const struct node *x, int k);

static void write_text(struct written *w, const char *s, int distance, int k)
{
	if (!s) {
		printf("NULL");
		return;
	}
	int n = find(w->seen, w->n_seen, s);
	if (n >= 0) {
		printf("@S%d", n);
		return;
	}
	w->seen[w->n_seen++] = s;
	printf("(S%d,[%s])", w->n_seen - 1, distance <= k ? s : "");
}

/* The nearest way to a text is from the nearest node that has it. */
static int text_distance(const struct written *w, const char *s)
{
	int best = 1 << 30;
	for (int i = 0; i < w->n; i++) {
		const struct node *x = w->at[i];
		if (x->name == s && w->distance[i] + 1 < best)
			best = w->distance[i] + 1;
	}
	return best;
}

static void write_node(struct written *w, const struct node *x, int k)
{
	if (!x) {
		printf("NULL");
		return;
	}
	int n = find(w->seen, w->n_seen, x);
	if (n >= 0) {
		printf("@N%d", n);
		return;
	}
	w->seen[w->n_seen++] = x;
	printf("(N%d,[", w->n_seen - 1);
	if (w->distance[find(w->at, w->n, x)] <= k) {
		printf("%d,%d,", x->value, x->pad);
		write_node(w, x->left, k);
		printf(",");
		write_node(w, x->right, k);
		printf(",");
		write_text(w, x->name, text_distance(w, x->name), k);
	}
	printf("])");
}

static struct node still[NODES];

static void random_calls(unsigned seed)
{
	static const int depths[] = {1, 2, 3, 4, 8, 64};
	srand(seed);
	for (int c = 0; c < CALLS; c++) {
		int n = 1 + rand() % 7, shape = rand() % 3 ? 0 : rand() % 12;
		struct node *x = rand() % 2 ? still : malloc(sizeof *x), *at[NODES] = {x};
		char *text[2] = {malloc(8), malloc(8)};
		memcpy(text[0], rand() % 2 ? "a" : "b", 2);
		memcpy(text[1], "a", 2);
		for (int i = 1; i < n; i++)
			at[i] = x == still ? &still[i] : malloc(sizeof *x);
		for (int i = 0; i < n; i++) {
			memset(at[i], 0, sizeof *x);
			at[i]->value = rand() % 20 == 0;
			at[i]->left = i + 1 == n && !shape ? NULL : at[(i + 1) % n];
			at[i]->right = (shape >> i) & 1 ? at[(i * shape) % n] : NULL;
			at[i]->name = rand() % 20 ? NULL : text[rand() % 2];
		}
		int salt = rand() % 2;
		long result = visit(x, salt);
		for (size_t k = 0; k < sizeof depths / sizeof *depths; k++) {
			struct written w;
			reach(&w, x);
			printf("%d: ", depths[k]);
			write_node(&w, x, depths[k]);
			printf(" %d %ld\n", salt, result);
		}
		/* addresses are not used again in the same order */
		if (rand() % 2)
			free(text[0]);
	}
}

/* ---- one peculiarity each */

__attribute__((noinline)) long total(const int *a, int n)
{
	long s = 0;
	for (int i = 0; i < n - 1; i++)
		s += a[i];
	return s;
}

struct label {
	const char *text;
	long n;
};
__attribute__((noinline)) long label(struct label l)
{
	return (long)strlen(l.text) + l.n;
}

struct large {
	long a[5];
};
static int turn;
__attribute__((noinline)) struct large large(int n)
{
	struct large r = {{n, 1, 2, 3, turn++ % 5}};
	return r;
}

struct tagged {
	int is_text;
	union {
		long number;
		char *text;
	} u;
};
__attribute__((noinline)) long tagged(const struct tagged *t)
{
	return t->is_text ? 5 : t->u.number;
}

struct wide {
	int used, unused;
};
__attribute__((noinline)) long unread(const struct wide *w)
{
	return w->used * 3;
}

static long mode;
long effect;
__attribute__((noinline)) void hidden(int n)
{
	effect += mode * n;
}

struct link {
	struct link *next;
	int value;
};
__attribute__((noinline)) long chain(const struct link *l)
{
	return l->value;
}

struct bits {
	unsigned a : 3, b : 5, c : 24;
};
__attribute__((noinline)) long flags(const struct bits *b)
{
	return b->a;
}

/* The compiler must not know what is read of it. */
static void publish(void *p)
{
	__asm__ volatile("" : : "r"(p) : "memory");
}

static long peculiar(int i)
{
	int *a = malloc(9 * sizeof *a);
	for (int k = 0; k < 9; k++)
		a[k] = k == 8 ? i % 3 : k;
	publish(a);
	long s = total(a, 9);
	char *text = malloc(16 + (size_t)i);
	snprintf(text, 16, "text %d", i % 4);
	s += label((struct label){text, 1});
	s += large(7).a[4];
	struct tagged t = {i % 3 == 0, {i % 3}};
	if (t.is_text)
		t.u.text = text;
	publish(&t);
	s += tagged(&t);
	struct wide w = {1, i};
	publish(&w);
	s += unread(&w);
	mode = i;
	hidden(1);
	struct link l[6];
	for (int k = 0; k < 6; k++)
		l[k] = (struct link){k < 5 ? &l[k + 1] : NULL, k < 5 ? 1 : i};
	publish(l);
	s += chain(l);
	struct bits b = {(unsigned)i % 2, 1, (unsigned)i % 3};
	publish(&b);
	return s + flags(&b);
}

int main(int argc, char **argv)
{
	long s = 0;
	if (argc > 1) {
		random_calls((unsigned)atoi(argv[1]));
		return 0;
	}
	for (int i = 0; i < 60; i++)
		s += peculiar(i);
	printf("%ld %ld\n", s, effect);
	return 0;
}
