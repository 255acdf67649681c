/* SPDX-License-Identifier: MIT */
/* One grammar rule as a position automaton, and its lazily numbered sets of positions.
 *
 * Position 0 stands before the first child; every letter of the rule's expression is one more position. follow[p] are
 * the positions that may come after p, precede[] is the same turned around. A choice between single letters, through
 * hidden rules too, is one position with several letters: supertypes such as "any expression" would otherwise cost
 * fifty positions each. Hidden rules are expanded where they stand; of one that contains itself three levels are kept,
 * or fewer where the rule would become too large for its tables (YAML's stream: 28,492 positions, 1.5 GB).
 *
 * Recursion here is over the grammar's own expressions, never over input. */
#include "reduce/syntax/grammar.h"

#include "data/arena.h"
#include "data/digest.h"
#include "data/table.h"
#include "data/vec.h"

#include <string.h>

enum {
	MAX_NESTING = 3, /* of a hidden rule inside itself */
	MAX_POSITIONS = 4096,
};

typedef uint64_t word;

struct step {
	uint32_t from, to;
	uint16_t letter;
	bool back;
};

struct automaton {
	struct grammar *g;
	struct arena arena;
	uint32_t n_pos, words;
	word *follow, *precede; /* [n_pos][words] */
	uint32_t start_state, finish_state;
	uint16_t *label_of; /* [n_letters]: 0, or which label */
	struct {
		VEC_FIELDS(word *);
	} label; /* positions with that letter; label 0 is empty */
	struct {
		VEC_FIELDS(word *);
	} state;
	struct table states;
	struct {
		VEC_FIELDS(struct step);
	} step;
	struct table steps;
	uint8_t *open;    /* while building: [n_rules], how often the rule is being expanded */
	unsigned nesting; /* how many levels of it are kept */
};

static void bit_set(word *w, uint32_t i)
{
	w[i / 64] |= (word)1 << (i % 64);
}

static void bits_or(word *to, const word *from, uint32_t words)
{
	for (uint32_t i = 0; i < words; i++)
		to[i] |= from[i];
}

/* ---- expressions */

static const uint16_t *code_skip(const uint16_t *c)
{
	for (size_t left = 1; left; left--, c += 2) {
		if (c[0] == OP_SEQ || c[0] == OP_CHOICE)
			left += c[1];
		else if (c[0] == OP_STAR || c[0] == OP_PLUS)
			left++;
	}
	return c;
}

static const uint16_t *rule_code(const struct grammar *g, uint16_t rule)
{
	return g->table->code + g->table->rules[rule].code;
}

enum { CLASS_UNKNOWN, CLASS_YES, CLASS_NO };

/* Whether the expression stands for exactly one child, whichever it is. */
static bool is_class(struct grammar *g, const uint16_t *c)
{
	unsigned single = 0;
	const uint16_t *m = c + 2;
	switch (c[0]) {
	case OP_SYM:
	case OP_NODE:
		return true;
	case OP_RULE:
		if (g->class_of[c[1]] == CLASS_UNKNOWN) {
			g->class_of[c[1]] = CLASS_NO; /* while we look: one that contains itself is none */
			if (is_class(g, rule_code(g, c[1])))
				g->class_of[c[1]] = CLASS_YES;
		}
		return g->class_of[c[1]] == CLASS_YES;
	case OP_CHOICE:
		for (uint16_t i = 0; i < c[1]; i++, m = code_skip(m))
			if (!is_class(g, m))
				return false;
		return c[1] > 0;
	case OP_SEQ:
		for (uint16_t i = 0; i < c[1]; i++, m = code_skip(m)) {
			if (m[0] == OP_EMPTY)
				continue;
			if (!is_class(g, m))
				return false;
			single++;
		}
		return single == 1;
	default:
		return false;
	}
}

static uint32_t count_positions(struct automaton *a, const uint16_t *c)
{
	uint32_t n = 0;
	if (is_class(a->g, c))
		return 1;
	const uint16_t *m = c + 2;
	switch (c[0]) {
	case OP_RULE:
		if (a->open[c[1]] >= a->nesting)
			return 0;
		a->open[c[1]]++;
		n = count_positions(a, rule_code(a->g, c[1]));
		a->open[c[1]]--;
		return n;
	case OP_SEQ:
	case OP_CHOICE:
		for (uint16_t i = 0; i < c[1]; i++, m = code_skip(m))
			n += count_positions(a, m);
		return n;
	case OP_STAR:
	case OP_PLUS:
		return count_positions(a, m);
	default:
		return 0;
	}
}

static void label_add(struct automaton *a, uint16_t letter, uint32_t pos)
{
	if (letter >= a->g->n_letters)
		return; /* the parser has no such symbol: it never made it into the tables of the language */
	if (!a->label_of[letter]) {
		vec_push(&a->label, arena_zalloc(&a->arena, a->words * sizeof(word)));
		a->label_of[letter] = (uint16_t)(a->label.n - 1);
	}
	bit_set(a->label.at[a->label_of[letter]], pos);
}

static void label_class(struct automaton *a, const uint16_t *c, uint32_t pos)
{
	const uint16_t *m = c + 2;
	switch (c[0]) {
	case OP_SYM:
		label_add(a, a->g->symbol_of[c[1]], pos);
		break;
	case OP_NODE:
		label_add(a, (uint16_t)(a->g->n_symbols + c[1]), pos);
		break;
	case OP_RULE:
		label_class(a, rule_code(a->g, c[1]), pos);
		break;
	case OP_SEQ:
	case OP_CHOICE:
		for (uint16_t i = 0; i < c[1]; i++, m = code_skip(m))
			label_class(a, m, pos);
		break;
	default:
		break;
	}
}

struct part {
	bool nullable, impossible;
	word *first, *last;
};

static struct part part_new(struct automaton *a)
{
	size_t bytes = a->words * sizeof(word);
	return (struct part){.first = arena_zalloc(&a->arena, bytes), .last = arena_zalloc(&a->arena, bytes)};
}

static void connect(struct automaton *a, const word *last, const word *first)
{
	for (uint32_t p = 0; p < a->n_pos; p++)
		if (last[p / 64] >> (p % 64) & 1)
			bits_or(a->follow + (size_t)p * a->words, first, a->words);
}

static struct part build(struct automaton *a, const uint16_t *c, uint32_t *next);

static struct part build_seq(struct automaton *a, const uint16_t *c, uint32_t *next)
{
	struct part r = part_new(a);
	r.nullable = true;
	const uint16_t *m = c + 2;
	for (uint16_t i = 0; i < c[1]; i++, m = code_skip(m)) {
		struct part p = build(a, m, next);
		r.impossible |= p.impossible;
		connect(a, r.last, p.first);
		if (r.nullable)
			bits_or(r.first, p.first, a->words);
		if (p.nullable)
			bits_or(r.last, p.last, a->words);
		else
			r.last = p.last;
		r.nullable &= p.nullable;
	}
	return r;
}

static struct part build_choice(struct automaton *a, const uint16_t *c, uint32_t *next)
{
	struct part r = part_new(a);
	r.impossible = true;
	const uint16_t *m = c + 2;
	for (uint16_t i = 0; i < c[1]; i++, m = code_skip(m)) {
		struct part p = build(a, m, next);
		if (p.impossible)
			continue;
		r.impossible = false;
		r.nullable |= p.nullable;
		bits_or(r.first, p.first, a->words);
		bits_or(r.last, p.last, a->words);
	}
	return r;
}

static struct part build(struct automaton *a, const uint16_t *c, uint32_t *next)
{
	struct part r;
	if (is_class(a->g, c)) {
		r = part_new(a);
		uint32_t pos = (*next)++;
		label_class(a, c, pos);
		bit_set(r.first, pos);
		bit_set(r.last, pos);
		return r;
	}
	switch (c[0]) {
	case OP_RULE:
		if (a->open[c[1]] >= a->nesting) {
			r = part_new(a);
			r.impossible = true;
			return r;
		}
		a->open[c[1]]++;
		r = build(a, rule_code(a->g, c[1]), next);
		a->open[c[1]]--;
		return r;
	case OP_SEQ:
		return build_seq(a, c, next);
	case OP_CHOICE:
		return build_choice(a, c, next);
	case OP_STAR:
	case OP_PLUS:
		r = build(a, c + 2, next);
		connect(a, r.last, r.first);
		if (c[0] == OP_STAR) {
			r.nullable = true;
			if (r.impossible) {
				r = part_new(a);
				r.nullable = true;
			}
		}
		return r;
	default:
		r = part_new(a);
		r.nullable = true;
		return r;
	}
}

/* ---- numbered sets */

static uint32_t state_number(struct automaton *a, const word *set)
{
	size_t bytes = a->words * sizeof(word);
	uint64_t h = hash64(set, bytes);
	uint32_t r;
	for (struct table_probe p = table_probe(&a->states, h); (r = table_next(&a->states, &p)) != TABLE_NONE;)
		if (!memcmp(a->state.at[r], set, bytes))
			return r;
	vec_push(&a->state, arena_dup(&a->arena, set, bytes));
	r = (uint32_t)(a->state.n - 1);
	table_insert(&a->states, h, r);
	return r;
}

static uint32_t step_compute(struct automaton *a, uint32_t state, uint16_t letter, bool back)
{
	const word *label = a->label.at[letter < a->g->n_letters ? a->label_of[letter] : 0];
	const word *set = a->state.at[state];
	const word *edges = back ? a->precede : a->follow;
	word *out = arena_zalloc(&a->arena, a->words * sizeof(word));
	for (uint32_t w = 0; w < a->words; w++) {
		for (word bits = back ? set[w] & label[w] : set[w]; bits; bits &= bits - 1) {
			size_t p = w * 64 + (unsigned)__builtin_ctzll(bits);
			bits_or(out, edges + p * a->words, a->words);
		}
	}
	for (uint32_t w = 0; !back && w < a->words; w++)
		out[w] &= label[w];
	return state_number(a, out);
}

static uint32_t step(struct automaton *a, uint32_t state, uint16_t letter, bool back)
{
	if (state == AUTOMATON_DEAD)
		return AUTOMATON_DEAD;
	uint64_t h = mix64((uint64_t)state << 17 | (uint64_t)letter << 1 | back);
	uint32_t r;
	for (struct table_probe p = table_probe(&a->steps, h); (r = table_next(&a->steps, &p)) != TABLE_NONE;) {
		const struct step *s = &a->step.at[r];
		if (s->from == state && s->letter == letter && s->back == back)
			return s->to;
	}
	uint32_t to = step_compute(a, state, letter, back);
	vec_push(&a->step, ((struct step){state, to, letter, back}));
	table_insert(&a->steps, h, (uint32_t)(a->step.n - 1));
	return to;
}

uint32_t automaton_step(struct automaton *a, uint32_t state, uint16_t letter)
{
	return step(a, state, letter, false);
}

uint32_t automaton_step_back(struct automaton *a, uint32_t state, uint16_t letter)
{
	return step(a, state, letter, true);
}

bool automaton_meet(struct automaton *a, uint32_t forward, uint32_t backward)
{
	const word *f = a->state.at[forward], *b = a->state.at[backward];
	for (uint32_t i = 0; i < a->words; i++)
		if (f[i] & b[i])
			return true;
	return false;
}

uint32_t automaton_start(struct automaton *a)
{
	return a->start_state;
}

uint32_t automaton_finish(struct automaton *a)
{
	return a->finish_state;
}

struct automaton *automaton_new(struct grammar *g, uint16_t rule)
{
	struct automaton *a = mem_zalloc(sizeof *a);
	a->g = g;
	a->open = mem_zalloc(g->table->n_rules);
	a->label_of = arena_zalloc(&a->arena, mem_mul(g->n_letters, sizeof *a->label_of));
	const uint16_t *code = rule_code(g, rule);
	a->nesting = MAX_NESTING;
	while ((a->n_pos = 1 + count_positions(a, code)) > MAX_POSITIONS && a->nesting > 1)
		a->nesting--;
	a->words = (a->n_pos + 63) / 64;
	size_t row = a->words * sizeof(word);
	vec_push(&a->label, arena_zalloc(&a->arena, row));
	a->follow = arena_zalloc(&a->arena, mem_mul(a->n_pos, row));
	a->precede = arena_zalloc(&a->arena, mem_mul(a->n_pos, row));
	uint32_t next = 1;
	struct part whole = build(a, code, &next);
	bits_or(a->follow, whole.first, a->words);
	if (whole.nullable)
		bit_set(whole.last, 0);
	for (uint32_t p = 0; p < a->n_pos; p++)
		for (uint32_t q = 0; q < a->n_pos; q++)
			if (a->follow[(size_t)p * a->words + q / 64] >> (q % 64) & 1)
				bit_set(a->precede + (size_t)q * a->words, p);
	free(a->open);
	a->open = NULL;
	word *set = arena_zalloc(&a->arena, row);
	state_number(a, set); /* number 0: AUTOMATON_DEAD */
	bit_set(set, 0);
	a->start_state = state_number(a, set);
	a->finish_state = state_number(a, whole.last);
	return a;
}
