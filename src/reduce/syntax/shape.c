/* SPDX-License-Identifier: MIT */
/* Shapes: which children of a node form lists. See reduce/syntax/grammar.h for the test D(a, b), "the children without
 * a … b−1 still match".
 *
 * From the left, the smallest deletable run of children at i is a unit. Runs of units with nothing between them form a
 * list. If every unit ends with the same token and what follows the last one is deletable only together with that
 * token, the token separates: x , x , x. Elements then are what stands between separators, so that the last may go as
 * well as the first. What is optional inside an element is one more list.
 *
 * Short shapes are remembered for ever (a program has some hundred), long ones belong to the caller. */
#include "reduce/syntax/grammar.h"
#include "reduce/syntax/internal.h"

#include "base/bits.h"
#include "data/digest.h"
#include "data/table.h"

#include <string.h>

#define MAX_UNIT 8        /* children in the smallest deletable run */
#define MAX_KEPT 48       /* children of a remembered shape */
#define MAX_SHAPES 100000 /* remembered */

struct shape_full {
	struct shape s;
	struct automaton *automaton;
	uint32_t *forward, *backward; /* n_children + 1 states each */
	struct {
		VEC_FIELDS(struct shape_list);
	} lists;
	struct {
		VEC_FIELDS(struct shape_element);
	} elements;
	bool remembered;
	enum language_id lang;
	uint16_t rule;
	uint16_t semicolon; /* where new lines end statements; else SYNTAX_NO_SYMBOL */
	uint16_t *letter;
};

static struct {
	VEC_FIELDS(struct shape_full *);
} remembered;
static struct table by_key;

/* A semicolon that a new line could stand for is optional in the rule, but not without that new line. */
static bool lone_semicolon(const struct shape_full *f, uint32_t a, uint32_t b)
{
	return b == a + 1 && f->semicolon != SYNTAX_NO_SYMBOL && f->letter[a] == f->semicolon;
}

static bool deletable(const struct shape_full *f, uint32_t a, uint32_t b)
{
	return !lone_semicolon(f, a, b) && automaton_meet(f->automaton, f->forward[a], f->backward[b]);
}

/* The length of the smallest deletable run from i on, or 0. */
static uint32_t unit_at(const struct shape_full *f, uint32_t i)
{
	for (uint32_t w = 1; w <= MAX_UNIT && i + w <= f->s.n_children; w++)
		if (deletable(f, i, i + w))
			return w;
	return 0;
}

static void element_add(struct shape_full *f, uint32_t from, uint32_t to, uint32_t separator)
{
	vec_push(&f->elements, ((struct shape_element){from, to, separator}));
}

/* One list of the elements first … end−1; [from, to) are all their children. */
static void list_add(struct shape_full *f, size_t first, size_t end, uint32_t from, uint32_t to)
{
	if (first == end)
		return;
	struct shape_list l = {.first = (uint32_t)first, .n = (uint32_t)(end - first)};
	l.may_be_empty = deletable(f, from, to);
	vec_push(&f->lists, l);
}

/* The run of units from element `first` on ends at child *to. If its last units end with a common letter and what comes
 * after them goes with the child before it, they become a separated list with one more element. */
static void close_run(struct shape_full *f, size_t first, uint32_t from, uint32_t *to)
{
	uint16_t sep = f->letter[*to - 1];
	size_t end = f->elements.n, split = end;
	const struct shape_element *el = f->elements.at;
	while (split > first && el[split - 1].to - el[split - 1].from > 1 && f->letter[el[split - 1].to - 1] == sep)
		split--;
	uint32_t w = 1;
	while (w <= MAX_UNIT && *to + w <= f->s.n_children && !deletable(f, *to - 1, *to + w))
		w++;
	if (split == end || w > MAX_UNIT || *to + w > f->s.n_children) {
		list_add(f, first, end, from, *to);
		return;
	}
	uint32_t middle = el[split].from;
	list_add(f, first, split, from, middle);
	for (size_t i = split; i < end; i++)
		f->elements.at[i].separator = --f->elements.at[i].to;
	element_add(f, *to, *to + w, SYNTAX_NONE);
	*to += w;
	list_add(f, split, f->elements.n, middle, *to);
}

/* Optional parts inside an element of several children: `: 3` in `x : 3, y`. */
static void find_inner(struct shape_full *f)
{
	size_t n = f->elements.n;
	for (size_t i = 0; i < n; i++) {
		uint32_t from = f->elements.at[i].from, to = f->elements.at[i].to;
		for (uint32_t j = from; j < to && to - from > 1; j++) {
			uint32_t w = unit_at(f, j);
			if (!w || j + w > to || w == to - from)
				continue;
			element_add(f, j, j + w, SYNTAX_NONE);
			list_add(f, f->elements.n - 1, f->elements.n, j, j + w);
			j += w - 1;
		}
	}
}

static void find_lists(struct shape_full *f)
{
	uint32_t n = f->s.n_children;
	for (uint32_t i = 0; i < n;) {
		uint32_t from = i, w;
		size_t first = f->elements.n;
		while (i < n && (w = unit_at(f, i))) {
			element_add(f, i, i + w, SYNTAX_NONE);
			i += w;
		}
		if (f->elements.n == first)
			i++;
		else
			close_run(f, first, from, &i);
	}
	find_inner(f);
}

static struct shape_full *shape_new(const struct language *lang, uint16_t rule, const uint16_t *letter, uint32_t n)
{
	struct shape_full *f = mem_zalloc(sizeof *f);
	struct grammar *g = grammar_get(lang);
	struct automaton *a = g ? grammar_automaton(g, rule) : NULL;
	f->s.n_children = n;
	f->lang = lang->id;
	f->rule = rule;
	f->semicolon =
		language_traits[lang->id].newline == NEWLINE_FREE ? SYNTAX_NO_SYMBOL : syntax_symbol(lang, ";", false);
	f->letter = mem_dup(letter, mem_mul(n, sizeof *letter));
	if (a) {
		f->automaton = a;
		f->forward = mem_alloc(mem_mul(mem_add(n, 1), sizeof *f->forward));
		f->backward = mem_alloc(mem_mul(mem_add(n, 1), sizeof *f->backward));
		f->forward[0] = automaton_start(a);
		for (uint32_t i = 0; i < n; i++)
			f->forward[i + 1] = automaton_step(a, f->forward[i], letter[i]);
		f->backward[n] = automaton_finish(a);
		for (uint32_t i = n; i-- > 0;)
			f->backward[i] = automaton_step_back(a, f->backward[i + 1], letter[i]);
		f->s.matched = automaton_meet(a, f->forward[n], f->backward[n]);
	}
	if (f->s.matched) {
		find_lists(f);
	} else if (n) {
		for (uint32_t i = 0; i < n; i++)
			element_add(f, i, i + 1, SYNTAX_NONE);
		vec_push(&f->lists, ((struct shape_list){.n = n, .may_be_empty = true, .free = true}));
	}
	f->s.list = f->lists.at;
	f->s.n_lists = f->lists.n;
	f->s.element = f->elements.at;
	return f;
}

static void shape_free(struct shape_full *f)
{
	free(f->forward);
	free(f->backward);
	free(f->letter);
	vec_release_all(&f->lists, &f->elements);
	free(f);
}

const struct shape *shape_get(const struct language *lang, uint16_t rule, const uint16_t *letter, uint32_t n)
{
	if (n > MAX_KEPT)
		return &shape_new(lang, rule, letter, n)->s;
	uint64_t h = hash64_seed(letter, n * sizeof *letter, (uint64_t)rule << 8 | (uint64_t)lang->id);
	uint32_t r;
	for (struct table_probe p = table_probe(&by_key, h); (r = table_next(&by_key, &p)) != TABLE_NONE;) {
		const struct shape_full *f = remembered.at[r];
		if (f->lang == lang->id && f->rule == rule && f->s.n_children == n &&
		    !memcmp(f->letter, letter, n * sizeof *letter))
			return &f->s;
	}
	struct shape_full *f = shape_new(lang, rule, letter, n);
	if (remembered.n < MAX_SHAPES) {
		f->remembered = true;
		vec_push(&remembered, f);
		table_insert(&by_key, h, (uint32_t)(remembered.n - 1));
	}
	return &f->s;
}

void shape_drop(const struct shape *s)
{
	struct shape_full *f = (struct shape_full *)(void *)s;
	if (f && !f->remembered)
		shape_free(f);
}

bool shape_valid(const struct language *lang, uint16_t rule, const uint16_t *letter, uint32_t n)
{
	struct grammar *g = grammar_get(lang);
	struct automaton *a = g ? grammar_automaton(g, rule) : NULL;
	if (!a)
		return true;
	uint32_t state = automaton_start(a);
	for (uint32_t i = 0; i < n && state != AUTOMATON_DEAD; i++)
		state = automaton_step(a, state, letter[i]);
	return automaton_meet(a, state, automaton_finish(a));
}

bool shape_accepts(const struct shape *s, uint32_t at, const uint16_t *with, uint32_t n)
{
	const struct shape_full *f = (const struct shape_full *)(const void *)s;
	if (!s->matched)
		return false;
	uint32_t state = f->forward[at];
	for (uint32_t i = 0; i < n; i++)
		state = automaton_step(f->automaton, state, with[i]);
	return automaton_meet(f->automaton, state, f->backward[at + 1]);
}
