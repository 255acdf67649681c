/* SPDX-License-Identifier: MIT */
/* Edits, steps and the minimum: see variant.h. A step is made in time proportional to its own spans and to those
 * already gone; applying one costs a pass over the base (successes are rare, candidates are not). */
#include "reduce/model/variant.h"

#include "base/invariant.h"
#include "reduce/model/spans.h"
#include "reduce/model/symbols.h"

#include <string.h>

void edit_add(struct edit *e, const struct edit *more)
{
	for (size_t i = 0; i < more->remove.n; i++)
		vec_push(&e->remove, more->remove.at[i]);
	for (size_t i = 0; i < more->rewrite.n; i++)
		vec_push(&e->rewrite, more->rewrite.at[i]);
}

void edit_clear(struct edit *e)
{
	vec_clear(&e->remove);
	vec_clear(&e->rewrite);
}

void edit_release(struct edit *e)
{
	vec_release_all(&e->remove, &e->rewrite);
}

void edit_remove(struct edit *e, uint32_t from, uint32_t to)
{
	if (from < to)
		vec_push(&e->remove, ((struct span){from, to}));
}

void edit_rewrite(struct edit *e, uint32_t token, uint32_t sym)
{
	vec_push(&e->rewrite, ((struct rewrite){token, sym}));
}

bool edit_embed(struct edit *e, const struct model *m, const uint32_t *sym, uint32_t n)
{
	uint32_t at = 0, from = 0;
	edit_clear(e);
	for (uint32_t i = 0; i < m->n_tokens && at < n; i++) {
		if (!model_has(m, i) || m->sym[i] != sym[at])
			continue;
		edit_remove(e, from, i);
		from = i + 1;
		at++;
	}
	edit_remove(e, from, m->n_tokens);
	return at == n;
}

void model_reset_minimum(struct model *m)
{
	m->rank = mem_realloc(m->rank, mem_mul((size_t)m->n_tokens + 1, sizeof *m->rank));
	m->min = mem_realloc(m->min, mem_mul(m->n_tokens, sizeof *m->min));
	for (uint32_t i = 0; i <= m->n_tokens; i++)
		m->rank[i] = i;
	if (m->n_tokens)
		memcpy(m->min, m->sym, m->n_tokens * sizeof *m->min);
	m->n = m->n_tokens;
	vec_clear(&m->gone);
	vec_clear(&m->rewritten);
	m->version++;
}

void model_init(struct model *m, const uint32_t *sym, uint32_t n)
{
	*m = (struct model){.n_tokens = n, .n_files = 1};
	m->file = mem_zalloc(sizeof *m->file);
	m->file->n = n;
	m->sym = mem_dup(sym, mem_mul(n, sizeof *sym));
	model_reset_minimum(m);
}

void model_release(struct model *m)
{
	free(m->file);
	free(m->sym);
	free(m->rank);
	free(m->min);
	free(m->guard);
	vec_release_all(&m->gone, &m->rewritten);
	*m = (struct model){0};
}

const char *model_text(const struct model *m, uint32_t i, size_t *len)
{
	const struct symbol *y = &m->symbols->at[m->sym[i]];
	*len = y->len;
	return y->text;
}

uint32_t model_symbol(struct model *m, uint32_t i, const char *text, size_t len)
{
	return symbols_add(m->symbols, m->symbols->at[m->sym[i]].class, text, len);
}

static int by_token(const void *a, const void *b)
{
	const struct rewrite *x = a, *y = b;
	return (x->token > y->token) - (x->token < y->token);
}

/* What e removes, in order and within the base. */
static void sort_removed(const struct model *m, const struct edit *e, struct spans *out)
{
	spans_sort(out, &e->remove);
	while (out->n && vec_last(out).from >= m->n_tokens)
		out->n--;
	if (out->n && vec_last(out).to > m->n_tokens)
		vec_last(out).to = m->n_tokens;
}

bool step_make(struct step *s, const struct model *m, const struct edit *e)
{
	struct spans removed = {0};
	sort_removed(m, e, &removed);
	vec_clear(&s->gone);
	vec_clear(&s->gaps);
	vec_clear(&s->rewrite);
	vec_clear(&s->placed);
	uint32_t cut = 0;
	for (size_t i = 0; i < removed.n; i++)
		spans_join(&s->gaps, (struct span){m->rank[removed.at[i].from], m->rank[removed.at[i].to]});
	for (size_t i = 0; i < s->gaps.n; i++)
		cut += s->gaps.at[i].to - s->gaps.at[i].from;
	s->n = m->n - cut;
	for (size_t i = 0, j = 0; i < removed.n || j < m->gone.n;) {
		bool take = j == m->gone.n || (i < removed.n && removed.at[i].from < m->gone.at[j].from);
		spans_join(&s->gone, take ? removed.at[i++] : m->gone.at[j++]);
	}
	vec_release(&removed);
	for (size_t i = 0; i < e->rewrite.n; i++) {
		struct rewrite r = e->rewrite.at[i];
		if (r.token < m->n_tokens && model_has(m, r.token) && m->sym[r.token] != r.sym &&
		    !spans_have(&s->gone, r.token))
			vec_push(&s->rewrite, r);
	}
	if (s->rewrite.n > 1)
		qsort(s->rewrite.at, s->rewrite.n, sizeof *s->rewrite.at, by_token);
	for (size_t i = 0; i < s->rewrite.n; i++)
		vec_push(&s->placed, ((struct rewrite){m->rank[s->rewrite.at[i].token], s->rewrite.at[i].sym}));
	return s->gaps.n || s->rewrite.n;
}

void step_release(struct step *s)
{
	vec_release_all(&s->gone, &s->gaps, &s->rewrite, &s->placed);
}

struct variant step_variant(const struct step *s, const struct model *m)
{
	return (struct variant){m->min, m->n, s->gaps.at, s->gaps.n, s->n, s->placed.at, s->placed.n};
}

/* Merges the step's rewrites into those of the minimum and leaves out tokens that went. */
static void apply_rewrites(struct model *m, const struct step *s)
{
	struct rewrites merged = {0};
	size_t i = 0, j = 0;
	while (i < s->rewrite.n || j < m->rewritten.n) {
		struct rewrite r;
		if (j == m->rewritten.n || (i < s->rewrite.n && s->rewrite.at[i].token <= m->rewritten.at[j].token)) {
			j += j < m->rewritten.n && m->rewritten.at[j].token == s->rewrite.at[i].token;
			r = s->rewrite.at[i++];
		} else {
			r = m->rewritten.at[j++];
		}
		if (!spans_have(&s->gone, r.token))
			vec_push(&merged, r);
	}
	for (i = 0; i < s->rewrite.n; i++)
		m->sym[s->rewrite.at[i].token] = s->rewrite.at[i].sym;
	vec_release(&m->rewritten);
	m->rewritten = merged;
}

void model_apply(struct model *m, const struct step *s)
{
	apply_rewrites(m, s);
	vec_clear(&m->gone);
	vec_reserve(&m->gone, s->gone.n);
	uint32_t at = 0, n = 0;
	for (size_t i = 0; i <= s->gone.n; i++) {
		uint32_t end = i < s->gone.n ? s->gone.at[i].from : m->n_tokens;
		for (; at < end; at++) {
			m->rank[at] = n;
			m->min[n++] = m->sym[at];
		}
		if (i < s->gone.n) {
			vec_push(&m->gone, s->gone.at[i]);
			for (; at < s->gone.at[i].to; at++)
				m->rank[at] = n;
		}
	}
	m->rank[m->n_tokens] = n;
	m->n = n;
	m->version++;
}

void variant_symbols(const struct variant *v, uint32_t *out)
{
	uint32_t at = 0, n = 0;
	size_t r = 0;
	for (size_t i = 0; i <= v->n_gaps; i++) {
		uint32_t end = i < v->n_gaps ? v->gap[i].from : v->n_min;
		if (end > at)
			memcpy(out + n, v->min + at, (end - at) * sizeof *out);
		for (; r < v->n_rewrites && v->rewrite[r].token < end; r++)
			out[n + v->rewrite[r].token - at] = v->rewrite[r].sym;
		n += end - at;
		at = i < v->n_gaps ? v->gap[i].to : end;
	}
}

void model_compact(struct model *m)
{
	uint32_t *guard = NULL;
	if (m->guard) {
		guard = mem_alloc(((size_t)m->n + 1) * sizeof *guard);
		for (uint32_t i = 0; i < m->n_tokens; i++)
			if (model_has(m, i))
				guard[m->rank[i]] = m->guard[i];
		guard[m->n] = m->guard[m->n_tokens];
	}
	free(m->guard);
	m->guard = guard;
	m->n_tokens = m->n;
	if (m->n)
		memcpy(m->sym, m->min, m->n * sizeof *m->sym);
	m->file->n = m->n;
	model_reset_minimum(m);
}

/* The place at or after `at` that is kept; g: the first gap that may cover it. */
static uint32_t kept(const struct variant *v, uint32_t at, size_t *g)
{
	while (*g < v->n_gaps && v->gap[*g].to <= at)
		++*g;
	if (*g < v->n_gaps && v->gap[*g].from <= at)
		at = v->gap[(*g)++].to;
	return at;
}

static uint32_t symbol_at(const struct variant *v, uint32_t at, size_t *r)
{
	while (*r < v->n_rewrites && v->rewrite[*r].token < at)
		++*r;
	return *r < v->n_rewrites && v->rewrite[*r].token == at ? v->rewrite[*r].sym : v->min[at];
}

bool variant_same(const struct variant *a, const struct variant *b)
{
	if (a->n != b->n)
		return false;
	size_t i = 0, ra = 0, rb = 0;
	while (i < a->n_gaps && i < b->n_gaps && a->gap[i].from == b->gap[i].from && a->gap[i].to == b->gap[i].to)
		i++;
	size_t ga = i, gb = i;
	uint32_t x = 0, y = 0;
	if (!a->n_rewrites && !b->n_rewrites) {
		/* up to here they are the same without a look */
		if (i == a->n_gaps && i == b->n_gaps)
			return true;
		x = i < a->n_gaps ? a->gap[i].from : a->n_min;
		y = i < b->n_gaps ? b->gap[i].from : b->n_min;
		x = y = x < y ? x : y;
	} else {
		ga = gb = 0;
	}
	for (;;) {
		x = kept(a, x, &ga);
		y = kept(b, y, &gb);
		if (x >= a->n_min || y >= b->n_min)
			return x >= a->n_min && y >= b->n_min;
		if (x == y && ga == a->n_gaps && gb == b->n_gaps && !a->n_rewrites && !b->n_rewrites)
			return true;
		if (symbol_at(a, x++, &ra) != symbol_at(b, y++, &rb))
			return false;
	}
}

#ifdef RF_INVARIANTS
/* Sorted, disjoint, not touching and not empty, up to `end`; returns how many they cover. */
static uint32_t check_spans(const struct spans *v, uint32_t end)
{
	uint32_t sum = 0;
	for (size_t i = 0; i < v->n; i++) {
		INVARIANT(v->at[i].from < v->at[i].to && v->at[i].to <= end);
		INVARIANT(i == 0 || v->at[i - 1].to < v->at[i].from);
		sum += v->at[i].to - v->at[i].from;
	}
	return sum;
}

static void check_rewrites(const struct rewrites *v, uint32_t end)
{
	for (size_t i = 0; i < v->n; i++)
		INVARIANT(v->at[i].token < end && (i == 0 || v->at[i - 1].token < v->at[i].token));
}

void model_check(const struct model *m)
{
	INVARIANT(m->n_tokens - check_spans(&m->gone, m->n_tokens) == m->n);
	check_rewrites(&m->rewritten, m->n_tokens);
	uint32_t n = 0;
	for (uint32_t i = 0; i < m->n_tokens; i++) {
		INVARIANT(m->rank[i] == n);
		if (spans_have(&m->gone, i))
			continue;
		INVARIANT(m->min[n] == m->sym[i]);
		n++;
	}
	INVARIANT(m->rank[m->n_tokens] == n && m->n == n);
	for (size_t i = 0; i < m->rewritten.n; i++) {
		INVARIANT(model_has(m, m->rewritten.at[i].token));
		INVARIANT(m->sym[m->rewritten.at[i].token] == m->rewritten.at[i].sym);
	}
}

void step_check(const struct step *s, const struct model *m)
{
	INVARIANT(m->n - check_spans(&s->gaps, m->n) == s->n);
	INVARIANT(m->n_tokens - check_spans(&s->gone, m->n_tokens) == s->n);
	check_rewrites(&s->rewrite, m->n_tokens);
	check_rewrites(&s->placed, m->n);
	INVARIANT(s->rewrite.n == s->placed.n);
	for (size_t i = 0; i < m->gone.n; i++)
		INVARIANT(spans_have(&s->gone, m->gone.at[i].from) && spans_have(&s->gone, m->gone.at[i].to - 1));
	for (size_t i = 0; i < s->rewrite.n; i++) {
		INVARIANT(!spans_have(&s->gone, s->rewrite.at[i].token));
		INVARIANT(m->rank[s->rewrite.at[i].token] == s->placed.at[i].token);
	}
}
#endif
