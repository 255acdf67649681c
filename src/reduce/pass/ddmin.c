/* SPDX-License-Identifier: MIT */
/* ddmin as a state machine: see ddmin.h. d->from … d->to is kept up to date chunk by chunk, so that a step costs
 * constant time however long the list is. */
#include "reduce/pass/ddmin.h"

#include "base/invariant.h"

#include <string.h>

static struct ddmin_items *items_new(uint32_t n)
{
	struct ddmin_items *s = mem_alloc(mem_add(sizeof *s, mem_mul(n, sizeof s->at[0])));
	s->refs = 1;
	s->n = n;
	return s;
}

static void items_drop(struct ddmin_items *s)
{
	if (s && --s->refs == 0)
		free(s);
}

/* Starts a round of the given number of parts, before its first chunk. */
static void round_start(struct ddmin *d, uint32_t parts, bool complement)
{
	d->parts = parts;
	d->complement = complement;
	d->chunk = 0;
	d->from = d->to = 0;
}

void ddmin_init(struct ddmin *d, const uint32_t *items, uint32_t n)
{
	*d = (struct ddmin){.items = items_new(n)};
	if (n)
		memcpy(d->items->at, items, n * sizeof *items);
	round_start(d, 2, false);
}

void ddmin_copy(struct ddmin *to, const struct ddmin *from)
{
	*to = *from;
	to->items->refs++;
}

void ddmin_release(struct ddmin *d)
{
	items_drop(d->items);
	d->items = NULL;
}

bool ddmin_next(struct ddmin *d)
{
	uint32_t n = d->items->n;
	for (;;) {
		if (n < 2)
			return false;
		if (d->chunk < d->parts) {
			/* what is left, divided evenly among the parts left, rounded to the nearest */
			uint64_t left = n - d->to, parts = d->parts - d->chunk;
			d->from = d->to;
			d->to += (uint32_t)((2 * left + parts) / (2 * parts));
			INVARIANT(d->from < d->to && d->to <= n);
			return true;
		}
		if (!d->complement)
			round_start(d, d->parts, true);
		else if (d->parts < n)
			round_start(d, d->parts <= (n - 1) / 2 ? d->parts * 2 : n, false);
		else
			return false;
	}
}

void ddmin_result(struct ddmin *d, bool success)
{
	if (!success) {
		d->chunk++;
		return;
	}
	const struct ddmin_items *old = d->items;
	uint32_t size = d->to - d->from;
	struct ddmin_items *s = items_new(d->complement ? old->n - size : size);
	if (d->complement) {
		memcpy(s->at, old->at, d->from * sizeof s->at[0]);
		memcpy(s->at + d->from, old->at + d->to, (old->n - d->to) * sizeof s->at[0]);
	} else {
		memcpy(s->at, old->at + d->from, size * sizeof s->at[0]);
	}
	uint32_t parts = d->complement && d->parts > 3 ? d->parts - 1 : 2;
	items_drop(d->items);
	d->items = s;
	round_start(d, parts, false);
}
