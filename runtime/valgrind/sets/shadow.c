/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A map from addresses to struct touch, 8 bytes of the program each, in pages of 4 KB found through an open hash table
 * with a small direct-mapped cache in front. One per thread: calls of different threads never see each other's marks.
 */
#include "sets.h"

enum { PAGE_BITS = 12, TOUCHES = 1 << (PAGE_BITS - 3), FRONT = 1024 };

struct page {
	Addr number;
	struct touch touch[TOUCHES];
};

struct shadow {
	struct page *front[FRONT];
	struct page **table;
	UInt mask, n;
};

struct shadow *shadow_new(void)
{
	struct shadow *s = budget_alloc("rf.shadow", sizeof *s);
	if (!s)
		return NULL;
	s->mask = 1023;
	s->table = budget_alloc("rf.shadow.table", (s->mask + 1) * sizeof *s->table);
	if (!s->table) {
		budget_free(s, sizeof *s);
		return NULL;
	}
	return s;
}

static struct page **find(struct page **table, UInt mask, Addr number)
{
	UInt i = (UInt)mix64(number) & mask;
	while (table[i] && table[i]->number != number)
		i = (i + 1) & mask;
	return &table[i];
}

static Bool grow(struct shadow *s)
{
	UInt mask = 2 * s->mask + 1;
	struct page **table = budget_alloc("rf.shadow.table", (mask + 1) * sizeof *table);
	if (!table)
		return False;
	for (UInt i = 0; i <= s->mask; i++)
		if (s->table[i])
			*find(table, mask, s->table[i]->number) = s->table[i];
	budget_free(s->table, (s->mask + 1) * sizeof *s->table);
	s->table = table;
	s->mask = mask;
	return True;
}

static struct page *page_get(struct shadow *s, Addr number)
{
	struct page **p = find(s->table, s->mask, number);
	if (!*p) {
		if (s->n >= s->mask / 2) {
			if (!grow(s))
				return NULL;
			p = find(s->table, s->mask, number);
		}
		struct page *fresh = budget_alloc("rf.shadow.page", sizeof *fresh);
		if (!fresh)
			return NULL;
		fresh->number = number;
		*p = fresh;
		s->n++;
	}
	return s->front[number % FRONT] = *p;
}

struct touch *shadow_touch(struct shadow *s, Addr a)
{
	Addr number = a >> PAGE_BITS;
	struct page *p = s->front[number % FRONT];
	if (UNLIKELY(!p || p->number != number)) {
		p = page_get(s, number);
		if (!p)
			return NULL;
	}
	return &p->touch[(a >> 3) % TOUCHES];
}

void shadow_free(struct shadow *s)
{
	if (!s)
		return;
	for (UInt i = 0; i <= s->mask; i++)
		budget_free(s->table[i], sizeof(struct page));
	budget_free(s->table, (s->mask + 1) * sizeof *s->table);
	budget_free(s, sizeof *s);
}
