/* SPDX-License-Identifier: MIT */
/* A program of two files that two compilers compile, both with the barrier. CALLEE: it returns structs, and checks
 * first; where the compiler of the other file likes it, they are put into the node itself. Exit 0: nothing is stale. */
#include "node.h"

#include <stdlib.h>

struct big mixed_result(struct node *n);
struct pair mixed_pair(struct node *n);

#ifdef CALLEE
struct big mixed_result(struct node *n)
{
	struct big b = {{0}};
	b.at[3] = 1;
	for (int i = 0; i < 3; i++)
		(void)probe(n);
	b.at[7] = 77;
	return b;
}

struct pair mixed_pair(struct node *n)
{
	(void)probe(n);
	return (struct pair){1, 77};
}
#else
#include <refrain/check.h>

static unsigned long long violations(struct node *n)
{
	struct rf_check_stats s;
	(void)probe(n);
	rf_check_get_stats(&s);
	return s.violations;
}

int main(void)
{
	struct node *n = calloc(1, sizeof *n);
	n->v = n->first = 1;
	if (violations(n) + violations(n) != 0)
		return 2;
	n->big = mixed_result(n);
	if (violations(n) != 1)
		return 1;
	n->big.at[7] = 0;
	(void)probe(n);
	n->pair = mixed_pair(n);
	return violations(n) != 2;
}
#endif
