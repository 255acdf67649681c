/* SPDX-License-Identifier: MIT */
/* The pass "brackets": for each pair of brackets, the one with most inside first, leave out the pair with its contents,
 * then the contents, then the pair around them. */
#include "reduce/syntax/syntax.h"
#include "reduce/pass/pass.h"

#include <string.h>

struct pair {
	uint32_t open, close; /* base tokens */
};

struct pairs {
	VEC_FIELDS(struct pair);
};

enum { WITH_CONTENTS, CONTENTS, AROUND, N_WAYS };

struct brackets {
	struct pass_state pass;
	struct pairs pairs;
	size_t next;
	unsigned way;
};

static int by_size(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	uint32_t n = x->close - x->open, m = y->close - y->open;
	if (n != m)
		return n > m ? -1 : 1;
	return x->open < y->open ? -1 : x->open > y->open;
}

/* A closing bracket pairs with the last open one if that is of its kind; else it is left out. */
static void find_pairs(struct model *m, const struct base_file *f, struct pairs *out)
{
	struct {
		VEC_FIELDS(uint32_t);
	} open = {0};
	const struct syntax *x = f->syntax;
	for (uint32_t t = 0; t < f->n; t++) {
		const struct syn_token *k = &x->token[t];
		char c = k->len == 1 ? x->text[k->at] : 0;
		if (!c || !model_has(m, f->first + t))
			continue;
		if (c == '(' || c == '[' || c == '{') {
			vec_push(&open, t);
		} else if ((c == ')' || c == ']' || c == '}') && open.n) {
			char o = x->text[x->token[vec_last(&open)].at];
			if ((o == '(' && c == ')') || (o == '[' && c == ']') || (o == '{' && c == '}'))
				vec_push(out, ((struct pair){f->first + vec_pop(&open), f->first + t}));
		}
	}
	vec_release(&open);
}

static void brackets_begin(void *state)
{
	struct brackets *s = state;
	struct model *m = s->pass.model;
	for (size_t i = 0; i < m->n_files; i++)
		find_pairs(m, &m->file[i], &s->pairs);
	if (s->pairs.n)
		qsort(s->pairs.at, s->pairs.n, sizeof *s->pairs.at, by_size);
}

static enum made brackets_next(void *state, struct candidate *out, enum guess guess)
{
	struct brackets *s = state;
	(void)guess;
	for (; s->next < s->pairs.n; s->next++, s->way = 0) {
		struct pair p = s->pairs.at[s->next];
		/* a pair that is gone is skipped */
		if (s->way == N_WAYS || !model_has(s->pass.model, p.open) || !model_has(s->pass.model, p.close))
			continue;
		if (s->way == WITH_CONTENTS) {
			edit_remove(&out->edit, p.open, p.close + 1);
		} else if (s->way == CONTENTS) {
			edit_remove(&out->edit, p.open + 1, p.close);
		} else {
			edit_remove(&out->edit, p.open, p.open + 1);
			edit_remove(&out->edit, p.close, p.close + 1);
		}
		out->class = s->way;
		s->way++;
		return MADE_ONE;
	}
	return MADE_END;
}

static void brackets_release(void *state)
{
	struct brackets *s = state;
	vec_release(&s->pairs);
}

static const struct pass_frame frame = {sizeof(struct brackets), brackets_next, NULL, brackets_release, NULL};

const struct pass pass_brackets = {"brackets", "pairs of brackets with, without and around their contents",
				   PASS_FIXPOINT, brackets_begin, &frame};
