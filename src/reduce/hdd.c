/* The pass "hdd": hierarchical delta debugging (Misherghi and Su). From the root down, ddmin over all nodes of one level of
 * the trees: a node that is left out goes with all below it. What ddmin keeps at one level makes the next level. As
 * in the textbook a level of one node asks nothing, and there is one descent. */
#include "reduce/ddmin.h"
#include "reduce/forest.h"
#include "reduce/pass.h"

struct hdd {
	struct forest forest;
	uint32_t level, deepest;
	bool begun; /* dd is about this level */
	struct ddmin dd;
};

static void level_start(struct hdd *s)
{
	VEC(uint32_t) nodes = {0};
	const struct model *m = s->forest.model;
	for (size_t i = 0; i < m->n_files; i++) {
		const struct syntax *x = m->file[i].syntax;
		uint32_t root = forest_root(&s->forest, i);
		for (uint32_t n = 0; n < x->n_nodes; n++)
			if (x->node[n].depth == s->level && forest_weight(&s->forest, root + n))
				vec_push(&nodes, root + n);
	}
	ddmin_init(&s->dd, nodes.at, (uint32_t)nodes.n, false);
	s->begun = true;
	vec_release(&nodes);
}

static void *hdd_start(struct model *m, uint64_t seed)
{
	struct hdd *s = mem_zalloc(sizeof *s);
	(void)seed;
	forest_init(&s->forest, m);
	for (size_t i = 0; i < m->n_files; i++)
		for (uint32_t n = 0; n < m->file[i].syntax->n_nodes; n++)
			if (m->file[i].syntax->node[n].depth > s->deepest)
				s->deepest = m->file[i].syntax->node[n].depth;
	return s;
}

static void remove_items(const struct hdd *s, uint32_t from, uint32_t to, struct edit *out)
{
	for (uint32_t i = from; i < to; i++) {
		struct span sp = forest_span(&s->forest, s->dd.items->at[i]);
		if (out->remove.n && vec_last(&out->remove).to == sp.from)
			vec_last(&out->remove).to = sp.to;
		else
			edit_remove(out, sp.from, sp.to);
	}
}

static bool hdd_next(void *state, struct edit *out)
{
	struct hdd *s = state;
	for (; s->level <= s->deepest; s->level++) {
		if (!s->begun)
			level_start(s);
		if (ddmin_next(&s->dd)) {
			if (s->dd.complement) {
				remove_items(s, s->dd.from, s->dd.to, out);
			} else {
				remove_items(s, 0, s->dd.from, out);
				remove_items(s, s->dd.to, s->dd.items->n, out);
			}
			return true;
		}
		ddmin_release(&s->dd);
		s->begun = false;
	}
	return false;
}

static void hdd_result(void *state, bool success)
{
	struct hdd *s = state;
	ddmin_result(&s->dd, success);
}

static void *hdd_clone(const void *state)
{
	const struct hdd *from = state;
	struct hdd *s = mem_dup(from, sizeof *from);
	forest_copy(&s->forest, &from->forest);
	if (s->begun)
		ddmin_copy(&s->dd, &from->dd);
	return s;
}

static void hdd_free(void *state)
{
	struct hdd *s = state;
	forest_release(&s->forest);
	if (s->begun)
		ddmin_release(&s->dd);
	free(s);
}

const struct pass pass_hdd = {
	"hdd", "delta debugging over the nodes of each level of the tree", 0,
	hdd_start, hdd_next, hdd_result, hdd_clone, hdd_free,
};
