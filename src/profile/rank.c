/* SPDX-License-Identifier: MIT */
/* Clusters and ranks.
 *
 * Two opportunities belong together when one calls the other directly, or indirectly and both are in the same
 * source file (the paper's class): fixing one usually makes the other moot. Clusters are ordered by the best saving
 * in them, functions inside a cluster by their own; never by the hit ratio alone.  Functions whose answers
 * come from the system (files, the clock) are a list of their own: whoever caches them must say when the answer is
 * stale. */
#include "profile/profile.h"

#include <stdlib.h>
#include <string.h>

struct graph {
	const struct profile *p;
	uint32_t *first; /* edges of a caller: at[first[c] … first[c+1]) */
	uint32_t *callee;
};

static void graph_init(struct graph *g, const struct profile *p)
{
	g->p = p;
	g->first = mem_zalloc(mem_mul(p->fn.n + 2, sizeof *g->first));
	g->callee = mem_alloc(mem_mul(p->edge.n + 1, sizeof *g->callee));
	for (size_t i = 0; i < p->edge.n; i++)
		g->first[p->edge.at[i].caller + 2]++;
	for (size_t i = 2; i < p->fn.n + 2; i++)
		g->first[i] += g->first[i - 1];
	for (size_t i = 0; i < p->edge.n; i++)
		g->callee[g->first[p->edge.at[i].caller + 1]++] = p->edge.at[i].callee;
}

static void graph_release(struct graph *g)
{
	free(g->first);
	free(g->callee);
}

static uint32_t root(uint32_t *parent, uint32_t i)
{
	while (parent[i] != i)
		i = parent[i] = parent[parent[i]];
	return i;
}

static bool same_file(const struct profile_function *a, const struct profile_function *b)
{
	return a->sig && b->sig && a->sig->file[0] && strcmp(a->sig->file, b->sig->file) == 0;
}

/* Joins f with every opportunity it calls. */
static void join_callees(const struct graph *g, uint32_t f, uint32_t *parent, bool *seen, uint32_t *stack)
{
	const struct profile *p = g->p;
	size_t n = 0;
	memset(seen, 0, p->fn.n);
	stack[n++] = f;
	seen[f] = true;
	while (n) {
		uint32_t c = stack[--n];
		for (uint32_t i = g->first[c]; i < g->first[c + 1]; i++) {
			uint32_t d = g->callee[i];
			bool direct = c == f;
			if (p->fn.at[d].status == STATUS_OPPORTUNITY && d != f &&
			    p->fn.at[f].asks_world == p->fn.at[d].asks_world &&
			    (direct || same_file(&p->fn.at[f], &p->fn.at[d])))
				parent[root(parent, d)] = root(parent, f);
			if (!seen[d]) {
				seen[d] = true;
				stack[n++] = d;
			}
		}
	}
}

/* What counts for the rank. A function that changes in place what it read (an appended buffer, a counter) is hardly
 * ever
 * what one caches: its caller is. Nor does a doubtful saving count fully. */
static double score(const struct profile_options *o, const struct profile_function *f)
{
	/* the paper's: the time that might be saved, whatever a cache costs */
	if (o->first_depth)
		return f->time_share * f->potential;
	double s = f->saved_share;
	if (f->seen.update * 2 > f->seen.seen)
		s /= 10;
	return f->doubt ? s / 2 : s;
}

struct ranked {
	uint32_t fn, cluster;
	double best, own;
	bool listed_only;
	bool asks_world;
	uint64_t inclusive;
};

static int better(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;
	if (x->listed_only != y->listed_only)
		return x->listed_only ? 1 : -1;
	if (x->asks_world != y->asks_world)
		return x->asks_world ? 1 : -1;
	if (x->best != y->best)
		return x->best < y->best ? 1 : -1;
	if (x->cluster != y->cluster)
		return x->cluster < y->cluster ? -1 : 1;
	if (x->own != y->own)
		return x->own < y->own ? 1 : -1;
	if (x->inclusive != y->inclusive)
		return x->inclusive < y->inclusive ? 1 : -1;
	return x->fn < y->fn ? -1 : 1;
}

void profile_rank(struct profile *p, const struct profile_options *o)
{
	struct graph g;
	uint32_t *parent = mem_alloc(mem_mul(p->fn.n + 1, sizeof *parent)),
		 *stack = mem_alloc(mem_mul(p->fn.n + 1, sizeof *stack));
	bool *seen = mem_alloc(p->fn.n + 1);
	double *best = mem_zalloc(mem_mul(p->fn.n + 1, sizeof *best));
	VEC(struct ranked) list = {0};
	graph_init(&g, p);
	for (uint32_t i = 0; i < p->fn.n; i++)
		parent[i] = i;
	for (uint32_t i = 0; i < p->fn.n; i++)
		if (p->fn.at[i].status == STATUS_OPPORTUNITY)
			join_callees(&g, i, parent, seen, stack);
	for (uint32_t i = 0; i < p->fn.n; i++)
		if (p->fn.at[i].status == STATUS_OPPORTUNITY && score(o, &p->fn.at[i]) > best[root(parent, i)])
			best[root(parent, i)] = score(o, &p->fn.at[i]);
	for (uint32_t i = 0; i < p->fn.n; i++) {
		const struct profile_function *f = &p->fn.at[i];
		bool opportunity = f->status == STATUS_OPPORTUNITY, hot = !o->wanted.n && f->status != STATUS_COLD;
		if (opportunity || f->asked || hot) {
			uint32_t c = root(parent, i);
			struct ranked r = {i,
					   c,
					   opportunity ? best[c] : 0,
					   score(o, f),
					   !opportunity,
					   opportunity && f->asks_world,
					   f->inclusive};
			vec_push(&list, r);
		}
	}
	if (list.n)
		qsort(list.at, list.n, sizeof *list.at, better);
	p->ranking = mem_alloc(mem_mul(list.n + 1, sizeof *p->ranking));
	unsigned cluster = 0, rank = 0;
	for (size_t i = 0; i < list.n; i++) {
		struct profile_function *f = &p->fn.at[list.at[i].fn];
		p->ranking[p->n_ranking++] = list.at[i].fn;
		if (list.at[i].listed_only)
			continue;
		if (i && list.at[i].asks_world != list.at[i - 1].asks_world)
			rank = 0;
		if (i == 0 || list.at[i].cluster != list.at[i - 1].cluster)
			cluster++;
		f->cluster = cluster;
		f->rank = ++rank;
	}
	graph_release(&g);
	vec_release(&list);
	free(best);
	free(seen);
	free(stack);
	free(parent);
}

void profile_rank_again(struct profile *p, const struct profile_options *o)
{
	for (size_t i = 0; i < p->fn.n; i++) {
		struct profile_function *f = &p->fn.at[i];
		if (f->status == STATUS_OPPORTUNITY && f->shape.n)
			profile_judge(p, o, f);
		f->rank = f->cluster = 0;
	}
	free(p->ranking);
	p->ranking = NULL;
	p->n_ranking = 0;
	profile_rank(p, o);
}
