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
	struct left_state l; /* base tokens still there */
	uint32_t size;
};

static void windows_begin(void *state)
{
	struct windows *s = state;
	struct model *m = s->l.pass.model;
	if (m->n > MAX_LEFT)
		return;
	left_init(&s->l.left, m->n);
	for (uint32_t i = 0, n = 0; i < m->n_tokens; i++)
		if (model_has(m, i))
			s->l.left.at[n++] = i;
	s->size = MAX_ASKED / (s->l.left.n + 1);
	if (s->size > MAX_RUN)
		s->size = MAX_RUN;
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
		open += bracket(s->l.pass.model, s->l.left.at[s->l.at + i]);
	return open == 0;
}

/* Between two sizes: drops tokens that went by another way (a merged success). */
static void drop_gone(struct windows *s)
{
	uint32_t n = 0;
	for (uint32_t i = 0; i < s->l.left.n; i++)
		if (model_has(s->l.pass.model, s->l.left.at[i]))
			s->l.left.at[n++] = s->l.left.at[i];
	s->l.left.n = n;
}

static enum made windows_next(void *state, struct candidate *out, enum guess guess)
{
	struct windows *s = state;
	/* single tokens are the pass "tokens"'s */
	for (; s->size > 1; s->size--, s->l.at = 0, drop_gone(s)) {
		while (s->l.at + s->size <= s->l.left.n && !balanced(s))
			s->l.at++;
		if (s->l.at + s->size > s->l.left.n) {
			if (s->l.pass.open && !guess)
				return MADE_NONE;
			continue;
		}
		for (uint32_t i = 0; i < s->size; i++)
			edit_remove(&out->edit, s->l.left.at[s->l.at + i], s->l.left.at[s->l.at + i] + 1);
		out->from = s->l.left.at[s->l.at];
		out->to = s->l.left.at[s->l.at + s->size - 1];
		s->l.at++;
		return MADE_ONE;
	}
	return MADE_END;
}

static void windows_release(void *state)
{
	struct windows *s = state;
	left_release(&s->l.left);
}

static const struct pass_frame frame = {sizeof(struct windows), windows_next, left_result, windows_release, NULL};

const struct pass pass_windows = {"windows", "short runs of tokens at every place, when little is left", 0,
				  windows_begin, &frame};
