/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What calls leave in memory that no argument and no variable of the program leads to, but libc does: what a thread's
 * key (pthread_getspecific) stands for, and all behind it. A cache does not write there. That does no harm as long as
 * nobody else reads what such a call would have left: free lists and work space are written again before they are read.
 * So each place that a call changed there is marked until somebody writes it; a read outside calls of that
 * function means that they leave state behind. */
#include "sets.h"

enum { MARKS = 4096 };

struct mark {
	Addr a; /* multiple of 8; 0: free */
	struct chosen *by;
	UInt block, block_stamp; /* the heap block it was in: it may have been freed since */
	UChar bits;              /* bytes, one bit each; 0: not marked any more */
};

static struct mark mark[MARKS];
static UInt used;
UInt hidden_marks;

static struct mark *find(Addr a)
{
	UInt i = (UInt)mix64(a) % MARKS;
	while (mark[i].a && mark[i].a != a)
		i = (i + 1) % MARKS;
	return &mark[i];
}

void hidden_wrote(struct chosen *c, Addr a, UInt block, UInt bits)
{
	if (c->leaves_state)
		return;
	struct mark *m = find(a);
	if (!m->a && used > MARKS / 2) {
		c->leaves_state = True; /* too much to follow */
		return;
	}
	used += !m->a;
	hidden_marks += !m->bits;
	*m = (struct mark){a, c, block, block ? block_get(block)->stamp : 0, (UChar)bits};
}

static Bool is_open(const struct thread *t, const struct chosen *c)
{
	for (UInt i = 0; i < t->n; i++)
		if (t->frame[i].fn && t->frame[i].fn->more == c)
			return True;
	return False;
}

void hidden_access(const struct thread *t, Addr a, UInt bits, Bool write)
{
	struct mark *m = find(a);
	if (!(m->bits & bits) || is_open(t, m->by))
		return;
	UInt block = place_of(a) == PLACE_HEAP ? block_at(a) : 0;
	Bool same = block == m->block && (!block || block_get(block)->stamp == m->block_stamp);
	if (same && !write)
		m->by->leaves_state = True;
	m->bits &= (UChar)~bits;
	if (!same || m->by->leaves_state)
		m->bits = 0;
	hidden_marks -= !m->bits;
}
