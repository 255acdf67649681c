/* SPDX-License-Identifier: MIT */
/* The pass "coupled": a unit goes together with all that needs it and all that only these need.
 *
 * Chunks of units, from the end of the files backwards, first half of them, at last one by one; a chunk that would take
 * a root costs no question. What the sweep found to be needed although no name leads to it stays unless it is chosen
 * itself. */
#include "reduce/model/units.h"
#include "reduce/pass/pass.h"

#include "data/mem.h"

#include <string.h>

struct coupled {
	struct model *model;
	struct units units;
	bool *root; /* what the program is about */
	bool *stay; /* roots for marking: these, and what no name leads to */
	bool *killed, *alive, *failed;
	struct unit_list dead; /* killed, in order */
	size_t kept;           /* of dead: known to be possible */
	size_t chunk, next;    /* units per question; the units before `next` (from the end) are done in this turn */
	size_t from;           /* where the chunk that is asked began */
	uint32_t single;       /* its only unit */
	bool waiting, hits;
};

static void *coupled_start(struct model *m, uint64_t seed)
{
	struct coupled *s = mem_zalloc(sizeof *s);
	(void)seed;
	s->model = m;
	bool some = units_make(&s->units, m);
	size_t n = s->units.n + 1;
	s->root = units_roots(&s->units, m);
	s->stay = mem_zalloc(n);
	s->killed = mem_zalloc(n);
	s->alive = mem_zalloc(n);
	s->failed = mem_zalloc(n);
	s->chunk = some ? (s->units.n + 1) / 2 : 0;
	units_mark(&s->units, s->root, NULL, s->alive);
	for (size_t i = 0; i < s->units.n; i++)
		s->stay[i] = s->root[i] || !s->alive[i];
	return s;
}

/* Kills the next chunk of units; false at the end of a turn. */
static bool kill_chunk(struct coupled *s)
{
	size_t taken = 0;
	s->from = s->next;
	units_revive(&s->units, s->killed, &s->dead, s->kept);
	for (; s->next < s->units.n && taken < s->chunk; s->next++) {
		uint32_t i = (uint32_t)(s->units.n - 1 - s->next);
		const struct unit *u = &s->units.at[i];
		if (s->killed[i] || s->failed[i] || !model_count(s->model, u->span.from, u->span.to))
			continue;
		s->single = i;
		taken += units_kill(&s->units, i, s->root, s->killed, &s->dead);
	}
	return taken > 0;
}

static void make_edit(struct coupled *s, struct edit *out)
{
	units_mark(&s->units, s->stay, s->killed, s->alive);
	for (uint32_t i = 0; i < s->units.n; i++) {
		const struct unit *u = &s->units.at[i];
		if (!s->alive[i] && (u->parent == UNIT_NONE || s->alive[u->parent]) &&
		    model_count(s->model, u->span.from, u->span.to))
			edit_remove(out, u->span.from, u->span.to);
	}
}

/* The next turn, with smaller chunks; false when there is none. */
static bool next_turn(struct coupled *s)
{
	if (s->chunk <= 1 && !s->hits)
		return false;
	s->chunk = s->chunk > 1 ? s->chunk / 2 : 1;
	s->next = 0;
	s->hits = false;
	return true;
}

static enum made coupled_next(void *state, struct candidate *out, enum guess guess)
{
	struct coupled *s = state;
	(void)guess;
	if (s->waiting)
		return MADE_NONE;
	if (!s->chunk)
		return MADE_END;
	for (;;) {
		if (!kill_chunk(s)) {
			if (s->next >= s->units.n && !next_turn(s))
				break;
			continue;
		}
		make_edit(s, &out->edit);
		if (!out->edit.remove.n) {
			s->kept = s->dead.n;
			continue;
		}
		out->class = class_of_size((uint32_t)s->chunk);
		s->waiting = true;
		return MADE_ONE;
	}
	s->chunk = 0;
	return MADE_END;
}

static void coupled_result(void *state, const struct candidate *c, bool success)
{
	struct coupled *s = state;
	(void)c;
	s->waiting = false;
	if (success) {
		s->kept = s->dead.n;
		s->hits = true;
	} else {
		units_revive(&s->units, s->killed, &s->dead, s->kept);
		if (s->chunk == 1)
			s->failed[s->single] = true;
	}
}

static void coupled_free(void *state)
{
	struct coupled *s = state;
	units_release(&s->units);
	vec_release(&s->dead);
	free(s->root);
	free(s->stay);
	free(s->killed);
	free(s->alive);
	free(s->failed);
	free(s);
}

const struct pass pass_coupled = {
	"coupled",
	"a declaration goes with all that needs it and all that only these need",
	PASS_TREE | PASS_WHOLE,
	coupled_start,
	coupled_next,
	coupled_result,
	coupled_free,
};
