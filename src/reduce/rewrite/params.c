/* SPDX-License-Identifier: MIT */
/* The pass "params": a parameter goes with every argument for it. Wherever a name is followed by a list in brackets
 * (declaration, definition, call, template) the element with the same number goes, counted from the front or, where a
 * method has its object first, from the back. With it may go the parameter itself inside the function: it becomes a
 * value there (vanish.h). */
#include "reduce/rewrite/vanish.h"
#include "reduce/syntax/syntax.h"

#include <string.h>

enum { MAX_ELEMENTS = 16 };

/* A list in brackets after a name. */
struct bracketed {
	struct span element[MAX_ELEMENTS]; /* base tokens */
	uint32_t n;
};

struct lists {
	VEC_FIELDS(struct bracketed);
};

static char first_char(const struct vanish *v, uint32_t node)
{
	size_t len;
	struct span s = forest_span(&v->forest, node);
	const char *text = s.from < s.to ? model_text(v->forest.model, s.from, &len) : "";
	return *text;
}

static uint32_t next_of(const struct vanish *v, uint32_t node)
{
	struct children c;
	uint32_t up = forest_parent(&v->forest, node), found = FOREST_NONE;
	if (up == FOREST_NONE)
		return FOREST_NONE;
	children_of(&v->forest, up, &c);
	for (uint32_t i = 0; i + 1 < c.n && found == FOREST_NONE; i++)
		if (c.place[i] == node)
			found = c.place[i + 1];
	children_release(&c);
	return found;
}

/* The list in brackets of this kind that follows a leaf: after it, or after what ends with it. */
static uint32_t list_after(const struct vanish *v, uint32_t leaf, char bracket)
{
	uint32_t node = leaf, next = next_of(v, node);
	while (next == FOREST_NONE && (node = forest_parent(&v->forest, node)) != FOREST_NONE)
		next = next_of(v, node);
	for (unsigned i = 0; next != FOREST_NONE && i < 3; i++, next = next_of(v, next)) {
		char first = first_char(v, next);
		if (first == bracket)
			return next;
		if (first != '<' && first != '(' && first != ':')
			break;
	}
	return FOREST_NONE;
}

/* The elements of a list, each with its comma. */
static bool take_list(const struct vanish *v, uint32_t node, struct bracketed *out)
{
	struct children c;
	out->n = 0;
	children_of(&v->forest, node, &c);
	for (uint32_t i = 0; i < c.n && out->n < MAX_ELEMENTS; i++) {
		struct span s = forest_span(&v->forest, c.place[i]), all;
		bool sign = s.to == s.from + 1 && strchr(",()<>[]{}", first_char(v, c.place[i]));
		if (s.from >= s.to || sign)
			continue;
		if (vanish_around(v, c.place[i], 0, &all) && all.from >= forest_span(&v->forest, node).from &&
		    all.to <= forest_span(&v->forest, node).to)
			out->element[out->n++] = all;
	}
	children_release(&c);
	return out->n > 0;
}

static bool remove_all(const struct vanish *v, const struct lists *l, uint32_t i, bool from_back)
{
	bool some = false;
	for (size_t k = 0; k < l->n; k++) {
		const struct bracketed *b = &l->at[k];
		if (i >= b->n)
			continue;
		struct span s = b->element[from_back ? b->n - 1 - i : i];
		proposal_remove(v->proposals, s.from, s.to);
		some = true;
	}
	return some;
}

/* The uses of a parameter become those of another one, which is seen first in its own element too. */
static bool become_other(const struct vanish *v, const struct word *x, struct span own, struct span other)
{
	const struct word *y = NULL;
	for (uint32_t w = 0; w < v->words.n && own.from != other.from; w++) {
		const struct word_place *p = &v->words.place.at[v->words.at[w].first];
		for (uint32_t k = 0; k < v->words.at[w].n; k++)
			if (p[k].token >= other.from && p[k].token < other.to && p[k].kind == x->kind)
				y = &v->words.at[w];
	}
	for (uint32_t k = x->first; y && y != x && k < x->first + x->n; k++) {
		const struct word_place *p = &v->words.place.at[k];
		if (p->token < own.from || p->token >= own.to)
			vanish_become(v, p, y);
	}
	return y && y != x;
}

/* The names inside an element, each once as the one that vanishes: its uses become a value, or another parameter. */
static void propose_with_uses(struct vanish *v, const struct lists *l, uint32_t i, bool from_back, uint32_t group)
{
	for (size_t k = 0; k < l->n; k++) {
		const struct bracketed *b = &l->at[k];
		if (i >= b->n)
			continue;
		struct span s = b->element[from_back ? b->n - 1 - i : i];
		for (uint32_t w = 0; w < v->words.n; w++) {
			const struct word *x = &v->words.at[w];
			uint32_t first = v->words.place.at[x->first].token;
			/* a parameter is seen first in its list */
			if (first < s.from || first >= s.to || x->n < 2)
				continue;
			remove_all(v, l, i, from_back);
			if (vanish_word(v, w, 0, 0, s))
				proposal_end(v->proposals, group);
			proposal_drop(v->proposals);
			for (uint32_t o = 0; o < b->n; o++) {
				remove_all(v, l, i, from_back);
				if (become_other(v, x, s, b->element[o]))
					proposal_end(v->proposals, group);
				proposal_drop(v->proposals);
			}
		}
	}
}

static void propose(struct vanish *v, const struct word *w, char bracket)
{
	struct lists l = {0};
	uint32_t most = 0, group = v->words.place.at[w->first].token + 1;
	bool equal = true;
	for (uint32_t i = w->first; i < w->first + w->n; i++) {
		struct bracketed b;
		uint32_t node = list_after(v, vanish_leaf(v, &v->words.place.at[i]), bracket);
		if (node == FOREST_NONE || !take_list(v, node, &b))
			continue;
		equal = equal && (!l.n || l.at[0].n == b.n);
		most = b.n > most ? b.n : most;
		vec_push(&l, b);
	}
	for (uint32_t i = 0; i < most; i++)
		for (int back = 0; back <= !equal; back++) {
			if (l.n > 1 && remove_all(v, &l, i, back))
				proposal_end(v->proposals, group);
			proposal_drop(v->proposals);
			propose_with_uses(v, &l, i, back, group);
		}
	vec_release(&l);
}

static void look(struct vanish *v)
{
	for (uint32_t i = 0; i < v->words.n; i++) {
		propose(v, &v->words.at[i], '(');
		propose(v, &v->words.at[i], '<');
	}
}

static void params_begin(void *state)
{
	vanish_begin(state, look);
}

const struct pass pass_params = {"params", "a parameter goes with all its arguments", PASS_TREE | PASS_FIXPOINT,
				 params_begin, &proposals_frame};
