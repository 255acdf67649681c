/* SPDX-License-Identifier: MIT */
/* The paper's running example (Figure 1) in C. */
#include <stdio.h>
#include <stdlib.h>

#define NOINLINE __attribute__((noinline, noclone, noipa))

struct input {
	int n;
};
struct pair {
	int fst, snd;
};
struct result {
	struct pair *p;
};
struct logger {
	FILE *wr;
	int ctr;
};

NOINLINE struct result *compute(const struct input *inp)
{
	struct result *r = malloc(sizeof *r);
	r->p = malloc(sizeof *r->p);
	unsigned x = (unsigned)inp->n;
	for (int i = 0; i < 20000; i++)
		x = x * 1103515245u + 12345u;
	r->p->fst = (int)(x & 1023);
	r->p->snd = inp->n;
	return r;
}

NOINLINE int append(struct logger *l, const struct result *res)
{
	fprintf(l->wr, "%d: %d %d\n", l->ctr, res->p->fst, res->p->snd);
	l->ctr++;
	return 1;
}

static struct input *new_input(int n)
{
	struct input *i = malloc(sizeof *i);
	i->n = n;
	return i;
}

int main(void)
{
	struct logger l = {stdout, 0};
	struct result *res1 = compute(new_input(23));
	int ok1 = append(&l, res1);
	struct result *res2 = compute(new_input(23));
	int ok2 = append(&l, res2);
	if (ok1 && ok2)
		puts("done");
	return 0;
}
