/* SPDX-License-Identifier: MIT */
/* The pass "ddmin": Zeller's algorithm over the tokens of all files, blind to syntax. The baseline of the literature.
 */
#include "reduce/pass/ddmin.h"
#include "reduce/pass/pass.h"

static void tokens_begin(void *state)
{
	struct ddmin *s = state;
	const struct model *m = s->pass.model;
	uint32_t *tokens = mem_alloc(mem_mul(m->n, sizeof *tokens));
	uint32_t n = 0;
	for (uint32_t i = 0; i < m->n_tokens; i++)
		if (model_has(m, i))
			tokens[n++] = i;
	ddmin_init(s, tokens, n);
	free(tokens);
}

static enum made tokens_next(void *state, struct candidate *out, enum guess guess)
{
	struct ddmin *s = state;
	enum made made = ddmin_next(s, out, guess);
	if (made != MADE_ONE)
		return made;
	/* tokens that are not items are gone already: a chunk is one span */
	if (s->complement) {
		edit_remove(&out->edit, out->from, out->to + 1);
	} else {
		edit_remove(&out->edit, 0, out->from);
		edit_remove(&out->edit, out->to + 1, s->pass.model->n_tokens);
	}
	return MADE_ONE;
}

static const struct pass_frame frame = {sizeof(struct ddmin), tokens_next, ddmin_result, ddmin_release, NULL};

const struct pass pass_ddmin = {"ddmin", "delta debugging over tokens (Zeller's ddmin)", 0, tokens_begin, &frame};
