/* SPDX-License-Identifier: MIT */
/* The pass "windows": when little is left, leave out every run of a few consecutive tokens whose brackets match, at
 * every place, long runs first. It finds what neither the grammar nor chunks of 2, 4, 8 … tokens can say, above all
 * in text that does not parse. Programs of more than MAX_LEFT tokens are left alone: the other passes are
 * cheaper there. */
#include "reduce/pass/pass.h"

#include <string.h>

#define MAX_LEFT 400   /* tokens */
#define MAX_RUN 16     /* in the longest run */
#define MAX_ASKED 3000 /* runs looked at, about, over all lengths */

struct windows {
	struct model *model;
	uint32_t *left; /* base tokens still there */
	uint32_t n_left, size, at;
};

static void *windows_start(struct model *m, uint64_t seed)
{
	struct windows *s = mem_zalloc(sizeof *s);
	(void)seed;
	s->model = m;
	s->left = mem_alloc(mem_mul((size_t)m->n + 1, sizeof *s->left));
	if (m->n > MAX_LEFT)
		return s;
	for (uint32_t i = 0; i < m->n_tokens; i++)
		if (model_has(m, i))
			s->left[s->n_left++] = i;
	s->size = MAX_ASKED / (s->n_left + 1);
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
		open += bracket(s->model, s->left[s->at + i]);
	return open == 0;
}

static bool windows_next(void *state, struct edit *out)
{
	struct windows *s = state;
	/* single tokens are the pass "tokens"'s */
	for (; s->size > 1; s->size--, s->at = 0) {
		while (s->at + s->size <= s->n_left && !balanced(s))
			s->at++;
		if (s->at + s->size > s->n_left)
			continue;
		for (uint32_t i = 0; i < s->size; i++)
			edit_remove(out, s->left[s->at + i], s->left[s->at + i] + 1);
		return true;
	}
	return false;
}

static void windows_result(void *state, bool success)
{
	struct windows *s = state;
	if (!success) {
		s->at++;
		return;
	}
	s->n_left -= s->size;
	memmove(s->left + s->at, s->left + s->at + s->size, (s->n_left - s->at) * sizeof *s->left);
}

static void *windows_clone(const void *state)
{
	const struct windows *from = state;
	struct windows *s = mem_dup(from, sizeof *from);
	s->left = mem_alloc(mem_mul((size_t)from->n_left + 1, sizeof *s->left));
	memcpy(s->left, from->left, from->n_left * sizeof *s->left);
	return s;
}

static void windows_free(void *state)
{
	struct windows *s = state;
	free(s->left);
	free(s);
}

const struct pass pass_windows = {
	"windows",
	"short runs of tokens at every place, when little is left",
	0,
	windows_start,
	windows_next,
	windows_result,
	windows_clone,
	windows_free,
};
