/* SPDX-License-Identifier: MIT */
/* Unification of clause pairs. See match.h; the join is in match_join.c. */
#include "smt/cache/match.h"

#include "base/invariant.h"
#include "smt/cache/match_join.h"

#include <string.h>

void match_release(struct match *m)
{
	vec_release_all(&m->image, &m->touched, &m->todo, &m->table, &m->data, &m->rows_a, &m->rows_b, &m->domain,
			&m->value, &m->order, &m->cursor);
}

/* The sort of a query's atom, which is a variable or a read. */
static const struct label *atom_sort(const struct query *q, const struct term *t)
{
	if (t->kind == TERM_VAR)
		return &q->t.label[t->sort];
	const struct label *array = &q->t.label[q->t.term[q->t.arg[t->args]].sort];
	return &q->t.label[array->elem];
}

static bool var_fits(const struct match *m, const struct core *c, const struct term *x, const struct query *q,
		     const struct term *y)
{
	if (y->kind != TERM_VAR && !(y->read && (m->flags & MATCH_SCALAR)))
		return false;
	if (!label_equal(&c->t.label[x->sort], atom_sort(q, y)))
		return false;
	return !(m->flags & MATCH_NAMES) || label_equal(&c->t.label[x->label], &q->t.label[y->label]);
}

/* Same operator, constant, bound variable or binder over as many arguments; arguments are not looked at. */
static bool heads_equal(const struct core *c, const struct term *x, const struct query *q, const struct term *y)
{
	if (x->kind != y->kind || x->n_args != y->n_args || x->loose != y->loose)
		return false;
	if (x->kind == TERM_BOUND)
		return x->label == y->label;
	return (x->kind != TERM_BINDER || x->sort == y->sort) &&
	       label_equal(&c->t.label[x->label], &q->t.label[y->label]);
}

static bool set_image(struct match *m, uint32_t x, uint32_t y)
{
	m->image.at[x] = y + 1;
	vec_push(&m->touched, x);
	return true;
}

static bool walk(struct match *m, const struct core *c, uint32_t x0, const struct query *q, uint32_t y0)
{
	vec_clear(&m->todo);
	vec_push(&m->todo, (uint64_t)x0 << 32 | y0);
	while (m->todo.n) {
		uint64_t pair = vec_pop(&m->todo);
		uint32_t x = (uint32_t)(pair >> 32), y = (uint32_t)pair;
		m->steps++;
		if (m->image.at[x]) {
			/* a term has one image: another one contradicts the substitution made so far */
			if (m->image.at[x] != y + 1)
				return false;
			continue;
		}
		const struct term *a = &c->t.term[x], *b = &q->t.term[y];
		if (a->kind == TERM_VAR) {
			if (!var_fits(m, c, a, q, b))
				return false;
			set_image(m, x, y);
			continue;
		}
		if (m->flags & MATCH_SCALAR ? a->scalar != b->scalar : a->shape != b->shape)
			return false;
		if (!heads_equal(c, a, q, b))
			return false;
		set_image(m, x, y);
		for (uint32_t i = 0; i < a->n_args; i++)
			vec_push(&m->todo, (uint64_t)c->t.arg[a->args + i] << 32 | q->t.arg[b->args + i]);
	}
	return true;
}

/* Images left behind by the last walk are wiped before the next one. */
static void begin_walk(struct match *m, const struct core *c)
{
	while (m->touched.n)
		m->image.at[vec_pop(&m->touched)] = 0;
	if (m->image.n < c->n_terms) {
		vec_reserve(&m->image, c->n_terms - m->image.n);
		memset(m->image.at + m->image.n, 0, (c->n_terms - m->image.n) * sizeof *m->image.at);
		m->image.n = c->n_terms;
	}
}

static bool match_clause(struct match *m, const struct core *c, const struct core_clause *k, const struct query *q,
			 uint32_t term)
{
	begin_walk(m, c);
	return walk(m, c, k->term, q, term);
}

static size_t table_bytes(const struct match *m)
{
	return (m->data.cap + m->rows_a.cap + m->rows_b.cap) * sizeof(uint32_t) + m->domain.cap * sizeof(uint64_t);
}

bool match_spent(struct match *m)
{
	size_t bytes = table_bytes(m);
	if (bytes > m->peak_bytes)
		m->peak_bytes = bytes;
	if ((m->max_steps && m->steps > m->max_steps) || (m->max_bytes && bytes > m->max_bytes))
		m->gave_up = true;
	return m->gave_up;
}

/* One row when the pair unifies. Clauses without variables need only one. */
static void try_pair(struct match *m, const struct core *c, const struct core_clause *k, const struct query *q,
		     uint32_t conj)
{
	struct match_table *t = &vec_last(&m->table);
	if (!k->n_vars && t->rows)
		return;
	if (!match_clause(m, c, k, q, q->conj.at[conj]))
		return;
	for (uint32_t i = 0; i < k->n_vars; i++) {
		uint32_t image = m->image.at[c->var[c->vars[k->vars + i]]] - 1;
		vec_push(&m->data, q->number.at[image] - 1);
	}
	t->rows++;
}

static bool collect(struct match *m, const struct core *c, uint32_t clause, const struct query *q,
		    const struct query_index *x)
{
	const struct core_clause *k = &c->clause[clause];
	vec_push(&m->table, ((struct match_table){.clause = clause, .width = k->n_vars, .data = m->data.n}));
	if (m->flags & MATCH_O1) {
		uint32_t entry = query_index_find(x, k->key);
		for (; entry != TERM_NONE && !match_spent(m); entry = x->next.at[entry])
			try_pair(m, c, k, q, entry / 3);
	} else {
		for (uint32_t i = 0; i < q->conj.n && !match_spent(m); i++)
			try_pair(m, c, k, q, i);
	}
	return vec_last(&m->table).rows > 0 && !m->gave_up;
}

enum rc match_core(struct match *m, const struct core *c, const struct query *q, const struct query_index *index)
{
	vec_clear(&m->table);
	vec_clear(&m->data);
	vec_reserve(&m->data, 1); /* rows without columns have an address too */
	vec_clear(&m->value);
	m->gave_up = false;
	/* an empty core would match everything */
	if (!c->n_clauses || c->context_len != q->context_len || memcmp(c->context, q->context, c->context_len))
		return RC_NO;
	vec_reserve(&m->value, c->n_vars);
	m->value.n = c->n_vars;
	if (c->n_vars)
		memset(m->value.at, 0, c->n_vars * sizeof *m->value.at);
	for (uint32_t i = 0; i < c->n_clauses; i++)
		if (!collect(m, c, i, q, index))
			return RC_NO;
	if ((m->flags & MATCH_O2) && !match_filter(m, c, q))
		return RC_NO;
	bool yes = m->flags & MATCH_O3 ? match_join_lazy(m, c) : match_join_stored(m, c);
	match_spent(m);
	/* every variable stands for something of the query */
	for (uint32_t v = 0; yes && v < c->n_vars; v++)
		INVARIANT(m->value.at[v] && m->value.at[v] <= q->atom.n);
	return yes ? RC_OK : RC_NO;
}
