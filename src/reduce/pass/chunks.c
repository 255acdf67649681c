/* SPDX-License-Identifier: MIT */
/* The passes "tokens" and "lines": leave out chunks of consecutive tokens or lines, blind to syntax, from the end to
 * the start, with chunks of half the size each time. They find what a grammar does not allow or cannot say: a keyword
 * too many, two halves of statements that belong together. */
#include "reduce/syntax/syntax.h"
#include "reduce/pass/pass.h"

#include <string.h>

#define MAX_TOKENS 16 /* in the largest chunk: more is rarely a sensible piece of several constructs */

struct spans_shared {
	uint32_t refs, n;
	struct span at[];
};

struct chunks {
	struct model *model;
	struct spans_shared *item;
	uint32_t *left; /* items still there */
	uint32_t n_left, chunk;
	uint32_t from, to; /* of left */
};

static void *chunks_start(struct model *m, const struct spans *items, uint32_t largest)
{
	struct chunks *s = mem_zalloc(sizeof *s);
	s->model = m;
	s->item = mem_alloc(mem_add(sizeof *s->item, mem_mul(items->n, sizeof *items->at)));
	s->item->refs = 1;
	s->item->n = s->n_left = (uint32_t)items->n;
	if (items->n)
		memcpy(s->item->at, items->at, items->n * sizeof *items->at);
	s->left = mem_alloc(mem_mul(items->n, sizeof *s->left));
	for (uint32_t i = 0; i < s->n_left; i++)
		s->left[i] = i;
	s->chunk = largest < s->n_left ? largest : s->n_left;
	s->from = s->n_left;
	return s;
}

static bool chunks_next(void *state, struct edit *out)
{
	struct chunks *s = state;
	if (!s->from) {
		s->chunk /= 2;
		s->from = s->n_left;
	}
	if (!s->chunk || !s->n_left)
		return false;
	s->to = s->from;
	s->from -= s->chunk < s->from ? s->chunk : s->from;
	for (uint32_t i = s->from; i < s->to; i++)
		edit_remove(out, s->item->at[s->left[i]].from, s->item->at[s->left[i]].to);
	return true;
}

static void chunks_result(void *state, bool success)
{
	struct chunks *s = state;
	if (!success)
		return;
	memmove(s->left + s->from, s->left + s->to, (s->n_left - s->to) * sizeof *s->left);
	s->n_left -= s->to - s->from;
}

static void *chunks_clone(const void *state)
{
	const struct chunks *from = state;
	struct chunks *s = mem_dup(from, sizeof *from);
	s->item->refs++;
	s->left = mem_dup(from->left, mem_mul(from->n_left, sizeof *from->left));
	return s;
}

static void chunks_free(void *state)
{
	struct chunks *s = state;
	if (--s->item->refs == 0)
		free(s->item);
	free(s->left);
	free(s);
}

static void *tokens_start(struct model *m, uint64_t seed)
{
	struct spans items = {0};
	(void)seed;
	for (uint32_t i = 0; i < m->n_tokens; i++)
		if (model_has(m, i))
			vec_push(&items, ((struct span){i, i + 1}));
	void *s = chunks_start(m, &items, MAX_TOKENS);
	vec_release(&items);
	return s;
}

/* Tokens that stand on one line of the base's text. */
static void *lines_start(struct model *m, uint64_t seed)
{
	struct spans items = {0};
	(void)seed;
	for (size_t f = 0; f < m->n_files; f++) {
		const struct syntax *x = m->file[f].syntax;
		uint32_t at = 0;
		for (uint32_t t = 0; t < x->n_tokens; t++) {
			uint32_t base = m->file[f].first + t;
			bool fresh = t == 0 || memchr(x->text + at, '\n', x->token[t].at - at);
			at = x->token[t].at;
			if (!model_has(m, base))
				continue;
			if (fresh || !items.n)
				vec_push(&items, ((struct span){base, base + 1}));
			else
				vec_last(&items).to = base + 1;
		}
	}
	void *s = chunks_start(m, &items, UINT32_MAX);
	vec_release(&items);
	return s;
}

const struct pass pass_tokens = {
	"tokens",      "chunks of consecutive tokens, blind to syntax",
	PASS_FIXPOINT, tokens_start,
	chunks_next,   chunks_result,
	chunks_clone,  chunks_free,
};

const struct pass pass_lines = {
	"lines",       "chunks of consecutive lines, blind to syntax",
	PASS_FIXPOINT, lines_start,
	chunks_next,   chunks_result,
	chunks_clone,  chunks_free,
};
