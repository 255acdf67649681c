/* SPDX-License-Identifier: MIT */
/* The pass "coupled": a unit goes together with all that needs it and all that only these need.
 *
 * Chunks of units, from the end of the files backwards, first half of them: what fails is halved until one unit is
 * left, what succeeds makes the next chunk twice as large. A chunk that would take a root costs no question, nor
 * does one that would take a unit that could not go alone. What the sweep found to be needed although no name leads
 * to it stays unless it is chosen itself. Where the test prints errors, what failed is repaired and asked again:
 * the unit at which an error stands goes too; if it may not go, what the error names stays; the parts of a large
 * chunk that fails all the same come last, and chunks grow faster. With several jobs the chunks of a turn are asked
 * about at the same time, each as if the others failed. */
#include "reduce/model/complaints.h"
#include "reduce/model/units.h"
#include "reduce/pass/pass.h"

#include "data/mem.h"

#include <string.h>

/* Units, counted from the end of the files. */
struct stretch {
	size_t from, to;
	size_t most; /* units of it to ask about at a time; 0: any number */
};

/* A question: what goes with its units. */
struct chunk {
	uint32_t id, single; /* single: its last unit */
	size_t taken;        /* units chosen */
	struct stretch at;
	struct unit_list chosen, dead; /* dead: with all that needs them */
	struct unit_list pinned;       /* stay this time, although no name leads to them */
	unsigned rounds;               /* times that complaints changed it */
};

struct chunks {
	VEC_FIELDS(struct chunk);
};

/* How often a question is changed by complaints and asked again, and by how many at a time. */
enum { MAX_ROUNDS = 6, MAX_COMPLAINTS = 60 };
/* Units of a question whose parts are put off when it fails with an error. */
enum { MANY = 32 };

struct coupled {
	struct pass_state pass;
	struct units units;
	bool *root; /* what the program is about */
	bool *stay; /* roots for marking: these, and what no name leads to */
	bool *killed, *alive, *failed;
	bool *keep;            /* scratch: root or stay, and what the question at hand has pinned */
	struct unit_list dead; /* killed, in order */
	size_t chunk;          /* units per question; 0: over */
	struct {
		VEC_FIELDS(struct stretch);
	} left; /* of this turn, the next one last: the parts of what failed as a whole come before the rest */
	struct chunks open;  /* undecided */
	struct chunks again; /* to be asked again, with more */
	uint32_t ids;
	bool hears; /* the test prints errors */
	bool parts; /* this turn is about parts of units: base clauses, default values */
	bool hits, items_over, parts_over;
};

static void chunk_release(struct chunk *c)
{
	vec_release_all(&c->chosen, &c->dead, &c->pinned);
}

static void coupled_begin(void *state)
{
	struct coupled *s = state;
	struct model *m = s->pass.model;
	bool some = units_make(&s->units, m);
	size_t n = s->units.n + 1;
	s->root = units_roots(&s->units, m);
	s->stay = mem_zalloc(n);
	s->killed = mem_zalloc(n);
	s->alive = mem_zalloc(n);
	s->failed = mem_zalloc(n);
	s->keep = mem_zalloc(n);
	s->chunk = some ? (s->units.n + 1) / 2 : 0;
	vec_push(&s->left, ((struct stretch){0, s->units.n, 0}));
	units_stays(&s->units, s->root, s->stay);
}

/* Kills the next chunk of units; false when the stretch has nothing more to kill. */
static bool kill_chunk(struct coupled *s, struct chunk *c)
{
	struct stretch *left = &vec_last(&s->left);
	c->at.from = left->from;
	size_t most = left->most && left->most < s->chunk ? left->most : s->chunk;
	for (; left->from < left->to && c->taken < most; left->from++) {
		uint32_t i = (uint32_t)(s->units.n - 1 - left->from);
		const struct unit *u = &s->units.at[i];
		/* `public:` stays with its class: without it the colon would be left, or others could not see in */
		if (u->kind == UNIT_LABEL || (u->kind == UNIT_PART) != s->parts || s->killed[i] || s->failed[i] ||
		    !model_count(s->pass.model, u->span.from, u->span.to))
			continue;
		c->single = i;
		if (units_kill(&s->units, i, s->root, s->killed, &s->dead)) {
			vec_push(&c->chosen, i);
			c->taken++;
		}
	}
	c->at.to = left->from;
	return c->taken > 0;
}

/* What lives when the question's units are killed. */
static void mark(struct coupled *s, const struct chunk *c)
{
	memcpy(s->keep, s->stay, s->units.n);
	for (size_t k = 0; k < c->pinned.n; k++)
		s->keep[c->pinned.at[k]] = true;
	units_mark(&s->units, s->keep, s->killed, s->alive);
}

static void make_edit(struct coupled *s, const struct chunk *c, struct edit *out)
{
	mark(s, c);
	for (uint32_t i = 0; i < s->units.n; i++) {
		const struct unit *u = &s->units.at[i];
		if (!s->alive[i] && (u->parent == UNIT_NONE || s->alive[u->parent]) &&
		    model_count(s->pass.model, u->span.from, u->span.to))
			edit_remove(out, u->span.from, u->span.to);
	}
}

/* Begins the next turn when the last one is all decided: units and their parts by turns, until neither finds anything.
 * Parts come later because what is left without its default values breaks all its users. */
static enum made next_turn(struct coupled *s)
{
	if (s->open.n)
		return MADE_NONE;
	*(s->parts ? &s->parts_over : &s->items_over) = !s->hits;
	if (s->hits)
		*(s->parts ? &s->items_over : &s->parts_over) = false;
	if (s->items_over && s->parts_over) {
		s->chunk = 0;
		return MADE_END;
	}
	if (!s->hits) {
		s->parts = !s->parts;
		s->chunk = (s->units.n + 1) / 2;
	}
	vec_push(&s->left, ((struct stretch){0, s->units.n, 0}));
	s->hits = false;
	return MADE_ONE;
}

/* Takes back what was killed from dead[kept] on and keeps it with the question. */
static void open_chunk(struct coupled *s, struct chunk *c, size_t kept, struct candidate *out)
{
	c->id = ++s->ids;
	c->dead.n = 0;
	for (size_t i = kept; i < s->dead.n; i++)
		vec_push(&c->dead, s->dead.at[i]);
	units_revive(&s->units, s->killed, &s->dead, kept);
	vec_push(&s->open, *c);
	out->class = class_of_size((uint32_t)s->chunk);
	out->task = c->id;
}

/* Kills what a question takes, as far as what it has pinned allows. */
static void kill_chosen(struct coupled *s, const struct chunk *c)
{
	memcpy(s->keep, s->root, s->units.n);
	for (size_t k = 0; k < c->pinned.n; k++)
		for (uint32_t x = c->pinned.at[k]; x != UNIT_NONE; x = s->units.at[x].parent)
			s->keep[x] = true;
	for (size_t k = 0; k < c->chosen.n; k++)
		units_kill(&s->units, c->chosen.at[k], s->keep, s->killed, &s->dead);
}

static enum made coupled_next(void *state, struct candidate *out, enum guess guess)
{
	struct coupled *s = state;
	(void)guess;
	while (s->chunk) {
		struct chunk c = {0};
		size_t kept = s->dead.n;
		if (s->again.n) {
			c = vec_pop(&s->again);
			kill_chosen(s, &c);
			make_edit(s, &c, &out->edit);
			open_chunk(s, &c, kept, out);
			return MADE_ONE;
		}
		if (!s->left.n) {
			enum made m = next_turn(s);
			if (m != MADE_ONE)
				return m;
		}
		if (!kill_chunk(s, &c)) {
			s->left.n--;
			continue;
		}
		make_edit(s, &c, &out->edit);
		if (!out->edit.remove.n) {
			chunk_release(&c);
			continue;
		}
		open_chunk(s, &c, kept, out);
		return MADE_ONE;
	}
	return MADE_END;
}

static bool list_has(const struct unit_list *l, uint32_t i)
{
	for (size_t k = 0; k < l->n; k++)
		if (l->at[k] == i)
			return true;
	return false;
}

/* Whether unit a stands in what b, or something around b, stands in: a class, not a namespace. */
static bool beside(const struct units *u, uint32_t a, uint32_t b)
{
	uint32_t up = u->at[a].parent;
	if (up == UNIT_NONE || u->at[up].kind == UNIT_CONTAINER)
		return false;
	for (; b != UNIT_NONE; b = u->at[b].parent)
		if (u->at[b].parent == up)
			return true;
	return false;
}

/* What a question lacks stays: the dead units that declare what the message names; those in the class of unit x, at
 * which it stands, if there are any. */
static bool pin_named(const struct coupled *s, struct chunk *o, const struct complaints *said, size_t i, uint32_t x)
{
	struct complaints one = *said;
	struct unit_list list = {0};
	size_t n = 0, near = 0;
	one.at = &said->at[i];
	one.n = 1;
	units_named(&s->units, &one, &list);
	for (size_t k = 0; k < list.n; k++) {
		const struct unit *u = &s->units.at[list.at[k]];
		if (s->alive[list.at[k]] || !model_count(s->pass.model, u->span.from, u->span.to) ||
		    list_has(&o->pinned, list.at[k]) || list_has(&o->chosen, list.at[k]))
			continue;
		list.at[n++] = list.at[k];
		near += x != UNIT_NONE && beside(&s->units, list.at[k], x);
	}
	for (size_t k = 0; k < n; k++)
		if (!near || beside(&s->units, list.at[k], x))
			vec_push(&o->pinned, list.at[k]);
	vec_release(&list);
	return n > 0;
}

/* Unit x goes too, even if it was pinned. */
static bool choose(struct coupled *s, struct chunk *o, uint32_t x)
{
	size_t n = 0;
	if (!units_kill(&s->units, x, s->root, s->killed, &s->dead))
		return false;
	for (size_t k = 0; k < o->pinned.n; k++)
		if (!s->killed[o->pinned.at[k]])
			o->pinned.at[n++] = o->pinned.at[k];
	o->pinned.n = n;
	vec_push(&o->chosen, x);
	return true;
}

/* Changes a question that failed by what was complained about: the unit at which a message stands goes too; where that
 * may not go, what the message names stays. False: there is nothing to change. */
static bool repair(struct coupled *s, struct chunk *o, const struct complaints *said)
{
	size_t before = s->dead.n;
	bool some = false;
	if (said->n > MAX_COMPLAINTS)
		return false;
	kill_chosen(s, o);
	mark(s, o);
	for (size_t i = 0; i < said->n; i++) {
		uint32_t token = said->at[i].token,
			 x = token == COMPLAINT_NOWHERE ? UNIT_NONE : units_at(&s->units, token);
		if (x == UNIT_NONE || !s->killed[x])
			some |= (x != UNIT_NONE && choose(s, o, x)) || pin_named(s, o, said, i, x);
	}
	units_revive(&s->units, s->killed, &s->dead, before);
	return some;
}

/* The stretch comes last in this turn. */
static void put_off(struct coupled *s, struct stretch at)
{
	vec_push(&s->left, at);
	memmove(s->left.at + 1, s->left.at, (s->left.n - 1) * sizeof *s->left.at);
	s->left.at[0] = at;
}

static void coupled_result(void *state, const struct candidate *c, bool success)
{
	struct coupled *s = state;
	size_t i = 0;
	while (s->open.at[i].id != c->task)
		i++;
	struct chunk o = s->open.at[i];
	s->hears = s->hears || c->said;
	memmove(s->open.at + i, s->open.at + i + 1, (--s->open.n - i) * sizeof o);
	if (success) {
		for (size_t k = 0; k < o.dead.n; k++)
			units_kill(&s->units, o.dead.at[k], s->root, s->killed, &s->dead);
		for (size_t k = 0; k < o.pinned.n; k++)
			s->stay[o.pinned.at[k]] = true;
		s->hits = true;
		s->chunk *= s->hears ? 4 : 2;
	} else if (c->said && o.rounds < MAX_ROUNDS && repair(s, &o, c->said)) {
		o.rounds++;
		vec_push(&s->again, o);
		return;
	} else if (o.taken == 1) {
		/* what cannot go alone cannot go with more: no question is worth asking that takes it */
		s->failed[o.single] = s->root[o.single] = true;
		s->chunk = 1;
	} else if (c->said && o.taken > MANY) {
		/* others are worth more questions, and say more, than a part of what is entangled */
		o.at.most = o.taken / 2;
		put_off(s, o.at);
	} else {
		vec_push(&s->left, o.at);
		s->chunk = o.taken / 2;
	}
	chunk_release(&o);
}

static void coupled_release(void *state)
{
	struct coupled *s = state;
	units_release(&s->units);
	for (size_t i = 0; i < s->open.n; i++)
		chunk_release(&s->open.at[i]);
	for (size_t i = 0; i < s->again.n; i++)
		chunk_release(&s->again.at[i]);
	vec_release_all(&s->dead, &s->open, &s->again, &s->left);
	free_all(s->root, s->stay, s->killed, s->alive, s->failed, s->keep);
}

static const struct pass_frame frame = {sizeof(struct coupled), coupled_next, coupled_result, coupled_release, NULL};

const struct pass pass_coupled = {"coupled", "a declaration goes with all that needs it and all that only these need",
				  PASS_TREE | PASS_WHOLE | PASS_READS, coupled_begin, &frame};
