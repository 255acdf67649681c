/* SPDX-License-Identifier: MIT */
/* The pass "values": many names go at once, their declarations deleted and their uses turned into a value (vanish.h):
 * all of them, then half by half. For languages in which each statement makes a name that later ones need (LLVM):
 * there a function is one long chain, and "together", which goes name by name and knows more ways, comes when little is
 * left. */
#include "reduce/model/unit_rules.h"
#include "reduce/pass/halves.h"
#include "reduce/rewrite/vanish.h"
#include "reduce/syntax/syntax.h"

enum {
	LEAST = 8, /* names that are worth asking about together */
	MAX_QUESTIONS = 64,
	ONLY_NAME = 2 /* tokens: the name of a result, not what computes it */
};

struct values {
	struct proposals list; /* an edit for each name, in text order */
	struct halves halves;
};

/* A value that is one of every type: what the language has last. */
static const struct snippet *any_value(const struct vanish *v, const struct word_place *p, struct span *where)
{
	const struct snippet *last = NULL, *t;
	for (unsigned k = 0; (t = vanish_value(v, p, k, where)) && t->seed; k++)
		last = t;
	return last;
}

/* Whether the name is a result of a statement: no label, no type. */
static bool is_result(const struct vanish *v, const struct word *w, const struct syntax *x)
{
	uint32_t up = forest_parent(&v->forest, vanish_leaf(v, &v->words.place.at[w->first]));
	uint16_t statement = syntax_symbol(x->language, "instruction", true);
	return up != FOREST_NONE && forest_node(&v->forest, up)->sym == statement;
}

static void propose(struct vanish *v, const struct word *w)
{
	for (uint32_t i = w->first; i < w->first + w->n; i++) {
		const struct word_place *p = &v->words.place.at[i];
		uint32_t leaf = vanish_leaf(v, p);
		struct span s;
		const struct snippet *t = any_value(v, p, &s);
		if (t) {
			proposal_replace(v->proposals, s, t->text, t->len, t->tokens);
			continue;
		}
		/* a use that takes no value stays, and so does the name */
		if (i > w->first || !vanish_around(v, leaf, 0, &s) ||
		    (s.to - s.from <= ONLY_NAME && !vanish_around(v, leaf, 1, &s))) {
			proposal_drop(v->proposals);
			return;
		}
		proposal_remove(v->proposals, s.from, s.to);
	}
	proposal_end(v->proposals, 0);
}

static void look(struct vanish *v)
{
	for (uint32_t i = 0; i < v->words.n; i++) {
		const struct word *w = &v->words.at[i];
		const struct syntax *x = v->forest.model->file[v->words.place.at[w->first].file].syntax;
		const struct unit_rules *r = unit_rules_of(x->language->id);
		if (r && r->chained && is_result(v, w, x))
			propose(v, w);
	}
}

static int by_order(const void *a, const void *b)
{
	const struct proposal *x = a, *y = b;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void values_begin(void *state)
{
	struct values *s = state;
	vanish_begin(&s->list, look);
	if (s->list.n)
		qsort(s->list.at, s->list.n, sizeof *s->list.at, by_order);
	halves_start(&s->halves, 0, s->list.n < LEAST ? 0 : (uint32_t)s->list.n);
	s->halves.limit = s->halves.patience = MAX_QUESTIONS;
}

static enum made values_next(void *state, struct candidate *out, enum guess guess)
{
	struct values *s = state;
	enum made made = halves_next(&s->halves, guess);
	if (made != MADE_ONE)
		return made;
	for (uint32_t i = s->halves.asked.from; i < s->halves.asked.to; i++)
		edit_add(&out->edit, &s->list.at[i].edit);
	return halves_ask(&s->halves, out);
}

static void values_result(void *state, const struct candidate *c, bool success)
{
	struct values *s = state;
	halves_result(&s->halves, c, success);
}

static bool values_wanted(const void *state, const struct candidate *c)
{
	const struct values *s = state;
	return halves_wanted(&s->halves, c);
}

static void values_release(void *state)
{
	struct values *s = state;
	halves_release(&s->halves);
	proposals_frame.release(state);
}

static const struct pass_frame frame = {sizeof(struct values), values_next, values_result, values_release,
					values_wanted};

const struct pass pass_values = {"values", "many names go at once, and their uses become values (LLVM)",
				 PASS_TREE | PASS_WHOLE, values_begin, &frame};
