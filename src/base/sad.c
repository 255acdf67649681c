/* SPDX-License-Identifier: MIT */
/* SAD, see sad.h.
 *
 * A stack holds the k + 1 most recently referenced blocks. Between `first` and now fewer than k others were referenced
 * unless the stack is full and even its tail was referenced after `first` (a block that is its own tail too: then k
 * others came after its last reference). A block that leaves the stack needs no memory: nothing can drop its pending
 * reference any more, and its next one finds no first that is near enough.
 *
 * References wait in order of the trace until they are sure to stay. While the oldest waits, fewer than k other
 * blocks were referenced since its block's first, and of each at most two references stay, so at most 2k + 2 wait. */
#include "base/sad.h"

#define NONE UINT32_MAX

void sad_init(struct sad *s, uint32_t k, const struct base_alloc *alloc, trace_emit_fn fn, void *user)
{
	*s = (struct sad){.oldest = NONE, .newest = NONE};
	lrustack_init(&s->stack, k + 1, alloc);
	s->out.fn = fn;
	s->out.user = user;
}

static void pending_unlink(struct sad *s, uint32_t p)
{
	struct sad_pending *q = &s->pending[p];
	if (q->prev == NONE)
		s->oldest = q->next;
	else
		s->pending[q->prev].next = q->next;
	if (q->next == NONE)
		s->newest = q->prev;
	else
		s->pending[q->next].prev = q->prev;
	q->next = s->free_pending;
	s->free_pending = p + 1;
}

static bool pending_push(struct sad *s, uint64_t key, uint32_t block, uint32_t *out)
{
	void *mem = s->pending;
	uint32_t p;
	if (s->free_pending) {
		p = s->free_pending - 1;
		s->free_pending = s->pending[p].next;
	} else {
		if (!base_grow(&s->stack.alloc, &mem, &s->cap_pending, (size_t)s->n_pending + 1, sizeof *s->pending))
			return false;
		s->pending = mem;
		p = s->n_pending++;
	}
	s->pending[p] = (struct sad_pending){key, block, s->newest, NONE};
	if (s->newest == NONE)
		s->oldest = p;
	else
		s->pending[s->newest].next = p;
	s->newest = p;
	*out = p;
	return true;
}

/* Whether k or more other blocks were referenced since block x's first. */
static bool far(const struct sad *s, uint32_t x)
{
	return s->stack.n == s->stack.k && s->block[lrustack_tail(&s->stack)].last > s->block[x].first;
}

static void stays(struct sad *s, struct sad_block *b)
{
	if (b->middle != NONE)
		s->pending[b->middle].block = NONE;
	b->middle = NONE;
}

/* The slot for a key that is not in the stack; the block that it takes the place of is forgotten. */
static bool take_block(struct sad *s, uint64_t key, uint32_t *out)
{
	void *mem = s->block;
	if (!lrustack_reserve(&s->stack, 1) ||
	    !base_grow(&s->stack.alloc, &mem, &s->cap_blocks, s->stack.cap, sizeof *s->block))
		return false;
	s->block = mem;
	bool full = s->stack.n == s->stack.k;
	*out = lrustack_miss(&s->stack, key).slot;
	if (full)
		stays(s, &s->block[*out]);
	s->block[*out] = (struct sad_block){.middle = NONE};
	return true;
}

static void write_out(struct sad *s)
{
	while (s->oldest != NONE) {
		struct sad_pending *p = &s->pending[s->oldest];
		if (p->block != NONE && !far(s, p->block))
			return;
		if (p->block != NONE)
			stays(s, &s->block[p->block]);
		trace_emit(&s->out, p->key);
		pending_unlink(s, s->oldest);
	}
}

static bool reference(struct sad *s, uint64_t key)
{
	uint32_t x = keymap_find(&s->stack.map, key);
	uint64_t now = ++s->references;
	if (!x) {
		if (!take_block(s, key, &x))
			return false;
	} else {
		struct sad_block *b = &s->block[x];
		if (b->first && !far(s, x)) {
			pending_unlink(s, b->middle);
		} else {
			stays(s, b);
			b->first = b->last;
		}
		lrustack_hit(&s->stack, x);
	}
	s->block[x].last = now;
	uint32_t p;
	if (!pending_push(s, key, s->block[x].first ? x : NONE, &p))
		return false;
	s->block[x].middle = s->block[x].first ? p : NONE;
	write_out(s);
	return true;
}

bool sad_feed(struct sad *s, const uint64_t *keys, size_t n)
{
	if (!lrustack_reserve(&s->stack, 1))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (i + 12 < n)
			keymap_prefetch(&s->stack.map, keys[i + 12]);
		if (!reference(s, keys[i]))
			return false;
	}
	return true;
}

void sad_finish(struct sad *s)
{
	for (; s->oldest != NONE; pending_unlink(s, s->oldest))
		trace_emit(&s->out, s->pending[s->oldest].key);
	trace_emit_flush(&s->out);
}

#ifdef RF_INVARIANTS
/* References that wait; each that may still go is its block's middle. */
static uint32_t check_pending(const struct sad *s)
{
	uint32_t waiting = 0, before = NONE, freed = 0;
	for (uint32_t p = s->oldest; p != NONE; before = p, p = s->pending[p].next, waiting++) {
		const struct sad_pending *q = &s->pending[p];
		INVARIANT(p < s->n_pending && q->prev == before);
		INVARIANT(q->block == NONE || (q->block <= s->stack.n && s->block[q->block].middle == p &&
					       s->stack.slot[q->block].key == q->key));
	}
	INVARIANT(s->newest == before);
	for (uint32_t p = s->free_pending; p; p = s->pending[p - 1].next, freed++)
		INVARIANT(p <= s->n_pending && freed < s->n_pending);
	INVARIANT(waiting + freed == s->n_pending);
	return waiting;
}

void sad_check(const struct sad *s)
{
	uint64_t later = s->references + 1;
	lrustack_check(&s->stack);
	INVARIANT(check_pending(s) <= (uint64_t)s->stack.k * 2);
	/* what is sure to stay has been written */
	INVARIANT(s->oldest == NONE || (s->pending[s->oldest].block != NONE && !far(s, s->pending[s->oldest].block)));
	for (uint32_t x = s->stack.n ? s->stack.slot[0].next : 0; x; x = s->stack.slot[x].next) {
		const struct sad_block *b = &s->block[x];
		INVARIANT(b->last < later && b->first < b->last);
		INVARIANT(b->middle == NONE || (b->first && s->pending[b->middle].block == x));
		later = b->last;
	}
}
#endif

void sad_release(struct sad *s)
{
	struct base_alloc a = s->stack.alloc;
	if (s->block)
		a.resize(a.user, s->block, s->cap_blocks * sizeof *s->block, 0);
	if (s->pending)
		a.resize(a.user, s->pending, s->cap_pending * sizeof *s->pending, 0);
	lrustack_release(&s->stack);
	*s = (struct sad){0};
}
