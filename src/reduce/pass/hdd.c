/* SPDX-License-Identifier: MIT */
/* The pass "hdd": hierarchical delta debugging (Misherghi and Su). From the root down, ddmin over all nodes of one
 * level of the trees: a node that is left out goes with all below it. What ddmin keeps at one level makes the next
 * level. As in the textbook a level of one node asks nothing, and there is one descent. */
#include "reduce/pass/ddmin.h"
#include "reduce/model/forest.h"
#include "reduce/pass/pass.h"

/* All nodes by level; never changes, shared by copies of the state. */
struct levels {
	uint32_t refs, n;
	uint32_t *start; /* n + 1 of them */
	uint32_t *node;
};

struct hdd {
	struct forest forest;
	struct levels *levels;
	uint32_t level;
	bool begun; /* dd is about this level */
	struct ddmin dd;
};

static struct levels *levels_new(const struct forest *f)
{
	struct levels *l = mem_zalloc(sizeof *l);
	uint32_t all = forest_nodes(f);
	l->refs = 1;
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
	return l;
}

static void level_start(struct hdd *s)
{
	VEC(uint32_t) nodes = {0};
	const struct levels *l = s->levels;
	for (uint32_t i = l->start[s->level]; i < l->start[s->level + 1]; i++)
		if (forest_weight(&s->forest, l->node[i]))
			vec_push(&nodes, l->node[i]);
	ddmin_init(&s->dd, nodes.at, (uint32_t)nodes.n);
	s->begun = true;
	vec_release(&nodes);
}

static void *hdd_start(struct model *m, uint64_t seed)
{
	struct hdd *s = mem_zalloc(sizeof *s);
	(void)seed;
	forest_init(&s->forest, m);
	s->levels = levels_new(&s->forest);
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
	for (; s->level < s->levels->n; s->level++) {
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
	s->levels->refs++;
	if (s->begun)
		ddmin_copy(&s->dd, &from->dd);
	return s;
}

static void hdd_free(void *state)
{
	struct hdd *s = state;
	forest_release(&s->forest);
	if (--s->levels->refs == 0) {
		free(s->levels->start);
		free(s->levels->node);
		free(s->levels);
	}
	if (s->begun)
		ddmin_release(&s->dd);
	free(s);
}

const struct pass pass_hdd = {
	"hdd",     "delta debugging over the nodes of each level of the tree",
	0,         hdd_start,
	hdd_next,  hdd_result,
	hdd_clone, hdd_free,
};
