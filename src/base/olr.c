/* OLR, see olr.h; the algorithm of the paper's section 2.3 without its sets.
 *
 * Two stacks of k blocks: `stack` is what the input does, and turns it into events (fetch, evict); `queue` is what the
 * output does. Two indices run over the events: `ahead` goes on until an event evicts a block that is fetched in the
 * window current … ahead−1 (the end of the first tight run); every block to be evicted on the way that was touched
 * less recently than the one evicted before it is touched, so that eviction order becomes touch order. Then all
 * blocks behind the one that the current event evicts are touched (from the queue's tail, which moves each to the
 * front), the current event's block is fetched, and `current` moves on.
 *
 * "Is in the set of blocks fetched in the window" is fetched > current; "more recent" compares time stamps: a block
 * that left the queue keeps a stamp older than any in it, so it is never more recent. The window never exceeds k, for
 * the blocks fetched in it are all in the stack. */
#include "base/olr.h"

#define NONE UINT32_MAX

/* The two lists of a block are the same code on different links. */
enum { STACK, QUEUE };

static inline struct olr_link *link_of(struct olr_block *b, int which)
{
	return which == STACK ? &b->stack : &b->queue;
}

static inline void list_unlink(struct olr_block *block, struct olr_list *l, int which, uint32_t x)
{
	struct olr_link *k = link_of(&block[x], which);
	if (k->prev == NONE)
		l->head = k->next;
	else
		link_of(&block[k->prev], which)->next = k->next;
	if (k->next == NONE)
		l->tail = k->prev;
	else
		link_of(&block[k->next], which)->prev = k->prev;
	l->n--;
}

static inline void list_push(struct olr_block *block, struct olr_list *l, int which, uint32_t x)
{
	*link_of(&block[x], which) = (struct olr_link){NONE, l->head};
	if (l->head == NONE)
		l->tail = x;
	else
		link_of(&block[l->head], which)->prev = x;
	l->head = x;
	l->n++;
}

void olr_init(struct olr *o, uint32_t k, const struct base_alloc *alloc, trace_emit_fn fn, void *user)
{
	*o = (struct olr){.k = k, .alloc = *alloc, .stack = {NONE, NONE, 0}, .queue = {NONE, NONE, 0}, .previous_evict = NONE};
	o->out.fn = fn;
	o->out.user = user;
}

static bool new_block(struct olr *o, uint64_t key, uint32_t *out)
{
	void *p = o->block;
	if (!keymap_reserve(&o->map, &o->alloc))
		return false;
	if (o->free_block) {
		*out = o->free_block - 1;
		o->free_block = o->block[*out].queue.next;
	} else {
		if (!base_grow(&o->alloc, &p, &o->cap_blocks, (size_t)o->n_blocks + 1, sizeof *o->block))
			return false;
		o->block = p;
		*out = o->n_blocks++;
	}
	o->block[*out] = (struct olr_block){.key = key};
	keymap_insert(&o->map, key, *out);
	return true;
}

/* Forgets a block that is nowhere any more. */
static void let_go(struct olr *o, uint32_t x)
{
	struct olr_block *b = &o->block[x];
	if (b->in_stack || b->in_queue || b->fetched > o->current)
		return;
	if (o->previous_evict == x)
		o->previous_evict = NONE;
	keymap_remove(&o->map, b->key);
	b->queue.next = o->free_block;
	o->free_block = x + 1;
}

static void produce(struct olr *o, uint32_t x)
{
	struct olr_block *b = &o->block[x];
	uint32_t gone = NONE;
	if (b->in_queue) {
		list_unlink(o->block, &o->queue, QUEUE, x);
	} else if (o->queue.n == o->k) {
		gone = o->queue.tail;
		list_unlink(o->block, &o->queue, QUEUE, gone);
		o->block[gone].in_queue = false;
	}
	list_push(o->block, &o->queue, QUEUE, x);
	b->in_queue = true;
	b->touched = ++o->clock;
	trace_emit(&o->out, b->key);
	if (gone != NONE)
		let_go(o, gone);
}

static inline struct olr_event *event_at(struct olr *o, uint64_t index)
{
	return &o->window[index & (o->cap_window - 1)];
}

static void finish_current(struct olr *o)
{
	struct olr_event v = *event_at(o, o->current);
	if (v.evict != NONE)
		while (o->queue.tail != v.evict)
			produce(o, o->queue.tail);
	produce(o, v.fetch);
	o->current++;
	let_go(o, v.fetch);
}

/* The ring keeps its events when it grows: indices are taken modulo the new size. */
static bool grow_window(struct olr *o)
{
	uint32_t old = o->cap_window;
	void *p = o->window;
	if (!base_grow(&o->alloc, &p, &o->cap_window, (size_t)old + 1, sizeof *o->window))
		return false;
	o->window = p;
	for (uint64_t i = o->current; i < o->ahead; i++)
		if ((i & (old - 1)) != (i & (o->cap_window - 1)))
			o->window[i & (o->cap_window - 1)] = o->window[i & (old - 1)];
	return true;
}

static bool event(struct olr *o, struct olr_event v)
{
	struct olr_block *block = o->block;
	if (v.evict != NONE) {
		while (block[v.evict].fetched > o->current)
			finish_current(o);
		uint32_t before = o->previous_evict;
		if (before != NONE && block[before].touched > block[v.evict].touched)
			produce(o, v.evict);
	}
	o->previous_evict = v.evict;
	if (o->ahead - o->current == o->cap_window && !grow_window(o))
		return false;
	*event_at(o, o->ahead++) = v;
	block[v.fetch].fetched = o->ahead;
	if (o->ahead - o->current > o->longest_window)
		o->longest_window = (uint32_t)(o->ahead - o->current);
	return true;
}

/* A reference to a block that is not in the stack. */
static bool miss(struct olr *o, uint64_t key, uint32_t x)
{
	uint32_t evict = NONE;
	if (x == NONE && !new_block(o, key, &x))
		return false;
	if (o->stack.n == o->k) {
		evict = o->stack.tail;
		list_unlink(o->block, &o->stack, STACK, evict);
		o->block[evict].in_stack = false;
	}
	list_push(o->block, &o->stack, STACK, x);
	o->block[x].in_stack = true;
	o->misses++;
	/* the evicted block stays known: it is in the queue or is fetched in the window, until its event is current */
	return event(o, (struct olr_event){x, evict});
}

bool olr_feed(struct olr *o, const uint64_t *keys, size_t n)
{
	enum { FAR = 16, NEAR = 8 };
	if (!keymap_reserve(&o->map, &o->alloc))
		return false;
	o->references += n;
	for (size_t i = 0; i < n; i++) {
		if (i + FAR < n) {
			keymap_prefetch(&o->map, keys[i + FAR]);
			uint32_t soon = keymap_first(&o->map, keys[i + NEAR]);
			if (soon)
				__builtin_prefetch(&o->block[soon - 1], 1);
		}
		uint32_t x = keymap_find(&o->map, keys[i]) - 1;
		if (x != NONE && LIKELY(o->block[x].in_stack)) {
			if (o->stack.head == x)
				continue;
			list_unlink(o->block, &o->stack, STACK, x);
			list_push(o->block, &o->stack, STACK, x);
		} else if (!miss(o, keys[i], x)) {
			return false;
		}
	}
	return true;
}

void olr_finish(struct olr *o)
{
	while (o->current < o->ahead)
		finish_current(o);
	trace_emit_flush(&o->out);
}

void olr_release(struct olr *o)
{
	keymap_release(&o->map, &o->alloc);
	if (o->block)
		o->alloc.resize(o->alloc.user, o->block, o->cap_blocks * sizeof *o->block, 0);
	if (o->window)
		o->alloc.resize(o->alloc.user, o->window, o->cap_window * sizeof *o->window, 0);
	*o = (struct olr){0};
}
