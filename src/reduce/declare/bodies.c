/* SPDX-License-Identifier: MIT */
/* The pass "bodies": function bodies become `;`, all at once, then half by half, those farthest from the roots
 * first; what is left is tried as `{}`, which a program that is linked needs. In a language that has no such
 * declarations they become what its rules (unit_rules.h) have as a body that fits every function. A definition outside
 * of its class goes as a whole: a declaration alone is not allowed there. Where it cannot work (a test that runs the
 * program) it gives up early. What is little of the whole program is not asked about: the passes after this one take
 * more with a question, and in the next turn it is more of what is left. Where the test prints errors, the bodies that
 * they are about stay and the others are asked about again. */
#include "reduce/model/unit_rules.h"
#include "reduce/model/units.h"
#include "reduce/pass/halves.h"
#include "reduce/pass/pass.h"

#include "data/mem.h"

#include <string.h>

enum { MAX_PUT_BACK = 24 };
enum { LITTLE = 512 };            /* such a part of the program's tokens is worth a question */
enum { AS_SEMICOLON, AS_BRACES }; /* stages */

struct bodies {
	struct pass_state pass;
	struct units units;
	struct unit_list order; /* functions */
	uint32_t *place;        /* per unit: its place in order, or UNIT_NONE */
	bool *needed;           /* per unit: its body is complained about when it is gone */
	unsigned put_back;
	uint32_t least; /* tokens that are worth a question */
	struct halves halves;
};

/* What it becomes: see unit_rules.h. */
static const char *body_of(const struct bodies *s, const struct unit *u)
{
	return unit_rules_of(s->pass.model->file[u->file].syntax->language->id)->body;
}

static bool has_body(const struct bodies *s, const struct unit *u)
{
	if (u->body == UNIT_NONE || !body_of(s, u) || !model_has(s->pass.model, u->body))
		return false;
	/* longer than any of those that it may become */
	return model_count(s->pass.model, u->body, u->span.to) > (strlen(body_of(s, u)) > 2 ? 6 : 2);
}

/* How many names lie between a unit and the roots; units that are never reached come first. */
static uint32_t *distances(const struct units *u, const bool *root)
{
	uint32_t *d = mem_alloc(mem_mul(u->n + 1, sizeof *d));
	bool *seen = mem_zalloc(u->n_names + 1);
	struct unit_list now = {0};
	for (uint32_t i = 0; i < u->n; i++) {
		d[i] = root[i] ? 0 : UINT32_MAX;
		if (root[i])
			vec_push(&now, i);
	}
	for (size_t next = 0; next < now.n; next++) {
		const struct unit *x = &u->at[now.at[next]];
		for (uint32_t n = x->use; n < x->use + x->n_uses; n++) {
			uint32_t name = u->uses.at[n];
			struct name_list l = u->declared_by[name];
			if (seen[name])
				continue;
			seen[name] = true;
			for (uint32_t k = l.first; k < l.first + l.n; k++)
				if (d[u->declarers[k]] == UINT32_MAX) {
					d[u->declarers[k]] = d[now.at[next]] + 1;
					vec_push(&now, u->declarers[k]);
				}
		}
	}
	vec_release(&now);
	free(seen);
	return d;
}

static void order_by_distance(struct bodies *s)
{
	bool *root = units_roots(&s->units, s->pass.model);
	uint32_t *d = distances(&s->units, root), far = 0;
	for (uint32_t i = 0; i < s->units.n; i++)
		if (d[i] != UINT32_MAX && d[i] > far)
			far = d[i];
	for (uint32_t i = 0; i < s->units.n; i++)
		if (d[i] == UINT32_MAX)
			d[i] = far + 1;
	/* few distances: a pass over the units for each */
	for (uint32_t at = far + 2; at-- > 1;)
		for (uint32_t i = 0; i < s->units.n; i++)
			if (d[i] == at && has_body(s, &s->units.at[i]))
				vec_push(&s->order, i);
	free(d);
	free(root);
}

static void bodies_begin(void *state)
{
	struct bodies *s = state;
	struct model *m = s->pass.model;
	if (units_make(&s->units, m))
		order_by_distance(s);
	s->needed = mem_zalloc(s->units.n + 1);
	s->place = mem_alloc(mem_mul(s->units.n + 1, sizeof *s->place));
	memset(s->place, 0xff, s->units.n * sizeof *s->place);
	for (size_t i = 0; i < s->order.n; i++)
		s->place[s->order.at[i]] = (uint32_t)i;
	s->least = model_count(m, 0, m->n) / LITTLE;
	halves_start(&s->halves, AS_SEMICOLON, (uint32_t)s->order.n);
}

/* Returns how many tokens go. */
static uint32_t remove_body(const struct bodies *s, const struct unit *u, struct edit *e)
{
	if (!has_body(s, u) || s->needed[u - s->units.at])
		return 0;
	const char *body = body_of(s, u);
	if (body[0] != ';' && s->halves.stage == AS_SEMICOLON)
		return 0;
	if (body[0] != ';' && body[1] != '}') {
		edit_rewrite(e, u->body, model_symbol(s->pass.model, u->body, body, strlen(body)));
		edit_remove(e, u->body + 1, u->span.to);
	} else if (s->halves.stage == AS_BRACES) {
		if (!model_has(s->pass.model, u->span.to - 1))
			return 0;
		edit_remove(e, u->body + 1, u->span.to - 1);
	} else if (u->qualified) {
		edit_remove(e, u->span.from, u->span.to);
	} else {
		edit_rewrite(e, u->body, model_symbol(s->pass.model, u->body, ";", 1));
		edit_remove(e, u->body + 1, u->span.to);
	}
	return model_count(s->pass.model, u->body + 1, u->span.to);
}

static enum made bodies_next(void *state, struct candidate *out, enum guess guess)
{
	struct bodies *s = state;
	for (;;) {
		enum made made = halves_next(&s->halves, guess);
		if (made != MADE_ONE && s->halves.stage == AS_SEMICOLON && (made == MADE_END || guess >= GUESS_STAGE)) {
			memset(s->needed, 0, s->units.n);
			halves_start(&s->halves, AS_BRACES, (uint32_t)s->order.n);
			continue;
		}
		if (made != MADE_ONE)
			return MADE_END;
		size_t tokens = 0;
		for (uint32_t i = s->halves.asked.from; i < s->halves.asked.to; i++)
			tokens += remove_body(s, &s->units.at[s->order.at[i]], &out->edit);
		if (tokens && tokens >= s->least)
			break;
		edit_clear(&out->edit);
		halves_skip(&s->halves);
	}
	return halves_ask(&s->halves, out);
}

/* Bodies that the question took and that are complained about stay: those of functions that are named, and those at
 * which a message stands. False: none, or all. */
static bool put_back(struct bodies *s, const struct candidate *c)
{
	struct unit_list list = {0};
	uint32_t left = 0, found = 0;
	units_named(&s->units, c->said, &list);
	units_blamed(&s->units, c->said, &list);
	for (uint32_t i = c->from; i < c->to; i++)
		left += !s->needed[s->order.at[i]];
	for (size_t i = 0; i < list.n; i++) {
		uint32_t at = s->place[list.at[i]];
		if (at != UNIT_NONE && at >= c->from && at < c->to && !s->needed[list.at[i]])
			list.at[found++] = list.at[i];
	}
	for (size_t i = 0; i < found && found < left; i++)
		s->needed[list.at[i]] = true;
	vec_release(&list);
	return found && found < left;
}

static void bodies_result(void *state, const struct candidate *c, bool success)
{
	struct bodies *s = state;
	if (c->task == s->halves.stage && !success && c->said && s->put_back < MAX_PUT_BACK && put_back(s, c)) {
		s->put_back++;
		halves_again(&s->halves, c);
	} else {
		halves_result(&s->halves, c, success);
	}
}

static bool bodies_wanted(const void *state, const struct candidate *c)
{
	const struct bodies *s = state;
	return halves_wanted(&s->halves, c);
}

static void bodies_release(void *state)
{
	struct bodies *s = state;
	units_release(&s->units);
	vec_release(&s->order);
	free(s->place);
	free(s->needed);
	halves_release(&s->halves);
}

static const struct pass_frame frame = {sizeof(struct bodies), bodies_next, bodies_result, bodies_release,
					bodies_wanted};

const struct pass pass_bodies = {"bodies", "function bodies become declarations, or empty",
				 PASS_TREE | PASS_WHOLE | PASS_READS, bodies_begin, &frame};
