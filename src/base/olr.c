/* SPDX-License-Identifier: MIT */
/* OLR, see olr.h; the algorithm of the paper's section 2.3 without its sets.
 *
 * Two stacks of k blocks: `stack` is what the input does, and turns it into events (fetch, evict); `queue` is what the
 * output does. Two indices run over the events: `ahead` goes on until an event evicts a block that is fetched in the
 * window current … ahead−1 (the end of the first tight run); every block to be evicted on the way that was touched
 * less recently than the one evicted before it is touched, so that eviction order becomes touch order. Then all
 * blocks behind the one that the current event evicts are touched (from the queue's tail, which moves each to the
 * front), the current event's block is fetched, and `current` moves on.
 *
 * A fetched block takes the slot of the evicted one in both stacks, only later in the queue: an event is known by its
 * slot, which is in the window at most once (its block's eviction ends the window), and "is fetched in the window" is
 * one bit of the slot. So nothing has to be looked up.
 *
 * The queue is the output itself. An entry counts if it is its slot's last touch; the first one that counts is the
 * stack's tail. Each move of `current` takes one or more that count from the tail and puts as many at the end: so an
 * entry is gone within k moves, in which `ahead` makes at most 2k touches, and there are at most 3k + 2 entries. The
 * window never exceeds k, for the blocks fetched in it are all in the stack. */
#include "base/olr.h"

enum {
	PENDING = 1,
	SOON = 8,     /* a slot's touch is fetched so many entries early */
	BLOCK = 512,  /* of output */
	FIRST = BLOCK /* index of the first touch: 0 is none */
};

void olr_init(struct olr *o, uint32_t k, const struct base_alloc *alloc, trace_emit_fn fn, void *user)
{
	*o = (struct olr){.fn = fn, .user = user, .run.tail = FIRST, .run.end = FIRST};
	lrustack_init(&o->stack, k, alloc);
}

static inline __attribute__((always_inline)) void produce(const struct olr *o, struct olr_run *r, uint64_t key,
							  uint32_t slot)
{
	uint64_t i = r->end & r->queue.mask;
	r->queue.key[i] = key;
	r->queue.slot[i] = slot;
	r->touched[slot] = 2 * r->end++;
	if (UNLIKELY(r->end % BLOCK == 0))
		o->fn(o->user, &r->queue.key[i + 1 - BLOCK], BLOCK);
}

/* The slot that the current event fetches into. */
static inline __attribute__((always_inline)) uint32_t finish_current(const struct olr *o, struct olr_run *r)
{
	uint64_t w = r->current & r->window.mask;
	uint32_t slot = r->window.slot[w];
	bool evicts = r->current >= o->stack.k;
	while (LIKELY(evicts)) {
		uint64_t at = r->tail++, i = at & r->queue.mask;
		uint32_t x = r->queue.slot[i];
		__builtin_prefetch(&r->touched[r->queue.slot[(at + SOON) & r->queue.mask]], 1);
		if (r->touched[x] / 2 != at)
			continue;
		if (x == slot)
			break;
		produce(o, r, r->queue.key[i], x);
	}
	produce(o, r, r->window.key[w], slot);
	r->current++;
	return slot;
}

static inline __attribute__((always_inline)) void event(const struct olr *o, struct olr_run *r,
							const struct lrustack_event *v)
{
	uint64_t touch = 0;
	if (LIKELY(r->ahead >= o->stack.k)) {
		touch = r->touched[v->slot];
		if (touch & PENDING) {
			while (finish_current(o, r) != v->slot)
				;
			touch = r->touched[v->slot];
		}
		if (r->previous > touch) {
			produce(o, r, v->evict, v->slot);
			touch = r->touched[v->slot];
		}
		r->previous = touch;
	}
	r->touched[v->slot] = touch | PENDING;
	uint64_t w = r->ahead++ & r->window.mask;
	r->window.key[w] = v->fetch;
	r->window.slot[w] = v->slot;
	if (r->ahead - r->current > r->longest_window)
		r->longest_window = r->ahead - r->current;
}

static void apply(struct olr *o, const struct lrustack_event *v, size_t n)
{
	struct olr_run r = o->run; /* a copy that nobody points to, which can be in registers */
	for (size_t i = 0; i < n; i++) {
		if (i + SOON < n)
			__builtin_prefetch(&r.touched[v[i + SOON].slot], 1);
		event(o, &r, &v[i]);
	}
	o->run = r;
	o->misses += n;
}

/* The entries from … to−1 are kept: indices are taken modulo the new size then. */
static bool grow_ring(struct olr_ring *r, size_t want, uint64_t from, uint64_t to, const struct base_alloc *a)
{
	uint32_t old = r->cap_slot;
	void *key = r->key, *slot = r->slot;
	if (want <= old)
		return true;
	bool done = base_grow(a, &key, &r->cap_key, want, sizeof *r->key) &&
		    base_grow(a, &slot, &r->cap_slot, want, sizeof *r->slot);
	r->key = key;
	r->slot = slot;
	if (!done)
		return false;
	r->mask = r->cap_slot - 1;
	for (uint64_t i = old; i <= r->mask; i++)
		r->slot[i] = 0; /* finish_current looks a little past the end */
	for (uint64_t i = from; i < to; i++)
		if ((i & r->mask) >= old) {
			r->key[i & r->mask] = r->key[i & (old - 1)];
			r->slot[i & r->mask] = r->slot[i & (old - 1)];
		}
	return true;
}

_Static_assert((int)LRUSTACK_BATCH >= (int)BLOCK, "the first queue has room for a block beside a batch");

/* Room for a batch of events. Each of the first k adds to the queue when it is current, later only `ahead` adds to
 * it. A queue that must grow holds more than a block from its tail on, so that what is not written yet is kept with
 * it. */
static bool reserve(struct olr *o)
{
	const struct base_alloc *a = &o->stack.alloc;
	struct olr_run *r = &o->run;
	void *p = r->touched;
	if (!lrustack_reserve(&o->stack, LRUSTACK_BATCH) ||
	    !base_grow(a, &p, &o->cap_touched, o->stack.cap, sizeof *r->touched))
		return false;
	r->touched = p;
	size_t window = r->ahead - r->current + LRUSTACK_BATCH, touches = r->end - r->tail + LRUSTACK_BATCH;
	touches += r->current < o->stack.k ? window : 0;
	return grow_ring(&r->window, window, r->current, r->ahead, a) &&
	       grow_ring(&r->queue, touches, r->tail, r->end, a);
}

bool olr_feed(struct olr *o, const uint64_t *keys, size_t n)
{
	struct lrustack_event v[LRUSTACK_BATCH];
	for (size_t at = 0, part; at < n; at += part) {
		part = n - at < LRUSTACK_BATCH ? n - at : LRUSTACK_BATCH;
		if (!reserve(o))
			return false;
		apply(o, v, lrustack_feed(&o->stack, keys + at, part, n - at, v));
	}
	return true;
}

void olr_finish(struct olr *o)
{
	struct olr_run *r = &o->run;
	while (r->current < r->ahead)
		finish_current(o, r);
	if (r->end % BLOCK)
		o->fn(o->user, &r->queue.key[r->end / BLOCK * BLOCK & r->queue.mask], r->end % BLOCK);
}

uint64_t olr_produced(const struct olr *o)
{
	return o->run.end - FIRST;
}

#ifdef RF_INVARIANTS
void olr_check(const struct olr *o)
{
	const struct olr_run *r = &o->run;
	uint64_t waiting = r->ahead - r->current, pending = 0, touched = 0, k = o->stack.k;
	lrustack_check(&o->stack);
	INVARIANT(waiting <= r->longest_window && r->longest_window <= k && r->end - r->tail <= 3 * k + 2);
	for (uint64_t i = r->current; i < r->ahead; i++) {
		uint64_t w = i & r->window.mask;
		INVARIANT(r->touched[r->window.slot[w]] & PENDING);
		INVARIANT(r->window.key[w] == o->stack.slot[r->window.slot[w]].key);
	}
	for (uint32_t x = 1; x <= o->stack.n; x++) {
		uint64_t last = r->touched[x] / 2, i = last & r->queue.mask;
		pending += r->touched[x] & PENDING;
		touched += last != 0;
		INVARIANT(last || r->touched[x] & PENDING);
		INVARIANT(!last || (last >= r->tail && last < r->end && r->queue.slot[i] == x));
		/* a slot that is not to be refilled holds the same block in both stacks */
		INVARIANT(r->touched[x] & PENDING || r->queue.key[i] == o->stack.slot[x].key);
	}
	/* as many as entries: each of the window's slots is there once */
	INVARIANT(pending == waiting);
	INVARIANT(touched == (r->current < k ? r->current : k));
}
#endif

static void release(const struct base_alloc *a, void *p, size_t n)
{
	if (p)
		a->resize(a->user, p, n, 0);
}

void olr_release(struct olr *o)
{
	const struct base_alloc *a = &o->stack.alloc;
	for (struct olr_ring *r = &o->run.window; r; r = r == &o->run.window ? &o->run.queue : NULL) {
		release(a, r->key, r->cap_key * sizeof *r->key);
		release(a, r->slot, r->cap_slot * sizeof *r->slot);
	}
	release(a, o->run.touched, o->cap_touched * sizeof *o->run.touched);
	lrustack_release(&o->stack);
	*o = (struct olr){0};
}
