/* SPDX-License-Identifier: MIT */
/* What the tools say, kept in the functions it is about. A record that makes no sense is ignored or, where the rest
 * depends on it, an error of ours: the tools are built together with refrain. */
#include "profile/passes.h"

#include <stdio.h>
#include <string.h>

static enum rc on_function(struct profiler *pr, const void *p, size_t n, struct err *e)
{
	struct vg_func r;
	const char *text = (const char *)p + sizeof r, *end = (const char *)p + n;
	if (n < sizeof r + 2 || end[-1] != 0)
		return err_set(e, RC_BUG, "the tool sent a damaged record of a function");
	memcpy(&r, p, sizeof r);
	size_t name = strlen(text) + 1;
	if (text + name >= end)
		return err_set(e, RC_BUG, "the tool sent a damaged record of a function");
	struct profile_function f = {
		.name = arena_strndup(&pr->p->arena, text, name - 1),
		.object = arena_strndup(&pr->p->arena, text + name, strlen(text + name)),
		.entry = r.entry,
		.status = STATUS_COLD,
	};
	while (pr->of_tool.n <= r.id)
		vec_push(&pr->of_tool, UINT32_MAX);
	pr->of_tool.at[r.id] = (uint32_t)pr->p->fn.n;
	vec_push(&pr->p->fn, f);
	return RC_OK;
}

static struct profile_function *by_tool(struct profiler *pr, uint32_t id)
{
	return id < pr->of_tool.n && pr->of_tool.at[id] < pr->p->fn.n ? &pr->p->fn.at[pr->of_tool.at[id]] : NULL;
}

static void on_calls(struct profiler *pr, const void *p, size_t n)
{
	for (size_t at = 0; at + sizeof(struct vg_call) <= n; at += sizeof(struct vg_call)) {
		struct vg_call r;
		memcpy(&r, (const char *)p + at, sizeof r);
		if (r.fn >= pr->p->fn.n)
			continue;
		struct calls *c = &pr->p->fn.at[r.fn].seen;
		if (pr->kept_bytes >= pr->o->memory)
			c->max = c->call.n;
		pr->kept_bytes += calls_add(c, &r);
	}
}

/* The fixed part of a record that a variable part follows; false when the record is shorter. */
static bool fixed_part(void *r, size_t size, const void *p, size_t n)
{
	if (n < size)
		return false;
	memcpy(r, p, size);
	return true;
}

/* The text behind the fixed part of a record; NULL when there is none or it does not end. */
static const char *text_part(void *r, size_t size, const void *p, size_t n)
{
	return n > size && ((const char *)p)[n - 1] == 0 && fixed_part(r, size, p, n) ? (const char *)p + size : NULL;
}

static void on_global(struct profiler *pr, const void *p, size_t n)
{
	struct vg_global r;
	const char *name = text_part(&r, sizeof r, p, n);
	if (!name || r.fn >= pr->p->fn.n || !name[0])
		return;
	struct profile_function *f = &pr->p->fn.at[r.fn];
	for (size_t i = 0; i < f->globals.n; i++)
		if (strcmp(f->globals.at[i].name, name) == 0) {
			f->globals.at[i].flags |= r.flags;
			if (r.calls > f->globals.at[i].calls)
				f->globals.at[i].calls = r.calls;
			if (r.changes > f->globals.at[i].changes)
				f->globals.at[i].changes = r.changes;
			return;
		}
	struct profile_global g = {arena_strndup(&pr->p->arena, name, strlen(name)), r.flags, r.calls, r.changes};
	vec_push(&f->globals, g);
}

static void on_file(struct profiler *pr, const void *p, size_t n)
{
	struct vg_file r;
	const char *path = text_part(&r, sizeof r, p, n);
	if (!path || r.fn >= pr->p->fn.n)
		return;
	struct profile_function *f = &pr->p->fn.at[r.fn];
	struct profile_file file = {arena_strndup(&pr->p->arena, path, strlen(path)), r.number};
	for (size_t i = 0; i < f->files.n; i++)
		if (f->files.at[i].number == r.number && strcmp(f->files.at[i].path, path) == 0)
			return;
	vec_push(&f->files, file);
}

static void on_peer(struct profiler *pr, const void *p, size_t n)
{
	struct vg_peer r;
	if (n != sizeof r)
		return;
	memcpy(&r, p, sizeof r);
	if (r.fn >= pr->p->fn.n || r.owner >= pr->p->fn.n)
		return;
	struct profile_function *f = &pr->p->fn.at[r.fn];
	for (size_t i = 0; i < f->peers.n; i++)
		if (f->peers.at[i].owner == r.owner) {
			if (r.frees > f->peers.at[i].frees)
				f->peers.at[i].frees = r.frees;
			if (r.changes > f->peers.at[i].changes)
				f->peers.at[i].changes = r.changes;
			return;
		}
	struct profile_peer peer = {r.owner, r.frees, r.changes};
	vec_push(&f->peers, peer);
}

static void on_shape(struct profiler *pr, const void *p, size_t n)
{
	struct profile_place x;
	const char *name = text_part(&x.s, sizeof x.s, p, n);
	if (!name || x.s.fn >= pr->p->fn.n)
		return;
	struct profile_function *f = &pr->p->fn.at[x.s.fn];
	/* a parent comes before what hangs on it */
	if (x.s.node != f->shape.n + 1 || x.s.parent > f->shape.n)
		return;
	x.symbol = arena_strndup(&pr->p->arena, name, strlen(name));
	vec_push(&f->shape, x);
}

static void on_values(struct profiler *pr, const void *p, size_t n)
{
	struct vg_values r;
	if (!fixed_part(&r, sizeof r, p, n) || (n - sizeof r) % 4 || r.fn >= pr->p->fn.n || r.half > 1)
		return;
	uint32_t *at = arena_dup(&pr->p->arena, (const char *)p + sizeof r, n - sizeof r);
	struct profile_half v = {r.node, r.half, r.bits, (uint32_t)((n - sizeof r) / 4), at};
	vec_push(&pr->p->fn.at[r.fn].values, v);
}

static void on_row(struct profiler *pr, const void *p, size_t n)
{
	struct vg_row r;
	if (!fixed_part(&r, sizeof r, p, n) || r.fn >= pr->p->fn.n || r.n > pr->p->fn.at[r.fn].shape.n ||
	    n - sizeof r != (size_t)r.n * VG_ROW_BYTES)
		return;
	uint8_t *at = arena_dup(&pr->p->arena, (const char *)p + sizeof r, n - sizeof r);
	struct profile_row row = {r.calls, r.cost, r.flags, r.n, r.inputs, at};
	vec_push(&pr->p->fn.at[r.fn].rows, row);
}

static void on_dump(struct profiler *pr, const void *p, size_t n)
{
	struct vg_dump r;
	if (!fixed_part(&r, sizeof r, p, n) || r.fn >= pr->p->fn.n ||
	    n - sizeof r != (size_t)r.n * sizeof(struct vg_dump_entry))
		return;
	for (int i = 0; i < 2; i++) {
		struct profile_dump *d = &pr->p->fn.at[r.fn].dump[i];
		if (d->call != r.call || d->entry.n)
			continue;
		vec_reserve(&d->entry, r.n);
		memcpy(d->entry.at, (const char *)p + sizeof r, n - sizeof r);
		d->entry.n = r.n;
		for (size_t k = 0; k < d->entry.n; k++)
			d->entry.at[k].symbol[sizeof d->entry.at[k].symbol - 1] = 0;
		return;
	}
}

static void on_tick(struct profiler *pr, const void *p, size_t n)
{
	struct vg_tick t;
	if (n != sizeof t || !progress_due(pr->progress))
		return;
	memcpy(&t, p, sizeof t);
	char line[160];
	if (pr->p->instructions)
		snprintf(line, sizeof line, "pass %u, %s: %.0f %% of %.1f G instructions", pr->p->passes, pr->what,
			 100.0 * (double)t.instructions / (double)pr->p->instructions,
			 (double)pr->p->instructions / 1e9);
	else
		snprintf(line, sizeof line, "pass %u, %s: %.1f G instructions", pr->p->passes, pr->what,
			 (double)t.instructions / 1e9);
	progress_show(pr->progress, line);
}

static void on_count(struct profiler *pr, const void *p, size_t n)
{
	struct vg_count r;
	if (n != sizeof r)
		return;
	memcpy(&r, p, n);
	struct profile_function *f = by_tool(pr, r.id);
	if (!f)
		return;
	f->calls = r.calls;
	f->inclusive = r.inclusive;
	f->outer = r.outer;
	f->sys_calls = r.sys_calls;
	f->self = r.self;
	f->kernel_ns = r.kernel_ns;
}

static void on_edge(struct profiler *pr, const void *p, size_t n)
{
	struct vg_edge r;
	if (n != sizeof r)
		return;
	memcpy(&r, p, n);
	const struct profile_function *f = by_tool(pr, r.caller), *g = by_tool(pr, r.callee), *first = pr->p->fn.at;
	if (!f || !g)
		return;
	struct profile_edge edge = {(uint32_t)(f - first), (uint32_t)(g - first), r.calls};
	vec_push(&pr->p->edge, edge);
}

enum rc profile_record(void *user, enum vg_kind kind, const void *p, size_t n, struct err *e)
{
	static void (*const on[])(struct profiler *, const void *, size_t) = {
		[VG_COUNT] = on_count, [VG_EDGE] = on_edge, [VG_CALLS] = on_calls, [VG_GLOBAL] = on_global,
		[VG_FILE] = on_file,   [VG_PEER] = on_peer, [VG_SHAPE] = on_shape, [VG_VALUES] = on_values,
		[VG_ROW] = on_row,     [VG_DUMP] = on_dump, [VG_TICK] = on_tick,
	};
	if (kind == VG_FUNC)
		return on_function(user, p, n, e);
	if ((size_t)kind < ARRAY_LEN(on) && on[kind])
		on[kind](user, p, n);
	return RC_OK;
}
