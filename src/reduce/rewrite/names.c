/* SPDX-License-Identifier: MIT */
/* The pass "names": one name takes the place of another of the same kind, everywhere, so that fewer are left; a
 * parameter may have the name of its function, a member that of its class. Rare names give way to frequent ones.
 * Names that are the compiler's (`__x`) or that start the program (`main`) are never taken.
 *
 * Each success leaves one name less; another pass may bring one back (`void`), which the plan watches over. All
 * candidates are alternatives to one another: of x for y and y for x only one may happen. */
#include "reduce/model/words.h"
#include "reduce/pass/pass.h"

#include "data/mem.h"

#include <string.h>

enum {
	MAX_WORDS = 400, /* of a program that is worth it */
	PER_WORD = 6     /* names asked about for a word */
};

struct naming {
	struct pass_state pass;
	struct words words;
	uint32_t *by_count; /* words, the most frequent first */
	uint32_t *is;       /* per word: the word whose name it has now */
	size_t from, to;    /* places in by_count */
	uint32_t tried;     /* names for this word */
};

static int by_count(const void *a, const void *b, void *user)
{
	const struct word *w = user, *x = &w[*(const uint32_t *)a], *y = &w[*(const uint32_t *)b];
	if (x->n != y->n)
		return x->n > y->n ? -1 : 1;
	if (x->len != y->len)
		return x->len < y->len ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

static void names_begin(void *state)
{
	struct naming *s = state;
	struct model *m = s->pass.model;
	words_init(&s->words, m);
	size_t n = s->words.n;
	s->by_count = mem_alloc(mem_mul(n + 1, sizeof *s->by_count));
	s->is = mem_alloc(mem_mul(n + 1, sizeof *s->is));
	for (uint32_t i = 0; i < n; i++)
		s->by_count[i] = s->is[i] = i;
	if (n)
		qsort_r(s->by_count, n, sizeof *s->by_count, by_count, s->words.at);
	s->from = n <= MAX_WORDS ? n : 0;
}

/* A name that is imported stays what it is. */
static bool is_fixed(const struct naming *s, const struct word *w)
{
	for (uint32_t i = w->first; i < w->first + w->n; i++)
		if (s->words.place.at[i].import)
			return true;
	return false;
}

static bool may_be_taken(const struct word *w)
{
	return !(w->len > 1 && w->text[0] == '_') && !(w->len == 4 && memcmp(w->text, "main", 4) == 0);
}

/* Whether both names stand somewhere as the same kind of thing. */
static bool alike(const struct naming *s, const struct word *x, const struct word *y)
{
	const struct word_place *p = s->words.place.at;
	for (uint32_t i = x->first; i < x->first + x->n; i++)
		if (p[i].kind == y->kind)
			return true;
	for (uint32_t i = y->first; i < y->first + y->n; i++)
		if (p[i].kind == x->kind)
			return true;
	return false;
}

/* All that has the name of word x gets that of word y. */
static bool rename_all(const struct naming *s, uint32_t x, uint32_t y, struct edit *out)
{
	const struct word *to = &s->words.at[y];
	for (uint32_t w = 0; w < s->words.n; w++) {
		const struct word *from = &s->words.at[w];
		for (uint32_t i = from->first; s->is[w] == x && i < from->first + from->n; i++) {
			const struct word_place *p = &s->words.place.at[i];
			if (model_has(s->pass.model, p->token))
				edit_rewrite(out, p->token, words_symbol(s->pass.model, p, to->text, to->len));
		}
	}
	return out->rewrite.n > 0;
}

static enum made names_next(void *state, struct candidate *out, enum guess guess)
{
	struct naming *s = state;
	(void)guess;
	for (; s->from > 0; s->from--, s->to = s->tried = 0) {
		uint32_t x = s->by_count[s->from - 1];
		while (s->is[x] == x && !is_fixed(s, &s->words.at[x]) && s->to < s->words.n && s->tried < PER_WORD) {
			uint32_t y = s->by_count[s->to++];
			if (y == x || s->is[y] != y || s->words.at[y].len > s->words.at[x].len ||
			    !may_be_taken(&s->words.at[y]) || !alike(s, &s->words.at[x], &s->words.at[y]) ||
			    !rename_all(s, x, y, &out->edit))
				continue;
			s->tried++;
			out->class = CLASS_REPLACE;
			out->group = 1;
			out->from = x;
			out->to = y;
			return MADE_ONE;
		}
	}
	return MADE_END;
}

static void names_result(void *state, const struct candidate *c, bool success)
{
	struct naming *s = state;
	if (!success)
		return;
	for (uint32_t i = 0; i < s->words.n; i++)
		if (s->is[i] == c->from)
			s->is[i] = c->to;
}

static void names_release(void *state)
{
	struct naming *s = state;
	words_release(&s->words);
	free(s->by_count);
	free(s->is);
}

static const struct pass_frame frame = {sizeof(struct naming), names_next, names_result, names_release, NULL};

const struct pass pass_names = {"names", "one name takes the place of another", PASS_TREE | PASS_FIXPOINT, names_begin,
				&frame};
