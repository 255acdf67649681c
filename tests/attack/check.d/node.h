/* SPDX-License-Identifier: MIT */
/* The node that check's attack writes to: every byte but the padding is read by its contract, so that any write of
 * another value is a violation. probe() has the contract; its verdict is compared with a plain walk. */
#ifndef ATTACK_NODE_H
#define ATTACK_NODE_H

#ifdef __cplusplus
extern "C" {
#endif

struct pair {
	int lo, hi;
};
struct big {
	int at[12];
};
struct node {
	struct node *next;
	int v, w;
	long l;
	unsigned bits; /* seen as struct fields by those who write bit-fields */
	int first;     /* 1 */
	struct pair pair;
	struct big big;
	int arr[32];
	char text[160];
};
struct fields {
	unsigned a : 3, b : 7, c : 22;
};

/*@ regtype list : struct node = null | { next : list, v : int(1..9), w : int(0..9), l : int(0..9), bits : int(0..9),
	first : int(1..1), pair.lo : int(0..9), pair.hi : int(0..9), big.at[0..11] : int(0..9), arr[0..31] : int(0..9),
	text[0..159] : int(0..9) };
    pred probe(n) : list(n); */
int probe(struct node *n);
/* In other units: instrumented C, C that is not, and a library that is not. */
void far_write(struct node *n);
void alien_write(struct node *n);
void alien_deep(struct node *head);
void alien_keep(struct node *n);
void alien_tick(void);
int alien_call(struct node *n, int (*f)(struct node *));
struct pair alien_pair(struct node *n);
void alien_by_pointer(void *const *slots);
extern void (*alien_pointer)(struct node *n);
void alien_handler(int s);
void *alien_start(void *n);
void *alien_start_late(void *n);
extern volatile int alien_go;
int alien_compare(const void *a, const void *b);
/* In C++. */
int cxx_ways(void);
const char *cxx_name(int k);
void cxx_write(int k, struct node *n);

#ifdef __cplusplus
}
#endif
#endif
