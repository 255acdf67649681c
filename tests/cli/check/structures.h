/* SPDX-License-Identifier: MIT */
/* Structures with contracts, for structures.c: every construct of the language, each with a plain C walk beside it that
 * knows nothing of refrain. The contracts are the comments; the walks are in walks.c. */
#ifndef STRUCTURES_H
#define STRUCTURES_H

enum { N = 10 }; /* nodes of a structure */

/* ---- search trees with their full invariants */

struct avl {
	struct avl *left, *right;
	int key, h;
};
/*@ regtype avl : struct avl = null | { left : avl, right : avl, hi(left) < key, key < lo(right),
	h == 1 + max(height(left), height(right)), abs(height(left) - height(right)) <= 1 };
    measure height(avl) = null : 0 | 1 + max(height(left), height(right));
    measure lo(avl) = null : inf | min(key, lo(left));
    measure hi(avl) = null : -inf | max(key, hi(right));
    measure size(avl) = 1 + size(left) + size(right);
    measure total(avl) = key + total(left) + total(right);
*/

enum color { RED, BLACK };
struct rb {
	struct rb *left, *right;
	int key;
	enum color color;
};
/*@ regtype rb : struct rb = null | case color {
	RED : { left : rb, right : rb, left->color == BLACK, right->color == BLACK, bh(left) == bh(right),
		first(right) > key, last(left) < key },
	BLACK : { left : rb, right : rb, bh(left) == bh(right), first(right) > key, last(left) < key } };
    measure bh(rb) = null : 1 | bh(left) + (color == BLACK);
    measure first(rb) = null : inf | min(first(left), key);
    measure last(rb) = null : -inf | max(last(right), key);
*/

/* ---- relations to neighbours */

struct dll {
	struct dll *next, *prev;
	int key, n, cap;
};
/*@ regtype dll : struct dll = null | { next : dll, next->prev == this };
    regtype sorted : struct dll = null | { next : sorted, next->key >= key, n <= cap, n : int(0..) };
    regtype both : struct dll = null | { next : both, next->prev == this, prev == null || prev->next == this };
    regtype ring closed : struct dll = null | { next : closed, next->prev == this, n : int(0..this.cap) };
    regtype ring loop : struct dll = null | { next : loop };
    regtype steps : struct dll = null | { next : steps, next->next->key > key };
*/

struct par {
	struct par *up, *left, *right;
	int key;
};
/*@ regtype par : struct par = null | { left : par, right : par, left->up == this, right->up == this,
	left->key < right->key };
*/

/* ---- arrays, strings, scalars */

struct kids {
	int n;
	struct kids *kid[4];
};
/*@ regtype kids : struct kids = null | { n : int(0..4), kid[0..this.n) : kids, count(this) <= 6 };
    measure count(kids) = 1 + sum(count(kid));
*/
struct out {
	int n;
	struct out **kid;
};
/*@ regtype out : struct out = null | { kid[0..this.n - 1] : out, deep(this) <= 3 };
    measure deep(out) = 1 + max(0, max(deep(kid)));
*/
struct val {
	int n, kind;
	struct val *item;
};
/*@ regtype val : struct val = { kind : int(0..3), item[0..this.n) : val }; */
struct flex {
	int n;
	struct flex *next;
	unsigned char deg;
	struct flex *kid[];
};
/*@ regtype flex : struct flex = null | { n : int(0..2), kid[0..this.n) : flex, next : null }; */

struct misc {
	struct misc *next;
	char *name;
	char tag[4];
	double w;
	unsigned kind : 3;
	unsigned big : 5;
	int (*op)(int);
	int small[3];
};
int op_a(int x);
int op_b(int x);
int op_c(int x);
/*@ regtype misc : struct misc = null | case kind {
	0 : { next : misc, name : null | string(0..3), tag : string },
	1 | 2 : { next : misc, w : double(0..1), op : function(op_a | op_b), big + kind <= 9 },
	3..5 : { next : misc, small[0..2] : int(..4), small[0] + small[1] <= small[2] * 2 } };
*/

/* ---- pointers in disguise */

struct tagged {
	unsigned long left;
	struct tagged *right;
	int v;
};
/*@ regtype tagged : struct tagged = null | { left & ~3 : tagged, right & ~1 : tagged, v : int(0..3) }; */
struct link {
	struct link *next;
};
struct item {
	int v;
	struct link link;
};
struct owner {
	int n;
	struct link head;
};
/*@ regtype items : struct item = null | { v : int(0..3), container(link.next) : items };
    regtype member : struct item = { v : int(0..3) };
    regtype owner : struct owner = { ring(head.next, link) : member };
*/

/* ---- nodes by value, and types that lead to measured ones */

struct hold {
	struct avl *root;
	int size;
};
struct book {
	struct book *next;
	struct hold h;
};
/*@ regtype hold : struct hold = { root : avl, size == size(root) };
    regtype book : struct book = null | { next : book, h : hold };
*/

enum shape {
	AVL,
	RB,
	DLL,
	SORTED,
	BOTH,
	CLOSED,
	LOOP,
	STEPS,
	PAR,
	KIDS,
	OUT,
	VAL,
	FLEX,
	MISC,
	TAGGED,
	ITEMS,
	OWNER,
	BOOK,
	N_SHAPES
};
/* The plain verdict. */
int walk(enum shape s, const void *p);

#endif
