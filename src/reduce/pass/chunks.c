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
	struct left_state l; /* the next chunk ends before its place */
	struct spans item;
	uint32_t chunk;
};

/* The items are there. */
static void begin_with(struct chunks *s, uint32_t largest)
{
	left_init(&s->l.left, (uint32_t)s->item.n);
	s->chunk = largest < s->l.left.n ? largest : s->l.left.n;
	s->l.at = s->l.left.n;
}

/* Between two sweeps: drops items that went by another way (a merged success). */
static void drop_gone(struct chunks *s)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->l.left.n; i++) {
		struct span sp = s->item.at[s->l.left.at[i]];
		if (model_count(s->l.pass.model, sp.from, sp.to))
			s->l.left.at[n++] = s->l.left.at[i];
	}
	s->l.left.n = n;
}

static enum made chunks_next(void *state, struct candidate *out, enum guess guess)
{
	struct chunks *s = state;
	if (!s->l.at) {
		if (s->l.pass.open && !guess)
			return MADE_NONE;
		drop_gone(s);
		s->chunk /= 2;
		s->l.at = s->l.left.n;
	}
	if (!s->chunk || !s->l.left.n)
		return MADE_END;
	uint32_t to = s->l.at;
	s->l.at -= s->chunk < to ? s->chunk : to;
	for (uint32_t i = s->l.at; i < to; i++)
		edit_remove(&out->edit, s->item.at[s->l.left.at[i]].from, s->item.at[s->l.left.at[i]].to);
	out->from = s->l.left.at[s->l.at];
	out->to = s->l.left.at[to - 1];
	out->class = class_of_size(s->chunk);
	return MADE_ONE;
}

static void chunks_release(void *state)
{
	struct chunks *s = state;
	vec_release(&s->item);
	left_release(&s->l.left);
}

static void tokens_begin(void *state)
{
	struct chunks *s = state;
	const struct model *m = s->l.pass.model;
	for (uint32_t i = 0; i < m->n_tokens; i++)
		if (model_has(m, i))
			vec_push(&s->item, ((struct span){i, i + 1}));
	begin_with(s, MAX_TOKENS);
}

static void pieces_begin(void *state)
{
	struct chunks *s = state;
	tokens_begin(s);
	s->chunk = s->l.left.n > FEW_PIECES ? s->l.left.n / 2 : 1;
}

/* Tokens that stand on one line of the base's text. */
static void lines_begin(void *state)
{
	struct chunks *s = state;
	const struct model *m = s->l.pass.model;
	for (size_t f = 0; f < m->n_files; f++) {
		const struct syntax *x = m->file[f].syntax;
		uint32_t at = 0;
		for (uint32_t t = 0; t < x->n_tokens; t++) {
			uint32_t base = m->file[f].first + t;
			bool fresh = t == 0 || memchr(x->text + at, '\n', x->token[t].at - at);
			at = x->token[t].at;
			if (!model_has(m, base))
				continue;
			if (fresh || !s->item.n)
				vec_push(&s->item, ((struct span){base, base + 1}));
			else
				vec_last(&s->item).to = base + 1;
		}
	}
	begin_with(s, UINT32_MAX);
}

static const struct pass_frame frame = {sizeof(struct chunks), chunks_next, left_result, chunks_release, NULL};

const struct pass pass_tokens = {"tokens", "chunks of consecutive tokens, blind to syntax", PASS_FIXPOINT, tokens_begin,
				 &frame};
const struct pass pass_lines = {"lines", "chunks of consecutive lines, blind to syntax", PASS_FIXPOINT, lines_begin,
				&frame};
const struct pass pass_pieces = {"pieces", "chunks of characters, down to one", PASS_FIXPOINT, pieces_begin, &frame};
