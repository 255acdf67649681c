/* SPDX-License-Identifier: MIT */
/* A writer in another unit, with the barrier; and the function that has the contract. */
#include "node.h"

int probe(struct node *n)
{
	return n ? n->v : 0;
}

void far_write(struct node *n)
{
	n->v = 77;
}

/* Declared as a function that only borrows its argument. */
int lent_probe(struct node *n);
int lent_probe(struct node *n)
{
	return probe(n);
}
