/* SPDX-License-Identifier: MIT */
/* See lrustack.h. The references are known ahead, so a key's cell and then its slot are fetched early. */
#include "base/lrustack.h"

enum { FAR = 24, NEAR = 12 };

void lrustack_init(struct lrustack *s, uint32_t k, const struct base_alloc *alloc)
{
	*s = (struct lrustack){.k = k, .alloc = *alloc};
}

void lrustack_release(struct lrustack *s)
{
	keymap_release(&s->map, &s->alloc);
	if (s->slot)
		s->alloc.resize(s->alloc.user, s->slot, s->cap * sizeof *s->slot, 0);
	*s = (struct lrustack){0};
}

bool lrustack_reserve(struct lrustack *s, uint32_t more)
{
	void *p = s->slot;
	more = more < s->k - s->n ? more : s->k - s->n;
	if (!keymap_reserve(&s->map, more, &s->alloc) ||
	    !base_grow(&s->alloc, &p, &s->cap, (size_t)s->n + more + 1, sizeof *s->slot))
		return false;
	s->slot = p;
	if (!s->n)
		s->slot[0] = (struct lrustack_slot){0, 0, 0};
	return true;
}

#ifdef RF_INVARIANTS
void lrustack_check(const struct lrustack *s)
{
	uint32_t n = 0;
	keymap_check(&s->map);
	INVARIANT(s->n <= s->k && s->map.n == s->n);
	for (uint32_t x = 0, next; s->n && (next = s->slot[x].next); x = next, n++) {
		INVARIANT(next <= s->n && s->slot[next].prev == x);
		INVARIANT(keymap_find(&s->map, s->slot[next].key) == next);
		INVARIANT(s->slot[next].next || lrustack_tail(s) == next);
	}
	INVARIANT(n == s->n);
}
#endif

size_t lrustack_feed(struct lrustack *s, const uint64_t *keys, size_t n, size_t known, struct lrustack_event *events)
{
	size_t made = 0;
	for (size_t i = 0; i < n; i++) {
		if (i + FAR < known) {
			keymap_prefetch(&s->map, keys[i + FAR]);
			__builtin_prefetch(&s->slot[keymap_first(&s->map, keys[i + NEAR])], 1);
		}
		uint32_t x = keymap_find(&s->map, keys[i]);
		if (LIKELY(x != 0))
			lrustack_hit(s, x);
		else
			events[made++] = lrustack_miss(s, keys[i]);
	}
	return made;
}
