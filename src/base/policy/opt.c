/* SPDX-License-Identifier: MIT */
/* OPT (Belady's MIN): the block whose next use is furthest away goes. Needs the future, so only the simulator has it. A
 * max-heap of blocks by next use; a hit only ever moves a block's next use further away. With sizes blocks go, the
 * furthest first, until the new one fits: no longer the optimum, but the usual mark to measure others by. */
#include "base/policy/parts/drivers.h"

struct opt {
	struct policy_core core;
	uint64_t n;
};

/* The heap is in the nodes: entry i in node FIRST_NODE + i. place: where a block is, plus 1; 0: not in the cache. */
struct opt_node {
	uint64_t next;
	uint32_t block;
	uint32_t place;
};

static inline bool opt_in(const struct opt_node *n)
{
	return n->place != 0;
}

static inline void opt_put(struct opt_node *heap, struct opt_node *nd, uint64_t i, uint64_t next, uint32_t x)
{
	heap[i].next = next;
	heap[i].block = x;
	nd[x].place = (uint32_t)i + 1;
}

static void opt_up(struct opt_node *nd, uint64_t i, uint64_t next, uint32_t x)
{
	struct opt_node *heap = nd + POLICY_FIRST_NODE;
	for (uint64_t up; i && heap[up = (i - 1) / 2].next < next; i = up)
		opt_put(heap, nd, i, heap[up].next, heap[up].block);
	opt_put(heap, nd, i, next, x);
}

static uint32_t opt_out(struct opt *st, struct opt_node *nd)
{
	struct opt_node *heap = nd + POLICY_FIRST_NODE, last = heap[--st->n];
	uint32_t x = heap[0].block;
	uint64_t i = 0;
	for (uint64_t c; (c = 2 * i + 1) < st->n; i = c) {
		if (c + 1 < st->n && heap[c + 1].next > heap[c].next)
			c++;
		if (heap[c].next <= last.next)
			break;
		opt_put(heap, nd, i, heap[c].next, heap[c].block);
	}
	if (st->n)
		opt_put(heap, nd, i, last.next, last.block);
	nd[x].place = 0;
	return x;
}

static void opt_run(const struct policy_sim *s, const struct policy_refs *r)
{
	struct opt *st = s->state;
	struct opt_node *nd = s->node;
	for (size_t i = 0; i < r->n; i++) {
		uint32_t x = r->id[i] + POLICY_FIRST_NODE;
		if (opt_in(&nd[x])) {
			opt_up(nd, nd[x].place - 1, r->next[i], x);
			continue;
		}
		uint64_t w = s->size ? r->size[i] : 1;
		st->core.misses++;
		st->core.miss_bytes += r->size ? r->size[i] : 0;
		if (r->missed)
			r->missed[i] = 1;
		if (w > st->core.limit)
			continue;
		while (st->core.used + w > st->core.limit) {
			st->core.used -= weight_of(s->size, opt_out(st, nd));
			st->core.n--;
		}
		if (s->size)
			s->size[x] = w;
		opt_up(nd, st->n++, r->next[i], x);
		st->core.used += w;
		st->core.n++;
	}
}

static size_t opt_sim_size(uint64_t limit, bool bytes)
{
	return limit && (bytes || limit <= POLICY_MAX_CAP) ? sizeof(struct opt) : 0;
}

static void opt_sim_init(void *state, uint64_t limit, bool bytes, uint64_t seed)
{
	((struct opt *)state)->core.limit = limit;
	(void)bytes, (void)seed;
}

static bool opt_sim_has(const struct policy_sim *s, uint32_t id)
{
	return opt_in(&((struct opt_node *)s->node)[id + POLICY_FIRST_NODE]);
}

#ifdef RF_INVARIANTS
static void opt_check(AT(opt), uint32_t n_nodes)
{
	struct opt_node *heap = nd + POLICY_FIRST_NODE;
	(void)size, (void)pool;
	INVARIANT(st->n == st->core.n);
	for (uint64_t i = 0; i < st->n; i++) {
		INVARIANT(!i || heap[(i - 1) / 2].next >= heap[i].next);
		INVARIANT(heap[i].block < n_nodes && nd[heap[i].block].place == i + 1);
	}
}
#endif
POLICY_WALK(opt)

const struct policy policy_opt = {.name = "opt",
				  .summary = "Belady's optimum: looks into the future",
				  .flags = POLICY_FUTURE | POLICY_STACK,
				  POLICY_SIM_ROW(opt)};
