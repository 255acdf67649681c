/* SPDX-License-Identifier: MIT */
/* The pass "simpler": a node becomes a short text of a kind that the grammar allows in its place: an expression `0`, a
 * statement `;`, a type `int`, a call the shortest name there is. Which texts there are: model/snippets.h. Deletion
 * and replacement by a descendant (perses) come first, so this is about what must be there but need not be what it
 * is. Heavy nodes come first. */
#include "reduce/model/forest.h"
#include "reduce/model/snippets.h"
#include "reduce/pass/proposals.h"
#include "reduce/syntax/syntax.h"

#include <string.h>

enum { PER_NODE = 5 }; /* texts asked about for a node */

static bool same_text(const struct model *m, struct span span, const struct snippet *t)
{
	size_t len;
	const char *text = model_text(m, span.from, &len);
	return span.to == span.from + 1 && len == t->len && memcmp(text, t->text, len) == 0;
}

/* What may stand in place of child `at`. */
static void propose(struct proposals *p, const struct forest *f, const struct shape *h, uint32_t at, uint32_t node,
		    const struct snippets *texts)
{
	struct span span = forest_span(f, node);
	unsigned n = 0;
	for (size_t i = 0; i < texts->n && n < PER_NODE; i++) {
		const struct snippet *t = &texts->at[i];
		/* one name for another is the pass "names"'s */
		if (t->tokens > span.to - span.from || (span.to - span.from == 1 && !t->seed) ||
		    same_text(p->pass.model, span, t) || !shape_accepts(h, at, &t->letter, 1))
			continue;
		proposal_replace(p, span, t->text, t->len, t->tokens);
		n += proposal_end(p, node + 1);
	}
}

static void look_at_children(struct proposals *p, const struct forest *f, uint32_t node, const struct snippets *texts)
{
	struct children c;
	children_of(f, node, &c);
	const struct shape *h = shape_get(c.language, c.rule, c.letter, c.n);
	for (uint32_t i = 0; h->matched && i < c.n; i++)
		if (forest_weight(f, c.place[i]))
			propose(p, f, h, i, c.place[i], texts);
	shape_drop(h);
	children_release(&c);
}

static void look_at_file(struct proposals *p, const struct forest *f, size_t file)
{
	const struct syntax *x = f->model->file[file].syntax;
	struct snippets texts;
	snippets_init(&texts, x);
	for (uint32_t n = 0; n < x->n_nodes; n++)
		if (!(x->node[n].flags & (NODE_LEAF | NODE_ERROR)))
			look_at_children(p, f, forest_root(f, file) + n, &texts);
	snippets_release(&texts);
}

static void simpler_begin(void *state)
{
	proposals_of_forest(state, look_at_file);
}

const struct pass pass_simpler = {"simpler",
				  "expressions, statements and types become the shortest ones the grammar allows",
				  PASS_TREE | PASS_FIXPOINT, simpler_begin, &proposals_frame};
