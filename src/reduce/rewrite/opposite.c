/* SPDX-License-Identifier: MIT */
/* The pass "opposite": an operator becomes its opposite and, in the same edit, something near it becomes one of its
 * parts: `a < 1 ? 1 : 1 + b` becomes `a > 1 ? 1 : b`. Neither step is one alone, because the first changes what is
 * computed and the second would have to change it back. When little is left only. */
#include "reduce/pass/proposals.h"
#include "reduce/syntax/syntax.h"

#include <string.h>

enum {
	MAX_LEFT = 120, /* tokens of a program that is worth it */
	NEAR = 4,       /* nodes up from the operator */
	MAX_ASKED = 40  /* questions for an operator */
};

static const char *const opposites[][2] = {
	{"<", ">"}, {"<=", ">="}, {"==", "!="}, {"===", "!=="}, {"&&", "||"}, {"+", "-"}, {"<<", ">>"},
};

static const char *opposite_of(const struct model *m, uint32_t token)
{
	size_t len;
	const char *text = model_text(m, token, &len);
	for (size_t i = 0; i < sizeof opposites / sizeof *opposites; i++)
		for (unsigned k = 0; k < 2; k++)
			if (strlen(opposites[i][k]) == len && memcmp(opposites[i][k], text, len) == 0)
				return opposites[i][!k];
	return NULL;
}

struct search {
	struct proposals *p;
	const struct forest *f;
	uint32_t sign; /* base token */
	const char *opposite;
	unsigned asked;
};

/* Child `at` of a node becomes a part of itself, one or two nodes further down. */
static void propose_parts(struct search *q, const struct shape *h, uint32_t at, uint32_t place, uint32_t node,
			  unsigned levels)
{
	struct children c;
	struct span all = forest_span(q->f, place);
	children_of(q->f, node, &c);
	for (uint32_t i = 0; i < c.n && q->asked < MAX_ASKED; i++) {
		struct span in = forest_span(q->f, c.place[i]);
		bool takes_sign = q->sign >= all.from && q->sign < all.to && (q->sign < in.from || q->sign >= in.to);
		if (in.from < in.to && in.to - in.from < all.to - all.from && !takes_sign &&
		    shape_accepts(h, at, &c.letter[i], 1)) {
			proposal_replace(q->p, (struct span){q->sign, q->sign + 1}, q->opposite, strlen(q->opposite),
					 1);
			proposal_remove(q->p, all.from, in.from);
			proposal_remove(q->p, in.to, all.to);
			q->asked += proposal_end(q->p, q->sign + 1);
		}
		if (levels)
			propose_parts(q, h, at, place, c.place[i], levels - 1);
	}
	children_release(&c);
}

/* Everything below a node. */
static void look_below(struct search *q, uint32_t node)
{
	struct children c;
	children_of(q->f, node, &c);
	const struct shape *h = shape_get(c.language, c.rule, c.letter, c.n);
	for (uint32_t i = 0; i < c.n; i++) {
		if (forest_weight(q->f, c.place[i]) < 2)
			continue;
		if (h->matched)
			propose_parts(q, h, i, c.place[i], c.place[i], 1);
		look_below(q, c.place[i]);
	}
	shape_drop(h);
	children_release(&c);
}

static void look_at_file(struct proposals *p, const struct forest *f, size_t file)
{
	const struct base_file *b = &f->model->file[file];
	const struct syntax *x = b->syntax;
	for (uint32_t n = 0; f->model->n <= MAX_LEFT && n < x->n_nodes; n++) {
		struct search q = {.p = p, .f = f, .sign = b->first + x->node[n].tok};
		uint32_t node = forest_root(f, file) + n, up;
		if (!(x->node[n].flags & NODE_LEAF) || !x->node[n].n_tok ||
		    !(q.opposite = opposite_of(f->model, q.sign)))
			continue;
		for (unsigned i = 0; i < NEAR && (up = forest_parent(f, node)) != FOREST_NONE; i++)
			node = up;
		look_below(&q, node);
	}
}

static void opposite_begin(void *state)
{
	proposals_of_forest(state, look_at_file);
}

const struct pass pass_opposite = {"opposite", "operators turn round while something near becomes smaller",
				   PASS_TREE | PASS_FIXPOINT, opposite_begin, &proposals_frame};
