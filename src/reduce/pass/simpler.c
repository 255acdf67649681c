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

enum {
	MAX_LEFT = 20000, /* tokens of a program that is worth it */
	PER_NODE = 5      /* texts asked about for a node */
};

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
		    same_text(p->model, span, t) || !shape_accepts(h, at, &t->letter, 1))
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

static void *simpler_start(struct model *m, uint64_t seed)
{
	struct proposals *p = mem_zalloc(sizeof *p);
	struct forest f;
	(void)seed;
	proposals_init(p, m);
	if (m->n > MAX_LEFT)
		return p;
	forest_init(&f, m);
	for (size_t i = 0; i < m->n_files; i++) {
		struct snippets texts;
		uint32_t root = forest_root(&f, i);
		if (!m->file[i].tree)
			continue;
		snippets_init(&texts, m->file[i].syntax);
		for (uint32_t n = 0; n < m->file[i].syntax->n_nodes; n++)
			if (!(m->file[i].syntax->node[n].flags & (NODE_LEAF | NODE_ERROR)))
				look_at_children(p, &f, root + n, &texts);
		snippets_release(&texts);
	}
	forest_release(&f);
	proposals_sort(p);
	return p;
}

const struct pass pass_simpler = {
	.name = "simpler",
	.summary = "expressions, statements and types become the shortest ones the grammar allows",
	.flags = PASS_TREE | PASS_FIXPOINT,
	.start = simpler_start,
	.next = proposals_next,
	.result = proposals_result,
	.free = proposals_free,
};
