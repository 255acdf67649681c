/* SPDX-License-Identifier: MIT */
/* The paper's own method (--method=memoizeit): Algorithm 1 over data that is flattened by its types.
 *
 * A call is a tuple of its arguments, as they were when it began, and its result, each with the objects behind at
 * most k
 * references (src/profile/debug/layout.h, runtime/valgrind/sets/flatten.c). A function whose tuples do not repeat is
 * dropped: more detail only splits tuples. One whose tuples left nothing out is decided. The others are looked at again
 * with twice the k. What a function reads from globals, what it writes and whether it acts is not looked at. */
#include "profile/passes.h"

#include <stdio.h>
#include <string.h>

enum { MOST_DEPTH = 1 << 20 };

static const char *same_input_differs = "the same input gave different results: it depends on more than its arguments";

/* What the parameters and results of the candidates are made of. */
static void flatten_candidates(struct profiler *pr)
{
	struct profile *p = pr->first;
	for (size_t k = 0; k < p->object.n; k++) {
		struct types t;
		if (!types_open(&t, p->object.at[k].path))
			continue;
		for (size_t i = 0; i < p->fn.n; i++) {
			struct profile_function *f = &p->fn.at[i];
			if (f->status != STATUS_CANDIDATE || strcmp(f->object, p->object.at[k].path) != 0)
				continue;
			struct layout_signature flat;
			layouts_function(&pr->layouts, &t, f->sig, &flat);
			f->flat = flat.whole ? arena_dup(&p->arena, &flat, sizeof flat) : NULL;
		}
		types_close(&t);
	}
	for (size_t i = 0; i < p->fn.n; i++)
		if (p->fn.at[i].status == STATUS_CANDIDATE && !p->fn.at[i].flat)
			p->fn.at[i].status = STATUS_NO_SIGNATURE;
}

/* By Definition 5 it is a candidate, whatever a cache would make of it. */
static void accept(struct profiler *pr, struct profile_function *f)
{
	f->status = STATUS_OPPORTUNITY;
	profile_judge(pr->first, pr->o, f);
	if (f->status == STATUS_OPPORTUNITY)
		return;
	f->status = STATUS_OPPORTUNITY;
	f->size = "multi";
	f->scope = "global";
	f->entries = f->caches.lru_enough;
	f->doubt = same_input_differs;
}

static void decide(struct profiler *pr, struct profile_function *f, struct profile_iteration *it, bool last)
{
	bool explored = !f->seen.deeper;
	f->depth = it->depth;
	f->round = (unsigned)pr->first->iterations.n + 1;
	f->potential = calls_tuple_ratio(&f->seen);
	if (f->seen.seen < pr->o->min_calls) {
		f->status = pr->first->complete ? STATUS_COLD : STATUS_UNDECIDED;
	} else if (f->potential < pr->o->min_hit_ratio) {
		f->status = STATUS_INPUTS;
		caches_simulate(&f->seen, &f->caches);
		it->dropped++;
	} else if (explored || last) {
		accept(pr, f);
		it->explored += explored;
	}
}

enum rc pass_memoizeit(struct profiler *pr, struct err *e)
{
	struct profile *p = pr->first;
	flatten_candidates(pr);
	for (pr->depth = pr->o->first_depth; !pr->stop; pr->depth *= 2) {
		struct profile_iteration it = {.depth = pr->depth};
		double before = p->wall_s;
		size_t n;
		snprintf(pr->what, sizeof pr->what, "objects behind %llu references", (unsigned long long)pr->depth);
		enum rc rc = profile_candidates(pr, pr->o->max_locations, &n, e);
		if (rc || !n)
			return rc;
		it.candidates = n;
		it.wall_s = p->wall_s - before;
		bool last = pr->depth >= MOST_DEPTH || pr->stop;
		for (size_t i = 0; i < p->fn.n; i++)
			if (p->fn.at[i].status == STATUS_CANDIDATE)
				decide(pr, &p->fn.at[i], &it, last);
		vec_push(&p->iterations, it);
	}
	return RC_OK;
}
