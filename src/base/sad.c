/* SAD, see sad.h.
 *
 * A list holds the k + 1 most recently referenced blocks. Between `first` and now fewer than k others were referenced
 * unless the list is full and even its tail was referenced after `first` (a block that is its own tail too: then k
 * others came after its last reference). A block that leaves the list needs no memory: nothing can drop its pending
 * reference any more, and its next one finds no first that is near enough.
 *
 * References wait in order of the trace until they are sure to stay. While the oldest waits, fewer than k other
 * blocks were referenced since its block's first, and of each at most two references stay, so at most 2k + 2 wait. */
#include "base/sad.h"

#define NONE UINT32_MAX

void sad_init(struct sad *s, uint32_t k, const struct base_alloc *alloc, trace_emit_fn fn, void *user)
{
	*s = (struct sad){.k = k, .alloc = *alloc, .oldest = NONE, .newest = NONE, .list = {NONE, NONE, 0}};
	s->out.fn = fn;
	s->out.user = user;
}

static void list_unlink(struct sad *s, uint32_t x)
{
	struct olr_link k = s->block[x].recency;
	if (k.prev == NONE)
		s->list.head = k.next;
	else
		s->block[k.prev].recency.next = k.next;
	if (k.next == NONE)
		s->list.tail = k.prev;
	else
		s->block[k.next].recency.prev = k.prev;
	s->list.n--;
}

static void list_push(struct sad *s, uint32_t x)
{
	s->block[x].recency = (struct olr_link){NONE, s->list.head};
	if (s->list.head == NONE)
		s->list.tail = x;
	else
		s->block[s->list.head].recency.prev = x;
	s->list.head = x;
	s->list.n++;
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
		if (!base_grow(&s->alloc, &mem, &s->cap_pending, (size_t)s->n_pending + 1, sizeof *s->pending))
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
	return s->list.n == s->k + 1 && s->block[s->list.tail].last > s->block[x].first;
}

static void stays(struct sad *s, struct sad_block *b)
{
	if (b->middle != NONE)
		s->pending[b->middle].block = NONE;
	b->middle = NONE;
}

/* The block for a key that is not in the list: a new one, or the list's tail, which is forgotten. */
static bool take_block(struct sad *s, uint64_t key, uint32_t *out)
{
	void *mem = s->block;
	if (s->list.n == s->k + 1) {
		*out = s->list.tail;
		stays(s, &s->block[*out]);
		list_unlink(s, *out);
		keymap_remove(&s->map, s->block[*out].key);
	} else {
		if (!base_grow(&s->alloc, &mem, &s->cap_blocks, (size_t)s->n_blocks + 1, sizeof *s->block))
			return false;
		s->block = mem;
		*out = s->n_blocks++;
	}
	if (!keymap_reserve(&s->map, &s->alloc))
		return false;
	s->block[*out] = (struct sad_block){.key = key, .middle = NONE};
	keymap_insert(&s->map, key, *out);
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
	uint32_t x = keymap_find(&s->map, key) - 1;
	uint64_t now = ++s->references;
	if (x == NONE) {
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
		list_unlink(s, x);
	}
	s->block[x].last = now;
	list_push(s, x);
	uint32_t p;
	if (!pending_push(s, key, s->block[x].first ? x : NONE, &p))
		return false;
	s->block[x].middle = s->block[x].first ? p : NONE;
	write_out(s);
	return true;
}

bool sad_feed(struct sad *s, const uint64_t *keys, size_t n)
{
	if (!keymap_reserve(&s->map, &s->alloc))
		return false;
	for (size_t i = 0; i < n; i++) {
		if (i + 12 < n)
			keymap_prefetch(&s->map, keys[i + 12]);
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

void sad_release(struct sad *s)
{
	keymap_release(&s->map, &s->alloc);
	if (s->block)
		s->alloc.resize(s->alloc.user, s->block, s->cap_blocks * sizeof *s->block, 0);
	if (s->pending)
		s->alloc.resize(s->alloc.user, s->pending, s->cap_pending * sizeof *s->pending, 0);
	*s = (struct sad){0};
}
