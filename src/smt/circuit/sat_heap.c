/* SPDX-License-Identifier: MIT */
/* The variables to decide, as a binary heap: see sat_heap.h. heap_at is its inverse: 1 + the place of each variable in
 * it, 0 for those that are not. */
#include "smt/circuit/sat_heap.h"

static bool above(const struct sat *s, uint32_t x, uint32_t y)
{
	return s->activity.at[x] > s->activity.at[y];
}

static void place(struct sat *s, size_t at, uint32_t v)
{
	s->heap.at[at] = v;
	s->heap_at.at[v] = (uint32_t)at + 1;
}

static void sift_up(struct sat *s, size_t at)
{
	uint32_t v = s->heap.at[at];
	for (; at && above(s, v, s->heap.at[(at - 1) / 2]); at = (at - 1) / 2)
		place(s, at, s->heap.at[(at - 1) / 2]);
	place(s, at, v);
}

static void sift_down(struct sat *s, size_t at)
{
	uint32_t v = s->heap.at[at];
	for (size_t child; (child = 2 * at + 1) < s->heap.n; at = child) {
		if (child + 1 < s->heap.n && above(s, s->heap.at[child + 1], s->heap.at[child]))
			child++;
		if (!above(s, s->heap.at[child], v))
			break;
		place(s, at, s->heap.at[child]);
	}
	place(s, at, v);
}

uint32_t heap_pop(struct sat *s)
{
	uint32_t v = s->heap.at[0], last = vec_pop(&s->heap);
	s->heap_at.at[v] = 0;
	if (s->heap.n) {
		place(s, 0, last);
		sift_down(s, 0);
	}
	return v;
}

void heap_fill(struct sat *s, const uint32_t *variables, size_t n)
{
	while (s->heap.n)
		s->heap_at.at[vec_pop(&s->heap)] = 0;
	s->stamps++;
	for (size_t i = 0; i < n; i++) {
		uint32_t v = variables[i];
		s->stamp.at[v] = s->stamps;
		if (s->value.at[2 * v] || s->heap_at.at[v])
			continue;
		vec_push(&s->heap, v);
		s->heap_at.at[v] = (uint32_t)s->heap.n;
	}
	for (size_t i = s->heap.n / 2; i-- > 0;)
		sift_down(s, i);
}

void heap_raised(struct sat *s, uint32_t v)
{
	if (s->heap_at.at[v])
		sift_up(s, s->heap_at.at[v] - 1);
}

void heap_return(struct sat *s, uint32_t v)
{
	if (s->stamp.at[v] != s->stamps || s->heap_at.at[v])
		return;
	vec_push(&s->heap, v);
	s->heap_at.at[v] = (uint32_t)s->heap.n;
	sift_up(s, s->heap.n - 1);
}
