/* SPDX-License-Identifier: MIT */
/* Setting and clearing the watch map (watch_map.h): the bit of its plane in the byte of each granule that a verified
 * node's conditions read. A leaf of the shadow whose bytes another leaf shares never clears them: a byte that is set
 * for nothing costs a call, one that is missing would cost a verdict. Changed under the runtime's lock only. */
#ifndef RT_CHECK_WATCH_H
#define RT_CHECK_WATCH_H

#include "rt.h"
#include "watch_map.h"

typedef uint64_t __attribute__((aligned(1), may_alias)) watch_eight;

static inline uint8_t *watch_byte(uintptr_t a)
{
	return (uint8_t *)(uintptr_t)WATCH_BASE + ((uint32_t)a >> GRANULE_BITS);
}

/* Does the node with all sixteen granules behind its start lie in one leaf, and not at its beginning, where bytes
 * of the map may have copies? */
static inline bool watch_plain(uintptr_t y, const struct rt_type *t)
{
	enum { ROOM = 16 << GRANULE_BITS, LEAF = 1 << LEAF_BITS };
	return LIKELY(t->words != 0) && LIKELY((y - ROOM) % LEAF <= LEAF - 2 * ROOM);
}

/* The first granules of each 4 GB are also behind the last ones: a store may begin before and end after them. */
static inline void watch_granule(uintptr_t a, uint8_t bit)
{
	uint8_t *w = watch_byte(a);
	*w |= bit;
	if ((uint32_t)a < 64)
		w[WATCH_SIZE] |= bit;
}

static inline void watch_node(uintptr_t y, const struct rt_type *t)
{
	if (LIKELY(watch_plain(y, t))) {
		watch_eight *w = (watch_eight *)watch_byte(y);
		w[0] |= t->watch_mask[0] << t->plane;
		if (t->words > 2)
			w[1] |= t->watch_mask[1] << t->plane;
		return;
	}
	uint8_t bit = (uint8_t)(1u << t->plane);
	if (t->watch_start)
		watch_granule(y, bit);
	for (unsigned i = 0; i < t->n_granules; i++)
		watch_granule(y + ((uintptr_t)t->granule[i] << GRANULE_BITS), bit);
}

static inline void unwatch_node(uintptr_t y, const struct rt_type *t)
{
	const struct shadow_leaf *l = shadow_leaf(y);
	if (UNLIKELY(l->watch_shared))
		return;
	if (LIKELY(watch_plain(y, t))) {
		watch_eight *w = (watch_eight *)watch_byte(y);
		w[0] &= ~(t->watch_mask[0] << t->plane);
		if (t->words > 2)
			w[1] &= ~(t->watch_mask[1] << t->plane);
		return;
	}
	if (shadow_index(y) + (t->size >> GRANULE_BITS) + 1 > LEAF_CELLS) /* the next leaf may be one that shares */
		return;
	uint8_t bit = (uint8_t)(1u << t->plane);
	if (t->watch_start)
		*watch_byte(y) &= (uint8_t)~bit;
	for (unsigned i = 0; i < t->n_granules; i++)
		*watch_byte(y + ((uintptr_t)t->granule[i] << GRANULE_BITS)) &= (uint8_t)~bit;
}

/* The granules of a verified node where no edge lies. They may stay watched. */
static inline void unwatch_numbers(uintptr_t y, const struct rt_type *t)
{
	if (UNLIKELY(shadow_leaf(y)->watch_shared) || UNLIKELY(!watch_plain(y, t)))
		return;
	watch_eight *w = (watch_eight *)watch_byte(y);
	w[0] &= ~(t->number_mask[0] << t->plane);
	if (t->words > 2)
		w[1] &= ~(t->number_mask[1] << t->plane);
}

/* Is one of the granules of these bytes watched? For ranges within a page or so. */
static inline RT_UNLOCKED bool watch_any(uintptr_t a, size_t n)
{
	const uint8_t *w = watch_byte(a);
	size_t left = ((a & 7) + n + 7) >> GRANULE_BITS;
	for (; left >= 8; left -= 8, w += 8)
		if (*(const watch_eight *)w)
			return true;
	for (; left; left--)
		if (*w++)
			return true;
	return false;
}

#endif
