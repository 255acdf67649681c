/* SPDX-License-Identifier: MIT */
/* Rewriting passes as a list: see proposals.h. */
#include "reduce/pass/proposals.h"

#include "reduce/model/spans.h"
#include "reduce/model/symbols.h"

#include <string.h>

enum {
	MAX_PROPOSALS = 200000,
	MAX_LEFT = 20000 /* tokens of a program that is worth a forest */
};

static void proposals_release(void *state)
{
	struct proposals *p = state;
	for (size_t i = 0; i < p->n; i++)
		edit_release(&p->at[i].edit);
	vec_release(p);
	edit_release(&p->edit);
	vec_release(&p->extra);
	free(p->before);
}

void proposal_remove(struct proposals *p, uint32_t from, uint32_t to)
{
	edit_remove(&p->edit, from, to);
}

void proposal_replace(struct proposals *p, struct span span, const char *text, size_t len, uint32_t n_tokens)
{
	edit_rewrite(&p->edit, span.from, model_symbol(p->pass.model, span.from, text, len));
	edit_remove(&p->edit, span.from + 1, span.to);
	vec_push(&p->extra, n_tokens - 1);
}

/* Leaves only the first rewrite of each token that stays. Returns how many tokens those add. */
static uint32_t settle_rewrites(const struct proposals *p, struct edit *e)
{
	size_t n = 0;
	uint32_t added = 0;
	for (size_t i = 0; i < e->rewrite.n; i++) {
		struct rewrite r = e->rewrite.at[i];
		bool twice = false;
		for (size_t k = 0; k < n; k++)
			twice |= e->rewrite.at[k].token == r.token;
		if (twice || spans_have(&e->remove, r.token))
			continue;
		e->rewrite.at[n++] = r;
		added += p->extra.at[i];
	}
	e->rewrite.n = n;
	return added;
}

/* Bytes of a token. `void` counts as less than any other type: a function that returns nothing is simpler. */
static int64_t bytes_of(const struct symbol *y)
{
	return y->len == 4 && memcmp(y->text, "void", 4) == 0 ? 1 : y->len;
}

/* > 0: the edit makes the text shorter; < 0: longer. */
static int64_t bytes_gained(const struct proposals *p, const struct edit *e)
{
	const struct symbol *y = p->pass.model->symbols->at;
	int64_t gained = 0;
	for (size_t i = 0; i < e->remove.n; i++)
		for (uint32_t t = e->remove.at[i].from; t < e->remove.at[i].to; t++)
			gained += bytes_of(&y[p->before[t]]);
	for (size_t i = 0; i < e->rewrite.n; i++)
		gained += bytes_of(&y[p->before[e->rewrite.at[i].token]]) - bytes_of(&y[e->rewrite.at[i].sym]);
	return gained;
}

/* Whether the first token that changes becomes smaller by its bytes. */
static bool orders_before(const struct proposals *p, const struct edit *e)
{
	const struct symbol *y = p->pass.model->symbols->at;
	const struct rewrite *first = NULL;
	for (size_t i = 0; i < e->rewrite.n; i++)
		if (e->rewrite.at[i].sym != p->before[e->rewrite.at[i].token] &&
		    (!first || e->rewrite.at[i].token < first->token))
			first = &e->rewrite.at[i];
	if (!first)
		return false;
	const struct symbol *a = &y[first->sym], *b = &y[p->before[first->token]];
	int c = memcmp(a->text, b->text, a->len < b->len ? a->len : b->len);
	return c ? c < 0 : a->len < b->len;
}

void proposal_drop(struct proposals *p)
{
	edit_clear(&p->edit);
	vec_clear(&p->extra);
}

bool proposal_end(struct proposals *p, uint32_t group)
{
	struct edit e = {0};
	spans_sort(&e.remove, &p->edit.remove);
	e.rewrite = p->edit.rewrite;
	p->edit.rewrite = (struct rewrites){0};
	uint32_t added = settle_rewrites(p, &e), removed = 0;
	for (size_t i = 0; i < e.remove.n; i++)
		removed += e.remove.at[i].to - e.remove.at[i].from;
	bool smaller = removed > added;
	if (removed == added && (e.rewrite.n || removed)) {
		int64_t bytes = bytes_gained(p, &e);
		smaller = bytes > 0 || (bytes == 0 && orders_before(p, &e));
	}
	proposal_drop(p);
	if (smaller && p->n < MAX_PROPOSALS)
		vec_push(p, ((struct proposal){e, removed - added, (uint32_t)p->n, group}));
	else
		edit_release(&e);
	return smaller;
}

static int by_gain(const void *a, const void *b)
{
	const struct proposal *x = a, *y = b;
	if (x->gain != y->gain)
		return x->gain > y->gain ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

/* Whether all that the edit is about is as it was when the pass began. */
static bool is_intact(const struct proposals *p, const struct edit *e)
{
	const struct model *m = p->pass.model;
	for (size_t i = 0; i < e->remove.n; i++) {
		struct span s = e->remove.at[i];
		if (model_count(m, s.from, s.to) != s.to - s.from)
			return false;
		for (uint32_t t = s.from; t < s.to; t++)
			if (m->sym[t] != p->before[t])
				return false;
	}
	for (size_t i = 0; i < e->rewrite.n; i++) {
		uint32_t t = e->rewrite.at[i].token;
		if (!model_has(m, t) || m->sym[t] != p->before[t])
			return false;
	}
	return true;
}

bool proposals_init(struct proposals *p)
{
	const struct model *m = p->pass.model;
	p->before = mem_dup(m->sym, mem_mul(m->n_tokens, sizeof *m->sym));
	return m->n <= MAX_LEFT;
}

void proposals_sort(struct proposals *p)
{
	if (p->n)
		qsort(p->at, p->n, sizeof *p->at, by_gain);
}

static void look_at_files(struct proposals *p, const struct forest *f, proposals_look *look)
{
	const struct model *m = p->pass.model;
	for (size_t i = 0; i < m->n_files; i++)
		if (m->file[i].tree)
			look(p, f, i);
	proposals_sort(p);
}

void proposals_of_files(struct proposals *p, proposals_look *look)
{
	proposals_init(p);
	look_at_files(p, NULL, look);
}

void proposals_of_forest(struct proposals *p, proposals_look *look)
{
	struct forest f;
	if (!proposals_init(p))
		return;
	forest_init(&f, p->pass.model);
	look_at_files(p, &f, look);
	forest_release(&f);
}

static enum made proposals_next(void *state, struct candidate *out, enum guess guess)
{
	struct proposals *p = state;
	(void)guess;
	while (p->next < p->n) {
		const struct proposal *x = &p->at[p->next++];
		if (!is_intact(p, &x->edit))
			continue;
		edit_add(&out->edit, &x->edit);
		out->class = CLASS_REPLACE;
		out->group = x->group;
		return MADE_ONE;
	}
	return MADE_END;
}

const struct pass_frame proposals_frame = {sizeof(struct proposals), proposals_next, NULL, proposals_release, NULL};
