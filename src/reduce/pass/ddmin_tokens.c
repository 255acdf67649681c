/* SPDX-License-Identifier: MIT */
/* The pass "ddmin": Zeller's algorithm over the tokens of all files, blind to syntax. The baseline of the literature.
 */
#include "reduce/pass/ddmin.h"
#include "reduce/pass/pass.h"

struct ddmin_pass {
	struct model *model;
	struct ddmin dd;
};

static void *ddmin_pass_start(struct model *m, uint64_t seed)
{
	(void)seed;
	struct ddmin_pass *s = mem_zalloc(sizeof *s);
	uint32_t *tokens = mem_alloc(mem_mul(m->n, sizeof *tokens));
	uint32_t n = 0;
	for (uint32_t i = 0; i < m->n_tokens; i++)
		if (model_has(m, i))
			tokens[n++] = i;
	s->model = m;
	ddmin_init(&s->dd, tokens, n);
	free(tokens);
	return s;
}

static enum made ddmin_pass_next(void *state, struct candidate *out, enum guess guess)
{
	struct ddmin_pass *s = state;
	enum made made = ddmin_next(&s->dd, out, guess);
	if (made != MADE_ONE)
		return made;
	/* tokens that are not items are gone already: a chunk is one span */
	if (s->dd.complement) {
		edit_remove(&out->edit, out->from, out->to + 1);
	} else {
		edit_remove(&out->edit, 0, out->from);
		edit_remove(&out->edit, out->to + 1, s->model->n_tokens);
	}
	return MADE_ONE;
}

static void ddmin_pass_result(void *state, const struct candidate *c, bool success)
{
	struct ddmin_pass *s = state;
	ddmin_result(&s->dd, c, success);
}

static void ddmin_pass_free(void *state)
{
	struct ddmin_pass *s = state;
	ddmin_release(&s->dd);
	free(s);
}

const struct pass pass_ddmin = {
	.name = "ddmin",
	.summary = "delta debugging over tokens (Zeller's ddmin)",
	.start = ddmin_pass_start,
	.next = ddmin_pass_next,
	.result = ddmin_pass_result,
	.free = ddmin_pass_free,
};
