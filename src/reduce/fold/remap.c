/* SPDX-License-Identifier: MIT */
/* A new parse while tests run: see fold.h, rule 7. The minimum becomes the base, so base token i becomes its place
 * in the minimum. A test whose text keeps a token that is gone cannot be said in the new base: it is *stale*, its
 * success is only a hint what to delete. Should the text parse into other tokens than before, all that is undecided
 * is given up; what it would have found is found again, because the minimum changed and the pass runs once
 * more: at once, where it is a pass that was left (plan_missed). */
#include "reduce/fold/fold.h"

#include <string.h>

static void map_edit(struct edit *e, struct spans *removed, const uint32_t *rank, uint32_t n)
{
	spans_map(removed, rank, n);
	spans_copy(&e->remove, removed);
	rewrites_map(&e->rewrite, rank);
}

static void map_tests(struct tests *v, const uint32_t *rank, uint32_t n)
{
	for (size_t i = 0; i < v->n; i++) {
		struct test *t = v->at[i];
		map_edit(&t->c.edit, &t->removed, rank, n);
		spans_map(&t->step.gone, rank, n);
		rewrites_map(&t->step.rewrite, rank);
	}
}

static void map_parts(struct parts *v, const uint32_t *rank, uint32_t n)
{
	for (size_t i = 0; i < v->n; i++)
		map_edit(&v->at[i].c.edit, &v->at[i].removed, rank, n);
}

static void mark_stale(struct fold *f, struct tests *v)
{
	for (size_t i = 0; i < v->n; i++)
		v->at[i]->stale = v->at[i]->stale || !fold_contains(f, v->at[i]);
}

static void free_parts(struct fold *f, struct parts *v)
{
	while (v->n) {
		struct part *p = &vec_pop(v);
		plan_missed(f->plan, p->run);
		part_release(f, p);
	}
}

static void give_up(struct fold *f)
{
	while (f->held.n)
		test_free(f, vec_pop(&f->held));
	while (f->limbo.n)
		test_free(f, vec_pop(&f->limbo));
	free_parts(f, &f->waiting);
	free_parts(f, &f->line);
	f->bad = 0;
	for (size_t i = f->asked.n; i-- > 0;) {
		struct test *t = f->asked.at[i];
		t->stale = true;
		/* places in the old base mean nothing any more */
		edit_clear(&t->c.edit);
		vec_clear(&t->removed);
		vec_clear(&t->step.gone);
		vec_clear(&t->step.rewrite);
		t->given_up = t->given_up || !t->pointless;
		if (!t->pointless)
			fold_cancel(f, t);
	}
}

enum rc fold_end_run(struct fold *f, bool skip, struct err *e)
{
	struct model *m = f->engine->model;
	uint64_t version = m->version;
	uint32_t n = m->n_tokens, left = m->n;
	uint32_t *rank = mem_dup(m->rank, mem_mul((size_t)n + 1, sizeof *rank));
	uint32_t *min = mem_dup(m->min, mem_mul(left, sizeof *min));
	mark_stale(f, &f->asked);
	mark_stale(f, &f->limbo);
	enum rc rc = plan_end_run(f->plan, skip, e);
	if (rc == RC_OK && m->version != version) {
		if (m->n_tokens != left || (left && memcmp(min, m->min, left * sizeof *min) != 0)) {
			give_up(f);
		} else {
			map_tests(&f->asked, rank, n);
			map_tests(&f->held, rank, n);
			map_tests(&f->limbo, rank, n);
			map_parts(&f->waiting, rank, n);
			map_parts(&f->line, rank, n);
		}
	}
	free(rank);
	free(min);
	return rc;
}
