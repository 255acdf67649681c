/* SPDX-License-Identifier: MIT */
/* The chain of stages: see decide.h. Each part of a query goes down the stages until one answers; an unsat part answers
 * the query, sat parts are put together and evaluated as a whole. */
#include "smt/decide/internal.h"

#include "base/bits.h"
#include "base/invariant.h"
#include "data/clock.h"

#include <stdlib.h>
#include <string.h>

/* Unsat answers between two that the solver is asked about; what this may cost of all the time, and at first. */
enum { SAMPLE_EVERY = 16 };
#define SAMPLE_SHARE 0.01
#define SAMPLE_SECONDS 0.1

/* Larger circuits are the solver's. */
enum { MAX_GATES = 400000 };

static const char *const names[] = {[STAGE_FIXES] = "fixes",
				    [STAGE_DUPLICATES] = "duplicates",
				    [STAGE_MODELS] = "models",
				    [STAGE_SLICES] = "slices",
				    [STAGE_BITS] = "bits"};

const char *decide_stage_name(size_t i)
{
	return i < ARRAY_LEN(names) ? names[i] : NULL;
}

size_t decide_stage_find(const char *name, size_t n)
{
	size_t i = 0;
	while (i < DECIDE_STAGES && (strlen(names[i]) != n || memcmp(names[i], name, n)))
		i++;
	return i;
}

struct decide *decide_new(const struct decide_options *o)
{
	struct decide *d = mem_zalloc(sizeof *d);
	d->o = *o;
	d->bits = bits_new(o->check);
	return d;
}

void decide_free(struct decide *d)
{
	if (!d)
		return;
	bank_release(&d->bank);
	conjuncts_release(&d->conjuncts);
	values_release(&d->values);
	problem_release(&d->problem);
	known_release(&d->known);
	struct slices *s = &d->slices;
	vec_release_all(&s->part, &s->fix, &s->key, &s->parent, &s->group, &s->of_cell, &s->cell_epoch);
	bits_free(d->bits);
	vec_release_all(&d->cells, &d->core, &d->cell_seen, &d->shapes);
	free(d);
}

struct decide_stats decide_stats(const struct decide *d)
{
	struct decide_stats s = d->stats;
	bits_proof_ok(d->bits, &s.checked);
	return s;
}

/* ---- memory */

static size_t bytes_of(const struct decide *d)
{
	return bank_bytes(&d->bank) + conjuncts_bytes(&d->conjuncts) + values_bytes(&d->values) +
	       known_bytes(&d->known) + bits_bytes(d->bits);
}

/* Forgets everything. What is worth knowing comes again soon: queries of one program are alike. */
static void clear(struct decide *d)
{
	bank_clear(&d->bank);
	conjuncts_release(&d->conjuncts);
	known_release(&d->known);
	bits_clear(d->bits);
	values_release(&d->values);
	problem_clear(&d->problem);
	d->ready = false;
	d->cell_seen.n = d->slices.cell_epoch.n = 0;
	d->stats.cleared++;
}

static void account(struct decide *d)
{
	d->stats.bytes = bytes_of(d);
	if (d->stats.bytes > d->stats.peak_bytes)
		d->stats.peak_bytes = d->stats.bytes;
	if (d->o.max_bytes && d->stats.bytes > d->o.max_bytes)
		clear(d);
}

/* ---- stages */

static bool on(const struct decide *d, enum decide_stage stage)
{
	return !(d->o.without >> stage & 1);
}

static void answer(struct decide *d, struct decide_answer *a, bool sat, enum decide_stage stage)
{
	*a = (struct decide_answer){.sat = sat, .stage = stage};
	if (sat)
		d->stats.stage[stage].sat++;
	else
		d->stats.stage[stage].unsat++;
}

static const uint32_t *key_of(const struct decide *d, const struct part *p)
{
	return vec_from(&d->slices.key, p->key);
}

static void remember(struct decide *d, const struct part *p, bool sat)
{
	if (known_find(&d->known, key_of(d, p), p->n_key, p->hash) == KNOWN_NONE)
		known_add(&d->known, key_of(d, p), p->n_key, p->hash, sat, d->cells.at, sat ? d->cells.n : 0);
}

/* Does the core read no array at a computed index? Then its cells may be taken for variables. */
static bool only_cells(const struct decide *d)
{
	for (size_t i = 0; i < d->problem.piece.n; i++) {
		const struct piece *p = &d->problem.piece.at[i];
		for (size_t k = 0; k < d->core.n; k++)
			if (d->core.at[k] == p->place && d->conjuncts.at.at[p->conjunct].n_reads)
				return false;
	}
	return true;
}

static void blame(struct decide *d, struct decide_answer *a)
{
	a->core = d->core.at;
	a->n_core = d->core.n;
	a->cells_only = only_cells(d);
}

/* The first of each set of operators, then one in so many that they cost a hundredth of the time. */
static bool wants_sample(struct decide *d, const struct part *p)
{
	uint64_t shape = 0;
	for (uint32_t i = 0; i < p->n_pieces; i++)
		shape |= d->conjuncts.at.at[d->problem.piece.at[p->pieces + i].conjunct].ops;
	d->unsampled++;
	bool known = false;
	for (size_t i = 0; i < d->shapes.n && !known; i++)
		known = d->shapes.at[i] == shape;
	double all = d->stats.seconds + d->costs.total;
	bool wanted = known ? d->unsampled > SAMPLE_EVERY && d->sampled_s < SAMPLE_SHARE * all
			    : d->sampled_s < SAMPLE_SECONDS + 5 * SAMPLE_SHARE * all;
	if (wanted && !known)
		vec_push(&d->shapes, shape);
	if (wanted)
		d->unsampled = 0;
	return wanted;
}

void decide_sampled(struct decide *d, double seconds)
{
	d->sampled_s += seconds;
	costs_add(&d->costs, seconds);
}

static enum sat_result stage_bits(struct decide *d, const struct part *p)
{
	struct problem *m = &d->problem;
	struct decide_stage_stats *s = &d->stats.stage[STAGE_BITS];
	uint64_t cost = 0;
	for (uint32_t i = 0; i < p->n_pieces; i++)
		cost += d->conjuncts.at.at[m->piece.at[p->pieces + i].conjunct].cost;
	if (!on(d, STAGE_BITS) || cost > MAX_GATES || !budget_worth(d, STAGE_BITS))
		return SAT_UNKNOWN;
	struct bits_question q = {vec_from(&m->piece, p->pieces),     p->n_pieces, m->fix.at,
				  vec_from(&d->slices.fix, p->fixes), p->n_fixes,  budget_steps(d)};
	double start = clock_cpu_seconds();
	uint64_t steps = bits_steps(d->bits);
	s->tried++;
	enum sat_result r = bits_solve(d->bits, &d->bank, &d->conjuncts, &q);
	values_grow(&d->values, &d->bank);
	if (r == SAT_YES) {
		size_t n;
		const struct known_cell *c = bits_cells(d->bits, &n);
		values_next_model(&d->values);
		for (size_t i = 0; i < n; i++)
			values_set(&d->values, c[i].cell, c[i].value);
		for (uint32_t i = 0; i < p->n_pieces && r == SAT_YES; i++)
			if (!values_true(&d->values, &d->bank, &d->conjuncts, m->piece.at[p->pieces + i].conjunct))
				r = SAT_UNKNOWN;
		INVARIANT(r == SAT_YES);
	}
	double took = clock_cpu_seconds() - start;
	s->seconds += took;
	budget_searched(d, r != SAT_UNKNOWN, took, bits_steps(d->bits) - steps);
	return r;
}

/* One part down the stages; single: it has all of the problem's conjuncts, on which models have been tried. */
static enum sat_result decide_part(struct decide *d, const struct part *p, bool single, enum decide_stage *by)
{
	uint32_t r = on(d, STAGE_SLICES) ? known_find(&d->known, key_of(d, p), p->n_key, p->hash) : KNOWN_NONE;
	*by = STAGE_SLICES;
	if (r != KNOWN_NONE && !d->known.answer.at[r].sat)
		return SAT_NO;
	if (r != KNOWN_NONE && models_load(d, r, p))
		return SAT_YES;
	if (!single && on(d, STAGE_MODELS) && stage_models(d, p, key_of(d, p)))
		return SAT_YES;
	*by = STAGE_BITS;
	return stage_bits(d, p);
}

static void unsat_part(struct decide *d, const struct part *p, enum decide_stage by, struct decide_answer *a)
{
	vec_clear(&d->core);
	answer(d, a, false, by);
	if (by == STAGE_BITS) {
		size_t n;
		const uint32_t *core = bits_core(d->bits, &n);
		for (size_t i = 0; i < n; i++)
			vec_push(&d->core, core[i]);
		a->sample = wants_sample(d, p);
		blame(d, a);
	}
	vec_clear(&d->cells);
	remember(d, p, false);
}

/* Part by part. RC_NO: not decided. */
static enum rc decide_parts(struct decide *d, struct decide_answer *a)
{
	enum decide_stage by, last = STAGE_SLICES;
	bool all = true, single = d->slices.part.n == 1;
	VEC(struct known_cell) model = {0};
	enum rc rc = RC_NO;
	for (size_t i = 0; i < d->slices.part.n && rc != RC_OK; i++) {
		struct part p = d->slices.part.at[i];
		enum sat_result r = decide_part(d, &p, single, &by);
		if (r == SAT_NO) {
			unsat_part(d, &p, by, a);
			rc = RC_OK;
		} else if (r == SAT_YES) {
			models_collect_begin(d);
			models_collect(d, &p);
			remember(d, &p, true);
			for (size_t k = 0; k < d->cells.n; k++)
				vec_push(&model, d->cells.at[k]);
			if (by == STAGE_BITS)
				last = by;
		} else {
			all = false;
		}
	}
	if (rc != RC_OK && all) {
		struct part whole = {.n_pieces = (uint32_t)d->problem.piece.n};
		values_next_model(&d->values);
		for (size_t k = 0; k < model.n; k++)
			values_set(&d->values, model.at[k].cell, model.at[k].value);
		bool holds = true;
		for (uint32_t i = 0; i < whole.n_pieces && holds; i++)
			holds = values_true(&d->values, &d->bank, &d->conjuncts, d->problem.piece.at[i].conjunct);
		INVARIANT(holds);
		if (holds) {
			models_collect_begin(d);
			models_collect(d, &whole);
			answer(d, a, true, last);
			rc = RC_OK;
		}
	}
	vec_release(&model);
	return rc;
}

/* Duplicates and models of the whole problem. */
static enum rc look_whole(struct decide *d, const struct part *p, struct decide_answer *a)
{
	struct problem *m = &d->problem;
	double start = clock_cpu_seconds(), end;
	enum rc rc = RC_NO;
	uint32_t r = on(d, STAGE_DUPLICATES) ? known_find(&d->known, m->key.at, m->key.n, m->hash) : KNOWN_NONE;
	d->stats.stage[STAGE_DUPLICATES].tried++;
	if (r != KNOWN_NONE && (!d->known.answer.at[r].sat || models_load(d, r, p))) {
		answer(d, a, d->known.answer.at[r].sat, STAGE_DUPLICATES);
		rc = RC_OK;
	}
	end = clock_cpu_seconds();
	d->stats.stage[STAGE_DUPLICATES].seconds += end - start;
	if (rc == RC_OK || !on(d, STAGE_MODELS) || !budget_worth(d, STAGE_MODELS))
		return rc;
	d->stats.stage[STAGE_MODELS].tried++;
	if (stage_models(d, p, m->key.at)) {
		answer(d, a, true, STAGE_MODELS);
		rc = RC_OK;
	}
	double took = clock_cpu_seconds() - end;
	d->stats.stage[STAGE_MODELS].seconds += took;
	d->stats.stage[STAGE_MODELS].failed_s += rc == RC_OK ? 0 : took;
	return rc;
}

/* The model of the whole problem, for later queries and for decide_value. */
static void keep_whole(struct decide *d, const struct part *p, const struct decide_answer *a)
{
	struct problem *m = &d->problem;
	vec_clear(&d->cells);
	if (a->sat) {
		models_collect_begin(d);
		models_collect(d, p);
	}
	if (known_find(&d->known, m->key.at, m->key.n, m->hash) == KNOWN_NONE)
		known_add(&d->known, m->key.at, m->key.n, m->hash, a->sat, d->cells.at, d->cells.n);
}

static enum rc look(struct decide *d, struct decide_answer *a)
{
	struct problem *m = &d->problem;
	struct part whole = {.n_pieces = (uint32_t)m->piece.n, .n_key = (uint32_t)m->key.n};
	if (m->never && on(d, STAGE_FIXES)) {
		answer(d, a, false, STAGE_FIXES);
		vec_clear(&d->core);
		vec_push(&d->core, m->blame[0]);
		if (m->blame[0] != m->blame[1])
			vec_push(&d->core, m->blame[1]);
		problem_sort(d->core.at, d->core.n);
		blame(d, a);
		return RC_OK;
	}
	if (m->never)
		return RC_NO;
	values_begin(&d->values, &d->bank);
	for (size_t i = 0; i < m->fix.n; i++)
		values_fix(&d->values, m->fix.at[i].cell, m->fix.at[i].value);
	enum rc rc = look_whole(d, &whole, a);
	if (rc == RC_OK)
		keep_whole(d, &whole, a);
	return rc;
}

enum rc decide_solve(struct decide *d, struct decide_answer *a, struct err *e)
{
	uint64_t checked;
	struct part whole = {.n_pieces = (uint32_t)d->problem.piece.n};
	if (!d->ready || d->problem.never || (!on(d, STAGE_SLICES) && !on(d, STAGE_BITS)))
		return RC_NO;
	double start = clock_cpu_seconds(), bits = d->stats.stage[STAGE_BITS].seconds;
	d->stats.stage[STAGE_SLICES].tried++;
	if (on(d, STAGE_SLICES))
		slices_cut(d);
	else
		slices_whole(d);
	enum rc rc = decide_parts(d, a);
	if (rc == RC_OK)
		keep_whole(d, &whole, a);
	double took = clock_cpu_seconds() - start;
	d->stats.seconds += took;
	took -= d->stats.stage[STAGE_BITS].seconds - bits;
	d->stats.stage[STAGE_SLICES].seconds += took;
	d->stats.stage[STAGE_SLICES].failed_s += rc == RC_OK ? 0 : took;
	if (!bits_proof_ok(d->bits, &checked))
		return err_set(e, RC_BUG, "the proof of an unsat answer does not hold");
	return rc;
}

enum rc decide_look(struct decide *d, const struct query *q, struct decide_answer *a)
{
	enum rc rc = RC_NO;
	d->ready = false;
	if (!budget_chain(d)) {
		d->stats.skipped++;
		return RC_NO;
	}
	double start = clock_cpu_seconds();
	account(d);
	d->ready = problem_set(&d->problem, &d->bank, &d->conjuncts, q) == RC_OK;
	if (d->ready)
		rc = look(d, a);
	else
		d->stats.passed_by++;
	d->stats.seconds += clock_cpu_seconds() - start;
	return rc;
}

/* ---- values in and out */

/* The elements of an array that have a value, on top of zeros. */
static struct value array_value(const struct decide *d, uint32_t array, struct arena *mem)
{
	const struct bank *b = &d->bank;
	struct value zero = {.type = VALUE_BITS, .width = b->array.at[array].elem_width};
	struct value r = value_const_array(mem, &zero);
	for (size_t i = 0; i < d->cells.n + d->problem.fix.n; i++) {
		bool fix = i >= d->cells.n;
		uint32_t cell = fix ? d->problem.fix.at[i - d->cells.n].cell : d->cells.at[i].cell;
		const struct bank_cell *c = &b->cell.at[cell];
		if (c->name || c->array != array)
			continue;
		struct value index = {.type = VALUE_BITS, .width = b->array.at[array].index_width, .u = c->index};
		struct value elem = {.type = VALUE_BITS, .width = c->width};
		elem.u = fix ? d->problem.fix.at[i - d->cells.n].value : d->cells.at[i].value;
		r = value_store(mem, r.array, &index, &elem);
	}
	return r;
}

bool decide_value(struct decide *d, const struct query *q, uint32_t var, struct arena *mem, struct value *out)
{
	uint32_t node = d->ready && var < d->problem.import.node.n ? d->problem.import.node.at[var] : NODE_NONE;
	(void)q;
	if (node == NODE_NONE)
		return false;
	const struct node *n = &d->bank.node.at[node];
	if (n->op == NODE_ARRAY) {
		*out = array_value(d, (uint32_t)n->k, mem);
		return true;
	}
	const struct bank_cell *c = &d->bank.cell.at[n->k];
	*out = (struct value){.type = c->boolean ? VALUE_BOOL : VALUE_BITS, .width = c->boolean ? 0 : c->width};
	out->u = values_cell(&d->values, (uint32_t)n->k);
	return true;
}

/* The solver's value of a cell; false: it has none. */
static bool learnt_cell(const struct decide *d, const struct query *q, const struct eval *values, uint32_t cell,
			uint64_t *out)
{
	const struct bank_cell *c = &d->bank.cell.at[cell];
	uint32_t node = c->name ? c->node : d->bank.array.at[c->array].node;
	for (size_t i = 0; i < q->var.n; i++) {
		uint32_t var = q->var.at[i];
		if (d->problem.import.node.at[var] != node)
			continue;
		struct value v = values->value.at[var];
		if (!c->name && v.type == VALUE_ARRAY) {
			struct value index = {
				.type = VALUE_BITS, .width = d->bank.array.at[c->array].index_width, .u = c->index};
			v = value_select(v.array, &index);
		}
		*out = v.u;
		return v.type == VALUE_BOOL || (v.type == VALUE_BITS && v.width <= 64);
	}
	return false;
}

/* Cells that arrays read at computed indices have in the solver's model. */
static void name_elements(struct decide *d, const struct query *q, const struct eval *values)
{
	for (size_t i = 0; i < q->var.n; i++) {
		uint32_t node = d->problem.import.node.at[q->var.at[i]];
		struct value v = values->value.at[q->var.at[i]];
		if (d->bank.node.at[node].op != NODE_ARRAY || v.type != VALUE_ARRAY)
			continue;
		for (const struct array_value *a = v.array; a->base; a = a->base)
			bank_element(&d->bank, (uint32_t)d->bank.node.at[node].k, a->index.u);
	}
}

static void learn_sat(struct decide *d, const struct query *q, const struct eval *values)
{
	struct problem *m = &d->problem;
	struct part whole = {.n_pieces = (uint32_t)m->piece.n};
	bool reads = false, holds = true;
	for (size_t i = 0; i < m->piece.n; i++)
		reads |= d->conjuncts.at.at[m->piece.at[i].conjunct].n_reads > 0;
	if (reads)
		name_elements(d, q, values);
	values_grow(&d->values, &d->bank);
	values_next_model(&d->values);
	for (uint32_t cell = 0; reads && cell < d->bank.cell.n; cell++) {
		uint64_t v;
		if (!d->bank.cell.at[cell].name && learnt_cell(d, q, values, cell, &v))
			values_set(&d->values, cell, v);
	}
	for (size_t i = 0; i < m->piece.n; i++) {
		const struct conjunct *k = &d->conjuncts.at.at[m->piece.at[i].conjunct];
		for (uint32_t j = 0; j < k->n_cells; j++) {
			uint64_t v;
			if (learnt_cell(d, q, values, d->conjuncts.pool.at[k->cells + j], &v))
				values_set(&d->values, d->conjuncts.pool.at[k->cells + j], v);
		}
	}
	for (uint32_t i = 0; i < whole.n_pieces && holds; i++)
		holds = values_true(&d->values, &d->bank, &d->conjuncts, m->piece.at[i].conjunct);
	if (!holds) /* its arrays are not zero elsewhere */
		return;
	models_collect_begin(d);
	models_collect(d, &whole);
	known_add(&d->known, m->key.at, m->key.n, m->hash, true, d->cells.at, d->cells.n);
}

void decide_told_unsat(struct decide *d)
{
	struct problem *m = &d->problem;
	if (d->ready && !m->never && known_find(&d->known, m->key.at, m->key.n, m->hash) == KNOWN_NONE)
		known_add(&d->known, m->key.at, m->key.n, m->hash, false, NULL, 0);
}

bool decide_waits(const struct decide *d)
{
	return d->ready && !d->problem.never;
}

void decide_learn(struct decide *d, const struct query *q, bool sat, const struct eval *values, double seconds)
{
	struct problem *m = &d->problem;
	costs_add(&d->costs, seconds);
	d->misses += d->ready;
	d->missed_s += d->ready ? seconds : 0;
	if (!sat)
		decide_told_unsat(d);
	else if (values && d->ready && !m->never && known_find(&d->known, m->key.at, m->key.n, m->hash) == KNOWN_NONE)
		learn_sat(d, q, values);
	d->ready = false;
}

#ifdef RF_INVARIANTS
void decide_check(const struct decide *d)
{
	bank_check(&d->bank);
	known_check(&d->known);
}
#endif
