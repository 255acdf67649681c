/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program's functions, by the address of their first instruction. A record is made when the code there is
 * translated, so only functions that ran are known. An address can be used twice (dlclose, dlopen): the name decides
 * then. */
#include "tool.h"

enum { FUNCTION_BUCKETS = 1 << 14 };
struct bucket_item {
	struct fn *fn;
	struct bucket_item *next;
};
static struct bucket_item *bucket[FUNCTION_BUCKETS];
static struct fn *first_function, **last_link = &first_function;
static UInt n_functions;

void *(*function_filter)(const HChar *name, const HChar *object, Addr file_entry);

static struct fn *known(Addr a, const HChar *name)
{
	for (struct bucket_item *i = bucket[mix64(a) % FUNCTION_BUCKETS]; i; i = i->next)
		if (i->fn->entry == a && VG_STREQ(i->fn->name, name))
			return i->fn;
	return NULL;
}

struct fn *function_at(Addr a)
{
	DiEpoch now = VG_(current_DiEpoch)();
	const HChar *name;
	if (!VG_(get_fnname_if_entry)(now, a, &name))
		return NULL;
	/* the cold half of a function is jumped to from the other half: not a function of its own */
	if (VG_(strstr)(name, ".cold"))
		return NULL;
	struct fn *f = known(a, name);
	if (f)
		return f;
	/* the name does not survive the next look-up */
	HChar *kept = VG_(strdup)("rf.name", name);
	const DebugInfo *di = VG_(find_DebugInfo)(now, a);
	const HChar *object = di ? VG_(DebugInfo_get_filename)(di) : "";
	Addr file_entry = di ? a - (Addr)VG_(DebugInfo_get_text_bias)(di) : a;
	void *more = NULL;
	Bool first = window_begins_at(kept);
	if (function_filter && !(more = function_filter(kept, object, file_entry)) && !first) {
		VG_(free)(kept);
		return NULL;
	}
	f = VG_(calloc)("rf.fn", 1, sizeof *f);
	f->id = n_functions++;
	f->entry = a;
	f->file_entry = file_entry;
	f->name = kept;
	f->object = VG_(strdup)("rf.object", object);
	f->more = more;
	f->first = first;
	f->skip = function_filter && !more;
	*last_link = f;
	last_link = &f->next;
	struct bucket_item *i = VG_(malloc)("rf.bucket", sizeof *i);
	struct bucket_item **b = &bucket[mix64(a) % FUNCTION_BUCKETS];
	*i = (struct bucket_item){f, *b};
	*b = i;
	return f;
}

struct fn *function_first(void)
{
	return first_function;
}

void functions_restart(void)
{
	for (struct fn *f = first_function; f; f = f->next) {
		for (struct edge *e = f->edges, *next; e; e = next) {
			next = e->next;
			VG_(free)(e);
		}
		f->calls = f->inclusive = f->outer = f->sys_calls = f->self = f->kernel_ns = 0;
		f->last_edge = f->edges = NULL;
		f->told = False;
		f->skip = function_filter && !f->more;
	}
}

UInt function_count(void)
{
	return n_functions;
}

void function_tell(struct fn *f)
{
	if (f->told)
		return;
	f->told = True;
	struct vg_func r = {.id = f->id, .entry = f->file_entry};
	struct out_part parts[] = {
		{&r, sizeof r}, {f->name, VG_(strlen)(f->name) + 1}, {f->object, VG_(strlen)(f->object) + 1}};
	out_parts(VG_FUNC, parts, 3);
}

void function_edge(struct fn *callee, struct fn *caller)
{
	struct edge *e = callee->last_edge;
	if (!e || e->caller != caller) {
		for (e = callee->edges; e && e->caller != caller; e = e->next)
			;
		if (!e) {
			e = VG_(calloc)("rf.edge", 1, sizeof *e);
			e->caller = caller;
			e->next = callee->edges;
			callee->edges = e;
		}
		callee->last_edge = e;
	}
	e->calls++;
}
