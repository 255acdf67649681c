/* SPDX-License-Identifier: MIT */
/* Questions to the SAT solver: see bits.h. A table of fixes (NODE_FIXED) is one assumption that implies each of its
 * cells and that a read at a computed index gives the table's value there.
 *
 * The circuits of all queries are in one solver, and what a query assigns is propagated through all of them. When
 * they have become large against what queries use, everything is dropped and made again as it is needed. */
#include "smt/decide/bits.h"

#include "base/bits.h"
#include "base/invariant.h"
#include "smt/circuit/circuit.h"

#include <stdlib.h>
#include <string.h>

/* Rounds of reads that differ; reads in one question; when the circuits are too large: gates, and how many times those
 * of the question. */
enum { MAX_ROUNDS = 200, MAX_READS = 400, MANY_GATES = 150000, TIMES_LARGER = 12 };

/* Two things that have been tied to each other by clauses. */
struct tie {
	uint32_t a, b;
};

/* A read in an assignment. */
struct seen_read {
	uint32_t node;
	uint64_t array, index, value;
};

struct bits {
	struct circuit c;
	struct proof *proof;
	bool check, bad;
	uint64_t checked;
	VEC(uint32_t) stamp; /* per node: in the current question */
	uint32_t epoch;
	VEC(uint32_t) variables, assumptions, owner, cone, core;
	VEC(struct tie) tie;
	struct table ties;
	VEC(struct seen_read) reads;
	VEC(struct known_cell) cells;
};

struct bits *bits_new(bool check)
{
	struct bits *t = mem_zalloc(sizeof *t);
	t->check = check;
	if (check)
		t->proof = proof_new();
	circuit_init(&t->c, t->proof);
	return t;
}

void bits_clear(struct bits *t)
{
	circuit_release(&t->c);
	t->bad |= t->proof && !proof_ok(t->proof);
	proof_free(t->proof);
	t->proof = t->check ? proof_new() : NULL;
	circuit_init(&t->c, t->proof);
	vec_clear(&t->tie);
	table_release(&t->ties);
	vec_clear(&t->stamp);
}

void bits_free(struct bits *t)
{
	if (!t)
		return;
	circuit_release(&t->c);
	proof_free(t->proof);
	table_release(&t->ties);
	vec_release_all(&t->stamp, &t->variables, &t->assumptions, &t->owner, &t->cone, &t->core, &t->tie, &t->reads,
			&t->cells);
	free(t);
}

size_t bits_bytes(const struct bits *t)
{
	return sat_bytes(&t->c.sat) + t->c.gate.cap * sizeof *t->c.gate.at + t->c.bit.cap * sizeof(uint32_t) +
	       t->c.wires.cap * sizeof *t->c.wires.at;
}

bool bits_proof_ok(const struct bits *t, uint64_t *checked)
{
	*checked = t->checked;
	return !t->bad && (!t->proof || proof_ok(t->proof));
}

uint64_t bits_steps(const struct bits *t)
{
	return t->c.sat.steps;
}

const struct known_cell *bits_cells(const struct bits *t, size_t *n)
{
	*n = t->cells.n;
	return t->cells.at;
}

const uint32_t *bits_core(const struct bits *t, size_t *n)
{
	*n = t->core.n;
	return t->core.at;
}

/* True the first time that the two are to be tied. */
static bool tie(struct bits *t, uint32_t a, uint32_t b)
{
	uint64_t hash = mix64_pair(a, b);
	uint32_t r;
	for (struct table_probe p = table_probe(&t->ties, hash); (r = table_next(&t->ties, &p)) != TABLE_NONE;)
		if (t->tie.at[r].a == a && t->tie.at[r].b == b)
			return false;
	vec_push(&t->tie, ((struct tie){a, b}));
	table_insert(&t->ties, hash, (uint32_t)t->tie.n - 1);
	return true;
}

/* Takes a conjunct's nodes into the question, with the variables that belong to them. */
static void add_conjunct(struct bits *t, const struct bank *b, const struct conjuncts *c, uint32_t conjunct)
{
	const struct conjunct *k = &c->at.at[conjunct];
	for (uint32_t i = 0; i < k->n_program; i++) {
		uint32_t node = c->pool.at[k->program + i];
		if (t->stamp.at[node] == t->epoch)
			continue;
		t->stamp.at[node] = t->epoch;
		if (!circuit_has(&t->c, node))
			circuit_make(&t->c, b, node);
		struct wires w = t->c.wires.at[node];
		for (uint32_t v = w.first; v < w.last; v++)
			vec_push(&t->variables, v);
		if (b->node.at[node].op == NODE_CELL || b->node.at[node].op == NODE_READ)
			vec_push(&t->cone, node);
	}
}

static void assume(struct bits *t, uint32_t lit, uint32_t owner)
{
	vec_push(&t->assumptions, lit);
	vec_push(&t->owner, owner);
}

/* The literal of a NODE_FIXED: a variable of its own. */
static uint32_t table_literal(struct bits *t, uint32_t node)
{
	struct circuit *c = &t->c;
	if (c->wires.n <= node) {
		size_t more = node + 1 - c->wires.n;
		vec_reserve(&c->wires, more);
		memset(c->wires.at + c->wires.n, 0, more * sizeof *c->wires.at);
		c->wires.n = (size_t)node + 1;
	}
	if (!c->wires.at[node].at) {
		uint32_t v = sat_variable(&c->sat);
		vec_push(&c->bit, 2 * v);
		c->wires.at[node] = (struct wires){(uint32_t)c->bit.n, v, v + 1};
	}
	return *circuit_bits(c, node);
}

/* Ties what the question has of the array to the table's values. */
static void tie_table(struct bits *t, const struct bank *b, uint32_t fixed)
{
	struct circuit *c = &t->c;
	uint32_t lit = table_literal(t, fixed), bits[64], x[64], index[64];
	uint64_t array = b->node.at[b->node.at[fixed].a].k;
	const struct bank_lookup *l = &b->lookup.at[b->node.at[fixed].k];
	for (size_t i = 0; i < t->cone.n; i++) {
		uint32_t node = t->cone.at[i];
		struct node n = b->node.at[node];
		const struct bank_cell *cell = n.op == NODE_CELL ? &b->cell.at[n.k] : NULL;
		uint32_t value =
			cell && !cell->name && cell->array == array ? bank_lookup_find(l, cell->index) : NODE_NONE;
		if (!(cell ? value != NODE_NONE : n.k == array) || !tie(t, fixed, node))
			continue;
		memcpy(x, circuit_bits(c, node), n.width * sizeof *x);
		if (cell) {
			circuit_constant(c, b->node.at[value].k, n.width, bits);
		} else {
			unsigned w = b->node.at[n.a].width;
			memcpy(index, circuit_bits(c, n.a), w * sizeof *index);
			circuit_lookup(c, b, l, index, w, x, n.width, bits);
		}
		circuit_imply_equal(c, lit, x, bits, n.width);
	}
}

/* Circuits and assumptions of the question. */
static void set_up(struct bits *t, const struct bank *b, struct conjuncts *c, const struct bits_question *q)
{
	size_t n = t->stamp.n;
	if (n < b->node.n) {
		vec_reserve(&t->stamp, b->node.n - n);
		memset(t->stamp.at + n, 0, (b->node.n - n) * sizeof *t->stamp.at);
		t->stamp.n = b->node.n;
	}
	t->epoch++;
	vec_clear(&t->variables);
	vec_clear(&t->assumptions);
	vec_clear(&t->owner);
	vec_clear(&t->cone);
	sat_reset(&t->c.sat);
	/* the newest conjunct first: it is what the others are likely to contradict */
	for (size_t i = q->n_pieces; i-- > 0;)
		add_conjunct(t, b, c, q->piece[i].conjunct);
	uint32_t last = NODE_NONE;
	for (size_t i = 0; i < q->n_fixes; i++) {
		const struct fix *f = &q->fix[q->bear[i]];
		if (b->node.at[f->node].op == NODE_FIXED) {
			if (f->node != last)
				assume(t, table_literal(t, f->node), (uint32_t)(q->n_pieces + i));
			last = f->node;
			continue;
		}
		add_conjunct(t, b, c, conjunct_of(c, b, f->node));
		assume(t, *circuit_bits(&t->c, f->node), (uint32_t)(q->n_pieces + i));
	}
	for (size_t i = 0; i < t->assumptions.n; i++) {
		uint32_t node = q->fix[q->bear[t->owner.at[i] - q->n_pieces]].node;
		if (b->node.at[node].op == NODE_FIXED)
			tie_table(t, b, node);
	}
	for (size_t i = 0; i < q->n_pieces; i++)
		assume(t, *circuit_bits(&t->c, c->at.at[q->piece[i].conjunct].node), (uint32_t)i);
}

/* ---- reads */

/* The two have different values though they are one element: never again. */
static void forbid(struct bits *t, const struct bank *b, const struct seen_read *r, uint32_t other, bool is_cell)
{
	struct circuit *c = &t->c;
	uint32_t x[64], y[64], i[64], k[64];
	struct node n = b->node.at[r->node], m = b->node.at[other];
	unsigned w = b->node.at[n.a].width;
	memcpy(i, circuit_bits(c, n.a), w * sizeof *i);
	memcpy(x, circuit_bits(c, r->node), n.width * sizeof *x);
	memcpy(y, circuit_bits(c, other), n.width * sizeof *y);
	if (is_cell)
		circuit_constant(c, b->cell.at[m.k].index, w, k);
	else
		memcpy(k, circuit_bits(c, m.a), w * sizeof *k);
	circuit_imply_equal(c, circuit_equal(c, i, k, w), x, y, n.width);
}

/* A disagreement found in an assignment. */
struct differ {
	struct seen_read read;
	uint32_t other;
	bool is_cell;
};

static void collect_reads(struct bits *t, const struct bank *b)
{
	vec_clear(&t->reads);
	for (size_t i = 0; i < t->cone.n; i++) {
		struct node n = b->node.at[t->cone.at[i]];
		if (n.op == NODE_READ)
			vec_push(&t->reads, ((struct seen_read){t->cone.at[i], n.k, circuit_value(&t->c, b, n.a),
								circuit_value(&t->c, b, t->cone.at[i])}));
	}
}

/* Looks for reads that differ from the element's cell or from another read; the first few of them go to out. */
static size_t find_differences(struct bits *t, const struct bank *b, struct differ *out, size_t max)
{
	size_t found = 0;
	collect_reads(t, b);
	for (size_t i = 0; i < t->reads.n && found < max; i++) {
		const struct seen_read *r = &t->reads.at[i];
		uint32_t cell = bank_find_element(b, (uint32_t)r->array, r->index);
		uint32_t node = cell == NODE_NONE ? NODE_NONE : b->cell.at[cell].node;
		if (node != NODE_NONE && t->stamp.at[node] == t->epoch) {
			if (circuit_value(&t->c, b, node) != r->value)
				out[found++] = (struct differ){*r, node, true};
			continue;
		}
		for (size_t k = 0; k < i; k++) {
			const struct seen_read *o = &t->reads.at[k];
			if (o->array == r->array && o->index == r->index && o->value != r->value) {
				out[found++] = (struct differ){*r, o->node, false};
				break;
			}
		}
	}
	return found;
}

/* New gates of this question's are decided too. */
static void take_variables(struct bits *t, size_t first)
{
	for (size_t v = first; v < t->c.sat.phase.n; v++)
		vec_push(&t->variables, (uint32_t)v);
}

/* ---- results */

static void keep_cells(struct bits *t, struct bank *b)
{
	vec_clear(&t->cells);
	for (size_t i = 0; i < t->cone.n; i++) {
		struct node n = b->node.at[t->cone.at[i]];
		if (n.op == NODE_CELL)
			vec_push(&t->cells,
				 ((struct known_cell){(uint32_t)n.k, circuit_value(&t->c, b, t->cone.at[i])}));
	}
	for (size_t i = 0; i < t->reads.n; i++) {
		uint32_t cell = bank_element(b, (uint32_t)t->reads.at[i].array, t->reads.at[i].index);
		vec_push(&t->cells, ((struct known_cell){cell, t->reads.at[i].value}));
	}
}

static void blame_place(struct bits *t, const struct bits_question *q, const struct bank *b, uint32_t owner)
{
	if (owner < q->n_pieces) {
		vec_push(&t->core, q->piece[owner].place);
		return;
	}
	uint32_t node = q->fix[q->bear[owner - q->n_pieces]].node;
	if (b->node.at[node].op != NODE_FIXED) {
		vec_push(&t->core, q->fix[q->bear[owner - q->n_pieces]].place);
		return;
	}
	for (size_t i = 0; i < q->n_fixes; i++)
		if (q->fix[q->bear[i]].node == node)
			vec_push(&t->core, q->fix[q->bear[i]].place);
}

static void keep_core(struct bits *t, const struct bits_question *q, const struct bank *b)
{
	const struct sat *s = &t->c.sat;
	vec_clear(&t->core);
	for (size_t i = 0; i < t->assumptions.n; i++)
		for (size_t k = 0; k < s->failed.n; k++)
			if (s->failed.at[k] == t->assumptions.at[i]) {
				blame_place(t, q, b, t->owner.at[i]);
				break;
			}
	problem_sort(t->core.at, t->core.n);
	size_t n = 0;
	for (size_t i = 0; i < t->core.n; i++)
		if (!n || t->core.at[n - 1] != t->core.at[i])
			t->core.at[n++] = t->core.at[i];
	t->core.n = n;
}

static enum sat_result refuted(struct bits *t, const struct bits_question *q, const struct bank *b)
{
	const struct sat *s = &t->c.sat;
	/* circuits never contradict each other: if they seem to, nothing that is built on them counts */
	if (s->never || !s->failed.n) {
		bits_clear(t);
		return SAT_UNKNOWN;
	}
	if (t->proof) {
		t->checked++;
		t->bad |= !proof_refutes(t->proof, s->failed.at, s->failed.n);
	}
	keep_core(t, q, b);
	return SAT_NO;
}

static void drop_if_large(struct bits *t, const struct bits_question *q, const struct conjuncts *c)
{
	uint64_t gates = 1000;
	for (size_t i = 0; i < q->n_pieces; i++)
		gates += c->at.at[q->piece[i].conjunct].cost;
	if (t->c.gate.n > MANY_GATES && t->c.gate.n > TIMES_LARGER * gates)
		bits_clear(t);
}

enum sat_result bits_solve(struct bits *t, struct bank *b, struct conjuncts *c, const struct bits_question *q)
{
	uint64_t end = t->c.sat.steps + q->steps;
	drop_if_large(t, q, c);
	if (t->c.sat.steps + q->steps < end)
		end = t->c.sat.steps + q->steps;
	set_up(t, b, c, q);
	for (int round = 0; round < MAX_ROUNDS; round++) {
		struct sat *s = &t->c.sat;
		struct differ differ[16];
		if (s->steps >= end)
			break;
		enum sat_result r = sat_solve(s, t->assumptions.at, t->assumptions.n, t->variables.at, t->variables.n,
					      end - s->steps);
		if (r == SAT_NO)
			return refuted(t, q, b);
		if (r != SAT_YES)
			break;
		size_t n = find_differences(t, b, differ, ARRAY_LEN(differ));
		if (!n) {
			keep_cells(t, b);
			return SAT_YES;
		}
		if (t->reads.n > MAX_READS)
			break;
		sat_reset(s);
		size_t first = s->phase.n;
		for (size_t i = 0; i < n; i++)
			forbid(t, b, &differ[i].read, differ[i].other, differ[i].is_cell);
		take_variables(t, first);
	}
	return SAT_UNKNOWN;
}
