/* SPDX-License-Identifier: MIT */
/* The pass "rename": names become short ones that are not in use: `a`, `b`, `c` …, all at once, then half by half.
 * The pass "chars" shortens what is left letter by letter. */
#include "reduce/model/words.h"
#include "reduce/pass/halves.h"
#include "reduce/pass/pass.h"

#include "data/mem.h"

#include <string.h>

enum { N_SHORT = 26, MAX_QUESTIONS = 40 };

struct renaming {
	struct pass_state pass;
	struct words words;
	struct {
		VEC_FIELDS(uint32_t);
	} order;          /* words, what gains most first */
	char to[N_SHORT]; /* the new name of each of them */
	struct halves halves;
};

static bool is_renamed(const struct renaming *s, const struct word *w)
{
	if (w->len < 2 || w->text[0] == '_' || (w->len == 4 && memcmp(w->text, "main", 4) == 0))
		return false;
	for (uint32_t i = w->first; i < w->first + w->n; i++)
		if (s->words.place.at[i].import)
			return false;
	return true;
}

static int by_gain(const void *a, const void *b, void *user)
{
	const struct word *w = user, *x = &w[*(const uint32_t *)a], *y = &w[*(const uint32_t *)b];
	uint64_t n = (uint64_t)(x->len - 1) * x->n, m = (uint64_t)(y->len - 1) * y->n;
	if (n != m)
		return n > m ? -1 : 1;
	return x->first < y->first ? -1 : x->first > y->first;
}

/* The letters that no token of the program is. */
static size_t free_letters(const struct model *m, const struct words *words, char *out)
{
	bool used[N_SHORT] = {0};
	size_t n = 0;
	for (uint32_t i = 0; i < m->n_tokens; i++) {
		size_t len;
		const char *text = model_text(m, i, &len);
		if (len == 1 && *text >= 'a' && *text <= 'z')
			used[*text - 'a'] = true;
	}
	for (size_t i = 0; i < words->n; i++)
		if (words->at[i].len == 1 && words->at[i].text[0] >= 'a' && words->at[i].text[0] <= 'z')
			used[words->at[i].text[0] - 'a'] = true;
	for (int i = 0; i < N_SHORT; i++)
		if (!used[i])
			out[n++] = (char)('a' + i);
	return n;
}

static void rename_begin(void *state)
{
	struct renaming *s = state;
	struct model *m = s->pass.model;
	words_init(&s->words, m);
	for (uint32_t i = 0; i < s->words.n; i++)
		if (is_renamed(s, &s->words.at[i]))
			vec_push(&s->order, i);
	if (s->order.n)
		qsort_r(s->order.at, s->order.n, sizeof *s->order.at, by_gain, s->words.at);
	size_t n = free_letters(m, &s->words, s->to);
	if (s->order.n > n)
		s->order.n = n;
	halves_start(&s->halves, 0, (uint32_t)s->order.n);
	s->halves.limit = MAX_QUESTIONS;
}

static enum made rename_next(void *state, struct candidate *out, enum guess guess)
{
	struct renaming *s = state;
	enum made made = halves_next(&s->halves, guess);
	if (made != MADE_ONE)
		return made;
	for (uint32_t i = s->halves.asked.from; i < s->halves.asked.to; i++) {
		const struct word *w = &s->words.at[s->order.at[i]];
		for (uint32_t k = w->first; k < w->first + w->n; k++) {
			const struct word_place *p = &s->words.place.at[k];
			edit_rewrite(&out->edit, p->token, words_symbol(s->pass.model, p, &s->to[i], 1));
		}
	}
	halves_ask(&s->halves, out);
	out->class = CLASS_REPLACE;
	return MADE_ONE;
}

static void rename_result(void *state, const struct candidate *c, bool success)
{
	struct renaming *s = state;
	halves_result(&s->halves, c, success);
}

static void rename_release(void *state)
{
	struct renaming *s = state;
	words_release(&s->words);
	vec_release(&s->order);
	halves_release(&s->halves);
}

static const struct pass_frame frame = {sizeof(struct renaming), rename_next, rename_result, rename_release, NULL};

const struct pass pass_rename = {"rename", "names become single letters", PASS_TREE | PASS_WHOLE, rename_begin, &frame};
