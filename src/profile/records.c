/* SPDX-License-Identifier: MIT */
/* What the tools say, kept in the functions it is about. A record that makes no sense is ignored or, where the rest
 * depends on it, an error of ours: the tools are built together with refrain. */
#include "profile/debug/datanames.h"
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
		.rate = 1,
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

/* The function of a line of the list; NULL when this process does not want it. */
static struct profile_function *listed(const struct profiler *pr, uint32_t line)
{
	const struct profile *p = pr->p;
	return line < p->listed.n && p->listed.at[line] ? &p->fn.at[p->listed.at[line] - 1] : NULL;
}

static void on_calls(struct profiler *pr, const void *p, size_t n)
{
	for (size_t at = 0; at + sizeof(struct vg_call) <= n; at += sizeof(struct vg_call)) {
		struct vg_call r;
		memcpy(&r, (const char *)p + at, sizeof r);
		struct profile_function *f = listed(pr, r.fn);
		if (!f || pr->close_look)
			continue;
		struct calls *c = &f->seen;
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
	const char *symbol = text_part(&r, sizeof r, p, n);
	struct profile_function *f = symbol && symbol[0] ? listed(pr, r.fn) : NULL;
	struct buf shown = {0};
	if (!f)
		return;
	dataname_add(&shown, symbol);
	const char *name = arena_strndup(&pr->p->arena, buf_str(&shown), shown.n);
	buf_release(&shown);
	for (size_t i = 0; i < f->globals.n; i++)
		if (strcmp(f->globals.at[i].name, name) == 0) {
			f->globals.at[i].flags |= r.flags;
			if (r.calls > f->globals.at[i].calls)
				f->globals.at[i].calls = r.calls;
			if (r.changes > f->globals.at[i].changes)
				f->globals.at[i].changes = r.changes;
			return;
		}
	struct profile_global g = {name, r.flags, r.calls, r.changes};
	vec_push(&f->globals, g);
}

static void on_file(struct profiler *pr, const void *p, size_t n)
{
	struct vg_file r;
	const char *path = text_part(&r, sizeof r, p, n);
	struct profile_function *f = path ? listed(pr, r.fn) : NULL;
	if (!f)
		return;
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
	struct profile_function *f = listed(pr, r.fn), *of = listed(pr, r.owner);
	if (!f || !of)
		return;
	uint32_t owner = (uint32_t)(of - pr->p->fn.at);
	for (size_t i = 0; i < f->peers.n; i++)
		if (f->peers.at[i].owner == owner) {
			if (r.frees > f->peers.at[i].frees)
				f->peers.at[i].frees = r.frees;
			if (r.changes > f->peers.at[i].changes)
				f->peers.at[i].changes = r.changes;
			return;
		}
	struct profile_peer peer = {owner, r.frees, r.changes};
	vec_push(&f->peers, peer);
}

static void on_shape(struct profiler *pr, const void *p, size_t n)
{
	struct profile_place x;
	const char *name = text_part(&x.s, sizeof x.s, p, n);
	struct profile_function *f = name ? listed(pr, x.s.fn) : NULL;
	if (!f)
		return;
	/* a parent comes before what hangs on it */
	if (x.s.node != f->shape.n + 1 || x.s.parent > f->shape.n)
		return;
	x.symbol = arena_strndup(&pr->p->arena, name, strlen(name));
	vec_push(&f->shape, x);
}

static void on_values(struct profiler *pr, const void *p, size_t n)
{
	struct vg_values r;
	struct profile_function *f = fixed_part(&r, sizeof r, p, n) ? listed(pr, r.fn) : NULL;
	if (!f || (n - sizeof r) % 4 || r.half > 1)
		return;
	uint32_t *at = arena_dup(&pr->p->arena, (const char *)p + sizeof r, n - sizeof r);
	struct profile_half v = {r.node, r.half, r.bits, (uint32_t)((n - sizeof r) / 4), at};
	vec_push(&f->values, v);
}

static void on_row(struct profiler *pr, const void *p, size_t n)
{
	struct vg_row r;
	struct profile_function *f = fixed_part(&r, sizeof r, p, n) ? listed(pr, r.fn) : NULL;
	if (!f || r.n > f->shape.n || n - sizeof r != (size_t)r.n * VG_ROW_BYTES)
		return;
	uint8_t *at = arena_dup(&pr->p->arena, (const char *)p + sizeof r, n - sizeof r);
	struct profile_row row = {r.calls, r.cost, r.flags, r.n, r.inputs, at};
	vec_push(&f->rows, row);
}

static void on_dump(struct profiler *pr, const void *p, size_t n)
{
	struct vg_dump r;
	struct profile_function *f = fixed_part(&r, sizeof r, p, n) ? listed(pr, r.fn) : NULL;
	if (!f || n - sizeof r != (size_t)r.n * sizeof(struct vg_dump_entry))
		return;
	for (int i = 0; i < 2; i++) {
		struct profile_dump *d = &f->dump[i];
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
	if (pr->first->instructions)
		snprintf(line, sizeof line, "pass %u, %s: %.0f %% of %.1f G instructions", pr->first->passes, pr->what,
			 100.0 * (double)t.instructions / (double)pr->first->instructions,
			 (double)pr->first->instructions / 1e9);
	else
		snprintf(line, sizeof line, "pass %u, %s: %.1f G instructions", pr->first->passes, pr->what,
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

/* What became of it, as far as the counting pass saw it. */
static void on_process(struct profiler *pr, uint32_t kind)
{
	struct profile_process *w = &pr->p->process;
	if (!pr->counting)
		return;
	w->forks += kind == VG_FORK;
	if (kind == VG_EXEC)
		w->replaced = true;
	if (kind == VG_STAYED) {
		w->replaced = false;
		pr->p->complete = false;
	}
}

enum rc profile_record(void *user, enum vg_kind kind, const void *p, size_t n, struct err *e)
{
	static void (*const on[])(struct profiler *, const void *, size_t) = {
		[VG_COUNT] = on_count, [VG_EDGE] = on_edge, [VG_CALLS] = on_calls, [VG_GLOBAL] = on_global,
		[VG_FILE] = on_file,   [VG_PEER] = on_peer, [VG_SHAPE] = on_shape, [VG_VALUES] = on_values,
		[VG_ROW] = on_row,     [VG_DUMP] = on_dump, [VG_TICK] = on_tick,
	};
	struct profiler *pr = user;
	if ((uint32_t)kind == VG_IMAGE)
		return family_image(pr, p, n, e);
	if (!pr->p)
		return RC_OK; /* of a process that the counting pass did not see */
	if (kind == VG_FUNC)
		return on_function(pr, p, n, e);
	if ((uint32_t)kind >= VG_IMAGE)
		on_process(pr, kind);
	if ((size_t)kind < ARRAY_LEN(on) && on[kind])
		on[kind](pr, p, n);
	return RC_OK;
}
