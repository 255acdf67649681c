/* SPDX-License-Identifier: MIT */
/* The pass "windows": when little is left, leave out every run of a few consecutive tokens whose brackets match, at
 * every place, long runs first. It finds what neither the grammar nor chunks of 2, 4, 8 … tokens can say, above all
 * in text that does not parse. Programs of more than MAX_LEFT tokens are left alone: the other passes are
 * cheaper there. */
#include "reduce/pass/left.h"
#include "reduce/pass/pass.h"

#include <string.h>

#define MAX_LEFT 400   /* tokens */
#define MAX_RUN 16     /* in the longest run */
#define MAX_ASKED 3000 /* runs looked at, about, over all lengths */

struct windows {
	struct model *model;
	struct left left; /* base tokens still there */
	uint32_t size, at;
	uint32_t open; /* candidates undecided */
};

static void *windows_start(struct model *m, uint64_t seed)
{
	struct windows *s = mem_zalloc(sizeof *s);
	(void)seed;
	s->model = m;
	if (m->n > MAX_LEFT)
		return s;
	left_init(&s->left, m->n);
	for (uint32_t i = 0, n = 0; i < m->n_tokens; i++)
		if (model_has(m, i))
			s->left.at[n++] = i;
	s->size = MAX_ASKED / (s->left.n + 1);
	if (s->size > MAX_RUN)
		s->size = MAX_RUN;
	return s;
}

static int bracket(const struct model *m, uint32_t token)
{
	size_t len;
	const char *text = model_text(m, token, &len);
	if (len != 1)
		return 0;
	return strchr("([{", text[0]) ? 1 : strchr(")]}", text[0]) ? -1 : 0;
}

static bool balanced(const struct windows *s)
{
	int open = 0;
	for (uint32_t i = 0; i < s->size && open >= 0; i++)
		open += bracket(s->model, s->left.at[s->at + i]);
	return open == 0;
}

/* Between two sizes: drops tokens that went by another way (a merged success). */
static void drop_gone(struct windows *s)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->left.n; i++)
		if (model_has(s->model, s->left.at[i]))
			s->left.at[n++] = s->left.at[i];
	s->left.n = n;
}

static enum made windows_next(void *state, struct candidate *out, enum guess guess)
{
	struct windows *s = state;
	/* single tokens are the pass "tokens"'s */
	for (; s->size > 1; s->size--, s->at = 0, drop_gone(s)) {
		while (s->at + s->size <= s->left.n && !balanced(s))
			s->at++;
		if (s->at + s->size > s->left.n) {
			if (s->open && !guess)
				return MADE_NONE;
			continue;
		}
		for (uint32_t i = 0; i < s->size; i++)
			edit_remove(&out->edit, s->left.at[s->at + i], s->left.at[s->at + i] + 1);
		out->from = s->left.at[s->at];
		out->to = s->left.at[s->at + s->size - 1];
		s->at++;
		s->open++;
		return MADE_ONE;
	}
	return s->open ? MADE_NONE : MADE_END;
}

static void windows_result(void *state, const struct candidate *c, bool success)
{
	struct windows *s = state;
	s->open--;
	if (success)
		left_remove(&s->left, c->from, c->to, &s->at);
}

static void windows_free(void *state)
{
	struct windows *s = state;
	left_release(&s->left);
	free(s);
}

const struct pass pass_windows = {
	.name = "windows",
	.summary = "short runs of tokens at every place, when little is left",
	.start = windows_start,
	.next = windows_next,
	.result = windows_result,
	.free = windows_free,
};
