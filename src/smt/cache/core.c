/* SPDX-License-Identifier: MIT */
/* Cores. The clauses are rebuilt in a scratch DAG (which makes the scalar form and new hashes in one pass), then
 * frozen: terms, arguments, labels and all texts in one block. */
#include "smt/cache/core.h"

#include "base/invariant.h"
#include "data/digest.h"

#include <string.h>

void bloom_add(uint64_t *bloom, uint64_t key)
{
	bloom[key / 64 % BLOOM_WORDS] |= (uint64_t)1 << (key % 64);
}

bool bloom_inside(const uint64_t *a, const uint64_t *b)
{
	uint64_t out = 0;
	for (int i = 0; i < BLOOM_WORDS; i++)
		out |= a[i] & ~b[i];
	return !out;
}

struct copier {
	const struct query *q;
	struct dag d;
	VEC(uint32_t) order;  /* reachable terms of the query, ascending */
	VEC(uint32_t) to;     /* per query term: 1 + the copy; 0: not reached */
	VEC(uint8_t) whole;   /* per query term: an array variable that is used other than in a constant read */
	VEC(uint32_t) labels; /* per query label: the copy, 0: none yet */
	VEC(uint8_t) taken;   /* per copied term: is a clause already */
	VEC(uint32_t) todo, args;
};

static uint32_t copy_label(struct copier *c, uint32_t label)
{
	if (!label || c->labels.at[label])
		return c->labels.at[label];
	const struct label *l = &c->q->t.label[label];
	uint32_t to;
	if (l->kind == LABEL_SORT && l->elem) {
		uint32_t index = copy_label(c, l->index); /* as deep as the sort, which scope.c bounds */
		to = dag_sort_array(&c->d, index, copy_label(c, l->elem));
	} else if (l->kind == LABEL_SORT && l->width) {
		to = dag_sort_bv(&c->d, l->width);
	} else {
		to = dag_label(&c->d, l->kind, l->text, l->len, l->meaning, l->meaning_len);
	}
	c->labels.at[label] = to;
	return to;
}

/* Marks what the roots reach; a constant read does not by itself use its array. */
static void reach(struct copier *c, uint32_t root, bool scalar)
{
	vec_push(&c->todo, root);
	while (c->todo.n) {
		uint32_t i = vec_pop(&c->todo);
		const struct term *t = &c->q->t.term[i];
		if (t->kind == TERM_VAR)
			c->whole.at[i] = 1;
		if (c->to.at[i])
			continue;
		c->to.at[i] = 1;
		vec_push(&c->order, i);
		if (t->read && scalar)
			continue;
		for (uint32_t k = 0; k < t->n_args; k++)
			vec_push(&c->todo, c->q->t.arg[t->args + k]);
	}
}

/* Reads of arrays that are used whole somewhere stay reads: reach what they need. */
static void reach_reads(struct copier *c)
{
	size_t n = c->order.n;
	for (size_t k = 0; k < n; k++) {
		const struct term *t = &c->q->t.term[c->order.at[k]];
		if (!t->read)
			continue;
		const uint32_t *a = c->q->t.arg + t->args;
		for (int j = 0; j < 2 && c->whole.at[a[0]]; j++)
			if (!c->to.at[a[j]]) {
				c->to.at[a[j]] = 1;
				vec_push(&c->order, a[j]);
			}
	}
}

static uint32_t copy_read_as_var(struct copier *c, const struct term *t)
{
	const uint32_t *a = c->q->t.arg + t->args;
	const struct term *array = &c->q->t.term[a[0]];
	const struct label *name = &c->q->t.label[array->label], *at = &c->q->t.label[c->q->t.term[a[1]].label];
	struct buf b = {0};
	buf_add(&b, name->text, name->len);
	buf_char(&b, '@');
	buf_add(&b, at->text, at->len);
	uint32_t label = dag_label(&c->d, LABEL_VAR, b.at, b.n, "", 0);
	buf_release(&b);
	return dag_var(&c->d, label, copy_label(c, c->q->t.label[array->sort].elem));
}

static uint32_t copy_term(struct copier *c, uint32_t i, bool scalar)
{
	const struct term *t = &c->q->t.term[i];
	const uint32_t *a = c->q->t.arg + t->args;
	switch (t->kind) {
	case TERM_VAR:
		return dag_var(&c->d, copy_label(c, t->label), copy_label(c, t->sort));
	case TERM_BOUND:
		return dag_bound(&c->d, t->label);
	case TERM_VALUE:
		return dag_value(&c->d, copy_label(c, t->label));
	case TERM_BINDER:
		return dag_binder(&c->d, copy_label(c, t->label), t->sort, c->to.at[a[0]] - 1);
	default:
		break;
	}
	if (t->read && scalar && !c->whole.at[a[0]])
		return copy_read_as_var(c, t);
	vec_clear(&c->args);
	for (uint32_t k = 0; k < t->n_args; k++)
		vec_push(&c->args, c->to.at[a[k]] - 1);
	return dag_app(&c->d, copy_label(c, t->label), c->args.at, t->n_args);
}

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

/* Fills c->d and leaves the clauses' terms in c->todo, without duplicates. */
static void copy_clauses(struct copier *c, const uint32_t *conj, size_t n, bool scalar)
{
	size_t terms = 0;
	for (size_t i = 0; i < n; i++)
		if (c->q->conj.at[conj[i]] >= terms)
			terms = (size_t)c->q->conj.at[conj[i]] + 1;
	vec_reserve(&c->to, terms);
	memset(c->to.at, 0, terms * sizeof *c->to.at);
	vec_reserve(&c->whole, terms);
	memset(c->whole.at, 0, terms);
	for (size_t i = 0; i < n; i++)
		reach(c, c->q->conj.at[conj[i]], scalar);
	if (scalar)
		reach_reads(c);
	qsort(c->order.at, c->order.n, sizeof *c->order.at, ascending);
	vec_reserve(&c->labels, c->q->t.n_labels);
	memset(c->labels.at, 0, c->q->t.n_labels * sizeof *c->labels.at);
	for (size_t k = 0; k < c->order.n; k++)
		c->to.at[c->order.at[k]] = 1 + copy_term(c, c->order.at[k], scalar);
	vec_clear(&c->todo);
	vec_reserve(&c->taken, c->d.term.n);
	memset(c->taken.at, 0, c->d.term.n);
	for (size_t i = 0; i < n; i++) {
		uint32_t term = c->to.at[c->q->conj.at[conj[i]]] - 1;
		if (!c->taken.at[term])
			vec_push(&c->todo, term);
		c->taken.at[term] = 1;
	}
}

/* Lays out arrays in one block: first pass counts (base NULL), second pass points. */
static void *piece(char *base, size_t *at, size_t n, size_t size)
{
	void *p = base ? base + *at : NULL;
	*at = (*at + mem_mul(n, size) + 15) & ~(size_t)15;
	return p;
}

/* The pieces of a core's block and how large those are that the DAG does not tell. */
struct layout {
	size_t n_clauses, n_vars, n_var, n_text;
	struct core *core;
	struct term *term;
	uint32_t *arg, *vars, *var, *place;
	struct label *label;
	struct core_clause *clause;
	char *text;
};

static size_t lay_out(struct layout *l, char *base, const struct dag *d)
{
	size_t at = 0;
	l->core = piece(base, &at, 1, sizeof *l->core);
	l->term = piece(base, &at, d->term.n, sizeof *l->term);
	l->arg = piece(base, &at, d->arg.n, sizeof *l->arg);
	l->label = piece(base, &at, d->label.n, sizeof *l->label);
	l->clause = piece(base, &at, l->n_clauses, sizeof *l->clause);
	l->vars = piece(base, &at, l->n_vars, sizeof *l->vars);
	l->var = piece(base, &at, l->n_var, sizeof *l->var);
	l->place = piece(base, &at, d->term.n, sizeof *l->place);
	l->text = piece(base, &at, l->n_text, 1);
	return at;
}

static const char *put_text(char **at, const char *s, size_t n)
{
	char *p = *at;
	memcpy(p, s, n);
	p[n] = 0;
	*at += n + 1;
	return p;
}

/* Variables per clause and over all, in order of appearance. */
struct var_walk {
	VEC(uint32_t) vars, var, start, place;
};

static void walk_vars(struct var_walk *w, struct copier *c)
{
	const struct dag *d = &c->d;
	VEC(uint32_t) seen = {0};
	VEC(uint32_t) todo = {0};
	vec_reserve(&seen, d->term.n);
	memset(seen.at, 0, d->term.n * sizeof *seen.at);
	vec_reserve(&w->place, d->term.n);
	memset(w->place.at, 0, d->term.n * sizeof *w->place.at);
	for (size_t i = 0; i < c->todo.n; i++) {
		vec_push(&w->start, (uint32_t)w->vars.n);
		vec_push(&todo, c->todo.at[i]);
		while (todo.n) {
			uint32_t k = vec_pop(&todo);
			const struct term *t = &d->term.at[k];
			if (seen.at[k] == i + 1)
				continue;
			seen.at[k] = (uint32_t)i + 1;
			if (t->kind == TERM_VAR) {
				if (!w->place.at[k]) {
					vec_push(&w->var, k);
					w->place.at[k] = (uint32_t)w->var.n;
				}
				vec_push(&w->vars, w->place.at[k] - 1);
			}
			for (uint32_t j = t->n_args; j-- > 0;)
				vec_push(&todo, d->arg.at[t->args + j]);
		}
	}
	vec_push(&w->start, (uint32_t)w->vars.n);
	vec_release_all(&seen, &todo);
}

/* In scalar form a variable may also stand for a read; only a clause whose variables are all arrays is surely found by
 * its shape, which tells apart the many clauses that say what a constant array holds. */
static enum query_key clause_kind(const struct copier *c, const struct var_walk *w, size_t i, unsigned flags)
{
	if (flags & CORE_NAMES)
		return KEY_NAMED;
	if (!(flags & CORE_SCALAR))
		return KEY_SHAPE;
	for (uint32_t k = w->start.at[i]; k < w->start.at[i + 1]; k++)
		if (!c->d.label.at[c->d.term.at[w->var.at[w->vars.at[k]]].sort].elem)
			return KEY_SCALAR;
	return KEY_SHAPE;
}

static struct core *freeze(struct copier *c, struct var_walk *w, unsigned flags)
{
	const struct dag *d = &c->d;
	size_t text = c->q->context_len + 1, n = c->todo.n;
	for (size_t i = 0; i < d->label.n; i++)
		text += (size_t)d->label.at[i].len + d->label.at[i].meaning_len + 2;
	struct layout l = {.n_clauses = n, .n_vars = w->vars.n, .n_var = w->var.n, .n_text = text};
	size_t bytes = lay_out(&l, NULL, d);
	lay_out(&l, mem_zalloc(bytes), d);
	memcpy(l.term, d->term.at, d->term.n * sizeof *l.term);
	if (d->arg.n)
		memcpy(l.arg, d->arg.at, d->arg.n * sizeof *l.arg);
	memcpy(l.label, d->label.at, d->label.n * sizeof *l.label);
	for (size_t i = 0; i < d->label.n; i++) {
		l.label[i].text = put_text(&l.text, d->label.at[i].text, d->label.at[i].len);
		l.label[i].meaning = put_text(&l.text, d->label.at[i].meaning, d->label.at[i].meaning_len);
	}
	if (w->vars.n)
		memcpy(l.vars, w->vars.at, w->vars.n * sizeof *l.vars);
	if (w->var.n)
		memcpy(l.var, w->var.at, w->var.n * sizeof *l.var);
	memcpy(l.place, w->place.at, d->term.n * sizeof *l.place);
	struct core *k = l.core;
	for (size_t i = 0; i < n; i++) {
		enum query_key kind = clause_kind(c, w, i, flags);
		uint64_t hash = query_term_hash(&d->term.at[c->todo.at[i]], kind);
		l.clause[i] = (struct core_clause){.key = query_key(c->q->context_hash, kind, hash),
						   .term = c->todo.at[i],
						   .vars = w->start.at[i],
						   .n_vars = w->start.at[i + 1] - w->start.at[i],
						   .kind = (uint8_t)kind};
		bloom_add(k->bloom, l.clause[i].key);
	}
	k->t = (struct terms){l.term, l.arg, l.label, (uint32_t)d->label.n};
	k->n_terms = (uint32_t)d->term.n;
	k->n_clauses = (uint32_t)n;
	k->n_vars = (uint32_t)w->var.n;
	k->clause = l.clause;
	k->vars = l.vars;
	k->var = l.var;
	k->place = l.place;
	k->context = put_text(&l.text, c->q->context, c->q->context_len);
	k->context_len = c->q->context_len;
	k->bytes = bytes;
	return k;
}

struct core *core_new(const struct query *q, const uint32_t *conj, size_t n, unsigned flags, const char *origin)
{
	struct copier c = {.q = q};
	struct var_walk w = {0};
	dag_init(&c.d);
	copy_clauses(&c, conj, n, flags & CORE_SCALAR);
	walk_vars(&w, &c);
	struct core *k = freeze(&c, &w, flags);
	k->origin = mem_strdup(origin ? origin : "");
	k->bytes += strlen(k->origin) + 1;
	vec_release_all(&w.vars, &w.var, &w.start, &w.place);
	dag_release(&c.d);
	vec_release_all(&c.order, &c.to, &c.whole, &c.taken, &c.labels, &c.todo, &c.args);
	return k;
}

void core_free(struct core *c)
{
	if (c)
		free(c->origin);
	free(c);
}

enum rc core_print(const struct core *c, struct printer *p, struct buf *out, bool named)
{
	VEC(uint32_t) roots = {0};
	for (uint32_t i = 0; i < c->n_clauses; i++)
		vec_push(&roots, c->clause[i].term);
	buf_add(out, c->context, c->context_len);
	vec_clear(&p->todo);
	print_declarations(p, out, &c->t, roots.at, roots.n);
	enum rc rc = RC_OK;
	for (size_t i = 0; i < roots.n && rc == RC_OK; i++) {
		buf_str_add(out, named ? "(assert (! " : "(assert ");
		rc = print_term(p, out, &c->t, roots.at[i]);
		if (named)
			buf_printf(out, " :named rf!c%zu)", i);
		buf_str_add(out, ")\n");
	}
	vec_release(&roots);
	return rc;
}

#ifdef RF_INVARIANTS
void core_check(const struct core *c)
{
	uint64_t bloom[BLOOM_WORDS] = {0}, context = hash64(c->context, c->context_len);
	uint32_t vars = 0, places = 0;
	INVARIANT(c->n_clauses && c->index_clause < c->n_clauses && !(c->proved && c->refused));
	for (uint32_t i = 0; i < c->n_terms; i++) {
		const struct term *t = &c->t.term[i];
		for (uint32_t k = 0; k < t->n_args; k++)
			INVARIANT(term_args(&c->t, i)[k] < i);
		INVARIANT((t->kind == TERM_VAR) == (c->place[i] != 0) && c->place[i] <= c->n_vars);
		INVARIANT(!c->place[i] || c->var[c->place[i] - 1] == i);
		places += c->place[i] != 0;
	}
	INVARIANT(places == c->n_vars);
	for (uint32_t i = 0; i < c->n_clauses; i++) {
		const struct core_clause *l = &c->clause[i];
		INVARIANT(l->term < c->n_terms && l->vars == vars);
		INVARIANT(l->key == query_key(context, l->kind, query_term_hash(&c->t.term[l->term], l->kind)));
		for (uint32_t k = 0; k < l->n_vars; k++)
			INVARIANT(c->vars[l->vars + k] < c->n_vars);
		vars += l->n_vars;
		bloom_add(bloom, l->key);
	}
	INVARIANT(!memcmp(bloom, c->bloom, sizeof bloom));
}
#endif
