/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which digests were seen before: an open hash table of 64-bit values, at most half full. 0 is kept as 1. When
 * memory is out everything counts as new, and the set says that it is no longer whole. */
#include "sets.h"

static Bool grow(struct seen *s)
{
	UInt cap = s->cap ? 2 * s->cap : 256;
	ULong *at = budget_alloc("rf.seen", cap * sizeof *at);
	if (!at)
		return False;
	for (UInt i = 0; i < s->cap; i++)
		if (s->at[i]) {
			UInt k = (UInt)mix64(s->at[i]) & (cap - 1);
			while (at[k])
				k = (k + 1) & (cap - 1);
			at[k] = s->at[i];
		}
	budget_free(s->at, s->cap * sizeof *at);
	s->at = at;
	s->cap = cap;
	return True;
}

void seen_clear(struct seen *s)
{
	budget_free(s->at, s->cap * sizeof *s->at);
	*s = (struct seen){0};
}

Bool seen_before(struct seen *s, ULong v)
{
	v += !v;
	if (s->lost || (s->n >= s->cap / 2 && !grow(s))) {
		s->lost = True;
		return False;
	}
	UInt k = (UInt)mix64(v) & (s->cap - 1);
	for (; s->at[k]; k = (k + 1) & (s->cap - 1))
		if (s->at[k] == v)
			return True;
	s->at[k] = v;
	s->n++;
	return False;
}
