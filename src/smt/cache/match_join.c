/* SPDX-License-Identifier: MIT */
/* The join. A table's columns are the clause's variables, a row one substitution for them; a complete substitution
 * takes one row of each table such that shared variables agree. */
#include "smt/cache/match_join.h"

#include <string.h>

static const uint32_t *columns(const struct core *c, const struct match_table *t)
{
	return c->vars + c->clause[t->clause].vars;
}

/* What every table offers for each variable, intersected; then rows with a value outside go, until nothing changes. */
bool match_filter(struct match *m, const struct core *c, const struct query *q)
{
	size_t words = (q->atom.n + 63) / 64;
	bool changed = true;
	VEC(uint64_t) offer = {0};
	vec_reserve(&offer, words + 1);
	vec_clear(&m->domain);
	vec_reserve(&m->domain, words * c->n_vars + 1);
	memset(m->domain.at, 0xff, words * c->n_vars * sizeof *m->domain.at);
	bool some = true;
	while (changed && some && !match_spent(m)) {
		changed = false;
		for (size_t i = 0; i < m->table.n; i++) {
			const struct match_table *t = &m->table.at[i];
			const uint32_t *col = columns(c, t);
			for (uint32_t k = 0; k < t->width; k++) {
				memset(offer.at, 0, words * sizeof *offer.at);
				for (size_t r = 0; r < t->rows; r++) {
					uint32_t v = m->data.at[t->data + r * t->width + k];
					offer.at[v / 64] |= (uint64_t)1 << (v % 64);
				}
				uint64_t *dom = m->domain.at + words * col[k];
				for (size_t w = 0; w < words; w++)
					dom[w] &= offer.at[w];
			}
			m->steps += t->rows;
		}
		for (size_t i = 0; i < m->table.n && some; i++) {
			struct match_table *t = &m->table.at[i];
			const uint32_t *col = columns(c, t);
			size_t kept = 0;
			for (size_t r = 0; r < t->rows; r++) {
				uint32_t *row = m->data.at + t->data + r * t->width;
				bool ok = true;
				for (uint32_t k = 0; k < t->width && ok; k++)
					ok = m->domain.at[words * col[k] + row[k] / 64] >> (row[k] % 64) & 1;
				if (ok) {
					if (kept != r && t->width)
						memmove(m->data.at + t->data + kept * t->width, row,
							t->width * sizeof *row);
					kept++;
				}
			}
			changed |= kept != t->rows;
			t->rows = kept;
			some = kept > 0;
		}
	}
	vec_release(&offer);
	return some && !m->gave_up;
}

/* Next: the table with the fewest variables that are still open, then the fewest rows. */
static size_t next_table(const struct match *m, const struct core *c, const uint8_t *bound)
{
	size_t best = SIZE_MAX, best_open = 0;
	for (size_t i = 0; i < m->table.n; i++) {
		const struct match_table *t = &m->table.at[i];
		if (t->done)
			continue;
		size_t open = 0;
		for (uint32_t k = 0; k < t->width; k++)
			open += !bound[columns(c, t)[k]];
		bool untouched = open == t->width && t->width, best_untouched = best != SIZE_MAX &&
										best_open == m->table.at[best].width &&
										m->table.at[best].width;
		if (best == SIZE_MAX || untouched < best_untouched ||
		    (untouched == best_untouched &&
		     (untouched ? t->rows < m->table.at[best].rows
				: open < best_open || (open == best_open && t->rows < m->table.at[best].rows)))) {
			best = i;
			best_open = open;
		}
	}
	return best;
}

static void plan(struct match *m, const struct core *c)
{
	uint8_t *bound = mem_zalloc((size_t)c->n_vars + 1);
	vec_clear(&m->order);
	for (size_t n = 0; n < m->table.n; n++) {
		size_t i = next_table(m, c, bound);
		struct match_table *t = &m->table.at[i];
		t->done = true;
		vec_push(&m->order, (uint32_t)i);
		for (uint32_t k = 0; k < t->width; k++)
			bound[columns(c, t)[k]] = 1;
	}
	free(bound);
}

/* Tries row r; the variables it set are put on `touched` with a zero in front. */
static bool take_row(struct match *m, const struct core *c, const struct match_table *t, size_t r)
{
	const uint32_t *col = columns(c, t), *row = m->data.at + t->data + r * t->width;
	for (uint32_t k = 0; k < t->width; k++)
		if (m->value.at[col[k]] && m->value.at[col[k]] != row[k] + 1)
			return false;
	vec_push(&m->rows_a, UINT32_MAX);
	for (uint32_t k = 0; k < t->width; k++)
		if (!m->value.at[col[k]]) {
			m->value.at[col[k]] = row[k] + 1;
			vec_push(&m->rows_a, col[k]);
		}
	return true;
}

static void give_row_back(struct match *m)
{
	uint32_t v;
	while ((v = vec_pop(&m->rows_a)) != UINT32_MAX)
		m->value.at[v] = 0;
}

bool match_join_lazy(struct match *m, const struct core *c)
{
	plan(m, c);
	vec_clear(&m->rows_a);
	vec_clear(&m->cursor);
	vec_push(&m->cursor, 0);
	while (m->cursor.n && m->cursor.n <= m->order.n) {
		const struct match_table *t = &m->table.at[m->order.at[m->cursor.n - 1]];
		uint64_t *r = &vec_last(&m->cursor);
		bool took = false;
		while (*r < t->rows && !took) {
			m->steps++;
			took = take_row(m, c, t, (size_t)(*r)++);
		}
		if (match_spent(m))
			return false;
		if (took) {
			vec_push(&m->cursor, 0);
		} else {
			(void)vec_pop(&m->cursor);
			if (m->cursor.n)
				give_row_back(m);
		}
	}
	return m->cursor.n > 0;
}

/* rows_b = the rows of rows_a (each n_vars wide, 0: open) joined with table t */
static bool join_one(struct match *m, const struct core *c, const struct match_table *t)
{
	size_t width = c->n_vars, n = width ? m->rows_a.n / width : 1;
	const uint32_t *col = columns(c, t);
	vec_clear(&m->rows_b);
	for (size_t a = 0; a < n; a++)
		for (size_t r = 0; r < t->rows; r++) {
			const uint32_t *row = m->data.at + t->data + r * t->width;
			const uint32_t *have = m->rows_a.at + a * width;
			bool ok = true;
			m->steps++;
			for (uint32_t k = 0; k < t->width && ok; k++)
				ok = !have[col[k]] || have[col[k]] == row[k] + 1;
			if (!ok)
				continue;
			vec_reserve(&m->rows_b, width);
			memcpy(m->rows_b.at + m->rows_b.n, have, width * sizeof *have);
			for (uint32_t k = 0; k < t->width; k++)
				m->rows_b.at[m->rows_b.n + col[k]] = row[k] + 1;
			m->rows_b.n += width;
			if (match_spent(m))
				return false;
		}
	return width == 0 || m->rows_b.n > 0;
}

bool match_join_stored(struct match *m, const struct core *c)
{
	vec_clear(&m->rows_a);
	vec_reserve(&m->rows_a, (size_t)c->n_vars + 1);
	vec_reserve(&m->rows_b, (size_t)c->n_vars + 1);
	memset(m->rows_a.at, 0, c->n_vars * sizeof *m->rows_a.at);
	m->rows_a.n = c->n_vars;
	for (size_t i = 0; i < m->table.n; i++) {
		if (!join_one(m, c, &m->table.at[i]))
			return false;
		uint32_t *at = m->rows_a.at;
		size_t cap = m->rows_a.cap;
		m->rows_a.at = m->rows_b.at, m->rows_a.cap = m->rows_b.cap, m->rows_a.n = m->rows_b.n;
		m->rows_b.at = at, m->rows_b.cap = cap;
	}
	if (c->n_vars)
		memcpy(m->value.at, m->rows_a.at, c->n_vars * sizeof *m->value.at);
	return true;
}
