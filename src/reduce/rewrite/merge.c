/* SPDX-License-Identifier: MIT */
/* The pass "merge": two neighbours that end and begin with a block become one: what stands from the closing brace of
 * the first to the opening brace of the second goes, so that `namespace a { x } namespace a { y }` is
 * `namespace a { x y }`. */
#include "reduce/model/forest.h"
#include "reduce/pass/proposals.h"
#include "reduce/syntax/syntax.h"

static bool is_sign(const struct model *m, uint32_t token, char sign)
{
	size_t len;
	const char *text = model_text(m, token, &len);
	return len == 1 && *text == sign;
}

/* The opening brace of the block a node ends with; its end: none. */
static uint32_t opening(const struct model *m, struct span s)
{
	uint32_t depth = 0;
	uint32_t last = s.to;
	while (last > s.from && is_sign(m, last - 1, ';'))
		last--;
	if (last == s.from || !is_sign(m, last - 1, '}'))
		return s.to;
	for (uint32_t t = last; t-- > s.from;) {
		depth += is_sign(m, t, '}');
		if (is_sign(m, t, '{') && !--depth)
			return t;
	}
	return s.to;
}

static void look_at_children(struct proposals *p, const struct forest *f, uint32_t node)
{
	struct children c;
	struct span last = {0, 0};
	children_of(f, node, &c);
	for (uint32_t i = 0; i < c.n; i++) {
		struct span s = forest_span(f, c.place[i]);
		uint32_t open = opening(p->pass.model, s), close;
		if (open == s.to) {
			if (s.to > s.from + 1)
				last = (struct span){0, 0};
			continue;
		}
		if (last.to) {
			for (close = last.to; !is_sign(p->pass.model, close - 1, '}'); close--)
				continue;
			proposal_remove(p, close - 1, open + 1);
			proposal_end(p, s.from + 1);
		}
		last = s;
	}
	children_release(&c);
}

static void look_at_file(struct proposals *p, const struct forest *f, size_t file)
{
	const struct syntax *x = f->model->file[file].syntax;
	for (uint32_t n = 0; n < x->n_nodes; n++)
		if (!(x->node[n].flags & NODE_LEAF))
			look_at_children(p, f, forest_root(f, file) + n);
}

static void merge_begin(void *state)
{
	proposals_of_forest(state, look_at_file);
}

const struct pass pass_merge = {"merge", "neighbouring blocks become one", PASS_TREE | PASS_FIXPOINT, merge_begin,
				&proposals_frame};
