/* SPDX-License-Identifier: MIT */
/* Collecting calls. */
#include "profile/calls.h"

uint32_t numbering_of(struct numbering *n, uint64_t value)
{
	uint32_t r;
	for (struct table_probe p = table_probe(&n->table, value); (r = table_next(&n->table, &p)) != TABLE_NONE;)
		if (n->value.at[r] == value)
			return r;
	vec_push(&n->value, value);
	table_insert(&n->table, value, (uint32_t)(n->value.n - 1));
	return (uint32_t)(n->value.n - 1);
}

void numbering_release(struct numbering *n)
{
	table_release(&n->table);
	vec_release(&n->value);
}

static size_t n_values(const struct calls *c)
{
	return c->in_loose.value.n + c->out_loose.value.n + c->in_strict.value.n + c->out_strict.value.n +
	       c->instance.value.n + c->in_hint.value.n + c->in_args.value.n;
}

uint64_t calls_add(struct calls *c, const struct vg_call *r)
{
	c->seen++;
	c->cut += (r->flags & VG_CALL_CUT) != 0;
	c->no_memory += (r->flags & VG_CALL_NO_MEMORY) != 0;
	c->sys += (r->flags & VG_CALL_SYS) != 0;
	c->changed += (r->flags & VG_CALL_CHANGED) != 0;
	c->alloc += (r->flags & VG_CALL_ALLOC) != 0;
	c->freed += (r->flags & VG_CALL_FREED) != 0;
	c->unwound += (r->flags & VG_CALL_UNWOUND) != 0;
	c->outside += (r->flags & VG_CALL_OUTSIDE) != 0;
	c->nested += (r->flags & VG_CALL_NESTED) != 0;
	c->acts += (r->flags & VG_CALL_ACTS) != 0;
	c->deeper += (r->flags & VG_CALL_DEEPER) != 0;
	c->bound += (r->flags & VG_CALL_BOUND) != 0;
	c->update += (r->flags & VG_CALL_UPDATE) != 0;
	c->sys_late += (r->flags & VG_CALL_SYS) && c->seen > c->expected / 2;
	c->in_bytes += r->in_bytes;
	c->out_bytes += r->out_bytes;
	c->in_places += r->in_places;
	c->out_places += r->out_places;
	c->fresh_blocks += r->fresh_blocks;
	c->fresh_bytes += r->fresh_bytes;
	c->threads |= (uint32_t)1 << (r->thread & 31);
	if (!(r->flags & VG_CALL_NESTED)) {
		c->outer_cost += r->cost;
		c->kernel_ns += r->kernel_ns;
	}
	if (r->locations > c->max_locations)
		c->max_locations = r->locations;
	if (c->call.n >= c->max)
		return 0;
	size_t before = n_values(c);
	bool cut = (r->flags & VG_CALL_CUT) != 0;
	struct call k = {
		.loose = {numbering_of(&c->in_loose, r->in_loose), numbering_of(&c->out_loose, r->out_loose)},
		.strict = {numbering_of(&c->in_strict, r->in_strict), numbering_of(&c->out_strict, r->out_strict)},
		.instance = numbering_of(&c->instance, r->instance),
		.cost = r->cost > UINT32_MAX ? UINT32_MAX : (uint32_t)r->cost,
		.kernel = r->kernel_ns > UINT32_MAX ? UINT32_MAX : (uint32_t)r->kernel_ns,
		.nested = (r->flags & VG_CALL_NESTED) != 0,
		.cut = cut,
		.alone = cut || (r->flags & VG_CALL_BOUND),
		.asks = (r->flags & VG_CALL_SYS) != 0,
	};
	vec_push(&c->call, k);
	numbering_of(&c->in_hint, r->in_hint);
	numbering_of(&c->in_args, r->in_args);
	/* vectors and tables double: half of what they hold may be empty */
	return 2 * (sizeof k + (n_values(c) - before) * (sizeof(uint64_t) + 2 * sizeof(uint32_t)));
}

double calls_repeat_ratio(const struct calls *c)
{
	return c->call.n ? 1 - (double)c->in_loose.value.n / (double)c->call.n : 0;
}

double calls_arguments_ratio(const struct calls *c)
{
	return c->call.n ? 1 - (double)c->in_args.value.n / (double)c->call.n : 0;
}

double calls_tuple_ratio(const struct calls *c)
{
	return c->call.n ? 1 - (double)c->in_hint.value.n / (double)c->call.n : 0;
}

double calls_hint_ratio(const struct calls *c)
{
	return c->call.n && !c->cut ? 1 - (double)c->in_hint.value.n / (double)c->call.n : 0;
}

void calls_release(struct calls *c)
{
	struct numbering *const all[] = {&c->in_loose, &c->out_loose, &c->in_strict, &c->out_strict,
					 &c->instance, &c->in_hint,   &c->in_args};
	vec_release(&c->call);
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		numbering_release(all[i]);
	*c = (struct calls){0};
}
