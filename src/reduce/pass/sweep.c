/* SPDX-License-Identifier: MIT */
/* The pass "sweep": everything that is not reachable by name from the roots goes at once.
 *
 * Names are an approximation, so this may take something that is needed. Halving the dead set does not find out
 * what: half of it breaks the other half. But from the end of the file backwards a prefix of it can go without
 * breaking what is before it, so a binary search finds the longest prefix that can, and the unit after it, the
 * *culprit*. That becomes a root with all it needs, and the rest is tried again. Roots to begin with: what stands
 * in the main source of a preprocessed file, else `main`, else nothing, and the search finds them. */
#include "reduce/model/units.h"
#include "reduce/pass/pass.h"

#include "data/mem.h"

#include <string.h>

enum { MAX_CULPRITS = 60 };

struct sweep {
	struct model *model;
	struct units units;
	bool *root, *alive;
	struct unit_list dead; /* the topmost dead units, the last in the file first */
	size_t lo, hi, asked;  /* dead[0 … lo−1] can go, dead[0 … hi−1] cannot; what is being asked */
	unsigned culprits;
	bool waiting, over;
};

static bool is_dead_top(const struct sweep *s, uint32_t i)
{
	const struct unit *u = &s->units.at[i];
	return !s->alive[i] && (u->parent == UNIT_NONE || s->alive[u->parent]) &&
	       model_count(s->model, u->span.from, u->span.to);
}

static void find_dead(struct sweep *s)
{
	units_mark(&s->units, s->root, NULL, s->alive);
	s->dead.n = 0;
	for (uint32_t i = (uint32_t)s->units.n; i-- > 0;)
		if (is_dead_top(s, i))
			vec_push(&s->dead, i);
	s->lo = 0;
	s->hi = s->dead.n + 1; /* nothing is known to be too much */
	s->over = s->dead.n == 0;
}

static void *sweep_start(struct model *m, uint64_t seed)
{
	struct sweep *s = mem_zalloc(sizeof *s);
	(void)seed;
	s->model = m;
	s->over = !units_make(&s->units, m);
	s->root = units_roots(&s->units, m);
	s->alive = mem_zalloc(s->units.n + 1);
	if (!s->over)
		find_dead(s);
	return s;
}

static enum made sweep_next(void *state, struct candidate *out, enum guess guess)
{
	struct sweep *s = state;
	(void)guess;
	if (s->waiting)
		return MADE_NONE;
	if (s->over)
		return MADE_END;
	s->asked = s->hi > s->dead.n ? s->dead.n : (s->lo + s->hi) / 2;
	for (size_t i = s->lo; i < s->asked; i++) {
		struct span span = s->units.at[s->dead.at[i]].span;
		edit_remove(&out->edit, span.from, span.to);
	}
	out->class = CLASS_MANY;
	s->waiting = true;
	return MADE_ONE;
}

static void sweep_result(void *state, const struct candidate *c, bool success)
{
	struct sweep *s = state;
	(void)c;
	s->waiting = false;
	if (success)
		s->lo = s->asked;
	else
		s->hi = s->asked;
	if (s->lo == s->dead.n) {
		s->over = true;
	} else if (s->hi - s->lo == 1 && ++s->culprits > MAX_CULPRITS) {
		s->over = true;
	} else if (s->hi - s->lo == 1) {
		uint32_t culprit = s->dead.at[s->hi - 1], end = s->units.at[culprit].end;
		if (s->units.at[culprit].kind == UNIT_CONTAINER)
			end = culprit + 1;
		for (uint32_t i = culprit; i < end; i++)
			s->root[i] = true;
		find_dead(s);
	}
}

static void sweep_free(void *state)
{
	struct sweep *s = state;
	units_release(&s->units);
	vec_release(&s->dead);
	free(s->root);
	free(s->alive);
	free(s);
}

const struct pass pass_sweep = {
	"sweep",    "what no name leads to goes at once", PASS_TREE | PASS_WHOLE, sweep_start, sweep_next, sweep_result,
	sweep_free,
};
