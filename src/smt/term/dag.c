/* SPDX-License-Identifier: MIT */
/* The hash-consed term DAG. Interning goes through two hash indexes, one for labels and one for terms; both keep only
 * hashes and numbers, and full contents are compared on every probe. Terms are append-only, so a mark and a cut
 * undo everything done inside a push. */
#include "smt/term/dag.h"

#include "base/invariant.h"
#include "data/digest.h"

#include <stdio.h>
#include <string.h>

enum { H_VAR = 0x11, H_BOUND, H_VALUE, H_APP, H_BINDER };

static void preset(struct dag *d)
{
	d->budget = UINT64_MAX;
	memset(d->sort_bv, 0, sizeof d->sort_bv);
	vec_reserve(&d->arg, 16); /* so that an empty list of arguments has an address */
	vec_push(&d->label, ((struct label){.text = "", .meaning = ""}));
	d->op_and = dag_label(d, LABEL_OP, "and", 3, "", 0);
	d->op_select = dag_label(d, LABEL_OP, "select", 6, "", 0);
	d->op_true = dag_label(d, LABEL_VALUE, "true", 4, "", 0);
	d->op_false = dag_label(d, LABEL_VALUE, "false", 5, "", 0);
	d->sort_bool = dag_label(d, LABEL_SORT, "Bool", 4, "", 0);
}

void dag_init(struct dag *d)
{
	memset(d, 0, sizeof *d);
	preset(d);
}

void dag_release(struct dag *d)
{
	vec_release_all(&d->term, &d->arg, &d->label);
	VEC_EACH(table_release, &d->term_index, &d->label_index);
	arena_release(&d->text);
}

/* A table that one large query has made huge is freed: clearing it would slow down every small query after it. */
static void clear_index(struct table *t)
{
	if (t->mask > 4096 && t->n < t->mask / 64)
		table_release(t);
	else
		table_clear(t);
}

void dag_clear(struct dag *d)
{
	vec_clear_all(&d->term, &d->arg, &d->label);
	VEC_EACH(clear_index, &d->term_index, &d->label_index);
	arena_clear(&d->text);
	preset(d);
}

struct terms dag_terms(const struct dag *d)
{
	return (struct terms){d->term.at, d->arg.at, d->label.at, (uint32_t)d->label.n};
}

bool label_equal(const struct label *a, const struct label *b)
{
	return a->hash == b->hash && a->kind == b->kind && a->len == b->len && a->meaning_len == b->meaning_len &&
	       memcmp(a->text, b->text, a->len) == 0 && memcmp(a->meaning, b->meaning, a->meaning_len) == 0;
}

static uint64_t label_hash(enum label_kind kind, const char *text, size_t len, const char *meaning, size_t mlen)
{
	uint64_t hash = hash64_seed(text, len, kind);
	return mlen ? hash64_seed(meaning, mlen, hash) : hash;
}

uint32_t dag_label(struct dag *d, enum label_kind kind, const char *text, size_t len, const char *meaning, size_t mlen)
{
	uint64_t hash = label_hash(kind, text, len, meaning, mlen);
	struct label l = {.text = text,
			  .meaning = meaning,
			  .len = (uint32_t)len,
			  .meaning_len = (uint32_t)mlen,
			  .hash = hash,
			  .kind = (uint8_t)kind};
	uint32_t r;
	for (struct table_probe p = table_probe(&d->label_index, hash);
	     (r = table_next(&d->label_index, &p)) != TABLE_NONE;)
		if (label_equal(&d->label.at[r], &l))
			return r;
	l.text = arena_strndup(&d->text, text, len);
	l.meaning = mlen ? arena_strndup(&d->text, meaning, mlen) : ""; /* holds NULs, and ends in one */
	vec_push(&d->label, l);
	table_insert(&d->label_index, hash, (uint32_t)d->label.n - 1);
	return (uint32_t)d->label.n - 1;
}

uint32_t dag_sort_bv(struct dag *d, uint32_t width)
{
	char text[32];
	bool small = width < ARRAY_LEN(d->sort_bv);
	if (small && d->sort_bv[width])
		return d->sort_bv[width];
	int n = snprintf(text, sizeof text, "(_ BitVec %u)", width);
	uint32_t s = dag_label(d, LABEL_SORT, text, (size_t)n, "", 0);
	d->label.at[s].width = width;
	if (small)
		d->sort_bv[width] = s;
	return s;
}

uint32_t dag_sort_array(struct dag *d, uint32_t index, uint32_t elem)
{
	struct buf b = {0};
	buf_printf(&b, "(Array %s %s)", d->label.at[index].text, d->label.at[elem].text);
	uint32_t s = dag_label(d, LABEL_SORT, b.at, b.n, "", 0);
	d->label.at[s].index = index;
	d->label.at[s].elem = elem;
	buf_release(&b);
	return s;
}

static bool same_term(const struct dag *d, const struct term *o, const struct term *t, const uint32_t *args)
{
	return o->named == t->named && o->kind == t->kind && o->label == t->label && o->sort == t->sort &&
	       o->n_args == t->n_args && (!t->n_args || !memcmp(d->arg.at + o->args, args, t->n_args * sizeof *args));
}

/* The term with these contents; new ones take the hashes in t. args of a new term are copied behind the others. */
static uint32_t intern(struct dag *d, struct term t, const uint32_t *args)
{
	uint32_t r;
	for (struct table_probe p = table_probe(&d->term_index, t.named);
	     (r = table_next(&d->term_index, &p)) != TABLE_NONE;)
		if (same_term(d, &d->term.at[r], &t, args))
			return r;
	for (uint32_t i = 0; i < t.n_args; i++)
		INVARIANT(args[i] < d->term.n);
	size_t inside = args >= d->arg.at && args < d->arg.at + d->arg.n ? (size_t)(args - d->arg.at) : SIZE_MAX;
	t.args = (uint32_t)d->arg.n;
	if (t.n_args) {
		vec_reserve(&d->arg, t.n_args);
		if (inside != SIZE_MAX)
			args = d->arg.at + inside;
		memcpy(d->arg.at + d->arg.n, args, t.n_args * sizeof *args);
		d->arg.n += t.n_args;
	}
	if (d->budget)
		d->budget--;
	vec_push(&d->term, t);
	table_insert(&d->term_index, t.named, (uint32_t)d->term.n - 1);
	return (uint32_t)d->term.n - 1;
}

/* ---- what a term of each kind is, before it is interned */

static struct term make_var(const struct dag *d, uint32_t label, uint32_t sort)
{
	uint64_t s = mix64_pair(H_VAR, d->label.at[sort].hash);
	struct term t = {.kind = TERM_VAR, .label = label, .sort = sort};
	t.shape = t.scalar = s;
	t.named = mix64_pair(s, d->label.at[label].hash);
	return t;
}

static struct term make_bound(uint32_t index)
{
	struct term t = {.kind = TERM_BOUND, .label = index, .loose = index + 1};
	t.named = t.shape = t.scalar = mix64_pair(H_BOUND, index);
	return t;
}

static struct term make_value(const struct dag *d, uint32_t label)
{
	struct term t = {.kind = TERM_VALUE, .label = label};
	t.named = t.shape = t.scalar = mix64_pair(H_VALUE, d->label.at[label].hash);
	return t;
}

static struct term make_app(const struct dag *d, uint32_t label, const uint32_t *args, uint32_t n)
{
	struct term t = {.kind = TERM_APP, .label = label, .n_args = n};
	t.named = t.shape = t.scalar = mix64_pair(mix64_pair(H_APP, d->label.at[label].hash), n);
	for (uint32_t i = 0; i < n; i++) {
		const struct term *a = &d->term.at[args[i]];
		t.named = mix64_pair(t.named, a->named);
		t.shape = mix64_pair(t.shape, a->shape);
		t.scalar = mix64_pair(t.scalar, a->scalar);
		if (a->loose > t.loose)
			t.loose = a->loose;
		t.reads |= a->reads;
	}
	if (label == d->op_select && n == 2 && d->term.at[args[0]].kind == TERM_VAR &&
	    d->term.at[args[1]].kind == TERM_VALUE) {
		uint32_t elem = d->label.at[d->term.at[args[0]].sort].elem;
		/* only indices with one spelling per value: two names of one cell would not be independent */
		bool spelt = d->label.at[d->term.at[args[1]].label].text[0] == '#';
		if (elem && spelt && !d->label.at[elem].elem) {
			t.read = t.reads = true;
			t.scalar = mix64_pair(H_VAR, d->label.at[elem].hash);
		}
	}
	return t;
}

static struct term make_binder(const struct dag *d, uint32_t label, uint32_t n_bound, uint32_t body)
{
	const struct term *b = &d->term.at[body];
	uint64_t h = mix64_pair(H_BINDER, d->label.at[label].hash);
	struct term t = {.kind = TERM_BINDER, .label = label, .sort = n_bound, .n_args = 1, .reads = b->reads};
	t.named = mix64_pair(h, b->named);
	t.shape = mix64_pair(h, b->shape);
	t.scalar = mix64_pair(h, b->scalar);
	t.loose = b->loose > n_bound ? b->loose - n_bound : 0;
	return t;
}

uint32_t dag_var(struct dag *d, uint32_t label, uint32_t sort)
{
	return intern(d, make_var(d, label, sort), NULL);
}

uint32_t dag_bound(struct dag *d, uint32_t index)
{
	return intern(d, make_bound(index), NULL);
}

uint32_t dag_value(struct dag *d, uint32_t label)
{
	return intern(d, make_value(d, label), NULL);
}

uint32_t dag_app(struct dag *d, uint32_t label, const uint32_t *args, uint32_t n)
{
	return intern(d, make_app(d, label, args, n), args);
}

uint32_t dag_binder(struct dag *d, uint32_t label, uint32_t n_bound, uint32_t body)
{
	return intern(d, make_binder(d, label, n_bound, body), &body);
}

struct shift_item {
	uint32_t term, depth; /* depth: binders passed on the way */
};

struct shift_memo {
	uint64_t key;
	uint32_t to;
};

static uint64_t shift_key(struct shift_item s)
{
	return (uint64_t)s.depth << 32 | s.term;
}

/* Post-order over (term, depth) pairs with a memo, so shared subterms are shifted once. */
uint32_t dag_shift(struct dag *d, uint32_t root, uint32_t by)
{
	if (!by || !d->term.at[root].loose)
		return root;
	VEC(struct shift_item) todo = {0};
	VEC(struct shift_memo) memo = {0};
	struct table index = {0};
	VEC(uint32_t) args = {0};
	uint32_t result = root;
	vec_push(&todo, ((struct shift_item){root, 0}));
	while (todo.n) {
		struct shift_item s = vec_last(&todo);
		struct term t = d->term.at[s.term];
		uint64_t key = shift_key(s);
		uint32_t r;
		struct table_probe p = table_probe(&index, key);
		while ((r = table_next(&index, &p)) != TABLE_NONE && memo.at[r].key != key) {
		}
		if (r != TABLE_NONE) {
			result = memo.at[r].to;
			(void)vec_pop(&todo);
			continue;
		}
		uint32_t to = s.term;
		if (t.loose > s.depth && t.kind == TERM_BOUND) {
			to = dag_bound(d, t.label + by);
		} else if (t.loose > s.depth) {
			uint32_t depth = s.depth + (t.kind == TERM_BINDER ? t.sort : 0);
			size_t before = todo.n;
			vec_clear(&args);
			for (uint32_t i = 0; i < t.n_args; i++) {
				struct shift_item a = {d->arg.at[t.args + i], depth};
				uint32_t q;
				uint64_t k = shift_key(a);
				struct table_probe pa = table_probe(&index, k);
				while ((q = table_next(&index, &pa)) != TABLE_NONE && memo.at[q].key != k) {
				}
				if (q == TABLE_NONE)
					vec_push(&todo, a);
				else
					vec_push(&args, memo.at[q].to);
			}
			if (todo.n > before)
				continue;
			to = t.kind == TERM_BINDER ? dag_binder(d, t.label, t.sort, args.at[0])
						   : dag_app(d, t.label, args.at, t.n_args);
		}
		vec_push(&memo, ((struct shift_memo){key, to}));
		table_insert(&index, key, (uint32_t)memo.n - 1);
		result = to;
		(void)vec_pop(&todo);
	}
	vec_release_all(&todo, &memo, &args);
	table_release(&index);
	return result;
}

struct dag_mark dag_mark(const struct dag *d)
{
	return (struct dag_mark){d->term.n, d->arg.n};
}

void dag_cut(struct dag *d, struct dag_mark m)
{
	INVARIANT(m.terms <= d->term.n && m.args <= d->arg.n);
	while (d->term.n > m.terms) {
		d->term.n--;
		table_remove(&d->term_index, d->term.at[d->term.n].named, (uint32_t)d->term.n);
	}
	d->arg.n = m.args;
}

#ifdef RF_INVARIANTS
/* Found in its index, and no other that is equal. */
static void check_label(const struct dag *d, uint32_t i)
{
	const struct label *l = &d->label.at[i];
	uint32_t r;
	size_t found = 0;
	INVARIANT(l->hash == label_hash(l->kind, l->text, l->len, l->meaning, l->meaning_len));
	INVARIANT(!l->text[l->len] && l->index < d->label.n && l->elem < d->label.n);
	INVARIANT(!l->width || l->width >= ARRAY_LEN(d->sort_bv) || d->sort_bv[l->width] == i);
	for (struct table_probe p = table_probe(&d->label_index, l->hash);
	     (r = table_next(&d->label_index, &p)) != TABLE_NONE;) {
		INVARIANT(r < d->label.n && (r == i || !label_equal(&d->label.at[r], l)));
		found += r == i;
	}
	INVARIANT(found == 1);
}

static struct term remake(const struct dag *d, const struct term *t)
{
	const uint32_t *args = d->arg.at + t->args;
	switch (t->kind) {
	case TERM_VAR:
		return make_var(d, t->label, t->sort);
	case TERM_BOUND:
		return make_bound(t->label);
	case TERM_VALUE:
		return make_value(d, t->label);
	case TERM_APP:
		return make_app(d, t->label, args, t->n_args);
	default:
		return make_binder(d, t->label, t->sort, args[0]);
	}
}

static void check_term(const struct dag *d, uint32_t i)
{
	const struct term *t = &d->term.at[i];
	struct term o = remake(d, t);
	uint32_t r;
	size_t found = 0;
	for (uint32_t k = 0; k < t->n_args; k++)
		INVARIANT(d->arg.at[t->args + k] < i);
	INVARIANT(o.named == t->named && o.shape == t->shape && o.scalar == t->scalar);
	INVARIANT(o.loose == t->loose && o.read == t->read && o.reads == t->reads && o.n_args == t->n_args);
	for (struct table_probe p = table_probe(&d->term_index, t->named);
	     (r = table_next(&d->term_index, &p)) != TABLE_NONE;) {
		INVARIANT(r < d->term.n && (r == i || !same_term(d, &d->term.at[r], t, d->arg.at + t->args)));
		found += r == i;
	}
	INVARIANT(found == 1);
}

void dag_check(const struct dag *d)
{
	size_t args = 0;
	INVARIANT(d->label.n && d->label_index.n == d->label.n - 1 && d->term_index.n == d->term.n);
	for (uint32_t i = 1; i < d->label.n; i++)
		check_label(d, i);
	for (uint32_t i = 0; i < d->term.n; i++) {
		INVARIANT(d->term.at[i].args == args); /* a cut drops the newest terms' arguments and no others */
		args += d->term.at[i].n_args;
		check_term(d, i);
	}
	INVARIANT(args == d->arg.n);
}
#endif
