/* SPDX-License-Identifier: MIT */
/* The pass "hdd": hierarchical delta debugging (Misherghi and Su). From the root down, ddmin over all nodes of one
 * level of the trees: a node that is left out goes with all below it. What ddmin keeps at one level makes the next
 * level. As in the textbook a level of one node asks nothing, and there is one descent. */
#include "reduce/pass/ddmin.h"
#include "reduce/model/forest.h"
#include "reduce/pass/pass.h"

/* All nodes by level; never changes. */
struct levels {
	uint32_t n;
	uint32_t *start; /* n + 1 of them */
	uint32_t *node;
};

struct hdd {
	struct ddmin dd;
	struct forest forest;
	struct levels levels;
	uint32_t level;
	bool begun; /* dd is about this level */
};

static void levels_init(struct levels *l, const struct forest *f)
{
	uint32_t all = forest_nodes(f);
	for (uint32_t i = 0; i < all; i++)
		if (forest_node(f, i)->depth >= l->n)
			l->n = forest_node(f, i)->depth + 1u;
	l->start = mem_zalloc(mem_mul(l->n + 2u, sizeof *l->start));
	l->node = mem_alloc(mem_mul(all, sizeof *l->node));
	/* a counting sort: start[d + 1] is where level d goes on, until all are placed */
	for (uint32_t i = 0; i < all; i++)
		l->start[forest_node(f, i)->depth + 2]++;
	for (uint32_t d = 2; d < l->n + 2; d++)
		l->start[d] += l->start[d - 1];
	for (uint32_t i = 0; i < all; i++)
		l->node[l->start[forest_node(f, i)->depth + 1]++] = i;
}

static void level_start(struct hdd *s)
{
	VEC(uint32_t) nodes = {0};
	const struct levels *l = &s->levels;
	for (uint32_t i = l->start[s->level]; i < l->start[s->level + 1]; i++)
		if (forest_weight(&s->forest, l->node[i]))
			vec_push(&nodes, l->node[i]);
	ddmin_init(&s->dd, nodes.at, (uint32_t)nodes.n);
	s->begun = true;
	vec_release(&nodes);
}

static void hdd_begin(void *state)
{
	struct hdd *s = state;
	forest_init(&s->forest, s->dd.pass.model);
	levels_init(&s->levels, &s->forest);
}

static void remove_items(const struct hdd *s, uint32_t from, uint32_t to, struct edit *out)
{
	for (uint32_t i = from; i < to; i++) {
		struct span sp = forest_span(&s->forest, s->dd.item[i]);
		if (out->remove.n && vec_last(&out->remove).to == sp.from)
			vec_last(&out->remove).to = sp.to;
		else
			edit_remove(out, sp.from, sp.to);
	}
}

static enum made hdd_next(void *state, struct candidate *out, enum guess guess)
{
	struct hdd *s = state;
	for (; s->level < s->levels.n; s->level++) {
		if (!s->begun)
			level_start(s);
		enum made made = ddmin_next(&s->dd, out, guess);
		/* the level is over when all of it is decided */
		if (made == MADE_NONE || (made == MADE_END && s->dd.pass.open))
			return MADE_NONE;
		if (made == MADE_ONE) {
			if (s->dd.complement) {
				remove_items(s, s->dd.from, s->dd.to, &out->edit);
			} else {
				remove_items(s, 0, s->dd.from, &out->edit);
				remove_items(s, s->dd.to, s->dd.n, &out->edit);
			}
			return made;
		}
		ddmin_release(&s->dd);
		s->begun = false;
	}
	return MADE_END;
}

static void hdd_release(void *state)
{
	struct hdd *s = state;
	forest_release(&s->forest);
	free(s->levels.start);
	free(s->levels.node);
	if (s->begun)
		ddmin_release(&s->dd);
}

static const struct pass_frame frame = {sizeof(struct hdd), hdd_next, ddmin_result, hdd_release, NULL};

const struct pass pass_hdd = {"hdd", "delta debugging over the nodes of each level of the tree", 0, hdd_begin, &frame};
