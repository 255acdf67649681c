/* SPDX-License-Identifier: MIT */
/* Sat answers by their models: see models.h. Entries are only appended; when they grow above the limit the older half
 * is forgotten. */
#include "smt/cache/models.h"

#include "base/invariant.h"
#include "smt/cache/model_text.h"
#include "smt/term/print.h"
#include "smt/value/number.h"
#include "smt/value/pack.h"

#include <stdio.h>
#include <string.h>

struct entry {
	uint64_t exact, renamed;
	char *text; /* (define-fun …) commands, until they are packed */
	size_t n;
	char *packed; /* as model_text.h has it, from the first look on; NULL: not looked at, or not understood */
	bool unread;  /* looked at, and not understood: text stays */
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
	struct eval eval;   /* the query under the model */
	bool sorted;        /* MODELS_SORTED of this look-up */
	uint32_t undecided; /* 1 + the entry that could not be evaluated; 0: there was none */
	bool undecided_by_name;
	uint32_t declared; /* 1 + the label of a sort that the query's context declares; 0: none is known */
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

/* Does the query's context declare the sort, so that its elements may be anything? */
static bool sort_declared(struct models *m, const struct query *q, uint32_t sort)
{
	const struct label *l = &q->t.label[sort];
	struct buf line = {0};
	if (m->declared == 1 + sort)
		return true;
	buf_printf(&line, "(declare-sort %s 0)\n", l->text);
	const char *end = q->context + q->context_len, *at = q->context;
	while (at && at < end && (at = memmem(at, (size_t)(end - at), line.at, line.n)) && at > q->context &&
	       at[-1] != '\n')
		at++;
	bool found = at && at < end;
	buf_release(&line);
	if (found)
		m->declared = 1 + sort;
	return found;
}

static bool scalar_fits(struct models *m, const struct query *q, uint32_t sort, const struct value *v)
{
	const struct label *l = &q->t.label[sort];
	switch (v->type) {
	case VALUE_BOOL:
		return !strcmp(l->text, "Bool");
	case VALUE_BITS:
		return l->width && v->width == l->width;
	case VALUE_NUMBER:
		return number_whole(v) ? !strcmp(l->text, "Int") || !strcmp(l->text, "Real")
				       : !m->eval.whole && !strcmp(l->text, "Real");
	case VALUE_ELEMENT:
		return sort_declared(m, q, sort);
	default:
		return false;
	}
}

static bool value_fits(struct models *m, const struct query *q, uint32_t sort, const struct value *v)
{
	const struct label *l = &q->t.label[sort];
	if (v->type != VALUE_ARRAY)
		return scalar_fits(m, q, sort, v);
	for (const struct array_value *a = l->elem ? v->array : NULL; a; a = a->base)
		if (!scalar_fits(m, q, l->elem, &a->elem) || (a->base && !scalar_fits(m, q, l->index, &a->index)))
			return false;
	return l->elem;
}

/* Turns the entry's text into values. What the text says nothing of has none; a text that is not understood leaves
 * packed NULL. */
static void pack_entry(struct models *m, struct entry *e)
{
	struct buf out = {0}, text = {.at = e->text, .n = e->n}, names = {.at = e->names, .n = e->names_n};
	bool ok = model_text_pack(&m->reader, &m->values, &text, &names, &out);
	m->bytes -= entry_bytes(e);
	if (ok) {
		free(e->text);
		e->text = NULL;
		e->n = 0;
		e->packed_n = out.n;
		e->packed = mem_dup(buf_str(&out), out.n + 1);
	}
	e->unread = !ok;
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

/* Is there a sort with integers in it? Then fractions have no values: see eval.h. */
static bool has_integers(const struct terms *t)
{
	for (uint32_t i = 0; i < t->n_labels; i++)
		if (t->label[i].kind == LABEL_SORT && strstr(t->label[i].text, "Int"))
			return true;
	return false;
}

static size_t begin_eval(struct models *m, const struct query *q)
{
	size_t terms = 0;
	for (size_t i = 0; i < q->conj.n; i++)
		if (q->conj.at[i] >= terms)
			terms = (size_t)q->conj.at[i] + 1;
	eval_begin(&m->eval, &q->t, terms);
	m->eval.whole = true;
	m->declared = 0;
	return terms;
}

/* The label of the sort with that text; 0: there is none (no sort has the first label). */
static uint32_t sort_of_text(const struct terms *t, const char *text)
{
	for (uint32_t i = 1; i < t->n_labels; i++)
		if (t->label[i].kind == LABEL_SORT && !strcmp(t->label[i].text, text))
			return i;
	return 0;
}

enum { MAX_PARAMS = 16 };

/* The sorts of a function's rank, the result last; 0: not followed, or not that many parameters. */
static bool rank_sorts(const struct terms *t, const struct label *f, uint32_t n_params, uint32_t *sort)
{
	const char *p = f->meaning, *end = f->meaning + f->meaning_len;
	uint32_t n = 0;
	for (; p <= end && n <= n_params && n <= MAX_PARAMS; p += strlen(p) + 1)
		if (!(sort[n++] = sort_of_text(t, p)))
			return false;
	return n == n_params + 1 && p == end + 1;
}

/* Gives the query's function with that label the values of f. */
static bool set_function(struct models *m, const struct query *q, uint32_t label, const struct model_function *f)
{
	uint32_t sort[MAX_PARAMS + 1];
	struct value args[MAX_PARAMS], v;
	const char *at = f->points;
	if (!rank_sorts(&q->t, &q->t.label[label], f->n_params, sort) ||
	    !value_fits(m, q, sort[f->n_params], &f->otherwise))
		return false;
	eval_set_function(&m->eval, label, f->otherwise);
	for (uint32_t i = 0; i < f->n_points; i++) {
		for (uint32_t k = 0; k < f->n_params; k++) {
			at = unpack_value(&m->eval.mem, at, &args[k]);
			if (args[k].type == VALUE_ARRAY || !value_fits(m, q, sort[k], &args[k]))
				return false;
		}
		at = unpack_value(&m->eval.mem, at, &v);
		if (!value_fits(m, q, sort[f->n_params], &v))
			return false;
		eval_set_point(&m->eval, label, args, f->n_params, v);
	}
	return true;
}

/* The functions of an entry, which stand at `at`. False: one does not fit the query's. */
static bool set_functions(struct models *m, const struct query *q, const char *at)
{
	struct model_function f;
	struct value v;
	for (uint32_t n = model_functions(&at); n > 0; n--) {
		model_function_next(&m->eval.mem, &at, &f);
		for (uint32_t i = 0; i < f.n_points * (f.n_params + 1); i++)
			at = unpack_value(&m->eval.mem, at, &v);
		for (uint32_t l = 0; l < q->t.n_labels; l++)
			if (q->t.label[l].kind == LABEL_FUN && !strcmp(q->t.label[l].text, f.name) &&
			    !set_function(m, q, l, &f))
				return false;
	}
	m->eval.functions.on = true;
	return true;
}

enum outcome { HOLDS, FAILS, UNDECIDED };

/* Every conjunct under the values that the variables have been given. */
static enum outcome holds(struct models *m, const struct query *q, size_t terms)
{
	if (eval_marked(&m->eval, q->seen.at, terms) != RC_OK)
		return UNDECIDED;
	for (size_t i = 0; i < q->conj.n; i++) {
		struct value v;
		if (eval_term(&m->eval, q->conj.at[i], &v) != RC_OK || v.type != VALUE_BOOL)
			return UNDECIDED;
		if (!v.u)
			return FAILS;
	}
	return HOLDS;
}

static enum outcome try_entry(struct models *m, struct entry *e, const struct query *q, bool by_name)
{
	if (e->text && !e->unread)
		pack_entry(m, e);
	if (!e->packed)
		return UNDECIDED;
	size_t terms = begin_eval(m, q), names = 0;
	bool number = false;
	vec_clear(&m->value);
	for (size_t i = 0; i < e->names_n; i++)
		names += !e->names[i];
	const char *at = e->packed;
	for (size_t i = 0; i < names; i++) {
		at = unpack_value(&m->eval.mem, at, vec_add(&m->value));
		number |= vec_last(&m->value).type == VALUE_NUMBER;
	}
	if (m->sorted || (number && !has_integers(&q->t)))
		m->eval.whole = false;
	if (!set_functions(m, q, at))
		return FAILS;
	struct name_place p = {e->names, 0};
	for (size_t i = 0; i < q->var.n; i++) {
		const struct term *var = &q->t.term[q->var.at[i]];
		size_t k = by_name ? find_name(e, &p, q->t.label[var->label].text) : i;
		struct value v = {0};
		if (k < m->value.n)
			v = m->value.at[k];
		else if (!by_name)
			return FAILS;
		if (v.type == VALUE_NONE ? !eval_zero(&m->eval, &q->t, var->sort, &v)
					 : !value_fits(m, q, var->sort, &v))
			return FAILS;
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
		if (!value(user, var, &m->eval.mem, &v) || !value_fits(m, q, q->t.term[var].sort, &v))
			return RC_NO;
		eval_set(&m->eval, var, v);
	}
	return holds(m, q, terms) == HOLDS ? RC_OK : RC_NO;
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
		enum outcome o = try_entry(m, e, q, exact);
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

/* ---- models that only a solver can evaluate */

static void hold_variable(const struct query *q, uint32_t var, const char *value, size_t n, struct buf *out)
{
	const struct label *l = &q->t.label[q->t.term[var].label];
	buf_str_add(out, "(assert (= ");
	print_symbol(out, l->text, l->len);
	buf_char(out, ' ');
	buf_add(out, value, n);
	buf_str_add(out, "))\n");
}

/* The query's variable that stands at this place among the entry's names, or has this name; TERM_NONE:
 * there is none. */
static uint32_t variable_of(const struct query *q, size_t place, const char *name, bool by_name)
{
	if (!by_name)
		return place < q->var.n ? q->var.at[place] : TERM_NONE;
	for (size_t i = 0; i < q->var.n; i++)
		if (!strcmp(q->t.label[q->t.term[q->var.at[i]].label].text, name))
			return q->var.at[i];
	return TERM_NONE;
}

/* The constants in the entry's text. */
static void hold_text(struct models *m, const struct entry *e, const struct query *q, bool by_name, struct buf *out)
{
	struct sexpr_split sp = {.line = 1, .col = 1};
	struct sexpr *x = &m->reader.x;
	while (sexpr_split_next(&sp, e->text, e->n, true) == SEXPR_FOUND) {
		size_t n, place = 0;
		if (sexpr_parse(x, e->text + sp.start, sp.at - sp.start, 1, 1, NULL) != RC_OK || x->n < 6 ||
		    !sexpr_is_symbol(x, 1, "define-fun") || x->at[3].next != 4)
			continue;
		const char *name = e->names, *end = e->names + e->names_n, *value = sexpr_written(x, 5, &n);
		while (name < end && !sexpr_is(x, 2, name, strlen(name)))
			name += strlen(name) + 1, place++;
		uint32_t var = name < end ? variable_of(q, place, name, by_name) : TERM_NONE;
		if (var != TERM_NONE)
			hold_variable(q, var, value, n, out);
	}
}

/* The constants in the entry's values. */
static void hold_values(struct models *m, const struct entry *e, const struct query *q, bool by_name, struct buf *out)
{
	const char *at = e->packed;
	struct buf text = {0};
	size_t place = 0;
	for (const char *name = e->names, *end = name + e->names_n; name < end; name += strlen(name) + 1, place++) {
		struct value v;
		uint32_t var = variable_of(q, place, name, by_name);
		at = unpack_value(&m->eval.mem, at, &v);
		buf_clear(&text);
		if (var != TERM_NONE && v.type != VALUE_NONE && eval_print(&text, &v, &q->t, q->t.term[var].sort))
			hold_variable(q, var, text.at, text.n, out);
	}
	buf_release(&text);
}

enum rc models_held(struct models *m, const struct query *q, struct buf *out, const char **origin)
{
	if (!m->undecided || m->undecided > m->entry.n)
		return RC_NO;
	const struct entry *e = &m->entry.at[m->undecided - 1];
	*origin = e->origin;
	if (e->packed)
		hold_values(m, e, q, m->undecided_by_name, out);
	else if (e->text)
		hold_text(m, e, q, m->undecided_by_name, out);
	return out->n ? RC_OK : RC_NO;
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
