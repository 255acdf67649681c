/* SPDX-License-Identifier: MIT */
/* The pass "sweep": everything that is not reachable by name from the roots goes at once.
 *
 * Names are an approximation, so this may take something that is needed. Halving the dead set does not find out
 * what: half of it breaks the other half. But from the end of the file backwards a prefix of it can go without
 * breaking what is before it, so a binary search finds the longest prefix that can, and the unit after it, the
 * *culprit*. That becomes a root with all it needs, and the rest is tried again. Several jobs divide the range into
 * more than two parts at a time. Where the test prints errors no search is needed: what they name becomes a root.
 * Roots to begin with: what stands in the main source of a preprocessed file, else `main`, else nothing, and the
 * search finds them. */
#include "reduce/model/units.h"
#include "reduce/pass/pass.h"

#include "data/mem.h"

#include <string.h>

enum { MAX_CULPRITS = 60, MAX_PUT_BACK = 40 };

struct sweep {
	struct pass_state pass;
	struct units units;
	bool *root, *alive;
	struct unit_list dead; /* the topmost dead units, the last in the file first */
	size_t lo, hi;         /* dead[0 … lo−1] can go, dead[0 … hi−1] cannot */
	struct {
		VEC_FIELDS(size_t);
	} open;                      /* prefixes that are asked about, of this dead set, ascending */
	unsigned culprits, put_back; /* found by search; times that complaints said what is needed */
	bool over;
};

static bool is_dead_top(const struct sweep *s, uint32_t i)
{
	const struct unit *u = &s->units.at[i];
	return !s->alive[i] && (u->parent == UNIT_NONE || s->alive[u->parent]) &&
	       model_count(s->pass.model, u->span.from, u->span.to);
}

static void find_dead(struct sweep *s)
{
	units_mark(&s->units, s->root, NULL, s->alive);
	s->dead.n = 0;
	for (uint32_t i = (uint32_t)s->units.n; i-- > 0;)
		if (is_dead_top(s, i))
			vec_push(&s->dead, i);
	s->open.n = 0;
	s->lo = 0;
	s->hi = s->dead.n + 1; /* nothing is known to be too much */
	s->over = s->dead.n == 0;
}

static void sweep_begin(void *state)
{
	struct sweep *s = state;
	struct model *m = s->pass.model;
	s->over = !units_make(&s->units, m);
	s->root = units_roots(&s->units, m);
	s->alive = mem_zalloc(s->units.n + 1);
	if (!s->over)
		find_dead(s);
}

/* The prefix to ask about next: the middle of the widest gap between those that are known or asked about; 0: none. */
static size_t next_prefix(const struct sweep *s)
{
	if (s->hi > s->dead.n && !s->open.n)
		return s->dead.n;
	size_t from = s->lo, best = 0, most = 1;
	for (size_t i = 0; i <= s->open.n; i++) {
		size_t to = i < s->open.n ? s->open.at[i] : s->hi <= s->dead.n ? s->hi : from;
		if (to > from + most) {
			most = to - from;
			best = (from + to) / 2;
		}
		from = to;
	}
	return best;
}

static enum made sweep_next(void *state, struct candidate *out, enum guess guess)
{
	struct sweep *s = state;
	size_t asked = s->over || (s->open.n && guess < GUESS_SWEEP) ? 0 : next_prefix(s), i = s->open.n;
	if (!asked)
		return MADE_END;
	for (size_t k = s->lo; k < asked; k++) {
		struct span span = s->units.at[s->dead.at[k]].span;
		edit_remove(&out->edit, span.from, span.to);
	}
	vec_push(&s->open, asked);
	for (; i && s->open.at[i - 1] > asked; i--) {
		s->open.at[i] = s->open.at[i - 1];
		s->open.at[i - 1] = asked;
	}
	out->class = CLASS_MANY;
	out->task = s->culprits + s->put_back;
	out->to = (uint32_t)asked;
	return MADE_ONE;
}

/* Takes out of open what the range does not contain any more. */
static void narrow(struct sweep *s)
{
	size_t n = 0;
	for (size_t i = 0; i < s->open.n; i++)
		if (s->open.at[i] > s->lo && s->open.at[i] < s->hi)
			s->open.at[n++] = s->open.at[i];
	s->open.n = n;
}

/* A dead unit becomes a root. */
static bool make_root(struct sweep *s, uint32_t i)
{
	if (s->alive[i] || s->root[i])
		return false;
	return s->root[i] = true;
}

/* What is complained about is needed: dead units that declare a name in a message; where there are none, what is dead
 * in and beside the units at which the messages stand. */
static bool put_back(struct sweep *s, const struct complaints *said)
{
	struct unit_list list = {0};
	bool some = false;
	units_named(&s->units, said, &list);
	for (size_t i = 0; i < list.n; i++)
		some |= make_root(s, list.at[i]);
	list.n = 0;
	if (!some)
		units_blamed(&s->units, said, &list);
	for (size_t i = 0; i < list.n; i++) {
		uint32_t x = list.at[i], up = s->units.at[x].parent;
		if (up != UNIT_NONE && s->units.at[up].kind != UNIT_CONTAINER)
			x = up;
		for (uint32_t c = x; c < s->units.at[x].end; c++)
			some |= make_root(s, c);
	}
	vec_release(&list);
	return some;
}

static void sweep_result(void *state, const struct candidate *c, bool success)
{
	struct sweep *s = state;
	if (s->over || c->task != s->culprits + s->put_back)
		return;
	if (!success && c->said && s->put_back < MAX_PUT_BACK && put_back(s, c->said)) {
		s->put_back++;
		find_dead(s);
		return;
	}
	if (success && c->to > s->lo)
		s->lo = c->to;
	else if (!success && c->to > s->lo && c->to < s->hi)
		s->hi = c->to;
	if (s->hi <= s->lo)
		s->hi = s->dead.n; /* more can go than what cannot */
	narrow(s);
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

/* If a prefix cannot go a longer one hardly can. */
static bool sweep_wanted(const void *state, const struct candidate *c)
{
	const struct sweep *s = state;
	return !s->over && c->task == s->culprits + s->put_back && c->to > s->lo && c->to < s->hi;
}

static void sweep_release(void *state)
{
	struct sweep *s = state;
	units_release(&s->units);
	vec_release_all(&s->dead, &s->open);
	free(s->root);
	free(s->alive);
}

static const struct pass_frame frame = {sizeof(struct sweep), sweep_next, sweep_result, sweep_release, sweep_wanted};

const struct pass pass_sweep = {"sweep", "what no name leads to goes at once", PASS_TREE | PASS_WHOLE | PASS_READS,
				sweep_begin, &frame};
