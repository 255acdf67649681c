/* SPDX-License-Identifier: MIT */
/* The printer: see print.h. Names it makes up start with "rf!"; a term with such a name of its own is not printed,
 * so nothing can be captured. */
#include "smt/term/print.h"

#include "smt/sexpr.h"

#include <string.h>

static const char own[] = "rf!";

void printer_release(struct printer *p)
{
	vec_release_all(&p->refs, &p->shared, &p->touched, &p->todo, &p->frame);
}

void print_symbol(struct buf *out, const char *name, size_t n)
{
	bool plain = sexpr_plain_symbol(name, n);
	if (!plain)
		buf_char(out, '|');
	buf_add(out, name, n);
	if (!plain)
		buf_char(out, '|');
}

static void print_label(struct buf *out, const struct label *l)
{
	if (l->kind == LABEL_VAR || l->kind == LABEL_FUN)
		print_symbol(out, l->text, l->len);
	else if (l->len && (l->text[0] == '(' || l->text[0] == '|' || l->text[0] == '#' || l->text[0] == '"' ||
			    (l->text[0] >= '0' && l->text[0] <= '9')))
		buf_add(out, l->text, l->len);
	else
		print_symbol(out, l->text, l->len);
}

/* Counts references below root; the first meeting opens a term. False when it has a name of ours. */
static bool count_refs(struct printer *p, const struct terms *t, uint32_t root)
{
	while (p->touched.n)
		p->refs.at[vec_pop(&p->touched)] = 0;
	if (p->refs.n <= root) {
		vec_reserve(&p->refs, root + 1 - p->refs.n);
		memset(p->refs.at + p->refs.n, 0, (root + 1 - p->refs.n) * sizeof *p->refs.at);
		p->refs.n = root + 1;
	}
	vec_clear(&p->shared);
	vec_clear(&p->todo);
	vec_push(&p->todo, root);
	while (p->todo.n) {
		uint32_t i = vec_pop(&p->todo);
		const struct term *x = &t->term[i];
		if (p->refs.at[i]++) {
			if (p->refs.at[i] == 2 && x->n_args && !x->loose)
				vec_push(&p->shared, i);
			continue;
		}
		vec_push(&p->touched, i);
		if ((x->kind == TERM_VAR || x->kind == TERM_APP) &&
		    !strncmp(t->label[x->label].text, own, sizeof own - 1))
			return false;
		for (uint32_t k = x->n_args; k-- > 0;)
			vec_push(&p->todo, t->arg[x->args + k]);
	}
	return true;
}

struct walk {
	struct printer *p;
	struct buf *out;
	const struct terms *t;
	size_t limit;
	uint32_t top;   /* the term being defined: written out though it is shared */
	uint32_t depth; /* binders around */
};

static void open_binder(struct walk *w, const struct term *x)
{
	const struct label *l = &w->t->label[x->label];
	buf_printf(w->out, "(%s (", l->text);
	const char *sort = l->meaning;
	for (uint32_t i = 0; i < x->sort; i++, sort += strlen(sort) + 1)
		buf_printf(w->out, "%s(%sb%u %s)", i ? " " : "", own, w->depth + i, sort);
	buf_str_add(w->out, ") ");
	w->depth += x->sort;
}

/* Writes a leaf, a reference, or opens a list and pushes its frame. */
static void open_term(struct walk *w, uint32_t i)
{
	const struct term *x = &w->t->term[i];
	if (x->n_args && !x->loose && w->p->refs.at[i] > 1 && i != w->top) {
		buf_printf(w->out, "%ss%u", own, i);
	} else if (x->kind == TERM_BOUND) {
		buf_printf(w->out, "%sb%u", own, w->depth - 1 - x->label);
	} else if (!x->n_args) {
		print_label(w->out, &w->t->label[x->label]);
	} else {
		if (x->kind == TERM_BINDER) {
			open_binder(w, x);
		} else {
			buf_char(w->out, '(');
			print_label(w->out, &w->t->label[x->label]);
		}
		vec_push(&w->p->frame, (uint64_t)i << 32);
	}
}

static enum rc print_tree(struct walk *w, uint32_t root)
{
	vec_clear(&w->p->frame);
	w->top = root;
	w->depth = 0;
	open_term(w, root);
	while (w->p->frame.n) {
		uint64_t *f = &vec_last(&w->p->frame);
		uint32_t i = (uint32_t)(*f >> 32), k = (uint32_t)*f;
		const struct term *x = &w->t->term[i];
		if (w->out->n > w->limit)
			return RC_NO;
		if (k < x->n_args) {
			++*f;
			if (x->kind != TERM_BINDER)
				buf_char(w->out, ' ');
			open_term(w, w->t->arg[x->args + k]);
			continue;
		}
		if (x->kind == TERM_BINDER)
			w->depth -= x->sort;
		buf_char(w->out, ')');
		(void)vec_pop(&w->p->frame);
	}
	return RC_OK;
}

static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	return x < y ? -1 : x > y;
}

enum rc print_term(struct printer *p, struct buf *out, const struct terms *t, uint32_t root)
{
	struct walk w = {p, out, t, out->n + (p->max_bytes ? p->max_bytes : (size_t)64 << 20), 0, 0};
	if (t->term[root].loose || !count_refs(p, t, root))
		return RC_NO;
	if (p->shared.n > 1)
		qsort(p->shared.at, p->shared.n, sizeof *p->shared.at, ascending);
	for (size_t i = 0; i < p->shared.n; i++) {
		buf_printf(out, "(let ((%ss%u ", own, p->shared.at[i]);
		if (print_tree(&w, p->shared.at[i]) != RC_OK)
			return RC_NO;
		buf_str_add(out, ")) ");
	}
	if (print_tree(&w, root) != RC_OK)
		return RC_NO;
	for (size_t i = 0; i < p->shared.n; i++)
		buf_char(out, ')');
	return RC_OK;
}

static void declare(struct buf *out, const struct terms *t, const struct term *x)
{
	const struct label *l = &t->label[x->label];
	buf_str_add(out, "(declare-fun ");
	print_symbol(out, l->text, l->len);
	if (x->kind == TERM_VAR) {
		buf_printf(out, " () %s)\n", t->label[x->sort].text);
		return;
	}
	buf_str_add(out, " (");
	const char *sort = l->meaning, *end = l->meaning + l->meaning_len;
	for (uint32_t i = 0; i < x->n_args && sort < end; i++, sort += strlen(sort) + 1)
		buf_printf(out, "%s%s", i ? " " : "", sort);
	buf_printf(out, ") %s)\n", sort < end ? sort : "Bool");
}

void print_declarations(struct printer *p, struct buf *out, const struct terms *t, const uint32_t *roots, size_t n)
{
	VEC(uint8_t) label_done = {0};
	vec_reserve(&label_done, t->n_labels);
	memset(label_done.at, 0, t->n_labels);
	uint32_t top = 0;
	for (size_t i = 0; i < n; i++)
		if (roots[i] >= top)
			top = roots[i] + 1;
	VEC(uint8_t) seen = {0};
	vec_reserve(&seen, (size_t)top + 1);
	memset(seen.at, 0, top);
	for (size_t i = 0; i < n; i++) {
		vec_push(&p->todo, roots[i]);
		while (p->todo.n) {
			uint32_t k = vec_pop(&p->todo);
			const struct term *x = &t->term[k];
			if (seen.at[k])
				continue;
			seen.at[k] = 1;
			if (x->kind == TERM_VAR) {
				declare(out, t, x);
			} else if (x->kind == TERM_APP && t->label[x->label].kind == LABEL_FUN &&
				   !label_done.at[x->label]) {
				label_done.at[x->label] = 1;
				declare(out, t, x);
			}
			for (uint32_t j = x->n_args; j-- > 0;)
				vec_push(&p->todo, t->arg[x->args + j]);
		}
	}
	vec_release_all(&seen, &label_done);
}
