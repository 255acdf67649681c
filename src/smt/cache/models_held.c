/* SPDX-License-Identifier: MIT */
/* Models that only a solver can evaluate, as assertions. */
#include "smt/cache/models_internal.h"

#include "smt/term/print.h"
#include "smt/value/pack.h"

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
