/* SPDX-License-Identifier: MIT */
/* Sat answers by their models: see models.h. Entries are only appended; when they grow above the limit the older half
 * is forgotten. */
#include "smt/cache/models_internal.h"

#include "base/invariant.h"
#include "smt/cache/model_text.h"

#include <stdio.h>

struct models *models_new(size_t max_bytes)
{
	struct models *m = mem_zalloc(sizeof *m);
	m->max_bytes = max_bytes;
	reader_init(&m->reader);
	return m;
}

static void entry_release(struct entry *e)
{
	free(e->text);
	free(e->packed);
	free(e->names);
	free(e->origin);
}

void models_free(struct models *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->entry.n; i++)
		entry_release(&m->entry.at[i]);
	vec_release(&m->entry);
	table_release(&m->exact);
	table_release(&m->renamed);
	vec_release_all(&m->scratch, &m->value);
	reader_release(&m->reader);
	eval_release(&m->values);
	eval_release(&m->eval);
	free(m);
}

struct eval *models_eval(struct models *m)
{
	return &m->eval;
}

size_t models_peak_bytes(const struct models *m)
{
	return m->peak;
}

static void forget_older_half(struct models *m)
{
	size_t drop = m->entry.n / 2;
	for (size_t i = 0; i < drop; i++) {
		m->bytes -= entry_bytes(&m->entry.at[i]);
		entry_release(&m->entry.at[i]);
	}
	memmove(m->entry.at, m->entry.at + drop, (m->entry.n - drop) * sizeof *m->entry.at);
	m->entry.n -= drop;
	table_clear(&m->exact);
	table_clear(&m->renamed);
	for (size_t i = 0; i < m->entry.n; i++) {
		table_insert(&m->exact, m->entry.at[i].exact, (uint32_t)i);
		table_insert(&m->renamed, m->entry.at[i].renamed, (uint32_t)i);
	}
}

static void push_entry(struct models *m, struct entry e)
{
	m->bytes += entry_bytes(&e);
	vec_push(&m->entry, e);
	table_insert(&m->exact, e.exact, (uint32_t)m->entry.n - 1);
	table_insert(&m->renamed, e.renamed, (uint32_t)m->entry.n - 1);
	if (m->bytes > m->peak)
		m->peak = m->bytes;
	if (m->max_bytes && m->bytes > m->max_bytes && m->entry.n > 1)
		forget_older_half(m);
}

void models_add(struct models *m, const struct query *q, const char *text, size_t n, const char *origin)
{
	struct buf model = {0}, names = {0};
	if (n && text[0] == '\n') /* our own child's: clean already */
		buf_add(&model, text, n);
	else
		model_text_copy(&m->reader.x, text, n, &model);
	for (size_t i = 0; i < q->var.n; i++) {
		const struct label *l = &q->t.label[q->t.term[q->var.at[i]].label];
		buf_add(&names, l->text, l->len + 1);
	}
	struct entry e = {.exact = query_exact_key(q),
			  .renamed = query_renamed_key(q, &m->scratch),
			  .text = mem_dup(buf_str(&model), model.n + 1),
			  .n = model.n,
			  .names = mem_dup(buf_str(&names), names.n + 1),
			  .names_n = names.n,
			  .origin = mem_strdup(origin)};
	buf_release(&model);
	buf_release(&names);
	push_entry(m, e);
}

static enum rc lookup_in(struct models *m, const struct table *t, uint64_t key, const struct query *q, bool exact,
			 const char **origin)
{
	uint32_t r;
	int tries = 0;
	for (struct table_probe p = table_probe(t, key); tries < 4 && (r = table_next(t, &p)) != TABLE_NONE;) {
		struct entry *e = &m->entry.at[r];
		if ((exact ? e->exact : e->renamed) != key)
			continue;
		tries++;
		enum outcome o = models_try(m, e, q, exact);
		if (o == HOLDS) {
			*origin = e->origin;
			return RC_OK;
		}
		if (o == UNDECIDED && !m->undecided) {
			m->undecided = 1 + r;
			m->undecided_by_name = exact;
		}
	}
	return RC_NO;
}

enum rc models_lookup(struct models *m, const struct query *q, unsigned how, const char **origin)
{
	*origin = NULL;
	m->sorted = how & MODELS_SORTED;
	if (how & MODELS_EXACT)
		m->undecided = 0;
	if (q->quantified || !m->entry.n)
		return RC_NO;
	if (how & MODELS_EXACT && lookup_in(m, &m->exact, query_exact_key(q), q, true, origin) == RC_OK)
		return RC_OK;
	if (how & MODELS_RENAMED)
		return lookup_in(m, &m->renamed, query_renamed_key(q, &m->scratch), q, false, origin);
	return RC_NO;
}

/* ---- text form: a line with keys and counts, names, definitions */

void models_newest_text(const struct models *m, struct buf *key, struct buf *out)
{
	const struct entry *e = &vec_last(&m->entry);
	buf_printf(key, "m%016llx", (unsigned long long)e->exact);
	buf_printf(out, "model %016llx %016llx %zu %zu\n", (unsigned long long)e->exact, (unsigned long long)e->renamed,
		   e->names_n, e->n);
	buf_add(out, e->names, e->names_n);
	buf_add(out, e->text, e->n);
	buf_str_add(out, e->origin);
}

enum rc models_add_text(struct models *m, const char *text, size_t n)
{
	unsigned long long exact, renamed;
	size_t names_n, model_n;
	int head = 0;
	const char *nl = memchr(text, '\n', n);
	char line[128];
	if (!nl || (size_t)(nl - text) >= sizeof line)
		return RC_NO;
	memcpy(line, text, (size_t)(nl - text));
	line[nl - text] = 0;
	if (sscanf(line, "model %16llx %16llx %zu %zu%n", &exact, &renamed, &names_n, &model_n, &head) != 4 ||
	    line[head])
		return RC_NO;
	size_t left = n - (size_t)(nl + 1 - text);
	if (names_n > left || model_n > left - names_n || (names_n && nl[names_n] != 0))
		return RC_NO;
	struct entry e = {.exact = exact,
			  .renamed = renamed,
			  .text = mem_strndup(nl + 1 + names_n, model_n),
			  .n = model_n,
			  .names_n = names_n};
	e.names = mem_dup(nl + 1, names_n + 1);
	e.names[names_n] = 0;
	e.origin = mem_strndup(nl + 1 + names_n + model_n, left - names_n - model_n);
	push_entry(m, e);
	return RC_OK;
}

#ifdef RF_INVARIANTS
static size_t times_filed(const struct table *t, uint64_t key, uint32_t entry)
{
	size_t n = 0;
	uint32_t r;
	for (struct table_probe p = table_probe(t, key); (r = table_next(t, &p)) != TABLE_NONE;)
		n += r == entry;
	return n;
}

void models_check(const struct models *m)
{
	size_t bytes = 0;
	for (uint32_t i = 0; i < m->entry.n; i++) {
		const struct entry *e = &m->entry.at[i];
		INVARIANT(times_filed(&m->exact, e->exact, i) == 1 && times_filed(&m->renamed, e->renamed, i) == 1);
		INVARIANT(!e->text || !e->packed); /* one form at a time */
		INVARIANT((e->text || !e->n) && (e->packed || !e->packed_n));
		INVARIANT(!e->names_n || !e->names[e->names_n - 1]);
		bytes += entry_bytes(e);
	}
	INVARIANT(m->exact.n == m->entry.n && m->renamed.n == m->entry.n);
	INVARIANT(bytes == m->bytes && m->peak >= bytes);
}
#endif
