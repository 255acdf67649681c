/* SPDX-License-Identifier: MIT */
/* OPT (Belady's MIN): the block whose next use is furthest away goes. Needs the future, so only the simulator has it. A
 * max-heap of slots by next use; a hit only ever moves a block's next use further away. */
#include "base/policy/drivers.h"

struct opt_entry {
	uint64_t next;
	uint32_t slot;
};

struct opt {
	uint32_t cap, n;
	struct opt_entry heap[]; /* cap entries, then cap positions */
};

static inline uint32_t *opt_place(struct opt *st)
{
	return (uint32_t *)(st->heap + st->cap);
}

static size_t opt_state_size(uint32_t cap)
{
	return cap && cap <= POLICY_MAX_CAP
		       ? sizeof(struct opt) + (size_t)cap * (sizeof(struct opt_entry) + sizeof(uint32_t))
		       : 0;
}

static void opt_init(void *state, uint32_t cap, uint64_t seed)
{
	(void)seed;
	*(struct opt *)state = (struct opt){.cap = cap};
}

static void opt_up(struct opt *st, uint32_t i, struct opt_entry x)
{
	while (i && st->heap[(i - 1) / 2].next < x.next) {
		st->heap[i] = st->heap[(i - 1) / 2];
		opt_place(st)[st->heap[i].slot] = i;
		i = (i - 1) / 2;
	}
	st->heap[i] = x;
	opt_place(st)[x.slot] = i;
}

static void opt_replace_top(struct opt *st, struct opt_entry x)
{
	uint32_t i = 0;
	for (uint64_t c; (c = 2 * (uint64_t)i + 1) < st->n; i = (uint32_t)c) {
		if (c + 1 < st->n && st->heap[c + 1].next > st->heap[c].next)
			c++;
		if (st->heap[c].next <= x.next)
			break;
		st->heap[i] = st->heap[c];
		opt_place(st)[st->heap[i].slot] = i;
	}
	st->heap[i] = x;
	opt_place(st)[x.slot] = i;
}

static void opt_run(void *state, struct policy_index *ix, const struct policy_refs *r)
{
	struct opt *st = state;
	for (size_t i = 0; i < r->n; i++) {
		uint32_t id = r->id[i], s = ix->slot_of[id];
		struct opt_entry x = {r->next[i], s - 1};
		if (s) {
			opt_up(st, opt_place(st)[s - 1], x);
			continue;
		}
		ix->misses++;
		ix->miss_bytes += r->size ? r->size[i] : 0;
		if (st->n < st->cap) {
			x.slot = st->n++;
			opt_up(st, x.slot, x);
		} else {
			x.slot = st->heap[0].slot;
			opt_replace_top(st, x);
		}
		policy_place(ix, id, x.slot);
	}
}

#ifdef RF_INVARIANTS
static void opt_check(void *state, const bool *used)
{
	struct opt *st = state;
	INVARIANT(st->n <= st->cap);
	for (uint32_t i = 0; i < st->n; i++) {
		INVARIANT(!i || st->heap[(i - 1) / 2].next >= st->heap[i].next);
		INVARIANT(st->heap[i].slot < st->n && opt_place(st)[st->heap[i].slot] == i);
	}
	for (uint32_t s = 0; s < st->cap; s++)
		INVARIANT(used[s] == (s < st->n));
}
#endif

const struct policy policy_opt = {
	.name = "opt",
	.summary = "Belady's optimum: looks into the future",
	.flags = POLICY_FUTURE | POLICY_STACK,
	.state_size = opt_state_size,
	.init = opt_init,
	.run = opt_run,
	.check = POLICY_CHECK(opt),
};
