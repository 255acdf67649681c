/* SPDX-License-Identifier: MIT */
/* ddmin as a state machine: see ddmin.h. d->from … d->to is kept up to date chunk by chunk, so that a step costs
 * constant time however long the list is. */
#include "reduce/pass/ddmin.h"

#include "base/invariant.h"

#include <string.h>

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
	*d = (struct ddmin){.pass = d->pass, .item = mem_dup(items, mem_mul(n, sizeof *items)), .n = n};
	round_start(d, 2, false);
}

void ddmin_release(void *state)
{
	struct ddmin *d = state;
	free(d->item);
	d->item = NULL;
}

enum made ddmin_next(struct ddmin *d, struct candidate *out, enum guess guess)
{
	for (;;) {
		if (d->n < 2)
			break;
		if (d->chunk < d->parts) {
			/* what is left, divided evenly among the parts left, rounded to the nearest */
			uint64_t left = d->n - d->to, parts = d->parts - d->chunk;
			d->from = d->to;
			d->to += (uint32_t)((2 * left + parts) / (2 * parts));
			INVARIANT(d->from < d->to && d->to <= d->n);
			d->chunk++;
			out->task = d->list;
			out->from = d->item[d->from];
			out->to = d->item[d->to - 1];
			out->class = d->complement ? class_of_size(d->to - d->from) : CLASS_REPLACE;
			return MADE_ONE;
		}
		if (d->pass.open && !guess)
			return MADE_NONE;
		if (!d->complement)
			round_start(d, d->parts, true);
		else if (d->parts < d->n)
			round_start(d, d->parts <= (d->n - 1) / 2 ? d->parts * 2 : d->n, false);
		else
			break;
	}
	return MADE_END;
}

void ddmin_result(void *state, const struct candidate *c, bool success)
{
	struct ddmin *d = state;
	bool complement = c->class != CLASS_REPLACE;
	if (!success)
		return;
	uint32_t n = 0;
	for (uint32_t i = 0; i < d->n; i++)
		if ((d->item[i] >= c->from && d->item[i] <= c->to) != complement)
			d->item[n++] = d->item[i];
	d->n = n;
	uint32_t parts = d->parts;
	if (c->task == d->list)
		parts = complement && parts > 3 ? parts - 1 : 2;
	/* a guess may have begun rounds of more parts than are left now */
	parts = parts < n ? parts : n;
	d->list++;
	round_start(d, parts > 2 ? parts : 2, false);
}
