/* SPDX-License-Identifier: MIT */
/* Sat answers by their models: see models.h. Entries are only appended; when they grow above the limit the older half
 * is forgotten. */
#include "smt/cache/models.h"

#include "base/invariant.h"
#include "smt/value/pack.h"
#include "smt/term/print.h"
#include "smt/term/reader.h"

#include <stdio.h>
#include <string.h>

struct entry {
	uint64_t exact, renamed;
	char *text; /* (define-fun …) commands, until they are packed */
	size_t n;
	char *packed; /* the values of names (pack.h), from the first look on; NULL: not looked at, or of no use */
	size_t packed_n;
	char *names; /* the query's variables in order of appearance, each ended by NUL */
	size_t names_n;
	char *origin;
};

struct models {
	VEC(struct entry) entry;
	struct table exact, renamed;
	size_t bytes, peak, max_bytes;
	struct u64s scratch;
	VEC(struct value) value; /* of the model being tried, in the order of its entry's names */
	/* the text being packed */
	struct reader reader;
	struct eval values;
	struct eval eval; /* the query under the model */
};

struct models *models_new(size_t max_bytes)
{
	struct models *m = mem_zalloc(sizeof *m);
	m->max_bytes = max_bytes;
	reader_init(&m->reader);
	return m;
}

static size_t entry_bytes(const struct entry *e)
{
	return sizeof *e + e->n + e->packed_n + e->names_n + strlen(e->origin) + 1;
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

/* Copies the (define-fun NAME () …) parts of a solver's answer, whatever list they stand in. */
static void copy_definitions(struct sexpr *x, const char *text, size_t n, struct buf *out)
{
	struct sexpr_split sp = {.line = 1, .col = 1};
	while (sexpr_split_next(&sp, text, n, true) == SEXPR_FOUND) {
		if (sexpr_parse(x, text + sp.start, sp.at - sp.start, 1, 1, NULL) != RC_OK ||
		    x->at[0].kind != SEXPR_LIST)
			continue;
		bool one = x->n > 1 && sexpr_is_symbol(x, 1, "define-fun");
		for (uint32_t i = one ? 0 : 1; i < x->at[0].next; i = x->at[i].next) {
			const struct sexpr_node *d = &x->at[i];
			if (d->kind != SEXPR_LIST || d->next < i + 4 || !sexpr_is_symbol(x, i + 1, "define-fun") ||
			    x->at[i + 3].kind != SEXPR_LIST || x->at[i + 3].next != i + 4)
				continue;
			buf_add(out, x->text + d->off, d->len);
			buf_char(out, '\n');
			if (one)
				break;
		}
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
		copy_definitions(&m->reader.x, text, n, &model);
	for (size_t i = 0; i < q->var.n; i++) {
		const struct label *l = &q->t.label[q->t.term[q->var.at[i]].label];
		buf_add(&names, l->text, l->len + 1);
	}
	struct entry e = {query_exact_key(q),
			  query_renamed_key(q, &m->scratch),
			  mem_dup(buf_str(&model), model.n + 1),
			  model.n,
			  NULL,
			  0,
			  mem_dup(buf_str(&names), names.n + 1),
			  names.n,
			  mem_strdup(origin)};
	buf_release(&model);
	buf_release(&names);
	push_entry(m, e);
}

static bool value_fits(const struct terms *t, uint32_t sort, const struct value *v)
{
	const struct label *l = &t->label[sort];
	if (l->width)
		return v->type == VALUE_BITS && v->width == l->width;
	if (l->elem) {
		if (v->type != VALUE_ARRAY || t->label[l->elem].elem)
			return false;
		for (const struct array_value *a = v->array; a; a = a->base)
			if (!value_fits(t, l->elem, &a->elem) || (a->base && !value_fits(t, l->index, &a->index)))
				return false;
		return true;
	}
	return v->type == VALUE_BOOL && l->len == 4 && !memcmp(l->text, "Bool", 4);
}

/* Turns the entry's text into the values of its names. What the text says nothing of has none; a text that is not
 * understood leaves packed NULL. */
static void pack_entry(struct models *m, struct entry *e)
{
	struct sexpr_split sp = {.line = 1, .col = 1};
	struct buf out = {0};
	struct reader *r = &m->reader;
	bool ok = true;
	reader_clear(r);
	while (sexpr_split_next(&sp, e->text, e->n, true) == SEXPR_FOUND)
		if (sexpr_parse(&r->x, e->text + sp.start, sp.at - sp.start, 1, 1, NULL) == RC_OK)
			(void)reader_command(r); /* a name without a value is found below */
	struct terms t = dag_terms(&r->dag);
	eval_begin(&m->values, &t, r->dag.term.n);
	for (const char *name = e->names, *end = name + e->names_n; name < end && ok; name += strlen(name) + 1) {
		uint32_t symbol = scope_symbol(&r->scope, name, strlen(name)); /* may move them */
		const struct symbol *y = &r->scope.symbol.at[symbol];
		struct value v = {0};
		ok = (y->decl != DECL_TERM || eval_term(&m->values, y->value, &v) == RC_OK) && pack_value(&out, &v);
	}
	m->bytes -= entry_bytes(e);
	free(e->text);
	e->text = NULL;
	e->n = 0;
	if (ok) {
		e->packed_n = out.n;
		e->packed = mem_dup(buf_str(&out), out.n + 1);
	}
	m->bytes += entry_bytes(e);
	if (m->bytes > m->peak)
		m->peak = m->bytes;
	buf_release(&out);
}

/* A name of an entry's and how many stand before it. */
struct name_place {
	const char *at;
	size_t place;
};

/* Where name stands among the entry's names: most often at *p, which moves on. SIZE_MAX: nowhere. */
static size_t find_name(const struct entry *e, struct name_place *p, const char *name)
{
	const char *end = e->names + e->names_n;
	if (p->at >= end || strcmp(p->at, name))
		for (p->at = e->names, p->place = 0; p->at < end && strcmp(p->at, name); p->place++)
			p->at += strlen(p->at) + 1;
	if (p->at >= end)
		return SIZE_MAX;
	p->at += strlen(p->at) + 1;
	return p->place++;
}

static size_t begin_eval(struct models *m, const struct query *q)
{
	size_t terms = 0;
	for (size_t i = 0; i < q->conj.n; i++)
		if (q->conj.at[i] >= terms)
			terms = (size_t)q->conj.at[i] + 1;
	eval_begin(&m->eval, &q->t, terms);
	return terms;
}

/* Every conjunct under the values that the variables have been given. */
static bool holds(struct models *m, const struct query *q, size_t terms)
{
	if (eval_marked(&m->eval, q->seen.at, terms) != RC_OK)
		return false;
	for (size_t i = 0; i < q->conj.n; i++) {
		struct value v;
		if (eval_term(&m->eval, q->conj.at[i], &v) != RC_OK || v.type != VALUE_BOOL || !v.u)
			return false;
	}
	return true;
}

static bool try_entry(struct models *m, struct entry *e, const struct query *q, bool by_name)
{
	if (e->text)
		pack_entry(m, e);
	if (!e->packed)
		return false;
	size_t terms = begin_eval(m, q);
	vec_clear(&m->value);
	for (const char *at = e->packed; at < e->packed + e->packed_n;)
		at = unpack_value(&m->eval.mem, at, vec_add(&m->value));
	struct name_place p = {e->names, 0};
	for (size_t i = 0; i < q->var.n; i++) {
		const struct term *var = &q->t.term[q->var.at[i]];
		size_t k = by_name ? find_name(e, &p, q->t.label[var->label].text) : i;
		struct value v = {0};
		if (k < m->value.n)
			v = m->value.at[k];
		else if (!by_name)
			return false;
		if (v.type == VALUE_NONE ? !eval_zero(&m->eval, &q->t, var->sort, &v)
					 : !value_fits(&q->t, var->sort, &v))
			return false;
		eval_set(&m->eval, q->var.at[i], v);
	}
	return holds(m, q, terms);
}

enum rc models_believe(struct models *m, const struct query *q,
		       bool (*value)(void *user, uint32_t var, struct arena *mem, struct value *out), void *user)
{
	size_t terms = begin_eval(m, q);
	for (size_t i = 0; i < q->var.n; i++) {
		struct value v = {0};
		uint32_t var = q->var.at[i];
		if (!value(user, var, &m->eval.mem, &v) || !value_fits(&q->t, q->t.term[var].sort, &v))
			return RC_NO;
		eval_set(&m->eval, var, v);
	}
	return holds(m, q, terms) ? RC_OK : RC_NO;
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
		if (try_entry(m, e, q, exact)) {
			*origin = e->origin;
			return RC_OK;
		}
	}
	return RC_NO;
}

enum rc models_lookup(struct models *m, const struct query *q, unsigned how, const char **origin)
{
	*origin = NULL;
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
	struct entry e = {exact,   renamed, mem_strndup(nl + 1 + names_n, model_n), model_n, NULL, 0, NULL,
			  names_n, NULL};
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
