/* SPDX-License-Identifier: MIT */
/* The passes "tokens", "lines" and "pieces": leave out chunks of consecutive tokens or lines, blind to syntax, from the
 * end to the start, with chunks of half the size each time. They find what a grammar does not allow or cannot say: a
 * keyword too many, two halves of statements that belong together. "pieces" is for the characters of what has no other
 * structure: from everything down to one, and only one by one where little is left. */
#include "reduce/syntax/syntax.h"
#include "reduce/pass/left.h"
#include "reduce/pass/pass.h"

#include <string.h>

#define FEW_PIECES 128 /* too few to begin with chunks */
#define MAX_TOKENS 16  /* in the largest chunk: more is rarely a sensible piece of several constructs */

struct chunks {
	struct model *model;
	struct spans item;
	struct left left;
	uint32_t chunk, from; /* the next chunk ends before left.at[from] */
	uint32_t open;        /* candidates undecided */
};

/* Takes the items over. */
static void *chunks_start(struct model *m, struct spans *items, uint32_t largest)
{
	struct chunks *s = mem_zalloc(sizeof *s);
	s->model = m;
	s->item = *items;
	left_init(&s->left, (uint32_t)items->n);
	s->chunk = largest < s->left.n ? largest : s->left.n;
	s->from = s->left.n;
	return s;
}

/* Between two sweeps: drops items that went by another way (a merged success). */
static void drop_gone(struct chunks *s)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->left.n; i++) {
		struct span sp = s->item.at[s->left.at[i]];
		if (model_count(s->model, sp.from, sp.to))
			s->left.at[n++] = s->left.at[i];
	}
	s->left.n = n;
}

static enum made chunks_next(void *state, struct candidate *out, enum guess guess)
{
	struct chunks *s = state;
	if (!s->from) {
		if (s->open && !guess)
			return MADE_NONE;
		drop_gone(s);
		s->chunk /= 2;
		s->from = s->left.n;
	}
	if (!s->chunk || !s->left.n)
		return s->open ? MADE_NONE : MADE_END;
	uint32_t to = s->from;
	s->from -= s->chunk < to ? s->chunk : to;
	for (uint32_t i = s->from; i < to; i++)
		edit_remove(&out->edit, s->item.at[s->left.at[i]].from, s->item.at[s->left.at[i]].to);
	out->from = s->left.at[s->from];
	out->to = s->left.at[to - 1];
	out->class = class_of_size(s->chunk);
	s->open++;
	return MADE_ONE;
}

static void chunks_result(void *state, const struct candidate *c, bool success)
{
	struct chunks *s = state;
	s->open--;
	if (success)
		left_remove(&s->left, c->from, c->to, &s->from);
}

static void chunks_free(void *state)
{
	struct chunks *s = state;
	vec_release(&s->item);
	left_release(&s->left);
	free(s);
}

static void *tokens_start(struct model *m, uint64_t seed)
{
	struct spans items = {0};
	(void)seed;
	for (uint32_t i = 0; i < m->n_tokens; i++)
		if (model_has(m, i))
			vec_push(&items, ((struct span){i, i + 1}));
	return chunks_start(m, &items, MAX_TOKENS);
}

static void *pieces_start(struct model *m, uint64_t seed)
{
	struct chunks *s = tokens_start(m, seed);
	s->chunk = s->left.n > FEW_PIECES ? s->left.n / 2 : 1;
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
	return chunks_start(m, &items, UINT32_MAX);
}

const struct pass pass_tokens = {
	.name = "tokens",
	.summary = "chunks of consecutive tokens, blind to syntax",
	.flags = PASS_FIXPOINT,
	.start = tokens_start,
	.next = chunks_next,
	.result = chunks_result,
	.free = chunks_free,
};

const struct pass pass_lines = {
	.name = "lines",
	.summary = "chunks of consecutive lines, blind to syntax",
	.flags = PASS_FIXPOINT,
	.start = lines_start,
	.next = chunks_next,
	.result = chunks_result,
	.free = chunks_free,
};

const struct pass pass_pieces = {
	.name = "pieces",
	.summary = "chunks of characters, down to one",
	.flags = PASS_FIXPOINT,
	.start = pieces_start,
	.next = chunks_next,
	.result = chunks_result,
	.free = chunks_free,
};
