/* SPDX-License-Identifier: MIT */
/* The pass "coupled": a unit goes together with all that needs it and all that only these need.
 *
 * Chunks of units, from the end of the files backwards, first half of them: what fails is halved until one unit is
 * left, what succeeds makes the next chunk twice as large. A chunk that would take a root costs no question, nor
 * does one that would take a unit that could not go alone. What the sweep found to be needed although no name leads
 * to it stays unless it is chosen itself. With several jobs the chunks of a turn are asked about at the same time,
 * each as if the others failed. */
#include "reduce/model/units.h"
#include "reduce/pass/pass.h"

#include "data/mem.h"

#include <string.h>

/* Units, counted from the end of the files. */
struct stretch {
	size_t from, to;
};

/* A question: what goes with its units. */
struct chunk {
	uint32_t id, single; /* single: its last unit */
	size_t taken;        /* units chosen */
	struct stretch at;
	struct unit_list dead;
};

struct coupled {
	struct model *model;
	struct units units;
	bool *root; /* what the program is about */
	bool *stay; /* roots for marking: these, and what no name leads to */
	bool *killed, *alive, *failed;
	struct unit_list dead; /* killed, in order */
	size_t chunk;          /* units per question; 0: over */
	struct {
		VEC_FIELDS(struct stretch);
	} left; /* of this turn, the next one last: the parts of what failed as a whole come before the rest */
	struct {
		VEC_FIELDS(struct chunk);
	} open; /* undecided */
	uint32_t ids;
	bool hits;
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
	vec_push(&s->left, ((struct stretch){0, s->units.n}));
	units_mark(&s->units, s->root, NULL, s->alive);
	for (size_t i = 0; i < s->units.n; i++)
		s->stay[i] = s->root[i] || !s->alive[i];
	return s;
}

/* Kills the next chunk of units; false when the stretch has nothing more to kill. */
static bool kill_chunk(struct coupled *s, struct chunk *c)
{
	struct stretch *left = &vec_last(&s->left);
	c->at.from = left->from;
	for (; left->from < left->to && c->taken < s->chunk; left->from++) {
		uint32_t i = (uint32_t)(s->units.n - 1 - left->from);
		const struct unit *u = &s->units.at[i];
		if (s->killed[i] || s->failed[i] || !model_count(s->model, u->span.from, u->span.to))
			continue;
		c->single = i;
		c->taken += units_kill(&s->units, i, s->root, s->killed, &s->dead);
	}
	c->at.to = left->from;
	return c->taken > 0;
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

/* Begins the next turn if the last one, all decided, found something. */
static enum made next_turn(struct coupled *s)
{
	if (s->open.n)
		return MADE_NONE;
	if (!s->hits) {
		s->chunk = 0;
		return MADE_END;
	}
	vec_push(&s->left, ((struct stretch){0, s->units.n}));
	s->hits = false;
	return MADE_ONE;
}

/* Takes back what was killed from dead[kept] on and keeps it with the question. */
static void open_chunk(struct coupled *s, struct chunk *c, size_t kept, struct candidate *out)
{
	c->id = ++s->ids;
	for (size_t i = kept; i < s->dead.n; i++)
		vec_push(&c->dead, s->dead.at[i]);
	units_revive(&s->units, s->killed, &s->dead, kept);
	vec_push(&s->open, *c);
	out->class = class_of_size((uint32_t)s->chunk);
	out->task = c->id;
}

static enum made coupled_next(void *state, struct candidate *out, enum guess guess)
{
	struct coupled *s = state;
	(void)guess;
	while (s->chunk) {
		struct chunk c = {0};
		size_t kept = s->dead.n;
		if (!s->left.n) {
			enum made m = next_turn(s);
			if (m != MADE_ONE)
				return m;
		}
		if (!kill_chunk(s, &c)) {
			s->left.n--;
			continue;
		}
		make_edit(s, &out->edit);
		if (!out->edit.remove.n)
			continue;
		open_chunk(s, &c, kept, out);
		return MADE_ONE;
	}
	return MADE_END;
}

static void coupled_result(void *state, const struct candidate *c, bool success)
{
	struct coupled *s = state;
	size_t i = 0;
	while (s->open.at[i].id != c->task)
		i++;
	struct chunk o = s->open.at[i];
	memmove(s->open.at + i, s->open.at + i + 1, (--s->open.n - i) * sizeof o);
	if (success) {
		for (size_t k = 0; k < o.dead.n; k++)
			units_kill(&s->units, o.dead.at[k], s->root, s->killed, &s->dead);
		s->hits = true;
		s->chunk *= 2;
	} else if (o.taken == 1) {
		/* what cannot go alone cannot go with more: no question is worth asking that takes it */
		s->failed[o.single] = s->root[o.single] = true;
		s->chunk = 1;
	} else {
		vec_push(&s->left, o.at);
		s->chunk = o.taken / 2;
	}
	vec_release(&o.dead);
}

static void coupled_free(void *state)
{
	struct coupled *s = state;
	units_release(&s->units);
	for (size_t i = 0; i < s->open.n; i++)
		vec_release(&s->open.at[i].dead);
	vec_release_all(&s->dead, &s->open, &s->left);
	free(s->root);
	free(s->stay);
	free(s->killed);
	free(s->alive);
	free(s->failed);
	free(s);
}

const struct pass pass_coupled = {
	.name = "coupled",
	.summary = "a declaration goes with all that needs it and all that only these need",
	.flags = PASS_TREE | PASS_WHOLE,
	.start = coupled_start,
	.next = coupled_next,
	.result = coupled_result,
	.free = coupled_free,
};
