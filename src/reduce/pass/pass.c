/* SPDX-License-Identifier: MIT */
/* What all passes do alike: their state, and the number of candidates that are undecided. See pass.h. */
#include "reduce/pass/pass.h"

#include "base/invariant.h"
#include "data/mem.h"

void *pass_start(const struct pass *p, struct model *m)
{
	struct pass_state *s = mem_zalloc(p->frame->size);
	s->model = m;
	p->begin(s);
	return s;
}

enum made pass_next(const struct pass *p, void *state, struct candidate *out, enum guess guess)
{
	struct pass_state *s = state;
	enum made made = p->frame->next(state, out, guess);
	if (made == MADE_ONE)
		s->open++;
	return made == MADE_END && s->open ? MADE_NONE : made;
}

void pass_tell(const struct pass *p, void *state, const struct candidate *c, bool success)
{
	struct pass_state *s = state;
	INVARIANT(s->open > 0);
	s->open--;
	if (p->frame->result)
		p->frame->result(state, c, success);
}

void pass_free(const struct pass *p, void *state)
{
	if (p->frame->release)
		p->frame->release(state);
	free(state);
}
