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

static bool ddmin_pass_next(void *state, struct edit *out)
{
	struct ddmin_pass *s = state;
	if (!ddmin_next(&s->dd))
		return false;
	/* tokens that are not items are gone already: a chunk is one span */
	const uint32_t *item = s->dd.items->at;
	uint32_t from = item[s->dd.from], to = item[s->dd.to - 1] + 1;
	if (s->dd.complement) {
		edit_remove(out, from, to);
	} else {
		edit_remove(out, 0, from);
		edit_remove(out, to, s->model->n_tokens);
	}
	return true;
}

static void ddmin_pass_result(void *state, bool success)
{
	struct ddmin_pass *s = state;
	ddmin_result(&s->dd, success);
}

static void *ddmin_pass_clone(const void *state)
{
	const struct ddmin_pass *from = state;
	struct ddmin_pass *s = mem_dup(from, sizeof *from);
	ddmin_copy(&s->dd, &from->dd);
	return s;
}

static void ddmin_pass_free(void *state)
{
	struct ddmin_pass *s = state;
	ddmin_release(&s->dd);
	free(s);
}

const struct pass pass_ddmin = {
	"ddmin",
	"delta debugging over tokens (Zeller's ddmin)",
	0,
	ddmin_pass_start,
	ddmin_pass_next,
	ddmin_pass_result,
	ddmin_pass_clone,
	ddmin_pass_free,
};
